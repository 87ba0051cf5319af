"""Search for the answers whose tokens match a question's tokens best.

The score of late interaction is w s + b, where s is the sum (or mean), over the
question's tokens, of the best inner product with a token of the answer. The
key of an answer is the sum, in float64.

**Exact search** computes all keys in float32, shard by shard. With u = 2⁻²⁴,
the inner product of q and a is within (dim + 8) u |q| |a| of the exact one
(see `keras_qa.search.spaces`), and so is the largest of several. The keys of
all answers that this leaves among the best are then computed in float64.

**Search in a graph** finds, for each token of the question, the nearest tokens
of all answers. The keys of the answers that have one of them are computed.

Source: Khattab and Zaharia, 2020, "ColBERT: Efficient and Effective Passage
Search via Contextualized Late Interaction over BERT", sections 3.3, equation 3,
3.5 and 3.6.
"""

from dataclasses import asdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Any
from typing import Literal

import numpy as np

from keras_qa.errors import SearchError
from keras_qa.ranking.ties import best_first
from keras_qa.search import faiss_index as faiss_files
from keras_qa.search.exact import POOLS
from keras_qa.search.shards.tokens import TokenShards
from keras_qa.search.spaces import UNIT_ROUNDOFF
from keras_qa.search.spaces import check_vectors
from keras_qa.text.vector_texts import VectorTexts

if TYPE_CHECKING:
    from keras_qa.ranker import Ranker

# Number of answers whose keys are computed at a time; bounds the memory.
ANSWERS = 1 << 10


@dataclass(frozen=True)
class TokenSpace:
    """Orders answers by the best matches of a question's tokens.

    Attributes:
        weight: factor of the sum or mean in the score, positive.
        bias: constant term of the score.
        reduce: `"sum"` or `"mean"` over the question's tokens.
        space: the name of the space.
    """

    weight: float
    bias: float = 0.0
    reduce: Literal["sum", "mean"] = "sum"
    space: Literal["tokens"] = "tokens"

    def keys(self, question: np.ndarray, answers: VectorTexts) -> np.ndarray:
        """The sums of the best matches.

        Args:
            question: the vectors of the question's tokens, float `(tokens,
                dim)`.
            answers: the vectors of the answers' tokens, at least one each.

        Returns:
            float64 `(n,)`, higher is better.
        """
        keys = np.zeros(len(answers))
        if not len(answers):
            return keys
        vectors = np.asarray(answers.vectors, np.float64)
        for token in np.asarray(question, np.float64):
            # A matrix product may round equal rows differently.
            products = np.einsum("nd,d->n", vectors, token)
            keys += np.maximum.reduceat(products, answers.offsets[:-1])
        return keys

    def rounded_keys(
        self, question: np.ndarray, answers: VectorTexts
    ) -> np.ndarray:
        """The keys by products in float32, as `keys` otherwise."""
        vectors = np.asarray(answers.vectors, np.float32)
        products = vectors @ np.asarray(question, np.float32).T
        best = np.maximum.reduceat(products, answers.offsets[:-1])
        return best.sum(axis=1, dtype=np.float64)

    def scores(self, question: np.ndarray, keys: np.ndarray) -> np.ndarray:
        """The scores that belong to the keys of a question, float64 `(n,)`."""
        count = len(question) if self.reduce == "mean" else 1
        return self.weight * (keys / count) + self.bias

    def config(self) -> dict[str, Any]:
        """The attributes by name."""
        return asdict(self)

    def longest(self, vectors: np.ndarray) -> float:
        """The largest norm of vectors `(n, dim)`."""
        norms = np.linalg.norm(np.asarray(vectors, np.float32), axis=1)
        return float(norms.max(initial=0.0))


class TokenSearch:
    """A search in the vectors of tokens.

    Args:
        space: how texts are compared.
        shards: the answers.
        readable: numbers of the answers to find, ascending, int64 `(n,)`.
        radius: the largest norm of a token's vector.
        kind: `"flat"`, or `"hnsw"` for a FAISS graph of the tokens.
        folder: the folder of the graph.

    Raises:
        SearchError: if the graph cannot be read, or is one of other tokens.
    """

    def __init__(
        self,
        space: TokenSpace,
        shards: TokenShards,
        readable: np.ndarray,
        radius: float,
        kind: str,
        folder: Path,
    ):
        self.space = space
        self._shards = shards
        self._readable = readable
        self._radius = radius
        self._dim = shards.shard(0).vectors.shape[1]
        self._graph: Any = None
        if kind == "flat":
            return
        path = folder / f"{kind}.faiss"
        self._graph = faiss_files.load_faiss(path, kind)
        lengths = [texts.lengths for texts in shards.shards()]
        # Where each answer's tokens end in the graph.
        self._ends = np.cumsum(np.concatenate(lengths)[readable])
        wanted = (int(self._ends[-1:].sum()), self._dim)
        if (self._graph.ntotal, self._graph.d) != wanted:
            raise SearchError(
                f"{path}: expected {wanted[0]} tokens of {wanted[1]} numbers. "
                f"Received: {self._graph.ntotal} of {self._graph.d}"
            )

    def encode(self, ranker: "Ranker", question: str) -> np.ndarray:
        """The vectors of the tokens of a question, float32 `(tokens, dim)`."""
        from keras_qa.ranking.scoring import encode_tokens

        texts = ranker.reading.texts("question", [question])
        encoded = encode_tokens(ranker.model, "question", texts)
        return check_vectors(encoded.vectors)

    def check(self, question: np.ndarray) -> None:
        """Raises a SearchError for vectors of another shape."""
        shape = np.shape(question)
        if len(shape) != 2 or shape[0] < 1 or shape[1] != self._dim:
            raise SearchError(
                f"`question` must have the shape (tokens, {self._dim}). "
                f"Received: {shape}"
            )

    def find(
        self, question: np.ndarray, top: int, effort: int | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """The best readable answers.

        Args:
            question: the vectors of its tokens, float `(tokens, dim)`.
            top: number of answers.
            effort: see `AnswerIndex.search`.

        Returns:
            Their places in `readable`, int64 `(n,)`, and their keys, float64
            `(n,)`, best first, equal keys in the order of their places.
        """
        if not len(self._readable):
            return np.zeros(0, np.int64), np.zeros(0)
        rows = (
            self._possible(question, top)
            if self._graph is None
            else self._near(question, top, effort)
        )
        keys = np.concatenate(
            [
                self.space.keys(
                    question,
                    self._shards.tokens(
                        self._readable[rows[start : start + ANSWERS]]
                    ),
                )
                for start in range(0, len(rows), ANSWERS)
            ]
        )
        order = best_first(keys, top)
        return rows[order], keys[order]

    def _possible(self, question: np.ndarray, top: int) -> np.ndarray:
        """The answers whose keys may be among the highest, ascending."""
        keys = np.concatenate(
            [
                self.space.rounded_keys(question, texts)
                for texts in self._shards.shards()
            ]
        )
        if not np.isfinite(keys).all():
            raise SearchError(
                f"{self._shards.folder}: expected finite vectors. "
                "Received: NaN or infinity"
            )
        if self._readable[-1] >= len(keys):
            raise SearchError(
                f"{self._shards.folder}: expected the tokens of answer "
                f"{self._readable[-1]}. Received: {len(keys)} answers"
            )
        keys = keys[self._readable]
        if top >= len(keys):
            return np.arange(len(keys))
        norms = np.linalg.norm(question, axis=1).sum() * self._radius
        slack = (self._dim + 8) * UNIT_ROUNDOFF * float(norms)
        last = np.partition(keys, len(keys) - top)[len(keys) - top]
        return np.flatnonzero(keys >= last - 2 * slack)

    def _near(
        self, question: np.ndarray, top: int, effort: int | None
    ) -> np.ndarray:
        """The answers with a token near one of the question's, ascending."""
        faiss_files.set_effort(self._graph, "hnsw", effort, top)
        pool = min(max(POOLS["hnsw"], 2 * top), self._graph.ntotal)
        _, found = self._graph.search(np.asarray(question, np.float32), pool)
        return np.unique(
            np.searchsorted(self._ends, found[found >= 0], side="right")
        )
