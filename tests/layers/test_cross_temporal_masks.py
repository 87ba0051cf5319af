"""CrossTemporalLayer on padded texts, wherever the padding stands."""

import numpy as np
import pytest
from keras import ops

from support.layer_checks import QUICKEST
from support.layer_checks import gradients
from support.layer_checks import quick_call
from support.qrnn_reference import cross_temporal
from support.recurrent_checks import ALIGNMENTS
from support.recurrent_checks import CROSSED
from support.recurrent_checks import M
from support.recurrent_checks import close
from support.recurrent_checks import crossed_layer
from support.recurrent_checks import normal
from support.recurrent_checks import ragged_batch
from support.recurrent_checks import sum_of_both
from support.recurrent_checks import to_numpy


def test_hands_both_masks_on():
    _, _, inputs, masks = ragged_batch()
    layer, _ = crossed_layer()
    for found, mask in zip(
        layer.compute_mask(inputs, masks), masks, strict=True
    ):
        np.testing.assert_array_equal(ops.convert_to_numpy(found), mask)


@pytest.mark.parametrize("crossed_input", CROSSED)
def test_padded_alignment_reads_padding_as_zeros(crossed_input):
    layer, weights = crossed_layer(
        kernel_size=3,
        crossed_input=crossed_input,
        use_bias=True,
        alignment="padded",
    )
    questions, answers, inputs, masks = ragged_batch()
    joint = [to_numpy(j) for j in quick_call(layer, inputs, mask=masks)]
    q, a = (x * mask[..., None] for x, mask in zip(inputs, masks, strict=True))
    for row in range(len(questions)):
        expected = cross_temporal(
            q[row], a[row], *weights, crossed_input=crossed_input
        )
        for found, value, text in zip(
            joint, expected, (questions[row], answers[row]), strict=True
        ):
            close(found[row, : len(text)], value[: len(text)])
            np.testing.assert_array_equal(found[row, len(text) :], 0)


def test_padding_without_a_mask_on_the_other_text():
    layer, weights = crossed_layer()
    questions, _, inputs, masks = ragged_batch()
    joint, _ = quick_call(layer, inputs, mask=[masks[0], None])
    for row, question in enumerate(questions):
        expected, _ = cross_temporal(question, inputs[1][row], *weights)
        close(joint[row, : len(question)], expected)


@pytest.mark.parametrize("alignment", ALIGNMENTS)
def test_the_content_of_padding_changes_nothing(alignment):
    layer, _ = crossed_layer(kernel_size=3, use_bias=True, alignment=alignment)
    _, _, inputs, masks = ragged_batch()
    changed = [
        np.where(mask[..., None], x, np.float32(7))
        for x, mask in zip(inputs, masks, strict=True)
    ]
    for found, value in zip(
        quick_call(layer, changed, mask=masks),
        quick_call(layer, inputs, mask=masks),
        strict=True,
    ):
        np.testing.assert_array_equal(to_numpy(found), to_numpy(value))


@pytest.mark.parametrize("crossed_input", CROSSED)
def test_padding_on_the_left_changes_no_output(crossed_input):
    layer, weights = crossed_layer(kernel_size=3, crossed_input=crossed_input)
    questions, answers, inputs, masks = ragged_batch()
    # Left padding: each row reversed holds its text, reversed, on the right.
    inputs = [x[:, ::-1].copy() for x in inputs]
    masks = [mask[:, ::-1] for mask in masks]
    joint = [to_numpy(j) for j in quick_call(layer, inputs, mask=masks)]
    for row, pair in enumerate(zip(questions, answers, strict=True)):
        expected = cross_temporal(
            pair[0][::-1], pair[1][::-1], *weights, crossed_input=crossed_input
        )
        for found, value, mask in zip(joint, expected, masks, strict=True):
            close(found[row, mask[row]], value)
            np.testing.assert_array_equal(found[row, ~mask[row]], 0)


@pytest.mark.parametrize(
    "alignment, crossed_input",
    [("lengths", "partner"), ("padded", "own")],
)
def test_texts_without_words(alignment, crossed_input):
    layer, weights = crossed_layer(
        use_bias=True, alignment=alignment, crossed_input=crossed_input
    )
    q, a = normal(3, 4, M), normal(3, 5, M, seed=1)
    masks = [
        np.arange(4) < np.array([[0], [3], [0]]),
        np.arange(5) < np.array([[5], [0], [0]]),
    ]
    joint = [to_numpy(j) for j in quick_call(layer, [q, a], mask=masks)]
    for found, mask in zip(joint, masks, strict=True):
        assert np.isfinite(found).all()
        np.testing.assert_array_equal(found[~mask], 0)
    if alignment == "lengths":
        # A partner without words is read as one step of zeros.
        zero = np.zeros((1, M))
        expected, _ = cross_temporal(
            q[1, :3], zero, *weights, crossed_input=crossed_input
        )
        close(joint[0][1, :3], expected)
        _, expected = cross_temporal(
            zero, a[0], *weights, crossed_input=crossed_input
        )
        close(joint[1][0], expected)
    # What is not there cannot matter.
    again = quick_call(layer, [q, a], mask=masks)
    q[0], a[1], q[2], a[2] = 7, 7, 7, 7
    for found, value in zip(
        quick_call(layer, [q, a], mask=masks), again, strict=True
    ):
        np.testing.assert_array_equal(to_numpy(found), to_numpy(value))
    found = gradients(
        lambda q, a: sum_of_both(layer([q, a], mask=masks), [1.0, 1.0]),
        q,
        a,
        mode=QUICKEST,
    )
    for gradient, mask in zip(found, masks, strict=True):
        assert np.isfinite(gradient).all()
        np.testing.assert_array_equal(gradient[~mask], 0)
