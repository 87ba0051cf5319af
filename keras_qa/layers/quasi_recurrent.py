"""The base of QRNN and CTRN layers: gates learned by a causal convolution."""

from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_positive
from keras_qa.layers.base_layer import ConfiguredLayer
from keras_qa.layers.sequences import RealSteps
from keras_qa.layers.sequences import take_steps
from keras_qa.layers.sequences import time_major


class QuasiRecurrent(ConfiguredLayer):
    """Base of layers whose gates come from a convolution over time.

    One kernel `(kernel_size, input_dim, gates * units)` contains the matrices
    of the candidate and all gates, in the order z, f, o, i. Its last slice is
    multiplied by the current step's vector, the other slices by the vectors of
    the preceding steps.

    Args:
        units: size of the states (the paper's d).
        kernel_size: width of the convolution (the paper's k).
        activation: activation of the candidate z.
        recurrent_activation: activation of the gates.
        use_bias: whether candidate and gates have biases. The paper's parameter
            count has none.
        zoneout: share of the forget gates that are set to 1 in training, so
            that the state stays. At inference a gate has its expected value,
            `zoneout + (1 - zoneout) f`.
        dropout: share of the inputs dropped in training.
        kernel_initializer: initialiser of the kernel.
        bias_initializer: initialiser of the biases.
        kernel_regularizer: regulariser of the kernel.
        bias_regularizer: regulariser of the biases.
        kernel_constraint: constraint of the kernel.
        bias_constraint: constraint of the biases.
        seed: seed of dropout and zoneout.
        **kwargs: the arguments of `keras.layers.Layer`.

    Raises:
        ValueError: if an argument is out of range.
    """

    gates = 3

    def __init__(
        self,
        units: int,
        kernel_size: int = 2,
        *,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
        use_bias: bool = False,
        zoneout: float = 0.0,
        dropout: float = 0.0,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        seed: int | None = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        check_positive(units=units, kernel_size=kernel_size)
        for name, share in (("zoneout", zoneout), ("dropout", dropout)):
            if not 0 <= share < 1:
                raise ValueError(
                    f"`{name}` must be in [0, 1). Received: {name}={share!r}"
                )
        self.units = units
        self.kernel_size = kernel_size
        self.activation = keras.activations.get(activation)
        self.recurrent_activation = keras.activations.get(recurrent_activation)
        self.use_bias = use_bias
        self.zoneout = zoneout
        self.dropout = dropout
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.bias_initializer = keras.initializers.get(bias_initializer)
        self.kernel_regularizer = keras.regularizers.get(kernel_regularizer)
        self.bias_regularizer = keras.regularizers.get(bias_regularizer)
        self.kernel_constraint = keras.constraints.get(kernel_constraint)
        self.bias_constraint = keras.constraints.get(bias_constraint)
        self.seed = seed
        if dropout or zoneout:
            self.seed_generator = keras.random.SeedGenerator(seed)
        self.supports_masking = True

    def add_gate_weights(self, input_dim: int) -> None:
        """Creates the kernel and, if used, the biases."""
        if input_dim is None:
            raise ValueError(
                "The last axis of the inputs must have a known size. "
                "Received: None"
            )
        self.kernel = self.add_weight(
            name="kernel",
            shape=(self.kernel_size, input_dim, self.gates * self.units),
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight(
                name="bias",
                shape=(self.gates * self.units,),
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )

    def prepare(
        self, inputs: Any, mask: Any | None, training: bool | None
    ) -> Any:
        """Applies dropout, sets padding to 0 and swaps to time-major order."""
        inputs = time_major(inputs)
        if training and self.dropout:
            inputs = keras.random.dropout(
                inputs, self.dropout, seed=self.seed_generator
            )
        if mask is None:
            return inputs
        return ops.where(ops.expand_dims(mask, -1), inputs, 0.0)

    def with_window(self, inputs: Any, before: Any | None) -> Any:
        """Prepends the preceding `kernel_size - 1` inputs.

        Args:
            inputs: float tensor `(length, batch_size, input_dim)`.
            before: float tensor `(batch_size, kernel_size - 1, input_dim)`; 0
                if `None`.

        Returns:
            Float tensor `(kernel_size - 1 + length, batch_size, input_dim)`.
        """
        window = self.kernel_size - 1
        if window == 0:
            return inputs
        if before is None:
            before = ops.zeros((window, *ops.shape(inputs)[1:]), inputs.dtype)
        else:
            before = time_major(before)
        return ops.concatenate([before, inputs], axis=0)

    def convolve(
        self, inputs: Any, steps: RealSteps | None, training: bool | None
    ) -> list[Any]:
        """Computes candidate and gates of each step.

        Args:
            inputs: the result of `with_window`.
            steps: which steps are no padding; all if `None`.
            training: whether zoneout draws gates.

        Returns:
            `[z, f, ...]`, each `(length, batch_size, units)`, after their
            activations and zoneout.
        """
        taps = self._taps(inputs, steps)
        kernels = ops.split(self.kernel, self.gates, axis=-1)
        features = [
            ops.cast(_convolution(taps, kernel), self.compute_dtype)
            for kernel in kernels
        ]
        if self.bias is not None:
            biases = ops.split(self.bias, self.gates)
            features = [x + b for x, b in zip(features, biases, strict=True)]
        z, f, *others = features
        f = self._zone_out(self.recurrent_activation(f), training)
        others = [self.recurrent_activation(gate) for gate in others]
        return [self.activation(z), f, *others]

    def _taps(self, inputs: Any, steps: RealSteps | None) -> list[Any]:
        """Returns the inputs of each slice of the kernel."""
        window = self.kernel_size - 1
        if steps is None:
            length = ops.shape(inputs)[0] - window
            return [inputs[j : j + length] for j in range(window + 1)]
        return [
            take_steps(inputs, steps.places_before(steps.ranks, offset, window))
            for offset in range(window, -1, -1)
        ]

    def _zone_out(self, f: Any, training: bool | None) -> Any:
        if not self.zoneout:
            return f
        if not training:
            return self.zoneout + (1 - self.zoneout) * f
        drawn = keras.random.uniform(ops.shape(f), seed=self.seed_generator)
        return ops.where(drawn < self.zoneout, 1.0, f)


def _convolution(taps: list[Any], kernel: Any) -> Any:
    """The sum of `taps[j] @ kernel[j]`, `(length, batch_size, units)`."""
    length = taps[0].shape[0]
    precise = keras.backend.standardize_dtype(kernel.dtype) == "float32"
    if len(taps) == 2 and precise and length and length % 2 == 0:
        return _convolution_of_pairs(taps, kernel)
    window = ops.concatenate(taps, axis=-1)
    return ops.matmul(window, ops.reshape(kernel, (-1, kernel.shape[-1])))


def _convolution_of_pairs(taps: list[Any], kernel: Any) -> Any:
    """`_convolution` for two taps, with three products instead of four.

    Two consecutive steps read three inputs a, b, c:

        a k_0 + b k_1 = b (k_0 + k_1) + (a - b) k_0
        b k_0 + c k_1 = b (k_0 + k_1) + (c - b) k_1

    This is Winograd's minimal filtering. The differences would lose too many
    digits in half precision.
    """
    before, current = taps
    a, b, c = before[0::2], before[1::2], current[1::2]
    shared = ops.matmul(b, kernel[0] + kernel[1])
    pairs = ops.stack(
        [
            shared + ops.matmul(a - b, kernel[0]),
            shared + ops.matmul(c - b, kernel[1]),
        ],
        axis=1,
    )
    batch_size = ops.shape(before)[1]
    return ops.reshape(pairs, (-1, batch_size, kernel.shape[-1]))
