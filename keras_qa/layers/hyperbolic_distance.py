"""Distance of points that are given by tangent vectors at the origin."""

from typing import Any

import keras
from keras import ops

from keras_qa import hyperboloid
from keras_qa.arguments import check_above_zero
from keras_qa.hyperbolic_ops import inverse_softplus
from keras_qa.layers.pair_layer import PrecisePairLayer
from keras_qa.layers.pair_layer import broadcast_shape


@keras.saving.register_keras_serializable(package="keras_qa")
class HyperbolicDistance(PrecisePairLayer):
    """Distance of two points of hyperbolic space, by radius and direction.

    The points are the exponential maps of the inputs at the origin (see
    `keras_qa.hyperboloid`). The distance is that of the Lorentz model and of
    the Poincaré ball, without the latter's loss of digits near the boundary:

        d = 2 arsinh(√(sinh²((r - s) / 2) + sinh r sinh s sin²(θ / 2))) / √c

    with r = √c |q|, s = √c |a| and θ the angle of the inputs. With asymmetry,
    the root is multiplied by exp(β (s - r)), with β = tanh(weight) learned from
    0: far points are farther apart by about 2 β (s - r), so that answers
    farther out than the question lose or gain. Value and gradient are finite
    for every input. Half-precision inputs are computed, and returned, in
    float32. Masks are neither used nor passed on.

    Args:
        curvature: the number c > 0, before training; the curvature is -c.
        trainable_curvature: whether c is learned, as softplus of a weight.
            This adds nothing where the scale of the inputs and the factor of
            the distance are learned too: c only multiplies the inputs by √c and
            divides the distance by it.
        asymmetric: whether β is learned; it is 0 otherwise.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: list `[question, answer]` of float tensors `(batch_size, dim)`,
            tangent vectors at the origin; the axes before the last may
            broadcast.

    Output:
        Distances, a float tensor `(batch_size, 1)`.

    Raises:
        ValueError: if `curvature` is not positive, or the inputs are not two
            vectors of the same size.

    Example:
        >>> question = keras.ops.array([[1.0, 0.0]])
        >>> answer = keras.ops.array([[-2.0, 0.0]])
        >>> HyperbolicDistance()([question, answer])
        [[3.]]

    Reference: Nickel and Kiela, 2018, "Learning Continuous Hierarchies in the
    Lorentz Model of Hyperbolic Geometry". The asymmetry is of the kind of
    Nickel and Kiela, 2017, "Poincaré Embeddings for Learning Hierarchical
    Representations", section 4, whose score of an entailment multiplies the
    distance by 1 + α (|v| - |u|).
    """

    parts = {"question": ("...", "dim"), "answer": ("...", "dim")}

    def __init__(
        self,
        curvature: float = 1.0,
        trainable_curvature: bool = False,
        asymmetric: bool = False,
        **kwargs: Any,
    ):
        # Autocasting would round the vectors to half precision on the way in.
        super().__init__(autocast=False, **kwargs)
        check_above_zero(curvature=curvature)
        self.curvature = curvature
        self.trainable_curvature = trainable_curvature
        self.asymmetric = asymmetric

    def build(self, input_shape: Any) -> None:
        """Creates the weights of the curvature and of the asymmetry."""
        if self.trainable_curvature:
            self.curvature_weight = self.add_precise_weight(
                name="curvature",
                shape=(),
                initializer=keras.initializers.Constant(
                    inverse_softplus(self.curvature)
                ),
            )
        if self.asymmetric:
            self.asymmetry_weight = self.add_precise_weight(
                name="asymmetry",
                shape=(),
                initializer="zeros",
            )

    def space(self) -> tuple[Any, Any]:
        """The curvature c and the asymmetry β, tensors or numbers."""
        curvature: Any = self.curvature
        if self.trainable_curvature:
            curvature = ops.softplus(self.curvature_weight)
        asymmetry = ops.tanh(self.asymmetry_weight) if self.asymmetric else 0.0
        return curvature, asymmetry

    def call(self, inputs: Any) -> Any:
        """Computes the distances."""
        question, answer = (ops.cast(x, self.precise) for x in inputs)
        return hyperboloid.distance(
            question, answer, *self.space(), keepdims=True
        )

    def compute_output_shape(self, input_shape: Any) -> tuple[int | None, ...]:
        """Returns the broadcast leading axes and a last axis of size 1."""
        return broadcast_shape(input_shape)
