"""Stacked LSTMs in two independent directions."""

from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_positive
from keras_qa.initializers import uniform_initializers
from keras_qa.layers.base_layer import ConfiguredLayer
from keras_qa.layers.head_tail import HeadTail
from keras_qa.layers.lstm import LSTM
from keras_qa.layers.sequences import without_padding


@keras.saving.register_keras_serializable(package="keras_qa")
class BidirectionalStack(ConfiguredLayer):
    """Reads a text forwards and backwards with two independent stacks of LSTMs.

    With `x_t` the text's word vectors and `f_l`, `b_l` the states of the l-th
    layer of each direction,

        f_l(t) = LSTM(f_{l-1}(t), f_l(t-1))     f_0(t) = x_t
        b_l(t) = LSTM(b_{l-1}(t), b_l(t+1))     b_0(t) = x_t

    and the output is [f_L(t); b_L(t)] of the top layer L. Of stacked
    `keras.layers.Bidirectional` layers, the second reads the states of both
    directions, so that its forward state depends on later words. Here a layer
    reads the states of one direction only: `f_L(t)` can predict the next word
    and `b_L(t)` the previous one.

    States at padding are 0, and padding at any position changes nothing.

    Args:
        units: size of the state of each direction.
        layers: number of stacked LSTMs in each direction.
        dropout: share of each LSTM's inputs (word vectors, or states of the
            layer below) that are dropped in training.
        initializer_range: all weights and biases start uniform in (-range,
            range), as in the paper. `None` keeps the defaults of Keras: Glorot
            uniform and orthogonal kernels, and biases of 0, but 1 for the
            forget gates.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: float tensor `(batch_size, length, dim)`.
        mask: bool tensor `(batch_size, length)`, true at words; usually
            comes from `Embedding(mask_zero=True)`. Without one, all positions
            are words.
        training: whether dropout is active.

    Output:
        Float tensor `(batch_size, length, 2 units)`, with the mask of the
        inputs.

    Raises:
        ValueError: if an argument is out of range.

    Example:
        >>> words = keras.random.normal((2, 9, 8))
        >>> BidirectionalStack(3)(words).shape
        (2, 9, 6)

    Reference: Wu and Hao, "Cross-sentence Pre-trained model for Interactive
    QA matching", sections 2.1 and 3.1; Peters et al., 2018, "Deep
    contextualized word representations", section 3.1 (independent directions).
    """

    input_spec = keras.layers.InputSpec(ndim=3)
    not_kept = ("layers",)

    def __init__(
        self,
        units: int,
        layers: int = 2,
        dropout: float = 0.0,
        initializer_range: float | None = 0.05,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        check_positive(units=units, layers=layers)
        self.units = units
        # `Layer.layers` would be sub-layers for Keras.
        self.num_layers = layers
        self.dropout = dropout
        self.initializer_range = initializer_range
        self.supports_masking = True
        self.forward_layers = self._direction("forward")
        self.backward_layers = self._direction("backward", go_backwards=True)
        self.drops = [
            keras.layers.Dropout(
                dropout, dtype=self.dtype_policy, name=f"dropout_{i}"
            )
            for i in range(2 * layers)
        ]
        self.ends = HeadTail(dtype=self.dtype_policy, name="ends")

    def _direction(self, name: str, **arguments: Any) -> list[Any]:
        limit = self.initializer_range
        return [
            LSTM(
                self.units,
                return_sequences=True,
                unit_forget_bias=limit is None,
                **uniform_initializers(limit, "kernel", "recurrent", "bias"),
                **arguments,
                dtype=self.dtype_policy,
                name=f"{name}_{i}",
            )
            for i in range(self.num_layers)
        ]

    def build(self, input_shape: tuple) -> None:
        """Builds the LSTMs, bottom first."""
        for direction in (self.forward_layers, self.backward_layers):
            shape = tuple(input_shape)
            for lstm in direction:
                lstm.build(shape)
                shape = (*shape[:-1], self.units)
        self.ends.build((*shape[:-1], 2 * self.units))

    def call(
        self, inputs: Any, mask: Any = None, training: bool | None = None
    ) -> Any:
        """Reads the text in both directions."""
        forward = backward = inputs
        for lstm, drop in zip(
            self.forward_layers, self.drops[: self.num_layers], strict=True
        ):
            forward = lstm(
                drop(forward, training=training), mask=mask, training=training
            )
        for lstm, drop in zip(
            self.backward_layers, self.drops[self.num_layers :], strict=True
        ):
            states = lstm(
                drop(backward, training=training), mask=mask, training=training
            )
            # An LSTM that goes backwards returns the last position first.
            backward = ops.flip(states, axis=1)
        states = ops.concatenate([forward, backward], axis=-1)
        return without_padding(states, mask)

    def final(self, states: Any, mask: Any = None) -> Any:
        """Returns the final state of each direction.

        Args:
            states: the output of the layer, `(batch_size, length, 2 units)`.
            mask: bool tensor `(batch_size, length)` or None.

        Returns:
            Float tensor `(batch_size, 2 units)`: the forward state at the last
            word and the backward state at the first; 0 for a text without
            words (`HeadTail`).
        """
        return self.ends(states, mask=mask)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {**super().get_config(), "layers": self.num_layers}

    def compute_output_shape(self, input_shape: tuple) -> tuple:
        """`(batch_size, length, 2 units)`."""
        return (*input_shape[:-1], 2 * self.units)
