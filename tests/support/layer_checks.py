"""Checks that every layer of the project must pass."""

import functools
import json
from pathlib import Path
from tempfile import TemporaryDirectory

import keras
import numpy as np
from keras import ops

# Ways to run a function: eagerly, as a graph (on TensorFlow, with unknown
# lengths), and compiled by XLA. JAX compiles an eager call, too, by operations.
MODES = {
    "tensorflow": ["eager", "graph", "xla"],
    "jax": ["xla"],
}.get(keras.backend.backend(), ["eager"])

# For tests of something else. JAX compiles each operation of an eager call
# separately, which takes longer than to compile them together.
QUICKEST = "xla" if keras.backend.backend() == "jax" else "eager"

# What compiles a graph; eager calls where there is no such mode.
COMPILED = MODES[1:] or MODES


def by_turns(settings):
    """Tuples of settings, each with one of the modes of `COMPILED` in turn."""
    return [
        (*one, COMPILED[i % len(COMPILED)]) for i, one in enumerate(settings)
    ]


def one_compiled(settings):
    """Tuples of settings with a mode: all of `MODES` for the first setting.

    The others, which compile to the same but for values or sizes, have the
    mode `QUICKEST`.
    """
    return [
        *((*settings[0], mode) for mode in MODES),
        *((*one, QUICKEST) for one in settings[1:]),
    ]


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
        output_shape: the shape expected for these inputs; a list or dict of
            shapes for a layer with several outputs.
        trainable_weights: expected number of trainable weights.
        non_trainable_weights: expected number of non-trainable weights.
        mixed_precision_tolerance: largest difference, relative to the largest
            output, between float32 and mixed precision; None skips this check
            (for layers whose output is random or an index).

    Returns:
        The layer's output for `inputs`, a NumPy array, or a list of them.
    """
    layer = layer_class(**arguments)
    layer(_symbolic(inputs))
    output = _to_numpy(quick_call(layer, inputs))

    shapes = [tuple(x.shape) for x in keras.tree.flatten(output)]
    assert shapes == _list_of_shapes(output_shape)
    assert len(layer.trainable_weights) == trainable_weights
    assert len(layer.non_trainable_weights) == non_trainable_weights
    model = _check_symbolic_shape(layer, inputs, output_shape)
    # JAX would compile what is read again; there, models are saved and read.
    if keras.backend.backend() != "jax":
        _check_config(layer, inputs)
        _check_reload(model, inputs)
    _check_training(layer_class(**arguments), inputs)
    if mixed_precision_tolerance is not None:
        _check_mixed_precision(layer, inputs, mixed_precision_tolerance)
    return output


def run(function, *arrays, mode="eager"):
    """Calls `function(*arrays)` in one of `MODES`, with NumPy in and out."""
    if mode == "eager":
        output = function(*arrays)
    elif keras.backend.backend() == "tensorflow":
        output = _tf_function(function, arrays, mode)(*arrays)
    else:
        import jax

        output = jax.jit(function)(*arrays)
    return _to_numpy(output)


def quick_call(layer, *args, training=None, **kwargs):
    """Calls a built layer in the mode `QUICKEST`; other arguments are arrays.

    A compiled call does not change the layer's state, including its seeds.
    """
    if training is not None:
        kwargs["training"] = training
    if QUICKEST == "eager":
        return layer(*args, **kwargs)
    kwargs.pop("training", None)
    weights = [variable.value for variable in layer.trainable_variables]
    return _compiled_call(layer, training)(weights, args, kwargs)


@functools.lru_cache(maxsize=4)
def _compiled_call(layer, training):
    import jax

    fixed = {} if training is None else {"training": training}
    return jax.jit(
        lambda weights, args, kwargs: functional_call(
            layer, weights, *args, **kwargs, **fixed
        )
    )


def gradients(function, *arrays, mode="eager"):
    """Gradients of the sum of `function(*arrays)`, on any backend.

    Args:
        function: takes one tensor for each array and returns a tensor.
        arrays: floating point NumPy arrays.
        mode: one of `MODES`.

    Returns:
        One NumPy array for each argument.
    """
    if keras.backend.backend() == "tensorflow":
        import tensorflow as tf

        def differentiate(*tensors):
            with tf.GradientTape() as tape:
                tape.watch(tensors)
                total = ops.sum(function(*tensors))
            return tape.gradient(total, tensors)

        tensors = [tf.convert_to_tensor(array) for array in arrays]
        if mode != "eager":
            differentiate = _tf_function(differentiate, arrays, mode)
        found = differentiate(*tensors)
    elif keras.backend.backend() == "jax":
        import jax

        differentiate = jax.grad(
            lambda *tensors: ops.sum(function(*tensors)),
            argnums=tuple(range(len(arrays))),
        )
        found = (jax.jit(differentiate) if mode == "xla" else differentiate)(
            *arrays
        )
    else:
        tensors = [ops.convert_to_tensor(a).requires_grad_() for a in arrays]
        ops.sum(function(*tensors)).backward()
        found = [tensor.grad for tensor in tensors]
    return [ops.convert_to_numpy(gradient) for gradient in found]


def functional_call(layer, weights, *args, **kwargs):
    """Calls `layer` with other values of its trainable weights."""
    mapping = zip(layer.trainable_variables, weights, strict=True)
    with keras.StatelessScope(state_mapping=mapping):
        return layer(*args, **kwargs)


def _tf_function(function, arrays, mode):
    """Makes a `tf.function`: "graph" has unknown sizes, "xla" known ones."""
    import tensorflow as tf

    if mode == "xla":
        return tf.function(function, jit_compile=True)
    signature = [
        tf.TensorSpec(
            [None] * (array.ndim - 1) + [array.shape[-1]], array.dtype
        )
        for array in arrays
    ]
    return tf.function(function, input_signature=signature)


def _symbolic(inputs):
    if isinstance(inputs, dict):
        # Keras wants a dict's inputs to have the names of its keys.
        return {
            name: keras.Input(x.shape[1:], dtype=x.dtype, name=name)
            for name, x in inputs.items()
        }
    return keras.tree.map_structure(
        lambda x: keras.Input(x.shape[1:], dtype=x.dtype), inputs
    )


def _to_numpy(outputs):
    return keras.tree.map_structure(ops.convert_to_numpy, outputs)


def _shapes(outputs):
    return keras.tree.map_structure(lambda x: tuple(x.shape), outputs)


def _check_config(layer, inputs):
    config = json.loads(json.dumps(layer.get_config()))
    assert type(layer).from_config(config).get_config() == layer.get_config()

    serialized = keras.saving.serialize_keras_object(layer)
    revived = keras.saving.deserialize_keras_object(
        json.loads(json.dumps(serialized))
    )
    assert isinstance(revived, type(layer))
    revived(_symbolic(inputs))
    shapes = [weight.shape for weight in layer.weights]
    assert [weight.shape for weight in revived.weights] == shapes


def _check_symbolic_shape(layer, inputs, output_shape):
    symbolic = _symbolic(inputs)
    output = layer(symbolic)
    for found, computed, expected in zip(
        keras.tree.flatten(output),
        keras.tree.flatten(quick_call(layer, inputs)),
        _list_of_shapes(output_shape),
        strict=True,
    ):
        assert found.shape == (None, *expected[1:])
        assert keras.backend.standardize_dtype(
            found.dtype
        ) == keras.backend.standardize_dtype(computed.dtype)
    shapes = layer.compute_output_shape(_shapes(inputs))
    assert _list_of_shapes(shapes) == _list_of_shapes(output_shape)
    return keras.Model(symbolic, output)


def _list_of_shapes(shapes):
    """One shape, or several, as a list of tuples; of a dict, by its keys."""
    if isinstance(shapes, dict):
        shapes = [shapes[name] for name in sorted(shapes)]
    several = len(shapes) > 0 and isinstance(shapes[0], list | tuple)
    return [tuple(shape) for shape in (shapes if several else [shapes])]


def _check_reload(model, inputs):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.keras"
        model.save(path)
        reloaded = keras.models.load_model(path)
    for output, expected in zip(
        keras.tree.flatten(quick_call(reloaded, inputs)),
        keras.tree.flatten(quick_call(model, inputs)),
        strict=True,
    ):
        np.testing.assert_array_equal(
            ops.convert_to_numpy(output), ops.convert_to_numpy(expected)
        )


def _check_training(layer, inputs):
    """Checks that a step of `fit` changes trainable weights, to finite values.

    A dense layer follows, so that there are weights to train even if the layer
    has none.
    """
    symbolic = _symbolic(inputs)
    flat = [
        keras.layers.Flatten()(output)
        for output in keras.tree.flatten(layer(symbolic))
    ]
    flat = flat[0] if len(flat) == 1 else keras.layers.Concatenate()(flat)
    model = keras.Model(symbolic, keras.layers.Dense(1)(flat))
    # In a graph, on TensorFlow.
    model.compile(keras.optimizers.SGD(0.1), loss="mse", run_eagerly=False)
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
    expected = keras.tree.flatten(_to_numpy(quick_call(layer, inputs)))
    for policy in ("mixed_bfloat16", "mixed_float16"):
        config = {**layer.get_config(), "dtype": policy}
        mixed = type(layer).from_config(config)
        mixed(_symbolic(inputs))
        for weight, old in zip(mixed.weights, layer.weights, strict=True):
            assert keras.backend.standardize_dtype(weight.dtype) == (
                keras.backend.standardize_dtype(old.dtype)
            )
            weight.assign(old)
        for output, value in zip(
            keras.tree.flatten(quick_call(mixed, inputs)), expected, strict=True
        ):
            # The dtype first: NumPy has no bfloat16.
            output = ops.convert_to_numpy(ops.cast(output, "float32"))
            scale = max(np.abs(value).max(), 1e-6)
            np.testing.assert_allclose(
                output / scale,
                value.astype("float32") / scale,
                atol=tolerance,
                err_msg=policy,
            )
