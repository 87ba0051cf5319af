"""Six functions that compare a word with what it is aligned to."""

from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_choice
from keras_qa.arguments import check_positive_or_none
from keras_qa.layers.base_layer import ConfiguredLayer
from keras_qa.layers.pair_layer import PairLayer
from keras_qa.precision import at_least_float32
from keras_qa.vectors import bounded_distance
from keras_qa.vectors import unit_vectors

FUNCTIONS = (
    *("nn", "ntn", "euclidean_cosine"),
    *("subtract", "multiply", "submult_nn"),
)
WITH_WEIGHTS = ("nn", "ntn", "submult_nn")


@keras.saving.register_keras_serializable(package="keras_qa")
class WordComparison(PairLayer, ConfiguredLayer):
    """Compares the vectors of two texts at each position.

    With a_j the vector of a word and h_j the one aligned to it,

        nn                t_j = ReLU(W [a_j, h_j] + b)
        ntn               t_j = ReLU(a_j^T T^[1:r] h_j + b)
        euclidean_cosine  t_j = [|a_j - h_j|, cos(a_j, h_j)]
        subtract          t_j = (a_j - h_j) * (a_j - h_j)
        multiply          t_j = a_j * h_j
        submult_nn        t_j = ReLU(W [subtract, multiply] + b)

    where * multiplies elementwise. `"ntn"` has `units` slices, and holds
    `dim * dim` products of each word.

    The distance is bounded below by 1e-6 and the norms as in
    `CosineSimilarity`, so that gradients are finite at equal and at zero
    vectors. Outputs at padding have no meaning; the mask is passed on.

    Args:
        function: `"nn"`, `"ntn"`, `"euclidean_cosine"`, `"subtract"`,
            `"multiply"` or `"submult_nn"`.
        units: size of the outputs of `"nn"`, `"ntn"` and `"submult_nn"`; None
            for that of the inputs. The others do not use it.
        kernel_initializer: initialiser of `W` and `T`.
        kernel_regularizer: regulariser of `W` and `T`.
        bias_regularizer: regulariser of `b`.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: list `[text, aligned]` of float tensors `(batch_size, length,
            dim)`.
        mask: list of two bool tensors `(batch_size, length)`, true at words,
            or None.

    Output:
        Float tensor `(batch_size, length, units)`; for `"subtract"` and
        `"multiply"` `(batch_size, length, dim)`, for `"euclidean_cosine"`
        `(batch_size, length, 2)`. Its mask is that of the text.

    Raises:
        ValueError: if an argument is out of range, or the inputs are not two
            sequences of vectors of one length and size.

    Example:
        >>> text = keras.ops.array([[[1.0, 2.0]]])
        >>> aligned = keras.ops.array([[[3.0, 5.0]]])
        >>> WordComparison("subtract")([text, aligned])
        [[[4.0, 9.0]]]

    Reference: Wang and Jiang, 2017, "A Compare-Aggregate Model for Matching
    Text Sequences", section 2.3, equations 3 to 8.
    """

    parts = {
        "text": ("batch_size", "length", "dim"),
        "aligned": ("batch_size", "length", "dim"),
    }

    def __init__(
        self,
        function: str = "multiply",
        units: int | None = None,
        kernel_initializer: Any = "glorot_uniform",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        check_choice("function", function, FUNCTIONS)
        check_positive_or_none(units=units)
        self.supports_masking = True
        self.function = function
        self.units = units
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.kernel_regularizer = keras.regularizers.get(kernel_regularizer)
        self.bias_regularizer = keras.regularizers.get(bias_regularizer)

    def build(self, input_shape: Any) -> None:
        """Creates `W` or `T`, and `b`, if the function has them."""
        if self.function not in WITH_WEIGHTS:
            return
        dim = input_shape[0][-1]
        # T reads the products of all pairs of entries, one row for each.
        size = dim * dim if self.function == "ntn" else 2 * dim
        self.network = keras.layers.Dense(
            self.units or dim,
            "relu",
            kernel_initializer=self.kernel_initializer,
            kernel_regularizer=self.kernel_regularizer,
            bias_regularizer=self.bias_regularizer,
            dtype=self.dtype_policy,
            name="network",
        )
        self.network.build((None, None, size))

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """Compares the vectors of each position."""
        text, aligned = inputs
        if self.function == "euclidean_cosine":
            return _distance_and_cosine(text, aligned)
        if self.function == "nn":
            return self.network(ops.concatenate(inputs, axis=-1))
        if self.function == "ntn":
            products = text[..., :, None] * aligned[..., None, :]
            batch_size, length, dim = ops.shape(text)
            return self.network(
                ops.reshape(products, (batch_size, length, dim * dim))
            )
        product = text * aligned
        if self.function == "multiply":
            return product
        squares = ops.square(text - aligned)
        if self.function == "subtract":
            return squares
        return self.network(ops.concatenate([squares, product], axis=-1))

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        """The mask of the text."""
        return None if previous_mask is None else previous_mask[0]

    def compute_output_shape(self, input_shape: Any) -> tuple:
        """`(batch_size, length, size)`, the size as the function says."""
        *axes, dim = input_shape[0]
        if self.function == "euclidean_cosine":
            return (*axes, 2)
        weighted = self.function in WITH_WEIGHTS
        return (*axes, (self.units or dim) if weighted else dim)


def _distance_and_cosine(text: Any, aligned: Any) -> Any:
    """Computed in float32, returned in the inputs' dtype."""
    dtype = text.dtype
    text, aligned = (
        ops.cast(x, at_least_float32(dtype)) for x in (text, aligned)
    )
    distance = bounded_distance(text, aligned)
    cosine = unit_vectors(text) * unit_vectors(aligned)
    cosine = ops.sum(cosine, axis=-1, keepdims=True)
    return ops.cast(ops.concatenate([distance, cosine], axis=-1), dtype)
