"""WindowSums against loops over the words of a text."""

import numpy as np
import pytest

from keras_qa.layers import WindowSums
from support.layer_checks import by_turns
from support.layer_checks import check_layer
from support.layer_checks import run
from support.memory_reference import window_sums
from support.pair_texts import ASKED
from support.pair_texts import QUESTION


def test_layer_contract():
    check_layer(WindowSums, {"kernel_size": 2}, QUESTION, (4, 5, 3))


@pytest.mark.parametrize(("size", "mode"), by_turns([(1,), (2,), (3,), (9,)]))
def test_the_equations(size, mode):
    layer = WindowSums(size)
    found = run(lambda x: layer(x, mask=ASKED), QUESTION, mode=mode)
    for row, words in zip(range(4), ASKED, strict=True):
        expected = window_sums(QUESTION[row][words], size)
        np.testing.assert_allclose(
            found[row][words], expected, rtol=1e-5, atol=1e-6
        )
