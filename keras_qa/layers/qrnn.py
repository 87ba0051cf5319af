"""The quasi-recurrent neural network."""

from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_choice
from keras_qa.layers.quasi_recurrent import QuasiRecurrent
from keras_qa.layers.recurrence import linear_recurrence
from keras_qa.layers.sequences import RealSteps
from keras_qa.layers.sequences import take_steps
from keras_qa.layers.sequences import time_major

GATES = {"f": 2, "fo": 3, "ifo": 4}
"""Number of convolutions of each kind of pooling, the candidate's too."""


@keras.saving.register_keras_serializable(package="keras_qa")
class QRNNLayer(QuasiRecurrent):
    """A recurrent layer whose gates come from a convolution.

    With `*` the causal convolution of width `kernel_size` over time,

        Z = tanh(W_z * X)   F = sigmoid(W_f * X)   O = sigmoid(W_o * X)

    and from them, elementwise,

        pooling="f"     c_t = f_t c_{t-1} + (1 - f_t) z_t    h_t = c_t
        pooling="fo"    c_t = f_t c_{t-1} + (1 - f_t) z_t    h_t = o_t c_t
        pooling="ifo"   c_t = f_t c_{t-1} + i_t z_t          h_t = o_t c_t

    where "ifo" has a third gate `I = sigmoid(W_i * X)`. Only these elementwise
    operations are sequential.

    A padded step keeps the state, and the convolution skips it, so that padding
    does not change the outputs of other steps. Under mixed precision the
    recurrence runs in float32, and outputs and states are returned in half
    precision, so that a state passed from chunk to chunk is rounded each time.

    Args:
        units: size of the states (the paper's d).
        kernel_size: width of the convolution (the paper's k).
        pooling: `"fo"` (the paper), `"f"` or `"ifo"`.
        return_sequences: whether to return the output of each step instead of
            the output of the last step.
        return_state: whether to return the final state too.
        go_backwards: whether to read the sequence from its end. Outputs are
            in the order of reading, as those of Keras's recurrent layers.
        **kwargs: the arguments of `QuasiRecurrent`: activations, bias,
            zoneout, dropout, initialisers, regularisers and constraints.

    Call arguments:
        sequences: float tensor `(batch_size, length, input_dim)`.
        initial_state: the state that `return_state` gave for the preceding
            part of the sequence; the outputs are then those of one long
            sequence. A list of the cell `(batch_size, units)` and, if
            `kernel_size` is above 1, the window `(batch_size, kernel_size - 1,
            input_dim)`, the last inputs that were no padding. 0 by default.
        mask: bool tensor `(batch_size, length)`, false on padding.
        training: whether dropout and zoneout are active.

    Output:
        Float tensor `(batch_size, units)`, the output of the last step that is
        no padding (0 without such a step); with `return_sequences`,
        `(batch_size, length, units)`, 0 on padding. With `return_state`, a
        tuple of the output and the tensors of the state.

    Raises:
        ValueError: if an argument is out of range, or the initial state has
            the wrong number of tensors.

    Example:
        >>> layer = QRNNLayer(16, return_sequences=True)
        >>> layer(np.ones((2, 5, 8), "float32")).shape
        (2, 5, 16)

    Reference: Bradbury et al., 2016, "Quasi-Recurrent Neural Networks",
    section 2; Tay et al., 2018, "Cross Temporal Recurrent Networks for Ranking
    Question Answer Pairs", equation 1 and the two after it.
    """

    input_spec = keras.layers.InputSpec(ndim=3)
    # Attributes that `keras.layers.Bidirectional` reads.
    stateful = False
    states = None

    def __init__(
        self,
        units: int,
        kernel_size: int = 2,
        pooling: str = "fo",
        *,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        **kwargs: Any,
    ):
        super().__init__(units, kernel_size, **kwargs)
        check_choice("pooling", pooling, tuple(GATES))
        self.pooling = pooling
        self.gates = GATES[pooling]
        self.return_sequences = return_sequences
        self.return_state = return_state
        self.go_backwards = go_backwards

    def build(
        self, sequences_shape: tuple, initial_state_shape: Any = None
    ) -> None:
        """Creates the weights."""
        self.add_gate_weights(sequences_shape[-1])

    def call(
        self,
        sequences: Any,
        initial_state: Sequence[Any] | None = None,
        mask: Any | None = None,
        training: bool | None = None,
    ) -> Any:
        """Computes the gates and runs the recurrence."""
        if self.go_backwards:
            sequences = ops.flip(sequences, axis=1)
            mask = None if mask is None else ops.flip(mask, axis=1)
        cell, window = self._unpack(initial_state)
        mask = None if mask is None else time_major(mask)
        steps = None if mask is None else RealSteps(mask)
        inputs = self.with_window(
            self.prepare(sequences, mask, training), window
        )
        gates = self.convolve(inputs, steps, training)
        cells, outputs = self._pool(gates, cell, mask)
        if self.return_sequences:
            output = time_major(outputs)
        else:
            output = _last(outputs, steps)
        if not self.return_state:
            return output
        state = [cells[-1]]
        if self.kernel_size > 1:
            state.append(time_major(self._last_window(inputs, steps)))
        return output, *state

    def _unpack(
        self, state: Sequence[Any] | None
    ) -> tuple[Any | None, Any | None]:
        """Returns the cell and the window of a state."""
        if state is None:
            return None, None
        state = list(state)
        expected = min(self.kernel_size, 2)
        if len(state) != expected:
            raise ValueError(
                f"`initial_state` must be a list of {expected} tensors, the "
                "cell and, with a `kernel_size` above 1, the window. "
                f"Received: {len(state)} tensors"
            )
        return state[0], state[1] if expected == 2 else None

    def _pool(
        self, gates: list[Any], cell: Any | None, mask: Any | None
    ) -> tuple[Any, Any]:
        """Computes the states and outputs of all steps."""
        z, f, *others = gates
        if mask is not None:
            mask = ops.expand_dims(mask, -1)
            f = ops.where(mask, f, 1.0)
        kept = others[1] if self.pooling == "ifo" else 1 - f
        if mask is not None:
            kept = ops.where(mask, kept, 0.0)
        cells = linear_recurrence(f, kept * z, cell, time_major=True)
        outputs = cells if self.pooling == "f" else others[0] * cells
        if mask is not None:
            outputs = ops.where(mask, outputs, 0.0)
        return cells, outputs

    def _last_window(self, inputs: Any, steps: RealSteps | None) -> Any:
        """Returns the inputs that the kernel reads with the next step."""
        window = self.kernel_size - 1
        if steps is None:
            return inputs[-window:]
        places = [
            steps.places_before(steps.counts, offset, window)
            for offset in range(window, 0, -1)
        ]
        return take_steps(inputs, ops.concatenate(places, axis=0))

    def compute_mask(self, inputs: Any, mask: Any | None = None) -> Any:
        """The mask of the output, in the order of the output."""
        mask = keras.tree.flatten(mask)[0] if mask is not None else None
        if not self.return_sequences:
            mask = None
        elif mask is not None and self.go_backwards:
            mask = ops.flip(mask, axis=1)
        if not self.return_state:
            return mask
        return [mask, *[None] * min(self.kernel_size, 2)]

    def compute_output_shape(
        self, sequences_shape: tuple, initial_state_shape: Any = None
    ) -> Any:
        """Returns the shape of the output, and of the state if returned."""
        batch_size, length, input_dim = sequences_shape
        output: tuple = (batch_size, self.units)
        if self.return_sequences:
            output = (batch_size, length, self.units)
        if not self.return_state:
            return output
        state: list[tuple] = [(batch_size, self.units)]
        if self.kernel_size > 1:
            state.append((batch_size, self.kernel_size - 1, input_dim))
        return output, *state


def _last(outputs: Any, steps: RealSteps | None) -> Any:
    """Returns the output of the last step of each text that is no padding."""
    if steps is None:
        return outputs[-1]
    # In a text without words the output of every step is 0.
    last = ops.maximum(steps.counts - 1, 0)
    places = ops.take_along_axis(steps.places, last, axis=0)
    return take_steps(outputs, places)[0]
