"""The first stage: what BM25 finds, and what it loses, against brute force."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Dataset
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.registry import open_dataset
from keras_qa.ranking.evaluation import evaluate
from keras_qa.ranking.evaluation import recall_measures
from keras_qa.ranking.first_stage import with_first_stage
from keras_qa.ranking.mining import CandidateMiner

DATA = Path(__file__).parents[1] / "data"
DOCUMENTS = (
    "the koala sleeps long",
    "the koala eats leaves",
    "emma was written by jane austen",
    "the port of montevideo",
)


def asked(number, text, *right):
    candidates = tuple(Candidate(str(i), DOCUMENTS[i], 1) for i in right)
    return Question(f"q{number}", text, candidates)


QUESTIONS = (
    asked(1, "how long does the koala sleep", 0),
    # BM25 ranks the other koala first, or does not find the right document.
    asked(2, "what does a koala eat", 1),
    asked(3, "who is the author of that novel", 2),
    asked(4, "koala leaves", 0, 1, 3),
)


def dataset(**documents):
    stream = partial(iter, QUESTIONS)
    return Dataset(
        "d",
        {"train": stream, "dev": stream},
        "whitespace",
        answers=lambda: list(DOCUMENTS),
        documents=documents
        or dict.fromkeys(("train", "dev"), lambda: DOCUMENTS),
    )


def first_stage(**options):
    return with_first_stage(dataset(), show_progress=False, **options)


@pytest.mark.parametrize("count", [1, 2, 10])
def test_candidates_are_what_bm25_finds(count):
    found = first_stage(candidates=count).questions("dev")
    miner = CandidateMiner(
        DOCUMENTS, tokenizer="whitespace", show_progress=False
    )
    for question, given in zip(found, QUESTIONS, strict=True):
        scores = miner.scores(question.text)
        best = np.argsort(-scores, kind="stable")[:count]
        expected = [i for i in best if scores[i] > 0]
        right = [int(c.id) for c in given.candidates]
        assert [int(c.id) for c in question.candidates] == expected
        assert [c.text for c in question.candidates] == [
            DOCUMENTS[i] for i in expected
        ]
        assert [c.label for c in question.candidates] == [
            int(i in right) for i in expected
        ]
        assert question.missed == len(set(right) - set(expected))
        assert (question.id, question.text) == (given.id, given.text)


def test_what_the_first_stage_lost_is_a_miss():
    found = first_stage(candidates=1).questions("dev")
    assert [q.missed for q in found] == [0, 1, 1, 2]
    # A second stage that knew everything could not do better.
    perfect = [np.array([c.label for c in q.candidates]) for q in found]
    measures = recall_measures()
    metrics = evaluate(found, perfect, measures=measures).metrics
    assert metrics == dict.fromkeys(("recall@1", "recall@3", "recall@5"), 0.5)
    of_all = evaluate(found, perfect, measures=recall_measures((5,), "all"))
    assert of_all.metrics["recall@5"] == pytest.approx((1 + 1 / 3) / 4)


def test_training_questions_keep_their_documents():
    data = first_stage()
    assert data.questions("train") == list(QUESTIONS)
    mined = first_stage(train_candidates=2).questions("train")
    assert [q.missed for q in mined] == [0] * 4
    assert [len(q.positives) for q in mined] == [1, 1, 1, 3]
    assert [len(q.candidates) for q in mined] == [2, 2, 2, 3]


def test_a_fold_of_train_gets_candidates():
    data = first_stage(candidates=1)
    train, dev = data.held_out_fold("train", 0.5)
    by_id = {q.id: q for q in data.questions("dev")}
    assert len(train) == len(dev) == 2
    assert dev == [by_id[q.id] for q in dev]
    assert all(q in QUESTIONS for q in train)


def test_documents_of_each_split_are_indexed_once():
    calls = []

    def documents(name):
        calls.append(name)
        return DOCUMENTS

    shared = partial(documents, "all")
    data = with_first_stage(
        dataset(train=shared, dev=shared), show_progress=False
    )
    assert not calls
    data.questions("dev")
    data.held_out_fold("train")
    assert calls == ["all"]
    assert with_first_stage(data) is data
    assert data.answers() == list(DOCUMENTS)


def test_what_was_read_before_is_not_kept():
    data = dataset()
    assert data.questions("dev") == list(QUESTIONS)
    found = with_first_stage(data, 1, show_progress=False)
    assert found.questions("dev")[1].missed == 1
    assert data.questions("dev") == list(QUESTIONS)


def test_squad():
    squad = open_dataset("squad", DATA)
    found = with_first_stage(squad, 2, show_progress=False).questions("dev")
    assert [q.missed for q in found] == [0, 0, 1]
    assert [len(q.candidates) for q in found] == [2, 2, 2]
    own = open_dataset("squad", DATA, paragraphs="split")
    found = with_first_stage(own, 2, show_progress=False).questions("dev")
    assert [q.missed for q in found] == [0, 0, 0]


def test_errors():
    with pytest.raises(ValueError, match=r"`candidates` must be.*candidates=0"):
        first_stage(candidates=0)
    with pytest.raises(ValueError, match=r"`train_candidates`.*=-1"):
        first_stage(train_candidates=-1)


def test_the_constants_of_bm25_order_the_candidates():
    texts = ("koala koala koala and many other words here", "koala", "emma")
    right = (Candidate("1", texts[1], 1),)
    stream = partial(iter, [Question("q", "koala", right)])
    data = Dataset(
        "d",
        {"dev": stream},
        "whitespace",
        answers=lambda: list(texts),
        documents={"dev": lambda: texts},
    )

    def first(**constants):
        found = with_first_stage(data, 1, show_progress=False, **constants)
        (question,) = found.questions("dev")
        return question.candidates[0].text

    # Without lengths, three occurrences are better than one.
    assert first(b=0.0) == texts[0]
    # Without counts and with lengths, the short document is.
    assert first(k1=0.01, b=1.0) == texts[1]
