"""What every layer of the project must pass, whatever it computes."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import keras
import numpy as np
from keras import ops


def check_layer(
    layer_class,
    arguments,
    inputs,
    output_shape,
    trainable_weights=0,
    non_trainable_weights=0,
    mixed_precision_tolerance=0.05,
):
    """Checks a layer's configuration, weights, shapes, training and saving.

    Args:
        layer_class: a `keras.layers.Layer` that takes one call argument.
        arguments: the constructor's arguments, as a dict.
        inputs: an array, or a list or dict of arrays, to call the layer on;
            the first axis is the batch.
        output_shape: the shape expected for these inputs.
        trainable_weights: expected number of trainable weights.
        non_trainable_weights: expected number of weights that are not.
        mixed_precision_tolerance: largest difference, relative to the largest
            output, between float32 and mixed precision; None skips this check
            (for layers whose output is random or an index).

    Returns:
        The layer's output for `inputs`, a NumPy array.
    """
    layer = layer_class(**arguments)
    output = ops.convert_to_numpy(layer(inputs))

    assert output.shape == output_shape
    assert len(layer.trainable_weights) == trainable_weights
    assert len(layer.non_trainable_weights) == non_trainable_weights
    _check_config(layer, inputs)
    model = _check_symbolic_shape(layer, inputs, output_shape)
    _check_reload(model, inputs)
    _check_training(layer_class(**arguments), inputs)
    if mixed_precision_tolerance is not None:
        _check_mixed_precision(layer, inputs, mixed_precision_tolerance)
    return output


def gradients(function, *arrays):
    """Gradients of the sum of `function(*arrays)`, on any backend.

    Args:
        function: takes as many tensors as there are arrays, returns a tensor.
        arrays: floating point NumPy arrays.

    Returns:
        One NumPy array for each argument.
    """
    if keras.backend.backend() == "tensorflow":
        import tensorflow as tf

        tensors = [tf.convert_to_tensor(array) for array in arrays]
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            total = ops.sum(function(*tensors))
        found = tape.gradient(total, tensors)
    elif keras.backend.backend() == "jax":
        import jax

        found = jax.grad(
            lambda *tensors: ops.sum(function(*tensors)),
            argnums=tuple(range(len(arrays))),
        )(*arrays)
    else:
        tensors = [ops.convert_to_tensor(a).requires_grad_() for a in arrays]
        ops.sum(function(*tensors)).backward()
        found = [tensor.grad for tensor in tensors]
    return [ops.convert_to_numpy(gradient) for gradient in found]


def _check_config(layer, inputs):
    config = json.loads(json.dumps(layer.get_config()))
    assert type(layer).from_config(config).get_config() == layer.get_config()

    serialized = keras.saving.serialize_keras_object(layer)
    revived = keras.saving.deserialize_keras_object(
        json.loads(json.dumps(serialized))
    )
    assert isinstance(revived, type(layer))
    revived(inputs)
    shapes = [weight.shape for weight in layer.weights]
    assert [weight.shape for weight in revived.weights] == shapes


def _check_symbolic_shape(layer, inputs, output_shape):
    symbolic = keras.tree.map_structure(
        lambda x: keras.Input(x.shape[1:], dtype=x.dtype), inputs
    )
    output = layer(symbolic)
    assert output.shape == (None, *output_shape[1:])
    assert keras.backend.standardize_dtype(
        output.dtype
    ) == keras.backend.standardize_dtype(layer(inputs).dtype)
    shapes = keras.tree.map_structure(lambda x: x.shape, inputs)
    assert tuple(layer.compute_output_shape(shapes)) == output_shape
    return keras.Model(symbolic, output)


def _check_reload(model, inputs):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.keras"
        model.save(path)
        reloaded = keras.models.load_model(path)
    np.testing.assert_array_equal(
        model.predict(inputs, verbose=0), reloaded.predict(inputs, verbose=0)
    )


def _check_training(layer, inputs):
    """One step of `fit` leaves weights finite and moves the trainable ones.

    A dense layer follows, so that there is something to train even when the
    layer has no weights of its own.
    """
    symbolic = keras.tree.map_structure(
        lambda x: keras.Input(x.shape[1:], dtype=x.dtype), inputs
    )
    flat = keras.layers.Flatten()(layer(symbolic))
    model = keras.Model(symbolic, keras.layers.Dense(1)(flat))
    model.compile(keras.optimizers.SGD(0.1), loss="mse")
    before = [ops.convert_to_numpy(w).copy() for w in layer.trainable_weights]
    batch_size = keras.tree.flatten(inputs)[0].shape[0]
    target = np.linspace(-1, 1, batch_size, dtype="float32")[:, None]
    history = model.fit(inputs, target, batch_size=batch_size, verbose=0)

    assert np.isfinite(history.history["loss"]).all()
    for weight in model.weights:
        assert np.isfinite(ops.convert_to_numpy(weight)).all(), weight.path
    for weight, old in zip(layer.trainable_weights, before, strict=True):
        assert (ops.convert_to_numpy(weight) != old).any(), weight.path


def _check_mixed_precision(layer, inputs, tolerance):
    expected = ops.convert_to_numpy(layer(inputs)).astype("float32")
    for policy in ("mixed_bfloat16", "mixed_float16"):
        config = {**layer.get_config(), "dtype": policy}
        mixed = type(layer).from_config(config)
        mixed(inputs)
        for weight, old in zip(mixed.weights, layer.weights, strict=True):
            assert keras.backend.standardize_dtype(weight.dtype) == (
                keras.backend.standardize_dtype(old.dtype)
            )
            weight.assign(old)
        # The dtype first: NumPy has no bfloat16.
        output = ops.convert_to_numpy(ops.cast(mixed(inputs), "float32"))
        scale = max(np.abs(expected).max(), 1e-6)
        np.testing.assert_allclose(
            output / scale, expected / scale, atol=tolerance, err_msg=policy
        )
