"""aNMM: weights shared by values, and attention over the question's words."""

from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_positive
from keras_qa.arguments import check_positive_or_none
from keras_qa.initializers import fresh
from keras_qa.layers.base_layer import MaskingLayer
from keras_qa.layers.pair_layer import PrecisePairLayer
from keras_qa.layers.sequences import mask_of
from keras_qa.layers.sequences import masked_softmax
from keras_qa.vectors import unit_vectors

EXACT = 1 - 1e-5
"""Cosines from here on are matches of equal vectors; the rest is rounding."""


@keras.saving.register_keras_serializable(package="keras_qa")
class ValueSharedMatching(PrecisePairLayer, MaskingLayer):
    """Scores a pair by its cosines, with one weight for each range of values.

    With c_ji the cosine of word j of the question and word i of the answer,

        x_jk = sum of the c_ji in bin k
        h_j = s(sum_k w_k x_jk)                      (aNMM-1)
        h_j = s(sum_t r_t s(sum_k w_kt x_jk))        (aNMM-2)
        g_j = exp(v . q_j) / sum_l exp(v . q_l)
        y = sum_j g_j h_j

    where s is the logistic function and q_j the vector of word j. All bins but
    the last divide [-1, 1) into equal parts; the last holds the exact matches,
    cosines of 1.

    Each cosine is multiplied by the weight of its bin, and the products are
    summed, which is the same sum without the `x_jk`. Padding of either text
    changes nothing, and a question without words scores 0. Half-precision
    inputs are computed, and the scores returned, in float32.

    Args:
        bins: number of bins, with that of the exact matches.
        sets: number of sets of weights (aNMM-2); None for the one of aNMM-1.
        kernel_initializer: initialiser of w, r and v.
        kernel_regularizer: regulariser of w, r and v.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: list `[question, answer]` of float tensors `(batch_size,
            question_length, dim)` and `(batch_size, answer_length, dim)`.
        mask: list of two bool tensors `(batch_size, length)`, true at words.
            Where there is none, all positions are words.

    Output:
        Float tensor `(batch_size, 1)`, from 0 to 1.

    Raises:
        ValueError: if `bins` or `sets` is out of range, or the inputs are not
            two sequences of vectors of one size.

    Example:
        >>> question = keras.random.normal((2, 5, 8))
        >>> answer = keras.random.normal((2, 9, 8))
        >>> ValueSharedMatching(bins=21)([question, answer]).shape
        (2, 1)

    Reference: Yang et al., 2016, "aNMM: Ranking Short Answer Texts with
    Attention-Based Neural Matching Model", sections on value-shared weights
    and on the question attention network.
    """

    def __init__(
        self,
        bins: int = 600,
        sets: int | None = None,
        kernel_initializer: Any = "glorot_uniform",
        kernel_regularizer: Any = None,
        **kwargs: Any,
    ):
        # Autocasting would round the vectors to half precision on the way in.
        super().__init__(autocast=False, **kwargs)
        check_positive(bins=bins)
        if bins < 2:
            raise ValueError(
                "`bins` must be at least 2, one of them for exact matches. "
                f"Received: bins={bins!r}"
            )
        check_positive_or_none(sets=sets)
        self.bins = bins
        self.sets = sets
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.kernel_regularizer = keras.regularizers.get(kernel_regularizer)

    def build(self, input_shape: Any) -> None:
        """Creates w, r (of aNMM-2) and v."""
        shapes = {"bin_weights": (self.bins, self.sets or 1)}
        if self.sets is not None:
            shapes["set_weights"] = (self.sets, 1)
        shapes["question_weights"] = (input_shape[0][-1], 1)
        for name, shape in shapes.items():
            weight = self.add_precise_weight(
                name=name,
                shape=shape,
                initializer=fresh(self.kernel_initializer),
                regularizer=self.kernel_regularizer,
            )
            setattr(self, name, weight)

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """Computes the scores."""
        masks = mask or (None, None)
        asked, answered = map(mask_of, inputs, masks)
        question, answer = (ops.cast(x, self.precise) for x in inputs)
        units = map(unit_vectors, (question, answer))
        cosines = ops.einsum("bqd,bad->bqa", *units)
        weights = ops.take(self.bin_weights, self._bins(cosines), axis=0)
        cosines = ops.where(answered[:, None, :], cosines, 0.0)
        # (batch_size, question_length, sets)
        nodes = ops.sigmoid(ops.sum(cosines[..., None] * weights, axis=2))
        if self.sets is not None:
            nodes = ops.sigmoid(ops.matmul(nodes, self.set_weights))
        gates = ops.matmul(question, self.question_weights)[..., 0]
        gates = masked_softmax(gates, asked)
        scores = ops.sum(gates * nodes[..., 0], axis=1, keepdims=True)
        return ops.cast(scores, self.precise)

    def _bins(self, cosines: Any) -> Any:
        """The bin of each cosine, from 0."""
        last = self.bins - 1
        places = ops.floor((cosines + 1) * (last / 2))
        # Rounding may take a cosine beyond 1 and -1.
        places = ops.clip(places, 0, last - 1)
        places = ops.where(cosines >= EXACT, float(last), places)
        return ops.cast(ops.stop_gradient(places), "int32")

    def compute_output_shape(self, input_shape: Any) -> tuple:
        """`(batch_size, 1)`."""
        return (input_shape[0][0], 1)
