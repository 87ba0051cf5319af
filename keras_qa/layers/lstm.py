"""An LSTM that reads texts without words on a GPU, too."""

from typing import Any

import keras
from keras import ops


@keras.saving.register_keras_serializable(package="keras_qa")
class LSTM(keras.layers.LSTM):
    """`keras.layers.LSTM`, for batches in which a text may have no words.

    TensorFlow's implementation for GPUs, cuDNN's, refuses a batch with a row
    that the mask leaves out as a whole, such as one that fills a batch up.
    This layer lets it read the first position of such a row, and returns what
    Keras does elsewhere: zeros, and the states as they were. All arguments are
    those of Keras's layer, and so is the name of the class, by which the files
    of models find their weights.
    """

    def inner_loop(
        self,
        sequences: Any,
        initial_state: Any,
        mask: Any,
        training: Any = False,
    ) -> tuple:
        """Reads the positions, of an empty text the first one in vain."""
        mask = mask[0] if keras.tree.is_nested(mask) else mask
        own = keras.backend.backend() == "tensorflow" and self.use_cudnn
        if mask is None or not own:
            return super().inner_loop(sequences, initial_state, mask, training)
        read = ops.any(mask, axis=1, keepdims=True)
        first = ops.arange(ops.shape(mask)[1])[None] == 0
        filled = ops.logical_or(mask, ops.logical_and(~read, first))
        last, outputs, states = super().inner_loop(
            sequences, initial_state, filled, training
        )
        last = ops.where(read, last, ops.zeros_like(last))
        if self.return_sequences:
            rows = read[:, None]
            outputs = ops.where(rows, outputs, ops.zeros_like(outputs))
        pairs = zip(states, initial_state, strict=True)
        return last, outputs, [ops.where(read, new, old) for new, old in pairs]
