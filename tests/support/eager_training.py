"""Eager training: compiling would take longer than a few small steps."""

from typing import Any

import keras

_compile = keras.Model.compile


def compile_eagerly(model: keras.Model, *args: Any, **kwargs: Any) -> None:
    """`keras.Model.compile` with `run_eagerly=True` by default."""
    if kwargs.get("jit_compile") is None:
        kwargs.setdefault("run_eagerly", True)
    _compile(model, *args, **kwargs)
