"""HyperQA: the distance of two sums of words in hyperbolic space."""

from typing import Any

import keras
import numpy as np

from keras_qa import geometry
from keras_qa.arguments import check_choice
from keras_qa.layers.ball_projection import BallProjection
from keras_qa.layers.einstein_midpoint import EinsteinMidpoint
from keras_qa.layers.einstein_midpoint import LorentzPoints
from keras_qa.layers.hyperbolic_distance import HyperbolicDistance
from keras_qa.layers.poincare_distance import PoincareDistance
from keras_qa.layers.tangent_projection import TangentProjection
from keras_qa.models.bag_of_words import BagOfWordsRanker
from keras_qa.models.building import full_policy
from keras_qa.models.configured import keeps_arguments

BALL = ("clip", "expmap")
TANGENT = ("lorentz", "sphere", "radius", "einstein")
ROUNDING = 2e-6
"""Bounds the error of 1 - ||y||^2, in float32, for y on the clip's sphere."""


@keras.saving.register_keras_serializable(package="keras_qa")
class HyperQA(BagOfWordsRanker):
    """Scores a pair by the distance of two points of hyperbolic space.

    With `z_i` the embedding of the i-th word of a text, both texts become

        x_i = activation(W_p z_i + b_p)     projection, shared   (equation 1)
        y = x_1 + ... + x_M                 bag of words         (equation 2)
        y = (1 - epsilon) y / ||y||         if ||y|| > 1 - epsilon

    and the score is linear in their distance in the Poincaré ball,

        d = arcosh(1 + 2 ||q - a||^2 / ((1 - ||q||^2) (1 - ||a||^2)))
        score = w d + b                     (equations 4 and 6)

    where `w` starts at -1, so that a higher score is a better answer, and `b`
    at 0. With another `projection`, points can keep the norms that the clip
    loses. A text's vector does not depend on the other text: `question_encoder`
    and `answer_encoder` compute it, and `head` scores the vectors of a pair.

    Id 0 is padding and changes nothing. Texts may have any length, including 0.
    Under mixed precision the words are projected in half precision; sums,
    norms, distances and scores are float32.

    At `embedding_dim = 300` the projection has 90,300 parameters for
    `projection_dim = 300` and 45,150 for 150; the score adds 2.

    Args:
        vocabulary_size: number of word ids, with padding (0) and the unknown
            word (1).
        embedding_dim: size of the word vectors (the paper's n).
        projection_dim: size of the projected vectors (the paper's d).
        embeddings: array `(vocabulary_size, embedding_dim)` to start the
            embedding with; uniform in (-.25, .25) without it. It is not part
            of the configuration but a weight, which is saved.
        trainable_embeddings: whether training changes the embedding. In the
            paper it is fixed.
        projection_layers: number of projections, one after the other.
        activation: activation of each projection.
        pooling: `"sum"` (equation 2) or `"mean"`.
        projection: map of the sums into the ball: `"clip"` (the paper) or
            `"expmap"`, the exponential map at the origin (`BallProjection`).
            Or the map to tangent vectors at the origin, whose distance
            `HyperbolicDistance` keeps its digits at any radius: `"lorentz"`,
            the points of `"expmap"`; `"radius"`, a radius learned apart from
            the direction; `"sphere"`, one learned radius
            (`TangentProjection`); `"einstein"`, the midpoint of the points of
            the words (`EinsteinMidpoint`), in place of equation 2.
        epsilon: distance of the clip's radius from 1, of `"clip"` and
            `"expmap"`.
        scale: initial factor of the exponential map, of `"expmap"`,
            `"lorentz"` and `"einstein"`.
        trainable_scale: whether training changes this factor.
        radius: initial hyperbolic radius of `"sphere"` and `"radius"`.
        trainable_curvature: whether the curvature is learned, started at -1;
            not with `"clip"` and `"expmap"`.
        asymmetric: whether answers farther out than the question can learn to
            gain or lose, see `HyperbolicDistance`; not with `"clip"` and
            `"expmap"`.
        rounding: added to the lower bound of 1 - ||y||^2 in equation 4, which
            is the value on the sphere of the clip. It reduces nearly all
            distances between clipped vectors equally, by about 0.19 at the
            default epsilon; 0 computes equation 4 as printed, with scores
            that change by about 1e-2 with the size of the batch.
        dropout: share of the inputs of each projection and of the sum that is
            dropped in training, as in the paper's released code. The paper has
            none.
        l2: strength of the L2 regularisation of the projection matrices.
        kernel_initializer: initialiser of the projection matrices.
        kernel_constraint: constraint of the projection matrices. With
            `PoincareBall` their rows are points in the ball, which the
            `"manifold"` conversion of `RiemannianOptimizer` requires. They
            need a small start, such as `RandomUniform(-0.02, 0.02)`: rows of
            Glorot's size lie near the boundary or are clipped to it, where
            equation 9 all but stops them.
        concatenate_embeddings: whether the two texts' vectors in the ball are
            concatenated with the distance before the final layer, as in the
            paper on SemEval (section 4.4.3). Their weights start at 0. In a
            pairwise loss the question's part cancels.
        dtype: dtype policy; the global one by default.
        name: name of the model.
        trainable: whether the model is trainable.

    Call arguments:
        inputs: dict of int tensors `"question"` `(batch_size,
            question_length)` and `"answer"` `(batch_size, answer_length)`.

    Output:
        Float tensor `(batch_size, 1)`, higher is better.

    Raises:
        ValueError: if an argument is out of range, or `embeddings` has
            another shape or values that are not finite.

    Example:
        >>> model = HyperQA(vocabulary_size=100)
        >>> question, answer = np.array([[5, 7, 3]]), np.array([[9, 0]])
        >>> model({"question": question, "answer": answer}).shape
        (1, 1)

    Reference: Tay et al., 2018, "Hyperbolic Representation Learning for Fast
    and Efficient Neural Question Answering", section 3.
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 300,
        projection_dim: int = 300,
        *,
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = False,
        projection_layers: int = 1,
        activation: Any = "relu",
        pooling: str = "sum",
        projection: str = "clip",
        epsilon: float = geometry.BALL_EPSILON,
        scale: float = 0.05,
        trainable_scale: bool = True,
        radius: float = 3.0,
        trainable_curvature: bool = False,
        asymmetric: bool = False,
        rounding: float = ROUNDING,
        dropout: float = 0.0,
        l2: float = 0.0,
        kernel_initializer: Any = "glorot_uniform",
        kernel_constraint: Any = None,
        concatenate_embeddings: bool = False,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        if rounding < 0:
            raise ValueError(
                "`rounding` must not be negative. "
                f"Received: rounding={rounding!r}"
            )
        check_choice("projection", projection, (*BALL, *TANGENT))
        if projection in BALL and (trainable_curvature or asymmetric):
            raise ValueError(
                "`trainable_curvature` and `asymmetric` expect a projection "
                f"of {TANGENT}. Received: projection={projection!r}"
            )
        precise = full_policy(dtype).variable_dtype
        to_points = None
        to_space: keras.layers.Layer
        similarity: keras.layers.Layer
        if projection in BALL:
            to_space = BallProjection(
                projection,
                epsilon=epsilon,
                scale=scale,
                trainable_scale=trainable_scale,
                dtype=precise,
                name="to_ball",
            )
            # On the sphere of the clip, where most vectors lie, rounding of
            # 1 - ||y||^2 would change distances by 1e-2, depending on the
            # batch size. A bound just above gives all vectors one value.
            similarity = PoincareDistance(
                epsilon=epsilon * (2 - epsilon) + rounding,
                dtype=precise,
                name="distance",
            )
        else:
            similarity = HyperbolicDistance(
                trainable_curvature=trainable_curvature,
                asymmetric=asymmetric,
                dtype=precise,
                name="distance",
            )
            if projection == "einstein":
                to_points = LorentzPoints(
                    scale, trainable_scale, dtype=precise, name="to_points"
                )
                to_space = EinsteinMidpoint(dtype=precise, name="midpoint")
            else:
                to_space = TangentProjection(
                    projection,
                    scale=scale,
                    trainable_scale=trainable_scale,
                    radius=radius,
                    dtype=precise,
                    name="to_tangent",
                )
        super().__init__(to_space, similarity, -1.0, to_points)
