"""A ranker that adds up the scores of others."""

from collections.abc import Sequence
from typing import Any

import keras

from keras_qa.models.building import full_policy
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.floors.linear import LinearRanker


@keras.saving.register_keras_serializable(package="keras_qa")
class FusionRanker(LinearRanker):
    """Scores a pair by a weighted sum of the standardised scores of rankers.

        score = Σ_k w_k (s_k - mean_k) / deviation_k + c

    s_k is the score by ranker k, mean_k and deviation_k those of its scores of
    training pairs. So a score needs no other candidates, unlike
    `keras_qa.ranking.fusion.fuse_scores`, which standardises the candidates of
    each question. `standardize` sets means and deviations, `fit_questions`
    those and the weights, by logistic regression; until then they are 0 and 1.

    Args:
        rankers: models that score pairs, of one vocabulary, such as a trained
            one and a floor. They become parts of the model, with their
            weights.
        weights: the w_k; 1 each without them.
        dtype: dtype policy; the sum is of its `variable_dtype`.
        name: name of the model.
        trainable: whether the model is trainable, with its rankers.

    Call arguments:
        inputs: dict of all inputs of all rankers.

    Output:
        Scores `(batch_size, 1)`.

    Raises:
        ValueError: if there are no rankers, they have no dict of inputs, or
            their vocabularies or the shapes of an input differ.

    Example:
        >>> rankers = [BM25Ranker(30), IdfOverlapRanker(30)]
        >>> model = FusionRanker(rankers, weights=[1.0, 0.5])
        >>> model({"question": np.array([[2]]), "answer": np.array([[2]])})
        [[0.9]]
    """

    not_kept = ("weights",)

    @keeps_arguments
    def __init__(
        self,
        rankers: Sequence[keras.Model],
        weights: Sequence[float] | None = None,
        *,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        inputs = _joint_inputs(rankers)
        precise = full_policy(dtype).variable_dtype
        scores = []
        for i, ranker in enumerate(rankers):
            taken = {name: inputs[name] for name in ranker.input}
            # In a model of its own, as two rankers may have one name.
            part = keras.Model(taken, ranker(taken), name=f"ranker_{i}")
            scores.append(part(taken))
        numbers = keras.layers.Concatenate(dtype=precise, name="scores")(scores)
        super().__init__(inputs, numbers, weights, precise)
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
    ) -> "FusionRanker":
        """The model with rankers of these configurations."""
        rankers = [
            keras.saving.deserialize_keras_object(ranker, custom_objects)
            for ranker in config["rankers"]
        ]
        return cls(**{**config, "rankers": rankers})


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
