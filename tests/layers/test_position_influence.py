"""PositionInfluence against loops over the positions of an answer."""

import numpy as np
import pytest

from keras_qa.layers import PositionInfluence
from support.layer_checks import COMPILED
from support.layer_checks import check_layer
from support.layer_checks import run
from support.memory_reference import position_influence

# A word twice; no common word but the unknown one; no words in either text.
QUESTION = np.array([[3, 7, 3], [1, 4, 0], [0, 0, 0], [5, 6, 0]], "int32")
ANSWER = np.array(
    [[3, 2, 8, 7, 3], [1, 1, 2, 0, 0], [9, 2, 0, 0, 0], [0] * 5], "int32"
)


def test_layer_contract():
    output = check_layer(
        PositionInfluence,
        {"units": 3, "sigma": 2.0, "max_distance": 3},
        [QUESTION, ANSWER],
        (4, 5, 3),
        non_trainable_weights=1,
        mixed_precision_tolerance=1e-6,
    )
    assert (output[1:] == 0).all()


@pytest.mark.parametrize("mode", COMPILED)
def test_the_equations(mode):
    layer = PositionInfluence(3, sigma=2.0, noise=0.5, max_distance=2)
    layer.build([QUESTION.shape, ANSWER.shape])
    (noise,) = map(np.array, layer.get_weights())
    found = run(lambda q, a: layer([q, a]), QUESTION, ANSWER, mode=mode)
    expected = position_influence(QUESTION[0], ANSWER[0], noise, 2.0)
    np.testing.assert_allclose(found[0], expected, rtol=1e-5)


@pytest.mark.once
def test_the_noise_has_the_deviation():
    layer = PositionInfluence(300, noise=0.1)
    layer.build([(1, 1), (1, 1)])
    assert layer.drawn.shape == (101, 300)
    assert np.std(layer.get_weights()[0]) == pytest.approx(0.1, rel=0.03)


@pytest.mark.once
@pytest.mark.parametrize("wrong", [{"sigma": 0}, {"noise": -0.1}])
def test_rejects_a_kernel_without_width(wrong):
    with pytest.raises(ValueError, match="`sigma` must be positive and `noise"):
        PositionInfluence(3, **wrong)


def test_padding_of_an_answer_has_no_influence():
    layer = PositionInfluence(3, sigma=2.0)
    texts = np.array([[3]]), np.array([[3, 0]])
    found = run(lambda q, a: layer([q, a]), *texts)
    assert found[0, 0].any() and not found[0, 1].any()
