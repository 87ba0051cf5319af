"""Recomputation of a model's intermediate values for the gradient."""

from collections.abc import Callable
from typing import Any

import keras
from keras import ops


class Recomputation:
    """Calls functions of a model and recomputes their values for the gradient.

    Only the inputs and outputs of a call are kept. The backward pass computes
    the intermediate values a second time, with the same weights, the same
    dropout and no second update of moving averages. So a training step that
    applies a model to the parts of a batch in sequence keeps the intermediate
    values of one part at a time. The gradients do not change.

    The weights are passed from call to call, which makes the backward pass
    process the calls in reverse order: TensorFlow would otherwise run all
    recomputations as early as possible. JAX under `jit` and PyTorch have this
    order anyway.

    Args:
        model: the model, built. Its non-trainable variables are read once and
            passed from call to call; `update` assigns them.

    Example:
        >>> recompute = Recomputation(model)
        >>> outputs = [recompute(model, part) for part in parts]
        >>> recompute.update()

    Reference: Chen et al., 2016, "Training Deep Nets with Sublinear Memory
    Cost".
    """

    def __init__(self, model: keras.Model):
        self._trainable = model.trainable_variables
        self._state = model.non_trainable_variables
        self._weights = [ops.convert_to_tensor(v) for v in self._trainable]
        # Copies, because PyTorch assigns in place, and recomputation after
        # `update` needs the state before.
        self._values = [ops.copy(v) for v in self._state]
        self._changed: set[int] = set()

    def __call__(self, function: Callable[..., Any], *inputs: Any) -> Any:
        """Calls a function with tensors.

        Args:
            function: the function. It must set `training` explicitly, because
                the backward pass has no call context.
            *inputs: tensors, or structures of tensors.

        Returns:
            The result of the function, a tensor or structure of tensors.
            Integers in it must be less than 2^24.
        """
        leaves = keras.tree.flatten(inputs)
        floats = [i for i, leaf in enumerate(leaves) if _is_float(leaf)]
        variables = [*self._trainable, *self._state]
        values = self._values
        seen: dict[str, Any] = {}

        # Only floats are arguments and results: TensorFlow's recomputation
        # does not support other dtypes.
        def call(*arguments: Any) -> tuple[Any, ...]:
            weights = arguments[: len(self._trainable)]
            given = list(leaves)
            for i, leaf in zip(floats, arguments[len(weights) :], strict=True):
                given[i] = leaf
            with keras.StatelessScope(
                zip(variables, [*weights, *values], strict=True)
            ) as scope:
                before = [scope.get_current_value(v) for v in self._state]
                outputs = function(*keras.tree.pack_sequence_as(inputs, given))
            after = [scope.get_current_value(v) for v in self._state]
            changed = [i for i, x in enumerate(after) if x is not before[i]]
            seen.update(outputs=outputs, changed=changed)
            return (
                *weights,
                *(_as_float(x) for x in keras.tree.flatten(outputs)),
                *(_change(before[i], after[i]) for i in changed),
            )

        results = keras.remat(call)(
            *self._weights, *(leaves[i] for i in floats)
        )
        first = len(self._trainable)
        last = len(results) - len(seen["changed"])
        self._weights = list(results[:first])
        self._values = list(values)
        for i, change in zip(seen["changed"], results[last:], strict=True):
            self._values[i] = (
                change
                if _is_float(values[i])
                else values[i] + ops.cast(change, values[i].dtype)
            )
        self._changed.update(seen["changed"])
        outputs = [
            ops.cast(x, keras.backend.standardize_dtype(like.dtype))
            for x, like in zip(
                results[first:last],
                keras.tree.flatten(seen["outputs"]),
                strict=True,
            )
        ]
        return keras.tree.pack_sequence_as(seen["outputs"], outputs)

    def update(self) -> None:
        """Assigns the values after the calls to the non-trainable variables."""
        for i in sorted(self._changed):
            self._state[i].assign(self._values[i])


def _is_float(x: Any) -> bool:
    return "float" in keras.backend.standardize_dtype(x.dtype)


def _as_float(x: Any) -> Any:
    return x if _is_float(x) else ops.cast(x, "float32")


def _change(before: Any, after: Any) -> Any:
    """Returns the new value; of integers, such as seeds, the difference."""
    if _is_float(after):
        return ops.stop_gradient(after)
    return ops.cast(after - before, "float32")
