"""HyperQA's gradient conversion, as a wrapper of any Keras optimizer."""

import contextlib
import re
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from keras_qa import geometry
from keras_qa.arguments import check_choice
from keras_qa.optimizers.constraints import PoincareBall

CONVERSIONS = ("none", "parameter", "gradient", "manifold")
NORMS = ("tensor", "row")
RETRACTIONS = ("exp", "projection")


@keras.saving.register_keras_serializable(package="keras_qa")
class RiemannianOptimizer(keras.optimizers.Optimizer):
    """Converts gradients as HyperQA does and applies another optimizer.

    Eq. 9 of the paper multiplies the Euclidean gradient by the inverse metric
    of the Poincaré ball, (1 - |θ|²)² / 4, "before updating the parameters".
    `conversion` chooses the variables θ and the norm:

    - `"none"`: nothing is converted.
    - `"parameter"`: eq. 9 as printed, with the norm of the complete variable or
      of each of its rows (`norm`). The factor grows without bound beyond norm 1
      and is 0 at norm 1, where a variable no longer moves.
    - `"gradient"`: the conversion of the code released with the paper. The
      factor ((1 - |g|²)² + `gradient_offset`) / 4 has the norm of the complete
      *gradient*; then the gradients of all variables are clipped to values of
      ±`gradient_clip_value` and to the norm `gradient_clip_norm`.
    - `"manifold"`: Riemannian descent for the variables whose constraint is a
      `keras_qa.optimizers.constraints.PoincareBall`: eq. 9 for each row, then
      the inner optimizer's step is mapped into the ball along a geodesic
      (`retraction="exp"`) or by clipping (`"projection"`), eq. 8. With
      `keras.optimizers.SGD` this is Riemannian stochastic gradient descent.

    Two limits: eq. 9 does not keep a projection matrix, or the vectors that it
    produces, in any ball; only a `PoincareBall` constraint does so for a
    variable. And rescaled gradients do not make an adaptive optimizer
    Riemannian Adam (or AdaGrad): its moments are neither computed in the metric
    nor transported, and dividing by them removes most of the rescaling.

    Pass learning rate, schedules, clipping, weight decay, gradient
    accumulation, loss scaling and moving averages to the inner optimizer. It
    gets converted gradients: `clipnorm` clips the Riemannian gradient; weight
    decay is added to the step, and for a manifold variable the sum is
    retracted; accumulated gradients are converted one by one (exact except
    for `"gradient"`, which is not linear). A moving average of points may
    leave the ball, so `"manifold"` raises an error for `use_ema`, and Keras's
    `SwapEMAWeights` raises one where the wrapper is itself in a
    `LossScaleOptimizer`, as under mixed_float16. Under `tf.distribute`, each
    replica converts its gradient before the sum; geodesic steps
    (`retraction="exp"`) need a single replica.

    TensorFlow's sparse gradients, those of `keras.layers.Embedding`, stay
    sparse: repeated rows are summed, and only rows with a gradient converted.
    Keras then applies a variable's constraint to all its rows, and some inner
    optimizers, such as Adam, make the gradient dense.

    Args:
        inner_optimizer: a `keras.optimizers.Optimizer`, or a name or config
            for `keras.optimizers.get`.
        conversion: `"none"`, `"parameter"`, `"gradient"` or `"manifold"`.
        norm: for `"parameter"`, `"tensor"` or `"row"` (vectors along the last
            axis).
        variable_pattern: for `"parameter"` and `"gradient"`, a regular
            expression, such as `"projection/kernel"`: variables are converted
            if it is found in their paths. By default, variables with two or
            more axes are: eq. 9 would freeze a scalar at ±1.
        retraction: for `"manifold"`, `"exp"` or `"projection"`.
        gradient_offset: for `"gradient"`, added to (1 - |g|²)².
        gradient_clip_value: for `"gradient"`, bound of each value.
        gradient_clip_norm: for `"gradient"`, bound of each tensor's norm.
        name: name of the optimizer.

    Raises:
        ValueError: if an argument has an unknown value or is out of range, if
            the inner optimizer cannot be wrapped, or, in `build`, if no
            variable would be converted, or several replicas would take
            geodesic steps.

    Example:
        >>> model.compile(
        ...     RiemannianOptimizer(keras.optimizers.Adagrad(0.05)),
        ...     loss="hinge",
        ... )

    Reference: HyperQA, section 3.6.2, eq. 8 and 9.
    """

    def __init__(
        self,
        inner_optimizer: Any,
        conversion: str = "parameter",
        norm: str = "tensor",
        variable_pattern: str | None = None,
        retraction: str = "exp",
        gradient_offset: float = 1e-5,
        gradient_clip_value: float = 10.0,
        gradient_clip_norm: float = 1.0,
        name: str | None = None,
    ) -> None:
        # `learning_rate` returns that of the inner optimizer.
        super().__init__(learning_rate=0.0, name=name)
        check_choice("conversion", conversion, CONVERSIONS)
        check_choice("norm", norm, NORMS)
        check_choice("retraction", retraction, RETRACTIONS)
        if variable_pattern is not None and conversion == "manifold":
            raise ValueError(
                '`variable_pattern` must be None with conversion="manifold", '
                "which converts the variables with a PoincareBall constraint. "
                f"Received: variable_pattern={variable_pattern!r}"
            )
        _check_pattern(variable_pattern)
        _check_gradient_bounds(
            gradient_offset, gradient_clip_value, gradient_clip_norm
        )
        self.inner_optimizer = _inner(inner_optimizer, conversion)
        self.conversion = conversion
        self.norm = norm
        self.variable_pattern = variable_pattern
        self.retraction = retraction
        self.gradient_offset = gradient_offset
        self.gradient_clip_value = gradient_clip_value
        self.gradient_clip_norm = gradient_clip_norm

    def build(self, variables: Sequence[Any]) -> None:
        """Creates the inner optimizer's variables.

        Args:
            variables: the model's trainable variables.

        Raises:
            ValueError: if none of them would be converted, or several replicas
                would take geodesic steps.
        """
        if self.built:
            return
        if self.conversion != "none" and not any(map(self.converts, variables)):
            raise ValueError(
                f"`conversion` {self.conversion!r} needs at least one variable "
                "to convert (see `variable_pattern` and `PoincareBall`). "
                f"Received: variables={[v.path for v in variables]}"
            )
        if self._is_geodesic and (replicas := _replicas(variables)) > 1:
            raise ValueError(
                '`retraction` must be "projection" where several replicas of '
                "`tf.distribute` train. Received: "
                f"retraction={self.retraction!r}, {replicas} replicas"
            )
        self.inner_optimizer.build(variables)
        super().build(variables)

    def converts(self, variable: Any) -> bool:
        """Returns True if the gradient of a `keras.Variable` is converted."""
        if self.conversion == "none":
            return False
        if self.conversion == "manifold":
            return isinstance(variable.constraint, PoincareBall)
        if self.variable_pattern is not None:
            return re.search(self.variable_pattern, variable.path) is not None
        return len(variable.shape) >= 2

    def apply(
        self,
        grads: Sequence[Any],
        trainable_variables: Iterable[Any] | None = None,
    ) -> None:
        """Converts the gradients and updates the variables.

        Args:
            grads: one gradient, dense, sparse or None, for each variable.
            trainable_variables: the variables; by default those that the
                optimizer was built with.

        Raises:
            ValueError: if there are no variables to update, or if their
                number is not that of the gradients.
        """
        if trainable_variables is None:
            if not self.built:
                raise ValueError(
                    "`trainable_variables` must be given to an optimizer that "
                    "is not built yet. Received: trainable_variables=None"
                )
            trainable_variables = self._trainable_variables
        trainable_variables = list(trainable_variables)
        if len(grads) != len(trainable_variables):
            raise ValueError(
                "`grads` must have one gradient for each variable. "
                f"Received: {len(grads)} gradients, "
                f"{len(trainable_variables)} variables"
            )
        self.build(trainable_variables)
        converted = [
            self._convert(gradient, variable)
            for gradient, variable in zip(
                grads, trainable_variables, strict=True
            )
        ]
        with self._geodesic_steps(trainable_variables):
            self.inner_optimizer.apply(converted, trainable_variables)

    def apply_gradients(self, grads_and_vars: Iterable[Any]) -> Any:
        """Applies `(gradient, variable)` pairs; returns `iterations`."""
        super().apply_gradients(grads_and_vars)
        return self.iterations

    def _convert(self, gradient: Any, variable: Any) -> Any:
        if gradient is None:
            return None
        if _is_sparse(gradient):
            gradient = _sum_repeated_rows(gradient)
        if self.conversion == "gradient":
            return _map_values(
                lambda g: self._released_conversion(g, variable), gradient
            )
        if not self.converts(variable):
            return gradient
        # The variable's values are constants here; PyTorch would track them.
        point = ops.stop_gradient(ops.convert_to_tensor(variable))
        rows = point
        if _is_sparse(gradient):
            rows = ops.take(point, gradient.indices, axis=0)
        if self.conversion == "manifold":
            return _map_values(
                lambda g: geometry.egrad_to_rgrad(rows, g), gradient
            )
        if self.norm == "row":
            squared = ops.sum(ops.square(rows), axis=-1, keepdims=True)
        else:
            squared = ops.sum(ops.square(point))
        return _map_values(lambda g: g * _metric_factor(squared), gradient)

    def _released_conversion(self, gradient: Any, variable: Any) -> Any:
        # The inner optimizer divides by the loss scale later.
        scale = self.loss_scale_factor or 1.0
        gradient = gradient / scale
        if self.converts(variable):
            squared = ops.sum(ops.square(gradient))
            offset = self.gradient_offset / 4
            gradient = gradient * (_metric_factor(squared) + offset)
        bound = self.gradient_clip_value
        gradient = ops.clip(gradient, -bound, bound)
        length = ops.sqrt(ops.sum(ops.square(gradient)))
        bound = self.gradient_clip_norm
        return gradient * (bound / ops.maximum(length, bound)) * scale

    @property
    def _is_geodesic(self) -> bool:
        return self.conversion == "manifold" and self.retraction == "exp"

    @contextlib.contextmanager
    def _geodesic_steps(self, variables: list[Any]) -> Iterator[None]:
        """Makes the steps inside the block geodesic.

        Keras calls a variable's constraint with the value after a step. During
        the step, the constraint of a manifold variable is replaced by one that
        also has the value before the step.
        """
        constraints = [variable.constraint for variable in variables]
        # Replicas would replace it by turns: `build` refuses several.
        if self._is_geodesic:
            for variable in filter(self.converts, variables):
                variable.constraint = _geodesic_step(variable)
        try:
            yield
        finally:
            for variable, constraint in zip(
                variables, constraints, strict=True
            ):
                variable.constraint = constraint

    @property
    def variables(self) -> list[Any]:
        """The inner optimizer's variables; the wrapper has none."""
        return self.inner_optimizer.variables

    @property
    def learning_rate(self) -> Any:
        """The inner optimizer's current learning rate."""
        return self.inner_optimizer.learning_rate

    @learning_rate.setter
    def learning_rate(self, learning_rate: Any) -> None:
        self.inner_optimizer.learning_rate = learning_rate

    @property
    def iterations(self) -> Any:
        """The number of steps that the inner optimizer has taken."""
        return self.inner_optimizer.iterations

    @property
    def loss_scale_factor(self) -> float | None:
        """The inner optimizer's loss scale."""
        return self.inner_optimizer.loss_scale_factor

    @loss_scale_factor.setter
    def loss_scale_factor(self, loss_scale_factor: float | None) -> None:
        # The base class sets it before there is an inner optimizer.
        if hasattr(self, "inner_optimizer"):
            self.inner_optimizer.loss_scale_factor = loss_scale_factor

    def set_weights(self, weights: Sequence[Any]) -> None:
        """Sets the inner optimizer's variables."""
        self.inner_optimizer.set_weights(weights)

    def exclude_from_weight_decay(
        self,
        var_list: Sequence[Any] | None = None,
        var_names: Sequence[str] | None = None,
    ) -> None:
        """Excludes variables from the inner optimizer's weight decay."""
        self.inner_optimizer.exclude_from_weight_decay(var_list, var_names)

    def finalize_variable_values(self, var_list: Sequence[Any]) -> None:
        """Ends the training, as the inner optimizer does."""
        self.inner_optimizer.finalize_variable_values(var_list)

    def get_config(self) -> dict[str, Any]:
        """Returns the constructor's arguments."""
        return {
            "inner_optimizer": keras.saving.serialize_keras_object(
                self.inner_optimizer
            ),
            "conversion": self.conversion,
            "norm": self.norm,
            "variable_pattern": self.variable_pattern,
            "retraction": self.retraction,
            "gradient_offset": self.gradient_offset,
            "gradient_clip_value": self.gradient_clip_value,
            "gradient_clip_norm": self.gradient_clip_norm,
            "name": self.name,
        }

    @classmethod
    def from_config(
        cls, config: dict[str, Any], custom_objects: Any = None
    ) -> "RiemannianOptimizer":
        """Creates the optimizer and its inner optimizer from `get_config`."""
        inner_optimizer = keras.saving.deserialize_keras_object(
            config["inner_optimizer"], custom_objects=custom_objects
        )
        return cls(**{**config, "inner_optimizer": inner_optimizer})


def _check_gradient_bounds(offset: float, value: float, norm: float) -> None:
    if not (offset >= 0 and value > 0 and norm > 0):
        raise ValueError(
            "`gradient_offset` must not be negative, `gradient_clip_value` and "
            "`gradient_clip_norm` must be positive. Received: "
            f"gradient_offset={offset!r}, gradient_clip_value={value!r}, "
            f"gradient_clip_norm={norm!r}"
        )


def _check_pattern(pattern: str | None) -> None:
    try:
        re.compile(pattern or "")
    except (re.error, TypeError) as error:
        raise ValueError(
            "`variable_pattern` must be a regular expression or None. "
            f"Received: variable_pattern={pattern!r} ({error})"
        ) from error


def _inner(inner_optimizer: Any, conversion: str) -> Any:
    inner_optimizer = keras.optimizers.get(inner_optimizer)
    if isinstance(inner_optimizer, keras.optimizers.LossScaleOptimizer):
        raise ValueError(
            "`inner_optimizer` must not be a LossScaleOptimizer, which would "
            "leave the gradients scaled while they are converted; wrap the "
            "RiemannianOptimizer in it instead. "
            f"Received: inner_optimizer={inner_optimizer!r}"
        )
    if conversion == "manifold" and inner_optimizer.use_ema:
        raise ValueError(
            '`inner_optimizer` must have use_ema=False with conversion="'
            'manifold", because an average of points can leave the ball. '
            f"Received: inner_optimizer={inner_optimizer!r} with use_ema=True"
        )
    return inner_optimizer


def _metric_factor(squared_norm: Any) -> Any:
    """Computes (1 - |θ|²)² / 4 for any norm: eq. 9 as printed."""
    return ops.square(1.0 - squared_norm) / 4


def _geodesic_step(variable: Any) -> Callable[[Any], Any]:
    """Returns a constraint that maps a straight step onto a geodesic."""
    ball = variable.constraint
    # A copy, because PyTorch updates the variable in place.
    start = ops.copy(ops.stop_gradient(ops.convert_to_tensor(variable)))

    def constraint(reached: Any) -> Any:
        point = geometry.exp_map(start, ops.subtract(reached, start))
        return ball(ops.cast(point, start.dtype))

    return constraint


def _replicas(variables: Sequence[Any]) -> int:
    """The number of replicas, without importing TensorFlow."""
    return max(
        getattr(
            getattr(variable.value, "distribute_strategy", None),
            "num_replicas_in_sync",
            1,
        )
        for variable in variables
    )


def _is_sparse(gradient: Any) -> bool:
    """Recognises TensorFlow's IndexedSlices without importing TensorFlow."""
    return type(gradient).__name__ == "IndexedSlices"


def _map_values(function: Callable[[Any], Any], gradient: Any) -> Any:
    """Applies a function to a gradient, or to the rows of a sparse one."""
    if _is_sparse(gradient):
        return type(gradient)(
            _map_values(function, gradient.values),
            gradient.indices,
            gradient.dense_shape,
        )
    return ops.cast(function(gradient), gradient.dtype)


def _sum_repeated_rows(gradient: Any) -> Any:
    """Sums the values of repeated rows at their last occurrence.

    The other occurrences become zeros: a compiled step needs a constant number
    of rows.
    """
    values, indices = gradient.values, gradient.indices
    count = ops.shape(values)[0]
    last = ops.segment_max(
        ops.arange(count), indices, num_segments=gradient.dense_shape[0]
    )
    values = ops.segment_sum(
        values, ops.take(last, indices), num_segments=count
    )
    return type(gradient)(values, indices, gradient.dense_shape)
