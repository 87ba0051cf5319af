"""Cross-validation of the number of epochs, up to the record of a run."""

from types import SimpleNamespace

import numpy as np
import pytest

from keras_qa import Corpus
from keras_qa import CorpusScorer
from keras_qa import IdfOverlapRanker
from keras_qa import open_dataset
from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Dataset
from keras_qa.datasets.dataset import Question
from keras_qa.ranking.evaluation import evaluate
from keras_qa.training.epoch_selection import EpochSelector
from reproductions.harness.command import parse_arguments
from reproductions.harness.command import run_script
from reproductions.harness.cross_validation import Validation
from reproductions.harness.errors import SettingsError
from reproductions.harness.questions import folds_of
from reproductions.harness.questions import questions_of
from reproductions.harness.questions import training_set
from reproductions.harness.run import _say_if_few
from reproductions.harness.run import validate
from reproductions.harness.settings import CommonSettings
from reproductions.hyperqa import experiment as script
from reproductions.systems import experiment as systems
from support.script_runs import metrics_of
from support.script_runs import smoke_runner

pytestmark = pytest.mark.once


def questions(count, text="question {}", label=1):
    return [
        Question(
            str(i),
            text.format(i),
            (Candidate("a", f"right {i}", label), Candidate("b", "wrong", 0)),
        )
        for i in range(count)
    ]


def dataset(train, dev=()):
    return Dataset("sample", {"train": lambda: train, "dev": lambda: dev})


def arguments(*options):
    return parse_arguments(script.EXPERIMENT, ["--split=dev", *options])


# === The choice ===


@pytest.mark.parametrize(("count", "said"), [(99, True), (100, False)])
def test_a_choice_of_few_questions_is_said(count, said, capsys):
    _say_if_few(SimpleNamespace(select=questions(count)))
    printed = capsys.readouterr().out
    assert ("--set folds=5" in printed) == ("99 questions" in printed) == said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--model=hyperqa", "--recipe=best"], True),
        (["--model=hyperqa", "--recipe=paper"], False),
        (["--model=bm25", "--recipe=best"], False),
    ],
)
def test_a_recipe_that_was_not_searched_says_so(
    options, said, monkeypatch, capsys
):
    """By one that was searched on WikiQA, TrecQA and SemEval."""
    result = {"model": "", "dataset": "sample", "split": "dev", "metrics": {}}
    counts = ("questions_scored", "questions", "candidates", "ties")
    monkeypatch.setattr(
        "reproductions.harness.run.run_experiment",
        lambda *_: result | dict.fromkeys(counts, 0),
    )
    assert run_script(script.EXPERIMENT, arguments(*options)) == 0
    assert ("Nothing was searched" in capsys.readouterr().out) == said


def test_the_mean_of_the_folds_chooses():
    """By hand: means .4, .55, .5; the second fold alone would choose 1."""
    first = {"MAP": [0.2, 0.6, 0.5], "MRR": [0.3, 0.7, 0.6]}
    second = {"MAP": [0.6, 0.5, 0.5], "MRR": [0.7, 0.6, 0.6]}
    found = Validation("MAP", [first, second], 0.0)
    assert found.means["MAP"] == pytest.approx([0.4, 0.55, 0.5])
    assert found.epochs == 2
    assert found.metrics == pytest.approx({"MAP": 0.55, "MRR": 0.65})


def test_the_first_of_equal_means_is_chosen_up_to_the_shortest_fold():
    folds = [{"MAP": [0.5, 0.5, 0.9]}, {"MAP": [0.5, 0.5]}]
    found = Validation("MAP", folds, 0.0)
    assert (found.epochs, found.means) == (1, {"MAP": [0.5, 0.5]})


# === The folds ===


def test_each_question_is_in_one_fold():
    train = questions(11)
    folds = folds_of(dataset(train), arguments(), CommonSettings(folds=3))
    measured = [question.id for _, held, _ in folds for question in held]
    assert sorted(measured, key=int) == [question.id for question in train]
    for fit, held, report in folds:
        assert held == report and len(held) in (3, 4)
        assert sorted(fit + held, key=lambda q: int(q.id)) == train


def test_folds_depend_on_the_seed_alone():
    def ids(seed):
        chosen = arguments(f"--seed={seed}")
        folds = folds_of(dataset(questions(9)), chosen, CommonSettings(folds=3))
        return [[question.id for question in held] for _, held, _ in folds]

    assert ids(1) == ids(1) != ids(2)


def test_equal_questions_are_in_the_same_fold():
    train = questions(8, "the same question")
    train += [
        Question(str(i), f"other {i}", train[0].candidates)
        for i in range(8, 10)
    ]
    folds = folds_of(dataset(train), arguments(), CommonSettings(folds=3))
    assert sorted(len(held) for _, held, _ in folds) == [1, 1, 8]


def test_a_fold_without_a_right_answer_is_refused():
    with pytest.raises(SettingsError, match="folds=2 for 4 questions"):
        folds_of(
            dataset(questions(4, label=0)),
            arguments(),
            CommonSettings(folds=2),
        )


def test_one_fold_is_refused():
    with pytest.raises(SettingsError, match="0 or at least 2"):
        script.EXPERIMENT.settings_of(arguments("--set=folds=1"))


def test_pools_are_added_to_what_is_measured():
    def add_pools(held, seed):
        return [Question(q.id, f"{q.text} {seed}", q.candidates) for q in held]

    data = Dataset(
        "sample", {"train": lambda: questions(4)}, add_pools=add_pools
    )
    folds = folds_of(data, arguments("--seed=7"), CommonSettings(folds=2))
    for fit, held, _ in folds:
        assert len(fit) == len(held) == 2
        assert all(question.text.endswith(" 7") for question in held)
        assert {q.id for q in fit}.isdisjoint(q.id for q in held)


@pytest.mark.parametrize("fixed", [{"folds": 2}, {"average_last": 3}])
@pytest.mark.parametrize("split", ["dev", "test"])
def test_a_run_that_chooses_no_epoch_is_fitted_on_all_of_train(split, fixed):
    train, dev = questions(20), questions(5)
    data = Dataset(
        "sample",
        {"train": lambda: train, "dev": lambda: dev, "test": lambda: dev},
    )
    chosen = arguments(f"--split={split}")
    settings = CommonSettings(**fixed)
    fit, _, report = questions_of(data, chosen, settings)
    assert (fit, report) == (train, dev)
    assert training_set(chosen, settings) == "train"


# === A run ===


run = smoke_runner(
    script, {"skipgram_dim": 6, "smoke_questions": 6, "smoke_epochs": 3}
)


@pytest.mark.slow
@pytest.mark.usefixtures("without_export")
def test_an_interrupted_cross_validation_goes_on(tmp_path, monkeypatch):
    """It is stopped in its second fold, and after that in the last training."""
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert run(whole, "--split=dev", folds=2) == 0
    expected = metrics_of(whole)
    chosen = expected["epoch"]
    curves = [fold["MAP"] for fold in expected["folds"]]
    means = [sum(values) / 2 for values in zip(*curves, strict=True)]
    assert len(means) == 3
    assert chosen == expected["epochs"] == means.index(max(means)) + 1
    assert expected["selection"]["MAP"] == pytest.approx(max(means))
    assert expected["training_set"] == "train"

    save, seen = EpochSelector.on_epoch_end, []

    def stopping(self, epoch, logs=None):
        save(self, epoch, logs)
        seen.append((self.folder.path.name, epoch))
        if len(seen) in (4, 7):
            raise KeyboardInterrupt

    monkeypatch.setattr(EpochSelector, "on_epoch_end", stopping)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            run(parts, "--split=dev", folds=2)
        assert not (parts / "metrics.json").exists()
    assert run(parts, "--split=dev", "--resume", folds=2) == 0
    assert seen[:7] == [
        *(("fold-1", epoch) for epoch in range(3)),
        *(("fold-2", epoch) for epoch in range(3)),
        ("parts", 0),
    ]
    assert len(seen) == 6 + chosen
    found = metrics_of(parts)
    for name in ("epoch", "folds", "metrics", "selection"):
        assert found[name] == expected[name]
    assert (parts / "run.trec").read_text() == (whole / "run.trec").read_text()
    for fold in ("fold-1", "fold-2"):
        assert {path.name for path in (parts / fold).iterdir()} == {
            "settings.json",
            "metrics.json",
            "history.csv",
        }


@pytest.mark.usefixtures("without_export")
def test_a_floor_is_fitted_on_each_fold_once(tmp_path):
    """By hand with the library, whose floor counts the other folds' words."""
    chosen = arguments("--model=idf-overlap", f"--output-dir={tmp_path}")
    settings = CommonSettings(folds=2)
    data = open_dataset("sample")
    found = validate(script.EXPERIMENT, chosen, settings, tmp_path, data)
    for curves, (fit, held, _) in zip(
        found.curves, folds_of(data, chosen, settings), strict=True
    ):
        corpus = Corpus([*fit, *held])
        floor = IdfOverlapRanker(len(corpus.vocabulary.words))
        indexed = corpus.index(fit)
        read = [indexed.question_texts, *indexed.candidate_texts]
        texts = np.unique(np.concatenate(read))
        floor.adapt([corpus.texts[i] for i in texts])
        scores = CorpusScorer(floor, corpus).rank(corpus.index(held))
        expected = evaluate(held, scores, seed=1).metrics
        assert curves == {
            name: [pytest.approx(expected[name])] for name in curves
        }


def test_a_model_without_epochs_is_measured_once(tmp_path):
    experiment = systems.EXPERIMENT
    chosen = parse_arguments(
        experiment, ["--model=word-count", f"--output-dir={tmp_path}"]
    )
    settings = experiment.settings(folds=2)
    found = validate(experiment, chosen, settings, tmp_path)
    assert [len(one["MAP"]) for one in found.curves] == [1, 1]


def test_bm25_is_not_cross_validated(tmp_path):
    chosen = arguments("--model=bm25", f"--output-dir={tmp_path}")
    with pytest.raises(SettingsError, match="such as bm25-tuned"):
        validate(script.EXPERIMENT, chosen, CommonSettings(folds=2), tmp_path)


def test_floors_have_no_folds(tmp_path):
    assert run(tmp_path / "a", "--split=dev", "--model=bm25", folds=2) == 0
    found = metrics_of(tmp_path / "a")
    assert "folds" not in found["settings"]
    assert found["training_set"] == "train less its fold"
