"""The dtype of what half precision cannot hold."""

from typing import Any

import keras


def at_least_float32(dtype: Any) -> str:
    """Returns float64 for float64, and float32 for any other dtype.

    `keras.backend.result_type` would make float32 of float64 on JAX and
    PyTorch, as do some operations of Keras, such as `matmul` on PyTorch: their
    results are cast back.
    """
    return (
        "float64"
        if keras.backend.standardize_dtype(dtype) == "float64"
        else "float32"
    )
