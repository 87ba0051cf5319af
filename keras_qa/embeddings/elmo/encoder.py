"""An ELMo, loaded from its published files."""

import functools
from collections.abc import Iterator
from collections.abc import Sequence
from typing import Any

import numpy as np

from keras_qa.embeddings.cache import Identity
from keras_qa.embeddings.elmo.characters import END
from keras_qa.embeddings.elmo.characters import START
from keras_qa.embeddings.elmo.characters import character_ids
from keras_qa.embeddings.elmo.options import ElmoOptions
from keras_qa.embeddings.elmo.options import read_options
from keras_qa.embeddings.elmo.published_files import files_digest
from keras_qa.embeddings.elmo.published_files import find_elmo
from keras_qa.embeddings.elmo.published_files import read_weights
from keras_qa.embeddings.formats.vector_files import PathLike
from keras_qa.text.packing import next_power

# Number of words computed at a time; bounds the memory. The largest convolution
# of the published network has 1024 filters at 44 positions of each word.
CHARACTER_WORDS = 256
# Number of positions in a batch of sentences, with padding.
BATCH_WORDS = 2048
# To be raised with each change that gives the same texts other vectors.
VERSION = 1


class Elmo:
    """An ELMo whose weights are loaded on first use.

    Each text is read as one sentence, framed by `<S>` and `</S>`, from zero
    states. (The released program keeps the states of earlier sentences, on
    which its vectors depend.)

    Args:
        source: directory with the options and the weights; see
            `keras_qa.embeddings.elmo.published_files.find_elmo`.
        layers: the layers whose states are taken: 0 is the vector of the
            word's characters, repeated for both directions; -1 is the top one.

    Raises:
        VectorsError: if a file is missing or the options are bad.
        ValueError: if `layers` is empty or out of range.
    """

    def __init__(self, source: PathLike, layers: Sequence[int] = (-1,)):
        self.paths = find_elmo(source)
        self.options: ElmoOptions = read_options(self.paths[0])
        self.layers = tuple(map(int, layers))
        most = self.options.layers
        if not self.layers or any(
            not -most - 1 <= layer <= most for layer in self.layers
        ):
            raise ValueError(
                f"`layers` must hold numbers between {-most - 1} and {most}. "
                f"Received: layers={layers!r}"
            )

    @functools.cached_property
    def fingerprint(self) -> str:
        """Hexadecimal digest of options and weights."""
        return files_digest(self.paths)

    @property
    def identity(self) -> Identity:
        """The identity of the vectors in the cache."""
        about = {
            "version": VERSION,
            "fingerprint": self.fingerprint,
            "layers": self.layers,
        }
        return Identity("ELMo", str(self.paths[1].parent), about)

    @property
    def width(self) -> int:
        """Width of the concatenated states of all layers."""
        return 2 * self.options.projection * len(self.layers)

    def encode(
        self, texts: Sequence[Sequence[str]], batch_words: int = BATCH_WORDS
    ) -> list[np.ndarray]:
        """The states of the words of texts.

        Args:
            texts: the words of each text, with original case.
            batch_words: number of words computed at a time, with padding.

        Returns:
            For each text float32 `(words, width)`, the layers concatenated in
            the order of `layers`.

        Raises:
            VectorsError: if the weights are bad.
        """
        words, vectors = self._word_vectors(texts)
        found = [np.zeros((len(t), self.width), np.float32) for t in texts]
        for batch in _batches(texts, batch_words):
            longest = 2 + max(len(texts[i]) for i in batch)
            # Powers of two, so that few different shapes are compiled.
            shape = (next_power(len(batch)), next_power(longest))
            rows = np.zeros(shape, np.int64)
            mask = np.zeros(shape, bool)
            for row, i in enumerate(batch):
                framed = [START, *texts[i], END]
                rows[row, : len(framed)] = [words[word] for word in framed]
                mask[row, : len(framed)] = True
            states = self._language_model.predict_on_batch(
                {"words": vectors[rows], "mask": mask}
            )
            for row, i in enumerate(batch):
                inner = states[row, 1 : 1 + len(texts[i])]
                found[i][:] = inner[:, self.layers].reshape(found[i].shape)
        return found

    def _word_vectors(
        self, texts: Sequence[Sequence[str]]
    ) -> tuple[dict[str, int], np.ndarray]:
        """The numbers of the distinct words, and their character vectors."""
        distinct = dict.fromkeys([START, END])
        distinct.update(dict.fromkeys(word for text in texts for word in text))
        words = list(distinct)
        ids = character_ids(words, self.options.max_characters)
        parts = []
        for start in range(0, len(ids), CHARACTER_WORDS):
            part = ids[start : start + CHARACTER_WORDS]
            # Rows that fill the batch have the id 0.
            filled = np.zeros((next_power(len(part)), ids.shape[1]), np.int32)
            filled[: len(part)] = part
            vectors = self._character_model.predict_on_batch(filled)
            parts.append(vectors[: len(part)])
        return {word: i for i, word in enumerate(words)}, np.concatenate(parts)

    @functools.cached_property
    def _models(self) -> tuple[Any, Any]:
        # Keras is only needed for vectors that are not in the cache.
        from keras_qa.embeddings.elmo.network import character_model
        from keras_qa.embeddings.elmo.network import language_model

        weights = read_weights(self.paths[1], self.options)
        return (
            character_model(self.options, weights),
            language_model(self.options, weights),
        )

    @property
    def _character_model(self) -> Any:
        return self._models[0]

    @property
    def _language_model(self) -> Any:
        return self._models[1]


def _batches(
    texts: Sequence[Sequence[str]], batch_words: int
) -> Iterator[list[int]]:
    """Numbers of nonempty texts, with similar lengths together."""
    numbers = [i for i, text in enumerate(texts) if len(text)]
    numbers.sort(key=lambda i: -len(texts[i]))
    start = 0
    while start < len(numbers):
        # The first text is the longest of its batch.
        width = next_power(2 + len(texts[numbers[start]]))
        rows = max(1, batch_words // width)
        yield numbers[start : start + rows]
        start += rows
