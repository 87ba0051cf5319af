"""The losses of distillation, by loops and by hand."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa.losses.distillation import DistillationKL
from keras_qa.losses.distillation import MarginMSE
from keras_qa.losses.listwise import ListwiseSoftmax
from support.loss_gradients import gradient

NAN = np.nan


def _drawn():
    """Scores of a teacher, labels and scores; some of each are padding."""
    rng = np.random.default_rng(0)
    teacher, scores = rng.normal(0, 2, size=(2, 7, 5)).astype(np.float32)
    labels = rng.choice([0, 0, 1], size=(7, 5)).astype(np.float32)
    padding = rng.random((7, 5)) < 0.3
    padding[:, 0] = padding[2] = False
    padding[3], padding[4, 0] = True, True
    teacher[padding], labels[padding] = NAN, -1
    return teacher, labels, scores


def _softmax(values):
    weights = np.exp(values - values.max())
    return weights / weights.sum()


def _margins_by_loops(teacher, scores):
    losses = []
    for t, s in zip(teacher, scores, strict=True):
        errors = [
            ((s[0] - s[k]) - (t[0] - t[k])) ** 2
            for k in range(1, len(s))
            if not np.isnan(t[0] - t[k])
        ]
        losses.append(np.mean(errors) if errors else 0.0)
    return losses


def _divergence_by_loops(teacher, scores, heat):
    losses = []
    for t, s in zip(teacher, scores, strict=True):
        real = [i for i in range(len(t)) if not np.isnan(t[i])]
        if not real:
            losses.append(0.0)
            continue
        q, p = _softmax(t[real] / heat), _softmax(s[real] / heat)
        losses.append(heat**2 * sum(q * (np.log(q) - np.log(p))))
    return losses


def _values(loss, targets, scores):
    return ops.convert_to_numpy(loss(targets, scores))


def test_worked_numbers():
    loss = MarginMSE()(np.array([[3.0, 1, 2]]), np.array([[2.0, 1, 0]]))
    assert float(loss) == pytest.approx(1.0)
    loss = DistillationKL()(np.log([[3.0, 1]]), np.zeros((1, 2)))
    expected = 0.75 * np.log(1.5) + 0.25 * np.log(0.5)
    assert float(loss) == pytest.approx(expected, rel=1e-5)
    # As in the examples of Keras's own losses.
    assert float(MarginMSE()([[3.0, 1, 2]], [[2.0, 1, 0]])) == pytest.approx(1)


def test_margins_equal_loops():
    teacher, _, scores = _drawn()
    expected = _margins_by_loops(teacher, scores)
    loss = MarginMSE(reduction="none")
    np.testing.assert_allclose(
        _values(loss, teacher, scores), expected, rtol=1e-5
    )
    # Another level of scores is as good.
    np.testing.assert_allclose(
        _values(loss, teacher + 3, scores - 9), expected, rtol=1e-4
    )
    assert float(MarginMSE()(teacher, scores)) == pytest.approx(
        np.mean(expected), rel=1e-5
    )


@pytest.mark.parametrize("heat", [1.0, 0.5, 4.0])
def test_divergence_equals_loops(heat):
    teacher, _, scores = _drawn()
    expected = _divergence_by_loops(teacher, scores, heat)
    loss = DistillationKL(heat, reduction="none")
    np.testing.assert_allclose(
        _values(loss, teacher, scores), expected, rtol=1e-4, atol=1e-6
    )
    # The teacher's own scores cost nothing, whatever their level.
    own = np.where(np.isnan(teacher), 5.0, teacher - 7)
    np.testing.assert_allclose(_values(loss, teacher, own), 0.0, atol=1e-5)


def test_labels_have_their_share():
    teacher, labels, scores = _drawn()
    both = np.stack([teacher, labels], axis=-1)
    loss = DistillationKL(1.0, 0.25, reduction="none")
    listwise = ListwiseSoftmax(reduction="none")
    expected = 0.75 * np.array(_divergence_by_loops(teacher, scores, 1.0))
    expected += 0.25 * _values(listwise, labels, scores)
    np.testing.assert_allclose(
        _values(loss, both, scores), expected, rtol=1e-4, atol=1e-6
    )


@pytest.mark.parametrize("weight", [0.0, 0.25])
def test_gradient_is_probability_less_the_teachers(weight):
    teacher, labels, scores = _drawn()
    real = ~np.isnan(teacher)
    scores[~real] = NAN
    heat = 2.0
    targets = np.stack([teacher, labels], -1) if weight else teacher
    loss = DistillationKL(heat, weight, reduction="sum")
    expected = np.zeros_like(teacher)
    for i, own in enumerate(real):
        if own.any():
            p, q = (_softmax(x[i, own] / heat) for x in (scores, teacher))
            expected[i, own] = (1 - weight) * heat * (p - q)
        right = labels[i, own] > 0
        if weight and right.any():
            p = _softmax(scores[i, own])
            expected[i, own] += weight * (p - right / right.sum())
    found = gradient(loss, targets, scores)
    np.testing.assert_allclose(found[real], expected[real], atol=1e-5)


def test_what_is_left_out_has_no_gradient():
    teacher = [[1.0, 2.0, NAN], [NAN, 1.0, 0.0]]
    scores = [[0.0, 0.0, 3.0], [5.0, 6.0, 7.0]]
    found = gradient(MarginMSE("sum"), teacher, scores)
    np.testing.assert_allclose(found, [[2, -2, 0], [0, 0, 0]], atol=1e-6)


@pytest.mark.parametrize("loss", [MarginMSE(), DistillationKL(2.0, 0.5)])
def test_saved_and_rebuilt(loss):
    config = keras.saving.serialize_keras_object(loss)
    again = keras.saving.deserialize_keras_object(config)
    assert type(again) is type(loss)
    assert again.get_config() == loss.get_config()


@pytest.mark.parametrize(
    ("loss", "shape"),
    [
        (DistillationKL(), (2, 3, 2)),
        (DistillationKL(label_weight=0.5), (2, 3)),
        (MarginMSE(), (2, 3, 2)),
    ],
)
def test_targets_with_and_without_labels(loss, shape):
    with pytest.raises(ValueError, match="of batches with `both="):
        loss(np.zeros(shape), np.zeros((2, 3)))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"temperature": 0}, "`temperature` must be positive"),
        ({"label_weight": 1.5}, "`label_weight` must be from 0 to 1"),
        ({"label_weight": -0.5}, "`label_weight` must be from 0 to 1"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        DistillationKL(**arguments)
