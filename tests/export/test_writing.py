"""Exports are written whole, to targets that may be written, or not at all."""

import os
import shutil
from pathlib import Path

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_qa.errors import RankerError
from keras_qa.export.keras_file import export_keras
from keras_qa.export.keras_folder import save_folder
from keras_qa.export.onnx import export_onnx
from keras_qa.export.onnx_beside import add_onnx
from keras_qa.export.saved_model import SavedModel
from keras_qa.export.saved_model import export_saved_model
from keras_qa.export.tflite import export_lite
from keras_qa.models import HyperQA
from keras_qa.ranker import Ranker
from keras_qa.text.reading import TextReading
from keras_qa.text.vocabulary import Vocabulary
from support.export_models import OVERLAP
from support.export_models import PLAIN
from support.export_models import VOCABULARY
from support.export_models import needs_tensorflow
from support.export_models import with_overlap

OVERLAP_ERRORS = [
    (
        "overlap",
        None,
        r"`overlap` must be given .* input \"overlap\"\. Received: .*None",
    ),
    (
        "hyperqa",
        OVERLAP,
        r"`overlap` must be None .* input \"overlap\"\. Received: .*Features",
    ),
    (
        "three features",
        OVERLAP,
        r"`model` must take .*, 4 columns\. Received: .*shape \(None, 3\)",
    ),
]

pytestmark = pytest.mark.filterwarnings("error::UserWarning")


@pytest.mark.parametrize(("name", "overlap", "message"), OVERLAP_ERRORS)
def test_overlap_is_what_the_model_takes(
    models, tmp_path, name, overlap, message
):
    model = models.get(name) or with_overlap(features=3)
    reading = TextReading(VOCABULARY, overlap=overlap)
    with pytest.raises(RankerError, match=message):
        Ranker(model, reading)
    if keras.backend.backend() == "tensorflow":
        with pytest.raises(RankerError, match=message):
            export_saved_model(model, reading, tmp_path / "saved_model")
    assert os.listdir(tmp_path) == []


@needs_tensorflow
def test_an_existing_target_stays_unless_overwritten(
    models, exported, tmp_path
):
    path = tmp_path / "new" / "saved_model"
    shutil.copytree(exported("hyperqa"), path)
    before = SavedModel(path).scores(["w1"], ["w2"])
    with pytest.raises(
        FileExistsError, match=r"unless `overwrite=True` and .* Received: path="
    ):
        export_saved_model(models["cosineqa"], PLAIN, path)
    few = TextReading(Vocabulary(["w1"]))
    with pytest.raises(RankerError, match="`vocabulary` must have the 305"):
        export_saved_model(models["cosineqa"], few, path, overwrite=True)
    assert SavedModel(path).scores(["w1"], ["w2"]) == before
    export_saved_model(models["cosineqa"], PLAIN, path, overwrite=True)
    assert SavedModel(path).scores(["w1"], ["w2"]) != before
    assert os.listdir(path.parent) == ["saved_model"]


@needs_tensorflow
def test_only_a_saved_model_is_overwritten(models, tmp_path):
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(FileExistsError, match=r"a folder with saved_model\.pb"):
        export_saved_model(models["hyperqa"], PLAIN, tmp_path, overwrite=True)
    assert os.listdir(tmp_path) == ["thesis.tex"]


@needs_tensorflow
@pytest.mark.parametrize(
    ("write", "mark", "of_another_form"),
    [
        (export_saved_model, "saved_model.pb", "model.keras"),
        (export_onnx, "model.onnx", "model.tflite"),
        (export_lite, "model.tflite", "model.onnx"),
        (save_folder, "model.keras", "model.onnx"),
    ],
)
def test_other_files_stay_next_to_an_older_export(
    models, tmp_path, write, mark, of_another_form
):
    (tmp_path / mark).touch()
    for other in ("notes.txt", of_another_form):
        (tmp_path / other).touch()
        with pytest.raises(FileExistsError, match=f"this form in it.*{other}"):
            write(models["hyperqa"], PLAIN, tmp_path, overwrite=True)
        (tmp_path / other).unlink()


@needs_tensorflow
def test_other_files_stay_in_the_onnx_form_of_a_run(tmp_path):
    (tmp_path / "onnx").mkdir()
    for name in ("reading.json", "notes.txt"):
        (tmp_path / "onnx" / name).touch()
    with pytest.raises(FileExistsError, match=r"this form in it.*notes\.txt"):
        add_onnx(tmp_path, overwrite=True)


@needs_tensorflow
def test_an_interrupted_export_leaves_nothing(models, tmp_path, monkeypatch):
    def fail(module, path, signatures):
        Path(path).mkdir()
        raise KeyboardInterrupt

    monkeypatch.setattr(tf.saved_model, "save", fail)
    with pytest.raises(KeyboardInterrupt):
        export_saved_model(models["hyperqa"], PLAIN, tmp_path / "saved_model")
    assert os.listdir(tmp_path) == []


def test_export_keras_replaces_the_file(tmp_path):
    path = tmp_path / "model.keras"
    for bias in (1.0, 2.0):
        model = HyperQA(10, 3, 2)
        model.get_layer("head").get_layer("score").bias.assign([bias])
        export_keras(model, path)
        reloaded = keras.models.load_model(path)
        empty = {side: np.zeros((1, 1)) for side in ("question", "answer")}
        assert reloaded(empty)[0, 0] == bias
    assert os.listdir(tmp_path) == ["model.keras"]


@needs_tensorflow
def test_a_length_beyond_what_the_model_takes(models, tmp_path):
    reading = TextReading(VOCABULARY, max_answer_length=13)
    with pytest.raises(
        RankerError, match=r"must not exceed the 12 tokens .*Received.*=13"
    ):
        export_saved_model(models["plain"], reading, tmp_path / "saved_model")
    assert os.listdir(tmp_path) == []


def test_keras_files_end_in_keras(tmp_path):
    with pytest.raises(ValueError, match=r"must end in .keras. Received: pa"):
        export_keras(HyperQA(10, 3, 2), tmp_path / "model.h5")
    folder = tmp_path / "model.keras"
    folder.mkdir()
    with pytest.raises(IsADirectoryError, match="must not be a folder"):
        export_keras(HyperQA(10, 3, 2), folder)
    assert folder.is_dir()
