"""What models of other rankers share: their inputs, and configuration."""

from collections.abc import Sequence
from typing import Any

import keras

from keras_qa.models.configured import ConfiguredModel


class OfRankers(ConfiguredModel):
    """A model that is made of other rankers, and stores them.

    Attributes:
        rankers: the models.
        vocabulary_size: that of all of them which know theirs; None if none
            does.
    """

    rankers: list[keras.Model]
    vocabulary_size: int | None

    def keep_rankers(self, rankers: Sequence[keras.Model]) -> None:
        """Sets the attributes.

        Raises:
            ValueError: if the rankers have different vocabularies, or one
                comes twice, whose weights would be saved once.
        """
        if len({id(ranker) for ranker in rankers}) < len(rankers):
            names = [ranker.name for ranker in rankers]
            raise ValueError(
                f"`rankers` must be different models. Received: {names}"
            )
        self.rankers = list(rankers)
        self.vocabulary_size = _vocabulary_size(rankers)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments; the weights are among the weights."""
        return {
            **super().get_config(),
            "rankers": [
                keras.saving.serialize_keras_object(ranker)
                for ranker in self.rankers
            ],
        }

    @classmethod
    def from_config(
        cls, config: dict[str, Any], custom_objects: Any = None
    ) -> Any:
        """The model with rankers of these configurations."""
        rankers = [
            keras.saving.deserialize_keras_object(ranker, custom_objects)
            for ranker in config["rankers"]
        ]
        return super().from_config({**config, "rankers": rankers})


def joint_scores(
    rankers: Sequence[keras.Model], dtype: str
) -> tuple[dict[str, Any], Any]:
    """The graph from all inputs of rankers to all their scores.

    Args:
        rankers: the models.
        dtype: dtype of the scores.

    Returns:
        Symbolic inputs by name, and a symbolic tensor `(batch_size, rankers)`.

    Raises:
        ValueError: if there are no rankers, they have no dict of inputs, or
            the shapes of an input differ.
    """
    inputs = _joint_inputs(rankers)
    scores = []
    for i, ranker in enumerate(rankers):
        taken = {name: inputs[name] for name in ranker.input}
        # In a model of its own, as two rankers may have one name.
        part = keras.Model(taken, ranker(taken), name=f"ranker_{i}")
        scores.append(part(taken))
    joined = keras.layers.Concatenate(dtype=dtype, name="scores")
    return inputs, joined(scores)


def _joint_inputs(rankers: Sequence[keras.Model]) -> dict[str, Any]:
    """Symbolic inputs that each ranker can take its own from."""
    if not rankers:
        raise ValueError(
            "`rankers` must hold at least one model. Received: none"
        )
    shapes: dict[str, tuple] = {}
    dtypes: dict[str, Any] = {}
    for ranker in rankers:
        if not isinstance(getattr(ranker, "input", None), dict):
            raise ValueError(
                "`rankers` must be functional models with a dict of inputs. "
                f"Received: {ranker!r}"
            )
        for name, tensor in ranker.input.items():
            dtypes.setdefault(name, tensor.dtype)
            before = shapes.setdefault(name, tuple(tensor.shape))
            # One ranker may fix a length that another leaves open.
            shape = tuple(
                y if x is None else x
                for x, y in zip(before, tensor.shape, strict=False)
            )
            fits = all(
                y in (None, x)
                for x, y in zip(shape, tensor.shape, strict=False)
            )
            if len(before) != len(tensor.shape) or not fits:
                raise ValueError(
                    f"`rankers` must agree on the shape of the input {name!r}. "
                    f"Received: {before} and {tuple(tensor.shape)}"
                )
            shapes[name] = shape
    return {
        name: keras.Input(shape[1:], dtype=dtypes[name], name=name)
        for name, shape in shapes.items()
    }


def _vocabulary_size(rankers: Sequence[keras.Model]) -> int | None:
    """The size that all rankers have which know theirs."""
    found = [getattr(ranker, "vocabulary_size", None) for ranker in rankers]
    sizes = {size for size in found if size is not None}
    if len(sizes) > 1:
        raise ValueError(
            "`rankers` must have one vocabulary. "
            f"Received: vocabularies of {sorted(sizes)} words"
        )
    return next(iter(sizes), None)
