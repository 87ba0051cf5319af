"""Training on several devices, by `keras.distribution` on JAX.

JAX divides the computation of a step, not the training: a step on N devices
has the loss and the gradient of the complete batch, whatever its size.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import keras

from keras_qa.arguments import check_positive
from keras_qa.errors import DevicesError

_AXIS = "batch"
# Variables with these paths are tables of word vectors.
_TABLES = ".*embeddings"


@contextmanager
def use_devices(
    count: int | None = None, *, split_embeddings: bool = False
) -> Iterator[Any]:
    """Context manager that trains models on several devices.

    Models must be built, compiled and fitted in it. Each device has all
    weights and gets all inputs; a training step divides the examples of a
    batch, and what is computed for them, among the devices. Scores are
    computed on every device alike.

    Args:
        count: number of devices of each process: the first ones of the kind
            that JAX prefers; None takes all.
        split_embeddings: True lays out each table of word vectors, and the
            optimizer's state of it, so that each device has a part: of the
            dimensions, or, if their number cannot be divided, of the words.

    Yields:
        The `DataParallel`, or for split tables `ModelParallel`, of Keras.

    Raises:
        DevicesError: if Keras does not run on JAX, if there are fewer
            devices, or, when a model is built, if a table cannot be split;
            also for split tables in several processes, of which none could
            save them.

    Example:
        >>> with use_devices(2):
        ...     trainer = PairwiseTrainer(HyperQA(len(vocabulary)))
        ...     trainer.compile("adagrad", loss=PairwiseHinge(margin=5.0))
        ...     trainer.fit(batches, epochs=25)
    """
    if count is not None:
        check_positive(count=count)
    check_jax(count)
    devices = _devices(count)
    mesh = keras.distribution.DeviceMesh(
        (len(devices),), axis_names=[_AXIS], devices=devices
    )
    # Every process draws all examples, from the same seed.
    distribution: Any = _Replicas(mesh, auto_shard_dataset=False)
    if split_embeddings:
        if distribution.num_processes > 1:
            raise DevicesError(
                "`split_embeddings` needs all parts of a table in one process, "
                f"to save it. Received: {distribution.num_processes} processes"
            )
        tables = keras.distribution.LayoutMap(mesh)
        tables[_TABLES] = (None, _AXIS)
        distribution = _SplitTables(layout_map=tables, auto_shard_dataset=False)
    with distribution.scope():
        yield distribution


def check_jax(count: int | None = None) -> None:
    """Raises a DevicesError if Keras does not run on JAX."""
    backend = keras.backend.backend()
    if backend != "jax":
        asked = "" if count is None else f"{count} devices on "
        raise DevicesError(
            "training on several devices or hosts needs Keras on JAX: "
            "pip install 'keras-qa[jax]' and set KERAS_BACKEND=jax. "
            f"Received: {asked}{backend}"
        )


def _devices(count: int | None) -> list[str]:
    """The first devices of each process, as Keras names them."""
    import jax

    own: dict[int, list[str]] = {}
    for device in jax.devices():
        name = f"{device.platform}:{device.id}"
        own.setdefault(device.process_index, []).append(name)
    fewest = min(map(len, own.values()))
    if count is not None and fewest < count:
        more = (
            "; for several on a CPU, set XLA_FLAGS="
            f"--xla_force_host_platform_device_count={count}"
        )
        raise DevicesError(
            f"expected {count} devices of {jax.default_backend()}"
            f"{more if jax.default_backend() == 'cpu' else ''}. "
            f"Received: {fewest}"
        )
    return [name for names in own.values() for name in names[: count or fewest]]


class _WholeBatches:
    """A distribution that gives every device all inputs of a batch.

    The arrays of a batch have first axes of all lengths, such as the words of
    packed texts, or the last examples of an epoch. JAX accepts no parts of
    different lengths from the host, but makes them within a step.
    """

    device_mesh: keras.distribution.DeviceMesh

    def get_data_layout(self, data_shape: Any) -> Any:
        """The layout of an array on every device."""
        axes = [None] * len(data_shape)
        return keras.distribution.TensorLayout(axes, self.device_mesh)


class _Replicas(_WholeBatches, keras.distribution.DataParallel):
    """Replicas of a model."""


class _SplitTables(_WholeBatches, keras.distribution.ModelParallel):
    """Replicas of a model, with one table of word vectors for all."""

    def get_variable_layout(self, variable: Any) -> Any:
        """The layout of a variable."""
        layout = super().get_variable_layout(variable)
        if _AXIS not in layout.axes:
            return layout
        count = self.device_mesh.devices.size
        for axis in (len(variable.shape) - 1, 0):
            if variable.shape[axis] % count == 0:
                axes: list[str | None] = [None] * len(variable.shape)
                axes[axis] = _AXIS
                return keras.distribution.TensorLayout(axes, self.device_mesh)
        raise DevicesError(
            "`split_embeddings` needs a number of words or dimensions that is "
            f"a multiple of {count} devices. "
            f"Received: {variable.path} of {tuple(variable.shape)}"
        )


def divide(arrays: Any) -> Any:
    """Divides the first axis of arrays of a training step among the devices.

    Outside of a step, or without `use_devices`, nothing is changed.

    Args:
        arrays: a tensor, or a structure of tensors. Their lengths need not be
            multiples of the number of devices, but an axis that is then merged
            with another must be divided again, or all devices compute all.

    Returns:
        The same values.
    """
    distribution = keras.distribution.distribution()
    if not isinstance(distribution, _WholeBatches):
        return arrays
    import jax

    def lay_out(x: Any) -> Any:
        # Between steps, JAX has no arrays in parts of different lengths.
        if not isinstance(x, jax.core.Tracer) or not x.ndim:
            return x
        axes = [_AXIS, *[None] * (x.ndim - 1)]
        layout = keras.distribution.TensorLayout(axes, distribution.device_mesh)
        return keras.distribution.distribute_tensor(x, layout)

    return keras.tree.map_structure(lay_out, arrays)


def divide_batch(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Divides the batch, the last of the arguments of a `train_step`.

    Keras makes a functional model's base class functional, too, so that models
    and trainers have this in their `train_step`, and no base class with it.
    """
    *state, batch = arguments
    return (*state, divide(batch))


def clear_session() -> None:
    """`keras.utils.clear_session`, which would forget the devices, too."""
    distribution = keras.distribution.distribution()
    keras.utils.clear_session()
    if distribution is not None:
        keras.distribution.set_distribution(distribution)
