"""Answers and the vectors of their tokens, on disk."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from keras_qa.errors import SearchError
from keras_qa.search.answers import Answer
from keras_qa.search.shards.answers import AnswerShards
from keras_qa.search.shards.mapped import MappedShards
from keras_qa.search.shards.mapped import mapped_array
from keras_qa.text.vector_texts import VectorTexts


class TokenShards(AnswerShards):
    """Shards with a vector for each token of an answer.

    A shard has the vectors of all its tokens in one array and the place of
    each answer's first one in `tokens.npy`.

    Args:
        folder: the folder of the shards.
        size: number of answers of each shard; the last one may have fewer.
        half: whether vectors are stored in float16, not float32.
    """

    def __init__(self, folder: Path, size: int, half: bool = False):
        super().__init__(folder, size)
        self.dtype = np.dtype(np.float16 if half else np.float32)
        self._texts = MappedShards[VectorTexts]()

    def write_tokens(
        self,
        number: int,
        answers: list[Answer],
        vectors: np.ndarray,
        lengths: np.ndarray,
    ) -> None:
        """Writes a shard atomically.

        Args:
            number: number of the shard.
            answers: the answers.
            vectors: the vectors of the tokens of all answers, float `(tokens,
                dim)`.
            lengths: number of tokens of each answer, at least 1.
        """
        self.write_arrays(
            number,
            answers,
            vectors=vectors.astype(self.dtype),
            tokens=np.cumsum([0, *lengths], dtype=np.int64),
        )

    def block(self, number: int) -> np.ndarray:
        """The vectors of the tokens of a shard, mapped into memory."""
        return self.shard(number).vectors

    def shard(self, number: int) -> VectorTexts:
        """The vectors of the tokens of a shard, mapped into memory.

        Raises:
            SearchError: if a file of the shard is damaged.
        """
        return self._texts.get(number, self._mapped_texts)

    def _mapped_texts(self, number: int) -> VectorTexts:
        path = self.path(number)
        vectors = mapped_array(path / "vectors.npy", self.dtype, 2)
        tokens = mapped_array(path / "tokens.npy", np.dtype(np.int64), 1)
        try:
            found = VectorTexts(vectors, np.array(tokens))
            if not 0 < len(found) <= self.size or not found.lengths.all():
                raise ValueError(f"{len(found)} answers")
        except (ValueError, IndexError) as error:
            raise SearchError(
                f"{path / 'tokens.npy'}: expected tokens of at most "
                f"{self.size} answers. Received: {error}"
            ) from error
        return found

    def shards(self) -> Iterator[VectorTexts]:
        """The vectors of all shards, one shard after the other."""
        return map(self.shard, range(self.count()))

    def tokens(self, rows: np.ndarray) -> VectorTexts:
        """The vectors of the tokens of answers.

        Args:
            rows: numbers of answers, from 0, int64 `(n,)`.

        Raises:
            SearchError: if a shard is damaged, or lacks one of the answers.
        """
        found = []
        for row in rows:
            shard, place = divmod(int(row), self.size)
            try:
                found.append(self.shard(shard)[place])
            except IndexError as error:
                raise SearchError(
                    f"{self.path(shard)}: expected the tokens of answer "
                    f"{place}. Received: {len(self.shard(shard))} answers"
                ) from error
        return VectorTexts.from_arrays(found, self.shard(0).vectors.shape[1])
