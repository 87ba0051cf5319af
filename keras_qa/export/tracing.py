"""A model as a TensorFlow function of ids that converters accept.

Converters support fewer operations than TensorFlow, and only its plain loops.
While a model is traced here, the functions of the library that converters would
reject are replaced by equivalent ones.
"""

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import contextmanager
from typing import Any

import keras
import tensorflow as tf

from keras_qa import geometry
from keras_qa import hyperboloid
from keras_qa.errors import ExportError
from keras_qa.layers import circular_correlation
from keras_qa.layers import recurrence
from keras_qa.text.readable import UNREAD_SCORE
from keras_qa.text.reading import TextReading


def inputs_of(model: keras.Model) -> dict[str, Any]:
    """The symbolic inputs of a model by name, for a dict or a list of them."""
    if isinstance(model.input, dict):
        return dict(model.input)
    return {x.name: x for x in model.inputs}


def ids_function(
    model: keras.Model,
    reading: TextReading | None = None,
    shapes: Mapping[str, Sequence[int | None]] | None = None,
) -> tuple[Any, list[tf.TensorSpec]]:
    """Wraps a model, without tracing it yet.

    Args:
        model: a functional model with one output, or with a dict of outputs,
            the `"score"` among them.
        reading: how it reads text; answers that are not readable have the
            score `UNREAD_SCORE`.
        shapes: shapes of inputs, by name, that replace the model's.

    Returns:
        A `tf.function` of tensors in the order of `inputs_of`, which returns
        `{"score": ...}` in float32, with the other outputs, and the
        specifications of its inputs.
    """
    inputs = inputs_of(model)
    shapes = {name: x.shape for name, x in inputs.items()} | dict(shapes or {})
    signature = [
        tf.TensorSpec(shapes[name], x.dtype, name=name)
        for name, x in inputs.items()
    ]
    readable = reading and reading.readable_ids

    @tf.function(input_signature=signature)
    def score(*tensors: tf.Tensor) -> dict[str, tf.Tensor]:
        taken: Any = dict(zip(inputs, tensors, strict=True))
        if not isinstance(model.input, dict):
            taken = tensors if len(tensors) > 1 else tensors[0]
        computed = model(taken, training=False)
        others = dict(computed) if isinstance(computed, dict) else {}
        scores = tf.cast(others.pop("score", computed), tf.float32)
        if readable is not None and "answer" in inputs:
            ids = tensors[list(inputs).index("answer")]
            words = tf.gather(readable, ids)
            kept = tf.reduce_any(words, axis=1, keepdims=True)
            scores = unread_last(scores, kept)
        return {
            name: tf.identity(x, name=name)
            for name, x in {"score": scores, **others}.items()
        }

    return score, signature


@contextmanager
def errors_of_converter(model: keras.Model, form: str) -> Iterator[None]:
    """Context manager that names the model in whatever a converter raises.

    Raises:
        ExportError: if the model cannot be converted.
    """
    try:
        yield
    # Converters raise many types of errors.
    except Exception as error:
        lines = str(error).strip().splitlines() or [""]
        raise ExportError(
            f"Expected a model that can be converted to {form}; `keras` and "
            f"`saved_model` are forms of every model. Received: "
            f"{type(model).__name__} of dtype {model.dtype_policy.name!r}: "
            f"{type(error).__name__}: {lines[0]}"
        ) from error


def unread_last(scores: tf.Tensor, kept: tf.Tensor) -> tf.Tensor:
    """Replaces float32 scores by `UNREAD_SCORE` where `kept` is False."""
    return tf.where(kept, scores, tf.constant(UNREAD_SCORE, tf.float32))


@contextmanager
def for_any_machine(model: keras.Model) -> Iterator[None]:
    """Context manager in which LSTMs are traced without cuDNN.

    A graph with cuDNN, traced on a machine with a GPU, runs only on GPUs.

    Args:
        model: the model to trace.
    """
    layers = [
        layer
        for layer in model._flatten_layers()
        if getattr(layer, "use_cudnn", False)
    ]
    kept = [layer.use_cudnn for layer in layers]
    try:
        for layer in layers:
            layer.use_cudnn = False
        yield
    finally:
        for layer, use_cudnn in zip(layers, kept, strict=True):
            layer.use_cudnn = use_cudnn


@contextmanager
def for_converters(
    model: keras.Model, without_arsinh: bool = False
) -> Iterator[None]:
    """Context manager in which models are traced in convertible operations.

    Args:
        model: the model to trace.
        without_arsinh: True also replaces arsinh by a logarithm and a root,
            which limits the accuracy of distances to about 1e-7, and sinh.
    """
    replaced: list[tuple[Any, str, Any]] = [
        (recurrence, "_scan", _scan),
        (
            circular_correlation,
            "_correlation",
            circular_correlation.correlation_by_matrices,
        ),
    ]
    if without_arsinh:
        replaced.append((geometry, "arsinh", _arsinh))
        replaced.append((hyperboloid, "arsinh", _arsinh))
        replaced.append((hyperboloid, "sinh", _sinh))
    kept = [getattr(module, name) for module, name, _ in replaced]
    with for_any_machine(model):
        try:
            for module, name, function in replaced:
                setattr(module, name, function)
            yield
        finally:
            for (module, name, _), function in zip(replaced, kept, strict=True):
                setattr(module, name, function)


def _scan(
    step: Callable[[Any, Any], Any], initial: Any, inputs: Any
) -> tuple[Any, Any]:
    """`recurrence._scan` with the loop's state as a tensor.

    `keras.ops.scan` wraps the state in a list of length 1.
    """

    def body(i: Any, state: Any, outputs: Any) -> tuple[Any, Any, Any]:
        state, output = step(state, i)
        return i + 1, state, outputs.write(i, output)

    length = tf.shape(inputs)[0]
    outputs = tf.TensorArray(inputs.dtype, length, element_shape=initial.shape)
    _, state, outputs = tf.while_loop(
        lambda i, *_: i < length, body, (0, initial, outputs)
    )
    return state, outputs.stack()


def _arsinh(x: Any) -> Any:
    """The inverse hyperbolic sine of x ≥ 0."""
    return tf.math.log(x + tf.sqrt(tf.square(x) + 1.0))


def _sinh(x: Any) -> Any:
    """The hyperbolic sine, near 0 by its series."""
    square = tf.square(x)
    series = x * (1 + square / 6 * (1 + square / 20 * (1 + square / 42)))
    return tf.where(
        tf.abs(x) < 0.25, series, (tf.math.exp(x) - tf.math.exp(-x)) / 2
    )
