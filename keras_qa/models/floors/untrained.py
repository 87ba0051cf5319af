"""Rankers by one feature of the words, or of their vectors; none is trained."""

from typing import Any

import keras
import numpy as np

from keras_qa.models.configured import keeps_arguments
from keras_qa.models.floors.floor import AlignedPairs
from keras_qa.models.floors.floor import Floor


@keras.saving.register_keras_serializable(package="keras_qa")
class IdfOverlapRanker(Floor):
    """Scores a pair by the share of the question that the answer repeats.

        score = Σ_{i: q_i in the answer} idf(q_i) / Σ_i idf(q_i)

    over the words q_i of the question; see `AlignmentFeatures`. `adapt` counts
    the documents of the idf; until then each idf is 1.

    Args:
        vocabulary_size: number of word ids, with padding (0).
        dtype: dtype policy; the score stays in float32 under mixed precision.
        name: name of the model.
        trainable: whether the model is trainable; it has nothing to train.

    Call arguments:
        inputs: dict of `"question"` and `"answer"`, int tensors `(batch_size,
            length)` of word ids.

    Output:
        Scores `(batch_size, 1)`, from 0 to 1.

    Raises:
        ValueError: if `vocabulary_size` is not a positive integer.

    Example:
        >>> model = IdfOverlapRanker(9)
        >>> model.adapt([[2, 3], [2, 4], [2]])
        >>> model({"question": np.array([[2, 3]]), "answer": np.array([[3]])})
        [[0.6286872]]
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        *,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        pairs = AlignedPairs(self.arguments, "idf_overlap")
        super().__init__(pairs.inputs, pairs.output)
        self.counting = pairs.layer


@keras.saving.register_keras_serializable(package="keras_qa")
class AlignmentRanker(Floor):
    """Scores a pair by how near a word of the answer is to each question word.

        score = Σ_i w(q_i) max_j cos(q_i, a_j) / Σ_i w(q_i)

    over the words q_i of the question and a_j of the answer; w is 1, or the
    idf, whose documents `adapt` counts. See `AlignmentFeatures`.

    Args:
        vocabulary_size: number of word ids, with padding (0).
        embedding_dim: size of the word vectors.
        idf_weighted: whether words are weighed by idf.
        contextual: whether the vectors are inputs, such as those of a BERT,
            in place of one for each word id.
        embeddings: array `(vocabulary_size, embedding_dim)`, word vectors;
            random ones without it. They are not trained.
        dtype: dtype policy; all but the ids stays in float32 under mixed
            precision.
        name: name of the model.
        trainable: whether the model is trainable; it has nothing to train.

    Call arguments:
        inputs: dict of `"question"` and `"answer"`, int tensors `(batch_size,
            length)` of word ids; if `contextual`, with `"question_vectors"`
            and `"answer_vectors"`, float tensors `(batch_size, length,
            embedding_dim)`.

    Output:
        Scores `(batch_size, 1)`, from -1 to 1.

    Raises:
        ValueError: if a size is not a positive integer, or `embeddings` has
            another shape.

    Example:
        >>> vectors = np.array([[0, 0], [0, 0], [1, 0], [3, 4]])
        >>> model = AlignmentRanker(4, 2, embeddings=vectors)
        >>> model({"question": np.array([[2, 3]]), "answer": np.array([[2]])})
        [[0.8]]

    Reference: Mihalcea et al., 2006, "Corpus-based and Knowledge-based
    Measures of Text Semantic Similarity", equation 1, its half of the
    question.
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 100,
        *,
        idf_weighted: bool = False,
        contextual: bool = False,
        embeddings: np.ndarray | None = None,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        feature = "idf_alignment" if idf_weighted else "alignment"
        pairs = AlignedPairs(self.arguments, feature)
        super().__init__(pairs.inputs, pairs.output)
        self.counting = pairs.layer


@keras.saving.register_keras_serializable(package="keras_qa")
class SentenceCosineRanker(Floor):
    """Scores a pair by the cosine of the sums of the texts' word vectors.

        score = cos(Σ_i w(q_i) q_i, Σ_j w(a_j) a_j)

    w is 1, or the idf, whose documents `adapt` counts. With w = 1 it is
    `keras_qa.ranking.floors.bag_of_words_scores`.

    Args, call arguments and errors are those of `AlignmentRanker`.

    Output:
        Scores `(batch_size, 1)`, from -1 to 1.
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 100,
        *,
        idf_weighted: bool = False,
        contextual: bool = False,
        embeddings: np.ndarray | None = None,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        pairs = AlignedPairs(
            self.arguments, "idf_cosine" if idf_weighted else "cosine"
        )
        super().__init__(pairs.inputs, pairs.output)
        self.counting = pairs.layer
