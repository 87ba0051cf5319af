"""How near the words of an answer are to words of the question."""

from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_positive
from keras_qa.layers.base_layer import MaskingLayer
from keras_qa.layers.pair_layer import PrecisePairLayer
from keras_qa.text.vocabulary import UNKNOWN_ID


@keras.saving.register_keras_serializable(package="keras_qa")
class PositionInfluence(PrecisePairLayer, MaskingLayer):
    """Vectors of the positions of an answer, large near the question's words.

    A word of the question that is in the answer influences the words around it
    there, the less the farther away they are. For position j of the answer,

        p_j = sum over k of K[|j - k|]
        K[u] = (Kernel(u), ..., Kernel(u)) + noise[u]
        Kernel(u) = exp(-u^2 / (2 sigma^2))

    with k the positions at which the answer has a word of the question. Each
    element of the noise is normal with mean 0 and the deviation `noise`, drawn
    once for all texts: a weight that is not trained. A word farther away than
    `max_distance` has no influence.

    Padding (id 0) and the unknown word (id 1) match no word, and the vectors of
    padding are 0. Without any match all vectors are 0.

    Args:
        units: size of the vectors.
        sigma: width of the kernel in words.
        noise: deviation of the noise.
        max_distance: the largest distance with an influence.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: list `[question, answer]` of int tensors `(batch_size,
            question_length)` and `(batch_size, answer_length)`, word ids.

    Output:
        Float tensor `(batch_size, answer_length, units)`, without a mask; in
        float32 under mixed precision.

    Raises:
        ValueError: if an argument is out of range, or the inputs are not two
            sequences of ids.

    Example:
        >>> question, answer = keras.ops.array([[7]]), keras.ops.array([[5, 7]])
        >>> PositionInfluence(2, sigma=1.0, noise=0.0)([question, answer])
        [[[0.60653067, 0.60653067], [1., 1.]]]

    Reference: Chen et al., 2017, "Enhancing Recurrent Neural Networks with
    Positional Attention for Question Answering".
    """

    parts = {
        "question": ("batch_size", "question_length"),
        "answer": ("batch_size", "answer_length"),
    }

    def __init__(
        self,
        units: int,
        sigma: float = 25.0,
        noise: float = 0.1,
        max_distance: int = 100,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        check_positive(units=units, max_distance=max_distance)
        if not sigma > 0 or not noise >= 0:
            raise ValueError(
                "`sigma` must be positive and `noise` not negative. "
                f"Received: sigma={sigma!r}, noise={noise!r}"
            )
        self.units = units
        self.sigma = sigma
        self.noise = noise
        self.max_distance = max_distance

    def build(self, input_shape: Any) -> None:
        """Draws the noise."""
        self.drawn = self.add_precise_weight(
            name="noise",
            shape=(self.max_distance + 1, self.units),
            initializer=keras.initializers.RandomNormal(stddev=self.noise),
            trainable=False,
        )

    def call(self, inputs: Any) -> Any:
        """Sums the influence of all matches."""
        question, answer = (ops.cast(x, "int32") for x in inputs)
        equal = ops.equal(answer[:, :, None], question[:, None])
        # Smaller ids are padding and the unknown word.
        matched = ops.any(equal, axis=2) & (answer > UNKNOWN_ID)
        positions = ops.arange(ops.shape(answer)[1], dtype="int32")
        distances = ops.abs(positions[:, None] - positions[None])
        near = ops.minimum(distances, self.max_distance)
        # (answer_length, answer_length, units)
        influence = ops.take(self.drawn, near, axis=0)
        squares = ops.square(ops.cast(near, self.precise))
        kernel = ops.exp(-squares / (2 * self.sigma**2))
        influence = influence + kernel[:, :, None]
        within = (distances <= self.max_distance)[:, :, None]
        influence = ops.where(within, influence, 0.0)
        sums = ops.einsum(
            "bk,jkd->bjd", ops.cast(matched, self.precise), influence
        )
        return ops.where((answer > 0)[:, :, None], sums, 0.0)

    def compute_output_shape(self, input_shape: Any) -> tuple:
        """`(batch_size, answer_length, units)`."""
        return (*input_shape[1][:2], self.units)
