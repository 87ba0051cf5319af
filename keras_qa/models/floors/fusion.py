"""A ranker that adds up the scores of others."""

from collections.abc import Sequence
from typing import Any

import keras

from keras_qa.models.building import full_policy
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.floors.linear import LinearRanker
from keras_qa.models.floors.of_rankers import OfRankers
from keras_qa.models.floors.of_rankers import joint_scores


@keras.saving.register_keras_serializable(package="keras_qa")
class FusionRanker(OfRankers, LinearRanker):
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
        precise = full_policy(dtype).variable_dtype
        inputs, numbers = joint_scores(rankers, precise)
        super().__init__(inputs, numbers, weights, precise)
        self.keep_rankers(rankers)
