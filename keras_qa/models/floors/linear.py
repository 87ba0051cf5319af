"""A weighted sum of standardised numbers of a pair, fitted in one go."""

from collections.abc import Mapping
from typing import TYPE_CHECKING
from typing import Any

import keras
import numpy as np
from keras import ops

from keras_qa.layers.feature_standardization import FeatureStandardization
from keras_qa.models.configured import ConfiguredModel
from keras_qa.ranking.logistic import listwise_regression
from keras_qa.ranking.logistic import logistic_regression
from keras_qa.ranking.padded import predict_padded
from keras_qa.ranking.stacking.combining import WeightedSum
from keras_qa.text.ragged import Ragged
from keras_qa.text.vector_texts import VectorTexts

if TYPE_CHECKING:
    from keras_qa.datasets.corpus import IndexedQuestions

L2 = 1.0


class LinearRanker(ConfiguredModel):
    """Scores a pair by Σ_k w_k (x_k - mean_k) / deviation_k + c.

    Means and deviations are those of training pairs (`standardize`), weights
    and bias those of a logistic regression on them (`fit_questions`): then
    the score is the log-odds that the answer is right. No score depends on the
    other candidates of its question.

    Args:
        inputs: symbolic inputs by name.
        numbers: symbolic tensor of the x_k, `(batch_size, numbers)`.
        weights: the w_k to start with; 1 each without them.
        dtype: dtype of weights and scores.

    Raises:
        ValueError: if there are not as many weights as numbers.
    """

    def __init__(
        self,
        inputs: Mapping[str, Any],
        numbers: Any,
        weights: Any,
        dtype: str,
    ):
        count = numbers.shape[-1]
        start = np.ones(count) if weights is None else np.asarray(weights)
        if start.shape != (count,) or not np.isfinite(start).all():
            raise ValueError(
                f"`weights` must be {count} finite numbers. "
                f"Received: weights={weights!r}"
            )
        standardization = FeatureStandardization(
            dtype=dtype, name="standardization"
        )
        score = keras.layers.Dense(1, dtype=dtype, name="score")
        super().__init__(dict(inputs), score(standardization(numbers)))
        self.standardization, self.score = standardization, score
        score.kernel.assign(start[:, None])

    def numbers(
        self,
        texts: Ragged,
        questions: np.ndarray,
        answers: np.ndarray,
        features: Mapping[str, np.ndarray] | None = None,
        vectors: VectorTexts | None = None,
    ) -> np.ndarray:
        """The x_k of pairs, before they are standardised.

        The arguments are those of `keras_qa.ranking.scoring.score_pairs`.

        Returns:
            float32 array `(pairs, numbers)`.
        """
        model = keras.Model(self.input, self.standardization.input)
        return predict_padded(
            model, texts, questions, answers, features, vectors
        )

    def standardize(
        self,
        texts: Ragged,
        questions: "IndexedQuestions",
        vectors: VectorTexts | None = None,
        features: Mapping[str, np.ndarray] | None = None,
    ) -> np.ndarray:
        """Takes means and deviations of the candidates of training questions.

        Args:
            texts: the word ids of all texts of a corpus.
            questions: the training questions, their texts by number.
            vectors: see `keras_qa.ranking.scoring.score_pairs`.
            features: see there; rows in the order of `questions.pairs()`.

        Returns:
            The standardised numbers of all pairs, float64 `(pairs, numbers)`.
        """
        pairs = questions.pairs()
        x = self.numbers(texts, *pairs, features, vectors)
        self.standardization.adapt(x)
        mean, deviation = (
            ops.convert_to_numpy(weight).astype(np.float64)
            for weight in self.standardization.weights
        )
        return (x - mean) / deviation

    def fit_questions(
        self,
        texts: Ragged,
        questions: "IndexedQuestions",
        vectors: VectorTexts | None = None,
        features: Mapping[str, np.ndarray] | None = None,
        l2: float = L2,
        listwise: bool = False,
    ) -> dict[str, Any]:
        """Standardises, and fits weights and bias by logistic regression.

        Args:
            texts: as for `standardize`.
            questions: as for `standardize`.
            vectors: as for `standardize`.
            features: as for `standardize`.
            l2: strength of the regularisation, as for
                `keras_qa.ranking.logistic.logistic_regression`.
            listwise: True compares the candidates of each question with each
                other (`listwise_regression` there): then the bias is 0, and
                the score ranks better but is no log-odds.

        Returns:
            `"weights"`, a list, `"bias"` and `"l2"`.

        Raises:
            ValueError: if all answers are right, or all wrong; listwise, if
                this holds for each question.
        """
        x = self.standardize(texts, questions, vectors, features)
        if listwise:
            weights, bias = listwise_regression(x, questions.labels, l2), 0.0
        else:
            weights, bias = logistic_regression(
                x, np.concatenate(questions.labels), l2
            )
        self.score.set_weights([weights[:, None], np.array([bias])])
        return {"weights": weights.tolist(), "bias": bias, "l2": l2}

    def assign(self, fitted: WeightedSum) -> None:
        """Takes means, deviations, weights and bias that were fitted before.

        Args:
            fitted: a weighted sum of as many numbers, such as
                `keras_qa.fit_stacker` fits to scores.

        Raises:
            ValueError: if it is one of more or fewer numbers.
        """
        own = [*self.standardization.weights, self.score.kernel]
        if fitted.weights.shape != tuple(own[0].shape):
            raise ValueError(
                f"`fitted` must be of {own[0].shape[0]} numbers. "
                f"Received: {len(fitted.weights)} weights"
            )
        given = [fitted.mean, fitted.deviation, fitted.weights[:, None]]
        for weight, values in zip(own, given, strict=True):
            weight.assign(values)
        self.score.bias.assign([fitted.bias])
