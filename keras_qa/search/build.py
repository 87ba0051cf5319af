"""Encodes a collection of answers and builds indexes of it, on disk."""

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from keras_qa.arguments import check_choice
from keras_qa.errors import ExportError
from keras_qa.errors import SearchError
from keras_qa.export.target import MODEL
from keras_qa.files.locks import RUNNING
from keras_qa.files.locks import OwnerFile
from keras_qa.files.locks import owned_folder
from keras_qa.files.whole import remove_scratch
from keras_qa.files.whole import write_json
from keras_qa.files.whole import write_whole
from keras_qa.ranker import Ranker
from keras_qa.search import faiss_index as faiss_files
from keras_qa.search.answers import check_answers
from keras_qa.search.encoding import PARTS
from keras_qa.search.encoding import SHARD
from keras_qa.search.encoding import EarlierIndex
from keras_qa.search.encoding import Encoded
from keras_qa.search.encoding import encode_answers
from keras_qa.search.encoding import open_shards
from keras_qa.search.encoding import settings_of
from keras_qa.search.encoding import space_to_store
from keras_qa.search.faiss_index import KINDS
from keras_qa.search.index import ANSWERS
from keras_qa.search.index import UNREAD
from keras_qa.search.index import Description
from keras_qa.search.index import finished_kinds
from keras_qa.search.index import has_tokens
from keras_qa.search.index import load_unread
from keras_qa.search.index import read_index_file
from keras_qa.search.ivf_pq import build_ivf_pq
from keras_qa.search.ivf_pq import check_enough
from keras_qa.search.shards.answers import AnswerShards
from keras_qa.search.shards.tokens import TokenShards
from keras_qa.search.spaces import PoincareSpace
from keras_qa.search.spaces import Space
from keras_qa.search.spaces import space_from_config
from keras_qa.search.token_search import TokenSpace


def build_index(
    ranker: Ranker,
    answers: str | Path,
    folder: str | Path,
    kind: str = "flat",
    *,
    shard_size: int | None = None,
    half: bool = False,
    reuse: str | Path | None = None,
    table: Mapping[str, Any] | None = None,
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
            a graph of them, approximately, and `"ivf-pq"` some lists of
            compressed vectors, which stay on disk; see
            `keras_qa.search.ivf_pq`.
        shard_size: number of answers of a shard; None takes `SHARD`, or
            `TOKEN_SHARD` for a model with a vector for each token.
        half: whether the vectors of tokens are stored in float16, which
            changes scores by about 1e-3.
        reuse: the folder of an earlier index of the same model, whose vectors
            are taken for the answers that it has; of a model with a vector for
            each text.
        table: further arguments of `read_answers`.
        show_progress: True draws progress bars.

    Returns:
        The number of answers.

    Raises:
        ImportError: if FAISS is not installed and needed.
        SearchError: if `space_of` does not support the model, the model gives
            vectors that are not finite, `kind` is unknown, the folder contains
            an index of another model or other answers, or other files, there
            are no answers, or too few for `kind`, or `reuse` is no index of
            the same model.
        DatasetError: if the file of answers is missing or bad, or two answers
            have the same id.
        OwnedError: if another process writes to the folder, or encodes a part.
        RankerError: if `ranker` was not loaded from files.
    """
    answers, folder = Path(answers), Path(folder)
    space = space_to_store(ranker.model, half)
    check_kind(kind, space)
    total = check_answers(answers, **(table or {}))
    if kind == "ivf-pq":
        check_enough(total)
    earlier = None
    if reuse is not None:
        settings = settings_of(ranker, SHARD, half)
        earlier = EarlierIndex(Path(reuse), settings)
    with owned_folder(folder):
        for running in (folder / PARTS).glob(f"*/{RUNNING}"):
            OwnerFile(running).check()
        shards = open_shards(ranker, folder, shard_size, half)
        for written in (folder, shards.folder):
            remove_scratch(written)
        described, most = folder / ANSWERS, None
        if described.exists():
            most = read_index_file(described, Description)["answers"]
        encoded = encode_answers(
            ranker,
            answers,
            shards,
            most=most,
            earlier=earlier,
            table=table,
            show_progress=show_progress,
        )
        finish_index(folder, space, shards, encoded, kind, show_progress)
    return encoded.answers


def check_kind(kind: str, space: Space | TokenSpace) -> None:
    """Checks that an index of a kind can be made, before anything slow begins.

    Raises:
        ImportError: if FAISS is not installed and needed.
        SearchError: if `kind` is unknown, or does not go with the space.
    """
    check_choice("kind", kind, KINDS, error=SearchError)
    if isinstance(space, TokenSpace) and kind == "ivf-pq":
        raise SearchError(
            "A model with a vector for each token has no index of the kind "
            "ivf-pq; use flat or hnsw. Received: kind='ivf-pq'"
        )
    if _has_file(kind, space):
        faiss_files.import_faiss()


def _has_file(kind: str, space: Space | TokenSpace) -> bool:
    """Exact search of tokens does without."""
    return kind != "flat" or not isinstance(space, TokenSpace)


def finish_index(
    folder: Path,
    space: Space | TokenSpace,
    shards: AnswerShards,
    encoded: Encoded,
    kind: str,
    show_progress: bool = True,
) -> None:
    """Describes the encoded answers and builds an index of them.

    Args:
        folder: the folder of the index.
        space: the model's space, without a centre.
        shards: all shards of the index.
        encoded: what is known of all answers.
        kind: one of `KINDS`; an existing index is left as it is.
        show_progress: True draws progress bars.
    """
    if not finished_kinds(folder, tokens=False):
        _write_array(folder / UNREAD, encoded.unread)
    # An index of an older version contains all answers.
    unread = load_unread(folder, encoded.answers)
    description = {
        **_described(space, shards),
        "answers": encoded.answers,
        "words": encoded.words,
        "unknown": encoded.unknown,
    }
    write_json(folder / ANSWERS, description)
    path = folder / f"{kind}.faiss"
    if _has_file(kind, space) and not path.exists():
        _make(path, kind, description, shards, unread, show_progress)


def add_question_encoder(folder: Path) -> str:
    """Adds the ONNX form of the encoder of questions to an index.

    `keras-qa ask` then starts without Keras.

    Args:
        folder: folder that `build_index` wrote.

    Returns:
        Why the index has no such form: the extra `onnx` is not installed,
        Keras runs on another backend than TensorFlow, or the index has a
        vector for each token. Empty if it has one.

    Raises:
        RankerError: if the folder's model cannot be loaded.
        SearchError: if the folder contains no finished index.
    """
    from keras_qa.export.onnx_model import BESIDE
    from keras_qa.export.onnx_model import ENCODER_FILE
    from keras_qa.export.onnx_model import find_beside
    from keras_qa.files.whole import file_digest

    if has_tokens(read_index_file(folder / ANSWERS, Description)):
        return "the index has a vector for each token"
    file = folder / "model" / MODEL
    if ENCODER_FILE in find_beside(file):
        return ""
    model = Ranker.load(file.parent).model
    try:
        from keras_qa.export.onnx import export_question_encoder

        export_question_encoder(
            model.question_encoder,
            file.parent / BESIDE,
            source=file_digest(file),
        )
    except (ExportError, ImportError) as error:
        return str(error)
    return ""


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
    path: Path,
    kind: str,
    description: dict[str, Any],
    shards: AnswerShards,
    unread: np.ndarray,
    show_progress: bool,
) -> None:
    """Writes the FAISS index of the readable answers, or of their tokens."""
    if isinstance(shards, TokenShards):
        index = _token_graph(kind, shards, unread, show_progress)
        write_whole(path, lambda p: faiss_files.save_faiss(index, p))
        return
    space = space_from_config(description["space"])
    total = description["answers"] - len(unread)
    lift: Callable[[np.ndarray], np.ndarray] = space.lift_answers
    if kind != "flat":
        lift = partial(space.answer_places, radius=description["radius"])

    def rows() -> Iterator[np.ndarray]:
        return map(lift, _without(shards.blocks(), unread))

    if kind == "ivf-pq":
        build_ivf_pq(path, rows, total, show_progress)
        return
    index = faiss_files.build_faiss(kind, rows(), total, show_progress)
    write_whole(path, lambda p: faiss_files.save_faiss(index, p))


def _write_array(path: Path, numbers: np.ndarray) -> None:
    def save(scratch: Path) -> None:
        with scratch.open("wb") as file:
            np.save(file, numbers)

    write_whole(path, save)


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
