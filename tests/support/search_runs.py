"""Runs of small models for search, with answers and a question."""

import numpy as np
import pytest

from keras_qa.cli import main as cli
from keras_qa.ranker import Ranker
from keras_qa.search.build import build_index
from keras_qa.text.vocabulary import Vocabulary

WORDS = [f"w{i}" for i in range(30)]
VOCABULARY = Vocabulary([*WORDS, "emma"])
SIZE = len(VOCABULARY)


def make_texts(count):
    rng = np.random.default_rng(0)
    lengths = rng.integers(1, 8, count)
    return [" ".join(rng.choice(WORDS, length)) for length in lengths]


ANSWERS = make_texts(100)
QUESTION = "w1 w7 emma"


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
