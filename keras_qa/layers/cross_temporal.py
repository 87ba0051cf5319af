"""Lightweight temporal crossing: a QRNN over two texts with crossed gates."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_choice
from keras_qa.layers.pair_layer import PairLayer
from keras_qa.layers.quasi_recurrent import QuasiRecurrent
from keras_qa.layers.recurrence import linear_recurrence
from keras_qa.layers.sequences import RealSteps
from keras_qa.layers.sequences import take_steps
from keras_qa.layers.sequences import time_major

CROSSED_INPUTS = ("own", "partner")
ALIGNMENTS = ("lengths", "padded")


@keras.saving.register_keras_serializable(package="keras_qa")
class CrossTemporalLayer(PairLayer, QuasiRecurrent):
    """Encodes two texts, each with its own gates and with those of the other.

    The same convolutions compute the candidates and gates `Z, F, O` of both
    texts, as in a QRNN. Each text s then has two recurrences, one with its own
    gates and one with those of its partner p, the other text,

        c_t = f^s_t c_{t-1} + (1 - f^s_t) z^s_t          h_t = o^s_t c_t
        c'_t = f^p_{t*} c'_{t-1} + (1 - f^p_{t*}) x_t    h'_t = o^p_{t*} c'_t

    and the layer returns `h_t h'_t`, elementwise, for both texts. Step t* of
    the partner corresponds to step t. With r the quotient of the longer and the
    shorter length, rounded up, step t of the shorter text reads step t r of the
    longer, and step t of the longer text reads step t / r, rounded down, of the
    shorter; both are limited to the last step.

    The product of two small states is tiny: give inputs a scale of about 1.
    Outputs at padding are 0. With `alignment="lengths"` padding does not change
    the outputs at words. The weights are those of one `QRNNLayer`.

    Args:
        units: size of the states (the paper's d).
        kernel_size: width of the convolution (the paper's k).
        crossed_input: the input x_t of the second recurrence: `"own"`, the
            text's z_t (the paper's text and figures), or `"partner"`, the
            partner's z_{t*} (the paper's equations).
        alignment: `"lengths"` computes r and the last steps from the lengths
            of the two texts, `"padded"` from those of the padded tensors, so
            that the score of a pair depends on its batch.
        **kwargs: the arguments of `QuasiRecurrent`: activations, bias,
            zoneout, dropout, initialisers, regularisers and constraints.

    Call arguments:
        inputs: list of two float tensors, the question `(batch_size,
            question_length, input_dim)` and the answer `(batch_size,
            answer_length, input_dim)`.
        mask: list of two bool tensors `(batch_size, length)`, false on
            padding; `None` for texts without padding.
        training: whether dropout and zoneout are active.

    Output:
        List of two float tensors, `(batch_size, question_length, units)` and
        `(batch_size, answer_length, units)`.

    Raises:
        ValueError: if an argument is out of range, or the inputs are not two
            sequences.

    Example:
        >>> layer = CrossTemporalLayer(16)
        >>> question = np.ones((2, 5, 8), "float32")
        >>> answer = np.ones((2, 9, 8), "float32")
        >>> [joint.shape for joint in layer([question, answer])]
        [(2, 5, 16), (2, 9, 16)]

    Reference: Tay et al., 2018, "Cross Temporal Recurrent Networks for Ranking
    Question Answer Pairs", "Lightweight Temporal Crossing (LTC)".
    """

    def __init__(
        self,
        units: int,
        kernel_size: int = 2,
        *,
        crossed_input: str = "own",
        alignment: str = "lengths",
        **kwargs: Any,
    ):
        super().__init__(units, kernel_size, **kwargs)
        check_choice("crossed_input", crossed_input, CROSSED_INPUTS)
        check_choice("alignment", alignment, ALIGNMENTS)
        self.crossed_input = crossed_input
        self.alignment = alignment

    def build(self, input_shape: Sequence[tuple]) -> None:
        """Creates the weights."""
        self.add_gate_weights(input_shape[0][-1])

    def call(
        self,
        inputs: Sequence[Any],
        mask: Sequence[Any] | None = None,
        training: bool | None = None,
    ) -> list[Any]:
        """Encodes the pair."""
        masks = [None, None] if mask is None else list(mask)
        question, answer = (
            self._side(x, None if m is None else time_major(m), training)
            for x, m in zip(inputs, masks, strict=True)
        )
        return [
            time_major(self._join(own, partner))
            for own, partner in ((question, answer), (answer, question))
        ]

    def _side(
        self, inputs: Any, mask: Any | None, training: bool | None
    ) -> "_Side":
        inputs = self.prepare(inputs, mask, training)
        length, batch_size, _ = ops.shape(inputs)
        steps = None
        if mask is not None and self.alignment == "lengths":
            steps = RealSteps(mask)
        gates = self.convolve(self.with_window(inputs, None), steps, training)
        if steps is None:
            # All steps count as words; padding is zero.
            steps = RealSteps(ops.ones((length, batch_size), "bool"))
        return _Side(gates, mask, steps)

    def _join(self, own: "_Side", partner: "_Side") -> Any:
        """Computes `h_t h'_t` of one text, `(length, batch_size, units)`."""
        z, f, o = own.gates
        partner_z, *partner_gates = partner.gates
        at = _aligned(own.steps, partner.steps)
        crossed_f, crossed_o = (take_steps(gate, at) for gate in partner_gates)
        crossed_z = z
        if self.crossed_input == "partner":
            crossed_z = take_steps(partner_z, at)
        states = o * self._states(f, z, own.mask)
        crossed = crossed_o * self._states(crossed_f, crossed_z, own.mask)
        joint = states * crossed
        if own.mask is None:
            return joint
        return ops.where(ops.expand_dims(own.mask, -1), joint, 0.0)

    def _states(self, f: Any, z: Any, mask: Any | None) -> Any:
        """Computes the cell states of one recurrence."""
        if mask is not None:
            f = ops.where(ops.expand_dims(mask, -1), f, 1.0)
        return linear_recurrence(f, (1 - f) * z, time_major=True)

    def compute_mask(self, inputs: Any, mask: Any | None = None) -> Any:
        """The masks of the two texts."""
        return [None, None] if mask is None else list(mask)

    def compute_output_shape(self, input_shape: Sequence[tuple]) -> list[tuple]:
        """Returns the shapes of the outputs of the two texts."""
        return [(*shape[:-1], self.units) for shape in input_shape]


@dataclasses.dataclass(frozen=True)
class _Side:
    """The candidate and gates `[z, f, o]` of one text, and its steps."""

    gates: list[Any]
    mask: Any | None
    steps: RealSteps


def _aligned(own: RealSteps, partner: RealSteps) -> Any:
    """The partner's step t* for each step t, `(length, batch_size)`."""
    # A text without words counts as one step.
    length = ops.maximum(own.counts, 1)
    partner_length = ops.maximum(partner.counts, 1)
    longer = ops.maximum(length, partner_length)
    shorter = ops.minimum(length, partner_length)
    ratio = (longer + shorter - 1) // shorter
    step = ops.where(
        length <= partner_length, own.ranks * ratio, own.ranks // ratio
    )
    step = ops.minimum(step, partner_length - 1)
    return ops.take_along_axis(partner.places, step, axis=0)
