"""Matches of all positions of two texts by their distances."""

from typing import Any

import keras
from keras import ops

from keras_qa.layers.base_layer import MaskingLayer
from keras_qa.layers.pair_layer import PrecisePairLayer
from keras_qa.layers.sequences import mask_of
from keras_qa.precision import at_least_float32

ROUNDING = 1e-5
"""Squared distances below this share of the squared norms are rounding."""


@keras.saving.register_keras_serializable(package="keras_qa")
class DistanceMatches(PrecisePairLayer, MaskingLayer):
    """The attention matrix of two texts: their positions' matches.

        A_ij = 1 / (1 + |x_i - y_j|)

    with the vectors x_i of the question and y_j of the answer. It is 0 where
    either position is padding. A distance below 0.3% of the two vectors' joint
    norm is rounding, and counts as 0. Half-precision inputs are computed, and
    the matches returned, in float32.

    Args:
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: list `[question, answer]` of float tensors `(batch_size,
            question_length, dim)` and `(batch_size, answer_length, dim)`.
        mask: list of two bool tensors `(batch_size, length)`, true at words.
            Where there is none, all positions are words.

    Output:
        Float tensor `(batch_size, question_length, answer_length)`, without a
        mask.

    Raises:
        ValueError: if the inputs are not two sequences of vectors of one size.

    Example:
        >>> question = keras.ops.array([[[0.0, 0.0], [3.0, 4.0]]])
        >>> DistanceMatches()([question, question[:, :1]])
        [[[1.], [0.16666667]]]

    Reference: Yin et al., 2016, "ABCNN: Attention-Based Convolutional Neural
    Network for Modeling Sentence Pairs", section 4.
    """

    def __init__(self, **kwargs: Any):
        # Autocasting would round the vectors to half precision on the way in.
        super().__init__(autocast=False, **kwargs)

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """Computes the matches."""
        texts = [ops.cast(x, self.precise) for x in inputs]
        return distance_matches(texts, mask or (None, None))

    def compute_output_shape(self, input_shape: Any) -> tuple:
        """`(batch_size, question_length, answer_length)`."""
        question, answer = input_shape
        return (*question[:2], answer[1])


def distance_matches(texts: Any, masks: Any) -> Any:
    """The matrix of `DistanceMatches`, in float32 at least.

    Args:
        texts: two float tensors `(batch_size, length, dim)`.
        masks: two bool tensors `(batch_size, length)`, or None.

    Returns:
        Float tensor `(batch_size, question_length, answer_length)`.
    """
    asked, answered = map(mask_of, texts, masks)
    question, answer = (ops.cast(x, at_least_float32(x.dtype)) for x in texts)
    norms = (
        ops.sum(ops.square(question), axis=-1)[:, :, None]
        + ops.sum(ops.square(answer), axis=-1)[:, None, :]
    )
    products = ops.einsum("bqd,bad->bqa", question, answer)
    squared = norms - 2 * products
    # Equal vectors have the distance 0 and no gradient, on all backends.
    apart = squared > ROUNDING * norms
    distance = ops.where(apart, ops.sqrt(ops.where(apart, squared, 1)), 0)
    pairs = asked[:, :, None] & answered[:, None, :]
    return ops.where(pairs, 1 / (1 + distance), 0)
