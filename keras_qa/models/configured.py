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
from keras_qa.batches.epochs import SeededEpochs
from keras_qa.devices import divide_batch
from keras_qa.layers.base_layer import serialized
from keras_qa.models.building import full_policy

P = ParamSpec("P")

_FLAGS = "trainable_layers"


def keeps_arguments(constructor: Callable[P, None]) -> Callable[P, None]:
    """Decorates the constructor of a `ConfiguredModel`.

    While the constructor runs, `self.arguments` has all its arguments by name,
    with the defaults of those not given; base classes read it. Afterwards each
    argument that is not in `not_kept` is an attribute of the model, unless the
    constructor has set this attribute, and part of `get_config`.

    Args:
        constructor: an `__init__` whose signature has every argument of the
            model, including `dtype`, `name` and `trainable`.

    Returns:
        The constructor, which raises a TypeError for an unknown keyword and
        suggests the most similar one.
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
        # An assignment would call Keras's `__setattr__`, which needs an
        # initialised model.
        vars(self)["arguments"] = SimpleNamespace(**arguments)
        cast(Any, constructor)(self, *args, **kwargs)
        vars(self).pop("arguments", None)
        apart = {*self.not_kept, "name", "trainable", "dtype"}
        self._kept = tuple(name for name in arguments if name not in apart)
        for name in self._kept:
            if not hasattr(self, name):
                setattr(self, name, arguments[name])
        self._as_built = self._trainable_flags()

    # Keras reads signatures with `inspect.getfullargspec`.
    checked.__signature__ = signature  # type: ignore[attr-defined]
    return cast(Any, checked)


class ConfiguredModel(keras.Model):
    """A functional model whose constructor's arguments are its configuration.

    A subclass decorates its constructor, which has every argument in its
    signature, with `keeps_arguments` and passes its graph to this class.

    Args:
        inputs: symbolic inputs of the graph.
        outputs: symbolic outputs of the graph.

    Attributes:
        not_kept: arguments that are neither attributes nor part of the
            configuration, such as arrays, which a model saves as weights.
        policy: dtype policy of the argument `dtype`.
    """

    not_kept: tuple[str, ...] = ("embeddings",)
    arguments: SimpleNamespace

    def __init__(self, inputs: Any, outputs: Any):
        arguments = self.arguments
        super().__init__(inputs=inputs, outputs=outputs, name=arguments.name)
        # Given to Keras's constructor, it would not reach the layers.
        if not arguments.trainable:
            self.trainable = False
        self.policy = full_policy(arguments.dtype)
        # By its own, `compile` scales the loss of float16.
        self.dtype_policy = self.policy

    def fit(
        self, x: Any = None, *args: Any, **kwargs: Any
    ) -> keras.callbacks.History:
        """Trains as `keras.Model.fit` does, with batches drawn for each epoch.

        Args:
            x: batches of `keras_qa.batches`, or what `keras.Model.fit` takes.
            *args: the arguments of `keras.Model.fit` after `x`.
            **kwargs: the arguments of `keras.Model.fit`, such as
                `initial_epoch` to resume a training.

        Returns:
            The history of losses and metrics.
        """
        if isinstance(x, SeededEpochs):
            kwargs, x = x.fit_arguments(**kwargs), x.feed()
        return super().fit(x, *args, **kwargs)

    def train_step(self, *arguments: Any) -> Any:
        """Keras's step, divided among the devices of `use_devices`."""
        return super().train_step(*divide_batch(arguments))

    def quantize(self, *arguments: Any, **options: Any) -> None:
        """Is not supported: the saved model could not be loaded.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(
            f"{type(self).__name__} cannot be quantized: its file could not "
            "be loaded, since the configuration does not say so"
        )

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments, without those in `not_kept`.

        If `trainable` of some layers was changed, that of all is added.
        """
        # A layer that was added later is last, and not of the constructor.
        flags = self._trainable_flags()[: len(self._as_built)]
        return {
            "name": self.name,
            "trainable": self.trainable,
            **{name: serialized(getattr(self, name)) for name in self._kept},
            "dtype": keras.dtype_policies.serialize(self.policy),
            **({} if flags == self._as_built else {_FLAGS: flags}),
        }

    @classmethod
    def from_config(
        cls, config: dict[str, Any], custom_objects: Any = None
    ) -> Any:
        """The model of a configuration, with the layers that it froze."""
        arguments = {**config}
        flags = arguments.pop(_FLAGS, None)
        model = super().from_config(arguments, custom_objects)
        if flags is not None:
            layers = zip(model._flatten_layers(False), flags, strict=True)
            # A layer sets its sub-layers, too: those with the most come first.
            for layer, flag in sorted(
                layers, key=lambda pair: -len([*pair[0]._flatten_layers()])
            ):
                layer.trainable = flag
        return model

    def _trainable_flags(self) -> list[bool]:
        return [layer.trainable for layer in self._flatten_layers(False)]
