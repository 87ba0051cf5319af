"""The learning rate of fine-tuning."""

import keras
import numpy as np
import pytest

from keras_qa.training.fine_tuning import LinearWarmUp
from keras_qa.training.fine_tuning import fine_tuning


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
    assert float(LinearWarmUp(2.0, 1.0, steps=1)(0)) == 1.0


@pytest.mark.once
@pytest.mark.parametrize("warm_up", [-0.1, 2.0, np.nan])
def test_a_share_that_is_none(warm_up):
    with pytest.raises(ValueError, match=f"Received: warm_up={warm_up}"):
        LinearWarmUp(1.0, warm_up)


def fitted(optimizer, callbacks, **options):
    """A linear model after a fit of two epochs of two steps."""
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile(optimizer, "mse")
    options = {"callbacks": callbacks, "epochs": 2, "verbose": 0, **options}
    x = np.ones((4, 3), np.float32)
    model.fit(x, x[:, 0], batch_size=2, **options)
    return lambda: model.fit(x, x[:, 0], batch_size=2, **options)


def test_a_second_fit_would_have_no_rate_left():
    optimizer, callbacks = fine_tuning(0.1)
    again = fitted(optimizer, callbacks)
    assert callbacks[0].schedule.steps == 4
    with pytest.raises(ValueError, match="is for one `fit`"):
        again()


@pytest.mark.once
def test_the_number_of_steps_must_be_known():
    _, (tell_steps,) = fine_tuning(0.1)
    tell_steps.set_params({"epochs": 2, "steps": None})
    with pytest.raises(ValueError, match="give `steps_per_epoch`"):
        tell_steps.on_train_begin()


@pytest.mark.once
def test_decay_spares_biases_and_normalisations():
    # The one step of a schedule of one has half of the rate: 0.05.
    optimizer, _ = fine_tuning(0.1, warm_up=1.0, weight_decay=0.5)
    names = ("kernel", "bias", "gamma", "beta")
    weights = [keras.Variable([2.0], name=name) for name in names]
    optimizer.apply([keras.ops.zeros(1)] * 4, weights)
    found = [float(weight.numpy()[0]) for weight in weights]
    assert found == pytest.approx([2 - 0.05 * 0.5 * 2, 2, 2, 2])


@pytest.mark.once
def test_long_gradients_are_cut_to_one():
    optimizer, _ = fine_tuning(0.1)
    kernel = keras.Variable([0.0, 0.0], name="kernel")
    optimizer.apply([keras.ops.convert_to_tensor([3.0, 4.0])], [kernel])
    (momentum,) = (v for v in optimizer.variables if "momentum" in v.path)
    # A tenth of (3, 4) / 5.
    np.testing.assert_allclose(momentum.numpy(), [0.06, 0.08], rtol=1e-5)
