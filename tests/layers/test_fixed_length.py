"""FixedLength: shorter and longer texts."""

import numpy as np
import pytest

from keras_qa.layers import FixedLength
from support.layer_checks import by_turns
from support.layer_checks import run

IDS = np.array([[5, 7, 9, 4], [8, 0, 0, 0]], "int32")


@pytest.mark.parametrize(("length", "mode"), by_turns([(3,), (4,), (6,)]))
def test_cuts_and_pads(length, mode):
    layer = FixedLength(length, dtype="int32")
    found = run(layer, IDS, mode=mode)
    expected = np.zeros((2, length), "int32")
    expected[:, : min(4, length)] = IDS[:, :length]
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == "int32"


@pytest.mark.once
def test_configuration():
    assert FixedLength.from_config(FixedLength(3).get_config()).length == 3
