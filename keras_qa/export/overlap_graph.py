"""The overlap features of `keras_qa.text.overlap` as a TensorFlow graph.

The graph uses only TensorFlow's operations; the counts, the stop words and
the character class of letters and digits are constants in it.
"""

import math

import tensorflow as tf

from keras_qa.text.characters import character_class
from keras_qa.text.overlap import OverlapFeatures


class OverlapInGraph(tf.Module):
    """Computes the features of an `OverlapFeatures` from tokens in a graph.

    Sums are float64, as in Python; for the same tokens, the float32 results of
    graph and Python differ by at most one unit in the last place.

    Args:
        features: provides the document frequencies and the stop words.
    """

    def __init__(self, features: OverlapFeatures):
        super().__init__()
        # A word of one document has the default IDF, that of an unseen word.
        # Tables must not be empty, so both contain the empty word.
        frequencies = features.document_frequencies
        known = sorted({"", *(w for w, n in frequencies.items() if n > 1)})
        self.idf = _table(
            known,
            [features.idf(word) for word in known],
            tf.float64,
            default=math.log(features.documents),
        )
        stop_words = sorted({"", *features.stop_words})
        self.stop_words = _table(
            stop_words, [True] * len(stop_words), tf.bool, default=False
        )
        self.has_letter_or_digit = f"(?s).*{character_class(str.isalnum)}.*"

    def __call__(
        self, questions: tf.RaggedTensor, answers: tf.RaggedTensor
    ) -> tf.Tensor:
        """Computes the features of pairs.

        Args:
            questions: ragged string tensor `(n, None)`, tokens in UTF-8.
            answers: ragged string tensor `(n, None)`; row i is the answer to
                question i.

        Returns:
            float32 tensor `(n, 4)`, in the order of `OverlapFeatures.names`.
        """
        tokens = tf.concat([questions.flat_values, answers.flat_values], 0)
        words, ids = tf.unique(tokens, out_idx=tf.int64)
        # A key for each pair of row and word, to find a row's distinct words.
        rows = tf.concat([questions.value_rowids(), answers.value_rowids()], 0)
        size = tf.size(words, tf.int64)
        keys = rows * size + ids
        asked = tf.size(questions.flat_values)
        # The distinct words of each side of each row, and their intersection.
        by_side = tf.concat(
            [tf.unique(keys[:asked]).y, tf.unique(keys[asked:]).y], 0
        )
        different, _, sides = tf.unique_with_counts(by_side)
        shared = tf.boolean_mask(different, sides == 2)

        def sums(keys: tf.Tensor, weights: tf.Tensor) -> tf.Tensor:
            """Adds up the weights of the words in each row, `(n, 4)`."""
            return tf.math.unsorted_segment_sum(
                tf.gather(weights, keys % size), keys // size, questions.nrows()
            )

        ones = tf.ones_like(words, tf.float64)
        content = tf.cast(~self._are_stop_words(words), tf.float64)
        idf = self.idf.lookup(words)
        weights = tf.stack([ones, idf, content, content * idf], axis=1)
        counts = tf.stack([ones, ones, content, content], axis=1)
        return tf.cast(
            tf.math.divide_no_nan(sums(shared, weights), sums(by_side, counts)),
            tf.float32,
        )

    def _are_stop_words(self, words: tf.Tensor) -> tf.Tensor:
        return self.stop_words.lookup(words) | ~tf.strings.regex_full_match(
            words, self.has_letter_or_digit
        )


def _table(
    words: list[str],
    values: list[float] | list[bool],
    dtype: tf.DType,
    default: float | bool,
) -> tf.lookup.StaticHashTable:
    return tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(
            tf.constant([word.encode("utf-8") for word in words]),
            tf.constant(values, dtype),
        ),
        default,
    )
