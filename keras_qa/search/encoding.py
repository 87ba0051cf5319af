"""Encodes the answers of a collection, all or a part of them, into shards.

The answers are divided into shards of equal size, which are numbered. All of
them, or those of one of several parts, are written below the folder of an
index, by the same numbers; so parts that different processes or machines have
encoded are put together by putting their files into one folder.
"""

import hashlib
import itertools
from collections.abc import Callable
from collections.abc import Mapping
from dataclasses import asdict
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from keras_qa.errors import SearchError
from keras_qa.files.locks import RUNNING
from keras_qa.files.text_files import shorten
from keras_qa.files.whole import SCRATCH
from keras_qa.files.whole import write_json
from keras_qa.progress import ProgressBar
from keras_qa.ranker import Ranker
from keras_qa.ranking.scoring import encode_texts
from keras_qa.ranking.scoring import encode_tokens
from keras_qa.search.answers import Answer
from keras_qa.search.answers import read_answers
from keras_qa.search.index import ANSWERS
from keras_qa.search.index import SETTINGS
from keras_qa.search.index import Description
from keras_qa.search.index import Settings
from keras_qa.search.index import has_tokens
from keras_qa.search.index import read_index_file
from keras_qa.search.index import stored_shards
from keras_qa.search.searchable import space_of
from keras_qa.search.shards.answers import AnswerShards
from keras_qa.search.shards.tokens import TokenShards
from keras_qa.search.spaces import Space
from keras_qa.search.spaces import check_vectors
from keras_qa.search.token_search import TokenSpace
from keras_qa.text.packing import RaggedTexts
from keras_qa.text.reading import TextReading

SHARD = 8192
# As many bytes if answers have some ten tokens.
TOKEN_SHARD = 1024
# Number of texts encoded between two steps of the progress bar.
ENCODED = 2048
# The folder, in that of the index, with what is known of its parts.
PARTS = "parts"


@dataclass(frozen=True)
class Part:
    """The shards whose number leaves a remainder.

    Attributes:
        number: the remainder, from 0.
        count: the number of parts, by which shard numbers are divided.
    """

    number: int = 0
    count: int = 1

    def has(self, shard: int) -> bool:
        """True if a shard belongs to the part."""
        return shard % self.count == self.number


WHOLE = Part()


@dataclass(frozen=True)
class Encoded:
    """What is known of the answers when all of a part's are encoded.

    Attributes:
        answers: number of all answers, of other parts too.
        words: number of words of the part's answers.
        unknown: number of those that the model does not know.
        unread: the numbers of the part's answers that are not readable by
            `TextReading.readable`, ascending, int64 `(n,)`.
    """

    answers: int
    words: int
    unknown: int
    unread: np.ndarray


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
        self,
        texts: list[str],
        read: RaggedTexts,
        encode: Callable[[RaggedTexts], np.ndarray],
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


def space_to_store(model: Any, half: bool) -> Space | TokenSpace:
    """The space of a model, checked before anything is written.

    Raises:
        SearchError: if `space_of` does not support the model, or `half` does
            not go with it.
    """
    space = space_of(model)
    if half and not isinstance(space, TokenSpace):
        raise SearchError(
            "`half` goes with a model that has a vector for each token. "
            f"Received: {type(model).__name__}"
        )
    return space


def open_shards(
    ranker: Ranker, folder: Path, shard_size: int | None, half: bool
) -> AnswerShards:
    """Claims a folder for the index of a model; returns the index's shards.

    The folder then has the model and the settings of the index.

    Args:
        ranker: see `build_index`.
        folder: the folder, new, empty or of the same index.
        shard_size: see `build_index`.
        half: see `build_index`.

    Raises:
        SearchError: as `space_to_store`, or if the folder has other files or
            another index.
        RankerError: if `ranker` was not loaded from files.
    """
    tokens = isinstance(space_to_store(ranker.model, half), TokenSpace)
    if shard_size is None:
        shard_size = TOKEN_SHARD if tokens else SHARD
    settings = _claim(folder, ranker, shard_size, half)
    return stored_shards(folder, settings, tokens)


def encode_answers(
    ranker: Ranker,
    path: Path,
    shards: AnswerShards,
    part: Part = WHOLE,
    *,
    most: int | None = None,
    earlier: EarlierIndex | None = None,
    table: Mapping[str, Any] | None = None,
    show_progress: bool = True,
) -> Encoded:
    """Encodes the answers of the missing shards of a part.

    Args:
        ranker: a ranker with the model of the shards.
        path: the file of all answers, read as a stream.
        shards: the shards, from `open_shards`.
        part: those to encode.
        most: the number of answers of an existing index, which would lack any
            further ones; they raise an error.
        earlier: an index whose vectors are taken where it has the text.
        table: further arguments of `read_answers`.
        show_progress: True draws a progress bar.

    Raises:
        SearchError: if there are no answers, others than those of existing
            shards, or vectors that are not finite.
        DatasetError: if the file of answers is missing or bad.
    """
    reading, report = ranker.reading, ranker.report
    words, unknown = report.words, report.unknown.total()
    unread: list[np.ndarray] = [np.zeros(0, np.int64)]
    total, number = 0, 0
    tokens = isinstance(shards, TokenShards)
    encoder: Callable[..., Any] = encode_tokens if tokens else encode_texts
    encode = partial(encoder, ranker.model, "answer")
    stream = read_answers(path, **(table or {}))
    with ProgressBar(
        desc="Encode", unit="answer", disable=not show_progress
    ) as bar:
        while answers := list(itertools.islice(stream, shards.size)):
            first, is_own = total, part.has(number)
            is_new = is_own and not shards.path(number).is_dir()
            total += len(answers)
            number += 1
            if not is_own:
                continue
            if most is not None and total > most:
                raise _other_answers(shards, first, path)
            if not is_new and not shards.holds(number - 1, answers):
                raise _other_answers(shards, first, path)
            vectors: list[Any] = []
            for start in range(0, len(answers), ENCODED):
                some = answers[start : start + ENCODED]
                given = [a.text for a in some]
                texts = reading.texts("answer", given)
                rows = np.flatnonzero(~reading.are_readable(texts))
                unread.append(first + start + rows)
                if is_new:
                    vectors.append(
                        earlier.encode(given, texts, encode)
                        if earlier
                        else encode(texts)
                    )
                bar.update(len(some))
            if is_new:
                _write_shard(shards, number - 1, answers, vectors)
    if any(existing >= number for existing in shards.numbers()):
        raise _other_answers(shards, total, path)
    if total == 0:
        raise SearchError(f"{path}: expected an answer. Received: none")
    return Encoded(
        answers=total,
        words=report.words - words,
        unknown=report.unknown.total() - unknown,
        unread=np.concatenate(unread),
    )


def settings_of(ranker: Ranker, shard_size: int, half: bool) -> Settings:
    """The settings of an index of a model.

    Args:
        ranker: see `build_index`.
        shard_size: number of answers of a shard.
        half: see `build_index`.

    Raises:
        RankerError: if `ranker` was not loaded from files.
    """
    reading = ranker.reading
    words = "".join(f"{word}\n" for word in reading.vocabulary.words[2:])
    return Settings(
        reading.tokenizer,
        reading.max_question_length,
        reading.max_answer_length,
        shard_size,
        ranker.weights_digest(),
        hashlib.sha256(words.encode()).hexdigest(),
        half,
    )


def _claim(
    folder: Path, ranker: Ranker, shard_size: int, half: bool
) -> Settings:
    """Records the model of a new index, or checks that of an existing one."""
    reading, settings = ranker.reading, settings_of(ranker, shard_size, half)
    now = asdict(settings)
    path = folder / SETTINGS
    has_model = (folder / "model").exists()
    if not (has_model and path.exists()):
        _check_empty(folder)
    if path.exists():
        before = asdict(read_index_file(path, Settings))
        if has_model:
            kept = TextReading.load(folder / "model", reading.tokenizer)
            before["readable"] = kept.readable, sorted(kept.stop_words)
            now["readable"] = reading.readable, sorted(reading.stop_words)
        changed = sorted(name for name in now if before[name] != now[name])
        if changed:
            raise SearchError(
                f"{folder} holds an index of another model or reading; give "
                f"another --output. `{changed[0]}` was "
                f"{shorten(before[changed[0]])}. "
                f"Received: {shorten(now[changed[0]])}"
            )
    else:
        write_json(path, now)
    if not has_model:
        ranker.save(folder / "model")
    return settings


def _check_empty(folder: Path) -> None:
    """Raises an error for a folder whose files an index might replace."""
    others = sorted(
        path.name
        for path in folder.iterdir()
        if path.name not in (RUNNING, PARTS, SETTINGS)
        and not path.name.startswith(SCRATCH)
    )
    if others:
        raise SearchError(
            f"{folder}: expected a new or empty folder, or an index. "
            f"Received: one with {', '.join(others[:3])}"
        )


def _write_shard(
    shards: AnswerShards, number: int, answers: list[Answer], encoded: list[Any]
) -> None:
    if isinstance(shards, TokenShards):
        vectors = check_vectors(np.concatenate([x.vectors for x in encoded]))
        lengths = np.concatenate([x.lengths for x in encoded])
        shards.write_tokens(number, answers, vectors, lengths)
    else:
        shards.write(number, answers, check_vectors(np.concatenate(encoded)))


def _other_answers(shards: AnswerShards, same: int, path: Path) -> SearchError:
    return SearchError(
        f"{shards.folder} holds other answers than {path}, and an index is not "
        "changed; give another --output, and this one by --reuse. Received: a "
        f"difference after answer {same:,}"
    )


def _of_model(settings: Settings) -> tuple:
    """What the vectors of a text follow from."""
    return (
        *(settings.model_sha256, settings.vocabulary_sha256),
        *(settings.tokenizer, settings.max_answer_length),
    )
