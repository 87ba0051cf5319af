"""The circular correlation of two vectors."""

from typing import Any

import keras
import numpy as np
from keras import ops

from keras_qa.layers.pair_layer import PrecisePairLayer


@keras.saving.register_keras_serializable(package="keras_qa")
class CircularCorrelation(PrecisePairLayer):
    """Compresses the outer product of two vectors into one of their size.

        [q * a]_k = sum_i q_i a_{(i + k) mod d}

    for k = 0, ..., d - 1: each component sums one wrapped diagonal of the
    outer product. It is computed by the fast Fourier transform, in O(d log d),

        q * a = F^-1(conj(F(q)) F(a))

    and, in ONNX and TensorFlow Lite, which have no such transform, by matrix
    products (`correlation_by_matrices`). The layer has no weights; exchanging
    the two vectors reverses the order of all components but the first.
    Half-precision inputs are computed, and returned, in float32. Masks are
    neither used nor passed on.

    Args:
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: list `[question, answer]` of float tensors `(batch_size, dim)`.

    Output:
        Float tensor `(batch_size, dim)`.

    Raises:
        ValueError: if the inputs are not two vectors of the same size.

    Example:
        >>> q = keras.ops.array([[1.0, 0.0, 2.0]])
        >>> a = keras.ops.array([[3.0, 4.0, 5.0]])
        >>> CircularCorrelation()([q, a])
        [[13., 10., 13.]]

    Reference: Tay et al., 2017, "Learning to Rank Question Answer Pairs with
    Holographic Dual LSTM Architecture", section on holographic matching;
    Plate, 1995, "Holographic Reduced Representations".
    """

    parts = {"question": ("batch_size", "dim"), "answer": ("batch_size", "dim")}

    def __init__(self, **kwargs: Any):
        # Autocasting would round the vectors to half precision on the way in.
        super().__init__(autocast=False, **kwargs)

    def call(self, inputs: Any) -> Any:
        """Computes the correlation."""
        question, answer = (ops.cast(x, self.precise) for x in inputs)
        return _correlation(question, answer)

    def compute_output_shape(self, input_shape: Any) -> tuple:
        """`(batch_size, dim)`."""
        return tuple(input_shape[0])


def _correlation(question: Any, answer: Any) -> Any:
    """The circular correlation of vectors `(batch_size, dim)`, by FFT."""
    spectrum = _conjugate_product(ops.rfft(question), ops.rfft(answer))
    return ops.irfft(spectrum, fft_length=question.shape[-1])


def correlation_by_matrices(question: Any, answer: Any) -> Any:
    """Computes the circular correlation without an FFT, for converters.

    The transforms become products with matrices of cosines and sines, in
    O(d^2). The plain sum would need d^2 numbers for each pair.

    Args:
        question: float tensor `(batch_size, dim)`.
        answer: float tensor `(batch_size, dim)`.

    Returns:
        Float tensor `(batch_size, dim)`.
    """
    dim = question.shape[-1]
    frequencies = np.arange(dim // 2 + 1)
    # Reduced first, so that the angles are accurate.
    turns = np.outer(np.arange(dim), frequencies) % dim
    angles = 2 * np.pi * turns / dim
    cosines = ops.convert_to_tensor(np.cos(angles), question.dtype)
    sines = ops.convert_to_tensor(np.sin(angles), question.dtype)
    real, imaginary = _conjugate_product(
        *(
            (ops.matmul(x, cosines), -ops.matmul(x, sines))
            for x in (question, answer)
        )
    )
    # All frequencies but these two stand for their negatives, too.
    alone = (frequencies == 0) | (2 * frequencies == dim)
    weights = ops.convert_to_tensor(
        np.where(alone, 1.0, 2.0) / dim, question.dtype
    )
    return ops.matmul(real * weights, ops.transpose(cosines)) - ops.matmul(
        imaginary * weights, ops.transpose(sines)
    )


def _conjugate_product(x: Any, y: Any) -> tuple[Any, Any]:
    """conj(x) y of two pairs of real and imaginary parts."""
    (a, b), (c, d) = x, y
    return a * c + b * d, a * d - b * c
