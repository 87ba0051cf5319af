"""BoostedTrees: the layer contract, and the trees by loops."""

import numpy as np
import pytest

from keras_qa.layers import BoostedTrees
from support.layer_checks import MODES
from support.layer_checks import check_layer
from support.layer_checks import run

TREES, DEPTH, FEATURES = 3, 2, 4
RNG = np.random.default_rng(0)
X = RNG.normal(size=(9, FEATURES)).astype("float32")
NODES = RNG.integers(0, FEATURES, (TREES, 2**DEPTH - 1))
THRESHOLDS = X[RNG.integers(0, len(X), NODES.shape), NODES]
VALUES = RNG.normal(size=(TREES, 2**DEPTH))
BIAS = -0.5


def by_loops(row):
    score = BIAS
    for nodes, thresholds, values in zip(
        NODES, THRESHOLDS, VALUES, strict=True
    ):
        node = 0
        while node < len(nodes):
            left = row[nodes[node]] <= thresholds[node]
            node = 2 * node + (1 if left else 2)
        score += values[node - len(nodes)]
    return [score]


def assigned(**kwargs):
    layer = BoostedTrees(TREES, DEPTH, **kwargs)
    layer.assign(NODES, THRESHOLDS, VALUES, BIAS)
    return layer


def test_layer_contract():
    arguments = {"trees": TREES, "depth": DEPTH}
    found = check_layer(BoostedTrees, arguments, X, (9, 1), 0, 4)
    np.testing.assert_array_equal(found, 0)


@pytest.mark.parametrize("mode", MODES)
def test_values_by_loops(mode):
    """Some features are equal to thresholds."""
    found = run(assigned(), X, mode=mode)
    np.testing.assert_allclose(found, list(map(by_loops, X)), rtol=1e-5)


def test_mixed_precision_does_not_round_features():
    close = (np.float32(1), np.nextafter(np.float32(1), np.float32(2)))
    layer = BoostedTrees(1, 1, dtype="mixed_float16")
    layer.assign([[0]], [[1.0]], [[0.0, 1.0]], 0.0)
    found = run(layer, np.array(close)[:, None])
    np.testing.assert_array_equal(found, [[0], [1]])


@pytest.mark.once
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"features": [[0]]}, r"`features` must be .* shape \(3, 3\)"),
        ({"features": -NODES - 1}, "numbers of features, from 0"),
        ({"values": VALUES + np.inf}, "`values` must be finite"),
        ({"bias": [1.0]}, r"`bias` must be .* shape \(\)"),
    ],
)
def test_rejects_arrays(given, message):
    trees = {
        **{"features": NODES, "thresholds": THRESHOLDS},
        **{"values": VALUES, "bias": BIAS},
    }
    with pytest.raises(ValueError, match=message):
        assigned().assign(**{**trees, **given})
