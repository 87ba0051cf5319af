"""The bundled questions: made by their script, disjoint, not given away."""

import filecmp
from itertools import chain
from itertools import combinations

import numpy as np
import pytest

from keras_qa.datasets.registry import open_dataset
from keras_qa.datasets.sample import generate
from keras_qa.ranking.evaluation import evaluate
from keras_qa.ranking.floors import bm25_scores

SPLITS = ("train", "dev", "test")


@pytest.fixture(scope="module")
def questions():
    dataset = open_dataset("sample")
    return {split: dataset.questions(split) for split in SPLITS}


def test_the_script_makes_the_files(tmp_path):
    generate.main(["--output-dir", str(tmp_path)])
    for split in SPLITS:
        name = f"WikiQA-{split}.tsv"
        assert filecmp.cmp(tmp_path / name, generate.FOLDER / name, False)


def test_another_seed_makes_others():
    assert generate.generate(1) != generate.generate(0)


def test_counts(questions):
    counts = {
        split: (len(part), sum(len(q.candidates) for q in part))
        for split, part in questions.items()
    }
    assert counts == {
        "train": (590, 4420),
        "dev": (107, 797),
        "test": (142, 1054),
    }


def test_every_question_can_be_ranked(questions):
    for question in chain.from_iterable(questions.values()):
        assert 5 <= len(question.candidates) <= 10
        assert question.positives
        assert question.negatives
        texts = [c.text for c in question.candidates]
        assert len(set(texts)) == len(texts), question.text


def test_splits_share_neither_questions_nor_sentences(questions):
    asked = {s: {q.text for q in part} for s, part in questions.items()}
    told = {
        s: {c.text for q in part for c in q.candidates}
        for s, part in questions.items()
    }
    for one, other in combinations(SPLITS, 2):
        assert not asked[one] & asked[other]
        assert not told[one] & told[other]


def test_no_distractor_holds_the_answer():
    rng = generate.random.Random(0)
    for domain in generate.read_domains():
        for row in domain.rows:
            for column in domain.columns:
                labelled = generate.candidates_of(
                    domain, domain.rows, row, column, rng
                )
                for sentence, label in labelled:
                    holds = generate.mentions(sentence, row[column])
                    assert holds == bool(label), (sentence, row[column])


def test_articles_fit_and_nothing_is_left_unfilled(questions):
    for question in chain.from_iterable(questions.values()):
        for text in [question.text, *(c.text for c in question.candidates)]:
            assert "{" not in text
            assert not generate.re.search(r"\b[Aa] [aeio]", text), text
            assert text[0].isupper()
            assert text[-1] in ".?"


@pytest.mark.parametrize("split", SPLITS)
def test_bm25_does_well_but_not_perfectly(questions, split):
    part = questions[split]
    found = evaluate(part, bm25_scores(part)).metrics["MAP"]
    assert 0.5 < found < 0.75


@pytest.mark.parametrize("split", SPLITS)
def test_order_and_length_tell_nothing(questions, split):
    part = questions[split]
    rng = np.random.default_rng(0)
    draws = [
        evaluate(part, [rng.random(len(q.candidates)) for q in part])
        for _ in range(5)
    ]
    chance = np.mean([draw.metrics["MAP"] for draw in draws])
    for clue in (
        lambda q: np.arange(len(q.candidates)),
        lambda q: -np.arange(len(q.candidates)),
        lambda q: np.array([len(c.text) for c in q.candidates]),
        lambda q: -np.array([len(c.text) for c in q.candidates]),
    ):
        found = evaluate(part, [clue(q) for q in part]).metrics["MAP"]
        assert abs(found - chance) < 0.08
