"""CrossTemporalLayer as a layer of Keras: configuration, models, saving."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa.layers import BagOfWords
from keras_qa.layers import CrossTemporalLayer
from keras_qa.layers import QRNNLayer
from support.layer_checks import check_layer
from support.layer_checks import quick_call
from support.recurrent_checks import UNITS
from support.recurrent_checks import M
from support.recurrent_checks import close
from support.recurrent_checks import crossed_layer
from support.recurrent_checks import normal
from support.recurrent_checks import to_numpy


def test_layer_contract():
    check_layer(
        CrossTemporalLayer,
        {"units": UNITS, "use_bias": True},
        [normal(2, 3, M), normal(2, 5, M, seed=1)],
        [(2, 3, UNITS), (2, 5, UNITS)],
        trainable_weights=2,
    )


@pytest.mark.once
def test_all_arguments_survive_the_configuration():
    arguments = {
        "units": 5,
        "kernel_size": 3,
        "crossed_input": "partner",
        "alignment": "padded",
        "activation": "relu",
        "recurrent_activation": "hard_sigmoid",
        "use_bias": True,
        "zoneout": 0.1,
        "dropout": 0.2,
        "kernel_initializer": "orthogonal",
        "bias_initializer": "ones",
        "kernel_regularizer": keras.regularizers.L2(0.5),
        "bias_regularizer": keras.regularizers.L1(0.5),
        "kernel_constraint": keras.constraints.MaxNorm(1),
        "bias_constraint": keras.constraints.NonNeg(),
        "seed": 7,
        "name": "pair_reader",
    }
    layer = CrossTemporalLayer(**arguments)
    layer.build([(None, None, 2), (None, None, 2)])
    config = layer.get_config()
    for name in arguments:
        assert name in config
    for name in ("crossed_input", "alignment", "kernel_size", "zoneout"):
        assert config[name] == arguments[name]
    assert CrossTemporalLayer.from_config(config).get_config() == config
    penalty = 0.5 * (to_numpy(layer.kernel) ** 2).sum() + 0.5 * 15
    close(sum(layer.losses), penalty)


@pytest.mark.parametrize("use_bias", [False, True])
@pytest.mark.parametrize("kernel_size", [1, 2, 3])
def test_no_parameter_more_than_the_qrnn(kernel_size, use_bias):
    crossed, _ = crossed_layer(kernel_size=kernel_size, use_bias=use_bias)
    plain = QRNNLayer(UNITS, kernel_size=kernel_size, use_bias=use_bias)
    plain.build((None, None, M))
    assert [tuple(weight.shape) for weight in crossed.weights] == [
        tuple(weight.shape) for weight in plain.weights
    ]


@pytest.mark.once
def test_the_parameters_of_the_paper():
    # 3 k d m with k = 2, d = 512 and m = 300 (complexity analysis).
    layer = CrossTemporalLayer(512)
    layer.build([(None, None, 300), (None, None, 300)])
    assert layer.count_params() == 3 * 2 * 512 * 300


@pytest.mark.parametrize(
    "arguments, message",
    [
        (
            {"crossed_input": "z"},
            r"`crossed_input`.*Received: crossed_input='z",
        ),
        ({"alignment": "even"}, r"`alignment`.*Received: alignment='even'"),
        ({"units": 0}, r"`units`.*Received: units=0"),
        ({"kernel_size": 0}, r"`kernel_size`.*Received: kernel_size=0"),
        ({"zoneout": -0.1}, r"`zoneout`.*Received: zoneout=-0.1"),
        ({"dropout": 1.5}, r"`dropout`.*Received: dropout=1.5"),
    ],
)
def test_rejects_a_wrong_argument(arguments, message):
    with pytest.raises(ValueError, match=message):
        CrossTemporalLayer(**{"units": 2, **arguments})


def _functional_model(**kwargs):
    tokens = [keras.Input((None,), dtype="int32") for _ in range(2)]
    embedding = keras.layers.Embedding(20, M, mask_zero=True)
    layer = CrossTemporalLayer(UNITS, **kwargs)
    joint = layer([embedding(token) for token in tokens])
    assert [j.shape for j in joint] == [(None, None, UNITS)] * 2
    pooled = [BagOfWords("mean")(j) for j in joint]
    score = keras.layers.Dense(1)(keras.layers.Concatenate()(pooled))
    return keras.Model(tokens, score), layer


def test_one_step_of_fit_in_a_functional_model(tmp_path):
    # In a graph that XLA does not compile, `check_layer` trains it.
    model, layer = _functional_model(zoneout=0.1, dropout=0.1)
    # On PyTorch it would be torch.compile.
    jit_compile = keras.backend.backend() != "torch"
    model.compile("sgd", "mse", jit_compile=jit_compile)
    tokens = np.random.default_rng(0).integers(1, 20, (2, 4, 5))
    tokens[0, :, 3:], tokens[1, 0, 1:], tokens[1, 1] = 0, 0, 0
    before = layer.get_weights()[0]
    history = model.fit([*tokens], np.ones((4, 1)), verbose=0)
    assert np.isfinite(history.history["loss"]).all()
    assert (layer.get_weights()[0] != before).any()
    scores = model.predict([*tokens], verbose=0)
    # Cut to the longest question: padding changes nothing here either.
    # Without `predict`, for which XLA would compile other lengths anew.
    cut = quick_call(model, [tokens[0][:, :3], tokens[1]])
    np.testing.assert_allclose(ops.convert_to_numpy(cut), scores, atol=1e-6)
    model.save(tmp_path / "model.keras")
    reloaded = keras.models.load_model(tmp_path / "model.keras")
    # Not compiled, the last bit may differ.
    np.testing.assert_allclose(
        ops.convert_to_numpy(quick_call(reloaded, [*tokens])),
        scores,
        rtol=1e-6,
    )
