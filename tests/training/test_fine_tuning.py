"""The learning rate of fine-tuning."""

import keras
import numpy as np
import pytest

from keras_qa.training.fine_tuning import LinearWarmUp


@pytest.mark.once
def test_the_rate_rises_and_falls():
    rate = LinearWarmUp(2.0, 0.25, steps=7)
    found = [float(rate(step)) for step in range(7)]
    wanted = [1.0, 2.0, *(2 * (8 - i) / 6 for i in range(3, 8))]
    np.testing.assert_allclose(found, wanted, rtol=1e-6)
    config = keras.saving.serialize_keras_object(rate)
    copy = keras.saving.deserialize_keras_object(config)
    assert float(copy(3)) == found[3]
    assert float(LinearWarmUp(2.0, 0.0, steps=1)(0)) == 1.0
