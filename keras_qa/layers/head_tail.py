"""The last states of both directions of a bidirectional recurrent layer."""

from typing import Any

import keras
from keras import ops

from keras_qa.layers.base_layer import MaskingLayer
from keras_qa.layers.sequences import weighted_sum


@keras.saving.register_keras_serializable(package="keras_qa")
class HeadTail(MaskingLayer):
    """Concatenates the final states of two directions.

    The states are concatenated outputs of a forward and a backward direction.
    The layer takes the first half at the last word and the second half at the
    first word, where the two directions have read all words. The mask marks
    the words: padding changes nothing. A text without words becomes the zero
    vector.

    Args:
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: float tensor `(batch_size, length, 2 units)`, as returned by
            `keras.layers.Bidirectional` with `return_sequences=True`.
        mask: bool tensor `(batch_size, length)`, true at words; usually
            comes from `Embedding(mask_zero=True)`. Without one, all positions
            are words.

    Output:
        Float tensor `(batch_size, 2 units)`, without a mask.

    Raises:
        ValueError: if the size of the states is odd.

    Example:
        >>> states = keras.ops.array([[[1.0, 5.0], [2.0, 6.0], [3.0, 7.0]]])
        >>> mask = keras.ops.array([[True, True, False]])
        >>> HeadTail()(states, mask=mask)
        [[2., 5.]]

    Reference: Tan et al., 2016, "Improved Representation Learning for
    Question Answer Matching", section 3.1.
    """

    input_spec = keras.layers.InputSpec(ndim=3)

    def build(self, input_shape: tuple) -> None:
        """Checks that the states have two halves."""
        if input_shape[-1] % 2:
            raise ValueError(
                "`inputs` must have an even number of features, half of them "
                f"of each direction. Received: inputs.shape={input_shape!r}"
            )

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """Takes the first half at the last word, the second at the first."""
        units = inputs.shape[-1] // 2
        if mask is None:
            last, first = inputs[:, -1], inputs[:, 0]
        else:
            words = ops.cast(mask, "int32")
            # Numbers of words up to each position and from each position on.
            until = ops.cumsum(words, axis=1)
            since = ops.sum(words, axis=1, keepdims=True) - until + words
            last, first = (
                _only(inputs, ops.cast(mask, "bool") & (count == 1))
                for count in (since, until)
            )
        return ops.concatenate([last[:, :units], first[:, units:]], axis=-1)

    def compute_output_shape(self, input_shape: tuple) -> tuple:
        """`(batch_size, 2 units)`."""
        return (input_shape[0], input_shape[2])


def _only(states: Any, chosen: Any) -> Any:
    """Returns the state at the chosen position of each text, 0 without one."""
    return weighted_sum(ops.cast(chosen, states.dtype), states)
