"""`keras-qa rank`, with runs of small models."""

import io
import json
import os
import sys
import threading

import keras
import pytest

from keras_qa.ranker import Ranker
from keras_qa.text.readable import UNREAD_SCORE
from support.search_runs import QUESTION
from support.search_runs import best
from support.search_runs import command

CANDIDATES = ["w1 w2", "w7  emma", "w1 w2", "w20"]


def test_rank_candidates_in_all_formats(runs, capsys):
    scores = Ranker.load(runs["qrnn"]).scores(QUESTION, CANDIDATES)
    order = best(scores, 4)
    rank = ("rank", runs["qrnn"], "--question", QUESTION)
    rank += ("--candidates", *CANDIDATES, "--format")
    printed = {}
    for form in ("table", "tsv", "jsonl", "trec"):
        assert command(*rank, form) == 0
        printed[form] = capsys.readouterr().out.splitlines()
    assert printed["table"][0] == QUESTION
    assert [x.split(maxsplit=2)[2] for x in printed["table"][2:]] == [
        " ".join(CANDIDATES[i].split()) for i in order
    ]
    rows = [line.split("\t") for line in printed["tsv"][1:]]
    assert [int(row[4]) - 1 for row in rows] == list(order)
    rows = [json.loads(line) for line in printed["jsonl"]]
    assert [row["answer"] for row in rows] == [CANDIDATES[i] for i in order]
    assert [row["score"] for row in rows] == pytest.approx(
        scores[order].tolist(), abs=1e-6
    )
    assert [line.split()[2:4] for line in printed["trec"]] == [
        [str(i + 1), str(rank)] for rank, i in enumerate(order, start=1)
    ]
    assert {line.split()[5] for line in printed["trec"]} == {"keras-qa"}
    assert command(*rank, "jsonl", "--top", 2) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2
    assert command(*rank, "trec", "--tag", "my run", "--top", 1) == 0
    assert capsys.readouterr().out.split()[5:] == ["my_run"]
    # What the shell gives for a byte that is no UTF-8.
    assert command(*rank[:3], "\udcff", *rank[4:], "table") == 0
    assert capsys.readouterr().out.startswith("\ufffd  [unknown: \ufffd]\n")


def test_rank_from_files_and_standard_input(
    runs, capsys, tmp_path, monkeypatch
):
    run = runs["cosineqa"]
    pairs = [("w1", "w2"), ("w1", "w3"), ("w4", "w4")]
    expected = None

    def ranked(*options, stdin=b""):
        wrapped = io.TextIOWrapper(io.BytesIO(stdin))
        monkeypatch.setattr(sys, "stdin", wrapped)
        assert command("rank", run, "--format", "jsonl", *options) == 0
        rows = capsys.readouterr().out.splitlines()
        rows = [json.loads(row) for row in rows]
        return [(r["question"], r["answer"], r["score"]) for r in rows]

    table = tmp_path / "pairs.csv"
    table.write_text(
        "question,answer\n" + "".join(f"{q},{a}\n" for q, a in pairs)
    )
    expected = ranked("--file", table)
    assert sorted(row[:2] for row in expected) == pairs
    lines = "".join(f"{q}\t{a}\n" for q, a in pairs).encode()
    assert ranked(stdin=lines) == expected
    # A byte order mark is no part of the first question.
    assert ranked(stdin=b"\xef\xbb\xbf" + lines) == expected
    listed = tmp_path / "candidates.txt"
    listed.write_text("w2\nw3\n")
    of_one = ranked("--question", "w1", "--file", listed)
    assert of_one == [row for row in expected if row[0] == "w1"]
    assert ranked("--question", "w1", stdin=b"w2\r\n\nw3") == of_one
    wrapped = io.TextIOWrapper(io.BytesIO(lines + b"w1\tw5\n"))
    monkeypatch.setattr(sys, "stdin", wrapped)
    assert command("rank", run) == 2
    error = " ".join(capsys.readouterr().err.split())
    assert "<stdin>:4: expected the rows of a question to be neigh" in error
    assert error.endswith("or a --file with --group. Received: 'w1'")


@pytest.mark.parametrize(
    ("stdin", "options", "message"),
    [
        (b"", (), "candidates to rank. Received: none"),
        (b"w1\n", (), "<stdin>:1: expected question<TAB>answer"),
        (b"\xff", (), "<stdin>:1: expected UTF-8"),
        (b"", ("--candidates", "a"), "goes with --question"),
        (b"w1", ("--question", " "), "--question must be a text"),
        (b"", ("--tag", "x"), "goes with --format trec. Received: --format t"),
        (
            b"",
            ("--question", "a", "--candidates", "a", "--file", "b"),
            "Received: both",
        ),
        (b"a\tb", (), "expected a run's folder"),
    ],
)
def test_what_cannot_be_ranked(
    tmp_path, capsys, monkeypatch, stdin, options, message
):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
    assert command("rank", tmp_path, *options) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and message in captured.err


def test_a_late_bad_row_is_found_before_the_model_is_loaded(tmp_path, capsys):
    table = tmp_path / "late.csv"
    table.write_text("question,answer\nw1,w2\nw4,w4\nw4\n")
    assert command("rank", tmp_path / "no-run", "--file", table) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and "late.csv:4: expected 2" in captured.err


def test_a_pipe_is_read_once(runs, capsys, tmp_path):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    writer = threading.Thread(
        target=pipe.write_text, args=["question,answer\nw1,w2\nw4,w4\n"]
    )
    writer.start()
    given = ("--file", pipe, "--format", "trec")
    assert command("rank", runs["cosineqa"], *given) == 0
    writer.join()
    assert len(capsys.readouterr().out.splitlines()) == 2


@pytest.mark.slow
@pytest.mark.skipif(
    keras.backend.backend() != "tensorflow", reason="writes a SavedModel"
)
def test_rank_with_a_saved_model(runs, capsys, tmp_path):
    Ranker.load(runs["cosineqa"]).export(tmp_path / "saved", "saved_model")
    question = ("--question", QUESTION, "--format", "jsonl", "--candidates")
    printed = []
    for folder in (runs["cosineqa"], tmp_path / "saved"):
        assert command("rank", folder, *question, *CANDIDATES) == 0
        rows = capsys.readouterr().out.splitlines()
        printed.append([json.loads(row) for row in rows])
    for ours, saved in zip(*printed, strict=True):
        assert saved.pop("score") == pytest.approx(ours.pop("score"), abs=1e-5)
        assert saved == ours
    assert command("rank", tmp_path / "saved", *question, "new w1", "") == 0
    assert "keras-qa: 1 of 5 words are not in" in capsys.readouterr().err
    saved = ("rank", tmp_path / "saved", "--tokenizer", "word")
    assert command(*saved, *question, "a") == 2
    assert "a SavedModel holds its own" in capsys.readouterr().err
    (tmp_path / "saved/saved_model.pb").write_bytes(b"x")
    assert command("rank", tmp_path / "saved", *question, "a") == 2
    assert "expected a SavedModel" in capsys.readouterr().err


def test_another_reading_than_that_of_the_run(runs, capsys):
    """White space alone finds no word of the run in "w1?"."""
    rank = ("rank", runs["cosineqa"], "--question", QUESTION)
    rank += ("--format", "jsonl", "--candidates", "w1?", "the")
    for option, unread in (
        ((), {"the"}),
        (("--tokenizer", "whitespace"), {"w1?", "the"}),
        (("--readable", "any"), set()),
    ):
        assert command(*rank, *option) == 0
        rows = map(json.loads, capsys.readouterr().out.splitlines())
        found = {r["answer"] for r in rows if r["score"] == UNREAD_SCORE}
        assert found == unread
