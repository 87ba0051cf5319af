"""The cross-validation that chose the recipes, and its record."""

import json
from pathlib import Path

import numpy as np
import pytest

from keras_qa.datasets.registry import open_dataset
from reproductions.harness.settings import resolve_settings
from reproductions.hyperqa import choice as hyperqa_choice
from reproductions.hyperqa.choice import FOLDS
from reproductions.hyperqa.choice import GROUPS
from reproductions.hyperqa.choice import CrossValidation
from reproductions.hyperqa.choice import Entry
from reproductions.hyperqa.choice import figures
from reproductions.hyperqa.choice import find
from reproductions.hyperqa.choice import identity
from reproductions.hyperqa.choice import table
from reproductions.hyperqa.settings import RECIPES
from reproductions.hyperqa.settings import HyperQASettings
from reproductions.records.runs import read_runs

RECORD = Path(hyperqa_choice.__file__).with_suffix(".jsonl")
VECTORS = ["minilm-static-300d.bin", "skipgram"]
SCALED = ["minilm-static-300d-length3.bin"]
TINY = [
    Entry("hyperqa", 2, {"projection_dim": 4, "margin": 0.5}),
    Entry("cosineqa", 1, {"projection_dim": 4, "learning_rate": 0.05}),
]


@pytest.fixture(scope="module")
def records():
    return read_runs(RECORD)


@pytest.fixture
def command(tmp_path, monkeypatch):
    """The command line of two tiny entries on the bundled questions."""
    vectors = tmp_path / "tiny.txt"
    vectors.write_text("the 1 0\nof 0 1\n? 1 1\nwhat 2 1\nwho 1 2\n")
    monkeypatch.setitem(GROUPS, "recipes", TINY)
    read = open_dataset("sample").questions("train")
    monkeypatch.setattr(
        "keras_qa.datasets.dataset.Dataset.questions",
        lambda self, split: {"train": read[:12]}[split],  # no other is read
    )
    monkeypatch.setattr(hyperqa_choice, "FOLDS", 2)
    return [
        "--dataset=sample",
        f"--output={tmp_path / 'choice.jsonl'}",
        "--embeddings",
        str(vectors),
    ]


@pytest.mark.slow
def test_measures_each_entry_once(command, tmp_path, monkeypatch, capsys):
    output = tmp_path / "choice.jsonl"
    measure = CrossValidation.curve
    measured = []

    def stop_at_second(self, entry):
        if measured:
            raise KeyboardInterrupt
        measured.append(entry)
        return measure(self, entry)

    with monkeypatch.context() as patch:
        patch.setattr(CrossValidation, "curve", stop_at_second)
        with pytest.raises(KeyboardInterrupt):
            hyperqa_choice.main(command)
    (first,) = output.read_text().splitlines()

    assert hyperqa_choice.main(command) == 0
    lines = output.read_text().splitlines()
    assert lines[0] == first
    assert [json.loads(line)["model"] for line in lines] == [
        "hyperqa",
        "cosineqa",
    ]
    record = json.loads(first)
    assert record["vectors"] == ["tiny.txt"]
    assert record["settings"] == TINY[0].settings
    assert len(record["curve"]) == TINY[0].epochs
    assert 0 < record["metrics"]["MAP"] <= 1

    capsys.readouterr()
    with monkeypatch.context() as patch:
        patch.delattr(CrossValidation, "curve")  # complete: none is measured
        assert hyperqa_choice.main(command) == 0
    assert output.read_text().splitlines() == lines
    printed = capsys.readouterr().out.splitlines()[1:]
    maps = [float(line.split()[0]) for line in printed]
    assert len(maps) == 2
    assert maps == sorted(maps, reverse=True)


def test_the_same_entry_gives_the_same_curve(command):
    questions = open_dataset("sample").questions("train")
    curves = [
        CrossValidation(questions, "word", command[-1:]).curve(TINY[0])
        for _ in range(2)
    ]
    np.testing.assert_array_equal(*curves)


def test_each_question_is_held_out_once(capital_questions):
    questions = capital_questions * 3
    folds = CrossValidation(questions, "word", []).folds
    assert len(folds) == FOLDS
    for fit, held_out in folds:
        assert len(fit) + len(held_out) == len(questions)
    held = [question for _, part in folds for question in part]
    assert sorted(q.id for q in held) == sorted(q.id for q in questions)


def test_figures_are_those_of_the_best_epoch():
    assert figures(np.array([0.5, 0.61239, 0.6]), 12.4) == {
        "metrics": {"MAP": 0.6124},
        "epoch": 2,
        "curve": [0.5, 0.612, 0.6],
        "seconds": 12,
    }


def test_bad_input_is_a_message(tmp_path, capsys):
    status = hyperqa_choice.main(
        [
            f"--data-dir={tmp_path}",
            f"--output={tmp_path / 'choice.jsonl'}",
            "--embeddings=skipgram",
        ]
    )
    assert status == 2
    assert "WikiQA-train.tsv" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("group", "vectors"), [("recipes", VECTORS), ("twins", SCALED)]
)
def test_record_holds_every_entry_of_the_list(records, group, vectors):
    for entry in GROUPS[group]:
        wanted = identity(entry, "wikiqa", vectors)
        record = find(records, wanted)
        assert record is not None, wanted
        assert set(record) == set(wanted) | set(figures(np.ones(1), 0))
        assert len(record["curve"]) == entry.epochs
        best = record["curve"][record["epoch"] - 1]
        assert best == max(record["curve"])
        # Rounded to 3 and to 4 decimals.
        assert abs(best - record["metrics"]["MAP"]) < 6e-4
    assert len(table(records).splitlines()) == 1 + len(records)


def test_record_holds_no_path(records):
    for record in records:
        assert [Path(name).name for name in record["vectors"]] == (
            record["vectors"]
        )


def test_recipe_best_is_the_best_of_the_record_within_noise(records):
    def of_best(model, vectors):
        paper = HyperQASettings()
        best = resolve_settings(paper, RECIPES["best"].models[model])
        return [
            record["metrics"]["MAP"]
            for record in records
            if record["model"] == model
            and record["vectors"] == vectors
            and resolve_settings(paper, record["settings"]) == best
        ]

    seeds = of_best("hyperqa", VECTORS)
    assert len(seeds) == 2
    noise = max(seeds) - min(seeds)
    for model, vectors in (
        ("hyperqa", VECTORS),
        ("cosineqa", SCALED),
        ("logcosineqa", SCALED),
    ):
        highest = max(
            record["metrics"]["MAP"]
            for record in records
            if record["model"] == model and record["vectors"] == vectors
        )
        assert highest <= np.mean(of_best(model, vectors)) + noise
