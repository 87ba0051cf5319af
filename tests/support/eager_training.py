"""Training without graphs: to compile takes longer than a few small steps."""

from typing import Any

import keras

_compile = keras.Model.compile


def compile_eagerly(model: keras.Model, *args: Any, **kwargs: Any) -> None:
    """`keras.Model.compile` whose default is to run eagerly."""
    if kwargs.get("jit_compile") is None:
        kwargs.setdefault("run_eagerly", True)
    _compile(model, *args, **kwargs)
