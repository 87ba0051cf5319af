"""A logistic regression on the nine features of alignment."""

from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import TYPE_CHECKING
from typing import Any

import keras
import numpy as np

from keras_qa.layers.alignment_features import FEATURES
from keras_qa.models.building import full_policy
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.floors.floor import AlignedPairs
from keras_qa.models.floors.linear import L2
from keras_qa.models.floors.linear import LinearRanker
from keras_qa.text.ragged import Ragged
from keras_qa.text.vector_texts import VectorTexts

if TYPE_CHECKING:
    from keras_qa.datasets.corpus import IndexedQuestions


@keras.saving.register_keras_serializable(package="keras_qa")
class FeatureRanker(LinearRanker):
    """Scores a pair by a weighted sum of features of how its words match.

    The features are those of `AlignmentFeatures`, standardised. `adapt` counts
    the documents of the idf, `fit_questions` fits the weights by logistic
    regression, which takes a second: then the score is the log-odds that the
    answer is right. Until then all weights are 1.

    Args:
        vocabulary_size: number of word ids, with padding (0).
        embedding_dim: size of the word vectors.
        features: names of the features; None stands for all nine.
        contextual: whether the vectors are inputs, as in `AlignmentRanker`.
        embeddings: array `(vocabulary_size, embedding_dim)`, word vectors;
            random ones without it. They are not trained.
        dtype: dtype policy; all but the ids stays in float32 under mixed
            precision.
        name: name of the model.
        trainable: whether weights and bias are trainable, by gradients too.

    Call arguments:
        inputs: as for `AlignmentRanker`.

    Output:
        Scores `(batch_size, 1)`.

    Raises:
        ValueError: if a size is not a positive integer, a feature is unknown,
            or `embeddings` has another shape.

    Example:
        >>> model = FeatureRanker(30, 8, features=["alignment", "overlap"])
        >>> model.adapt([[2, 3], [2, 4], [2]])
        >>> model({"question": np.array([[2]]), "answer": np.array([[2]])})
        [[2.]]
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 100,
        *,
        features: Sequence[str] | None = None,
        contextual: bool = False,
        embeddings: np.ndarray | None = None,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        names = FEATURES if features is None else features
        pairs = AlignedPairs(self.arguments, *names)
        precise = full_policy(dtype).variable_dtype
        super().__init__(pairs.inputs, pairs.output, None, precise)
        self.counting = pairs.layer

    def adapt(self, documents: Iterable[Any]) -> None:
        """Counts documents, as `AlignmentRanker` does.

        Args:
            documents: integer vectors of word ids.

        Raises:
            ValueError: if there is no document, or an id is out of range.
        """
        self.counting.adapt(documents)

    def fit_questions(
        self,
        texts: Ragged,
        questions: "IndexedQuestions",
        vectors: VectorTexts | None = None,
        features: Mapping[str, np.ndarray] | None = None,
        l2: float = L2,
        listwise: bool = False,
    ) -> dict[str, Any]:
        """As `LinearRanker.fit_questions`; the weights are by feature."""
        fitted = super().fit_questions(
            texts, questions, vectors, features, l2, listwise
        )
        names = self.counting.features
        return {
            **fitted,
            "weights": dict(zip(names, fitted["weights"], strict=True)),
        }
