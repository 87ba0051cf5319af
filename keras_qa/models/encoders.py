"""Encoders that several models use, under fixed names."""

from typing import Any

import keras

from keras_qa.arguments import check_positive
from keras_qa.layers.lstm import LSTM
from keras_qa.layers.text_convolution import TextConvolution
from keras_qa.models.building import l2_regularizers


def bidirectional_lstm(
    units: int,
    l2: float,
    policy: Any,
    use_bias: bool = True,
    name: str = "bilstm",
) -> keras.layers.Bidirectional:
    """Creates a bidirectional LSTM that returns all states.

    Args:
        units: size of the state in each direction.
        l2: strength of the L2 regularisation of its weights.
        policy: dtype policy.
        use_bias: whether it has biases; those of the forget gates start at 1.
        name: name of the layer.

    Returns:
        The layer.

    Raises:
        ValueError: if `units` is not a positive integer.
    """
    check_positive(units=units)
    return keras.layers.Bidirectional(
        LSTM(
            units,
            use_bias=use_bias,
            return_sequences=True,
            **l2_regularizers(l2, "kernel", "recurrent", "bias"),
            dtype=policy,
            name="lstm",
        ),
        dtype=policy,
        name=name,
    )


def text_convolution(
    filters: int,
    kernel_size: int,
    activation: Any,
    use_bias: bool,
    l2: float,
    policy: Any,
) -> TextConvolution:
    """Creates a `TextConvolution` with the name `"convolution"`.

    Args:
        filters: size of its outputs.
        kernel_size: number of words that an output depends on.
        activation: activation of the outputs.
        use_bias: whether it has a bias.
        l2: strength of the L2 regularisation of its weights.
        policy: dtype policy.

    Returns:
        The layer.

    Raises:
        ValueError: if `filters` or `kernel_size` is not a positive integer.
    """
    return TextConvolution(
        filters,
        kernel_size,
        activation=activation,
        use_bias=use_bias,
        **l2_regularizers(l2, "kernel", "bias"),
        dtype=policy,
        name="convolution",
    )


def word_projection(
    units: int, l2: float, policy: Any, name: str = "projection"
) -> keras.layers.Dense:
    """Creates a linear layer without a bias.

    Args:
        units: size of the projected vectors, the `projection_dim` of models.
        l2: strength of the L2 regularisation of its matrix.
        policy: dtype policy.
        name: name of the layer.

    Returns:
        The layer.

    Raises:
        ValueError: if `units` is not a positive integer.
    """
    check_positive(projection_dim=units)
    return keras.layers.Dense(
        units,
        use_bias=False,
        **l2_regularizers(l2, "kernel"),
        dtype=policy,
        name=name,
    )
