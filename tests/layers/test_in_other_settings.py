"""Layers with settings of Keras that users choose and the models do not."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa import layers as kit
from support.all_layers import ARGUMENTS
from support.all_layers import inputs_of

RANDOM = np.random.default_rng(0)
BACKEND = keras.backend.backend()
# Without float16 on JAX and PyTorch: Keras begins them orthogonally.
RECURRENT = {"AttentiveBiLSTM", "InnerAttentionGRU", "SequentialAttention"}
# Layers that take vectors with any leading axes.
OF_VECTORS = {
    *("BallProjection", "EinsteinMidpoint", "FeatureStandardization"),
    *("LorentzPoints", "SoftmaxBlock", "TangentProjection", "WordProjection"),
}


def floats(*shape):
    return RANDOM.normal(size=shape).astype(np.float32)


@pytest.mark.once
@pytest.mark.parametrize(
    "layer, inputs",
    [
        (kit.NeuralTensor(2), [floats(1, 3)] * 2),
        (kit.KMaxInteractions(2, "tensor", 2), [floats(1, 2, 3)] * 2),
        (kit.InteractivePooling(), [floats(1, 2, 3)] * 2),
    ],
)
def test_weights_of_one_initialiser_start_apart(layer, inputs):
    layer(inputs)
    starts = [
        np.ravel(ops.convert_to_numpy(weight))[:3]
        for weight in layer.weights
        if "bias" not in weight.name
    ]
    assert len(starts) == 2 and np.ptp(starts[0] / starts[1]) > 1e-3


@pytest.mark.once
@pytest.mark.parametrize(
    "make",
    [
        lambda start: kit.WordProjection(3, kernel_initializer=start),
        lambda start: kit.SelfAttentivePooling(3, kernel_initializer=start),
        lambda start: kit.NGramDenseBlock(3, 2, kernel_initializer=start),
    ],
)
def test_an_initialiser_may_be_a_function(make):
    layer = make(lambda shape, dtype=None: ops.ones(shape, dtype))
    layer(floats(2, 5, 4))
    assert (ops.convert_to_numpy(layer.weights[0]) == 1).all()


@pytest.mark.parametrize(
    "layer, inputs",
    [
        (kit.NGramDenseBlock(5, 2), floats(2, 5, 5)),
        (kit.PairConvolution(5, 2), [floats(2, 5, 5)] * 2),
    ],
)
def test_channels_are_last_whatever_keras_is_told(layer, inputs):
    expected = ops.convert_to_numpy(layer(inputs))
    keras.config.set_image_data_format("channels_first")
    try:
        found = ops.convert_to_numpy(layer(inputs))
    finally:
        keras.config.set_image_data_format("channels_last")
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.once
@pytest.mark.parametrize(
    "convolution",
    [
        kit.NarrowConvolution,
        kit.WideConvolution,
        kit.GatedConvolution,
        kit.GatedConvolution2D,
    ],
)
def test_windows_have_no_gaps(convolution):
    with pytest.raises(ValueError, match="`dilation_rate` must be 1"):
        convolution(4, 3, dilation_rate=2)


@pytest.mark.parametrize(
    "layer",
    [kit.CosineSimilarity(), kit.GESD(), kit.LogCosineDistance()],
)
def test_one_vector_is_compared_with_many(layer):
    pair = [floats(2, 1, 4), floats(2, 7, 4)]
    symbols = [keras.KerasTensor(x.shape) for x in pair]
    assert layer(symbols).shape == tuple(layer(pair).shape) == (2, 7, 1)


def test_no_window_fits_a_text_that_is_shorter():
    windows, _ = kit.WindowPooling(4)(keras.KerasTensor((None, 2, 3)))
    assert windows.shape == (None, 0, 3)


@pytest.mark.once
def test_an_encoder_of_its_own_reads_texts_of_two_lengths():
    lstm = keras.layers.LSTM(4, return_sequences=True)
    layer = kit.AttentiveBiLSTM(encoder=keras.Sequential([lstm]))
    question, answer = layer([floats(2, 7, 5), floats(2, 4, 5)])
    assert tuple(question.shape) == tuple(answer.shape) == (2, 4)


@pytest.mark.once
def test_what_is_no_tensor_is_named():
    with pytest.raises(ValueError, match=r"shapes=.*answer_states': \[\["):
        kit.InteractiveAttention(["answer"])({"answer_states": [[[1.0, 2.0]]]})


@pytest.mark.once
def test_quantizing_leaves_relations_as_they_are():
    inputs = [keras.Input((3, 5)), keras.Input((4, 5))]
    model = keras.Model(inputs, kit.RelationSum(3, depth=1)(inputs))
    pair = [floats(2, 3, 5), floats(2, 4, 5)]
    before = ops.convert_to_numpy(model(pair))
    model.quantize("int8")
    after = ops.convert_to_numpy(model(pair))
    np.testing.assert_allclose(after, before, rtol=1e-5)


def dtypes(outputs):
    return [
        keras.backend.standardize_dtype(output.dtype)
        for output in keras.tree.flatten(outputs)
    ]


@pytest.mark.parametrize("dtype", ["mixed_bfloat16", "float16", "float64"])
@pytest.mark.parametrize("name", kit.__all__)
def test_symbolic_outputs_have_the_dtypes_of_outputs(name, dtype):
    if BACKEND != "tensorflow" and dtype == "float16" and name in RECURRENT:
        pytest.skip("no orthogonal matrices in float16")
    if BACKEND == "jax" and dtype == "float64":
        pytest.skip("JAX needs a flag for float64")
    layer = getattr(kit, name)(**ARGUMENTS.get(name, {}), dtype=dtype)
    inputs = inputs_of(name)
    symbols = keras.tree.map_structure(
        lambda x: keras.KerasTensor(x.shape, str(x.dtype)), inputs
    )
    expected = dtypes(layer(symbols))
    if BACKEND == "jax":
        import jax

        assert dtypes(jax.eval_shape(layer, inputs)) == expected
    else:
        assert dtypes(layer(inputs)) == expected
    if dtype == "float64":
        assert "float32" not in expected


@pytest.mark.once
@pytest.mark.parametrize(
    "name",
    [
        name
        for name in sorted({*kit.__all__} - {*OF_VECTORS})
        if not isinstance(inputs_of(name), dict)
        and getattr(getattr(kit, name), "alone", True)
    ],
)
def test_another_number_of_axes_is_refused(name):
    inputs = inputs_of(name)
    right = inputs[0] if isinstance(inputs, list) else inputs
    for wrong in (right[0], right[None], right):
        layer = getattr(kit, name)(**ARGUMENTS.get(name, {}))
        if wrong is right:
            layer(right)
            wrong = right[None]
        with pytest.raises(ValueError) as caught:
            layer(wrong)
        message = str(caught.value)
        assert layer.name in message or name in message
        assert str(wrong.shape) in message


@pytest.mark.once
@pytest.mark.parametrize("name", kit.__all__)
def test_the_layers_of_a_layer_are_layers(name):
    """`summary(expand_nested=True)` goes through them."""
    layer = getattr(kit, name)(**ARGUMENTS.get(name, {}))
    for part in getattr(layer, "layers", []):
        assert isinstance(part, keras.layers.Layer)


def cast_ids(name, dtype):
    """The inputs of a layer with ids of a type, and whether it has any."""
    inputs = inputs_of(name)
    cast = keras.tree.map_structure(
        lambda x: x.astype(dtype) if x.dtype == "int32" else x, inputs
    )
    flat = keras.tree.flatten(inputs)
    return inputs, cast, any(x.dtype == "int32" for x in flat)


OF_IDS = [name for name in kit.__all__ if cast_ids(name, "int32")[2]]


@pytest.mark.parametrize("dtype", ["uint8", "int64"])
@pytest.mark.parametrize("name", OF_IDS)
def test_ids_are_of_any_integer_type(name, dtype):
    layer = getattr(kit, name)(**ARGUMENTS[name])
    inputs, cast, _ = cast_ids(name, dtype)
    for expected, found in zip(
        keras.tree.flatten(layer(inputs)),
        keras.tree.flatten(layer(cast)),
        strict=True,
    ):
        np.testing.assert_array_equal(
            ops.convert_to_numpy(expected), ops.convert_to_numpy(found)
        )


@pytest.mark.parametrize(
    "name",
    [
        *("AlignmentFeatures", "BM25", "InteractiveAttention"),
        *("TextVectors", "TfIdf", "WordPrediction"),
    ],
)
def test_ids_that_are_looked_up_are_integers(name):
    layer = getattr(kit, name)(**ARGUMENTS[name])
    with pytest.raises(ValueError, match=r"must be integers.*dtype=float32"):
        layer(cast_ids(name, "float32")[1])
