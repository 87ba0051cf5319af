"""ABCNN-1: feature maps of the attention between two texts."""

from typing import Any

import keras
from keras import ops

from keras_qa.initializers import fresh
from keras_qa.layers.base_layer import ConfiguredLayer
from keras_qa.layers.distance_matches import distance_matches
from keras_qa.layers.pair_layer import PairLayer


@keras.saving.register_keras_serializable(package="keras_qa")
class AttentionFeatureMaps(PairLayer, ConfiguredLayer):
    """Appends to both texts a feature map of their attention matrix.

    With the columns of `X` and `Y` the vectors of the two texts' positions, and
    A the matrix of `DistanceMatches`,

        F_0 = W_0 A^T        F_1 = W_1 A

    are as large as `X` and `Y`. The layer returns [X, F_0] and [Y, F_1],
    concatenated at each position, for the convolution to read both. The
    feature maps of padding are 0. Rows of `W_0` belong to positions of the
    answer, and of `W_1` to positions of the question, so that both texts must
    have a fixed length.

    Args:
        shared: whether `W_1` is `W_0`, which a footnote of the paper has for
            its implementation. Both texts then have one length.
        kernel_initializer: initialiser of `W_0` and `W_1`.
        kernel_regularizer: regulariser of `W_0` and `W_1`.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: list `[question, answer]` of float tensors `(batch_size,
            question_length, dim)` and `(batch_size, answer_length, dim)`.
        mask: list of two bool tensors `(batch_size, length)`, true at words.
            Where there is none, all positions are words.

    Output:
        List of float tensors `(batch_size, question_length, 2 * dim)` and
        `(batch_size, answer_length, 2 * dim)`, with the masks of the inputs.

    Raises:
        ValueError: if the inputs are not two sequences of vectors of one size,
            or their lengths are not fixed, or with `shared` not equal.

    Example:
        >>> question = keras.random.normal((2, 5, 8))
        >>> answer = keras.random.normal((2, 9, 8))
        >>> [x.shape for x in AttentionFeatureMaps()([question, answer])]
        [(2, 5, 16), (2, 9, 16)]

    Reference: Yin et al., 2016, "ABCNN: Attention-Based Convolutional Neural
    Network for Modeling Sentence Pairs", section 4.1.
    """

    def __init__(
        self,
        shared: bool = False,
        kernel_initializer: Any = "glorot_uniform",
        kernel_regularizer: Any = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self.supports_masking = True
        self.shared = shared
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.kernel_regularizer = keras.regularizers.get(kernel_regularizer)

    def build(self, input_shape: Any) -> None:
        """Creates the transposes of `W_0` and `W_1`."""
        question, answer = input_shape
        if question[1] is None or answer[1] is None:
            raise ValueError(
                "`inputs` must have fixed lengths. "
                f"Received: question_length={question[1]!r}, "
                f"answer_length={answer[1]!r}"
            )
        if self.shared and question[1] != answer[1]:
            raise ValueError(
                "`inputs` must have one length with `shared`. "
                f"Received: question_length={question[1]!r}, "
                f"answer_length={answer[1]!r}"
            )
        self.question_kernel = self._kernel("question_kernel", answer)
        self.answer_kernel = (
            self.question_kernel
            if self.shared
            else self._kernel("answer_kernel", question)
        )

    def _kernel(self, name: str, other: tuple) -> Any:
        """The transpose of W, with a row for each position of a text."""
        return self.add_weight(
            name=name,
            shape=(other[1], other[2]),
            # A seed of its own: the two start apart.
            initializer=fresh(self.kernel_initializer),
            regularizer=self.kernel_regularizer,
        )

    def call(self, inputs: Any, mask: Any = None) -> list[Any]:
        """Computes the feature maps and appends them."""
        matches = distance_matches(inputs, mask or (None, None))
        matches = ops.cast(matches, inputs[0].dtype)
        maps = [
            ops.matmul(matches, self.question_kernel),
            ops.matmul(ops.swapaxes(matches, 1, 2), self.answer_kernel),
        ]
        return [
            ops.concatenate(pair, axis=-1)
            for pair in zip(inputs, maps, strict=True)
        ]

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        """The masks of the two texts."""
        return list(previous_mask or (None, None))

    def compute_output_shape(self, input_shape: Any) -> list[tuple]:
        """The shapes of the two texts with twice the features."""
        return [(*shape[:2], 2 * shape[2]) for shape in input_shape]
