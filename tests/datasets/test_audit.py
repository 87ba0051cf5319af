import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from keras_qa.datasets.audit import PERCENTILES
from keras_qa.datasets.audit import Overlap
from keras_qa.datasets.audit import audit_dataset
from keras_qa.datasets.audit import format_audit
from keras_qa.datasets.audit.published import published_counts
from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Dataset
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.registry import open_dataset

DATA = Path(__file__).parents[1] / "data"


def question(identifier, text, *answers):
    return Question(
        identifier,
        text,
        tuple(
            Candidate(str(i), answer, label)
            for i, (answer, label) in enumerate(answers)
        ),
    )


@pytest.fixture
def dataset():
    train = [
        question("1", "Who ?", ("a b c", 1), ("d", 0), ("A  B c", 0)),
        question("2", "What is it ?", ("d", 0), ("d", 0), ("d", 0)),
        question("3", "Why ?", ("e f", 1)),
        question("4", "When ?"),
    ]
    dev = [
        question("1", "who ?", ("d", 0), ("new", 1)),
        question("2", "Where ?", ("A b c", 1), ("a B c", 1)),
    ]
    return Dataset(
        "made up",
        {"train": lambda: iter(train), "dev": lambda: iter(dev)},
        "whitespace",
    )


def test_counts(dataset):
    audit = audit_dataset(dataset)
    train, dev = audit.splits["train"], audit.splits["dev"]
    assert (train.questions, train.candidates, train.positives) == (4, 7, 2)
    assert train.pool_sizes == [0, 1, 3]
    assert train.without_candidates == 1
    assert train.negatives_only == 1
    assert train.positives_only == 1
    assert (dev.questions, dev.candidates, dev.positives) == (2, 4, 3)
    assert (dev.negatives_only, dev.positives_only) == (0, 1)


def test_duplicates_and_conflicts(dataset):
    audit = audit_dataset(dataset)
    # "A  B c" repeats "a b c" with the other label; "d" comes three times.
    assert audit.splits["train"].duplicates == 3
    assert audit.splits["train"].conflicts == 1
    assert audit.splits["dev"].duplicates == 1
    assert audit.splits["dev"].conflicts == 0


def test_overlap(dataset):
    audit = audit_dataset(dataset)
    assert audit.overlaps == [
        Overlap("train", "dev", questions=1, answers=2, pairs=1)
    ]


def test_texts_are_equal_as_the_split_and_the_tokeniser_have_it():
    """By the case of each character: a sigma at the end is any sigma."""
    first = [question("1", "ΟΔΟΣ İ?", ("Σ İ", 1), ("σ i", 0), ("ς i", 0))]
    second = [question("1", "οδοσ i", ("σ i", 1))]
    data = Dataset(
        "made up",
        {"train": lambda: iter(first), "dev": lambda: iter(second)},
        "whitespace",
    )
    audit = audit_dataset(data)
    assert audit.overlaps == [
        Overlap("train", "dev", questions=1, answers=1, pairs=1)
    ]
    assert audit.splits["train"].duplicates == 1
    assert audit.splits["train"].conflicts == 1


def test_lengths_are_percentiles_in_tokens():
    answers = [(" ".join("x" * n), 0) for n in range(1, 101)]
    dataset = Dataset(
        "d", {"train": lambda: iter([question("1", "a b", *answers)])}
    )
    counts = audit_dataset(dataset).splits["train"]
    assert PERCENTILES == (0, 25, 50, 75, 90, 95, 99, 100)
    assert counts.answer_lengths == [1, 25, 50, 75, 90, 95, 99, 100]
    assert counts.question_lengths == [2] * 8


def test_attention_to_what_teaches_nothing():
    words = question("1", "คำถาม", ("คำตอบ", 1), ("อื่น", 0))
    graded = [question("4", "a b", ("c d", 1), ("e f", 3))]
    right = [question(str(n), "a b", ("c d", 1)) for n in (2, 3)]
    for given, said in (
        ([words], "mostly texts of one word"),
        ([words, *right], "2 questions without a wrong answer, from which"),
        (right, "no wrong answers, so that any ranking is perfect"),
        (graded, "no wrong answers: 0 is wrong, and the lowest grade is 1"),
    ):
        audit = audit_dataset(
            Dataset("d", {"train": lambda given=given: iter(given)})
        )
        problems = audit.splits["train"].problems
        assert sum(said in problem for problem in problems) == 1


def test_empty_split():
    audit = audit_dataset(Dataset("d", {"train": lambda: iter(())}))
    assert audit.splits["train"].questions == 0
    assert audit.splits["train"].answer_lengths == [0] * 8
    assert "questions" in format_audit(audit)


def test_published_counts_of_table_1():
    trecqa = published_counts("trecqa-raw")
    assert trecqa["source"] == "HyperQA, Table 1"
    assert trecqa["train"] == {"questions": "1229", "pairs": "53"}
    wikiqa = published_counts("wikiqa")
    assert [wikiqa[s]["questions"] for s in ("train", "dev", "test")] == [
        "94",
        "65",
        "68",
    ]
    assert "are TrecQA's" in wikiqa["note"]
    assert published_counts("sample") is None
    squad = published_counts("squad")
    assert squad["train"] == {"questions": "87,599"}
    assert "test" not in squad
    insurance = published_counts("insuranceqa-v1")
    assert insurance["test2"] == {"questions": "1800", "positives": "2593"}
    assert published_counts("insuranceqa-v1", "hyperqa") is None


def test_text_has_the_paper_beside_ours():
    audit = audit_dataset(
        open_dataset("trecqa-raw", DATA, prefer_original=True)
    )
    lines = format_audit(audit).splitlines()
    rows = {line.split("  ")[0].strip(): line.split() for line in lines}
    assert rows["questions"][1:] == ["5", "3", "2", "5"]
    assert rows["questions without candidates"][-4:] == ["1", "1", "0", "1"]
    assert rows["dev"] == ["dev", "82", "3", "1.1K", "4"]
    # Both have the question without candidates.
    assert rows["train, dev"][-3:] == ["1", "0", "0"]
    assert any(line.startswith("Note: The paper counts") for line in lines)


def test_json():
    result = subprocess.run(
        [
            *(sys.executable, "-m", "keras_qa.cli.main", "data", "audit"),
            *("semeval", "--json", "--data-dir", str(DATA)),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    audit = audit_dataset(open_dataset("semeval", DATA))
    assert json.loads(result.stdout) == asdict(audit)
    assert audit.splits["train"].positives == 2
