"""Triplet losses by loops, by hand, and as TensorFlow Addons computes them."""

import json
from pathlib import Path

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa.losses.triplet import METRICS
from keras_qa.losses.triplet import MINING
from keras_qa.losses.triplet import EmbeddingTripletLoss
from keras_qa.losses.triplet import TripletLoss
from support.loss_gradients import gradient

# Written by tests/export/tf215/record_triplets.py.
RECORDED = json.loads(
    (Path(__file__).parents[1] / "data" / "triplet_losses.json").read_text(
        "utf-8"
    )
)
WORKED = [[1, 1, 0, 0]], [[2.0, 3.0, 2.5, 3.5]]


def _triplets(labels, distances, mining, margin=1.0):
    """The triplets of each question, in loops, as pairs of distances."""
    for label, distance in zip(labels, distances, strict=True):
        good = [d for d, y in zip(distance, label, strict=True) if y == 1]
        bad = [d for d, y in zip(distance, label, strict=True) if y == 0]
        if not good or not bad:
            continue
        if mining in ("hard", "batch-hard"):
            yield max(good), min(bad)
        for positive in good:
            if mining == "schroff-semi-hard":
                # Schroff et al. (2015), 3.2: farther, within the margin.
                near = [d for d in bad if positive < d < positive + margin]
                yield from ((positive, d) for d in sorted(near)[:1])
            if mining == "semi-hard":
                farther = [d for d in bad if d > positive]
                yield positive, min(farther) if farther else max(bad)
            elif mining == "all":
                yield from ((positive, negative) for negative in bad)


def _by_loops(labels, distances, mining, margin):
    return [
        max(0.0, positive - negative + margin)
        for positive, negative in _triplets(labels, distances, mining, margin)
    ]


def _drawn(questions=6, documents=9):
    """Distances, and labels of which some are to be ignored."""
    rng = np.random.default_rng(0)
    labels = rng.choice([-1, 0, 0, 1], size=(questions, documents))
    labels[1], labels[2] = 0, 1  # Questions without any triplet.
    distances = rng.uniform(0, 4, size=(questions, documents))
    return labels, distances.astype(np.float32)


@pytest.mark.once
@pytest.mark.parametrize(
    ("mining", "expected"),
    [
        *(("all", 0.625), ("hard", 1.5), ("semi-hard", 0.5)),
        *(("batch-hard", 1.5), ("schroff-semi-hard", 0.5)),
    ],
)
def test_worked_numbers(mining, expected):
    loss = TripletLoss(1.0, mining)(*map(np.array, WORKED))
    np.testing.assert_allclose(float(loss), expected, rtol=1e-6)


@pytest.mark.once
def test_soft_margin_of_hermans():
    """ln(1 + exp(farthest positive - nearest negative)), section 2."""
    soft = TripletLoss(mining="batch-hard", soft_margin=True)
    np.testing.assert_allclose(
        float(soft(*map(np.array, WORKED))), np.log1p(np.exp(0.5)), rtol=1e-6
    )
    labels, distances = _drawn()
    differences = [p - n for p, n in _triplets(labels, distances, "hard")]
    np.testing.assert_allclose(
        float(soft(labels, distances)),
        np.mean(np.log1p(np.exp(differences))),
        rtol=1e-5,
    )


@pytest.mark.once
def test_semi_hard_where_no_negative_is():
    """The two relevant at 2 and 3, others at 1 and 5: farther, not within 1."""
    labels, distances = np.array([[1, 1, 0, 0]]), np.array([[2.0, 3, 1, 5]])
    assert float(TripletLoss(1.0, "schroff-semi-hard")(labels, distances)) == 0
    # One at 3.5 gives the second a triplet, which is the only one.
    distances[0, 3] = 3.5
    loss = TripletLoss(1.0, "schroff-semi-hard")(labels, distances)
    np.testing.assert_allclose(float(loss), 0.5)
    # Here the first counts as well, and so does the easiest of the nearer.
    assert float(TripletLoss(1.0, "semi-hard")(labels, distances)) == 0.25
    distances[0, 3] = 1.5
    loss = TripletLoss(1.0, "semi-hard")(labels, distances)
    np.testing.assert_allclose(float(loss), (1.5 + 2.5) / 2)


@pytest.mark.parametrize(
    ("margin", "reduction"), [(0.5, "sum"), (2.0, "sum_over_batch_size")]
)
@pytest.mark.parametrize("mining", MINING)
def test_equals_loops_over_triplets(mining, margin, reduction):
    labels, distances = _drawn()
    mean = reduction != "sum"
    losses = _by_loops(labels, distances, mining, margin)
    expected = sum(losses) / (len(losses) or 1 if mean else 1)
    found = TripletLoss(margin, mining, reduction=reduction)(labels, distances)
    assert found.shape == ()
    np.testing.assert_allclose(float(found), expected, rtol=1e-5)
    squared = TripletLoss(margin, mining, squared=True, reduction=reduction)
    losses = _by_loops(labels, distances**2, mining, margin)
    expected = sum(losses) / (len(losses) or 1 if mean else 1)
    found = float(squared(labels, distances))
    np.testing.assert_allclose(found, expected, rtol=1e-5)


@pytest.mark.parametrize("mining", MINING)
def test_gradients_are_those_of_the_triplets(mining):
    labels, distances = _drawn()
    triplets = list(_triplets(labels, distances, mining))
    expected = np.zeros(distances.shape)
    for positive, negative in triplets:
        if positive - negative + 1.0 > 0:
            expected[distances == positive] += 1 / len(triplets)
            expected[distances == negative] -= 1 / len(triplets)
    assert np.abs(expected).max() > 0.02
    found = gradient(TripletLoss(1.0, mining), labels, distances)
    np.testing.assert_allclose(found, expected, atol=1e-6)


@pytest.mark.once
@pytest.mark.parametrize("mining", MINING)
def test_booleans_are_labels(mining):
    labels, distances = _drawn()
    loss = TripletLoss(0.5, mining)
    np.testing.assert_allclose(
        float(loss(labels == 1, distances)),
        float(loss(np.maximum(labels, 0), distances)),
    )


@pytest.mark.parametrize("mining", MINING)
def test_a_batch_without_triplets_costs_nothing(mining):
    labels = np.repeat([-1, 0, 1], 2)[:, None].repeat(3, axis=1)
    loss = TripletLoss(1.0, mining)
    distances = np.tile([[1, 1, 1], [0, 2, 0]], (3, 1)).astype(np.float32)
    assert float(loss(labels, distances)) == 0
    np.testing.assert_array_equal(gradient(loss, labels, distances), 0)


@pytest.mark.parametrize("mining", MINING)
def test_what_is_ignored_has_no_gradient(mining):
    labels = np.array([[1, 0, -1], [0, 0, 0]])
    distances = np.array([[1.0, 1.5, 0.5], [1.0, 2.0, 3.0]], np.float32)
    found = gradient(TripletLoss(1.0, mining), labels, distances)
    np.testing.assert_allclose(found, [[1, -1, 0], [0, 0, 0]])
    loss, distances[0, 2] = TripletLoss(1.0, mining), np.nan
    assert float(loss(labels, distances)) == 0.5
    found = gradient(loss, labels, distances)
    np.testing.assert_allclose(found[:, :2], [[1, -1], [0, 0]])


# On each backend, the loss equals loops and has the gradients of its triplets.
@pytest.mark.once
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("name", sorted(RECORDED["labels"]))
@pytest.mark.parametrize("mining", ["hard", "semi-hard"])
def test_values_and_gradients_of_tensorflow_addons(mining, name, metric):
    assert RECORDED["tensorflow_addons"] == "0.23.0"
    cases = [
        case
        for case in RECORDED["losses"]
        if (case["mining"], case["labels"]) == (mining, name)
        and case["distance_metric"] == metric
    ]
    assert len(cases) == (0 if (name, metric) == ("doubled", "angular") else 2)
    labels = np.array(RECORDED["labels"][name])
    vectors = np.array(RECORDED["embeddings"][name], np.float32)
    for case in cases:
        loss = EmbeddingTripletLoss(case["margin"], mining, metric)
        # Without any pair, the loss of TensorFlow Addons is not a number.
        value = case["value"] or 0.0
        np.testing.assert_allclose(
            float(loss(labels, vectors)), value, rtol=1e-5, atol=1e-6
        )
        # Equal distances share a gradient in different ways.
        if case["margin"] == 0.5 and case["gradient"] and name != "doubled":
            found = gradient(loss, labels, vectors)
            np.testing.assert_allclose(found, case["gradient"], atol=2e-5)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("mining", MINING)
def test_gradients_are_finite_at_equal_embeddings(mining, metric):
    vectors = np.array([[0, 0], [0, 0], [3, 4], [3, 4], [0, 1]], np.float32)
    labels = np.array([[0], [0], [0], [1], [1]])
    loss = EmbeddingTripletLoss(1.0, mining, metric)
    found = gradient(loss, labels, vectors)
    assert np.isfinite(found).all()
    if metric == "angular":
        np.testing.assert_array_equal(found[:2], 0)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("mining", ["all", "batch-hard", "schroff-semi-hard"])
def test_triplets_of_embeddings(mining, metric):
    labels = np.array(RECORDED["labels"]["uneven"])
    vectors = np.array(RECORDED["embeddings"]["uneven"])
    distances = np.linalg.norm(vectors[:, None] - vectors, axis=-1)
    if metric == "squared-L2":
        distances = distances**2
    elif metric == "angular":
        unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        distances = 1 - unit @ unit.T
    same = (labels[:, None] == labels).astype(int)
    losses = _by_loops(same - 2 * np.eye(8), distances, mining, 0.5)
    loss = EmbeddingTripletLoss(0.5, mining, metric)
    found = float(loss(labels, vectors.astype(np.float32)))
    np.testing.assert_allclose(found, np.mean(losses or [0]), rtol=1e-5)


@pytest.mark.once
@pytest.mark.parametrize(
    "loss",
    [
        TripletLoss(0.5, "semi-hard", squared=True, reduction="sum"),
        EmbeddingTripletLoss(0.8, "all", "angular"),
        EmbeddingTripletLoss(0.8, "hard", soft_margin=True),
    ],
    ids=lambda loss: loss.name,
)
def test_config_round_trip(loss):
    revived = keras.losses.deserialize(keras.losses.serialize(loss))
    assert type(revived) is type(loss)
    assert revived.get_config() == loss.get_config()
    labels, distances = _drawn()
    labels = labels if isinstance(loss, TripletLoss) else np.arange(6) // 2
    assert float(revived(labels, distances)) == float(loss(labels, distances))


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_precision_is_computed_in_single(dtype):
    labels, distances = _drawn()
    half = ops.cast(distances, dtype)
    loss = TripletLoss(0.5)
    assert float(loss(labels, half)) == float(
        loss(labels, ops.cast(half, "float32"))
    )


@pytest.mark.once
@pytest.mark.parametrize(
    ("kind", "settings", "message"),
    [
        (TripletLoss, {"margin": 0}, "`margin` must be .* Received: margin=0"),
        (TripletLoss, {"mining": "soft"}, "`mining` .* Received: mining='soft"),
        (TripletLoss, {"reduction": "mean"}, "`reduction` must .* reduction="),
        (
            TripletLoss,
            {"mining": "all", "soft_margin": True},
            "`soft_margin` must be False but for .*mining='all'",
        ),
        (EmbeddingTripletLoss, {"margin": -1}, "Received: margin=-1"),
        (EmbeddingTripletLoss, {"mining": "soft"}, "`mining` must be one of"),
        (
            EmbeddingTripletLoss,
            {"distance_metric": "L1"},
            "`distance_metric` must .* Received: distance_metric='L1'",
        ),
    ],
)
def test_errors(kind, settings, message):
    with pytest.raises(ValueError, match=message):
        kind(**settings)
