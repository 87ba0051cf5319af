"""Folders of converted models: what is in them, and what is refused."""

import dataclasses
import json
import os
import re
import sys

import keras
import numpy as np
import pytest

from keras_qa.errors import ExportError
from keras_qa.errors import RankerError
from keras_qa.export.converted_folder import write_folder
from keras_qa.export.onnx import export_onnx
from keras_qa.export.saved_model import export_saved_model
from keras_qa.export.tflite import LENGTHS
from keras_qa.export.tflite import export_lite
from keras_qa.models import QACNN
from keras_qa.models import CosineQA
from keras_qa.models import HyperQA
from keras_qa.models import LSTMRanker
from keras_qa.ranker import Ranker
from keras_qa.text.reading import TextReading
from keras_qa.text.sides import SIDES
from keras_qa.text.tokenizer import tokenize
from keras_qa.text.vocabulary import Vocabulary
from support import export_models

tf = pytest.importorskip("tensorflow")
needs_tensorflow = pytest.mark.skipif(
    keras.backend.backend() != "tensorflow",
    reason="models are converted with the TensorFlow backend",
)
VOCABULARY = Vocabulary(["emma", "漢字", "wrote"])
READING = TextReading(VOCABULARY)


@pytest.fixture(scope="module")
def model():
    return CosineQA(len(VOCABULARY), 4, 3)


@needs_tensorflow
def test_onnx_folder(model, tmp_path):
    pytest.importorskip("tf2onnx")
    onnx = pytest.importorskip("onnx")
    path = tmp_path / "new" / "ranker"
    reading = TextReading(VOCABULARY, "word-num", max_answer_length=9)
    export_onnx(model, reading, path)
    assert sorted(os.listdir(path)) == [
        "answer_tokenizer.json",
        "model.onnx",
        "question_tokenizer.json",
        "reading.json",
        "vocabulary.txt",
    ]
    assert TextReading.load(path).vocabulary.words == VOCABULARY.words
    graph = onnx.load(path / "model.onnx").graph
    sizes = {
        value.name: [
            size.dim_param or size.dim_value
            for size in value.type.tensor_type.shape.dim
        ]
        for value in [*graph.input, *graph.output]
    }
    assert sizes == {
        "question": ["pairs", "question_length"],
        "answer": ["pairs", "answer_length"],
        "score": ["pairs", 1],
    }
    reading = json.loads((path / "reading.json").read_text("utf-8"))
    assert reading["max_length"] == {"question": None, "answer": 9}
    assert reading["inputs"]["answer"] == {
        "dtype": "int32",
        "shape": [None, None],
    }


@needs_tensorflow
@pytest.mark.parametrize("dtype", ["float64", "mixed_float16"])
def test_dtypes_that_cannot_be_converted(tmp_path, dtype):
    pytest.importorskip("tf2onnx")
    pytest.importorskip("onnxruntime")
    model = HyperQA(len(VOCABULARY), 4, 3, dtype=dtype)
    message = f"to TensorFlow Lite; .* HyperQA of dtype '{dtype}': Converter"
    with pytest.raises(ExportError, match=message):
        export_lite(model, READING, tmp_path / "lite")
    if dtype == "float64":
        with pytest.raises(ExportError, match=r"to ONNX; .* 'float64': NotI"):
            export_onnx(model, READING, tmp_path / "onnx")
    assert os.listdir(tmp_path) == []


@needs_tensorflow
@pytest.mark.parametrize("export", [export_onnx, export_lite])
def test_the_reading_must_fit_the_model(tmp_path, export):
    pytest.importorskip("tf2onnx")
    words = len(VOCABULARY)
    with pytest.raises(RankerError, match="overlap"):
        overlapping = LSTMRanker(words, 4, units=2, overlap_features=4)
        export(overlapping, READING, tmp_path / "x")
    ids = {n: keras.Input((5,), dtype="int32", name=n) for n in SIDES}
    embedding = keras.layers.Embedding(words, 4)
    means = [keras.ops.mean(embedding(x), axis=1) for x in ids.values()]
    fixed = keras.Model(ids, keras.layers.Dot(axes=1)(means))
    with pytest.raises(RankerError, match="must not exceed the 5 tokens"):
        export(fixed, TextReading(VOCABULARY, "word", 9), tmp_path / "x")
    assert os.listdir(tmp_path) == []


@needs_tensorflow
def test_a_keras_model_is_not_overwritten(model, tmp_path):
    Ranker(model, READING).save(tmp_path / "ranker")
    with pytest.raises(FileExistsError, match=r"a folder with model\.tflite"):
        export_lite(model, READING, tmp_path / "ranker", overwrite=True)
    assert (tmp_path / "ranker/model.keras").exists()


@needs_tensorflow
def test_lite_sizes(model, tmp_path):
    reading = TextReading(VOCABULARY, "whitespace", 5, 7)
    export_lite(model, reading, tmp_path / "ranker", pairs=3)
    reading = json.loads((tmp_path / "ranker/reading.json").read_text("utf-8"))
    assert reading["max_length"] == {"question": 5, "answer": 7}
    assert reading["inputs"]["question"]["shape"] == [3, 5]
    interpreter = tf.lite.Interpreter(str(tmp_path / "ranker/model.tflite"))
    assert {
        given["name"]: given["shape"].tolist()
        for given in interpreter.get_input_details()
    } == {"question": [3, 5], "answer": [3, 7]}


@needs_tensorflow
def test_lite_lengths_of_one_side(model, tmp_path):
    reading = TextReading(VOCABULARY, "whitespace")
    with pytest.raises(ExportError, match="`lengths` must be of question and"):
        export_lite(model, reading, tmp_path / "r", lengths={"question": 0})
    export_lite(model, reading, tmp_path / "r", lengths={"question": 5})
    written = json.loads((tmp_path / "r/reading.json").read_text("utf-8"))
    assert written["max_length"] == {**LENGTHS, "question": 5}


@needs_tensorflow
def test_lite_sizes_of_a_model_that_takes_no_others(tmp_path):
    model = export_models.MODELS["plain"]()
    export_lite(model, export_models.PLAIN, tmp_path / "ranker")
    reading = json.loads((tmp_path / "ranker/reading.json").read_text("utf-8"))
    assert reading["max_length"] == export_models.WIDTH


@needs_tensorflow
def test_onnx_of_a_maximum_over_no_words(tmp_path):
    """What is not chosen there is infinite."""
    pytest.importorskip("tf2onnx")
    onnxruntime = pytest.importorskip("onnxruntime")
    model = QACNN(len(VOCABULARY), 4, filters=3)
    reading = dataclasses.replace(READING, readable="any")
    export_onnx(model, reading, tmp_path / "ranker")
    session = onnxruntime.InferenceSession(tmp_path / "ranker/model.onnx")
    ids = {
        "question": np.array([[0, 0, 0], [2, 3, 0]], "int32"),
        "answer": np.array([[4, 2, 0], [0, 0, 0]], "int32"),
    }
    (scores,) = session.run(["score"], ids)
    expected = keras.ops.convert_to_numpy(model(ids, training=False))
    np.testing.assert_allclose(scores, expected, atol=1e-6)


@pytest.mark.parametrize(
    "tokenizer", ["whitespace", "whitespace-num", "word", "word-num"]
)
def test_reading_splits_as_training_did(tmp_path, tokenizer):
    reading = TextReading(VOCABULARY, tokenizer, 4)
    write_folder(tmp_path / "x", "m", b"", reading, {})
    reading = json.loads((tmp_path / "x/reading.json").read_text("utf-8"))
    text = "Who's  x-ray, 3.5\u3000or 1/2?\x1c漢字_5"
    tokens = re.findall(reading["pattern"], text.lower())
    if reading["number_pattern"]:
        tokens = [
            reading["number"]
            if re.fullmatch(reading["number_pattern"], token)
            else token
            for token in tokens
        ]
    assert tokens == tokenize(text, tokenizer)
    lines = (tmp_path / "x/vocabulary.txt").read_text("utf-8").splitlines()
    ids = {word: i for i, word in enumerate(lines, reading["first_word_id"])}
    words = ["wrote", "漢字", "never seen", "emma"]
    found = [ids.get(word, reading["unknown_id"]) for word in words]
    assert found == list(VOCABULARY.encode(words))


@needs_tensorflow
def test_what_is_there_stays_unless_overwritten(model, tmp_path):
    path = tmp_path / "ranker"
    reading = TextReading(VOCABULARY, "word", 2, 3)
    export_lite(model, reading, path)
    with pytest.raises(FileExistsError, match=r"must not exist, unless `over"):
        export_lite(model, reading, path)
    export_lite(model, reading, path, pairs=2, overwrite=True)
    written = json.loads((path / "reading.json").read_text("utf-8"))
    assert written["inputs"]["question"]["shape"] == [2, 2]
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(FileExistsError, match=r"a folder with model\.tflite"):
        export_lite(model, reading, tmp_path, overwrite=True)
    assert sorted(os.listdir(tmp_path)) == ["ranker", "thesis.tex"]


@needs_tensorflow
@pytest.mark.parametrize("export", [export_lite, export_onnx])
@pytest.mark.parametrize(
    ("reading", "message"),
    [
        (
            TextReading(Vocabulary(["emma"])),
            r"must be the 5 words of the model\. Rec.* 3 words",
        ),
        (None, r"must be the 5 words of the model\. Received: None"),
    ],
)
def test_refused(model, tmp_path, export, reading, message):
    with pytest.raises(ExportError, match=message):
        export(model, reading, tmp_path / "ranker")
    assert os.listdir(tmp_path) == []


@needs_tensorflow
def test_pairs_are_positive(model, tmp_path):
    with pytest.raises(ValueError, match=r"`pairs` must be .* pairs=0"):
        export_lite(model, READING, tmp_path / "ranker", pairs=0)


@needs_tensorflow
def test_missing_tf2onnx_names_the_extra(model, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "tf2onnx", None)
    with pytest.raises(ImportError, match=r"pip install 'keras-qa\[onnx\]'"):
        export_onnx(model, READING, tmp_path / "ranker")
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(
    keras.backend.backend() == "tensorflow", reason="of other backends"
)
@pytest.mark.parametrize("export", [export_lite, export_onnx])
def test_other_backends_are_refused(model, tmp_path, export):
    with pytest.raises(ValueError, match="which starts that backend"):
        export(model, READING, tmp_path / "ranker")


@needs_tensorflow
def test_lstms_are_traced_without_cudnn():
    from keras_qa.export.tracing import for_any_machine

    model = LSTMRanker(len(VOCABULARY), 4, projection_dim=3, units=3)

    def used():
        layers = model._flatten_layers()
        return [x.use_cudnn for x in layers if hasattr(x, "use_cudnn")]

    before = used()
    with pytest.raises(KeyboardInterrupt), for_any_machine(model):
        assert before and not any(used())
        raise KeyboardInterrupt
    assert used() == before


@needs_tensorflow
def test_a_model_that_takes_no_words_takes_no_text(tmp_path):
    ids = keras.Input((None,), dtype="int32", name="words")
    model = keras.Model(ids, keras.layers.Embedding(5, 1)(ids)[:, 0])
    with pytest.raises(ValueError, match=r"must take word ids .*words \(int32"):
        export_saved_model(model, READING, tmp_path / "ranker")
    assert os.listdir(tmp_path) == []
    # As ids it takes the words of one text.
    export_lite(model, READING, tmp_path / "lite", lengths={"answer": 6})
    reading = json.loads((tmp_path / "lite/reading.json").read_text("utf-8"))
    assert reading["inputs"] == {"words": {"dtype": "int32", "shape": [1, 6]}}
