"""Word ids cut or padded to a fixed length."""

from typing import Any

import keras

from keras_qa.arguments import check_positive
from keras_qa.layers.base_layer import ConfiguredLayer
from keras_qa.layers.sequences import cut_or_pad


@keras.saving.register_keras_serializable(package="keras_qa")
class FixedLength(ConfiguredLayer):
    """Cuts texts to a number of words, or pads them with 0.

    For models whose weights depend on positions. Words beyond the length are
    ignored.

    Args:
        length: number of positions of the output.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: int tensor `(batch_size, old_length)` of word ids.

    Output:
        Int tensor `(batch_size, length)`.

    Raises:
        ValueError: if `length` is not a positive integer.

    Example:
        >>> FixedLength(3)(keras.ops.array([[5, 7, 9, 4], [8, 0, 0, 0]]))
        [[5, 7, 9], [8, 0, 0]]
    """

    input_spec = keras.layers.InputSpec(ndim=2)

    def __init__(self, length: int, **kwargs: Any):
        super().__init__(**kwargs)
        check_positive(length=length)
        self.length = length

    def call(self, inputs: Any) -> Any:
        """Cuts or pads along the axis of positions."""
        return cut_or_pad(inputs, self.length)

    def compute_output_spec(self, inputs: Any) -> keras.KerasTensor:
        """`(batch_size, length)`, with the dtype of the ids."""
        return keras.KerasTensor(
            (inputs.shape[0], self.length), dtype=inputs.dtype
        )

    def compute_output_shape(self, input_shape: tuple) -> tuple:
        """`(batch_size, length)`."""
        return (input_shape[0], self.length)
