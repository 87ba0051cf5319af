"""The sum of the best matches of a question's tokens in an answer."""

from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_choice
from keras_qa.layers.base_layer import MaskingLayer
from keras_qa.layers.pair_layer import PrecisePairLayer
from keras_qa.layers.sequences import mask_of

REDUCTIONS = ("sum", "mean")


@keras.saving.register_keras_serializable(package="keras_qa")
class MaxSimilarity(PrecisePairLayer, MaskingLayer):
    """Sums, over the question's tokens, the best match in the answer.

    With the vectors q_i of a question and a_j of an answer,

        s = sum_i max_j <q_i, a_j>     (`reduce="sum"`, equation 3)
        s = mean_i max_j <q_i, a_j>    (`reduce="mean"`)

    over the positions that the masks mark as tokens. The score is 0 if either
    text has none. Half-precision inputs are computed, and the score returned,
    in float32.

    Args:
        reduce: `"sum"` or `"mean"`.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: list `[question, answer]` of float tensors `(batch_size,
            question_length, dim)` and `(batch_size, answer_length, dim)`.
        mask: list of their masks, bool tensors `(batch_size, length)`, true at
            tokens, or None if all positions are tokens.

    Output:
        Float tensor `(batch_size, 1)`.

    Raises:
        ValueError: if `reduce` is unknown, or the inputs are not two sequences
            of vectors of the same size.

    Example:
        >>> question = keras.ops.array([[[1.0, 0.0], [0.0, 1.0]]])
        >>> answer = keras.ops.array([[[0.6, 0.8]]])
        >>> MaxSimilarity()([question, answer])
        [[1.4]]

    Reference: Khattab and Zaharia, 2020, "ColBERT: Efficient and Effective
    Passage Search via Contextualized Late Interaction over BERT", section
    3.3, equation 3.
    """

    def __init__(self, reduce: str = "sum", **kwargs: Any):
        # Autocasting would round the vectors to half precision on the way in.
        super().__init__(autocast=False, **kwargs)
        check_choice("reduce", reduce, REDUCTIONS)
        self.reduce = reduce

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """Computes the scores."""
        masks = [None, None] if mask is None else mask
        asked, answered = map(mask_of, inputs, masks)
        question, answer = (ops.cast(x, self.precise) for x in inputs)
        products = ops.einsum("bqd,bad->bqa", question, answer)
        pairs = asked[:, :, None] & answered[:, None, :]
        # Any number that is lower than all products: it is not chosen.
        lowest = ops.stop_gradient(ops.min(products)) - 1.0
        best = ops.max(ops.where(pairs, products, lowest), axis=2)
        best = ops.where(ops.any(pairs, axis=2), best, 0.0)
        score = ops.sum(best, axis=1, keepdims=True)
        if self.reduce == "mean":
            count = ops.sum(ops.cast(asked, best.dtype), axis=1, keepdims=True)
            score = score / ops.maximum(count, 1.0)
        return score

    def compute_output_shape(self, input_shape: Any) -> tuple:
        """`(batch_size, 1)`."""
        return (input_shape[0][0], 1)
