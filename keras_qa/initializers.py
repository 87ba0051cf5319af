"""Starts of weights that Keras does not have."""

from typing import Any

import keras


@keras.saving.register_keras_serializable(package="keras_qa")
class ScaledIdentity(keras.initializers.Identity):
    """A multiple of the identity matrix, whose copies keep the factor.

    Keras's own `Identity(gain)` leaves the gain out of its configuration, so a
    copy of it starts with 1.

    Args:
        gain: the factor.

    Example:
        >>> QueryAttention(256, kernel_initializer=ScaledIdentity(0.1))
    """

    def __init__(self, gain: float = 1.0):
        super().__init__(gain)

    def get_config(self) -> dict[str, Any]:
        """The constructor's argument."""
        return {"gain": self.gain}
