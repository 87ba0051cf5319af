"""A ranker of gradient boosted trees over the scores of others."""

from collections.abc import Mapping
from collections.abc import Sequence
from typing import TYPE_CHECKING
from typing import Any

import keras
import numpy as np

from keras_qa.layers.boosted_trees import BoostedTrees
from keras_qa.models.building import full_policy
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.floors.of_rankers import OfRankers
from keras_qa.models.floors.of_rankers import joint_scores
from keras_qa.ranking.padded import predict_padded
from keras_qa.ranking.stacking.boosting import Trees
from keras_qa.ranking.stacking.boosting import boosted_trees
from keras_qa.text.ragged import Ragged
from keras_qa.text.vector_texts import VectorTexts

if TYPE_CHECKING:
    from keras_qa.datasets.corpus import IndexedQuestions


@keras.saving.register_keras_serializable(package="keras_qa")
class BoostedRanker(OfRankers):
    """Scores a pair by decision trees over the scores of rankers.

        score = bias + Σ_t v_t(leaf_t(s_1, ..., s_K))

    s_k is the score by ranker k; see `BoostedTrees`. `fit_questions` grows the
    trees, `assign` takes those of `keras_qa.fit_stacker`;
    then the score is the log-odds that the answer is right. Until then, each
    score is 0. The rankers have to be trained before: trees have no gradients,
    and `fit` could only regularise.

    Args:
        rankers: as for `FusionRanker`.
        trees: number of trees.
        depth: number of questions that each tree asks.
        dtype: dtype policy; the sum is of its `variable_dtype`.
        name: name of the model.
        trainable: whether the model is trainable.

    Call arguments:
        inputs: dict of all inputs of all rankers.

    Output:
        Scores `(batch_size, 1)`.

    Raises:
        ValueError: if a size is not a positive integer, there are no rankers,
            they have no dict of inputs, or their vocabularies or the shapes of
            an input differ.

    Example:
        >>> size = len(corpus.vocabulary)
        >>> model = BoostedRanker([BM25Ranker(size), IdfOverlapRanker(size)])
        >>> model.fit_questions(corpus.texts, corpus.index(dev))
        {'learning_rate': 0.1, 'seed': 0}

    Reference: Wang and Nyberg, 2015, "A Long Short-Term Memory Model for
    Answer Sentence Selection in Question Answering": a BiLSTM's score and BM25.
    """

    @keeps_arguments
    def __init__(
        self,
        rankers: Sequence[keras.Model],
        trees: int = 100,
        depth: int = 3,
        *,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        precise = full_policy(dtype).variable_dtype

        # === Layers ===
        layer = BoostedTrees(trees, depth, dtype=precise, name="trees")

        # === Functional model ===
        inputs, scores = joint_scores(rankers, precise)
        super().__init__(inputs, layer(scores))

        # === Config ===
        self.boosted = layer
        self.keep_rankers(rankers)

    def numbers(
        self,
        texts: Ragged,
        questions: np.ndarray,
        answers: np.ndarray,
        features: Mapping[str, np.ndarray] | None = None,
        vectors: VectorTexts | None = None,
    ) -> np.ndarray:
        """The scores of pairs by all rankers.

        The arguments are those of `keras_qa.ranking.scoring.score_pairs`.

        Returns:
            float32 array `(pairs, rankers)`.
        """
        model = keras.Model(self.input, self.boosted.input)
        return predict_padded(
            model, texts, questions, answers, features, vectors
        )

    def fit_questions(
        self,
        texts: Ragged,
        questions: "IndexedQuestions",
        vectors: VectorTexts | None = None,
        features: Mapping[str, np.ndarray] | None = None,
        learning_rate: float = 0.1,
        seed: int = 0,
    ) -> dict[str, Any]:
        """Grows the trees on questions that trained rankers have not seen.

        Args:
            texts: the word ids of all texts of a corpus.
            questions: the questions, their texts by number.
            vectors: see `keras_qa.ranking.scoring.score_pairs`.
            features: see there; rows in the order of `questions.pairs()`.
            learning_rate: see `keras_qa.fit_stacker`.
            seed: see there.

        Returns:
            `"learning_rate"` and `"seed"`.

        Raises:
            ImportError: if scikit-learn is not installed.
            ValueError: if an argument is out of range, or all answers are
                right, or all wrong.
        """
        x = self.numbers(texts, *questions.pairs(), features, vectors)
        labels = np.concatenate(questions.labels)
        self.assign(
            boosted_trees(
                x, labels, self.trees, self.depth, learning_rate, seed
            )
        )
        return {"learning_rate": learning_rate, "seed": seed}

    def assign(self, fitted: Trees) -> None:
        """Takes trees that were grown before.

        Args:
            fitted: as many trees, of the same depth.

        Raises:
            ValueError: if there are others.
        """
        self.boosted.assign(
            fitted.features, fitted.thresholds, fitted.values, fitted.bias
        )
