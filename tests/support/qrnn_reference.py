"""QRNN and CTRN as loops, written from the printed equations.

One example and one time step at a time, in float64, without code of the
library: Tay et al., 2018, "Cross Temporal Recurrent Networks for Ranking
Question Answer Pairs", equation 1, the recurrence below it and the equations of
the CTRN-Q and CTRN-A cells.
"""

import math

import numpy as np

GATES = {"f": "zf", "fo": "zfo", "ifo": "zfoi"}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def gates_of_window(window, kernel, bias=None, pooling="fo", zoneout=0.0):
    """Eq. 1 at one time step.

    Args:
        window: the last `kernel_size` inputs, the newest last.
        kernel: `(kernel_size, m, gates * units)`.
        bias: `(gates * units,)` or None.
        pooling: "f", "fo" or "ifo".
        zoneout: the probability that a forget gate is 1, taken in expectation.

    Returns:
        Dict of "z", "f" and, with the pooling, "o" and "i", each `(units,)`.
    """
    names = GATES[pooling]
    units = kernel.shape[2] // len(names)
    total = np.zeros(kernel.shape[2]) if bias is None else bias
    for x, weights in zip(window, kernel, strict=True):
        total = total + x @ weights
    values = {
        name: (np.tanh if name == "z" else sigmoid)(
            total[number * units : (number + 1) * units]
        )
        for number, name in enumerate(names)
    }
    values["f"] = zoneout + (1 - zoneout) * values["f"]
    return values


def qrnn(
    sequence,
    kernel,
    bias=None,
    pooling="fo",
    zoneout=0.0,
    mask=None,
    state=None,
):
    """The QRNN over one text, without its masked steps.

    Args:
        sequence: `(length, m)`.
        mask: `(length,)`, true at words; None for words only.
        state: the initial `(cell, window)`, `(units,)` and
            `(kernel_size - 1, m)`; None for zeros.

    Returns:
        `(outputs, last, (cell, window))`: `(length, units)` with zeros at
        masked steps, the output of the last word, the final state.
    """
    kernel_size, m, width = kernel.shape
    units = width // len(GATES[pooling])
    if state is None:
        state = np.zeros(units), np.zeros((kernel_size - 1, m))
    cell, window = state[0], [*state[1]]
    outputs, last = np.zeros((len(sequence), units)), np.zeros(units)
    for t, x in enumerate(sequence):
        if mask is not None and not mask[t]:
            continue
        window = [*window, x]
        gates = gates_of_window(window, kernel, bias, pooling, zoneout)
        window = window[1:]
        entering = gates["i"] if "i" in gates else 1 - gates["f"]
        cell = gates["f"] * cell + entering * gates["z"]
        last = outputs[t] = gates["o"] * cell if "o" in gates else cell
    return outputs, last, (cell, np.array(window).reshape(kernel_size - 1, m))


def qrnn_batch(sequences, kernel, bias=None, mask=None, state=None, **kwargs):
    """`qrnn` for each text of a batch, the results stacked."""
    outputs, lasts, cells, windows = [], [], [], []
    for row, sequence in enumerate(sequences):
        output, last, (cell, window) = qrnn(
            sequence,
            kernel,
            bias,
            mask=None if mask is None else mask[row],
            state=None if state is None else (state[0][row], state[1][row]),
            **kwargs,
        )
        outputs.append(output)
        lasts.append(last)
        cells.append(cell)
        windows.append(window)
    return (
        np.array(outputs),
        np.array(lasts),
        (np.array(cells), np.array(windows)),
    )


def aligned_step(t, own, partner):
    """The partner's step t* for step t of a text, all counted from 0.

    Args:
        t: a step of the text, below `own`.
        own: the text's number of steps.
        partner: the partner's number of steps, at least 1.
    """
    ratio = math.ceil(max(own, partner) / min(own, partner))
    step = t * ratio if own <= partner else t // ratio
    return min(step, partner - 1)


def all_gates(sequence, kernel, bias=None, zoneout=0.0):
    """Eq. 1 at every step of a text: a list of dicts of gates."""
    window = [np.zeros(kernel.shape[1])] * len(kernel)
    steps = []
    for x in sequence:
        window = [*window[1:], x]
        steps.append(gates_of_window(window, kernel, bias, "fo", zoneout))
    return steps


def cross_temporal_cell(own, partner, crossed_input="own"):
    """The joint states of one text, from the gates of both at every step."""
    units = len(own[0]["z"]) if own else 0
    cell, crossed_cell = np.zeros(units), np.zeros(units)
    joint = []
    for t, gates in enumerate(own):
        other = partner[aligned_step(t, len(own), len(partner))]
        z = gates["z"] if crossed_input == "own" else other["z"]
        cell = gates["f"] * cell + (1 - gates["f"]) * gates["z"]
        hidden = gates["o"] * cell
        crossed_cell = other["f"] * crossed_cell + (1 - other["f"]) * z
        crossed_hidden = other["o"] * crossed_cell
        joint.append(hidden * crossed_hidden)
    return np.array(joint).reshape(len(own), units)


def cross_temporal(
    question, answer, kernel, bias=None, crossed_input="own", zoneout=0.0
):
    """CTRN-Q and CTRN-A for one pair of texts without padding."""
    q = all_gates(question, kernel, bias, zoneout)
    a = all_gates(answer, kernel, bias, zoneout)
    return (
        cross_temporal_cell(q, a, crossed_input),
        cross_temporal_cell(a, q, crossed_input),
    )


def finite_differences(function, array, step=1e-6):
    """The gradient of a scalar function at a float64 array."""
    array = np.array(array, "float64")
    gradient = np.zeros_like(array)
    for index in np.ndindex(array.shape):
        above, below = array.copy(), array.copy()
        above[index] += step
        below[index] -= step
        gradient[index] = (function(above) - function(below)) / (2 * step)
    return gradient
