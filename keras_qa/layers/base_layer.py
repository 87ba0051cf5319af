"""The base classes of the layers: configuration, masks and precision."""

import inspect
from typing import Any

import keras


def serialized(value: Any) -> Any:
    """An argument of a layer or a model as a configuration has it.

    Args:
        value: a number, text, list or tuple, or a Keras initialiser,
            regulariser, constraint or activation.

    Returns:
        What JSON can hold of it, without references to `value`.
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
    """A layer whose constructor's arguments are attributes of these names.

    Its configuration has these attributes, except for those that the class
    lists in `not_kept`, and what the configuration of Keras's layers has.
    """

    not_kept: tuple[str, ...] = ()

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


class MaskingLayer(ConfiguredLayer):
    """A layer that uses masks and passes none on.

    Attributes:
        precise: dtype of what has to stay in float32 under mixed precision;
            float64 if the layer computes in it.
    """

    def __init__(self, **kwargs: Any):
        super().__init__(**kwargs)
        self.supports_masking = True
        self.precise = keras.backend.result_type(self.compute_dtype, "float32")

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> None:
        """No mask: the outputs have no axis of positions, or 0 at padding."""
        return None
