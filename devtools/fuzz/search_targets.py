"""Targets: the readers of answers and their indexes."""

import json
import tempfile
from functools import cache
from pathlib import Path

import numpy as np

from devtools.fuzz import structures
from devtools.fuzz.model_targets import saved_model
from devtools.fuzz.structures import Case
from devtools.fuzz.target import Target
from keras_qa.errors import DatasetError
from keras_qa.errors import ModelFileError
from keras_qa.errors import RankerError
from keras_qa.errors import SearchError
from keras_qa.files.text_files import find_file
from keras_qa.search.answers import Answer
from keras_qa.search.answers import read_answers
from keras_qa.search.shards.answers import AnswerShards

_ANSWERS = [
    *(Answer("a", "jane austen wrote it"), Answer("b", "é, moby-dick")),
    *(Answer("c c", "who"), Answer("d", "by nobody"), Answer("e", "1815")),
]
_LINES = "".join(f"{a.id}\t{a.text}\n" for a in _ANSWERS).encode()
_SIZE = 3
_METRICS = {
    "settings": {"max_question_length": 5, "max_answer_length": None},
    "tokenizer": "word",
}
_SHARDS = "index/shards"


def targets() -> list[Target]:
    """The targets of this module."""
    return [
        Target(
            "answers",
            lambda: {"answers.tsv": _LINES},
            lambda folder: _read_answers(folder / "answers.tsv"),
            (DatasetError,),
            gzipped=True,
            structured=structures.table("answers.tsv", "\t"),
            guided="answers.tsv",
        ),
        Target(
            "answer shards",
            lambda: {n: d for n, d in _index().items() if _SHARDS in n},
            lambda folder: _read_shards(folder / _SHARDS),
            (SearchError,),
            inputs=6_000,
            structured=structures.json_lines(f"{_SHARDS}/000001/answers.jsonl"),
        ),
        Target(
            "answer index",
            _without_faiss,
            _read_index,
            (SearchError, RankerError, ModelFileError, DatasetError),
            inputs=400,
            share=30,
            structured=structures.json_file("index/answers.json"),
        ),
    ]


def _read_answers(path: Path) -> None:
    found = find_file(path.parent, path.name) or path
    for answer in read_answers(found):
        if not answer.text.strip():
            raise TypeError(f"{answer} without text")
        f"{answer.id}{answer.text}".encode()


def _read_shards(folder: Path) -> None:
    shards = AnswerShards(folder, _SIZE)
    rows = np.arange(len(_ANSWERS))
    if shards.vectors(rows).shape[0] != len(rows):
        raise TypeError("fewer vectors than were asked for")
    for answer in shards.answers(rows):
        answer.text.encode()
    list(shards.texts())


@cache
def _index() -> Case:
    """The files of an index, whose model has five words."""
    # Imported here because most targets do not need Keras and FAISS.
    from keras_qa.search import faiss_index as faiss_files
    from keras_qa.search.spaces import PoincareSpace

    vectors = np.random.default_rng(4).uniform(-0.5, 0.5, (len(_ANSWERS), 2))
    center = np.array([0.1, 0.0])
    space = PoincareSpace(-1.0, 0.5, epsilon=1e-5, center=center)
    description = {
        "space": space.config(),
        "radius": space.longest(vectors),
        "answers": len(vectors),
    }
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shards = AnswerShards(folder / _SHARDS, _SIZE)
        for number in range(2):
            part = slice(_SIZE * number, _SIZE * (number + 1))
            shards.write(number, _ANSWERS[part], vectors[part])
        lifted = [space.lift_answers(vectors.astype("f4"))]
        path = folder / "index/flat.faiss"
        flat = faiss_files.build_faiss("flat", lifted, 5, False)
        faiss_files.save_faiss(flat, path)
        stored = {
            str(file.relative_to(folder)): file.read_bytes()
            for file in sorted(folder.rglob("*.*"))
        }
    settings = {
        "tokenizer": "word",
        "max_question_length": None,
        "max_answer_length": None,
        "shard_size": _SIZE,
        "model_sha256": "",
        "vocabulary_sha256": "",
    }
    return stored | {
        "index/answers.json": json.dumps(description).encode(),
        "index/settings.json": json.dumps(settings).encode(),
        "index/model/metrics.json": json.dumps(_METRICS).encode(),
        "index/model/vocabulary.txt": b"who\nwrote\nit\n",
        "index/model/model.keras": saved_model(),
    }


def _without_faiss() -> Case:
    """All but the file that FAISS reads, which does not check for damage."""
    return {n: d for n, d in _index().items() if not n.endswith(".faiss")}


def _read_index(folder: Path) -> None:
    from keras_qa.search.index import AnswerIndex

    name = "index/flat.faiss"
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_bytes(_index()[name])
    index = AnswerIndex(folder / "index")
    rows, _ = index.search(np.zeros(2), 4)
    for answer in index.answers(rows):
        answer.text.encode()
