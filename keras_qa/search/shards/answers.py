"""Answers with one vector each, on disk."""

import itertools
import json
from collections.abc import Iterable
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from keras_qa.errors import SearchError
from keras_qa.files.checks import parse_json
from keras_qa.files.text_files import shorten
from keras_qa.files.whole import write_whole
from keras_qa.search.answers import Answer
from keras_qa.search.shards.mapped import MappedShards
from keras_qa.search.shards.mapped import mapped_array


class AnswerShards:
    """Answers and their vectors on disk, in shards, each an atomic folder.

    Args:
        folder: the folder of the shards.
        size: number of answers of each shard; the last one may have fewer.
    """

    def __init__(self, folder: Path, size: int):
        self.folder = folder
        self.size = size
        self._vectors = MappedShards[np.ndarray]()

    def path(self, number: int) -> Path:
        """The folder of a shard."""
        return self.folder / f"{number:06d}"

    def count(self) -> int:
        """The number of existing shards before the first gap."""
        return next(n for n in itertools.count() if not self.path(n).is_dir())

    def numbers(self) -> list[int]:
        """The numbers of the existing shards, in no order."""
        return [int(path.name) for path in self.folder.glob("[0-9]*")]

    def holds(self, number: int, answers: Iterable[Answer]) -> bool:
        """Returns True if an existing shard has exactly these answers."""
        path = self.path(number) / "answers.jsonl"
        return path.is_file() and path.read_bytes() == b"".join(_lines(answers))

    def write(
        self, number: int, answers: list[Answer], vectors: np.ndarray
    ) -> None:
        """Writes a shard atomically; `vectors` are stored as float32."""
        self.write_arrays(number, answers, vectors=vectors.astype(np.float32))

    def write_arrays(
        self, number: int, answers: list[Answer], **arrays: np.ndarray
    ) -> None:
        """Writes a shard of answers and arrays atomically."""
        lines = _lines(answers)
        offsets = np.cumsum([0, *map(len, lines)], dtype=np.int64)

        def save(path: Path) -> None:
            path.mkdir()
            for name, array in {**arrays, "offsets": offsets}.items():
                np.save(path / f"{name}.npy", array)
            (path / "answers.jsonl").write_bytes(b"".join(lines))

        write_whole(self.path(number), save)

    def block(self, number: int) -> np.ndarray:
        """The vectors of a shard, float32 `(n, dim)`, mapped into memory.

        Raises:
            SearchError: if the file of the vectors is damaged.
        """
        return self._vectors.get(number, self._mapped_vectors)

    def _mapped_vectors(self, number: int) -> np.ndarray:
        path = self.path(number) / "vectors.npy"
        vectors = mapped_array(path, np.dtype(np.float32), 2)
        if len(vectors) > self.size:
            raise SearchError(
                f"{path}: expected at most {self.size} vectors. "
                f"Received: {len(vectors)}"
            )
        return vectors

    def blocks(self) -> Iterator[np.ndarray]:
        """The vectors of all shards, one shard after the other."""
        return map(self.block, range(self.count()))

    def vectors(self, rows: np.ndarray) -> np.ndarray:
        """The vectors of answers.

        Args:
            rows: numbers of answers, from 0, in ascending order, int64 `(n,)`.

        Returns:
            float32 `(n, dim)`.

        Raises:
            SearchError: if a shard is damaged, or lacks one of the answers.
        """
        shards, places = np.divmod(rows, self.size)
        numbers, first = np.unique(shards, return_index=True)
        dim = self.block(0).shape[1]
        found = [np.zeros((0, dim), np.float32)]
        for number, chosen in zip(
            numbers, np.split(places, first[1:]), strict=True
        ):
            block = self.block(int(number))
            if chosen.max() >= len(block) or block.shape[1] != dim:
                raise SearchError(
                    f"{self.path(int(number)) / 'vectors.npy'}: expected "
                    f"more than {chosen.max()} vectors of {dim} numbers. "
                    f"Received: {block.shape}"
                )
            found.append(block[chosen])
            if not np.isfinite(found[-1]).all():
                raise SearchError(
                    f"{self.path(int(number)) / 'vectors.npy'}: expected "
                    "finite vectors. Received: NaN or infinity"
                )
        return np.concatenate(found)

    def answers(self, rows: Iterable[int]) -> list[Answer]:
        """The answers with the given numbers, in the given order.

        Raises:
            SearchError: if a shard is damaged, or lacks one of the answers.
        """
        found = []
        for row in rows:
            shard, place = divmod(int(row), self.size)
            path = self.path(shard)
            offsets = mapped_array(path / "offsets.npy", np.dtype(np.int64), 1)
            size = _answers_file(path).stat().st_size
            if place >= len(offsets) or not 0 <= offsets[place] < size:
                raise SearchError(
                    f"{path / 'offsets.npy'}: expected the place of answer "
                    f"{place}. Received: {shorten(offsets[place:].tolist())} "
                    f"in {size} bytes"
                )
            path = path / "answers.jsonl"
            with path.open("rb") as file:
                file.seek(int(offsets[place]))
                found.append(_answer(path, place + 1, file.readline()))
        return found

    def texts(self) -> Iterator[str]:
        """The texts of all answers, in order.

        Raises:
            SearchError: if a shard is damaged or missing.
        """
        numbers = self.numbers()
        for number in range(max(numbers, default=-1) + 1):
            path = _answers_file(self.path(number))
            with path.open("rb") as lines:
                for place, line in enumerate(lines, start=1):
                    yield _answer(path, place, line).text


def _answers_file(shard: Path) -> Path:
    path = shard / "answers.jsonl"
    if not path.is_file():
        raise SearchError(f"{path}: expected a file. Received: none")
    return path


def _lines(answers: Iterable[Answer]) -> list[bytes]:
    return [
        (json.dumps([a.id, a.text], ensure_ascii=False) + "\n").encode()
        for a in answers
    ]


def _answer(path: Path, line: int, raw: bytes) -> Answer:
    place = f"{path}:{line}"
    return Answer(*parse_json(raw, tuple[str, str], place, SearchError))
