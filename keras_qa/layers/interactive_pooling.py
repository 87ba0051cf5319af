"""AI-CNN: pooled interactions of two texts, weighed by attention."""

from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_positive_or_none
from keras_qa.initializers import fresh
from keras_qa.layers.base_layer import MaskingLayer
from keras_qa.layers.pair_layer import PairLayer
from keras_qa.layers.sequences import mask_of
from keras_qa.layers.sequences import masked_softmax


@keras.saving.register_keras_serializable(package="keras_qa")
class InteractivePooling(PairLayer, MaskingLayer):
    """Pools the interactions of all pairs of segments of two texts.

    With the vectors q_i of the question's segments and a_j of the answer's,

        T_ij = q_i * a_j                           (elementwise)
        u_i = max_j T_ij       v_j = max_i T_ij    (row-wise, column-wise)
        e(x) = c . tanh(W x + b)
        r_q = sum_i softmax_i(e(u_i)) u_i
        r_a = sum_j softmax_j(e(v_j)) v_j

    The tensor T is not stored: an element of `u_i` is that of `q_i` times the
    largest of the `a_j` if it is positive, and times the smallest if not.

    Maxima and softmaxes run over the positions that the masks mark as words.
    Both vectors are 0 if either text has none. Half-precision inputs are
    computed, and the vectors returned, in float32.

    Args:
        units: size of `W x`; None for that of the inputs' vectors.
        kernel_initializer: initialiser of W and c.
        kernel_regularizer: regulariser of W and c.
        bias_regularizer: regulariser of b.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: list `[question, answer]` of float tensors `(batch_size,
            question_length, dim)` and `(batch_size, answer_length, dim)`.
        mask: list of two bool tensors `(batch_size, length)`, true at words.
            Where there is none, all positions are words.
        return_attention_scores: whether the weights of the segments are
            returned, too.

    Output:
        List `[r_q, r_a]` of float tensors `(batch_size, dim)`, without masks;
        with `return_attention_scores` followed by the weights `(batch_size,
        question_length)` and `(batch_size, answer_length)`.

    Raises:
        ValueError: if `units` is out of range, or the inputs are not two
            sequences of vectors of one size.

    Example:
        >>> question = keras.random.normal((2, 5, 8))
        >>> answer = keras.random.normal((2, 9, 8))
        >>> [r.shape for r in InteractivePooling()([question, answer])]
        [(2, 8), (2, 8)]

    Reference: Zhang et al., 2017, "Attentive Interactive Neural Networks for
    Answer Selection in Community Question Answering". The abstract gives the
    steps; the form of T and of e is assumed.
    """

    def __init__(
        self,
        units: int | None = None,
        kernel_initializer: Any = "glorot_uniform",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        **kwargs: Any,
    ):
        # Autocasting would round the vectors to half precision on the way in.
        super().__init__(autocast=False, **kwargs)
        check_positive_or_none(units=units)
        self.units = units
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.kernel_regularizer = keras.regularizers.get(kernel_regularizer)
        self.bias_regularizer = keras.regularizers.get(bias_regularizer)

    def build(self, input_shape: Any) -> None:
        """Creates W, b and c."""
        dim = input_shape[0][-1]
        units = self.units or dim
        kernel = {"regularizer": self.kernel_regularizer}
        self.kernel = self.add_precise_weight(
            name="kernel",
            shape=(dim, units),
            initializer=self.kernel_initializer,
            **kernel,
        )
        self.bias = self.add_precise_weight(
            name="bias",
            shape=(units,),
            initializer="zeros",
            regularizer=self.bias_regularizer,
        )
        self.vector = self.add_precise_weight(
            name="vector",
            shape=(units, 1),
            initializer=fresh(self.kernel_initializer),
            **kernel,
        )

    def call(
        self,
        inputs: Any,
        mask: Any = None,
        return_attention_scores: bool = False,
    ) -> list[Any]:
        """Pools both texts."""
        masks = list(map(mask_of, inputs, mask or (None, None)))
        texts = [ops.cast(x, self.precise) for x in inputs]
        pooled, weights = [], []
        for own, other in ((0, 1), (1, 0)):
            best = _best_products(texts[own], texts[other], masks[other])
            hidden = ops.tanh(ops.matmul(best, self.kernel) + self.bias)
            scores = ops.matmul(hidden, self.vector)[..., 0]
            scores = ops.cast(scores, self.precise)
            weights.append(masked_softmax(scores, masks[own]))
            product = ops.einsum("bl,bld->bd", weights[-1], best)
            pooled.append(ops.cast(product, self.precise))
        return pooled + weights if return_attention_scores else pooled

    def compute_output_shape(self, input_shape: Any) -> list[tuple]:
        """`[(batch_size, dim), (batch_size, dim)]`."""
        return [(shape[0], shape[2]) for shape in input_shape]

    def compute_output_spec(
        self,
        inputs: Any,
        mask: Any = None,
        return_attention_scores: bool = False,
    ) -> list[keras.KerasTensor]:
        """The outputs' shapes and dtypes, with what is asked for."""
        shapes = [tuple(text.shape) for text in inputs]
        outputs = self.compute_output_shape(shapes)
        if return_attention_scores:
            outputs += [shape[:2] for shape in shapes]
        return [
            keras.KerasTensor(shape, dtype=self.precise) for shape in outputs
        ]


def _best_products(text: Any, other: Any, other_mask: Any) -> Any:
    """The largest products of each element with those of another text."""
    words = other_mask[:, :, None]
    largest, smallest = (
        ops.max(ops.where(words, sign * other, -1e30), axis=1, keepdims=True)
        for sign in (1, -1)
    )
    best = ops.where(text > 0, text * largest, -text * smallest)
    return ops.where(ops.any(words, axis=1, keepdims=True), best, 0)
