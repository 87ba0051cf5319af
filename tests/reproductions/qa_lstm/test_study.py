"""The study's rows are distinct runs that the command accepts; Figure 5."""

import json
from pathlib import Path

import numpy as np
import pytest

from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from reproductions import study
from reproductions.harness.errors import FigureError
from reproductions.qa_lstm import figure5 as qa_lstm_figure5
from reproductions.qa_lstm.figure5 import EDGES
from reproductions.qa_lstm.figure5 import answer_length
from reproductions.qa_lstm.figure5 import divide
from reproductions.qa_lstm.figure5 import pooled_edges
from reproductions.qa_lstm.figure5 import table
from support.study_runs import identities
from support.study_runs import note_runs

DATA = Path(__file__).parents[2] / "data"
COMMAND = ["--data-dir", str(DATA), "--embeddings", "vectors.bin"]


def write_run(arguments, settings):
    """A run's folder: the questions of the small InsuranceQA's test."""
    folder = arguments.output_dir
    metrics = {
        "paper": "qa_lstm",
        "recipe": arguments.recipe,
        "seed": arguments.seed,
        "metrics": {},
        "model": arguments.model,
        "row": arguments.row,
        "dataset": arguments.dataset,
        "split": arguments.split,
        "settings": settings,
    }
    (folder / "metrics.json").write_text(json.dumps(metrics))
    ranked, judged = [], []
    # The first is ranked right by every seed, the second by odd ones alone.
    for name, right in (("test1-1", True), ("test2-1", arguments.seed % 2)):
        for rank, label in enumerate((1, 0) if right else (0, 1), start=1):
            ranked.append(f"{name} Q0 {label} {rank} {-rank}.0 tag\n")
            judged.append(f"{name} 0 {label} {label}\n")
    (folder / "run.trec").write_text("".join(ranked))
    (folder / "qrels.trec").write_text("".join(judged))


@pytest.fixture
def calls(monkeypatch):
    """The runs that the study asked for."""
    return note_runs(monkeypatch, write_run)


@pytest.mark.parametrize("recipe", ["paper", "small"])
def test_every_row_is_a_run_of_its_own(calls, monkeypatch, tmp_path, recipe):
    drawn = []
    monkeypatch.setattr(
        qa_lstm_figure5, "main", lambda argv: drawn.append(argv) or 0
    )
    options = [f"--output-dir={tmp_path}", f"--recipe={recipe}", "--seeds"]
    assert study.main(["qa_lstm", *COMMAND, *options, "1", "2"]) == 0
    # 18 rows and 6; two baselines have no seeds.
    assert len(calls) == 2 * (18 + 6) - 2
    assert len({a.output_dir for a, _ in calls}) == len(calls)
    assert len(identities(calls)) == len(calls)
    for arguments, _ in calls:
        table_3 = arguments.row.startswith("3")
        dataset = "insuranceqa-v1" if table_3 else "trecqa-clean"
        assert (arguments.dataset, arguments.split) == (dataset, "dev")
        assert (arguments.recipe, arguments.resume) == (recipe, True)
    seeds = [a.seed for a, _ in calls]
    assert seeds == sorted(seeds)
    (argv,) = drawn
    assert argv.count("--run") == 6


def test_one_row_from_one_command(calls, tmp_path):
    options = ["--rows", "3N", "--set", "units=8", "--epochs", "2"]
    folder = f"--output-dir={tmp_path}"
    assert study.main(["qa_lstm", *COMMAND, folder, *options]) == 0
    ((arguments, settings),) = calls
    assert (arguments.row, arguments.model) == ("3N", "attentive-lstm")
    assert (settings["units"], settings["epochs"]) == (8, 2)
    assert [p.name for p in tmp_path.iterdir()] == [
        "3N-insuranceqa-v1-dev-paper-seed1-units=8"
    ]
    assert not list(tmp_path.rglob("model.keras"))


def test_figure_5_from_one_command(calls, tmp_path, capsys):
    options = ["--rows", "figure5", "--split=test", "--seeds", "1", "2"]
    folder = f"--output-dir={tmp_path}"
    assert study.main(["qa_lstm", *COMMAND, folder, *options]) == 0
    assert [a.row for a, _ in calls] == ["3C", "3E", "3L"] * 2
    name = "figure5-insuranceqa-v1-test"
    assert (tmp_path / f"{name}.png").read_bytes()[1:4] == b"PNG"
    text = (tmp_path / f"{name}.md").read_text()
    assert text in capsys.readouterr().out
    _, first, second = text.split("## ")
    assert first.startswith("insuranceqa-v1 test1, recipe ")
    assert second.startswith("insuranceqa-v1 test2, recipe ")
    assert ", 2 seeds\n" in first
    # One seed is right on Test2's question, and the other is not.
    for part, cell in (
        (first, "100.0 [100.0, 100.0]"),
        (second, "50.0 [0.0, 100.0]"),
    ):
        lines = part.strip().splitlines()
        assert lines[2] == (
            "| Length of the answers | Questions | C: QA-LSTM | "
            "E: Conv-pooling LSTM | L: Attentive LSTM |"
        )
        # Too few questions for two buckets.
        assert lines[4:] == [f"| all | 1 | {' | '.join([cell] * 3)} |"]


def test_unknown_rows_are_refused(capsys):
    with pytest.raises(SystemExit):
        study.main(["qa_lstm", *COMMAND, "--rows", "3Z"])
    assert "3Z" in capsys.readouterr().err


def test_lengths_are_averages_of_the_correct_answers():
    question = Question(
        "q",
        "why ?",
        (
            Candidate("a", "one two three", 1),
            Candidate("b", "one", 0),
            Candidate("c", "one two", 1),
        ),
    )
    assert answer_length(question, "whitespace") == 2.5


def test_buckets_by_hand():
    lengths = {"a": 50.0, "b": 50.5, "c": 55.0, "d": 56.0, "e": 900.0}
    runs = [
        {"a": 1, "b": 0, "c": 1, "d": 0, "e": 1},
        {"a": 0, "b": 0, "c": 1, "d": 0, "e": 1, "other": 1},
    ]
    buckets = divide(lengths, {"M": runs, "N": runs[:1]})
    # The paper's eleven, whose first three its text names.
    assert len(buckets.labels) == len(EDGES) + 1 == 11
    assert buckets.labels[:3] == ("≤50", "50-55", "55-60")
    assert buckets.questions.tolist() == [1, 2, 1, *[0] * 7, 1]
    np.testing.assert_array_equal(
        buckets.accuracy["M"], [0.5, 0.5, 0, *[np.nan] * 7, 1]
    )
    np.testing.assert_array_equal(buckets.accuracy["N"][:3], [1, 0.5, 0])
    # Both questions right, or none, in a quarter of the resamples each.
    line = "| 50-55 | 2 | 50.0 [0.0, 100.0] | 50.0 [0.0, 100.0] |"
    assert table(buckets).splitlines()[3] == line
    assert np.isnan(buckets.ends["M"][3]).all()
    assert buckets.seeds == {"M": 2, "N": 1}


def test_buckets_of_few_questions_are_pooled():
    lengths = [1, 2, 3, 11, 12, 21, 22, 23, 24, 31]
    assert pooled_edges(lengths, (10, 20, 30), 1) == (10, 20, 30)
    # 11 and 12 are too few alone, and so is 31.
    assert pooled_edges(lengths, (10, 20, 30), 3) == (10,)
    assert pooled_edges(lengths, (10, 20, 30), 2) == (10, 20)
    assert pooled_edges(lengths, (10, 20, 30), 11) == ()


@pytest.mark.parametrize(
    ("edges", "run", "message"),
    [
        ((2, 1), {"a": 1}, r"`edges` must be rising.*Received: edges=\(2, 1\)"),
        ((1, 1), {"a": 1}, "`edges` must be rising"),
        ((1,), {}, "M: expected the scores of 1 questions. Received: none of"),
    ],
)
def test_what_cannot_be_divided(edges, run, message):
    with pytest.raises(FigureError, match=message):
        divide({"a": 3.0}, {"M": [run]}, edges)


def test_runs_of_two_splits_are_refused(calls, tmp_path, capsys):
    for split in ("dev", "test"):
        options = ["--rows", "3C", f"--split={split}"]
        study.main(["qa_lstm", *COMMAND, f"--output-dir={tmp_path}", *options])
    folders = [f"--run={path}" for path in sorted(tmp_path.iterdir())]
    options = [*folders, f"--data-dir={DATA}", f"--output-dir={tmp_path}"]
    assert qa_lstm_figure5.main(options) == 2
    error = capsys.readouterr().err
    assert "expected a run on insuranceqa-v1 dev. Received: split='te" in error
    missing = [f"--run={tmp_path / 'none'}", f"--output-dir={tmp_path}"]
    assert qa_lstm_figure5.main(missing) == 2
    assert "metrics.json" in capsys.readouterr().err


def test_runs_of_one_curve_have_the_same_settings(calls, tmp_path, capsys):
    for recipe in ("paper", "small"):
        options = ["--rows", "3C", "--split=test", f"--recipe={recipe}"]
        study.main(["qa_lstm", *COMMAND, f"--output-dir={tmp_path}", *options])
    folders = [f"--run={path}" for path in sorted(tmp_path.iterdir())]
    options = [*folders, f"--data-dir={DATA}", f"--output-dir={tmp_path}"]
    assert qa_lstm_figure5.main(options) == 2
    error = capsys.readouterr().err
    assert "other runs of C: QA-LSTM, " in error
    assert not list(tmp_path.glob("figure5*"))
