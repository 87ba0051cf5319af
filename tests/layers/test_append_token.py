"""AppendToken: the layer contract, where the token goes, dtypes, errors."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa.layers import AppendToken
from support.layer_checks import MODES
from support.layer_checks import check_layer
from support.layer_checks import run

IDS = np.array([[5, 7, 0], [0, 0, 0], [3, 2, 4], [1, 0, 0]], "int32")
CLOSED = [[5, 7, 9, 0], [9, 0, 0, 0], [3, 2, 4, 9], [1, 9, 0, 0]]


def test_layer_contract():
    output = check_layer(AppendToken, {"token_id": 9}, IDS, (4, 4))
    np.testing.assert_array_equal(output, CLOSED)


@pytest.mark.parametrize("mode", MODES)
def test_padding_changes_nothing(mode):
    layer = AppendToken(9)
    wide = np.pad(IDS, ((0, 0), (0, 2)))
    if mode == "graph":
        output = keras.Model(
            inputs := keras.Input((None,), dtype="int32"), layer(inputs)
        ).predict(wide, verbose=0)
    else:
        output = run(layer, wide, mode=mode)
    np.testing.assert_array_equal(output, np.pad(CLOSED, ((0, 0), (0, 2))))


@pytest.mark.parametrize("dtype", ["int16", "int32"])
def test_keeps_the_dtype_of_the_ids(dtype):
    output = AppendToken(9)(ops.convert_to_tensor(IDS, dtype))
    assert keras.backend.standardize_dtype(output.dtype) == dtype
    symbolic = AppendToken(9)(keras.Input((None,), dtype=dtype))
    assert (symbolic.dtype, symbolic.shape) == (dtype, (None, None))


def test_rejects_padding_as_token():
    with pytest.raises(ValueError, match=r"`token_id` must be .*token_id=0"):
        AppendToken(0)
