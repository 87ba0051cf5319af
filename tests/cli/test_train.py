"""`keras-qa train` and `keras-qa evaluate`, as they are typed."""

import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from keras_qa.cli import main as cli
from keras_qa.datasets.tabular import read_tabular
from keras_qa.own_data import settings
from keras_qa.own_data.identity import QUESTIONS
from keras_qa.own_data.identity import digests
from support.own_data import TINY
from support.own_data import write_table

pytestmark = [
    pytest.mark.once,
    pytest.mark.filterwarnings("ignore::keras_qa.errors.TextWarning"),
]
RUN = Path(__file__).parents[1] / "data/before_move/run_hyperqa"


def command(*words):
    return cli.main([*map(str, words)])


def test_train_prints_the_table(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(settings.RECIPES, "quick", TINY)
    monkeypatch.setattr(
        "keras_qa.own_data.training._export", lambda *arguments: []
    )
    table = write_table(tmp_path / "pairs.csv", range(30), labels=False)
    words = ["train", table, "--output", tmp_path / "run"]
    words += ["--vectors", "skipgram", "--recipe", "quick", "--model", "floors"]
    words += ["--max-answer-length", 300]
    assert command(*words) == 0
    printed, note = capsys.readouterr()
    assert "| floors |" in printed and "BM25 found candidates" in printed
    assert "less it |" in printed
    # There is no model that could be exported.
    assert "start with Keras, which takes seconds: " in note
    assert (
        json.loads((tmp_path / "run/settings.json").read_text())["settings"][
            "max_answer_length"
        ]
        == 300
    )
    words.append("--no-onnx")
    # Given again, it is read.
    assert command(*words) == 0
    assert capsys.readouterr() == (printed, "")
    assert command(*words, "--seed", 3) == 2
    assert "other values of seed" in capsys.readouterr().err


def test_train_refuses(tmp_path, capsys):
    table = write_table(tmp_path / "a.csv", range(9))
    for words, message in (
        (["no.csv"], "no.csv, which does not exist"),
        ([table, "--dev", "no.csv"], "no.csv, which does not exist"),
        ([table, "--vectors", "no.txt"], "`vectors` (--vectors) must be"),
        ([table, "--label-column", "good"], "a column 'good'"),
    ):
        assert command("train", *words, "--output", tmp_path / "run") == 2
        assert message in capsys.readouterr().err
    assert command("train", table, "--output", tmp_path) == 2
    assert "holds something else" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_evaluate_writes_trec_files(tmp_path, capsys):
    table = write_table(tmp_path / "a.csv", range(12))
    output = tmp_path / "out"
    words = ["evaluate", RUN, table, "--against", RUN]
    assert command(*words, "--output", output) == 0
    printed = capsys.readouterr().out
    assert "| BM25" in printed and "permutation test" in printed
    assert len((output / "run.trec").read_text().splitlines()) == 24
    qrels = (output / "qrels.trec").read_text().split()
    assert qrels[3::4].count("1") == 12
    found = json.loads((output / "metrics.json").read_text())
    assert found["questions"] == 12
    assert command(*words, "--output", output) == 2
    assert "--output must not exist" in capsys.readouterr().err
    assert command(*words, "--output", output, "--overwrite") == 0
    (output / "mine.txt").touch()
    assert command(*words, "--output", output, "--overwrite") == 2
    assert "has only metrics.json, qrels.trec, run.trec" in (
        capsys.readouterr().err
    )


def test_evaluate_compares_on_one_question(tmp_path, capsys):
    table = write_table(tmp_path / "a.csv", range(1))
    output = tmp_path / "out"
    words = ["evaluate", RUN, table, "--against", RUN, "--output", output]
    assert command(*words) == 0
    assert "model less other: MAP +0.0000 [-1.0000, +1.0000], p 1.0000" in (
        capsys.readouterr().out
    )
    text = (output / "metrics.json").read_text()
    assert "Infinity" not in text and json.loads(text)["questions"] == 1


def test_evaluate_says_which_ranker_has_seen_the_questions(tmp_path, capsys):
    table = write_table(tmp_path / "a.csv", range(3))
    form = tmp_path / "run" / "network"
    shutil.copytree(RUN, form)
    np.save(form.parent / QUESTIONS, digests(read_tabular(table)))
    assert command("evaluate", RUN, table, "--against", form) == 0
    printed = capsys.readouterr().out
    assert (
        f"the other was trained on 3 of the 3 questions of {table}" in printed
    )
    assert "the model was trained on" not in printed


def test_evaluate_says_what_cannot_be_read(tmp_path, capsys):
    words = (RUN / "vocabulary.txt").read_text("utf-8").split()
    known = next(word for word in words if len(word) > 4)
    path = tmp_path / "a.csv"
    rows = ["question,answer,label", f"{known} zyx?,zyx the,1"]
    rows += [f"{known} zyx?,{known},0", f"{known} zyx?,,0"]
    path.write_text("\n".join(rows))
    assert command("evaluate", RUN, path, "--output", tmp_path / "out") == 0
    first, second, blank, header, *_ = capsys.readouterr().out.splitlines()
    assert first == (
        "2 of 3 candidates, 1 of 1 right ones, have no word that model knows "
        "(stop words do not count): it ranks them last (--readable any scores "
        "them)."
    )
    assert " of the words of the answers and " in second
    assert not blank and header.startswith("| Ranker")
    found = json.loads((tmp_path / "out/metrics.json").read_text())
    assert found["texts"]["model"]["right_unread"] == 1
    # Last, whatever the model makes of it.
    assert found["rows"][0]["metrics"]["MRR"] <= 0.5


def test_evaluate_refuses_before_it_loads(tmp_path, capsys):
    table = write_table(tmp_path / "a.csv", range(3))
    alone = write_table(tmp_path / "b.csv", range(3), labels=False)
    shutil.copytree(RUN, tmp_path / "run")
    for words, message in (
        ([tmp_path / "no", table], "no, which does not exist"),
        ([RUN, tmp_path / "no.csv"], "no.csv, which does not exist"),
        ([RUN, alone], "a column 'label'"),
        ([RUN, table, "--top", 3], "goes with --rerank"),
        ([RUN, table, "--against", tmp_path / "no"], "does not exist"),
        ([RUN, table, "--output", table / "out"], "a.csv is a file"),
    ):
        assert command("evaluate", *words) == 2
        assert message in capsys.readouterr().err


def test_options_of_train_are_handed_on(tmp_path, monkeypatch):
    given = {}

    def train(data, output, *, table, **options):
        given.update(data=data, output=output, **options)
        given["encoding"] = table["encoding"]
        return SimpleNamespace(table="", folder=output, note="")

    monkeypatch.setattr("keras_qa.own_data.training.train", train)
    table, output = tmp_path / "a.csv", tmp_path / "run"
    words = ["train", table, "--output", output, "--dev", tmp_path / "b.csv"]
    words += ["--model", "cross-encoder", "--vectors", "skipgram", "v.txt"]
    words += ["--bert", "my-bert", "--recipe", "quick", "--seed", 3, "--onnx"]
    words += ["--max-answer-length", 7, "--encoding", "latin-1"]
    assert command(*words) == 0
    assert given == {
        "data": table,
        "output": output,
        "dev": tmp_path / "b.csv",
        "model": "cross-encoder",
        "vectors": ["skipgram", "v.txt"],
        "bert": "my-bert",
        "recipe": "quick",
        "seed": 3,
        "onnx": True,
        "max_answer_length": 7,
        "encoding": "latin-1",
    }


def test_options_of_evaluate_are_handed_on(tmp_path, capsys):
    path = write_table(tmp_path / "a.csv", range(6))
    path.write_text(path.read_text().replace("question,", "Frage,", 1))
    run, output = shutil.copytree(RUN, tmp_path / "run"), tmp_path / "out"
    metrics = json.loads((run / "metrics.json").read_text())
    metrics["fitted"] = {"bm25": {"k1": 0.5, "b": 0.1}}
    (run / "metrics.json").write_text(json.dumps(metrics))
    words = ["evaluate", run, path, "--question-column", "Frage"]
    words += ["--rerank", "file", "--top", 1, "--output", output]
    assert command(*words) == 0
    assert "| BM25, tuned" in capsys.readouterr().out
    # The first of the file, which is right, is the one that is ordered.
    rows = json.loads((output / "metrics.json").read_text())["rows"]
    assert rows[0]["metrics"]["MAP"] == 1


def test_readable_is_no_advice_for_the_other_ranker(tmp_path, capsys):
    path = write_table(tmp_path / "a.csv", range(3))
    path.write_text(path.read_text() + "what,zyx,0\nwhat,is,1\n")
    assert command("evaluate", RUN, path, "--against", RUN) == 0
    lines = capsys.readouterr().out.splitlines()
    lines = [line for line in lines if "it ranks them last" in line]
    model, other = lines
    assert "that model knows" in model and "(--readable any" in model
    assert "that other knows" in other and "--readable" not in other
