"""Search for the answers whose vectors are nearest to a question's vector."""

from pathlib import Path
from typing import TYPE_CHECKING
from typing import Any

import numpy as np

from keras_qa.errors import SearchError
from keras_qa.search import exact
from keras_qa.search import faiss_index as faiss_files
from keras_qa.search.shards.answers import AnswerShards
from keras_qa.search.spaces import Space
from keras_qa.search.spaces import check_vectors

if TYPE_CHECKING:
    from keras_qa.ranker import Ranker


class VectorSearch:
    """A search by a FAISS index of one vector for each answer.

    Args:
        space: how vectors are compared.
        shards: the answers.
        readable: numbers of the answers to find, ascending, int64 `(n,)`.
        radius: the largest norm of a lifted answer.
        kind: one of `KINDS`.
        folder: the folder of the FAISS index.

    Raises:
        SearchError: if the FAISS index cannot be read, or is one of other
            answers or another space.
    """

    def __init__(
        self,
        space: Space,
        shards: AnswerShards,
        readable: np.ndarray,
        radius: float,
        kind: str,
        folder: Path,
    ):
        self.space = space
        self._shards = shards
        self._readable = readable
        self._radius = radius
        self._kind = kind
        path = folder / f"{kind}.faiss"
        self._index: Any = faiss_files.load_faiss(path, kind)
        if self._index.ntotal != len(readable):
            raise SearchError(
                f"{path}: expected {len(readable)} answers. "
                f"Received: {self._index.ntotal}"
            )
        self._dim = shards.block(0).shape[1]
        vector = np.zeros(self._dim)
        try:
            columns = len(
                space.lift_question(vector)
                if kind == "flat"
                else space.question_place(vector, 1.0)
            )
        except ValueError as error:
            raise SearchError(
                f"{path.with_name('answers.json')}: expected the space of "
                f"vectors of {self._dim} numbers. Received: {error}"
            ) from error
        if self._index.d != columns:
            raise SearchError(
                f"{path}: expected {columns} columns. Received: {self._index.d}"
            )

    def encode(self, ranker: "Ranker", question: str) -> np.ndarray:
        """The vector of a question, float32 `(dim,)`."""
        return check_vectors(ranker.encode([question], "question"))[0]

    def check(self, question: np.ndarray) -> None:
        """Raises a SearchError for a vector of another shape."""
        if np.shape(question) != (self._dim,):
            raise SearchError(
                f"`question` must have the shape ({self._dim},). "
                f"Received: {np.shape(question)}"
            )

    def find(
        self, question: np.ndarray, top: int, effort: int | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """The best readable answers.

        Args:
            question: the question's vector, float `(dim,)`.
            top: number of answers.
            effort: see `AnswerIndex.search`.

        Returns:
            Their places in `readable`, int64 `(n,)`, and their keys, float64
            `(n,)`, best first, equal keys in the order of their places.
        """
        if self._kind == "flat":
            return exact.exact_search(
                self._index, self.space, self._vectors, question, top
            )
        faiss_files.set_effort(self._index, self._kind, effort, top)
        return exact.approximate_search(
            self._index,
            self.space,
            self._vectors,
            question,
            top,
            max(exact.POOLS[self._kind], 2 * top),
            self._radius,
        )

    def _vectors(self, rows: np.ndarray) -> np.ndarray:
        """The vectors of rows of the FAISS index."""
        return self._shards.vectors(self._readable[rows])
