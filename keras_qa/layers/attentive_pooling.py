"""Attentive pooling: each of two texts weighs the positions of the other."""

from typing import Any

import keras
from keras import ops

from keras_qa.layers.base_layer import MaskingLayer
from keras_qa.layers.pair_layer import PairLayer
from keras_qa.layers.sequences import mask_of
from keras_qa.layers.sequences import weighted_sum


@keras.saving.register_keras_serializable(package="keras_qa")
class AttentivePooling(PairLayer, MaskingLayer):
    """Pools a question and an answer, each weighed by the other.

    With the columns of `Q` and `A` the vectors of the two texts' positions:

    1. `G = tanh(Q^T U A)` compares every position of the question with every
       position of the answer;
    2. `g_q[i] = max_j G[i, j]` and `g_a[j] = max_i G[i, j]`: the best match of
       each position;
    3. `w_q = softmax(g_q)` and `w_a = softmax(g_a)`;
    4. `r_q = Q w_q` and `r_a = A w_a`.

    Maxima and softmaxes run over the positions that the masks mark as words:
    padding has a weight of exactly 0 and changes nothing. A text without
    words becomes the zero vector, and all words of the other text have the same
    weight.
    Half-precision inputs are multiplied by `U` in half precision; all else is
    computed, and returned, in float32.

    Args:
        kernel_initializer: initialiser of `U`.
        kernel_regularizer: regulariser of `U`.
        kernel_constraint: constraint of `U`.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: list `[question, answer]` of float tensors `(batch_size,
            question_length, question_dim)` and `(batch_size, answer_length,
            answer_dim)`.
        mask: list of two bool tensors `(batch_size, length)`, true at words;
            usually comes from `Embedding(mask_zero=True)`. Where there is
            none, all positions are words.
        return_attention_scores: whether `w_q` and `w_a` are returned too.
        return_matches: whether `G` is returned too.

    Output:
        List `[r_q, r_a]` of float tensors `(batch_size, question_dim)` and
        `(batch_size, answer_dim)`, without masks; with
        `return_attention_scores`, `[r_q, r_a, w_q, w_a]`, with weights of the
        shapes `(batch_size, question_length)` and `(batch_size,
        answer_length)`. With `return_matches`, `G` is the last of the list,
        `(batch_size, question_length, answer_length)`, in [-1, 1] and -1 at
        padding.

    Raises:
        ValueError: if the inputs are not a list of two sequences.

    Example:
        >>> question = keras.random.normal((2, 5, 8))
        >>> answer = keras.random.normal((2, 9, 8))
        >>> [r.shape for r in AttentivePooling()([question, answer])]
        [(2, 8), (2, 8)]

    Reference: dos Santos et al., 2016, "Attentive Pooling Networks",
    section 3.
    """

    parts = {
        "question": ("batch_size", "question_length", "question_dim"),
        "answer": ("batch_size", "answer_length", "answer_dim"),
    }

    def __init__(
        self,
        kernel_initializer: Any = "glorot_uniform",
        kernel_regularizer: Any = None,
        kernel_constraint: Any = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.kernel_regularizer = keras.regularizers.get(kernel_regularizer)
        self.kernel_constraint = keras.constraints.get(kernel_constraint)

    def build(self, input_shape: Any) -> None:
        """Creates `U`, of the shape `(question_dim, answer_dim)`."""
        question, answer = input_shape
        self.kernel = self.add_weight(
            name="kernel",
            shape=(question[-1], answer[-1]),
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )

    def call(
        self,
        inputs: Any,
        mask: Any = None,
        return_attention_scores: bool = False,
        return_matches: bool = False,
    ) -> list[Any]:
        """Pools both texts."""
        texts = list(inputs)
        masks = [
            mask_of(text, text_mask)
            for text, text_mask in zip(texts, mask or (None, None), strict=True)
        ]
        question, answer = texts
        # (batch_size, question_length, answer_length)
        fit = ops.matmul(
            ops.matmul(question, self.kernel), ops.transpose(answer, (0, 2, 1))
        )
        fit = ops.tanh(ops.cast(fit, self.precise))
        # No value of tanh is below -1, so padding never exceeds a word.
        fit = ops.where(masks[0][:, :, None] & masks[1][:, None, :], fit, -1.0)
        weights = [
            _masked_softmax(ops.max(fit, axis=axis), text_mask)
            for axis, text_mask in zip((2, 1), masks, strict=True)
        ]
        pooled = [
            weighted_sum(w, ops.cast(x, self.precise))
            for w, x in zip(weights, texts, strict=True)
        ]
        return [
            *pooled,
            *(weights if return_attention_scores else []),
            *([fit] if return_matches else []),
        ]

    def compute_output_shape(self, input_shape: Any) -> list[tuple]:
        """`[(batch_size, question_dim), (batch_size, answer_dim)]`."""
        return [(shape[0], shape[2]) for shape in input_shape]

    def compute_output_spec(
        self,
        inputs: Any,
        mask: Any = None,
        return_attention_scores: bool = False,
        return_matches: bool = False,
    ) -> list[keras.KerasTensor]:
        """The outputs' shapes and dtypes, with what is asked for."""
        shapes = [tuple(text.shape) for text in inputs]
        outputs = self.compute_output_shape(shapes)
        if return_attention_scores:
            outputs += [shape[:2] for shape in shapes]
        if return_matches:
            outputs.append((*shapes[0][:2], shapes[1][1]))
        return [
            keras.KerasTensor(shape, dtype=self.precise) for shape in outputs
        ]


def _masked_softmax(x: Any, mask: Any) -> Any:
    """Softmax over the true positions of values in [-1, 1], 0 elsewhere."""
    exponentials = ops.where(mask, ops.exp(x), 0.0)
    total = ops.sum(exponentials, axis=-1, keepdims=True)
    # One word adds at least 1/e, so the bound affects texts without words only.
    return exponentials / ops.maximum(total, 0.1)
