"""CrossTemporalLayer: the alignment, and the CTRN cells as a loop."""

import numpy as np
import pytest

from keras_qa.layers import QRNNLayer
from support.layer_checks import MODES
from support.layer_checks import QUICKEST
from support.layer_checks import quick_call
from support.layer_checks import run
from support.qrnn_reference import aligned_step
from support.qrnn_reference import cross_temporal
from support.recurrent_checks import ANSWER_LENGTHS
from support.recurrent_checks import CROSSED
from support.recurrent_checks import FAR
from support.recurrent_checks import QUESTION_LENGTHS
from support.recurrent_checks import UNITS
from support.recurrent_checks import M
from support.recurrent_checks import close
from support.recurrent_checks import crossed_layer
from support.recurrent_checks import normal
from support.recurrent_checks import pad
from support.recurrent_checks import pairs_of_texts
from support.recurrent_checks import ragged_batch
from support.recurrent_checks import to_numpy

# The alignment.


@pytest.mark.once
def test_the_alignment_of_the_loop_by_hand():
    # 3 steps against 7: r = 3, 7 steps against 3 read each step 3 times.
    assert [aligned_step(t, 3, 7) for t in range(3)] == [0, 3, 6]
    assert [aligned_step(t, 7, 3) for t in range(7)] == [0, 0, 0, 1, 1, 1, 2]
    # r = 2: 3 * 2 would be out of range, and so would floor(6 / 2).
    assert [aligned_step(t, 4, 5) for t in range(4)] == [0, 2, 4, 4]
    assert [aligned_step(t, 7, 4) for t in range(7)] == [0, 0, 1, 1, 2, 2, 3]
    assert [aligned_step(t, 5, 5) for t in range(5)] == [0, 1, 2, 3, 4]
    assert [aligned_step(t, 1, 4) for t in range(1)] == [0]
    assert [aligned_step(t, 4, 1) for t in range(4)] == [0, 0, 0, 0]


def _revealing_layer(alignment):
    """A layer whose states tell which step of the partner was read.

    Without forgetting, z = 1 and o = sigmoid(word), the joint state of step t
    is sigmoid(word_t) sigmoid(partner's word_t*).
    """
    layer, _ = crossed_layer(
        m=1,
        units=1,
        kernel_size=1,
        alignment=alignment,
        activation="linear",
        use_bias=True,
    )
    layer.kernel.assign([[[0.0, 0.0, 1.0]]])
    layer.bias.assign([1.0, -FAR, 0.0])
    return layer


def _steps_read(joint, own, partner):
    """The partner's steps, from words (0, 1, 2, ...) / 4 - 1 on both sides."""

    def output_gate(steps):
        return 1 / (1 + np.exp(1 - np.arange(steps) / 4))

    gate = joint / output_gate(own)
    return np.abs(gate[:, None] - output_gate(partner)).argmin(axis=1)


def _brute_force_steps(own, partner):
    """The partner's steps: count until it is found, no division."""
    short, long = min(own, partner), max(own, partner)
    ratio = 1
    while ratio * short < long:
        ratio += 1
    if own <= partner:
        return [min(t * ratio, partner - 1) for t in range(own)]
    repeated = [step for step in range(partner) for _ in range(ratio)]
    return (repeated + [partner - 1] * own)[:own]


@pytest.mark.once
def test_alignment_of_all_lengths_to_12():
    layer = _revealing_layer("lengths")
    pairs = [(q, a) for q in range(1, 13) for a in range(1, 13)]
    words = np.broadcast_to(
        np.arange(12, dtype="float32")[:, None] / 4 - 1, (144, 12, 1)
    )
    masks = [
        np.arange(12) < np.array(pairs)[:, side, None] for side in range(2)
    ]
    joint = [
        to_numpy(j)[..., 0]
        for j in quick_call(layer, [words, words], mask=masks)
    ]
    for row, (q, a) in enumerate(pairs):
        for states, own, partner in [(joint[0], q, a), (joint[1], a, q)]:
            assert list(_steps_read(states[row, :own], own, partner)) == (
                _brute_force_steps(own, partner)
            ), (own, partner)
            np.testing.assert_array_equal(states[row, own:], 0)


@pytest.mark.once
@pytest.mark.parametrize(
    "alignment, own, partner",
    [("lengths", 3, 7), ("padded", 3, 7), ("padded", 12, 5), ("padded", 4, 4)],
)
def test_alignment_of_the_shapes_without_a_mask(alignment, own, partner):
    layer = _revealing_layer(alignment)
    words = [
        np.arange(n, dtype="float32")[None, :, None] / 4 - 1
        for n in (own, partner)
    ]
    joint = to_numpy(quick_call(layer, words)[0])[0, :, 0]
    assert list(_steps_read(joint, own, partner)) == _brute_force_steps(
        own, partner
    )


def test_padded_alignment_takes_the_padded_lengths():
    layer = _revealing_layer("padded")
    words = [
        np.arange(n, dtype="float32")[None, :, None] / 4 - 1 for n in (3, 7)
    ]
    masks = [np.ones((1, 3), bool), np.arange(7)[None] < 4]
    joint = to_numpy(quick_call(layer, words, mask=masks)[1])[0, :, 0]
    # By the true lengths, 4 against 3, it would be 0 0 1 1.
    assert list(_steps_read(joint[:4], 4, 3)) == [0, 0, 0, 1]
    np.testing.assert_array_equal(joint[4:], 0)


# The equations.


@pytest.mark.parametrize(
    "alignment, crossed_input, kernel_size, lengths",
    [
        ("lengths", "own", 2, (6, 2)),
        ("lengths", "partner", 1, (3, 7)),
        ("padded", "own", 3, (3, 7)),
        ("padded", "partner", 2, (6, 2)),
    ],
)
def test_equations(alignment, crossed_input, kernel_size, lengths):
    layer, weights = crossed_layer(
        kernel_size=kernel_size,
        crossed_input=crossed_input,
        alignment=alignment,
        use_bias=True,
    )
    # Without padding both alignments are the same.
    pairs = [normal(2, n, M, seed=n + side) for side, n in enumerate(lengths)]
    joint = quick_call(layer, pairs)
    for row in range(2):
        expected = cross_temporal(
            pairs[0][row], pairs[1][row], *weights, crossed_input=crossed_input
        )
        for found, value in zip(joint, expected, strict=True):
            close(found[row], value)


@pytest.mark.parametrize(
    "crossed_input, kernel_size, use_bias",
    [
        ("own", 1, True),
        ("own", 2, False),
        ("partner", 2, False),
        ("partner", 3, True),
    ],
)
def test_equations_of_ragged_texts(crossed_input, kernel_size, use_bias):
    layer, weights = crossed_layer(
        kernel_size=kernel_size, crossed_input=crossed_input, use_bias=use_bias
    )
    questions, answers, inputs, masks = ragged_batch()
    joint = [to_numpy(j) for j in quick_call(layer, inputs, mask=masks)]
    for row, pair in enumerate(zip(questions, answers, strict=True)):
        expected = cross_temporal(*pair, *weights, crossed_input=crossed_input)
        for found, value in zip(joint, expected, strict=True):
            close(found[row, : len(value)], value)
            np.testing.assert_array_equal(found[row, len(value) :], 0)


@pytest.mark.once
@pytest.mark.parametrize("crossed_input", CROSSED)
def test_equal_texts_give_the_square_of_the_qrnn(crossed_input):
    layer, _ = crossed_layer(crossed_input=crossed_input)
    plain = QRNNLayer(UNITS, return_sequences=True)
    plain.build((None, None, M))
    plain.set_weights(layer.get_weights())
    text = normal(2, 6, M)
    for joint in quick_call(layer, [text, text]):
        close(joint, to_numpy(quick_call(plain, text)) ** 2)


@pytest.mark.once
@pytest.mark.parametrize("crossed_input", CROSSED)
def test_the_partner_has_influence(crossed_input):
    layer, _ = crossed_layer(crossed_input=crossed_input)
    question, answer = normal(1, 4, M), normal(1, 4, M, seed=1)
    answers = np.concatenate([answer, answer + 1])
    joint, _ = quick_call(layer, [question.repeat(2, axis=0), answers])
    assert (np.abs(to_numpy(joint)[0] - to_numpy(joint)[1]) > 1e-5).all()


@pytest.mark.once
@pytest.mark.parametrize(
    "crossed_input, alignment, mode",
    [
        *(("own", "lengths", mode) for mode in sorted({QUICKEST, MODES[-1]})),
        ("partner", "padded", QUICKEST),
    ],
)
def test_swapped_inputs_swap_the_outputs_exactly(
    crossed_input, alignment, mode
):
    layer, _ = crossed_layer(
        m=30, units=24, alignment=alignment, crossed_input=crossed_input
    )
    questions, answers = pairs_of_texts(QUESTION_LENGTHS, ANSWER_LENGTHS, m=30)
    (q, q_mask), (a, a_mask) = pad(questions, 5), pad(answers, 7)

    def joint(q, a, q_mask, a_mask):
        return layer([q, a], mask=[q_mask[..., 0] > 0, a_mask[..., 0] > 0])

    q_mask, a_mask = (
        mask[..., None].astype("float32") for mask in (q_mask, a_mask)
    )
    forward = run(joint, q, a, q_mask, a_mask, mode=mode)
    swapped = run(joint, a, q, a_mask, q_mask, mode=mode)
    np.testing.assert_array_equal(swapped[0], forward[1])
    np.testing.assert_array_equal(swapped[1], forward[0])


@pytest.mark.parametrize(
    "added, crossed_input", [((3, 0), "own"), ((2, 9), "partner")]
)
def test_padding_on_either_text_changes_no_output(added, crossed_input):
    layer, _ = crossed_layer(
        kernel_size=3, use_bias=True, crossed_input=crossed_input
    )
    questions, answers, inputs, masks = ragged_batch()
    joint = quick_call(layer, inputs, mask=masks)
    (q, q_mask) = pad(questions, 5 + added[0], seed=18)
    (a, a_mask) = pad(answers, 7 + added[1], seed=19)
    padded = quick_call(layer, [q, a], mask=[q_mask, a_mask])
    for found, value, length in zip(padded, joint, (5, 7), strict=True):
        close(found[:, :length], to_numpy(value), 1e-6)
        np.testing.assert_array_equal(to_numpy(found)[:, length:], 0)


# Chance.


@pytest.mark.parametrize("crossed_input", CROSSED)
def test_zoneout_at_inference_is_the_expected_gate(crossed_input):
    layer, weights = crossed_layer(zoneout=0.4, crossed_input=crossed_input)
    pair = [normal(1, 3, M), normal(1, 5, M, seed=1)]
    expected = cross_temporal(
        pair[0][0],
        pair[1][0],
        *weights,
        crossed_input=crossed_input,
        zoneout=0.4,
    )
    for found, value in zip(quick_call(layer, pair), expected, strict=True):
        close(found[0], value)


def test_the_partner_reads_the_very_gates_of_zoneout():
    # One word each, z the word, o = 1 and f = 1/2 or 1: the joint states are
    # (1 - F_q) (1 - F_a) word^2 on both sides.
    p = 0.3
    layer, _ = crossed_layer(
        m=M,
        units=M,
        kernel_size=1,
        activation="linear",
        use_bias=True,
        zoneout=p,
        seed=1,
    )
    kernel = np.concatenate([np.eye(M), np.zeros((M, 2 * M))], axis=1)
    layer.kernel.assign(kernel[None])
    layer.bias.assign(np.repeat([0.0, 0.0, FAR], M))
    ones = np.ones((500, 1, M), "float32")
    joint = [
        to_numpy(j) for j in quick_call(layer, [ones, 2 * ones], training=True)
    ]
    np.testing.assert_allclose(np.unique(joint[0]), [0, 0.25])
    np.testing.assert_allclose(joint[1], 4 * joint[0])
    # 2000 draws: a deviation of 0.011.
    assert abs((joint[0] > 0).mean() - (1 - p) ** 2) < 0.045


def test_dropout_falls_on_the_inputs():
    p = 0.25
    layer, _ = crossed_layer(
        m=M,
        units=M,
        kernel_size=1,
        activation="linear",
        use_bias=True,
        dropout=p,
        seed=1,
    )
    kernel = np.concatenate([np.eye(M), np.zeros((M, 2 * M))], axis=1)
    layer.kernel.assign(kernel[None])
    layer.bias.assign(np.repeat([0.0, -FAR, 1e4], M))
    ones = np.ones((500, 1, M), "float32")
    for joint in quick_call(layer, [ones, ones], training=True):
        np.testing.assert_allclose(
            np.unique(to_numpy(joint)), [0, (1 - p) ** -2], rtol=1e-5
        )
        assert abs((to_numpy(joint) == 0).mean() - p) < 0.045
    for joint in layer([ones, ones]):
        close(joint, ones)


def test_without_chance_training_is_inference():
    layer, _ = crossed_layer()
    pair = [normal(2, 3, M), normal(2, 5, M)]
    for found, value in zip(
        quick_call(layer, pair, training=True),
        quick_call(layer, pair),
        strict=True,
    ):
        np.testing.assert_array_equal(to_numpy(found), to_numpy(value))
