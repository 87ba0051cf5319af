"""The softmax block of MRNN, and the base of the layers that use it."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_choice
from keras_qa.arguments import check_positive
from keras_qa.arguments import check_positive_lists
from keras_qa.initializers import fresh
from keras_qa.layers.base_layer import MaskingLayer
from keras_qa.layers.base_layer import PreciseLayer
from keras_qa.layers.sequences import masked_softmax


@keras.saving.register_keras_serializable(package="keras_qa")
class SoftmaxBlock(PreciseLayer, MaskingLayer):
    """A perceptron from n values to n weights that sum to 1.

        f(x) = softmax(PReLU(... PReLU(x W_1 + b_1) ... W_k + b_k))

    with one slope of PReLU for each feature. The perceptron has `size` inputs
    and outputs. For n < `size` values it uses the first n rows of W_1 and the
    first n columns of W_k, as if the values were padded with zeros and the
    outputs masked.

    The mask does not apply to the values: set those at padding to 0. Everything
    is computed, and returned, in float32 or better.

    Args:
        size: the most values.
        hidden_units: sizes of the hidden layers; none by default.
        alpha: initial slope of PReLU, .25 in He et al. (2015).
        kernel_initializer: initialiser of the `W`.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: float tensor `(..., n)`, with n at most `size`.
        mask: bool tensor that broadcasts to the inputs, false where a weight
            must be 0; None if all values count.

    Output:
        Float tensor `(..., n)`; all 0 in rows where no value counts.

    Raises:
        ValueError: if an argument is out of range, or there are more than
            `size` values.

    Example:
        >>> SoftmaxBlock(4, kernel_initializer="identity")(
        ...     keras.ops.array([[0.0, 0.0, 5.0]])
        ... )
        [[0.00664835, 0.00664835, 0.98670328]]

    Reference: MRNN, section 3.3.1, equation 7, and section 3.3.2, equation
    10.
    """

    def __init__(
        self,
        size: int,
        hidden_units: Sequence[int] = (),
        alpha: float = 0.25,
        kernel_initializer: Any = "glorot_uniform",
        **kwargs: Any,
    ):
        # Autocasting would round the values to half precision on the way in.
        super().__init__(autocast=False, **kwargs)
        check_positive(size=size)
        check_positive_lists(hidden_units=hidden_units)
        self.size = size
        self.hidden_units = tuple(hidden_units)
        self.alpha = alpha
        self.kernel_initializer = keras.initializers.get(kernel_initializer)

    def build(self, input_shape: tuple) -> None:
        """Creates kernels, biases and slopes."""
        sizes = (self.size, *self.hidden_units, self.size)
        self.steps = [
            (
                self._weight("kernel", i, shape, self.kernel_initializer),
                self._weight("bias", i, shape[1:], "zeros"),
                self._weight(
                    "alpha",
                    i,
                    shape[1:],
                    keras.initializers.Constant(self.alpha),
                ),
            )
            for i, shape in enumerate(pairwise(sizes))
        ]

    def _weight(self, name: str, i: int, shape: tuple, initializer: Any) -> Any:
        return self.add_precise_weight(
            name=f"{name}_{i + 1}",
            shape=shape,
            initializer=fresh(initializer),
        )

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """Computes the weights."""
        if (inputs.shape[-1] or 0) > self.size:
            raise ValueError(
                f"`inputs` must have at most size={self.size} values. "
                f"Received: shape={tuple(inputs.shape)}"
            )
        x, count = ops.cast(inputs, self.precise), ops.shape(inputs)[-1]
        last = len(self.steps) - 1
        for i, (kernel, bias, alpha) in enumerate(self.steps):
            kernel = kernel[:count] if i == 0 else kernel
            if i == last:
                kernel, bias, alpha = (
                    kernel[:, :count],
                    bias[:count],
                    alpha[:count],
                )
            x = ops.matmul(x, kernel) + bias
            x = ops.where(x > 0, x, alpha * x)
        if mask is None:
            # Without a mask, Keras would warn about a softmax of one value.
            mask = ops.ones_like(x, dtype="bool")
        return masked_softmax(x, mask)

    def compute_output_shape(self, input_shape: tuple) -> tuple:
        """The shape of the inputs."""
        return input_shape


class SoftmaxWeighting(MaskingLayer):
    """A layer with weights from a softmax block, or fixed ones.

    Args:
        weighting: `"softmax"` or another of the class's `weightings`.
        hidden_units: sizes of the hidden layers of the softmax block.
        alpha: initial slope of PReLU.
        kernel_initializer: initialiser of the softmax block's kernels.
        **kwargs: the arguments of `keras.layers.Layer`.

    Raises:
        ValueError: if `weighting` is unknown, or `hidden_units` is no list of
            positive integers.
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
        check_choice("weighting", weighting, self.weightings)
        check_positive_lists(hidden_units=hidden_units)
        self.weighting = weighting
        self.hidden_units = tuple(hidden_units)
        self.alpha = alpha
        self.kernel_initializer = keras.initializers.get(kernel_initializer)

    def build_softmax_block(self, size: int) -> None:
        """Creates the block of at most `size` values for `"softmax"`."""
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
