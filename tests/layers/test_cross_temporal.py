"""CrossTemporalLayer: the layer contract, and the CTRN cells as a loop."""

import keras
import numpy as np
import pytest
from keras import ops
from layer_checks import MODES
from layer_checks import QUICKEST
from layer_checks import check_layer
from layer_checks import functional_call
from layer_checks import gradients
from layer_checks import quick_call
from layer_checks import run
from qrnn_reference import aligned_step
from qrnn_reference import cross_temporal
from qrnn_reference import finite_differences

from keras_qa.layers import BagOfWords
from keras_qa.layers import CrossTemporalLayer
from keras_qa.layers import QRNNLayer

UNITS, M = 3, 4
CROSSED = ["own", "partner"]
ALIGNMENTS = ["lengths", "padded"]
# Longer, shorter, equal, no multiple of each other, and single words.
QUESTION_LENGTHS = [3, 5, 2, 1, 4, 1]
ANSWER_LENGTHS = [7, 2, 2, 7, 6, 1]


def _random(*shape, seed=0):
    values = np.random.default_rng(seed).normal(size=shape)
    return values.astype("float32")


def _layer(m=M, units=UNITS, seed=1, **kwargs):
    """A built layer with random weights, and these weights in float64."""
    # Zeros are the quickest to make; random weights follow.
    layer = CrossTemporalLayer(units, kernel_initializer="zeros", **kwargs)
    layer.build([(None, None, m), (None, None, m)])
    weights = [
        _random(*weight.shape, seed=seed + number)
        for number, weight in enumerate(layer.trainable_weights)
    ]
    for weight, value in zip(layer.trainable_weights, weights, strict=True):
        weight.assign(value)
    return layer, [weight.astype("float64") for weight in weights]


def _numpy(tensor):
    return ops.convert_to_numpy(ops.cast(tensor, "float32"))


def _close(found, expected, tolerance=1e-5):
    np.testing.assert_allclose(
        _numpy(found), expected, rtol=tolerance, atol=tolerance
    )


def _pad(texts, length, seed=9):
    """Texts with random padding on the right, and their mask."""
    padded = _random(len(texts), length, texts[0].shape[1], seed=seed)
    for row, text in enumerate(texts):
        padded[row, : len(text)] = text
    lengths = np.array([[len(text)] for text in texts])
    return padded, np.arange(length) < lengths


def _texts(question_lengths, answer_lengths, m=M):
    """Random questions and answers of these lengths."""
    return (
        [_random(n, m, seed=50 + n) for n in question_lengths],
        [_random(n, m, seed=80 + n) for n in answer_lengths],
    )


def _ragged_batch():
    questions, answers = _texts(QUESTION_LENGTHS, ANSWER_LENGTHS)
    (q, q_mask), (a, a_mask) = _pad(questions, 5), _pad(answers, 7, seed=8)
    return questions, answers, [q, a], [q_mask, a_mask]


def _sum_of_both(joint, weights):
    return sum(
        ops.sum(ops.multiply(j, w)) for j, w in zip(joint, weights, strict=True)
    )


# The contract.


def test_layer_contract():
    check_layer(
        CrossTemporalLayer,
        {"units": UNITS, "use_bias": True},
        [_random(2, 3, M), _random(2, 5, M, seed=1)],
        [(2, 3, UNITS), (2, 5, UNITS)],
        trainable_weights=2,
    )


def test_all_arguments_survive_the_configuration():
    arguments = {
        "units": 5,
        "kernel_size": 3,
        "crossed_input": "partner",
        "alignment": "padded",
        "activation": "relu",
        "recurrent_activation": "hard_sigmoid",
        "use_bias": True,
        "zoneout": 0.1,
        "dropout": 0.2,
        "kernel_initializer": "orthogonal",
        "bias_initializer": "ones",
        "kernel_regularizer": keras.regularizers.L2(0.5),
        "bias_regularizer": keras.regularizers.L1(0.5),
        "kernel_constraint": keras.constraints.MaxNorm(1),
        "bias_constraint": keras.constraints.NonNeg(),
        "seed": 7,
        "name": "pair_reader",
    }
    layer = CrossTemporalLayer(**arguments)
    layer.build([(None, None, 2), (None, None, 2)])
    config = layer.get_config()
    for name in arguments:
        assert name in config
    for name in ("crossed_input", "alignment", "kernel_size", "zoneout"):
        assert config[name] == arguments[name]
    assert CrossTemporalLayer.from_config(config).get_config() == config
    penalty = 0.5 * (_numpy(layer.kernel) ** 2).sum() + 0.5 * 15
    _close(sum(layer.losses), penalty)


@pytest.mark.parametrize("use_bias", [False, True])
@pytest.mark.parametrize("kernel_size", [1, 2, 3])
def test_no_parameter_more_than_the_qrnn(kernel_size, use_bias):
    crossed, _ = _layer(kernel_size=kernel_size, use_bias=use_bias)
    plain = QRNNLayer(UNITS, kernel_size=kernel_size, use_bias=use_bias)
    plain.build((None, None, M))
    assert [tuple(weight.shape) for weight in crossed.weights] == [
        tuple(weight.shape) for weight in plain.weights
    ]


def test_the_parameters_of_the_paper():
    # 3 k d m with k = 2, d = 512 and m = 300 (complexity analysis).
    layer = CrossTemporalLayer(512)
    layer.build([(None, None, 300), (None, None, 300)])
    assert layer.count_params() == 3 * 2 * 512 * 300


@pytest.mark.parametrize(
    "arguments, message",
    [
        (
            {"crossed_input": "z"},
            r"`crossed_input`.*Received: crossed_input='z",
        ),
        ({"alignment": "even"}, r"`alignment`.*Received: alignment='even'"),
        ({"units": 0}, r"`units`.*Received: units=0"),
        ({"kernel_size": 0}, r"`kernel_size`.*Received: kernel_size=0"),
        ({"zoneout": -0.1}, r"`zoneout`.*Received: zoneout=-0.1"),
        ({"dropout": 1.5}, r"`dropout`.*Received: dropout=1.5"),
    ],
)
def test_rejects_a_wrong_argument(arguments, message):
    with pytest.raises(ValueError, match=message):
        CrossTemporalLayer(**{"units": 2, **arguments})


def test_hands_both_masks_on():
    _, _, inputs, masks = _ragged_batch()
    layer, _ = _layer()
    for found, mask in zip(
        layer.compute_mask(inputs, masks), masks, strict=True
    ):
        np.testing.assert_array_equal(ops.convert_to_numpy(found), mask)


# The alignment.


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
    layer, _ = _layer(
        m=1,
        units=1,
        kernel_size=1,
        alignment=alignment,
        activation="linear",
        use_bias=True,
    )
    layer.kernel.assign([[[0.0, 0.0, 1.0]]])
    layer.bias.assign([1.0, -1e4, 0.0])
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
        _numpy(j)[..., 0] for j in quick_call(layer, [words, words], mask=masks)
    ]
    for row, (q, a) in enumerate(pairs):
        for states, own, partner in [(joint[0], q, a), (joint[1], a, q)]:
            assert list(_steps_read(states[row, :own], own, partner)) == (
                _brute_force_steps(own, partner)
            ), (own, partner)
            np.testing.assert_array_equal(states[row, own:], 0)


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
    joint = _numpy(quick_call(layer, words)[0])[0, :, 0]
    assert list(_steps_read(joint, own, partner)) == _brute_force_steps(
        own, partner
    )


def test_padded_alignment_takes_the_padded_lengths():
    layer = _revealing_layer("padded")
    words = [
        np.arange(n, dtype="float32")[None, :, None] / 4 - 1 for n in (3, 7)
    ]
    masks = [np.ones((1, 3), bool), np.arange(7)[None] < 4]
    joint = _numpy(quick_call(layer, words, mask=masks)[1])[0, :, 0]
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
    layer, weights = _layer(
        kernel_size=kernel_size,
        crossed_input=crossed_input,
        alignment=alignment,
        use_bias=True,
    )
    # Without padding both alignments are the same.
    pairs = [_random(2, n, M, seed=n + side) for side, n in enumerate(lengths)]
    joint = quick_call(layer, pairs)
    for row in range(2):
        expected = cross_temporal(
            pairs[0][row], pairs[1][row], *weights, crossed_input=crossed_input
        )
        for found, value in zip(joint, expected, strict=True):
            _close(found[row], value)


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
    layer, weights = _layer(
        kernel_size=kernel_size, crossed_input=crossed_input, use_bias=use_bias
    )
    questions, answers, inputs, masks = _ragged_batch()
    joint = [_numpy(j) for j in quick_call(layer, inputs, mask=masks)]
    for row, pair in enumerate(zip(questions, answers, strict=True)):
        expected = cross_temporal(*pair, *weights, crossed_input=crossed_input)
        for found, value in zip(joint, expected, strict=True):
            _close(found[row, : len(value)], value)
            np.testing.assert_array_equal(found[row, len(value) :], 0)


@pytest.mark.parametrize("crossed_input", CROSSED)
def test_padded_alignment_reads_padding_as_zeros(crossed_input):
    layer, weights = _layer(
        kernel_size=3,
        crossed_input=crossed_input,
        use_bias=True,
        alignment="padded",
    )
    questions, answers, inputs, masks = _ragged_batch()
    joint = [_numpy(j) for j in quick_call(layer, inputs, mask=masks)]
    q, a = (x * mask[..., None] for x, mask in zip(inputs, masks, strict=True))
    for row in range(len(questions)):
        expected = cross_temporal(
            q[row], a[row], *weights, crossed_input=crossed_input
        )
        for found, value, text in zip(
            joint, expected, (questions[row], answers[row]), strict=True
        ):
            _close(found[row, : len(text)], value[: len(text)])
            np.testing.assert_array_equal(found[row, len(text) :], 0)


@pytest.mark.parametrize("crossed_input", CROSSED)
def test_zoneout_at_inference_is_the_expected_gate(crossed_input):
    layer, weights = _layer(zoneout=0.4, crossed_input=crossed_input)
    pair = [_random(1, 3, M), _random(1, 5, M, seed=1)]
    expected = cross_temporal(
        pair[0][0],
        pair[1][0],
        *weights,
        crossed_input=crossed_input,
        zoneout=0.4,
    )
    for found, value in zip(quick_call(layer, pair), expected, strict=True):
        _close(found[0], value)


@pytest.mark.parametrize("crossed_input", CROSSED)
def test_equal_texts_give_the_square_of_the_qrnn(crossed_input):
    layer, _ = _layer(crossed_input=crossed_input)
    plain = QRNNLayer(UNITS, return_sequences=True)
    plain.build((None, None, M))
    plain.set_weights(layer.get_weights())
    text = _random(2, 6, M)
    for joint in quick_call(layer, [text, text]):
        _close(joint, _numpy(quick_call(plain, text)) ** 2)


@pytest.mark.parametrize("crossed_input", CROSSED)
def test_the_partner_has_influence(crossed_input):
    layer, _ = _layer(crossed_input=crossed_input)
    question, answer = _random(1, 4, M), _random(1, 4, M, seed=1)
    answers = np.concatenate([answer, answer + 1])
    joint, _ = quick_call(layer, [question.repeat(2, axis=0), answers])
    assert (np.abs(_numpy(joint)[0] - _numpy(joint)[1]) > 1e-5).all()


# Padding and order.


@pytest.mark.parametrize(
    "added, crossed_input", [((3, 0), "own"), ((2, 9), "partner")]
)
def test_padding_on_either_text_changes_no_output(added, crossed_input):
    layer, _ = _layer(kernel_size=3, use_bias=True, crossed_input=crossed_input)
    questions, answers, inputs, masks = _ragged_batch()
    joint = quick_call(layer, inputs, mask=masks)
    (q, q_mask) = _pad(questions, 5 + added[0], seed=18)
    (a, a_mask) = _pad(answers, 7 + added[1], seed=19)
    padded = quick_call(layer, [q, a], mask=[q_mask, a_mask])
    for found, value, length in zip(padded, joint, (5, 7), strict=True):
        _close(found[:, :length], _numpy(value), 1e-6)
        np.testing.assert_array_equal(_numpy(found)[:, length:], 0)


def test_padding_without_a_mask_on_the_other_text():
    layer, weights = _layer()
    questions, _, inputs, masks = _ragged_batch()
    joint, _ = quick_call(layer, inputs, mask=[masks[0], None])
    for row, question in enumerate(questions):
        expected, _ = cross_temporal(question, inputs[1][row], *weights)
        _close(joint[row, : len(question)], expected)


@pytest.mark.parametrize("alignment", ALIGNMENTS)
def test_the_content_of_padding_changes_nothing(alignment):
    layer, _ = _layer(kernel_size=3, use_bias=True, alignment=alignment)
    _, _, inputs, masks = _ragged_batch()
    changed = [
        np.where(mask[..., None], x, np.float32(7))
        for x, mask in zip(inputs, masks, strict=True)
    ]
    for found, value in zip(
        quick_call(layer, changed, mask=masks),
        quick_call(layer, inputs, mask=masks),
        strict=True,
    ):
        np.testing.assert_array_equal(_numpy(found), _numpy(value))


@pytest.mark.parametrize("crossed_input", CROSSED)
def test_padding_on_the_left_changes_no_output(crossed_input):
    layer, weights = _layer(kernel_size=3, crossed_input=crossed_input)
    questions, answers, inputs, masks = _ragged_batch()
    # Left padding: each row reversed holds its text, reversed, on the right.
    inputs = [x[:, ::-1].copy() for x in inputs]
    masks = [mask[:, ::-1] for mask in masks]
    joint = [_numpy(j) for j in quick_call(layer, inputs, mask=masks)]
    for row, pair in enumerate(zip(questions, answers, strict=True)):
        expected = cross_temporal(
            pair[0][::-1], pair[1][::-1], *weights, crossed_input=crossed_input
        )
        for found, value, mask in zip(joint, expected, masks, strict=True):
            _close(found[row, mask[row]], value)
            np.testing.assert_array_equal(found[row, ~mask[row]], 0)


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
    layer, _ = _layer(
        m=30, units=24, alignment=alignment, crossed_input=crossed_input
    )
    questions, answers = _texts(QUESTION_LENGTHS, ANSWER_LENGTHS, m=30)
    (q, q_mask), (a, a_mask) = _pad(questions, 5), _pad(answers, 7)

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
    "alignment, crossed_input",
    [("lengths", "partner"), ("padded", "own")],
)
def test_texts_without_words(alignment, crossed_input):
    layer, weights = _layer(
        use_bias=True, alignment=alignment, crossed_input=crossed_input
    )
    q, a = _random(3, 4, M), _random(3, 5, M, seed=1)
    masks = [
        np.arange(4) < np.array([[0], [3], [0]]),
        np.arange(5) < np.array([[5], [0], [0]]),
    ]
    joint = [_numpy(j) for j in quick_call(layer, [q, a], mask=masks)]
    for found, mask in zip(joint, masks, strict=True):
        assert np.isfinite(found).all()
        np.testing.assert_array_equal(found[~mask], 0)
    if alignment == "lengths":
        # A partner without words is read as one step of zeros.
        zero = np.zeros((1, M))
        expected, _ = cross_temporal(
            q[1, :3], zero, *weights, crossed_input=crossed_input
        )
        _close(joint[0][1, :3], expected)
        _, expected = cross_temporal(
            zero, a[0], *weights, crossed_input=crossed_input
        )
        _close(joint[1][0], expected)
    # What is not there cannot matter.
    again = quick_call(layer, [q, a], mask=masks)
    q[0], a[1], q[2], a[2] = 7, 7, 7, 7
    for found, value in zip(
        quick_call(layer, [q, a], mask=masks), again, strict=True
    ):
        np.testing.assert_array_equal(_numpy(found), _numpy(value))
    found = gradients(
        lambda q, a: _sum_of_both(layer([q, a], mask=masks), [1.0, 1.0]),
        q,
        a,
        mode=QUICKEST,
    )
    for gradient, mask in zip(found, masks, strict=True):
        assert np.isfinite(gradient).all()
        np.testing.assert_array_equal(gradient[~mask], 0)


# Gradients.


@pytest.mark.parametrize(
    "crossed_input, mode",
    [("own", mode) for mode in MODES if mode in (QUICKEST, "graph", "xla")]
    + [("partner", QUICKEST)],
)
def test_gradients(crossed_input, mode):
    layer, (kernel,) = _layer(crossed_input=crossed_input)
    question_lengths, answer_lengths = [2, 3, 1], [4, 2, 1]
    questions, answers = _texts(question_lengths, answer_lengths)
    (q, q_mask), (a, a_mask) = _pad(questions, 3), _pad(answers, 4)
    weights = _random(3, 3, UNITS, seed=5), _random(3, 4, UNITS, seed=6)

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
        return _sum_of_both(joint, weights)

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
    layer, (kernel,) = _layer(
        crossed_input=crossed_input, alignment="padded", kernel_size=3
    )
    q, a = _random(1, 5, M), _random(1, 3, M, seed=1)
    weights = _random(1, 5, UNITS, seed=5), _random(1, 3, UNITS, seed=6)

    def number(q, a):
        joint = cross_temporal(q[0], a[0], kernel, None, crossed_input)
        return sum(
            (states * weight[0]).sum()
            for states, weight in zip(joint, weights, strict=True)
        )

    found = gradients(
        lambda q, a: _sum_of_both(layer([q, a]), weights),
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


# Chance.


def test_the_partner_reads_the_very_gates_of_zoneout():
    # One word each, z the word, o = 1 and f = 1/2 or 1: the joint states are
    # (1 - F_q) (1 - F_a) word^2 on both sides.
    p = 0.3
    layer, _ = _layer(
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
    layer.bias.assign(np.repeat([0.0, 0.0, 1e4], M))
    ones = np.ones((500, 1, M), "float32")
    joint = [
        _numpy(j) for j in quick_call(layer, [ones, 2 * ones], training=True)
    ]
    np.testing.assert_allclose(np.unique(joint[0]), [0, 0.25])
    np.testing.assert_allclose(joint[1], 4 * joint[0])
    # 2000 draws: a deviation of 0.011.
    assert abs((joint[0] > 0).mean() - (1 - p) ** 2) < 0.045


def test_dropout_falls_on_the_inputs():
    p = 0.25
    layer, _ = _layer(
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
    layer.bias.assign(np.repeat([0.0, -1e4, 1e4], M))
    ones = np.ones((500, 1, M), "float32")
    for joint in quick_call(layer, [ones, ones], training=True):
        np.testing.assert_allclose(
            np.unique(_numpy(joint)), [0, (1 - p) ** -2], rtol=1e-5
        )
        assert abs((_numpy(joint) == 0).mean() - p) < 0.045
    for joint in layer([ones, ones]):
        _close(joint, ones)


def test_without_chance_training_is_inference():
    layer, _ = _layer()
    pair = [_random(2, 3, M), _random(2, 5, M)]
    for found, value in zip(
        quick_call(layer, pair, training=True),
        quick_call(layer, pair),
        strict=True,
    ):
        np.testing.assert_array_equal(_numpy(found), _numpy(value))


# Every way to run it.


@pytest.mark.parametrize(
    "alignment, mode",
    [("lengths", mode) for mode in MODES] + [("padded", MODES[-1])],
)
def test_every_way_to_run_it(alignment, mode):
    """With `mode="graph"` batch size and lengths are unknown while tracing."""
    layer, weights = _layer(alignment=alignment)
    pair = [_random(2, 6, M), _random(2, 4, M, seed=1)]
    joint = run(lambda q, a: layer([q, a]), *pair, mode=mode)
    for row in range(2):
        expected = cross_temporal(pair[0][row], pair[1][row], *weights)
        for found, value in zip(joint, expected, strict=True):
            _close(found[row], value)


def _functional_model(length, **kwargs):
    tokens = [keras.Input((length,), dtype="int32") for _ in range(2)]
    embedding = keras.layers.Embedding(20, M, mask_zero=True)
    layer = CrossTemporalLayer(UNITS, **kwargs)
    joint = layer([embedding(token) for token in tokens])
    assert [j.shape for j in joint] == [(None, length, UNITS)] * 2
    pooled = [BagOfWords("mean")(j) for j in joint]
    score = keras.layers.Dense(1)(keras.layers.Concatenate()(pooled))
    return keras.Model(tokens, score), layer


@pytest.mark.parametrize("length, jit_compile", [(5, False), (None, True)])
def test_one_step_of_fit_in_a_functional_model(length, jit_compile, tmp_path):
    if jit_compile and keras.backend.backend() == "torch":
        pytest.skip("on PyTorch jit_compile is torch.compile, not XLA")
    if not jit_compile and keras.backend.backend() == "jax":
        pytest.skip("operation by operation; the QRNN's test does so")
    model, layer = _functional_model(length, zoneout=0.1, dropout=0.1)
    model.compile("sgd", "mse", jit_compile=jit_compile)
    tokens = np.random.default_rng(0).integers(1, 20, (2, 4, 5))
    tokens[0, :, 3:], tokens[1, 0, 1:], tokens[1, 1] = 0, 0, 0
    before = layer.get_weights()[0]
    history = model.fit([*tokens], np.ones((4, 1)), verbose=0)
    assert np.isfinite(history.history["loss"]).all()
    assert (layer.get_weights()[0] != before).any()
    scores = model.predict([*tokens], verbose=0)
    if length is None:
        # Cut to the longest question: padding changes nothing here either.
        cut = model.predict([tokens[0][:, :3], tokens[1]], verbose=0)
        np.testing.assert_allclose(cut, scores, atol=1e-6)
    model.save(tmp_path / "model.keras")
    reloaded = keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(
        reloaded.predict([*tokens], verbose=0), scores
    )


@pytest.mark.parametrize("policy", ["mixed_bfloat16", "mixed_float16"])
def test_mixed_precision_over_long_ragged_texts(policy):
    layer, weights = _layer(dtype=policy)
    questions, answers = _texts([20, 35], [200, 97])
    (q, q_mask), (a, a_mask) = _pad(questions, 35), _pad(answers, 200)
    joint = quick_call(layer, [q, a], mask=[q_mask, a_mask])
    for found in joint:
        assert keras.backend.standardize_dtype(found.dtype) == policy[6:]
    for row, pair in enumerate(zip(questions, answers, strict=True)):
        expected = cross_temporal(*pair, *weights)
        for found, value in zip(joint, expected, strict=True):
            _close(found[row, : len(value)], value, 0.04)
