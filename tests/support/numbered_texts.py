"""Texts that tests tell apart by their first words."""

import numpy as np

from keras_qa.text.packing import RaggedTexts


def numbered_texts(count, length, words=None):
    """Text i has the word i + 2, then fewer than `length` random words.

    The random words are below `words`, by default the number of texts.
    """
    rng = np.random.default_rng(0)
    return RaggedTexts.from_sequences(
        [
            [i + 2, *rng.integers(2, words or count, rng.integers(0, length))]
            for i in range(count)
        ]
    )
