"""CrossTemporalLayer's gradients and precision, in every way to run it."""

import keras
import numpy as np
import pytest
from keras import ops

from support.layer_checks import MODES
from support.layer_checks import QUICKEST
from support.layer_checks import functional_call
from support.layer_checks import gradients
from support.layer_checks import quick_call
from support.layer_checks import run
from support.qrnn_reference import cross_temporal
from support.qrnn_reference import finite_differences
from support.recurrent_checks import CROSSED
from support.recurrent_checks import UNITS
from support.recurrent_checks import M
from support.recurrent_checks import close
from support.recurrent_checks import crossed_layer
from support.recurrent_checks import normal
from support.recurrent_checks import pad
from support.recurrent_checks import pairs_of_texts
from support.recurrent_checks import sum_of_both


@pytest.mark.parametrize(
    "alignment, mode",
    [("lengths", mode) for mode in MODES] + [("padded", MODES[-1])],
)
def test_every_way_to_run_it(alignment, mode):
    """With `mode="graph"` batch size and lengths are unknown while tracing."""
    layer, weights = crossed_layer(alignment=alignment)
    pair = [normal(2, 6, M), normal(2, 4, M, seed=1)]
    joint = run(lambda q, a: layer([q, a]), *pair, mode=mode)
    for row in range(2):
        expected = cross_temporal(pair[0][row], pair[1][row], *weights)
        for found, value in zip(joint, expected, strict=True):
            close(found[row], value)


@pytest.mark.parametrize(
    "crossed_input, mode",
    [("own", mode) for mode in MODES if mode in (QUICKEST, "graph", "xla")]
    + [("partner", QUICKEST)],
)
def test_gradients(crossed_input, mode):
    layer, (kernel,) = crossed_layer(crossed_input=crossed_input)
    question_lengths, answer_lengths = [2, 3, 1], [4, 2, 1]
    questions, answers = pairs_of_texts(question_lengths, answer_lengths)
    (q, q_mask), (a, a_mask) = pad(questions, 3), pad(answers, 4)
    weights = normal(3, 3, UNITS, seed=5), normal(3, 4, UNITS, seed=6)

    def number(q, a, kernel):
        total = 0.0
        for row, lengths in enumerate(
            zip(question_lengths, answer_lengths, strict=True)
        ):
            joint = cross_temporal(
                q[row, : lengths[0]],
                a[row, : lengths[1]],
                kernel,
                None,
                crossed_input,
            )
            for states, weight in zip(joint, weights, strict=True):
                total += (states * weight[row, : len(states)]).sum()
        return total

    def weighted(q, a, flat_kernel):
        joint = functional_call(
            layer,
            [ops.reshape(flat_kernel, kernel.shape)],
            [q, a],
            mask=[ops.convert_to_tensor(q_mask), ops.convert_to_tensor(a_mask)],
        )
        return sum_of_both(joint, weights)

    found = gradients(
        weighted,
        q,
        a,
        kernel.reshape(-1, kernel.shape[2]).astype("float32"),
        mode=mode,
    )
    q, a = q.astype("float64"), a.astype("float64")
    expected = [
        finite_differences(lambda x: number(x, a, kernel), q),
        finite_differences(lambda x: number(q, x, kernel), a),
        finite_differences(lambda k: number(q, a, k), kernel),
    ]
    for gradient, value in zip(found, expected, strict=True):
        np.testing.assert_allclose(
            gradient, value.reshape(gradient.shape), rtol=1e-3, atol=1e-5
        )


@pytest.mark.parametrize("crossed_input", CROSSED)
def test_gradients_with_padded_alignment(crossed_input):
    layer, (kernel,) = crossed_layer(
        crossed_input=crossed_input, alignment="padded", kernel_size=3
    )
    q, a = normal(1, 5, M), normal(1, 3, M, seed=1)
    weights = normal(1, 5, UNITS, seed=5), normal(1, 3, UNITS, seed=6)

    def number(q, a):
        joint = cross_temporal(q[0], a[0], kernel, None, crossed_input)
        return sum(
            (states * weight[0]).sum()
            for states, weight in zip(joint, weights, strict=True)
        )

    found = gradients(
        lambda q, a: sum_of_both(layer([q, a]), weights),
        q,
        a,
        mode=QUICKEST,
    )
    q, a = q.astype("float64"), a.astype("float64")
    expected = [
        finite_differences(lambda x: number(x, a), q),
        finite_differences(lambda x: number(q, x), a),
    ]
    for gradient, value in zip(found, expected, strict=True):
        np.testing.assert_allclose(gradient, value, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("policy", ["mixed_bfloat16", "mixed_float16"])
def test_mixed_precision_over_long_ragged_texts(policy):
    layer, weights = crossed_layer(dtype=policy)
    questions, answers = pairs_of_texts([20, 35], [200, 97])
    (q, q_mask), (a, a_mask) = pad(questions, 35), pad(answers, 200)
    joint = quick_call(layer, [q, a], mask=[q_mask, a_mask])
    for found in joint:
        assert keras.backend.standardize_dtype(found.dtype) == policy[6:]
    for row, pair in enumerate(zip(questions, answers, strict=True)):
        expected = cross_temporal(*pair, *weights)
        for found, value in zip(joint, expected, strict=True):
            close(found[row, : len(value)], value, 0.04)
