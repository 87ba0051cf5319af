import importlib
import json
from types import SimpleNamespace

import pytest

from keras_qa.errors import DatasetError
from keras_qa.errors import SearchError
from keras_qa.errors import VectorsError
from reproductions.ctrn.experiment import EXPERIMENT as CTRN
from reproductions.harness import search_space as search
from reproductions.harness.cross_validation import Validation
from reproductions.harness.errors import SettingsError
from reproductions.harness.parts.recipes import Recipe
from reproductions.harness.studies import trials
from reproductions.hyperqa.experiment import EXPERIMENT as HYPERQA
from reproductions.iam.experiment import EXPERIMENT as IAM
from reproductions.mrnn.experiment import EXPERIMENT as MRNN
from reproductions.qa_lstm.experiment import EXPERIMENT as QA_LSTM
from reproductions.records.runs import read_runs

PAPERS_SPACE = {
    "learning_rate": {0.2, 0.1, 0.05, 0.01},
    "batch_size": {50, 100, 200},
    "projection_dim": {100, 200, 300, 400},
    "l2": {1e-3, 1e-4, 1e-5},
    "negatives": set(range(2, 9)),
    "margin": {1, 2, 5, 10, 20},
}


# Section "Implementation Details" of CTRN.
CTRNS_SPACE = {
    "units": set(range(128, 1025, 128)),
    "hidden_layers": {1, 2, 3},
    "learning_rate": {1e-3, 1e-4, 1e-5},
    "batch_size": {64, 128, 256, 512},
}


# Section 4.1 of QA-LSTM and Table 3; the lists are ours.
QA_LSTMS_SPACE = {
    "margin": {0.05, 0.1, 0.2, 0.5},
    "negatives": {1, 10, 50},
    "learning_rate": {0.1, 0.5, 1.1},
    "batch_size": {20, 100},
    "filters": {200, 400},
    "kernel_size": {2, 3},
    "dropout": {0.0, 0.2, 0.5},
}


# What IAM's paper leaves open; the lists are ours.
IAMS_SPACE = {
    "hidden_units": {50, 100, 200},
    "l2": {0.0, 1e-5, 1e-4},
    "learning_rate": {1e-3, 1e-2, 0.1},
    "question_dropout": {0.0, 0.5},
    "input_initializer": {"uniform", "identity"},
}


# What MRNN's paper leaves open; the lists are ours.
MRNNS_SPACE = {
    "margin": {0.5, 0.8, 1.0},
    "blocks": {4, 6},
    "learning_rate": {1e-4, 3e-4, 1e-3},
    "momentum": {0.9, 0.99},
    "pooling": {"max", "avg", "none"},
    "negatives": {0, 4, 16},
    "dropout": {0.0, 0.3},
}


def quality(settings, trial):
    """Best at projection_dim 400 and margin 1."""
    return {"MAP": settings["projection_dim"] / 1000 - settings["margin"] / 100}


@pytest.mark.parametrize(
    ("experiment", "expected"),
    [
        (HYPERQA, PAPERS_SPACE),
        (CTRN, CTRNS_SPACE),
        (QA_LSTM, QA_LSTMS_SPACE),
        (IAM, IAMS_SPACE),
        (MRNN, MRNNS_SPACE),
    ],
    ids=["hyperqa", "ctrn", "qa_lstm", "iam", "mrnn"],
)
def test_draws_the_papers_values_and_all_of_them(experiment, expected):
    drawn = {name: set() for name in expected}
    for settings in search.draw(search.paper_space(experiment), 60):
        for name, value in settings.items():
            drawn[name].add(value)
    assert drawn == expected


@pytest.mark.parametrize("paper", search.papers())
def test_spaces_are_of_settings_of_the_script(paper):
    module = importlib.import_module(f"reproductions.{paper}.experiment")
    settings = module.EXPERIMENT.settings()
    for name, values in module.EXPERIMENT.search_space().items():
        assert {type(getattr(settings, name))} == set(map(type, values))


def test_the_monitored_measure_chooses_the_best_trial():
    insurance = ["--dataset=insuranceqa-v1", "--row=3N"]
    assert search.monitored(QA_LSTM, insurance) == "P@1"
    assert search.monitored(QA_LSTM, ["--set=monitor=MRR"]) == "MRR"
    assert search.monitored(HYPERQA, []) == "MAP"


def test_best_trial_comes_first():
    listed = search.draw(search.paper_space(HYPERQA), 12)
    ranked = search.search(listed, quality)
    scores = [score for score, _ in ranked]
    assert len(scores) == 12
    assert scores == sorted(scores, reverse=True)
    for score, settings in ranked:
        assert score == pytest.approx(quality(settings, "")["MAP"])


def test_draws_depend_on_the_seed_alone_and_differ():
    space = search.paper_space(HYPERQA)
    drawn = search.draw(space, 4, 1)
    assert drawn == search.draw(space, 9, 1)[:4]
    assert drawn != search.draw(space, 4, 2)
    few = search.draw(lambda rng: {"units": rng.choice([2, 4])}, 9)
    assert sorted(settings["units"] for settings in few) == [2, 4]


def test_bad_input_stops_the_search():
    def train(settings, trial):
        raise DatasetError("train.tsv:3: expected 3 columns")

    with pytest.raises(DatasetError, match=r"train\.tsv:3: expected 3"):
        search.search([{}] * 5, train)


def test_settings_that_diverge_are_shown_and_passed_over(capsys):
    def train(settings, trial):
        if trial in failing:
            raise ValueError("`scores` must be finite. Received: nan")
        return {"MAP": 0.5}

    failing = ["1", "2", "4", "5"]
    assert len(search.search([{}] * 7, train)) == 3
    assert capsys.readouterr().err.count("failed: `scores` must be") == 4
    failing.append("3")
    with pytest.raises(SettingsError, match=r"3 failures in a row.*nan"):
        search.search([{}] * 7, train)


def test_other_errors_are_not_hidden():
    def train(settings, trial):
        raise TypeError("a mistake in the code")

    with pytest.raises(TypeError, match="a mistake in the code"):
        search.search([{}] * 4, train)


def test_options_that_would_leak_are_refused(tmp_path, capsys):
    with pytest.raises(SystemExit):
        search.main(["hyperqa", f"--output-dir={tmp_path}", "--split=test"])
    assert "--split=test cannot be given" in capsys.readouterr().err


def test_a_record_needs_a_commit(tmp_path, capsys, monkeypatch):
    for commit in ("1234567-dirty", ""):
        monkeypatch.setattr(search, "versions", lambda c=commit: {"commit": c})
        with pytest.raises(SystemExit):
            search.main(["hyperqa", f"--output-dir={tmp_path}", "--record"])
        assert f"Received: commit {commit}" in capsys.readouterr().err


def test_missing_data_is_reported(tmp_path, capsys):
    arguments = ["hyperqa", f"--output-dir={tmp_path}", "--dataset=wikiqa"]
    status = search.main([*arguments, f"--data-dir={tmp_path / 'nowhere'}"])
    assert status == 2
    assert "nowhere" in capsys.readouterr().err


def test_an_output_folder_that_is_a_file_is_reported(tmp_path, capsys):
    (tmp_path / "file").touch()
    arguments = ["hyperqa", f"--output-dir={tmp_path / 'file'}"]
    assert search.main(arguments) == 2
    assert str(tmp_path / "file") in capsys.readouterr().err


@pytest.mark.parametrize("folds", [0, 2])
def test_trials_are_measured_on_the_folds(tmp_path, folds):
    arguments = ["hyperqa", f"--output-dir={tmp_path}", "--trials=1"]
    arguments += ["--smoke", "--set=skipgram_dim=16", f"--set=folds={folds}"]
    assert search.main(arguments) == 0
    (folder,) = (tmp_path / "trials").iterdir()
    trained = sorted(folder.glob("fold-*"))
    assert len(trained) == max(1, folds)
    record = json.loads((folder / trials.TRIAL).read_text())
    maps = [fold["MAP"] for fold in record["folds"]]
    for path, MAP in zip(trained, maps, strict=True):
        assert {file.name for file in path.iterdir()} == {
            "settings.json",
            "metrics.json",
            "history.csv",
        }
        curves = json.loads((path / "metrics.json").read_text())["curves"]
        assert curves["MAP"] == [MAP]
    assert record["metrics"]["MAP"] == pytest.approx(sum(maps) / len(maps))
    (best,) = json.loads((tmp_path / "results.json").read_text())
    assert best.pop("MAP") == record["metrics"]["MAP"]
    assert best == record["settings"] and set(best) == set(PAPERS_SPACE)
    # A second start finds the search complete and trains nothing.
    before = (trained[0] / "metrics.json").stat().st_mtime_ns
    assert search.main(arguments) == 0
    assert (trained[0] / "metrics.json").stat().st_mtime_ns == before


def test_all_trials_are_recorded_once(tmp_path, monkeypatch):
    """The third has a value that no fold can be trained with."""
    found = Validation("MAP", [{"MAP": [0.1, 0.3]}, {"MAP": [0.5, 0.5]}], 2.5)
    calls = []

    def validate(experiment, arguments, settings, folder):
        calls.append(arguments)
        if len(calls) == 3:
            raise SettingsError("the setting `x` must be y. Received: z")
        return found

    monkeypatch.setattr(trials, "validate", validate)
    for module in (search, trials):
        monkeypatch.setattr(module, "versions", lambda: {"commit": "1234567"})
    path = tmp_path / "searches" / "hyperqa-sample.jsonl"
    monkeypatch.setattr(search, "record_file", lambda *_: path)
    arguments = ["hyperqa", f"--output-dir={tmp_path / 'out'}", "--trials=4"]
    arguments += ["--record", "--search-seed=5", "--space=best"]
    arguments += ["--optional-embeddings", "random"]
    for _ in range(2):
        assert search.main(arguments) == 0
        records = read_runs(path)
        assert [record["trial"] for record in records] == ["0", "1", "2", "3"]
    assert len(calls) == 4
    assert records[2]["failed"].endswith("Received: z")
    assert records[2]["metrics"] == {}
    assert records[0]["metrics"] == {"MAP": pytest.approx(0.4)}
    assert records[0]["folds"] == [{"MAP": 0.3}, {"MAP": 0.5}]
    assert (records[0]["epochs"], records[0]["seconds"]) == (2, 2.5)
    assert (records[0]["search_seed"], records[0]["space"]) == (5, "best")
    vectors = {tuple(record["vectors"]) for record in records}
    assert vectors == {("skipgram",), ("skipgram", "random")}
    for record, call in zip(records, calls, strict=True):
        assert record["vectors"] == call.embeddings


@pytest.mark.parametrize(
    ("options", "vectors"),
    [
        (("iam", "--model=iam-bert", "--bert={}/minilm"), "bert:minilm"),
        (("iam", "--model=cross-encoder", "--embeddings=v.txt"), "bert:minilm"),
    ],
)
def test_a_trial_has_the_vectors_that_its_model_reads(
    tmp_path, monkeypatch, options, vectors
):
    """IAM's model of a BERT leaves `--embeddings` aside."""
    found = Validation("MAP", [{"MAP": [0.5]}], 1.0)
    monkeypatch.setattr(trials, "validate", lambda *_: found)
    monkeypatch.setattr(trials, "vector_identity", lambda names: (names, []))
    options = [option.format(tmp_path) for option in options]
    given = [*options, "--trials=1", "--space=best"]
    assert search.main([*given, f"--output-dir={tmp_path}"]) == 0
    trial = json.loads((tmp_path / "trials" / "0" / "trial.json").read_text())
    assert trial["vectors"] == [vectors]


def test_listed_settings_are_tried_in_order(tmp_path, monkeypatch, capsys):
    calls = []

    def validate(experiment, arguments, settings, folder):
        calls.append((settings.margin, arguments.embeddings))
        return Validation("MAP", [{"MAP": [settings.margin / 10]}], 1.0)

    monkeypatch.setattr(trials, "validate", validate)
    path = tmp_path / "candidates.jsonl"
    arguments = ["hyperqa", f"--output-dir={tmp_path / 'out'}"]
    arguments.append(f"--candidates={path}")
    path.write_text("\n")
    assert search.main(arguments) == 2
    assert f"{path}: expected a line" in capsys.readouterr().err
    listed = [{"margin": 1.0}, {"margin": 3, "added_embeddings": ["random"]}]
    path.write_text("\n".join(map(json.dumps, [*listed, {"margin": 2}])))
    assert search.main(arguments) == 0
    assert calls == [
        (1.0, ["skipgram"]),
        (3.0, ["skipgram", "random"]),
        (2.0, ["skipgram"]),
    ]
    best, *_ = json.loads((tmp_path / "out/results.json").read_text())
    assert best == {"MAP": 0.3, **listed[1]}


def test_a_stopped_search_goes_on_where_it_stopped(tmp_path, monkeypatch):
    calls, stop = [], 4

    def validate(experiment, arguments, settings, folder):
        calls.append((settings.margin, folder.name))
        if len(calls) == stop:
            raise KeyboardInterrupt
        return Validation("MAP", [{"MAP": [settings.margin / 100]}], 1.0)

    monkeypatch.setattr(trials, "validate", validate)
    listed = [{"margin": float(margin)} for margin in range(1, 13)]
    path = tmp_path / "candidates.jsonl"
    path.write_text("\n".join(map(json.dumps, listed)))
    output = tmp_path / "out"
    given = ["hyperqa", f"--output-dir={output}", f"--candidates={path}"]
    with pytest.raises(KeyboardInterrupt):
        search.main(given)
    assert search.main([*given, "--trials=6"]) == 0
    assert search.main(given) == 0
    # The fourth is run again, and no other.
    assert [margin for margin, _ in calls] == [1, 2, 3, 4, *range(4, 13)]
    ranked = json.loads((output / "results.json").read_text())
    assert [best["margin"] for best in ranked] == list(range(12, 0, -1))


def test_a_worker_measures_what_the_search_then_ranks(tmp_path, monkeypatch):
    calls = []

    def validate(experiment, arguments, settings, folder):
        calls.append(settings.margin)
        if settings.margin == 2:
            raise SettingsError("the setting `x` must be y. Received: z")
        return Validation("MAP", [{"MAP": [settings.margin / 10]}], 1.0)

    monkeypatch.setattr(trials, "validate", validate)
    monkeypatch.setattr(search, "forget_models", lambda: None)
    path = tmp_path / "candidates.jsonl"
    listed = [{"margin": margin} for margin in (1, 2, 3)]
    path.write_text("\n".join(map(json.dumps, listed)))
    given = ["hyperqa", f"--output-dir={tmp_path}", f"--candidates={path}"]
    # A worker adds no trial, nor tries again what was given up.
    assert search.main([*given, "--worker"]) == 0
    assert calls == []
    jobs = {
        f"trial-{number}": {"trial": str(number), "changes": changes}
        for number, changes in enumerate(listed)
    }
    search.Queue(tmp_path / "queue", 0).add(jobs, lambda name: False)
    assert search.main([*given, "--worker"]) == 0
    assert calls == [1, 2, 3]
    assert not (tmp_path / "results.json").exists()
    assert search.main(given) == 0
    assert len(calls) == 3
    ranked = json.loads((tmp_path / "results.json").read_text())
    assert [best["margin"] for best in ranked] == [3, 1]


def test_bad_input_is_no_failed_trial(tmp_path, monkeypatch):
    """Once it is mended, the same command measures the trial."""
    found = [VectorsError("v.bin: no such file"), 0.5]

    def validate(*_):
        if isinstance(found[0], Exception):
            raise found.pop(0)
        return Validation("MAP", [{"MAP": [found[0]]}], 1.0)

    monkeypatch.setattr(trials, "validate", validate)
    given = ["hyperqa", f"--output-dir={tmp_path}", "--trials=1"]
    assert search.main(given) == 2
    assert not list(tmp_path.rglob("trial.json"))
    assert search.main(given) == 0
    assert len(json.loads((tmp_path / "results.json").read_text())) == 1


def test_a_folder_of_other_trials_is_refused(tmp_path, monkeypatch, capsys):
    found = Validation("MAP", [{"MAP": [0.5]}], 1.0)
    monkeypatch.setattr(trials, "validate", lambda *_: found)
    given = ["hyperqa", f"--output-dir={tmp_path}", "--trials=1"]
    assert search.main(given) == 0
    for other in ("--search-seed=1", "--seed=2", "--epochs=9"):
        assert search.main([*given, other]) == 2
        error = capsys.readouterr().err
        assert "trial.json: expected" in error
        assert "give another --output-dir. Received: " in error


def test_a_trial_of_other_content_is_refused(tmp_path, monkeypatch):
    """Vectors and recipes may change and keep their names."""
    found = Validation("MAP", [{"MAP": [0.5]}], 1.0)
    monkeypatch.setattr(trials, "validate", lambda *_: found)
    vectors = tmp_path / "v.txt"
    options = ["--model=idf-alignment", f"--embeddings={vectors}"]
    train = trials.trainer(HYPERQA, options, tmp_path / "out")
    vectors.write_text("1 1\nthe 1\n")
    assert train({}, "0") == train({}, "0") == {"MAP": 0.5}
    vectors.write_text("1 1\nthe 2\n")
    with pytest.raises(SearchError, match="expected inputs"):
        train({}, "0")
    vectors.write_text("1 1\nthe 1\n")
    # Other settings, and such that are refused.
    for changes in ({"max_answer_length": 1}, {"folds": 1}):
        paper = Recipe("changed", changes)
        monkeypatch.setitem(HYPERQA.recipes, "paper", paper)
        with pytest.raises(SearchError, match="expected inputs"):
            train({}, "0")


def test_the_papers_objective_does_not_go_with_a_floor():
    settings = SimpleNamespace(
        learning_rate=0.02, objective="listwise", joint_weight=5.0
    )
    drawn = search.draw(search.best_space(HYPERQA, settings), 30)
    objectives = {changes["objective"] for changes in drawn}
    assert objectives == {"pointwise", "pairwise", "listwise"}


def test_the_best_space_has_what_models_share():
    settings = SimpleNamespace(learning_rate=0.02, objective="paper")
    space = search.best_space(HYPERQA, settings, ["a.bin"])
    drawn = search.draw(space, 60)
    rates = {changes["learning_rate"] for changes in drawn}
    assert rates == {0.002, 0.006, 0.02, 0.06}
    assert {tuple(c[trials.ADDED]) for c in drawn} == {(), ("a.bin",)}
    assert not any("word_norm" in changes for changes in drawn)
    for changes in drawn:
        # What samples negatives is chosen where negatives are sampled.
        pairwise = changes["objective"] == "pairwise"
        assert ("sampler" in changes) == pairwise
        in_paper = changes["margin"] in PAPERS_SPACE["margin"]
        assert in_paper != pairwise
    assert len({changes["objective"] for changes in drawn}) == 4
