"""What the floors share: documents that are counted, questions that fit."""

from collections.abc import Iterable
from types import SimpleNamespace
from typing import TYPE_CHECKING
from typing import Any

import keras
import numpy as np

from keras_qa.layers.alignment_features import AlignmentFeatures
from keras_qa.models.building import full_policy
from keras_qa.models.building import text_inputs
from keras_qa.models.building import word_embedding
from keras_qa.models.configured import ConfiguredModel
from keras_qa.text.ragged import Ragged
from keras_qa.text.sides import SIDES
from keras_qa.text.vector_texts import VectorTexts

if TYPE_CHECKING:
    from keras_qa.datasets.corpus import IndexedQuestions


class Floor(ConfiguredModel):
    """A ranker that is fitted, if at all, in one go and without gradients.

    A subclass has a layer `counting`, whose idf `adapt` sets.
    """

    counting: Any

    def adapt(self, documents: Iterable[Any]) -> None:
        """Counts the documents that have each word.

        Args:
            documents: integer vectors of word ids: those of the training
                data, so that nothing is learnt from the others.

        Raises:
            ValueError: if there is no document, or an id is out of range.
        """
        self.counting.adapt(documents)

    def fit_questions(
        self,
        texts: Ragged,
        questions: "IndexedQuestions",
        vectors: VectorTexts | None = None,
    ) -> dict[str, Any]:
        """Fits what is to be fitted, by the labels of training questions.

        Args:
            texts: the word ids of all texts of a corpus.
            questions: the training questions, their texts by number.
            vectors: see `keras_qa.ranking.scoring.score_pairs`.

        Returns:
            What was fitted, JSON values by name; nothing for most floors.
        """
        return {}


class AlignedPairs:
    """The graph from a pair of texts to its features.

    Args:
        given: the arguments of a model, those of `AlignmentRanker` among
            them.
        features: names of the features; without vectors of words if `given`
            has no `embedding_dim`.

    Attributes:
        inputs: symbolic inputs by name.
        layer: the layer of the features.
        output: symbolic features, `(batch_size, features)`.

    Raises:
        ValueError: if a size or the vectors are not as they must be.
    """

    def __init__(self, given: SimpleNamespace, *features: str):
        # Word vectors too stay in float32 under mixed precision: the features
        # are few numbers, and nothing is gained by rounding them.
        precise = full_policy(given.dtype).variable_dtype
        self.layer = AlignmentFeatures(
            given.vocabulary_size, features, dtype=precise, name="features"
        )
        self.inputs = text_inputs()
        read = [self.inputs[side] for side in SIDES]
        if getattr(given, "contextual", False):
            if given.embeddings is not None:
                raise ValueError(
                    "`embeddings` must be None with contextual=True, whose "
                    "word vectors are inputs. Received: embeddings of shape "
                    f"{np.shape(given.embeddings)}"
                )
            for side in SIDES:
                name = f"{side}_vectors"
                self.inputs[name] = keras.Input(
                    (None, given.embedding_dim), dtype=precise, name=name
                )
                read.append(self.inputs[name])
        elif hasattr(given, "embedding_dim"):
            embedding = word_embedding(
                given.vocabulary_size,
                given.embedding_dim,
                given.embeddings,
                dtype=precise,
            )
            read += [embedding(self.inputs[side]) for side in SIDES]
        self.output = self.layer(read)
