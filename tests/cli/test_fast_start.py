"""`rank`, `ask` and `evaluate` start without Keras if there is an ONNX form."""

import json
import shutil
from functools import partial

import keras
import numpy as np
import pytest

from keras_qa.errors import RankerError
from keras_qa.export import verification
from keras_qa.export.onnx_beside import add_onnx
from keras_qa.export.onnx_model import find_beside
from keras_qa.ranker import Ranker
from keras_qa.search.build import add_question_encoder
from keras_qa.search.index import AnswerIndex
from support.new_process import run_code
from support.own_data import write_table
from support.search_runs import QUESTION
from support.search_runs import command

pytestmark = pytest.mark.skipif(
    keras.backend.backend() != "tensorflow", reason="TensorFlow writes ONNX"
)
CANDIDATES = ["w1 w2", "w7  emma", "w1 w2", "w20"]
# Runs commands one after the other and prints, for each, its exit code and
# which of the heavy packages are imported by then.
SCRIPT = """
import json, sys
from keras_qa.cli.main import main
heavy = {"keras", "tensorflow", "jax", "torch", "scipy", "bm25s", "gensim"}
found = []
for command in json.loads(sys.argv[1]):
    code = main(command)
    found.append((code, sorted(heavy & set(sys.modules))))
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def run_with_onnx(runs, tmp_path_factory):
    pytest.importorskip("tf2onnx")
    pytest.importorskip("onnxruntime")
    folder = tmp_path_factory.mktemp("fast") / "run"
    shutil.copytree(runs["hyperqa"], folder)
    assert add_onnx(folder) == folder / "onnx"
    return folder


@pytest.fixture(scope="module")
def index_with_onnx(hyperqa_index, tmp_path_factory):
    pytest.importorskip("tf2onnx")
    pytest.importorskip("onnxruntime")
    folder = tmp_path_factory.mktemp("fast") / "index"
    shutil.copytree(hyperqa_index, folder)
    assert add_question_encoder(folder) == ""
    return folder


def imported(*commands):
    """Exit code and heavy packages after each command, in one new process."""
    given = [[str(word) for word in command] for command in commands]
    shown = run_code(SCRIPT, json.dumps(given))
    return [tuple(one) for one in json.loads(shown.splitlines()[-1])]


@pytest.mark.once
def test_neither_keras_nor_tensorflow_is_imported(
    run_with_onnx, index_with_onnx, tmp_path
):
    question = ("--question", QUESTION)
    rank = ("rank", run_with_onnx, *question, "--candidates", *CANDIDATES)
    ask = ("ask", index_with_onnx, *question)
    index = ("index", run_with_onnx, "--output", tmp_path / "x", "--answers")
    table = write_table(tmp_path / "a.csv", range(4))
    *found, (code, packages) = imported(
        # Wrong arguments and folders, by any form.
        ("rank", tmp_path, *rank[2:]),
        (*ask, "--rerank", tmp_path),
        (*ask, "--depth", 5),
        ("ask", tmp_path, *question),
        (*index, tmp_path / "none.txt"),
        rank,
        ("rank", run_with_onnx / "onnx", *rank[2:]),
        (*ask, "--rerank", run_with_onnx),
        ("evaluate", run_with_onnx, table),
    )
    assert found == [(2, [])] * 5 + [(0, [])] * 3
    # It measures by trec_eval, BM25 and the bootstrap, but without a backend.
    assert (code, {"keras", "tensorflow"} & {*packages}) == (0, set())


def test_the_onnx_form_beside_a_model_gives_its_scores(runs, run_with_onnx):
    ranker, slow = Ranker.load(run_with_onnx), Ranker.load(runs["hyperqa"])
    assert (ranker.engine, slow.engine) == ("onnxruntime", "keras")
    np.testing.assert_allclose(
        ranker.scores(QUESTION, CANDIDATES),
        slow.scores(QUESTION, CANDIDATES),
        atol=1e-5,
    )
    # What needs the Keras model loads it.
    np.testing.assert_array_equal(
        ranker.encode(CANDIDATES), slow.encode(CANDIDATES)
    )
    assert ranker.weights_digest() == slow.weights_digest()


def test_an_index_with_the_encoder_finds_the_same(
    hyperqa_index, index_with_onnx
):
    fast, slow = map(AnswerIndex, (index_with_onnx, hyperqa_index))
    vectors = [index.encode(QUESTION) for index in (fast, slow)]
    np.testing.assert_allclose(*vectors, atol=1e-6)
    assert fast.ranker.report.texts == 1
    many = fast.ranker.encode(["w1", "w2 w3"] * 200, "question")
    assert many.shape == (400, 5)
    assert fast.ranker.encode([], "question").shape == (0, 5)
    assert fast.ranker.encode(["w1"], "answer").shape == (1, 5)
    found = [
        index.search(vector, 5)
        for index, vector in zip((fast, slow), vectors, strict=True)
    ]
    np.testing.assert_array_equal(found[0][0], found[1][0])
    # Neither Keras nor the index's first encoder is written again.
    assert add_question_encoder(index_with_onnx) == ""


def test_an_onnx_form_of_another_model_is_not_used(run_with_onnx, tmp_path):
    folder = shutil.copytree(run_with_onnx, tmp_path / "run")
    with (folder / "model.keras").open("ab") as file:
        file.write(b"x")
    assert find_beside(folder / "model.keras") == {}
    shutil.copy(run_with_onnx / "model.keras", folder)
    found = {"model.onnx": folder / "onnx/model.onnx"}
    assert find_beside(folder / "model.keras") == found
    (folder / "onnx/reading.json").write_text("[]")
    assert Ranker.load(folder).engine == "keras"


def test_export_puts_onnx_into_the_folder_by_default(
    runs, run_with_onnx, tmp_path, capsys
):
    folder = shutil.copytree(runs["cosineqa"], tmp_path / "run")
    export = ("export", folder, "--format", "onnx")
    assert command(*export) == 0
    assert f"ONNX in {folder / 'onnx'}" in capsys.readouterr().out
    ranker = Ranker.load(folder)
    assert ranker.engine == "onnxruntime"
    assert repr(ranker).startswith("<Ranker by onnxruntime, ")
    assert command(*export) == 0
    assert "ONNX of this model is in" in capsys.readouterr().out
    shutil.copy(runs["qacnn"] / "model.keras", folder)
    assert command(*export) == 2
    assert "`--output` must not exist" in capsys.readouterr().err
    shutil.copy(runs["cosineqa"] / "model.keras", folder)
    assert command(*export, "--overwrite") == 0
    assert command("export", folder, "--format", "keras") == 2
    assert "--output must be given" in capsys.readouterr().err
    assert command("export", run_with_onnx / "onnx", "--format", "onnx") == 2
    assert "expected a folder with model.keras" in capsys.readouterr().err


def test_export_compares_the_onnx_form_with_the_model(
    runs, tmp_path, monkeypatch, capsys
):
    folder = shutil.copytree(runs["cosineqa"], tmp_path / "run")
    verify = partial(verification.verify_onnx, tolerance=-1.0)
    monkeypatch.setattr(verification, "verify_onnx", verify)
    assert command("export", folder, "--format", "onnx") == 2
    assert (
        "expected the scores of the model in memory" in capsys.readouterr().err
    )
    assert not (folder / "onnx").exists()
    assert Ranker.load(folder).engine == "keras"


def test_a_failed_export_leaves_the_folder_as_it_was(
    run_with_onnx, tmp_path, monkeypatch, capsys
):
    """The older form too, and whatever went wrong."""
    folder = shutil.copytree(run_with_onnx, tmp_path / "run")
    before = (folder / "onnx/model.onnx").read_bytes()

    def fail(*arguments, **options):
        raise RankerError("onnxruntime cannot")

    monkeypatch.setattr(verification, "verify_onnx", fail)
    export = ("export", folder, "--format", "onnx", "--overwrite")
    assert command(*export) == 2
    assert "onnx: not written: onnxruntime cannot" in capsys.readouterr().err
    assert (folder / "onnx/model.onnx").read_bytes() == before
    assert [path.name for path in folder.glob(".writing-*")] == []
