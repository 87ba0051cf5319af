"""Models whose constructor's arguments are their configuration."""

import functools
import inspect
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any
from typing import ParamSpec
from typing import cast

import keras

from keras_qa.arguments import did_you_mean
from keras_qa.layers.base_layer import serialized
from keras_qa.models.building import full_policy

P = ParamSpec("P")


def keeps_arguments(constructor: Callable[P, None]) -> Callable[P, None]:
    """Decorates the constructor of a `ConfiguredModel`.

    While the constructor runs, `self.arguments` has all its arguments by name,
    those left at their defaults too: what several models share is made from
    it. Afterwards each argument is an attribute of the model, unless the
    constructor has set this attribute itself, and part of `get_config`, except
    for those that the class lists in `not_kept`.

    Args:
        constructor: an `__init__` whose signature has every argument of the
            model, `dtype`, `name` and `trainable` among them.

    Returns:
        The constructor, which raises a TypeError for an unknown keyword and
        suggests the nearest one.
    """
    signature = inspect.signature(constructor)

    @functools.wraps(constructor)
    def checked(self: Any, *args: Any, **kwargs: Any) -> None:
        for name, value in kwargs.items():
            if name not in signature.parameters:
                raise TypeError(
                    f"`{type(self).__name__}` has no argument `{name}`."
                    f"{did_you_mean(name, signature.parameters)} "
                    f"Received: {name}={value!r}"
                )
        bound = signature.bind(self, *args, **kwargs)
        bound.apply_defaults()
        arguments = dict(list(bound.arguments.items())[1:])
        # An assignment to the attribute would go through Keras, which has not
        # set the model up yet.
        vars(self)["arguments"] = SimpleNamespace(**arguments)
        cast(Any, constructor)(self, *args, **kwargs)
        vars(self).pop("arguments", None)
        apart = {*self.not_kept, "name", "trainable", "dtype"}
        self._kept = tuple(name for name in arguments if name not in apart)
        for name in self._kept:
            if not hasattr(self, name):
                setattr(self, name, arguments[name])

    # Keras reads signatures by `inspect.getfullargspec`.
    checked.__signature__ = signature  # type: ignore[attr-defined]
    return cast(Any, checked)


class ConfiguredModel(keras.Model):
    """A functional model whose constructor's arguments are its configuration.

    A subclass has one constructor, with every argument in its signature and
    `keeps_arguments` above it, which hands its graph to this class.

    Args:
        inputs: symbolic inputs of the graph.
        outputs: symbolic outputs of the graph.

    Attributes:
        not_kept: arguments that neither become attributes nor are part of the
            configuration: a saved model finds arrays among its weights.
        policy: dtype policy that the argument `dtype` stands for.
    """

    not_kept: tuple[str, ...] = ("embeddings",)
    arguments: SimpleNamespace

    def __init__(self, inputs: Any, outputs: Any):
        arguments = self.arguments
        super().__init__(
            inputs=inputs,
            outputs=outputs,
            name=arguments.name,
            trainable=arguments.trainable,
        )
        self.policy = full_policy(arguments.dtype)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments, without arrays.

        A saved model finds the arrays among its weights.
        """
        return {
            "name": self.name,
            "trainable": self.trainable,
            **{name: serialized(getattr(self, name)) for name in self._kept},
            "dtype": keras.dtype_policies.serialize(self.policy),
        }
