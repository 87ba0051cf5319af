"""Runs that learn the scores of another ranker."""

import numpy as np
import pytest

from keras_qa.datasets.corpus import Corpus
from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from reproductions.harness.teaching.teachers import with_mined
from reproductions.hyperqa import experiment as hyperqa
from support.script_runs import metrics_of
from support.script_runs import smoke_runner

run = smoke_runner(hyperqa, {"projection_dim": 4, "random_dim": 4})
OPTIONS = ("--embeddings", "random")


@pytest.fixture(scope="module")
def teacher(tmp_path_factory):
    folder = tmp_path_factory.mktemp("teacher") / "first"
    assert run(folder, *OPTIONS, "--model=cosineqa") == 0
    return folder


def test_a_run_learns_from_the_folder_of_another(
    teacher, tmp_path, without_export, capsys
):
    options = [*OPTIONS, "--teacher", str(teacher)]
    shared = [f"--transfer-dir={tmp_path / 'shared'}"]
    assert run(tmp_path / "kl", *options, *shared, objective="kl", mined=2) == 0
    assert "Teacher: " in capsys.readouterr().err
    metrics = metrics_of(tmp_path / "kl")
    assert len(metrics["inputs"]["teacher"]) == 16
    assert metrics["training_set"] == "train by first"
    assert metrics["overrides"]["objective"] == "kl"
    (scores,) = (tmp_path / "shared").glob("*.npz")
    again = {"objective": "kl", "mined": 2, "label_weight": 0.5}
    assert run(tmp_path / "b", *options, *shared, "--seed=2", **again) == 0
    assert "Teacher: " not in capsys.readouterr().err
    assert run(tmp_path / "margins", *options, objective="margin-mse") == 0
    (own,) = (tmp_path / "margins/teacher").glob("*.npz")
    assert own.name == scores.name


def test_a_teacher_of_the_first_stage_alone(
    teacher, tmp_path, without_export, capsys
):
    assert (
        run(
            tmp_path / "run",
            *OPTIONS,
            *("--teacher", str(teacher), "--transfer", "sample"),
            transfer_objective="kl",
        )
        == 0
    )
    printed = capsys.readouterr().err
    assert printed.index("Teacher: ") < printed.index("transfer: epoch 1")
    names = metrics_of(tmp_path / "run")["training_set"]
    assert names == "train after sample by first"


def test_another_spelling_of_a_right_answer_is_not_added():
    given = {"1": "The b", "2": "the  B", "3": "a b"}
    questions = [
        Question("1", "what is b", (Candidate("2", given["2"], 1),)),
        Question(
            "2",
            "where is b",
            tuple(Candidate(i, given[i], i == "3") for i in ("1", "3")),
        ),
    ]
    corpus = Corpus(questions)
    more = with_mined(corpus.index(questions), corpus, 9)
    texts = [corpus.originals[i] for i in more.candidate_texts[0]]
    assert texts == ["the  B", "a b"]


def test_bm25_finds_further_candidates():
    answers = {"a b c": 1, "x y": 0, "d b": 0, "b b": 0, "z": 0}
    first = [
        Candidate(str(i), text, label)
        for i, (text, label) in enumerate(answers.items())
    ]
    questions = [
        Question("1", "what is b", tuple(first[:2])),
        Question("2", "where is x", tuple(first[1:])),
    ]
    corpus = Corpus(questions)
    fit = corpus.index(questions)
    assert with_mined(fit, corpus, 0) is fit
    more = with_mined(fit, corpus, 2)
    texts = [[corpus.originals[i] for i in own] for own in more.candidate_texts]
    # The right one is among its two best, and is not added again.
    assert texts[0][:2] == ["a b c", "x y"]
    assert set(texts[0][2:]) <= {"d b", "b b"} and texts[0][2:]
    assert texts[1] == ["x y", "d b", "b b", "z"]
    np.testing.assert_array_equal(more.labels[0][:2], [1, 0])
    assert not more.labels[0][2:].any()
