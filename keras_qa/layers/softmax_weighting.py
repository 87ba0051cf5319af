"""What layers share whose weights come from a softmax block."""

from collections.abc import Sequence
from typing import Any

import keras

from keras_qa.layers.softmax_block import SoftmaxBlock


class SoftmaxWeighting(keras.layers.Layer):
    """A layer that weighs by a softmax block, or in a way without weights.

    Args:
        weighting: `"softmax"` or another of the class's `weightings`.
        hidden_units: sizes of the layers within the softmax block.
        alpha: start of PReLU's slopes.
        kernel_initializer: initialiser of the softmax block's kernels.
        **kwargs: the arguments of `keras.layers.Layer`.

    Raises:
        ValueError: if there is no such weighting.
    """

    weightings: tuple[str, ...] = ("softmax",)

    def __init__(
        self,
        weighting: str,
        hidden_units: Sequence[int],
        alpha: float,
        kernel_initializer: Any,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        if weighting not in self.weightings:
            raise ValueError(
                f"`weighting` must be one of {self.weightings}. Received: "
                f"weighting={weighting!r}"
            )
        self.weighting = weighting
        self.hidden_units = tuple(hidden_units)
        self.alpha = alpha
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.supports_masking = True
        self.precise = keras.backend.result_type(self.compute_dtype, "float32")

    def build_softmax_block(self, size: int) -> None:
        """Creates the softmax block of most `size` values, if there is one."""
        if self.weighting == "softmax":
            self.softmax_block = SoftmaxBlock(
                size,
                self.hidden_units,
                self.alpha,
                self.kernel_initializer,
                dtype=self.precise,
                name="softmax_block",
            )
            self.softmax_block.build((None, None, size))

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {
            **super().get_config(),
            "weighting": self.weighting,
            "hidden_units": self.hidden_units,
            "alpha": self.alpha,
            "kernel_initializer": keras.initializers.serialize(
                self.kernel_initializer
            ),
        }
