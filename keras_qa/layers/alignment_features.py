"""Features of how well the words of a question and of an answer match."""

from collections.abc import Iterable
from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_choice
from keras_qa.arguments import check_positive
from keras_qa.layers.base_layer import MaskingLayer
from keras_qa.layers.pair_layer import PrecisePairLayer
from keras_qa.layers.tf_idf import TfIdf
from keras_qa.text.vocabulary import UNKNOWN_ID
from keras_qa.vectors import unit_vectors

VECTOR_FEATURES = (
    *("alignment", "idf_alignment", "answer_alignment"),
    *("idf_answer_alignment", "cosine", "idf_cosine"),
)
WORD_FEATURES = ("idf_overlap", "overlap", "log_length")
FEATURES = (*VECTOR_FEATURES, *WORD_FEATURES)


@keras.saving.register_keras_serializable(package="keras_qa")
class AlignmentFeatures(PrecisePairLayer, MaskingLayer):
    """Nine features of a pair of texts, from its words and their vectors.

    With the words q_i of the question, M of them, and a_j of the answer, N of
    them, their vectors q_i and a_j, s_ij = cos(q_i, a_j), and idf(w) the weight
    of a word:

    1. `alignment`: Σ_i max_j s_ij / M
    2. `idf_alignment`: Σ_i idf(q_i) max_j s_ij / Σ_i idf(q_i)
    3. `answer_alignment`: Σ_j max_i s_ij / N
    4. `idf_answer_alignment`: Σ_j idf(a_j) max_i s_ij / Σ_j idf(a_j)
    5. `cosine`: cos(Σ_i q_i, Σ_j a_j), which is that of the means
    6. `idf_cosine`: cos(Σ_i idf(q_i) q_i, Σ_j idf(a_j) a_j)
    7. `idf_overlap`: Σ_{i: q_i in the answer} idf(q_i) / Σ_i idf(q_i)
    8. `overlap`: the share of the M question words that the answer has
    9. `log_length`: ln(1 + N)

    2 and 4 are the two halves of equation 1 of Mihalcea et al. (2006), with
    cosines of word vectors as its similarity of words. The largest tensor is
    `(batch_size, question_length, answer_length)`.

    Id 0 is padding and changes nothing; a sum over no words, or over words of
    no weight, makes its feature 0. Id 1 stands for any unknown word: it is a
    word, and matches no other, nor itself (s_ij is 0 where both are unknown).
    Features are float32 under mixed precision too. `adapt` counts the
    documents of the idf; until then, each idf is 1.

    Args:
        vocabulary_size: number of word ids, with padding (0).
        features: names of the features that are computed, in this order; None
            stands for all nine.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: list `[question_ids, answer_ids, question_vectors,
            answer_vectors]`: int tensors `(batch_size, length)` and float
            tensors `(batch_size, length, dim)`, of words alone or in their
            texts. The vectors may be missing where 7 to 9 alone are computed.

    Output:
        Float tensor `(batch_size, features)`.

    Raises:
        ValueError: if an argument is out of range, or there are no vectors for
            a feature that needs them.

    Example:
        >>> layer = AlignmentFeatures(9, ["idf_overlap", "overlap"])
        >>> layer.adapt([[2, 3], [2, 4], [2]])
        >>> layer([np.array([[2, 3]]), np.array([[3, 5, 5]])])
        [[0.6286872, 0.5]]

    Reference: Mihalcea et al., 2006, "Corpus-based and Knowledge-based
    Measures of Text Semantic Similarity", section 3.
    """

    parts = {
        "question_ids": ("batch_size", "question_length"),
        "answer_ids": ("batch_size", "answer_length"),
        "question_vectors": ("batch_size", "question_length", "dim"),
        "answer_vectors": ("batch_size", "answer_length", "dim"),
    }
    optional = ("question_vectors", "answer_vectors")

    def __init__(
        self,
        vocabulary_size: int,
        features: Sequence[str] | None = None,
        **kwargs: Any,
    ):
        # Autocasting would round vectors and weights to half precision.
        super().__init__(autocast=False, **kwargs)
        check_positive(vocabulary_size=vocabulary_size)
        self.vocabulary_size = vocabulary_size
        self.features = list(FEATURES if features is None else features)
        for name in self.features:
            check_choice("features", name, FEATURES)
        if not self.features:
            raise ValueError(
                "`features` must name at least one. Received: features=[]"
            )
        self.idf = TfIdf(
            vocabulary_size, norm=None, dtype=self.dtype_policy, name="idf"
        )

    def adapt(self, texts: Iterable[Any], smooth: bool = True) -> None:
        """Sets each idf from the documents that have the word.

        Args:
            texts: the documents, as for `TfIdf.adapt`.
            smooth: which formula, as for `TfIdf.adapt`.

        Raises:
            ValueError: if there is no document, or an id is out of range.
        """
        self.idf.adapt(texts, smooth)

    def call(self, inputs: Any) -> Any:
        """Computes the features."""
        question, answer, *vectors = inputs
        idf = [self.idf(question), self.idf(answer)]
        ones = [
            ops.cast(ops.not_equal(ids, 0), idf[0].dtype)
            for ids in (question, answer)
        ]
        # (batch_size, question_length, answer_length)
        equal = ops.equal(question[:, :, None], answer[:, None, :])
        unknown = ops.equal(question, UNKNOWN_ID)[:, :, None]
        found = ops.cast(
            ops.any(equal & ~unknown, axis=2), ones[0].dtype
        )  # at padding of both sides, too, where the weights are 0
        computed = {
            "idf_overlap": _weighted_mean(found, idf[0]),
            "overlap": _weighted_mean(found, ones[0]),
            # ONNX has no log1p.
            "log_length": ops.log(1.0 + ops.sum(ones[1], axis=1)),
        }
        if len(vectors) == 2:
            vectors = [ops.cast(x, self.precise) for x in vectors]
            computed |= _vector_features(vectors, ones, idf, equal & unknown)
        missing = [name for name in self.features if name not in computed]
        if missing:
            raise ValueError(
                f"`inputs` must have vectors for the features {missing}. "
                f"Received: {len(inputs)} inputs"
            )
        return ops.stack([computed[name] for name in self.features], axis=1)

    def compute_output_shape(self, input_shape: Any) -> tuple:
        """`(batch_size, features)`."""
        return (input_shape[0][0], len(self.features))


def _vector_features(
    vectors: Sequence[Any],
    ones: Sequence[Any],
    idf: Sequence[Any],
    apart: Any,
) -> dict[str, Any]:
    """The features of vectors.

    Args:
        vectors: of the question and of the answer, `(batch_size, length, dim)`.
        ones: 1 at the words of each, 0 at padding, `(batch_size, length)`.
        idf: idf of the words of each, 0 at padding, `(batch_size, length)`.
        apart: true where s_ij is 0, `(batch_size, question_length,
            answer_length)`.
    """
    units = [unit_vectors(x) for x in vectors]
    similarity = ops.matmul(units[0], ops.swapaxes(units[1], 1, 2))
    similarity = ops.where(apart, 0.0, similarity)
    best = [
        _best(similarity, ones[1][:, None, :], axis=2),
        _best(similarity, ones[0][:, :, None], axis=1),
    ]
    return {
        "alignment": _weighted_mean(best[0], ones[0]),
        "idf_alignment": _weighted_mean(best[0], idf[0]),
        "answer_alignment": _weighted_mean(best[1], ones[1]),
        "idf_answer_alignment": _weighted_mean(best[1], idf[1]),
        "cosine": _cosine_of_sums(vectors, ones),
        "idf_cosine": _cosine_of_sums(vectors, idf),
    }


def _best(similarity: Any, words: Any, axis: int) -> Any:
    """The largest cosine over the words of one text, 0 if it has none."""
    best = ops.max(ops.where(words > 0, similarity, -1.0), axis=axis)
    return best * ops.max(words, axis=axis)


def _weighted_mean(values: Any, weights: Any) -> Any:
    """Mean over the positions, `(batch_size,)`; 0 if all weights are 0."""
    total = ops.sum(weights, axis=1)
    mean = ops.sum(weights * values, axis=1)
    return mean / ops.where(total > 0, total, 1.0)


def _cosine_of_sums(vectors: Sequence[Any], weights: Sequence[Any]) -> Any:
    """Cosine of the weighted sums of vectors, `(batch_size,)`."""
    # (batch_size, 1, length) by (batch_size, length, dim)
    sums = [
        ops.matmul(w[:, None, :], x)[:, 0]
        for x, w in zip(vectors, weights, strict=True)
    ]
    return ops.sum(unit_vectors(sums[0]) * unit_vectors(sums[1]), axis=-1)
