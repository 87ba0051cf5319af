"""Training and scoring without graphs.

To trace a graph takes longer than a few small steps.
"""

from typing import Any

import keras

_compile = keras.Model.compile
_predict = keras.Model.predict_on_batch


def _compile_eagerly(model: keras.Model, *args: Any, **kwargs: Any) -> None:
    """`keras.Model.compile` whose default is to run eagerly."""
    if kwargs.get("jit_compile") is None:
        kwargs.setdefault("run_eagerly", True)
    _compile(model, *args, **kwargs)


def _predict_eagerly(model: keras.Model, batch: Any) -> Any:
    """`keras.Model.predict_on_batch`, in a graph only if compiled for one."""
    if not model.compiled:
        model.run_eagerly = True
    return _predict(model, batch)


def train_eagerly(yes: bool) -> None:
    """Lets `keras.Model` run eagerly, or as it does by default.

    JAX and PyTorch compile no more than they did: they gain nothing by it.
    """
    eagerly = yes and keras.backend.backend() == "tensorflow"
    keras.Model.compile = _compile_eagerly if eagerly else _compile
    keras.Model.predict_on_batch = _predict_eagerly if eagerly else _predict
