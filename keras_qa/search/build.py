"""Encodes a collection of answers and builds indexes of it, on disk."""

import hashlib
import itertools
import json
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from keras_qa.arguments import check_choice
from keras_qa.errors import ExportError
from keras_qa.errors import SearchError
from keras_qa.export.forms import MODEL
from keras_qa.files.locks import RUNNING
from keras_qa.files.locks import owned_folder
from keras_qa.files.text_files import shorten
from keras_qa.files.whole import SCRATCH
from keras_qa.files.whole import remove_scratch
from keras_qa.files.whole import write_whole
from keras_qa.progress import ProgressBar
from keras_qa.ranker import Ranker
from keras_qa.ranking.scoring import encode_texts
from keras_qa.ranking.scoring import encode_tokens
from keras_qa.search import faiss_index as faiss_files
from keras_qa.search.answers import Answer
from keras_qa.search.answers import AnswerShards
from keras_qa.search.answers import read_answers
from keras_qa.search.faiss_index import KINDS
from keras_qa.search.index import ANSWERS
from keras_qa.search.index import SETTINGS
from keras_qa.search.index import UNREAD
from keras_qa.search.index import Description
from keras_qa.search.index import Settings
from keras_qa.search.index import finished_kinds
from keras_qa.search.index import has_tokens
from keras_qa.search.index import load_unread
from keras_qa.search.index import read_index_file
from keras_qa.search.index import token_shards
from keras_qa.search.searchable import space_of
from keras_qa.search.spaces import PoincareSpace
from keras_qa.search.spaces import Space
from keras_qa.search.spaces import check_vectors
from keras_qa.search.spaces import space_from_config
from keras_qa.search.token_search import TokenSpace
from keras_qa.search.token_shards import TokenShards
from keras_qa.text.reading import TextReading

SHARD = 8192
# As many bytes if answers have some ten tokens.
TOKEN_SHARD = 1024
# Number of texts encoded between two steps of the progress bar.
ENCODED = 2048


def build_index(
    ranker: Ranker,
    answers: Path,
    folder: Path,
    kind: str = "flat",
    *,
    shard_size: int | None = None,
    half: bool = False,
    show_progress: bool = True,
) -> int:
    """Encodes answers and builds an index of them.

    Answers are read as a stream and encoded shard by shard, and finished
    shards are kept: after an interruption the same call continues, and a call
    with another `kind` reuses the encoded answers. The FAISS index is written
    atomically.

    Args:
        ranker: a ranker from `Ranker.load`, whose model `space_of` supports.
        answers: file of answers; see `read_answers`. Those that are not
            readable by the ranker's `TextReading.readable` are stored, but no
            search finds them before others.
        folder: the folder to write, new, empty or an index; the model is
            copied into it.
        kind: `"flat"` compares a question with every answer, `"hnsw"` searches
            a graph of them, approximately.
        shard_size: number of answers of a shard; None takes `SHARD`, or
            `TOKEN_SHARD` for a model with a vector for each token.
        half: whether the vectors of tokens are stored in float16, which
            changes scores by about 1e-3.
        show_progress: True draws progress bars.

    Returns:
        The number of answers.

    Raises:
        ImportError: if FAISS is not installed and needed.
        SearchError: if `space_of` does not support the model, the model gives
            vectors that are not finite, `kind` is unknown, the folder contains
            an index of another model or other answers, or other files, or
            there are no answers.
        DatasetError: if the file of answers is missing or bad.
        OwnedError: if another process writes to the folder.
        RankerError: if `ranker` was not loaded from files.
    """
    check_choice("kind", kind, KINDS, error=SearchError)
    space = space_of(ranker.model)
    tokens = isinstance(space, TokenSpace)
    if half and not tokens:
        raise SearchError(
            "`half` goes with a model that has a vector for each token. "
            f"Received: {type(ranker.model).__name__}"
        )
    # Exact search of tokens does without.
    made = kind if not tokens or kind != "flat" else None
    if made is not None:
        faiss_files.import_faiss()
    if shard_size is None:
        shard_size = TOKEN_SHARD if tokens else SHARD
    with owned_folder(folder):
        settings = _claim(folder, ranker, shard_size, half)
        shards = (
            token_shards(folder, settings)
            if tokens
            else AnswerShards(folder / "shards", shard_size)
        )
        for written in (folder, shards.folder):
            remove_scratch(written)
        described = folder / ANSWERS
        finished = None
        if described.exists():
            finished = read_index_file(described, Description)["answers"]
        counts, unread = _encode(
            ranker,
            answers,
            shards,
            finished,
            show_progress,
        )
        total = counts["answers"]
        if not finished_kinds(folder, tokens=False):
            _write_array(folder / UNREAD, unread)
        # An index of an older version contains all answers.
        unread = load_unread(folder, total)
        description = {**_described(space, shards), **counts}
        _write_json(described, description)
        path = folder / f"{kind}.faiss"
        if made is not None and not path.exists():
            index = _make(kind, description, shards, unread, show_progress)
            write_whole(path, lambda p: faiss_files.save_faiss(index, p))
    return total


def add_question_encoder(folder: Path) -> bool:
    """Adds the ONNX form of the encoder of questions to an index.

    `keras-qa ask` then starts without Keras.

    Args:
        folder: folder that `build_index` wrote.

    Returns:
        True if the index has this form now; False if the extra `onnx` is not
        installed, Keras runs on another backend than TensorFlow, or the index
        has a vector for each token.

    Raises:
        RankerError: if the folder's model cannot be loaded.
        SearchError: if the folder contains no finished index.
    """
    from keras_qa.export.onnx_model import BESIDE
    from keras_qa.export.onnx_model import ENCODER_FILE
    from keras_qa.export.onnx_model import find_beside
    from keras_qa.files.whole import file_digest

    if has_tokens(read_index_file(folder / ANSWERS, Description)):
        return False
    file = folder / "model" / MODEL
    if find_beside(file, ENCODER_FILE) is not None:
        return True
    model = Ranker.load(file.parent).model
    try:
        from keras_qa.export.onnx import export_question_encoder

        export_question_encoder(
            model.question_encoder,
            file.parent / BESIDE,
            source=file_digest(file),
        )
    except (ExportError, ImportError):
        return False
    return True


def _claim(
    folder: Path, ranker: Ranker, shard_size: int, half: bool
) -> Settings:
    """Records the model of a new index, or checks that of an existing one."""
    reading = ranker.reading
    words = "".join(f"{word}\n" for word in reading.vocabulary.words[2:])
    settings = Settings(
        reading.tokenizer,
        reading.max_question_length,
        reading.max_answer_length,
        shard_size,
        ranker.weights_digest(),
        hashlib.sha256(words.encode()).hexdigest(),
        half,
    )
    now = asdict(settings)
    path = folder / SETTINGS
    if path.exists():
        before = asdict(read_index_file(path, Settings))
        if (folder / "model").exists():
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
        _check_empty(folder)
        _write_json(path, now)
    if not (folder / "model").exists():
        ranker.save(folder / "model")
    return settings


def _write_json(path: Path, content: Mapping[str, Any]) -> None:
    text = json.dumps(content, indent=1, allow_nan=False) + "\n"
    write_whole(path, lambda scratch: scratch.write_text(text, "utf-8"))


def _write_array(path: Path, numbers: np.ndarray) -> None:
    def save(scratch: Path) -> None:
        with scratch.open("wb") as file:
            np.save(file, numbers)

    write_whole(path, save)


def _check_empty(folder: Path) -> None:
    """Raises an error for a folder whose files an index might replace."""
    others = sorted(
        path.name
        for path in folder.iterdir()
        if path.name != RUNNING and not path.name.startswith(SCRATCH)
    )
    if others:
        raise SearchError(
            f"{folder}: expected a new or empty folder, or an index. "
            f"Received: one with {', '.join(others[:3])}"
        )


def _encode(
    ranker: Ranker,
    path: Path,
    shards: AnswerShards,
    most: int | None,
    show_progress: bool,
) -> tuple[dict[str, int], np.ndarray]:
    """Encodes the answers of missing shards.

    `most` is the number of answers of an existing index, which would lack any
    further ones; they raise an error.

    Returns:
        The numbers of `Description`, and the numbers of unreadable answers.
    """
    reading, report = ranker.reading, ranker.report
    words, unknown = report.words, report.unknown.total()
    unread: list[np.ndarray] = []
    finished, total, number = shards.count(), 0, 0
    tokens = isinstance(shards, TokenShards)
    encode: Callable[..., Any] = encode_tokens if tokens else encode_texts
    stream = read_answers(path)
    with ProgressBar(
        desc="Encode", unit="answer", disable=not show_progress
    ) as bar:
        while answers := list(itertools.islice(stream, shards.size)):
            if most is not None and total + len(answers) > most:
                raise _other_answers(shards, total, path)
            is_new = number >= finished
            if not is_new and not shards.holds(number, answers):
                raise _other_answers(shards, total, path)
            vectors: list[Any] = []
            for start in range(0, len(answers), ENCODED):
                part = answers[start : start + ENCODED]
                texts = reading.texts(
                    "answer", [answer.text for answer in part]
                )
                rows = np.flatnonzero(~reading.are_readable(texts))
                unread.append(total + start + rows)
                if is_new:
                    vectors.append(encode(ranker.model, "answer", texts))
                bar.update(len(part))
            if is_new:
                _write_shard(shards, number, answers, vectors)
            total += len(answers)
            number += 1
    if number < finished:
        raise _other_answers(shards, total, path)
    if total == 0:
        raise SearchError(f"{path}: expected an answer. Received: none")
    counts = {
        "answers": total,
        "words": report.words - words,
        "unknown": report.unknown.total() - unknown,
    }
    return counts, np.concatenate(unread)


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
        f"{shards.folder} holds other answers than {path}; give another "
        f"--output. Received: a difference after answer {same}"
    )


def _described(
    space: Space | TokenSpace, shards: AnswerShards
) -> dict[str, Any]:
    """The configuration of the space, and the largest norm of a vector.

    The mean of the answers becomes the centre of a `PoincareSpace`.
    """
    if isinstance(space, PoincareSpace):
        total = sum(len(block) for block in shards.blocks())
        sums = sum(block.sum(0, dtype=np.float64) for block in shards.blocks())
        space.center = np.asarray(sums / total)
    radius = max(space.longest(block) for block in shards.blocks())
    return {"space": space.config(), "radius": radius}


def _make(
    kind: str,
    description: dict[str, Any],
    shards: AnswerShards,
    unread: np.ndarray,
    show_progress: bool,
) -> Any:
    """The FAISS index of the readable answers, or of their tokens."""
    if isinstance(shards, TokenShards):
        return _token_graph(kind, shards, unread, show_progress)
    space = space_from_config(description["space"])
    radius = description["radius"]
    total = description["answers"] - len(unread)
    lift: Callable[[np.ndarray], np.ndarray] = space.lift_answers
    if kind != "flat":
        lift = partial(space.answer_places, radius=radius)
    rows = map(lift, _without(shards.blocks(), unread))
    return faiss_files.build_faiss(kind, rows, total, show_progress)


def _token_graph(
    kind: str, shards: TokenShards, unread: np.ndarray, show_progress: bool
) -> Any:
    """The FAISS graph of the tokens of the readable answers."""
    lengths = np.concatenate([texts.lengths for texts in shards.shards()])
    answers = np.repeat(np.arange(len(lengths)), lengths)
    of_unread = np.flatnonzero(np.isin(answers, unread))
    rows = (
        block.astype(np.float32)
        for block in _without(shards.blocks(), of_unread)
    )
    return faiss_files.build_faiss(
        kind, rows, len(answers) - len(of_unread), show_progress
    )


def _without(
    blocks: Iterable[np.ndarray], unread: np.ndarray
) -> Iterator[np.ndarray]:
    """Yields blocks of rows without the rows of these numbers."""
    start = 0
    for block in blocks:
        first, last = np.searchsorted(unread, [start, start + len(block)])
        yield np.delete(block, unread[first:last] - start, axis=0)
        start += len(block)
