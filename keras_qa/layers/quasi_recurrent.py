"""What QRNN and CTRN share: gates learned by a causal convolution."""

from typing import Any

import keras
from keras import ops


class RealSteps:
    """Which steps of each text are no padding, wherever padding stands.

    Args:
        mask: bool tensor `(batch_size, length)`, false on padding.

    Attributes:
        ranks: int32 `(batch_size, length)`, the number of real steps before
            each step.
        places: int32 `(batch_size, length)`, where the real steps are, in
            their order; those of the padding follow.
        counts: int32 `(batch_size, 1)`, numbers of real steps.
    """

    def __init__(self, mask: Any):
        real = ops.cast(mask, "int32")
        length = ops.shape(mask)[1]
        positions = ops.arange(length, dtype="int32")
        self.counts = ops.sum(real, axis=1, keepdims=True)
        self.ranks = ops.cumsum(real, axis=1) - real
        self.places = ops.cast(
            ops.argsort(ops.where(mask, positions, positions + length), axis=1),
            "int32",
        )

    def window_places(self, kernel_size: int, ranks: Any) -> Any:
        """Where the inputs stand that the kernel sees at real steps.

        Args:
            kernel_size: width of the kernel.
            ranks: int32 `(batch_size, n)`, numbers of real steps before those
                at which the kernel ends.

        Returns:
            int32 `(batch_size, n * kernel_size)`, into the inputs after the
            `kernel_size - 1` inputs before them.
        """
        before = kernel_size - 1
        first = ops.broadcast_to(
            ops.arange(before, dtype="int32"), (ops.shape(ranks)[0], before)
        )
        places = ops.concatenate([first, self.places + before], axis=1)
        seen = ops.expand_dims(ranks, -1) + ops.arange(
            kernel_size, dtype="int32"
        )
        # Padding after the last real step has a rank of its own, out of range.
        seen = ops.reshape(seen, (ops.shape(ranks)[0], -1))
        seen = ops.minimum(seen, ops.shape(places)[1] - 1)
        return ops.take_along_axis(places, seen, axis=1)


def take_steps(sequence: Any, steps: Any) -> Any:
    """Steps of each sequence.

    Args:
        sequence: tensor `(batch_size, length, units)`.
        steps: int32 tensor `(batch_size, n)`.

    Returns:
        Tensor `(batch_size, n, units)`.
    """
    batch_size, length, units = ops.shape(sequence)
    first = ops.expand_dims(ops.arange(batch_size, dtype="int32") * length, 1)
    rows = ops.reshape(sequence, (-1, units))
    return ops.take(rows, first + steps, axis=0)


class QuasiRecurrent(keras.layers.Layer):
    """Base of the layers whose gates come from a convolution over time.

    One kernel `(kernel_size, input_dim, gates * units)` holds the matrices of
    all gates beside each other, in the order z, f, o, i; its last slice is
    multiplied by the vector of the step itself, the others by those before.

    Args:
        units: size of the states (the paper's d).
        kernel_size: width of the convolution (the paper's k).
        activation: activation of the candidate z.
        recurrent_activation: activation of the gates.
        use_bias: whether candidate and gates have biases. The paper counts
            none.
        zoneout: share of the forget gates that are set to 1 in training, so
            that the state stays. At inference a gate is its expectation,
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
        for name, size in (("units", units), ("kernel_size", kernel_size)):
            if not isinstance(size, int) or size < 1:
                raise ValueError(
                    f"`{name}` must be a positive integer. "
                    f"Received: {name}={size}"
                )
        for name, share in (("zoneout", zoneout), ("dropout", dropout)):
            if not 0 <= share < 1:
                raise ValueError(
                    f"`{name}` must be in [0, 1). Received: {name}={share}"
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
        """Inputs after dropout, with zeros on the padding."""
        if training and self.dropout:
            inputs = keras.random.dropout(
                inputs, self.dropout, seed=self.seed_generator
            )
        if mask is None:
            return inputs
        return ops.where(ops.expand_dims(mask, -1), inputs, 0.0)

    def convolve(
        self,
        inputs: Any,
        before: Any | None,
        steps: "RealSteps | None",
        training: bool | None,
    ) -> list[Any]:
        """Candidate and gates of each step.

        Args:
            inputs: float tensor `(batch_size, length, input_dim)`.
            before: the `kernel_size - 1` inputs before the first, `(batch_size,
                kernel_size - 1, input_dim)`; 0 if `None`.
            steps: which steps are no padding; all if `None`.
            training: whether zoneout draws gates.

        Returns:
            `[z, f, ...]`, each `(batch_size, length, units)`, after their
            activations and zoneout.
        """
        windows = self._windows(inputs, before, steps)
        kernel = ops.reshape(self.kernel, (-1, self.gates * self.units))
        features = ops.matmul(windows, kernel)
        if self.bias is not None:
            features = ops.add(features, self.bias)
        z, f, *others = ops.split(features, self.gates, axis=-1)
        f = self._zone_out(self.recurrent_activation(f), training)
        others = [self.recurrent_activation(gate) for gate in others]
        return [self.activation(z), f, *others]

    def _windows(
        self, inputs: Any, before: Any | None, steps: "RealSteps | None"
    ) -> Any:
        """The inputs under the kernel, `(batch, length, kernel_size * m)`."""
        if self.kernel_size == 1:
            return inputs
        padded = self.with_window(inputs, before)
        length = ops.shape(inputs)[1]
        if steps is None:
            slices = [
                padded[:, j : j + length] for j in range(self.kernel_size)
            ]
            return ops.concatenate(slices, axis=-1)
        places = steps.window_places(self.kernel_size, steps.ranks)
        windows = take_steps(padded, places)
        input_dim = self.kernel_size * inputs.shape[-1]
        return ops.reshape(windows, (-1, length, input_dim))

    def with_window(self, inputs: Any, before: Any | None) -> Any:
        """Inputs after the `kernel_size - 1` inputs before them."""
        if before is None:
            batch_size, _, input_dim = ops.shape(inputs)
            before = ops.zeros(
                (batch_size, self.kernel_size - 1, input_dim), inputs.dtype
            )
        return ops.concatenate([before, inputs], axis=1)

    def _zone_out(self, f: Any, training: bool | None) -> Any:
        if not self.zoneout:
            return f
        if not training:
            return self.zoneout + (1 - self.zoneout) * f
        drawn = keras.random.uniform(ops.shape(f), seed=self.seed_generator)
        return ops.where(drawn < self.zoneout, 1.0, f)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {
            **super().get_config(),
            "units": self.units,
            "kernel_size": self.kernel_size,
            "activation": keras.activations.serialize(self.activation),
            "recurrent_activation": keras.activations.serialize(
                self.recurrent_activation
            ),
            "use_bias": self.use_bias,
            "zoneout": self.zoneout,
            "dropout": self.dropout,
            "kernel_initializer": keras.initializers.serialize(
                self.kernel_initializer
            ),
            "bias_initializer": keras.initializers.serialize(
                self.bias_initializer
            ),
            "kernel_regularizer": keras.regularizers.serialize(
                self.kernel_regularizer
            ),
            "bias_regularizer": keras.regularizers.serialize(
                self.bias_regularizer
            ),
            "kernel_constraint": keras.constraints.serialize(
                self.kernel_constraint
            ),
            "bias_constraint": keras.constraints.serialize(
                self.bias_constraint
            ),
            "seed": self.seed,
        }
