"""Search in an index of answers on disk."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from typing import NotRequired
from typing import TypedDict

import numpy as np

from keras_qa.arguments import check_choice
from keras_qa.arguments import check_positive
from keras_qa.errors import SearchError
from keras_qa.files.checks import read_json
from keras_qa.files.checks import typed
from keras_qa.files.text_files import shorten
from keras_qa.ranker import Ranker
from keras_qa.search.answers import Answer
from keras_qa.search.faiss_index import KINDS
from keras_qa.search.shards.answers import AnswerShards
from keras_qa.search.shards.mapped import mapped_array
from keras_qa.search.shards.tokens import TokenShards
from keras_qa.search.spaces import space_from_config
from keras_qa.search.token_search import TokenSearch
from keras_qa.search.token_search import TokenSpace
from keras_qa.search.vector_search import VectorSearch
from keras_qa.text.readable import UNREAD_SCORE
from keras_qa.text.word_pieces import READERS

ANSWERS = "answers.json"
UNREAD = "unread.npy"
SETTINGS = "settings.json"


class Description(TypedDict):
    """Content of `answers.json`, about the encoded answers.

    Attributes:
        answers: number of answers.
        radius: the largest norm of a lifted answer.
        space: configuration for `space_from_config`.
        words: number of words of all answers; older indexes lack it.
        unknown: number of those that the model does not know.
    """

    answers: int
    radius: float
    space: dict[str, Any]
    words: NotRequired[int]
    unknown: NotRequired[int]


@dataclass(frozen=True)
class Settings:
    """Content of `settings.json`, about the shards and the model.

    Attributes:
        tokenizer: the model's tokeniser, one of `READERS`.
        max_question_length: number of tokens that questions are cut to; None
            keeps all.
        max_answer_length: number of tokens that answers are cut to; None keeps
            all.
        shard_size: number of answers of a shard, positive.
        model_sha256: digest of the file with the model's weights.
        vocabulary_sha256: digest of `vocabulary.txt`.
        half: whether the vectors of tokens are stored in float16.
    """

    tokenizer: str
    max_question_length: int | None
    max_answer_length: int | None
    shard_size: int
    model_sha256: str
    vocabulary_sha256: str
    half: bool = False

    def __post_init__(self) -> None:
        check_positive(shard_size=self.shard_size)
        check_choice("tokenizer", self.tokenizer, READERS)


def read_index_file(path: Path, kind: Any) -> Any:
    """Reads a JSON file of an index; see `keras_qa.files.checks`.

    Args:
        path: the file.
        kind: the type of its content.

    Raises:
        SearchError: if the file is missing, or its content is of another type.
    """
    expected = "the folder of a finished index, made by `keras-qa index`"
    folder = path.parent
    if not path.exists():
        found = f"a folder without {path.name}"
        raise SearchError(
            f"{folder}: expected {expected}. "
            f"Received: {found if folder.is_dir() else 'no such folder'}"
        )
    return read_json(path, kind, SearchError, expected)


def load_unread(folder: Path, total: int) -> np.ndarray:
    """The numbers of the answers of an index that are not readable.

    Args:
        folder: the folder of the index.
        total: number of all answers.

    Returns:
        int64 `(n,)`, ascending; of an older version none.

    Raises:
        SearchError: if the file does not contain such numbers.
    """
    path = folder / UNREAD
    if not path.exists():
        return np.zeros(0, np.int64)
    found = np.array(mapped_array(path, np.dtype(np.int64), 1))
    if (np.diff(found, prepend=-1, append=total) < 1).any():
        raise SearchError(
            f"{path}: expected ascending numbers below {total}. "
            f"Received: {shorten(found.tolist())}"
        )
    return found


def unknown_share(description: Description) -> float | None:
    """The share of unknown words among those of an index, if it is noted."""
    if "words" not in description or "unknown" not in description:
        return None
    return description["unknown"] / max(1, description["words"])


def has_tokens(description: Description) -> bool:
    """Returns True for an index with a vector for each token."""
    return description["space"].get("space") == TokenSpace.space


def finished_kinds(folder: Path, tokens: bool) -> list[str]:
    """The kinds of index in a folder with encoded answers.

    Args:
        folder: the folder.
        tokens: whether each token has a vector; an exact search then needs no
            file of its own.
    """
    return [
        kind
        for kind in KINDS
        if (folder / f"{kind}.faiss").is_file() or (tokens and kind == "flat")
    ]


def stored_shards(
    folder: Path, settings: Settings, tokens: bool
) -> AnswerShards:
    """The shards of an index; `tokens`: with a vector for each token."""
    shards, size = folder / "shards", settings.shard_size
    if tokens:
        return TokenShards(shards, size, settings.half)
    return AnswerShards(shards, size)


class AnswerIndex:
    """An index of answers and the model that encodes questions for it.

    Args:
        folder: folder that `build_index` wrote.
        kind: one of `KINDS`; None takes the first of them that the folder
            contains.

    Attributes:
        kind: one of `KINDS`.
        ranker: the model that encodes questions.
        model_sha256: digest of its weights.
        unread: the numbers of the answers that are not readable by
            `TextReading.readable`, int64 `(n,)`, which no search finds before
            others; none in an index of an older version.
        unknown_share: share of the answers' words that the model does not
            know; None in an index of an older version.

    Raises:
        ImportError: if FAISS is not installed.
        SearchError: if the folder contains no finished index, none of that
            kind, or files that do not fit each other.
        RankerError: if the folder's model cannot be loaded.

    Example:
        >>> index = AnswerIndex("index")
        >>> rows, scores = index.search(index.encode("who wrote emma"), 10)
        >>> index.answers(rows)
    """

    def __init__(self, folder: str | Path, kind: str | None = None):
        folder = Path(folder)
        description = read_index_file(folder / ANSWERS, Description)
        settings = read_index_file(folder / SETTINGS, Settings)
        tokens = has_tokens(description)
        found = finished_kinds(folder, tokens)
        if not found or (kind is not None and kind not in found):
            others = sorted(path.stem for path in folder.glob("*.faiss"))
            raise SearchError(
                f"{folder}: expected {kind or ' or '.join(KINDS)}.faiss; "
                "`keras-qa index` with the same model, answers and --output "
                "makes it of what is encoded. "
                f"Received: {', '.join(others) or 'none'}"
            )
        self.kind = kind or found[0]
        self._total = description["answers"]
        self.unknown_share = unknown_share(description)
        self.unread = load_unread(folder, self._total)
        self._readable = np.delete(np.arange(self._total), self.unread)
        self._shards = stored_shards(folder, settings, tokens)
        self._searcher: TokenSearch | VectorSearch
        given = self._readable, description["radius"], self.kind, folder
        config, place = description["space"], str(folder / ANSWERS)
        if isinstance(self._shards, TokenShards):
            space = typed(config, TokenSpace, place, SearchError)
            self._searcher = TokenSearch(space, self._shards, *given)
        else:
            try:
                found_space = space_from_config(config)
            except SearchError as error:
                raise SearchError(f"{place}: {error}") from error
            self._searcher = VectorSearch(found_space, self._shards, *given)
        self.model_sha256 = settings.model_sha256
        self.ranker = Ranker.load(folder / "model", settings.tokenizer)

    def __len__(self) -> int:
        return self._total

    def summary(self) -> str:
        """What the model cannot read of the answers; empty if it reads all."""
        parts = []
        if self.unknown_share:
            parts.append(
                f"{self.unknown_share:.1%} of the words of the answers are "
                "not in the model's vocabulary"
            )
        if len(self.unread):
            parts.append(
                f"{len(self.unread):,} of {self._total:,} answers are not "
                "readable and come last"
            )
        return "; ".join(parts)

    def encode(self, question: str) -> np.ndarray:
        """The vector of a question, float32 `(dim,)`.

        Of late interaction the vectors of its tokens, `(tokens, dim)`.
        """
        return self._searcher.encode(self.ranker, question)

    def search(
        self, question: np.ndarray, top: int, effort: int | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """The best answers to a question.

        Args:
            question: what `encode` returned.
            top: number of answers.
            effort: number of nodes of a graph, or of lists of an `ivf-pq`,
                that are compared with the question, or with each of its
                tokens; None takes that of `EFFORTS`. A flat index ignores it.

        Returns:
            The answers' numbers, int64 `(n,)`, and the model's scores,
            computed in float64, `(n,)`, best first; answers of equal score are
            in the order of the file. Answers that are not readable come last,
            with the score `UNREAD_SCORE`.

        Raises:
            SearchError: if `top` or a used `effort` is less than 1, or
                `question` has another shape or is not finite.
        """
        self._searcher.check(question)
        if not np.isfinite(question).all():
            raise SearchError(
                "`question` must be finite. Received: NaN or infinity"
            )
        if top < 1:
            raise SearchError(f"`top` must be positive. Received: top={top}")
        rows, keys = self._searcher.find(question, top, effort)
        # A graph may miss some of the answers that a question can find.
        every = len(rows) == len(self._readable)
        last = self.unread[: top - len(rows) if every else 0]
        scores = self._searcher.space.scores(question, keys)
        return (
            np.append(self._readable[rows], last),
            np.append(scores, np.full(len(last), UNREAD_SCORE)),
        )

    def answers(self, rows: np.ndarray) -> list[Answer]:
        """The answers with these numbers, in the given order."""
        return self._shards.answers(rows)

    def texts(self) -> Iterator[str]:
        """The texts of all answers, in the order of their numbers."""
        return self._shards.texts()
