"""Runs of small models for search, with answers and a question."""

import json

import numpy as np
import pytest

from keras_qa.cli import main as cli
from keras_qa.export.keras_file import export_keras
from keras_qa.ranker import Ranker
from keras_qa.search.build import build_index
from keras_qa.text.vocabulary import Vocabulary

WORDS = [f"w{i}" for i in range(30)]
VOCABULARY = Vocabulary([*WORDS, "emma"])
SIZE = len(VOCABULARY)


def make_texts(count, seed=0):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 8, count)
    return [" ".join(rng.choice(WORDS, length)) for length in lengths]


ANSWERS = make_texts(100)
QUESTION = "w1 w7 emma"


def make_run(folder, model, **settings):
    folder.mkdir()
    export_keras(model, folder / "model.keras")
    VOCABULARY.save(folder / "vocabulary.txt")
    settings = {
        "max_question_length": None,
        "max_answer_length": None,
        **settings,
    }
    metrics = {"settings": settings, "tokenizer": "word"}
    (folder / "metrics.json").write_text(json.dumps(metrics))
    return folder


def build(run, answers, folder, kind="flat", size=16, **options):
    pytest.importorskip("faiss")
    return build_index(
        Ranker.load(run),
        answers,
        folder,
        kind,
        shard_size=size,
        show_progress=False,
        **options,
    )


def best(scores, count):
    return np.argsort(-scores, kind="stable")[:count]


def command(*arguments):
    return cli.main([str(argument) for argument in arguments])
