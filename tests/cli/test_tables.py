"""The options of tables, with the commands that read these."""

import json

import pytest

from keras_qa.cli import main as cli
from keras_qa.datasets.mined import COLUMNS
from keras_qa.datasets.tabular import read_tabular
from keras_qa.search.index import AnswerIndex
from support.search_runs import command

ROWS = [("Wo?", "größer", 1), ("Wer?", "ich", 0), ("Wo?", "hier", 2)]
OPTIONS = (
    *("--question-column", "FRAGE", "--answer-column", "antwort"),
    *("--group", "--encoding", "utf-16", "--no-quotes", "--delimiter"),
)


@pytest.fixture
def table(tmp_path):
    lines = ["Frage|Antwort|Label", *("|".join(map(str, r)) for r in ROWS)]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(lines), "utf-16")
    return path


def test_audit(table, capsys):
    arguments = ["data", "audit", "--train", str(table), *OPTIONS, "|"]
    assert cli.main([*arguments, "--json"]) == 0
    train = json.loads(capsys.readouterr().out)["splits"]["train"]
    assert (train["questions"], train["positives"]) == (2, 2)
    assert train["grades"] == {"0": 1, "1": 1, "2": 1}
    assert cli.main(arguments) == 0
    assert "candidates by grade  0  1  2\ntrain" in capsys.readouterr().out
    assert cli.main([*arguments, "--no-labels"]) == 0
    printed = capsys.readouterr().out
    assert "Attention: train has no wrong answers, so that any" in printed


def test_audit_says_what_cannot_be_trained_on(tmp_path, capsys):
    path = tmp_path / "a.csv"
    arguments = ["data", "audit", "--train", str(path)]
    path.write_text("question;answer;label\n?;;0\n?;!;0\n")
    assert cli.main(arguments) == 0
    printed = capsys.readouterr().out
    assert [x for x in printed.splitlines() if x.startswith("Att")] == [
        "Attention: train has one question only.",
        "Attention: train has no right answers.",
        "Attention: train has 1 empty answer.",
    ]
    path.write_text("question;answer;label\n,\n")
    assert cli.main(arguments) == 2
    assert "expected 3 fields" in capsys.readouterr().err
    path.write_text("question;answer;label\n")
    assert cli.main(arguments) == 2
    assert "expected at least one row" in capsys.readouterr().err


def test_audit_says_what_makes_figures_meaningless(tmp_path, capsys):
    train, dev = tmp_path / "train.csv", tmp_path / "dev.csv"
    head = "question,answer,label\n"
    train.write_text(f"{head}a?,x,1\na?,y,0\na?,y,0\nb?,x,0\nc?,z,0\n")
    dev.write_text(f"{head}A?,x,1\nA?,w,0\nd?,y,0\nd?,x,1\n")
    command = ["data", "audit", "--train", str(train), "--dev", str(dev)]
    assert cli.main(command) == 0
    printed = capsys.readouterr().out
    assert [x for x in printed.splitlines() if x.startswith("Att")] == [
        "Attention: train has 2 questions without a right answer.",
        "Attention: train has 1 answer twice for one question.",
        "Attention: train and dev share 1 question, so that figures are too "
        "high.",
    ]


def test_audit_finds_markup(tmp_path, capsys):
    path = tmp_path / "a.csv"
    rows = (
        "a?,<b>x</b>,1\na?,3 < 4 > 2,0\nb &amp; c?,&#252;,1\nb &amp; c?,z,0\n"
    )
    path.write_text(f"question,answer,label\n{rows}")
    assert cli.main(["data", "audit", "--train", str(path)]) == 0
    assert "train has 3 texts with tags or entities" in capsys.readouterr().out


def test_mine(table, tmp_path):
    output = tmp_path / "mined.tsv"
    arguments = ["mine", str(table), *OPTIONS, "|", "--output", str(output)]
    assert cli.main(arguments) == 0
    questions = list(read_tabular(output, COLUMNS))
    grades = [{c.text: c.label for c in q.positives} for q in questions]
    assert grades == [{"größer": 1, "hier": 2}]


def test_index(runs, table, tmp_path, capsys):
    pytest.importorskip("faiss")
    rows = "\n".join(["id", *(f"x{n}" for n in range(3))]).splitlines()
    lines = table.read_text("utf-16").splitlines()
    table.write_text(
        "\n".join(map("|".join, zip(rows, lines, strict=True))), "utf-16"
    )
    index = ("index", runs["cosineqa"], "--answers", table, "--output")
    given = ("--answer-column", "antwort", "--answer-id-column", "ID")
    written = ("--encoding", "utf-16", "--no-quotes", "--delimiter", "|")
    assert command(*index, tmp_path / "index", *given, *written) == 0
    found = AnswerIndex(tmp_path / "index").answers(range(3))
    assert [(a.id, a.text) for a in found] == [
        (f"x{n}", answer) for n, (_, answer, _) in enumerate(ROWS)
    ]
    assert command(*index, tmp_path / "other", *given) == 2
    assert "--encoding), here utf-16" in capsys.readouterr().err


def test_rank(runs, table, capsys):
    rank = ("rank", runs["cosineqa"], "--format", "jsonl")
    assert command(*rank, "--file", table, *OPTIONS, "|") == 0
    rows = [json.loads(row) for row in capsys.readouterr().out.splitlines()]
    assert sorted(row["answer"] for row in rows) == [*("größer", "hier", "ich")]
    question = ("--question", "Wo?", "--encoding", "utf-16", "--file")
    assert command(*rank, *question, table) == 2
    assert "--answer-column, or a file" in capsys.readouterr().err
    given = ("--answer-column", "antwort", "--delimiter", "|", "--no-quotes")
    assert command(*rank, *question, table, *given) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3
    latin = table.parent / "latin.csv"
    latin.write_text("answer\ngrößer\n", "latin-1")
    assert command(*rank, "--question", "Wo?", "--file", latin) == 2
    assert "another `encoding` (--encoding)" in capsys.readouterr().err
    assert command(*rank, *question, table.rename(table.parent / "a.txt")) == 0
    assert len(capsys.readouterr().out.splitlines()) == 4
    assert command(*rank, *question, table, "--group", "--no-quotes") == 2
    error = capsys.readouterr().err
    assert "--group goes with a file of pairs. Received: --question" in error
    assert command(*rank, "--group", "--delimiter", "tab") == 2
    error = capsys.readouterr().err
    assert "--group, --delimiter go with --file. Received: no --file" in error
