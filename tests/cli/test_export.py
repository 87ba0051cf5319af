"""`keras-qa export` writes a run's model in each form, or says why not."""

import json
import os
import shutil

import keras
import numpy as np
import pytest

from keras_qa.cli.main import main
from keras_qa.models import CNNRanker
from keras_qa.models import CosineQA
from keras_qa.ranker import Ranker
from keras_qa.text.overlap import OverlapFeatures
from keras_qa.text.vocabulary import Vocabulary
from support.run_folders import write_run

needs_tensorflow = pytest.mark.skipif(
    keras.backend.backend() != "tensorflow",
    reason="models are converted with the TensorFlow backend",
)
# Of the words "emma" and "wrote", which have the ids 2 and 3.
PAIRS = (
    ["Who wrote Emma", "emma", "wrote it"],
    ["Emma wrote it.", "wrote", "emma"],
)
IDS = {
    "question": np.int32([[1, 3, 2], [2, 0, 0], [3, 1, 0]]),
    "answer": np.int32([[2, 3, 1, 1], [3, 0, 0, 0], [2, 0, 0, 0]]),
}


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "one"
    vocabulary = Vocabulary(["emma", "wrote"])
    keras.utils.set_random_seed(0)
    model = CosineQA(len(vocabulary), 8, 16)
    return write_run(
        *(folder, model, vocabulary, "word-num"), max_question_length=5
    )


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
    assert _export(run_folder, "tflite", output / "reading.json" / "x") == 2
    assert "--output must be in a folder" in capsys.readouterr().err


def _keras_scores(path):
    return keras.models.load_model(path)(IDS, training=False)[:, 0]


def _saved_scores(path):
    return Ranker.load(path).scores(*PAIRS)


def _onnx_scores(path):
    onnxruntime = pytest.importorskip("onnxruntime")
    session = onnxruntime.InferenceSession(str(path / "model.onnx"))
    return session.run(["score"], IDS)[0][:, 0]


def _lite_scores(path):
    tf = pytest.importorskip("tensorflow")
    interpreter = tf.lite.Interpreter(str(path / "model.tflite"))
    interpreter.allocate_tensors()
    for given in interpreter.get_input_details():
        (ids,) = (ids for side, ids in IDS.items() if side in given["name"])
        interpreter.set_tensor(given["index"], ids)
    interpreter.invoke()
    (result,) = interpreter.get_output_details()
    return interpreter.get_tensor(result["index"])[:, 0]


@needs_tensorflow
@pytest.mark.parametrize(
    ("form", "file", "scores", "options"),
    [
        ("keras", "x.keras", _keras_scores, []),
        ("onnx", "x", _onnx_scores, []),
        ("saved_model", "x", _saved_scores, []),
        (
            "tflite",
            "x",
            _lite_scores,
            ["--pairs=3", "--max-question-length=3", "--max-answer-length=4"],
        ),
    ],
    ids=["keras", "onnx", "saved_model", "tflite"],
)
def test_each_form_scores_as_the_run_does(
    run_folder, tmp_path, form, file, scores, options
):
    if form == "onnx":
        pytest.importorskip("tf2onnx")
    assert _export(run_folder, form, tmp_path / file, *options) == 0
    assert os.listdir(tmp_path) == [file]
    ranker = Ranker.load(run_folder)
    expected = ranker.scores(*PAIRS)
    assert len(set(expected)) == 3
    np.testing.assert_allclose(
        scores(tmp_path / file), expected, rtol=1e-4, atol=1e-5
    )


@needs_tensorflow
def test_the_overlap_of_words_goes_into_a_saved_model(run_folder, tmp_path):
    folder = shutil.copytree(run_folder, tmp_path / "run")
    model = CNNRanker(4, 4, 3, 2, hidden_units=2, overlap_features=4)
    model.save(folder / "model.keras")
    texts = [["emma", "wrote"], ["emma"]]
    OverlapFeatures.fit(texts).save(folder / "overlap.json")
    assert _export(folder, "saved_model", tmp_path / "x") == 0
    expected = Ranker.load(folder).scores(PAIRS[0][0], list(PAIRS[1]))
    found = Ranker.load(tmp_path / "x").scores(PAIRS[0][0], PAIRS[1])
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.slow
@needs_tensorflow
def test_a_saved_model_can_be_exported_again(run_folder, tmp_path, capsys):
    pytest.importorskip("tf2onnx")
    saved = tmp_path / "saved"
    assert _export(run_folder, "saved_model", saved) == 0
    cut = "--max-question-length=2"
    assert _export(saved, "onnx", tmp_path / "onnx", cut) == 0
    reading = Ranker.load(tmp_path / "onnx").reading
    assert reading.max_length == {"question": 2, "answer": None}
    assert reading.tokenizer == "word-num"
    np.testing.assert_allclose(
        Ranker.load(tmp_path / "onnx").scores(PAIRS[0][1], list(PAIRS[1])),
        Ranker.load(run_folder).scores(PAIRS[0][1], list(PAIRS[1])),
        atol=1e-5,
    )
    capsys.readouterr()
    assert _export(tmp_path / "onnx", "keras", tmp_path / "x.keras") == 2
    assert "an ONNX folder, which ranks only" in capsys.readouterr().err


@needs_tensorflow
def test_errors(run_folder, tmp_path, capsys):
    assert _export(tmp_path, "onnx", tmp_path / "x") == 2
    assert "expected a run's folder" in capsys.readouterr().err
    assert _export(run_folder / "model.keras", "onnx", tmp_path / "x") == 2
    assert "a file; give the folder that holds it" in capsys.readouterr().err
    words = ["export", str(run_folder), "--format", "onnx"]
    for option in (
        *("--readable=any", "--max-answer-length=9"),
        "--tokenizer=whitespace",
    ):
        assert main([*words, option]) == 2
        assert "without lengths, --readable" in capsys.readouterr().err
    arguments = ["--pairs", "0"]
    assert _export(run_folder, "tflite", tmp_path / "x", *arguments) == 2
    assert "`pairs` must be an integer, at least" in capsys.readouterr().err
    assert main([*words, "--output=."]) == 2
    assert "must not exist, unless" in capsys.readouterr().err
    assert main([*words, "--output=.", "--overwrite"]) == 2
    assert "--output must name a new place" in capsys.readouterr().err
    for form, option, other in (
        ("keras", "--pairs=0", "--pairs goes with --format tflite"),
        ("onnx", "--name=x", "--name goes with --format tf_serving or triton"),
        ("keras", "--max-answer-length=5", "goes with --format saved_model"),
        ("keras", "--readable=any", "goes with --format saved_model"),
        ("keras", "--tokenizer=word", "goes with --format saved_model"),
    ):
        assert _export(run_folder, form, tmp_path / "x", option) == 2
        error = capsys.readouterr().err
        assert other in error and f"Received: --format {form}" in error
    assert _export(run_folder, "keras", tmp_path / "x") == 2
    assert "`--output` must end in .keras" in capsys.readouterr().err
    for form in ("tf_serving", "triton"):
        assert _export(run_folder, form, tmp_path / "x", "--name", "a/b") == 2
        assert "Received: name='a/b'" in capsys.readouterr().err
    assert os.listdir(tmp_path) == []
