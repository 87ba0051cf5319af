"""HyperQA by the cosine, and by its logarithm."""

from typing import Any

import keras
import numpy as np

from keras_qa.arguments import check_above_zero
from keras_qa.layers.cosine_similarity import CosineSimilarity
from keras_qa.layers.log_cosine_distance import LogCosineDistance
from keras_qa.models.bag_of_words import BagOfWordsRanker
from keras_qa.models.building import full_policy
from keras_qa.models.configured import keeps_arguments


@keras.saving.register_keras_serializable(package="keras_qa")
class CosineQA(BagOfWordsRanker):
    """HyperQA with the cosine instead of the distance.

    The encoder is HyperQA's without the map into the ball, because the cosine
    does not depend on norms. The score is `w cos(q, a) + b`, where `w` starts
    at `score_scale` and `b` at 0. The cosine of a text without words is 0.

    Args, call arguments and output are those of `HyperQA`, without
    `projection`, `rounding` and the arguments of the projection from `epsilon`
    to `asymmetric`, and with

    Args:
        score_scale: initial value of `w`, positive. A cosine lies in [-1, 1],
            so a hinge with a margin above `2 w` is never zero.

    Reference: Tay et al., 2018, "Hyperbolic Representation Learning for Fast
    and Efficient Neural Question Answering", section 4.5.
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
        score_scale: float = 1.0,
        dropout: float = 0.0,
        l2: float = 0.0,
        kernel_initializer: Any = "glorot_uniform",
        kernel_constraint: Any = None,
        concatenate_embeddings: bool = False,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        check_above_zero(score_scale=score_scale)
        precise = full_policy(dtype).variable_dtype
        super().__init__(
            to_space=keras.layers.Identity(dtype=precise, name="to_space"),
            similarity=CosineSimilarity(dtype=precise, name="cosine"),
            initial_weight=score_scale,
        )


@keras.saving.register_keras_serializable(package="keras_qa")
class LogCosineQA(BagOfWordsRanker):
    """HyperQA with the logarithm of the cosine's distance: a control of both.

    HyperQA's sums of words nearly all lie outside the ball and are clipped to
    one sphere, where its distance is

        d(q, a) = log(2 - 2 cos(q, a)) + constant

    (`LogCosineDistance` derives it). This model has this logarithm in place of
    the distance: `score = w log(2 - 2 cos(q, a) + epsilon) + b`, with `w`
    started at -1 and `b` at 0. What HyperQA has before it is owed to the ball;
    what it has before `CosineQA`, to the logarithm.

    Args, call arguments and output are those of `HyperQA`, without
    `projection`, `rounding` and the arguments of the projection from `scale` to
    `asymmetric`, and with

    Args:
        epsilon: see `LogCosineDistance`.

    Reference: Tay et al., 2018, "Hyperbolic Representation Learning for Fast
    and Efficient Neural Question Answering", sections 3.3, 3.4 and 4.5.
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
        epsilon: float = 1e-6,
        dropout: float = 0.0,
        l2: float = 0.0,
        kernel_initializer: Any = "glorot_uniform",
        kernel_constraint: Any = None,
        concatenate_embeddings: bool = False,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        precise = full_policy(dtype).variable_dtype
        super().__init__(
            to_space=keras.layers.Identity(dtype=precise, name="to_space"),
            similarity=LogCosineDistance(
                epsilon, dtype=precise, name="log_cosine"
            ),
            initial_weight=-1.0,
        )
