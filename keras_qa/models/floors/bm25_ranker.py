"""Okapi BM25 as a model, tuned on training questions."""

from collections.abc import Collection
from collections.abc import Iterable
from itertools import product
from typing import TYPE_CHECKING
from typing import Any

import keras

from keras_qa.layers.bm25 import BM25
from keras_qa.models.building import full_policy
from keras_qa.models.building import text_inputs
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.floors.floor import Floor
from keras_qa.ranking.padded import score_padded
from keras_qa.text.ragged import Ragged
from keras_qa.text.sides import SIDES
from keras_qa.text.vector_texts import VectorTexts

if TYPE_CHECKING:
    from keras_qa.datasets.corpus import IndexedQuestions

# Tried in this order; of equally good values the first are chosen.
K1 = (0.2, 0.5, 1.0, 1.5, 2.0)
B = (0.0, 0.25, 0.5, 0.75, 1.0)


@keras.saving.register_keras_serializable(package="keras_qa")
class BM25Ranker(Floor):
    """Scores a pair by Okapi BM25; see `keras_qa.layers.BM25`.

    `adapt` counts documents and their lengths; `fit_questions` chooses `k1`
    and `b`, which are weights: their values are saved with the model.

    Args:
        vocabulary_size: number of word ids, with padding (0).
        k1: saturation of the term frequency, at least 0.
        b: strength of the length normalisation, from 0 to 1.
        dtype: dtype policy; the score stays in float32 under mixed precision.
        name: name of the model.
        trainable: whether the model is trainable; it has nothing to train.

    Call arguments:
        inputs: dict of `"question"` and `"answer"`, int tensors `(batch_size,
            length)` of word ids.

    Output:
        Scores `(batch_size, 1)`, not negative.

    Raises:
        ValueError: if an argument is out of range.

    Example:
        >>> model = BM25Ranker(9, k1=1.0, b=0.0)
        >>> model.adapt([[2, 3], [2, 4]])
        >>> model({"question": np.array([[3]]), "answer": np.array([[3, 3]])})
        [[0.46209812]]
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        k1: float = 1.5,
        b: float = 0.75,
        *,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        layer = BM25(
            vocabulary_size,
            k1,
            b,
            dtype=full_policy(dtype).variable_dtype,
            name="bm25",
        )
        inputs = text_inputs()
        super().__init__(inputs, layer([inputs[side] for side in SIDES]))
        self.counting = layer

    @property
    def k1(self) -> float:
        """The saturation of the term frequency, as it is now."""
        return self.counting.parameters["k1"]

    @property
    def b(self) -> float:
        """The strength of the length normalisation, as it is now."""
        return self.counting.parameters["b"]

    def adapt(
        self, documents: Iterable[Any], ignored: Collection[int] = ()
    ) -> None:
        """Sets idf and mean length to those of some documents.

        Args:
            documents: integer vectors of word ids, such as the different
                candidates of the training questions.
            ignored: ids that are no words, such as those of punctuation.

        Raises:
            ValueError: if there is no document, or an id is out of range.
        """
        self.counting.adapt(documents, ignored)

    def fit_questions(
        self,
        texts: Ragged,
        questions: "IndexedQuestions",
        vectors: VectorTexts | None = None,
    ) -> dict[str, Any]:
        """Chooses `k1` and `b` by MAP on training questions, from a grid.

        Args:
            texts: the word ids of all texts of a corpus.
            questions: the training questions, their texts by number.
            vectors: not read.

        Returns:
            `"k1"` and `"b"`, and their `"MAP"` on these questions.

        Raises:
            ValueError: if no question has a right answer.
        """
        # It reads data sets, which a model that only ranks does without.
        from keras_qa.ranking.evaluation import evaluate

        pairs, found = questions.pairs(), {}
        for k1, b in product(K1, B):
            self.counting.assign(k1, b)
            scores = score_padded(self, texts, *pairs, {})
            ranking = evaluate(questions.questions, questions.split(scores))
            found[k1, b] = ranking.metrics["MAP"]
        best = max(found, key=lambda tried: found[tried])
        self.counting.assign(*best)
        return {**self.counting.parameters, "MAP": found[best]}
