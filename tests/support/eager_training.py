"""Training without graphs: to trace one takes longer than a few small steps."""

from typing import Any

import keras

_compile = keras.Model.compile


def _compile_eagerly(model: keras.Model, *args: Any, **kwargs: Any) -> None:
    """`keras.Model.compile` whose default is to run eagerly."""
    if kwargs.get("jit_compile") is None:
        kwargs.setdefault("run_eagerly", True)
    _compile(model, *args, **kwargs)


def train_eagerly(yes: bool) -> None:
    """Lets `keras.Model.compile` run eagerly, or as it does by default.

    JAX and PyTorch compile no more than they did: they gain nothing by it.
    """
    eagerly = yes and keras.backend.backend() == "tensorflow"
    keras.Model.compile = _compile_eagerly if eagerly else _compile
