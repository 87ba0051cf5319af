"""Standardisation of the features of a pair."""

from typing import Any

import keras
import numpy as np
from keras import ops

from keras_qa.layers.base_layer import PreciseLayer

# The least deviation of a feature, as a share of its largest magnitude.
LEAST = 1 / 200


@keras.saving.register_keras_serializable(package="keras_qa")
class FeatureStandardization(PreciseLayer):
    """Shifts and scales each feature to mean 0 and standard deviation 1.

        y = (x - mean) / deviation

    `adapt` sets mean and deviation, two non-trainable weights that start at 0
    and 1, from training data. A constant feature gets the deviation 1. One that
    deviates by less than 1/200 of its largest magnitude gets this as deviation:
    a smaller one would magnify what float32 rounds. Unlike
    `keras.layers.Normalization`, which computes with copies that `set_weights`
    does not change, this layer computes with the weights. Integers and
    half-precision inputs are computed, and returned, in float32.

    Args:
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: float or integer tensor `(..., features)`.

    Output:
        Float tensor of the same shape.

    Example:
        >>> layer = FeatureStandardization()
        >>> layer.adapt(np.array([[1.0], [3.0]]))
        >>> layer(np.array([[5.0]]))
        [[3.]]
    """

    def __init__(self, **kwargs: Any):
        # Autocasting would round the features to half precision.
        super().__init__(autocast=False, **kwargs)
        self.supports_masking = True

    def build(self, input_shape: tuple) -> None:
        """Creates the mean and the deviation of each feature."""
        self.mean, self.deviation = (
            self.add_precise_weight(
                name=name,
                shape=(input_shape[-1],),
                initializer=initializer,
                trainable=False,
            )
            for name, initializer in (("mean", "zeros"), ("deviation", "ones"))
        )

    def adapt(self, features: np.ndarray) -> None:
        """Sets mean and deviation to those of the rows.

        Args:
            features: float array `(rows, features)`, at least one row.

        Raises:
            ValueError: if the array has another shape, or values that are not
                finite.
        """
        rows = np.asarray(features, dtype=np.float64)
        if not self.built and rows.ndim == 2:
            self.build(rows.shape)
        if rows.ndim != 2 or not rows.size or rows.shape[1:] != self.mean.shape:
            raise ValueError(
                "`features` must have the shape (rows, features) with at least "
                "one row and the features that the layer was built for. "
                f"Received: features.shape={rows.shape!r}"
            )
        if not np.isfinite(rows).all():
            raise ValueError(
                "`features` must be finite. "
                f"Received: features={rows[~np.isfinite(rows).all(axis=1)][0]}"
            )
        deviation = rows.std(axis=0)
        least = LEAST * np.abs(rows).max(axis=0)
        constant = rows.min(axis=0) == rows.max(axis=0)
        self.mean.assign(rows.mean(axis=0))
        self.deviation.assign(
            np.where(constant, 1, np.maximum(deviation, least))
        )

    def call(self, inputs: Any) -> Any:
        """Standardises the last axis."""
        return (ops.cast(inputs, self.precise) - self.mean) / self.deviation

    def compute_output_shape(self, input_shape: tuple) -> tuple:
        """The shape of the inputs."""
        return input_shape
