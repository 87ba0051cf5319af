"""The base of layers of several inputs, which checks them."""

from collections.abc import Mapping
from typing import Any

import keras
from keras import ops

from keras_qa.layers.base_layer import PreciseLayer

Axes = tuple[str, ...]
# Types without padding, or without stored zeros.
UNPADDED = ("RaggedTensor", "SparseTensor")


class PairLayer(keras.layers.Layer):
    """A layer that checks the number and the axes of its inputs.

    Attributes:
        parts: names of the inputs, in order, and of the axes of each. Axes of
            the same name have the same size; "..." means one or more axes,
            which may broadcast.
        optional: names of the last inputs if they may be missing.
        alone: True if the first input may come alone, in no list.
    """

    parts: Mapping[str, Axes] = {
        "question": ("batch_size", "question_length", "dim"),
        "answer": ("batch_size", "answer_length", "dim"),
    }
    optional: tuple[str, ...] = ()
    alone = False

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Checks the inputs and calls the layer.

        Raises:
            ValueError: if `inputs` is no list of dense tensors with the axes
                of `parts`.
        """
        given = [inputs] if self.alone else []
        if isinstance(inputs, list | tuple):
            given = list(inputs)
        fewest = len(self.parts) - len(self.optional)
        names = list(self.parts)[: max(fewest, len(given))]
        if fewest <= len(given) <= len(self.parts):
            parts = {name: self.parts[name] for name in names}
            if check_parts(dict(zip(names, given, strict=True)), parts):
                return super().__call__(inputs, *args, **kwargs)
        axes = [f"({', '.join(axes)})" for axes in self.parts.values()]
        names = [
            f"{name} (optional)" if name in self.optional else name
            for name in self.parts
        ]
        raise ValueError(
            f"`inputs` must be {'one tensor or ' * self.alone}a list "
            f"[{', '.join(names)}] of tensors {' and '.join(axes)} "
            f"in the layer {self.name!r}. "
            f"Received: {_described(inputs)}"
        )


class PrecisePairLayer(PairLayer, PreciseLayer):
    """A layer of several inputs, with outputs of the dtype `precise`."""


def broadcast_shape(input_shape: Any) -> tuple[int | None, ...]:
    """The shape of one number for each pair of vectors.

    Args:
        input_shape: the shapes of two tensors `(..., dim)`, whose leading axes
            broadcast.
    """
    first, second = (keras.KerasTensor(shape) for shape in input_shape)
    return (*ops.add(first, second).shape[:-1], 1)


def check_parts(inputs: Mapping[str, Any], parts: Mapping[str, Axes]) -> bool:
    """Checks that tensors are dense and have the expected axes.

    Args:
        inputs: the tensors by name.
        parts: the names of the axes of each tensor.

    Returns:
        True if all inputs are tensors with the expected number of axes.

    Raises:
        ValueError: if a tensor is ragged or sparse, or two axes of the same
            name have different known sizes.
    """
    sizes: dict[str, tuple[str, int]] = {}
    for name, tensor in inputs.items():
        if _is_unpadded(tensor):
            raise ValueError(
                "`inputs` must be dense tensors, their padding marked by a "
                "mask: convert them by `to_tensor()` or `tf.sparse.to_dense`. "
                f"Received: {name}={type(tensor).__name__}"
            )
        shape, axes = _shape(tensor), parts[name]
        if shape is None:
            return False
        named = list(zip(axes[::-1], shape[::-1], strict=False))
        if axes[0] == "..." and len(shape) >= len(axes):
            leading = shape[: 1 - len(axes)]
            named[len(axes) - 1 :] = [
                ("batch_size" if len(leading) == 1 else f"axis {i}", size)
                for i, size in enumerate(leading, start=-len(shape))
                if size != 1
            ]
        elif len(shape) != len(axes):
            return False
        for axis, size in named:
            first, other = sizes.setdefault(axis, (name, size))
            known = isinstance(size, int) and isinstance(other, int)
            if known and size != other:
                raise ValueError(
                    f"`inputs` must have one `{axis}`. "
                    f"Received: {first} with {axis}={other!r}, "
                    f"{name} with {axis}={size!r}"
                )
    return True


def _is_unpadded(x: Any) -> bool:
    symbolic = isinstance(x, keras.KerasTensor) and (
        x.sparse or getattr(x, "ragged", False)
    )
    return symbolic or type(x).__name__ in UNPADDED


def _shape(x: Any) -> tuple | None:
    shape = getattr(x, "shape", None)
    return None if shape is None else tuple(shape)


def _described(inputs: Any) -> str:
    if isinstance(inputs, list | tuple):
        return f"shapes={[_shape(x) for x in inputs]!r}"
    shape = _shape(inputs)
    return (
        f"inputs={inputs!r}"
        if shape is None
        else f"one tensor, shape={shape!r}"
    )
