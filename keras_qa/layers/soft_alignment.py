"""Soft alignment: each word of a text with what it matches in the other."""

from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_choice
from keras_qa.layers.base_layer import ConfiguredLayer
from keras_qa.layers.pair_layer import PairLayer
from keras_qa.layers.sequences import masked_softmax

SCORES = ("dot", "bilinear")


@keras.saving.register_keras_serializable(package="keras_qa")
class SoftAlignment(PairLayer, ConfiguredLayer):
    """Replaces each word of a text by a weighted mean of the other text.

    With x_i the vectors of the text and y_j those of the other one,

        e_ij = x_i . y_j                                     (dot)
        e_ij = x_i . (W y_j + b)                             (bilinear)
        w_ij = exp(e_ij) / (sum over k of exp(e_ik))
        h_i = sum over j of w_ij y_j

    Weights on padding of the other text are exactly 0, and `h_i` is 0 where it
    has no words. The weights are computed in float32 under mixed precision.

    Args:
        score: `"dot"` or `"bilinear"`.
        kernel_initializer: initialiser of `W`.
        kernel_regularizer: regulariser of `W`.
        bias_regularizer: regulariser of `b`.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: list `[text, other]` of float tensors `(batch_size, length,
            dim)` and `(batch_size, other_length, other_dim)`; `"dot"` needs
            vectors of one size.
        mask: list of two bool tensors `(batch_size, length)`, true at words.
            Where there is none, all positions are words.

    Output:
        Float tensor `(batch_size, length, other_dim)`, with the mask of the
        text.

    Raises:
        ValueError: if `score` is unknown, the inputs are not two sequences of
            vectors, or `"dot"` gets vectors of two sizes.

    Example:
        >>> answer = keras.ops.array([[[1.0, 0.0], [0.0, 9.0]]])
        >>> question = keras.ops.array([[[0.0, 9.0], [0.0, 0.0]]])
        >>> SoftAlignment("dot")([answer, question])
        [[[0.0, 4.5], [0.0, 9.0]]]

    Reference: Wang and Jiang, 2017, "A Compare-Aggregate Model for Matching
    Text Sequences", section 2.2, equation 2 (bilinear).
    """

    parts = {
        "text": ("batch_size", "length", "dim"),
        "other": ("batch_size", "other_length", "other_dim"),
    }

    def __init__(
        self,
        score: str = "dot",
        kernel_initializer: Any = "glorot_uniform",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        check_choice("score", score, SCORES)
        self.supports_masking = True
        self.score = score
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.kernel_regularizer = keras.regularizers.get(kernel_regularizer)
        self.bias_regularizer = keras.regularizers.get(bias_regularizer)

    def build(self, input_shape: Any) -> None:
        """Creates `W` and `b`, if the score has them."""
        dim, other_dim = (shape[-1] for shape in input_shape)
        if self.score == "bilinear":
            self.projection = keras.layers.Dense(
                dim,
                kernel_initializer=self.kernel_initializer,
                kernel_regularizer=self.kernel_regularizer,
                bias_regularizer=self.bias_regularizer,
                dtype=self.dtype_policy,
                name="projection",
            )
            self.projection.build(input_shape[1])
        elif dim != other_dim:
            raise ValueError(
                "`inputs` must have vectors of one size for score='dot'; "
                "score='bilinear' takes two. "
                f"Received: dim={dim}, other_dim={other_dim}"
            )

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """Weighs the words of the other text for each word of the text."""
        text, other = inputs
        words = None if mask is None else mask[1]
        keys = other if self.score == "dot" else self.projection(other)
        scores = ops.matmul(text, ops.swapaxes(keys, 1, 2))
        words = None if words is None else ops.expand_dims(words, 1)
        weights = masked_softmax(ops.cast(scores, self.precise), words)
        aligned = ops.matmul(ops.cast(weights, other.dtype), other)
        return ops.cast(aligned, other.dtype)

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        """The mask of the text."""
        return None if previous_mask is None else previous_mask[0]

    def compute_output_shape(self, input_shape: Any) -> tuple:
        """`(batch_size, length, other_dim)`."""
        return (*input_shape[0][:2], input_shape[1][2])
