"""The base classes of the layers: configuration, masks and precision."""

import inspect
from typing import Any

import keras

from keras_qa.precision import at_least_float32


def serialized(value: Any) -> Any:
    """Converts an argument of a layer or a model for a configuration.

    Args:
        value: a number, text, list or tuple, or a Keras initialiser,
            regulariser, constraint or activation.

    Returns:
        A value for JSON; of a list, a copy.
    """
    if isinstance(value, list):
        return list(value)
    if isinstance(value, keras.initializers.Initializer):
        return keras.initializers.serialize(value)
    if isinstance(value, keras.regularizers.Regularizer):
        return keras.regularizers.serialize(value)
    if isinstance(value, keras.constraints.Constraint):
        return keras.constraints.serialize(value)
    return keras.activations.serialize(value) if callable(value) else value


class ConfiguredLayer(keras.layers.Layer):
    """A layer that keeps its constructor's arguments as attributes.

    Each attribute has the name of its argument. `get_config` adds them to the
    configuration of `keras.layers.Layer`, except for those in `not_kept`.
    """

    not_kept: tuple[str, ...] = ()

    @property
    def precise(self) -> str:
        """Dtype of values that stay in float32 under half precision."""
        return at_least_float32(self.compute_dtype)

    def add_precise_weight(self, **kwargs: Any) -> Any:
        """Adds a weight of the dtype `precise`; see `add_weight`."""
        return self.add_weight(dtype=self.precise, autocast=False, **kwargs)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        config = super().get_config()
        for cls in reversed(type(self).__mro__):
            if issubclass(cls, ConfiguredLayer) and "__init__" in vars(cls):
                signature = inspect.signature(cls.__init__)
                for name, parameter in list(signature.parameters.items())[1:]:
                    named = parameter.kind is not parameter.VAR_KEYWORD
                    if named and name not in self.not_kept:
                        config[name] = serialized(getattr(self, name))
        return config


class PreciseLayer(ConfiguredLayer):
    """A layer whose outputs are of the dtype `precise`."""

    def compute_output_spec(self, *args: Any, **kwargs: Any) -> Any:
        """The outputs' shapes, in float32 at least."""
        return keras.tree.map_structure(
            lambda x: keras.KerasTensor(x.shape, self.precise),
            super().compute_output_spec(*args, **kwargs),
        )


class MaskingLayer(ConfiguredLayer):
    """A layer that uses masks and does not pass them on."""

    def __init__(self, **kwargs: Any):
        super().__init__(**kwargs)
        self.supports_masking = True

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> None:
        """Returns None: outputs have no positions, or are 0 at padding."""
        return None
