"""QRNNLayer as a layer of Keras: configuration, shapes, models, saving."""

import keras
import numpy as np
import pytest

from keras_qa.layers import QRNNLayer
from support.layer_checks import check_layer
from support.qrnn_reference import qrnn_batch
from support.recurrent_checks import UNITS
from support.recurrent_checks import M
from support.recurrent_checks import close
from support.recurrent_checks import normal
from support.recurrent_checks import to_numpy


@pytest.mark.parametrize(
    "pooling, return_sequences",
    [("f", True), ("fo", False), ("ifo", True)],
)
def test_layer_contract(pooling, return_sequences):
    check_layer(
        QRNNLayer,
        {
            "units": UNITS,
            "pooling": pooling,
            "return_sequences": return_sequences,
            "use_bias": True,
        },
        normal(2, 5, M),
        (2, 5, UNITS) if return_sequences else (2, UNITS),
        trainable_weights=2,
    )


@pytest.mark.parametrize("kernel_size", [1, 2])
def test_contract_of_the_returned_state(kernel_size):
    states = [(2, UNITS), (2, kernel_size - 1, M)][:kernel_size]
    check_layer(
        QRNNLayer,
        {"units": UNITS, "kernel_size": kernel_size, "return_state": True},
        normal(2, 5, M),
        [(2, UNITS), *states],
        trainable_weights=1,
    )


@pytest.mark.once
def test_all_arguments_survive_the_configuration():
    arguments = {
        "units": 5,
        "kernel_size": 3,
        "pooling": "ifo",
        "activation": "relu",
        "recurrent_activation": "hard_sigmoid",
        "use_bias": True,
        "zoneout": 0.1,
        "dropout": 0.2,
        "return_sequences": True,
        "return_state": True,
        "go_backwards": True,
        "kernel_initializer": "orthogonal",
        "bias_initializer": "ones",
        "kernel_regularizer": keras.regularizers.L2(0.5),
        "bias_regularizer": keras.regularizers.L1(0.5),
        "kernel_constraint": keras.constraints.MaxNorm(1),
        "bias_constraint": keras.constraints.NonNeg(),
        "seed": 7,
        "name": "reader",
    }
    layer = QRNNLayer(**arguments)
    layer.build((None, None, 2))
    config = layer.get_config()
    for name in arguments:
        assert name in config
    for name in ("units", "pooling", "zoneout", "dropout", "seed", "name"):
        assert config[name] == arguments[name]
    revived = QRNNLayer.from_config(config)
    assert revived.get_config() == config
    np.testing.assert_array_equal(to_numpy(layer.bias), np.ones(20))
    assert isinstance(layer.kernel.constraint, keras.constraints.MaxNorm)
    assert isinstance(layer.bias.constraint, keras.constraints.NonNeg)
    penalty = 0.5 * (to_numpy(layer.kernel) ** 2).sum() + 0.5 * 20
    close(sum(layer.losses), penalty)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"pooling": "fio"}, r"`pooling`.*Received: pooling='fio'"),
        ({"units": 0}, r"`units`.*Received: units=0"),
        ({"kernel_size": 0}, r"`kernel_size`.*Received: kernel_size=0"),
        ({"zoneout": 1.5}, r"`zoneout`.*Received: zoneout=1.5"),
        ({"dropout": -0.1}, r"`dropout`.*Received: dropout=-0.1"),
    ],
)
def test_rejects_a_wrong_argument(arguments, message):
    with pytest.raises(ValueError, match=message):
        QRNNLayer(**{"units": 2, **arguments})


@pytest.mark.once
def test_rejects_inputs_of_unknown_size():
    with pytest.raises(ValueError, match="must have a known size"):
        QRNNLayer(2).build((None, None, None))


@pytest.mark.once
def test_computed_shapes_of_outputs_and_states():
    layer = QRNNLayer(
        UNITS, kernel_size=3, return_state=True, return_sequences=True
    )
    shapes = layer.compute_output_shape((2, None, M))
    assert [tuple(shape) for shape in shapes] == [
        (2, None, UNITS),
        (2, UNITS),
        (2, 2, M),
    ]


def test_symbolic_states():
    inputs = keras.Input((None, M))
    state = [keras.Input((UNITS,)), keras.Input((1, M))]
    layer = QRNNLayer(UNITS, return_state=True, return_sequences=True)
    outputs = layer(inputs, initial_state=state)
    assert [output.shape for output in outputs] == [
        (None, None, UNITS),
        (None, UNITS),
        (None, 1, M),
    ]
    model = keras.Model([inputs, *state], outputs)
    sequences = normal(2, 5, M)
    given = [normal(2, UNITS, seed=3), normal(2, 1, M, seed=4)]
    found, *_ = model.predict([sequences, *given], verbose=0)
    kernel = layer.get_weights()[0].astype("float64")
    expected, _, _ = qrnn_batch(sequences, kernel, state=given)
    close(found, expected)


@pytest.mark.parametrize("length, jit_compile", [(5, False), (None, True)])
def test_one_step_of_fit_in_a_functional_model(length, jit_compile):
    if jit_compile and keras.backend.backend() == "torch":
        pytest.skip("on PyTorch jit_compile is torch.compile, not XLA")
    inputs = keras.Input((length, M))
    masked = keras.layers.Masking()(inputs)
    layer = QRNNLayer(UNITS, zoneout=0.1, dropout=0.1, return_sequences=True)
    states = layer(masked)
    assert states.shape == (None, length, UNITS)
    pooled = keras.layers.GlobalAveragePooling1D()(states)
    model = keras.Model(inputs, keras.layers.Dense(1)(pooled))
    model.compile("sgd", "mse", jit_compile=jit_compile)
    sequences = normal(4, 5, M)
    sequences[0, 3:] = 0
    before = layer.get_weights()[0]
    history = model.fit(sequences, np.ones((4, 1)), verbose=0)
    assert np.isfinite(history.history["loss"]).all()
    assert (layer.get_weights()[0] != before).any()
    assert model.predict(sequences, verbose=0).shape == (4, 1)


def test_training_with_zoneout_and_dropout_reloads(tmp_path):
    inputs = keras.Input((None, M))
    x = QRNNLayer(UNITS, zoneout=0.2, dropout=0.2, seed=1)(inputs)
    model = keras.Model(inputs, keras.layers.Dense(1)(x))
    model.compile("adam", "mse")
    sequences = normal(4, 5, M)
    history = model.fit(sequences, np.ones((4, 1)), verbose=0)
    assert np.isfinite(history.history["loss"]).all()
    scores = model.predict(sequences, verbose=0)
    model.save(tmp_path / "model.keras")
    reloaded = keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(
        reloaded.predict(sequences, verbose=0), scores
    )
