"""KMaxPooling against sorted lists: order, masks, dynamic k."""

import math

import numpy as np
import pytest
from keras import ops

from keras_qa.layers import KMaxPooling
from support.layer_checks import check_layer
from support.layer_checks import gradients
from support.layer_checks import one_compiled
from support.layer_checks import run

RNG = np.random.default_rng(0)
# Negative, so that zeros and padding would be larger; some are equal.
X = -1 - RNG.integers(0, 5, (5, 6, 3)).astype("float32")
MASK = np.array(
    [[1] * 6, [1] * 4 + [0] * 2, [1] + [0] * 5, [0] * 6, [0, 1, 0, 1, 1, 0]],
    "bool",
)
# Fewer words than positions, as before a wide convolution.
WORDS = np.array([[1] * 4, [1, 1, 0, 0], [1, 0, 0, 0], [0] * 4, [1] * 4]) > 0


def largest(column, mask, k, ordered, width):
    """The k largest values of a column, the earlier of equal ones."""
    positions = [i for i in range(len(column)) if mask[i]]
    best = sorted(positions, key=lambda i: (-column[i], i))[:k]
    if ordered:
        best = sorted(best)
    values = [column[i] for i in best]
    return values + [0.0] * (width - len(values))


# That of the check's own layer, which reads outputs as they are.
@pytest.mark.filterwarnings("ignore:Layer 'flatten")
@pytest.mark.parametrize("ordered", [True, False])
def test_layer_contract(ordered):
    arguments = {"k": 2, "ordered": ordered}
    check_layer(KMaxPooling, arguments, X, (5, 2, 3))


@pytest.mark.once
@pytest.mark.filterwarnings("ignore:Layer 'flatten")
def test_the_contract_before_the_last_layer():
    arguments = {"k": 2, "layer": 1, "layers": 2}
    check_layer(KMaxPooling, arguments, [X, WORDS], (5, 6, 3))


@pytest.mark.parametrize(
    ("k", "ordered", "mode"),
    [
        *one_compiled([(9, True), (1, True), (3, True)]),
        *one_compiled([(3, False), (9, False)]),
    ],
)
def test_the_largest_values(k, ordered, mode):
    layer = KMaxPooling(k, ordered)
    output, taken = run(
        lambda x, mask: (layer(x, mask=mask), layer.compute_mask(x, mask)),
        X,
        MASK,
        mode=mode,
    )
    for row in range(5):
        for j in range(3):
            expected = largest(X[row, :, j], MASK[row], k, ordered, k)
            np.testing.assert_array_equal(output[row, :, j], expected)
        count = min(k, MASK[row].sum())
        np.testing.assert_array_equal(taken[row], np.arange(k) < count)


@pytest.mark.parametrize(
    ("layer_number", "layers", "mode"), one_compiled([(1, 3), (1, 2), (2, 3)])
)
def test_k_that_depends_on_the_number_of_words(layer_number, layers, mode):
    layer = KMaxPooling(2, layer=layer_number, layers=layers)

    def pool(x, mask, words):
        masks = [mask, None]
        return layer([x, words], mask=masks), layer.compute_mask(
            [x, words], masks
        )

    output, taken = run(pool, X, MASK, WORDS, mode=mode)
    for row in range(5):
        words = WORDS[row].sum()
        k = max(2, math.ceil((layers - layer_number) * words / layers))
        for j in range(3):
            expected = largest(X[row, :, j], MASK[row], k, True, 6)
            np.testing.assert_array_equal(output[row, :, j], expected)
        count = min(k, MASK[row].sum())
        np.testing.assert_array_equal(taken[row], np.arange(6) < count)


def test_gradients_go_to_the_values_taken():
    layer = KMaxPooling(2)
    (found,) = gradients(lambda x: layer(x, mask=MASK), X)
    for row in range(5):
        for j in range(3):
            positions = np.flatnonzero(MASK[row])
            best = sorted(positions, key=lambda i: (-X[row, i, j], i))[:2]
            expected = np.isin(np.arange(6), best)
            np.testing.assert_array_equal(found[row, :, j], expected)


@pytest.mark.once
def test_without_a_mask_all_positions_are_words():
    output = ops.convert_to_numpy(KMaxPooling(2)(X))
    for row in range(5):
        for j in range(3):
            expected = largest(X[row, :, j], [True] * 6, 2, True, 2)
            np.testing.assert_array_equal(output[row, :, j], expected)


@pytest.mark.once
def test_a_layer_after_the_last():
    with pytest.raises(
        ValueError, match=r"must not exceed .* layer=3, layers=2"
    ):
        KMaxPooling(2, layer=3, layers=2)


@pytest.mark.once
def test_the_words_may_be_missing_in_a_list():
    output, alone = KMaxPooling(2)([X]), KMaxPooling(2)(X)
    np.testing.assert_array_equal(*map(ops.convert_to_numpy, (output, alone)))
