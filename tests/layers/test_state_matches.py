"""StateMatches against loops over tokens."""

import numpy as np
import pytest

from keras_qa.layers import StateMatches
from support.layer_checks import MODES
from support.layer_checks import check_layer
from support.layer_checks import run

STATES = np.random.default_rng(0).normal(size=(3, 6, 5)).astype("float32")
# Between special tokens and padding; no question; no answer.
ASKED = np.array([[0, 1, 1, 0, 0, 0], [0] * 6, [0, 1, 0, 0, 0, 0]], bool)
ANSWERED = np.array([[0, 0, 0, 0, 1, 1], [0, 1, 1, 0, 0, 0], [0] * 6], bool)


def cosine(a, b):
    return a @ b / np.linalg.norm(a) / np.linalg.norm(b)


def expected():
    found = np.zeros((3, 3))
    question, answer = STATES[0][ASKED[0]], STATES[0][ANSWERED[0]]
    each = np.array([[cosine(h, g) for g in answer] for h in question])
    found[0] = [
        cosine(question.mean(axis=0), answer.mean(axis=0)),
        each.max(axis=1).mean(),
        each.max(axis=0).mean(),
    ]
    return found


@pytest.mark.parametrize("mode", MODES)
def test_the_features(mode):
    layer = StateMatches()
    found = run(
        lambda *inputs: layer(list(inputs)),
        *(STATES, ASKED, ANSWERED),
        mode=mode,
    )
    np.testing.assert_allclose(found, expected(), rtol=1e-5, atol=1e-6)


def test_layer_contract():
    check_layer(StateMatches, {}, [STATES, ASKED, ANSWERED], (3, 3))
