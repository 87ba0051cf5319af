"""Okapi BM25 of word ids."""

from collections.abc import Collection
from collections.abc import Sequence
from typing import Any

import keras
import numpy as np
from keras import ops

from keras_qa.arguments import check_positive
from keras_qa.layers.base_layer import MaskingLayer
from keras_qa.layers.pair_layer import PrecisePairLayer
from keras_qa.layers.sequences import as_indices
from keras_qa.text.vocabulary import PADDING_ID
from keras_qa.text.vocabulary import UNKNOWN_ID


@keras.saving.register_keras_serializable(package="keras_qa")
class BM25(PrecisePairLayer, MaskingLayer):
    """Okapi BM25 of a question and an answer.

        score = Σ_i idf(q_i) tf_i / (tf_i + k1 (1 - b + b |a| / mean))

    over the words q_i of the question, repeated ones as often as they occur;
    tf_i is the number of times that the answer has q_i, and |a| the number of
    its words. With N documents, of which df(w) have w, and of which the mean
    length is `mean`,

        idf(w) = ln(1 + (N - df(w) + 0.5) / (df(w) + 0.5)).

    This is Lucene's form of what Robertson et al. have: its 1 in the logarithm
    keeps idf above 0 for words of more than half of the documents, the factor
    k1 + 1 is left out, which orders nothing anew, and a repeated word of the
    question counts in full.

    All four numbers are weights that are not trained. `adapt` sets idf and
    mean length; until then both are 1. Words of idf 0, padding (id 0) among
    them, are no words: they neither match nor count for lengths. Unknown words
    (id 1) count and match nothing. Scores are float32 under mixed precision.

    Args:
        vocabulary_size: number of word ids, with padding (0).
        k1: saturation of the term frequency, at least 0.
        b: strength of the length normalisation, from 0 to 1.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: list `[question_ids, answer_ids]` of int tensors `(batch_size,
            length)`.

    Output:
        Float tensor `(batch_size, 1)`.

    Raises:
        ValueError: if an argument is out of range.

    Example:
        >>> layer = BM25(9, k1=1.0, b=0.0)
        >>> layer.adapt([[2, 3], [2, 4]])
        >>> layer([np.array([[3, 5]]), np.array([[3, 3, 4]])])
        [[0.46209812]]

    Reference: Robertson et al., 1994, "Okapi at TREC-3"; Lucene's
    `BM25Similarity`.
    """

    not_kept = ("k1", "b")
    parts = {
        "question_ids": ("batch_size", "question_length"),
        "answer_ids": ("batch_size", "answer_length"),
    }

    def __init__(
        self,
        vocabulary_size: int,
        k1: float = 1.5,
        b: float = 0.75,
        **kwargs: Any,
    ):
        # Autocasting would round the weights to half precision.
        super().__init__(autocast=False, **kwargs)
        check_positive(vocabulary_size=vocabulary_size)
        self.vocabulary_size = vocabulary_size
        self.build([(None, None), (None, None)])
        self.assign(k1, b)

    def build(self, input_shape: Any) -> None:
        """Creates idf, mean length and the two parameters."""
        # The constructor calls it; a layer around this one may do so again.
        if self.built:
            return
        shapes = {"idf": (self.vocabulary_size,)}
        self.idf, self.mean_length, self.k1, self.b = (
            self.add_precise_weight(
                name=name,
                shape=shapes.get(name, ()),
                initializer="ones",
                trainable=False,
            )
            for name in ("idf", "mean_length", "k1", "b")
        )

    def assign(self, k1: float, b: float) -> None:
        """Changes the two parameters.

        Args:
            k1: as the argument of the layer.
            b: as the argument of the layer.

        Raises:
            ValueError: if one is out of range.
        """
        if not 0 <= k1 < np.inf:
            raise ValueError(
                f"`k1` must be finite and not negative. Received: k1={k1!r}"
            )
        if not 0 <= b <= 1:
            raise ValueError(f"`b` must be from 0 to 1. Received: b={b!r}")
        self.k1.assign(k1)
        self.b.assign(b)

    @property
    def parameters(self) -> dict[str, float]:
        """The two parameters by name, as they are now."""
        return {
            # By way of the shortest text: 0.9 and not 0.8999999761581421.
            name: float(str(ops.convert_to_numpy(getattr(self, name))))
            for name in ("k1", "b")
        }

    def adapt(
        self, texts: Sequence[Any], ignored: Collection[int] = ()
    ) -> None:
        """Sets idf and mean length to those of some documents.

        Args:
            texts: the documents, integer vectors of word ids.
            ignored: ids that are no words, such as those of punctuation.

        Raises:
            ValueError: if there is no document, or an id is out of range.
        """
        texts = [np.asarray(text, dtype=int) for text in texts]
        if not texts:
            raise ValueError(
                "`texts` must hold at least one document. Received: none"
            )
        none = [PADDING_ID, *ignored]
        ids = np.concatenate([*texts, none])
        wrong = (ids < 0) | (ids >= self.vocabulary_size)
        if wrong.any():
            raise ValueError(
                "`texts` and `ignored` must hold ids from 0 to "
                f"{self.vocabulary_size - 1}. Received: {ids[wrong][0]}"
            )
        distinct = np.concatenate([np.unique(text) for text in texts])
        df = np.bincount(distinct, minlength=self.vocabulary_size)
        idf = np.log(1 + (len(texts) - df + 0.5) / (df + 0.5))
        idf[none] = 0
        self.idf.assign(idf)
        words = sum(int((idf[text] > 0).sum()) for text in texts)
        self.mean_length.assign(words / len(texts) if words else 1.0)

    def call(self, inputs: Any) -> Any:
        """Computes the scores."""
        question, answer = (as_indices("inputs", x) for x in inputs)
        idf = ops.take(self.idf, question, axis=0)
        idf = ops.where(question > UNKNOWN_ID, idf, 0.0)
        words = (ops.take(self.idf, answer, axis=0) > 0) & (answer > 0)
        length = ops.sum(ops.cast(words, idf.dtype), axis=1, keepdims=True)
        # (batch_size, question_length, answer_length)
        equal = ops.equal(question[:, :, None], answer[:, None, :])
        frequency = ops.sum(ops.cast(equal, idf.dtype), axis=2)
        norm = self.k1 * (1 - self.b + self.b * length / self.mean_length)
        found = frequency > 0
        share = frequency / ops.where(found, frequency + norm, 1.0)
        return ops.sum(idf * share, axis=1, keepdims=True)

    def compute_output_shape(self, input_shape: Any) -> tuple:
        """`(batch_size, 1)`."""
        return (input_shape[0][0], 1)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments, as they are now."""
        return {**super().get_config(), **self.parameters}
