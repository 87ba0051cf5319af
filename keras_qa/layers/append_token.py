"""A token at the end of each text, such as <EOS>."""

from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_positive
from keras_qa.layers.base_layer import ConfiguredLayer
from keras_qa.text.vocabulary import PADDING_ID


@keras.saving.register_keras_serializable(package="keras_qa")
class AppendToken(ConfiguredLayer):
    """Puts a token after the last word of each text.

    The token takes the position after the last word, whatever padding
    follows; a text without words becomes the token alone.

    Args:
        token_id: id of the token. By convention it is the size of the
            vocabulary, an id that no word has.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: int tensor `(batch_size, length)`, 0 = padding.

    Output:
        Int tensor `(batch_size, length + 1)` of the same dtype.

    Raises:
        ValueError: if `token_id` is not a positive integer.

    Example:
        >>> AppendToken(9)(keras.ops.array([[5, 7, 0], [0, 0, 0]]))
        [[5, 7, 9, 0], [9, 0, 0, 0]]

    Reference: Wu and Hao, "Cross-sentence Pre-trained model for Interactive
    QA matching", section 3.1.
    """

    input_spec = keras.layers.InputSpec(ndim=2)

    def __init__(self, token_id: int, **kwargs: Any):
        super().__init__(**kwargs)
        check_positive(token_id=token_id)
        self.token_id = token_id

    def call(self, inputs: Any) -> Any:
        """Appends the token."""
        wide = ops.pad(inputs, ((0, 0), (0, 1)), constant_values=PADDING_ID)
        place = ops.arange(ops.shape(wide)[1], dtype="int32")
        is_word = wide != PADDING_ID
        # The position after the last word, 0 in a text without words.
        end = ops.max(ops.where(is_word, place + 1, 0), axis=1, keepdims=True)
        token = ops.cast(self.token_id, wide.dtype)
        return ops.where(place == end, token, wide)

    def compute_output_shape(self, input_shape: tuple) -> tuple:
        """`(batch_size, length + 1)`."""
        batch_size, length = input_shape
        return (batch_size, None if length is None else length + 1)

    def compute_output_spec(self, inputs: Any) -> keras.KerasTensor:
        """The output's shape, and the dtype of the ids."""
        shape = self.compute_output_shape(tuple(inputs.shape))
        return keras.KerasTensor(shape, dtype=inputs.dtype)
