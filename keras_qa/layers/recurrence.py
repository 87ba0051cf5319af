"""Elementwise linear recurrences, the only sequential part of a QRNN.

On every backend the recurrence is a scan over the time steps with a custom
gradient, which is a scan too. Without automatic differentiation of the loop,
TensorFlow can compile it with XLA, and no intermediate values are stored.
"""

from typing import Any

import keras
from keras import ops


def linear_recurrence(
    decay: Any,
    inputs: Any,
    initial: Any | None = None,
    time_major: bool = False,
) -> Any:
    """Computes `c_t = decay_t * c_{t-1} + inputs_t` along the axis of time.

    With `g_t` the total gradient of `c_t`, from its output and from `c_{t+1}`,
    the gradients are

        g_t = dL/dc_t + decay_{t+1} * g_{t+1}
        dL/dinputs_t = g_t    dL/ddecay_t = g_t * c_{t-1}

    Args:
        decay: float tensor `(batch_size, length, units)`.
        inputs: float tensor of the same shape and dtype.
        initial: float tensor `(batch_size, units)`, the state before the first
            step; 0 if `None`.
        time_major: whether `decay`, `inputs` and the states are `(length,
            batch_size, units)`, which saves transposing them.

    Returns:
        The states, a float tensor `(batch_size, length, units)` of the same
        dtype. Half precision is computed in float32, so that a state does not
        lose small inputs over many steps.
    """
    if not time_major:
        states = linear_recurrence(
            _transposed(decay), _transposed(inputs), initial, time_major=True
        )
        return _transposed(states)
    dtype = inputs.dtype
    if keras.backend.standardize_dtype(dtype) in ("float16", "bfloat16"):
        decay, inputs = ops.cast(decay, "float32"), ops.cast(inputs, "float32")
    if initial is None:
        initial = ops.zeros(ops.shape(inputs)[1:], inputs.dtype)
    initial = ops.cast(initial, inputs.dtype)
    return ops.cast(_states(decay, inputs, initial), dtype)


@ops.custom_gradient
def _states(decay: Any, inputs: Any, initial: Any) -> Any:
    def step(c: Any, t: Any) -> tuple[Any, Any]:
        c = decay[t] * c + inputs[t]
        return c, c

    _, states = _scan(step, initial, inputs)

    def gradient(*positional: Any, **named: Any) -> tuple[Any, Any, Any]:
        # On PyTorch, Keras passes the gradient of the output by name.
        upstream = named["upstream"] if named else positional[0]

        def step_back(carried: Any, t: Any) -> tuple[Any, Any]:
            g = upstream[t] + carried
            return decay[t] * g, g

        to_initial, g = _scan(
            step_back, ops.zeros_like(initial), inputs, reverse=True
        )
        previous = ops.concatenate([initial[None], states[:-1]], axis=0)
        return g * previous, g, to_initial

    return states, gradient


def _scan(
    step: Any, initial: Any, inputs: Any, reverse: bool = False
) -> tuple[Any, Any]:
    """Scans over the indices of the steps.

    On TensorFlow a scan over tensors of unknown length takes only one tensor,
    so `step` gets the index and reads its tensors itself.
    """
    if inputs.shape[0] == 0:
        return initial, inputs
    steps = ops.arange(ops.shape(inputs)[0], dtype="int32")
    return ops.scan(step, initial, steps, reverse=reverse)


def _transposed(x: Any) -> Any:
    return ops.transpose(x, (1, 0, 2))
