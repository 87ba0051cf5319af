"""MaxSimilarity against loops over tokens."""

import numpy as np
import pytest

from keras_qa.layers import MaxSimilarity
from support.layer_checks import MODES
from support.layer_checks import check_layer
from support.layer_checks import run

RNG = np.random.default_rng(0)
QUESTION = RNG.normal(size=(4, 3, 5)).astype("float32")
ANSWER = RNG.normal(size=(4, 6, 5)).astype("float32")
# No padding, some, no question, no answer.
ASKED = np.array([[1, 1, 1], [1, 0, 1], [0, 0, 0], [1, 1, 0]], bool)
ANSWERED = np.array([[1] * 6, [1, 1, 0, 1, 0, 0], [1] * 6, [0] * 6], bool)


def expected(reduce, asked=ASKED, answered=ANSWERED):
    scores = []
    for i in range(4):
        best = [
            max([q @ a for a in ANSWER[i][answered[i]]], default=0.0)
            for q in QUESTION[i][asked[i]]
        ]
        total = sum(best)
        scores.append(total / max(1, len(best)) if reduce == "mean" else total)
    return np.array(scores)[:, None]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("reduce", ["sum", "mean"])
def test_the_best_match_of_each_token(reduce, mode):
    layer = MaxSimilarity(reduce)
    found = run(
        lambda q, a, m, n: layer([q, a], mask=[m, n]),
        *(QUESTION, ANSWER, ASKED, ANSWERED),
        mode=mode,
    )
    np.testing.assert_allclose(found, expected(reduce), rtol=1e-5, atol=1e-6)


def test_layer_contract():
    found = check_layer(MaxSimilarity, {}, [QUESTION, ANSWER], (4, 1))
    everything = np.ones((4, 6), bool)
    wanted = expected("sum", everything[:, :3], everything)
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


@pytest.mark.once
def test_errors():
    with pytest.raises(ValueError, match=r"`reduce` must be .*reduce='max'"):
        MaxSimilarity("max")
    with pytest.raises(ValueError, match="`inputs` must have one `dim`"):
        MaxSimilarity()([QUESTION, ANSWER[..., :4]])
