"""`keras-qa export` writes a run's model in each form, or says why not."""

import json
import os

import keras
import pytest

from keras_qa.cli import main
from keras_qa.datasets.vocabulary import Vocabulary
from keras_qa.models import CosineQA

needs_tensorflow = pytest.mark.skipif(
    keras.backend.backend() != "tensorflow",
    reason="models are converted with the TensorFlow backend",
)


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "one"
    folder.mkdir()
    vocabulary = Vocabulary(["emma", "wrote"])
    vocabulary.save(folder / "vocabulary.txt")
    CosineQA(len(vocabulary), 4, 3).save(folder / "model.keras")
    settings = {"max_question_length": 5, "max_answer_length": None}
    metrics = {"settings": settings, "tokenizer": "word-num"}
    (folder / "metrics.json").write_text(json.dumps(metrics))
    return folder


def _export(run_folder, form, output, *arguments):
    words = ["export", str(run_folder), "--format", form, "--output"]
    return main([*words, str(output), *arguments])


@needs_tensorflow
def test_lite(run_folder, tmp_path, capsys):
    output = tmp_path / "ranker"
    lengths = ["--max-answer-length", "9", "--pairs", "2"]
    assert _export(run_folder, "tflite", output, *lengths) == 0
    assert capsys.readouterr().out == f"CosineQA in {output}\n"
    reading = json.loads((output / "reading.json").read_text("utf-8"))
    assert reading["tokenizer"] == "word-num"
    assert reading["max_length"] == {"question": 5, "answer": 9}
    assert reading["inputs"]["answer"]["shape"] == [2, 9]
    assert _export(run_folder, "tflite", output) == 2
    assert "must not exist, unless `--overwrite`" in capsys.readouterr().err


@needs_tensorflow
@pytest.mark.parametrize(
    ("form", "file"), [("keras", "x.keras"), ("saved_model", "x")]
)
def test_other_forms(run_folder, tmp_path, form, file):
    assert _export(run_folder, form, tmp_path / file) == 0
    assert os.listdir(tmp_path) == [file]


@needs_tensorflow
def test_errors(run_folder, tmp_path, capsys):
    assert _export(tmp_path, "onnx", tmp_path / "x") == 2
    assert "expected the folder of a finished run" in capsys.readouterr().err
    arguments = ["--pairs", "0"]
    assert _export(run_folder, "tflite", tmp_path / "x", *arguments) == 2
    assert "`pairs` must be at least 1" in capsys.readouterr().err
    assert _export(run_folder, "keras", tmp_path / "x") == 2
    assert "must end in .keras" in capsys.readouterr().err
    assert os.listdir(tmp_path) == []
