"""Elementwise linear recurrences, the only sequential part of a QRNN.

One form for every backend and mode: a scan in time-major order, whose backward
pass is another such scan. Nothing is differentiated through the loop, so that
TensorFlow can compile it with XLA, and autodiff keeps no state of each step.
"""

from typing import Any

import keras
from keras import ops


def linear_recurrence(
    decay: Any, inputs: Any, initial: Any | None = None
) -> Any:
    """Computes `c_t = decay_t * c_{t-1} + inputs_t` along axis 1.

    With `g_t` the gradient that reaches `c_t` from its own output and from
    `c_{t+1}`, the gradients are

        g_t = dL/dc_t + decay_{t+1} * g_{t+1}
        dL/dinputs_t = g_t    dL/ddecay_t = g_t * c_{t-1}

    Args:
        decay: float tensor `(batch_size, length, units)`.
        inputs: float tensor of the same shape and dtype.
        initial: float tensor `(batch_size, units)`, the state before the first
            step; 0 if `None`.

    Returns:
        Float tensor `(batch_size, length, units)` of the same dtype, the
        states. Half precision is computed in float32, in which a state does
        not lose what it gathers over many steps.
    """
    dtype = inputs.dtype
    if keras.backend.standardize_dtype(dtype) in ("float16", "bfloat16"):
        decay, inputs = ops.cast(decay, "float32"), ops.cast(inputs, "float32")
    if initial is None:
        initial = _zero_state(inputs)

    @ops.custom_gradient
    def states(decay: Any, inputs: Any, initial: Any) -> Any:
        c = _scan(decay, inputs, initial)

        def gradient(*upstream: Any, **named: Any) -> tuple[Any, Any, Any]:
            g = _gradient_scan(decay, _upstream(upstream, named))
            # A sum over one step, or over none of an empty sequence.
            to_initial = ops.sum(decay[:, :1] * g[:, :1], axis=1)
            return g * _previous(c, initial), g, to_initial

        return c, gradient

    initial = ops.cast(initial, inputs.dtype)
    return ops.cast(states(decay, inputs, initial), dtype)


def _scan(decay: Any, inputs: Any, initial: Any, reverse: bool = False) -> Any:
    """The recurrence over the time steps, or from the last one backwards."""
    if decay.shape[1] == 0:
        return inputs
    # As one array: TensorFlow's scan takes several of unknown length ill.
    both = ops.transpose(ops.concatenate([decay, inputs], axis=-1), (1, 0, 2))

    def step(state: Any, both_t: Any) -> tuple[Any, Any]:
        decay_t, inputs_t = ops.split(both_t, 2, axis=-1)
        state = decay_t * state + inputs_t
        return state, state

    _, states = ops.scan(step, initial, both, reverse=reverse)
    return ops.transpose(states, (1, 0, 2))


def _gradient_scan(decay: Any, upstream: Any) -> Any:
    """`g_t = upstream_t + decay_{t+1} * g_{t+1}`."""
    following = ops.concatenate(
        [decay[:, 1:], ops.zeros_like(decay[:, :1])], axis=1
    )
    return _scan(following, upstream, _zero_state(upstream), reverse=True)


def _zero_state(inputs: Any) -> Any:
    batch_size, _, units = ops.shape(inputs)
    return ops.zeros((batch_size, units), inputs.dtype)


def _previous(states: Any, initial: Any) -> Any:
    """The state before each step."""
    return ops.concatenate(
        [ops.expand_dims(initial, 1), states[:, :-1]], axis=1
    )


def _upstream(positional: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """The gradient of the output; PyTorch's backend passes it by name."""
    return named["upstream"] if named else positional[0]
