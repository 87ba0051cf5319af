"""Vectors of an earlier index, for the answers that a new one has, too."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from keras_qa.errors import SearchError
from keras_qa.search.answers import AnswerShards
from keras_qa.search.index import ANSWERS
from keras_qa.search.index import SETTINGS
from keras_qa.search.index import Description
from keras_qa.search.index import Settings
from keras_qa.search.index import has_tokens
from keras_qa.search.index import read_index_file
from keras_qa.text.packing import RaggedTexts

Encode = Callable[[RaggedTexts], np.ndarray]


class EarlierIndex:
    """The answers and vectors of a finished index of the same model.

    All texts of its answers are kept in memory.

    Args:
        folder: the index's folder.
        settings: those of the new index.

    Raises:
        SearchError: if the folder contains no finished index, or one of another
            model, or with a vector for each token.
    """

    def __init__(self, folder: Path, settings: Settings):
        tokens = has_tokens(read_index_file(folder / ANSWERS, Description))
        found = read_index_file(folder / SETTINGS, Settings)
        if tokens or _of_model(found) != _of_model(settings):
            what = (
                "with a vector for each token" if tokens else "of another model"
            )
            raise SearchError(
                f"{folder}: expected an index of the same model, with one "
                f"vector for each text, to reuse. Received: one {what}"
            )
        self._shards = AnswerShards(folder / "shards", found.shard_size)
        texts = self._shards.texts()
        self._rows = {text: row for row, text in enumerate(texts)}

    def encode(
        self, texts: list[str], read: RaggedTexts, encode: Encode
    ) -> np.ndarray:
        """The vectors of texts, of those that the index lacks by the model.

        Args:
            texts: the texts.
            read: their word ids.
            encode: encodes texts by their word ids.

        Returns:
            float32 `(texts, dim)`.
        """
        rows = np.array([self._rows.get(text, -1) for text in texts])
        new = rows < 0
        known, places = np.unique(rows[~new], return_inverse=True)
        made = encode(read.take(np.flatnonzero(new)))
        vectors = np.empty((len(texts), made.shape[1]), np.float32)
        vectors[new] = made
        if len(known):
            vectors[~new] = self._shards.vectors(known)[places]
        return vectors


def _of_model(settings: Settings) -> tuple:
    """What the vectors of a text follow from."""
    return (
        *(settings.model_sha256, settings.vocabulary_sha256),
        *(settings.tokenizer, settings.max_answer_length),
    )
