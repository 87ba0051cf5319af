"""Ranker: one object for a model and its reading, from each form."""

import json
import os
import shutil
import warnings
from dataclasses import replace

import keras
import numpy as np
import pytest

from keras_qa import Ranker
from keras_qa import TextReading
from keras_qa import models
from keras_qa.errors import ExportError
from keras_qa.errors import ModelFileError
from keras_qa.errors import RankerError
from keras_qa.errors import TextWarning
from keras_qa.layers import BagOfWords
from keras_qa.text.overlap import OverlapFeatures
from keras_qa.text.readable import UNREAD_SCORE
from keras_qa.text.vocabulary import Vocabulary
from support.run_folders import write_run

WORDS = ["who", "wrote", "emma", "jane", "austen", "did"]
VOCABULARY = Vocabulary(WORDS, oov_buckets=3)
READING = TextReading(VOCABULARY, "word", 5, 4)
QUESTION = "who wrote emma"
ANSWERS = ["jane austen did", "emma", "jane austen did", "did who"]
on_tensorflow = keras.backend.backend() == "tensorflow"
needs_tensorflow = pytest.mark.skipif(
    not on_tensorflow, reason="models are converted with TensorFlow"
)
FORMS = ["run", "saved"] + ["saved_model", "onnx"] * on_tensorflow


@pytest.fixture(scope="module")
def model():
    keras.utils.set_random_seed(0)
    return models.CosineQA(len(VOCABULARY), 6, 5)


@pytest.fixture(scope="module")
def forms(model, tmp_path_factory):
    """A function from the name of a form to its folder."""
    folder = tmp_path_factory.mktemp("forms")
    ranker = Ranker(model, READING)

    def make(form):
        path = folder / form
        if path.exists():
            return path
        if form == "run":
            write_run(
                *(path, model, VOCABULARY),
                max_question_length=5,
                max_answer_length=4,
            )
        elif form == "saved":
            ranker.save(path)
        else:
            if form == "onnx":
                pytest.importorskip("tf2onnx")
                pytest.importorskip("onnxruntime")
            ranker.export(path, form)
        return path

    return make


@pytest.mark.parametrize("form", FORMS)
def test_every_form_scores_as_the_model_in_memory(model, forms, form):
    expected = Ranker(model, READING).scores(QUESTION, ANSWERS)
    ranker = Ranker.load(forms(form))
    scores = ranker.scores(QUESTION, ANSWERS)
    assert scores.dtype == np.float32
    np.testing.assert_allclose(scores, expected, atol=1e-5)
    pairs = ranker.scores([QUESTION, "emma"], ["jane", "emma"])
    np.testing.assert_allclose(
        pairs,
        [
            *Ranker(model, READING).scores(QUESTION, ["jane"]),
            *Ranker(model, READING).scores("emma", ["emma"]),
        ],
        atol=1e-5,
    )
    assert ranker.scores(QUESTION, []).shape == (0,)
    assert ranker.scores([], []).shape == (0,)
    with pytest.raises(RankerError, match="Received: 1 questions, 2 answers"):
        ranker.scores(["a"], ["b", "c"])
    assert ranker.reading.max_length == {"question": 5, "answer": 4}


@pytest.mark.parametrize("form", FORMS)
def test_ranks_best_first_and_equal_scores_as_given(forms, form):
    ranker = Ranker.load(forms(form))
    scores = ranker.scores(QUESTION, ANSWERS).tolist()
    ranked = ranker.rank(QUESTION, ANSWERS)
    assert [i for i, _ in ranked] == sorted(
        range(4), key=lambda i: (-scores[i], i)
    )
    assert [score for _, score in ranked] == sorted(scores, reverse=True)
    assert all(type(x) is float and type(i) is int for i, x in ranked)
    assert ranker.rank(QUESTION, ANSWERS, 2) == ranked[:2]
    assert ranker.rank(QUESTION, []) == []
    for top in (0, 1.5, "1"):
        with pytest.raises(RankerError, match=f"`top` must be .* top={top!r}"):
            ranker.rank(QUESTION, ANSWERS, top=top)


@pytest.mark.parametrize("form", FORMS)
def test_equal_pairs_have_equal_scores_in_every_form(forms, form):
    ranker = Ranker.load(forms(form))
    answers = ["jane austen did"] * 50 + ["emma"] * 3
    scores = ranker.scores(QUESTION, answers)
    assert (len(set(scores[:50])), len(set(scores[50:]))) == (1, 1)
    once = ranker.scores(QUESTION, [answers[0], answers[-1]])
    np.testing.assert_allclose(scores[[0, -1]], once, atol=1e-6)


@pytest.mark.parametrize("form", FORMS)
def test_texts_are_strings_in_every_form(forms, form):
    ranker = Ranker.load(forms(form))
    with pytest.raises(RankerError, match=r"`answers` must.*answers\[1\]=nan"):
        ranker.rank(QUESTION, ["emma", float("nan")])
    with pytest.raises(RankerError, match=r"`questions`.*questions\[0\]=None"):
        ranker.scores([None, "who"], ["emma", "jane"])


def test_a_model_whose_training_diverged_ranks_nothing(model):
    broken = keras.models.clone_model(model)
    broken.set_weights([w + np.nan for w in model.get_weights()])
    with pytest.raises(RankerError, match=r"finite scores.*Received: .*nan"):
        Ranker(broken, READING).rank(QUESTION, ANSWERS)


@pytest.mark.parametrize("form", FORMS)
def test_unread_answers_are_last_in_every_form(model, forms, form):
    # "did" is a stop word, too.
    answers = ["", "did who", "jane", "?!", "novel", "did emma", "who emma"]
    own = Ranker(model, replace(READING, readable="any"))
    expected = own.scores(QUESTION, answers)
    expected[[0, 1, 3, 4]] = UNREAD_SCORE
    ranker = Ranker.load(forms(form))
    found = ranker.scores(QUESTION, answers)
    np.testing.assert_allclose(found, expected, atol=1e-5)
    pairs = ranker.scores([QUESTION] * len(answers), answers)
    np.testing.assert_allclose(pairs, expected, atol=1e-5)
    assert {i for i, _ in ranker.rank(QUESTION, answers, 3)} == {2, 5, 6}
    if form in ("run", "saved"):
        again = Ranker.load(forms(form), readable="any")
        expected = own.scores(QUESTION, answers)
        found = again.scores(QUESTION, answers)
        np.testing.assert_allclose(found, expected, atol=1e-5)
    else:
        with pytest.raises(RankerError, match=r"`readable` goes .*='any'"):
            Ranker.load(forms(form), readable="any")


@needs_tensorflow
def test_unread_answers_are_last_in_exported_graphs(model, forms, tmp_path):
    """Without `Ranker`, which replaces their scores, too."""
    import tensorflow as tf

    texts = ["", "did who", "jane", "novel"]
    graph = tf.saved_model.load(str(forms("saved_model"))).signatures
    ranked = graph["rank"](
        question=tf.constant(QUESTION), candidates=tf.constant(texts)
    )
    assert ranked["order"].numpy().tolist() == [2, 0, 1, 3]
    scores = graph["serving_default"](
        question=tf.constant([QUESTION] * 4), answer=tf.constant(texts)
    )["score"].numpy()
    np.testing.assert_allclose(ranked["scores"], scores, rtol=1e-5)
    ids = {
        "question": [[2, 3, 4, 0, 0]] * 4,
        "answer": [[0, 0, 0, 0], [7, 2, 0, 0], [5, 0, 0, 0], [8, 0, 0, 0]],
    }
    ids = {side: np.array(rows, np.int32) for side, rows in ids.items()}
    onnxruntime = pytest.importorskip("onnxruntime")
    session = onnxruntime.InferenceSession(forms("onnx") / "model.onnx")
    (of_onnx,) = session.run(["score"], ids)
    np.testing.assert_allclose(of_onnx[:, 0], scores, rtol=1e-5)
    Ranker(model, READING).export(tmp_path / "lite", "tflite", pairs=4)
    path = str(tmp_path / "lite/model.tflite")
    interpreter = tf.lite.Interpreter(path)
    interpreter.allocate_tensors()
    for given in interpreter.get_input_details():
        (side,) = (side for side in ids if side in given["name"])
        interpreter.set_tensor(given["index"], ids[side])
    interpreter.invoke()
    (output,) = interpreter.get_output_details()
    of_lite = interpreter.get_tensor(output["index"])[:, 0]
    np.testing.assert_allclose(of_lite, scores, rtol=1e-5)
    for found in (scores, of_onnx[:, 0], of_lite):
        assert (found == np.float32(UNREAD_SCORE)).tolist() == [1, 1, 0, 1]


@pytest.mark.parametrize("form", FORMS)
def test_unknown_words_are_told_once(forms, form):
    ranker = Ranker.load(forms(form))
    with pytest.warns(TextWarning) as warned:
        ranker.scores("who", ["emma novel", "jane"])
        ranker.rank("who", ["a novel by jane"])
        ranker.scores(["who"], [""])
    messages = [
        str(warning.message)
        for warning in warned
        if warning.category is TextWarning
    ]
    assert len(messages) == 2
    assert "words are not in the model's vocabulary" in messages[0]
    assert "texts is empty" in messages[1]
    assert ranker.report.unknown == {"novel": 2, "a": 1, "by": 1}


@pytest.mark.parametrize("form", FORMS)
def test_forms_with_the_keras_model_do_all(model, forms, form, tmp_path):
    ranker = Ranker.load(forms(form))
    if form == "onnx":
        for refused in (
            lambda: ranker.model,
            lambda: ranker.encode(ANSWERS),
            lambda: ranker.save(tmp_path / "x"),
            lambda: ranker.export(tmp_path / "x", "saved_model"),
        ):
            with pytest.raises(
                RankerError,
                match=r"a run's folder, .* Received: an ONNX folder",
            ):
                refused()
        assert os.listdir(tmp_path) == []
        return
    in_memory = Ranker(model, READING)
    for side in ("question", "answer"):
        vectors = ranker.encode(ANSWERS, side)
        assert vectors.shape == (4, 5) and vectors.dtype == np.float32
        np.testing.assert_allclose(
            vectors, in_memory.encode(ANSWERS, side), atol=1e-6
        )
    assert ranker.encode([]).shape == (0, 5)
    with pytest.raises(RankerError, match=r"`side` must be one of .*'both'"):
        ranker.encode(ANSWERS, "both")
    ranker.save(tmp_path / "again")
    again = Ranker.load(tmp_path / "again")
    np.testing.assert_array_equal(
        again.scores(QUESTION, ANSWERS), in_memory.scores(QUESTION, ANSWERS)
    )
    with pytest.raises(FileExistsError, match="unless `overwrite=True`"):
        ranker.save(tmp_path / "again")
    ranker.save(tmp_path / "again", overwrite=True)
    # A run is no folder that may be replaced.
    with pytest.raises(FileExistsError, match="nothing but an older export"):
        ranker.save(forms("run"), overwrite=True)


@needs_tensorflow
def test_a_saved_model_keeps_weights_of_all_kinds(tmp_path):
    """Moving statistics are weights that no gradient changes."""
    ids = {s: keras.Input((None,), name=s) for s in ("question", "answer")}
    embed = keras.layers.Embedding(len(VOCABULARY), 4, mask_zero=True)
    norm = keras.layers.BatchNormalization()
    q, a = (norm(BagOfWords()(embed(ids[side]))) for side in ids)
    dropped = keras.layers.Dropout(0.5)(a)
    model = keras.Model(ids, keras.layers.Dot(-1)([q, dropped]))
    norm.moving_mean.assign([1.0, 2.0, 3.0, 4.0])
    Ranker(model, READING).export(tmp_path / "x", "saved_model")
    loaded = Ranker.load(tmp_path / "x").model
    for ours, theirs in zip(loaded.weights, model.weights, strict=True):
        np.testing.assert_array_equal(ours.numpy(), theirs.numpy())


@needs_tensorflow
def test_a_class_that_does_not_describe_itself(tmp_path):
    class Own(keras.Model):
        def __init__(self, rate):
            super().__init__()
            self.embed = keras.layers.Embedding(len(VOCABULARY), 1)
            self.rate = rate

        def call(self, inputs):
            q, a = (
                keras.ops.sum(
                    self.embed(ids)
                    * keras.ops.cast(ids > 0, "float32")[..., None],
                    axis=1,
                )
                for ids in (inputs["question"], inputs["answer"])
            )
            return q * a

    model = Own(object())
    model({side: np.array([[2, 3]]) for side in ("question", "answer")})
    Ranker(model, READING).export(tmp_path / "x", "saved_model")
    ranker = Ranker.load(tmp_path / "x")
    expected = Ranker(model, READING).scores(QUESTION, ANSWERS)
    np.testing.assert_allclose(
        ranker.scores(QUESTION, ANSWERS), expected, atol=1e-6
    )
    assert ranker.reading.tokenizer == READING.tokenizer
    assert ranker.report.texts == 1 + len(ANSWERS)
    with pytest.raises(RankerError, match="that contains the Keras model"):
        ranker.encode(ANSWERS)


@needs_tensorflow
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: "x", "a model that this version of keras_qa can load"),
        (lambda c: json.dumps({**c, "class_name": "Lambda"}), "without code"),
        (
            lambda c: json.dumps(c).replace('"projection_dim": 5', '"p": 5'),
            "a model that this version of keras_qa can load",
        ),
        (
            lambda c: json.dumps(c).replace(
                '"projection_dim": 5', '"projection_dim": 60000'
            ),
            "sizes up to|a model of at most",
        ),
    ],
)
def test_a_damaged_architecture_is_named(forms, tmp_path, change, message):
    folder = shutil.copytree(forms("saved_model"), tmp_path / "x")
    path = folder / "assets.extra" / "architecture.json"
    path.write_text(change(json.loads(path.read_text())))
    ranker = Ranker.load(folder)
    assert len(ranker.scores(QUESTION, ANSWERS)) == 4
    with pytest.raises(ModelFileError, match=f"architecture.json.*{message}"):
        ranker.encode(ANSWERS)


def test_overlap_goes_with_the_model(tmp_path):
    overlap = OverlapFeatures.fit([["emma", "wrote"], ["emma"]])
    reading = TextReading(VOCABULARY, overlap=overlap)
    size = len(VOCABULARY)
    model = models.CNNRanker(size, 4, 3, 2, hidden_units=2, overlap_features=4)
    ranker = Ranker(model, reading)
    ranker.save(tmp_path / "saved")
    expected = ranker.scores(QUESTION, ANSWERS)
    loaded = Ranker.load(tmp_path / "saved")
    np.testing.assert_allclose(loaded.scores(QUESTION, ANSWERS), expected)
    if on_tensorflow:
        pytest.importorskip("tf2onnx")
        pytest.importorskip("onnxruntime")
        ranker.export(tmp_path / "onnx", "onnx")
        loaded = Ranker.load(tmp_path / "onnx")
        np.testing.assert_allclose(
            loaded.scores(QUESTION, ANSWERS), expected, atol=1e-5
        )
        (tmp_path / "onnx/overlap.json").unlink()
        with pytest.raises(RankerError, match="onnx: `overlap` must be given"):
            Ranker.load(tmp_path / "onnx")


def test_the_tokenizer_of_a_folder_can_be_replaced(forms):
    for form in ("run", "saved"):
        assert Ranker.load(forms(form)).reading.tokenizer == "word"
        loaded = Ranker.load(forms(form), tokenizer="whitespace")
        assert loaded.reading.tokenizer == "whitespace"
    if on_tensorflow:
        with pytest.raises(RankerError, match="a SavedModel holds its own"):
            Ranker.load(forms("saved_model"), tokenizer="word")


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (None, "Received: no such folder"),
        ([], "Received: no model.keras, vocabulary.txt, metrics.json in it"),
        (["model.keras", "reading.json"], "Received: no vocabulary.txt in it"),
        (["settings.json"], r"has not finished: give .* `keras-qa train`"),
        (["model.tflite", "reading.json"], "a TensorFlow Lite folder, which"),
        (["saved_model.pb"], "expected a SavedModel with a signature `rank`"),
        (["model.onnx"], r"reading\.json: expected a JSON file"),
    ],
)
def test_folders_of_something_else(tmp_path, files, message):
    folder = tmp_path / "folder"
    for name in files or ():
        folder.mkdir(exist_ok=True)
        (folder / name).touch()
    if files == []:
        folder.mkdir()
    if files and "saved_model.pb" in files:
        pytest.importorskip("tensorflow")
    with pytest.raises(RankerError, match=message):
        Ranker.load(folder)


def test_damaged_onnx(tmp_path):
    pytest.importorskip("onnxruntime")
    READING.save(tmp_path)
    (tmp_path / "model.onnx").write_bytes(b"x")
    with pytest.raises(RankerError, match="expected an ONNX model"):
        Ranker.load(tmp_path)
    (tmp_path / "reading.json").write_text('{"inputs": {}}')
    with pytest.raises(RankerError, match="reads vectors of words"):
        Ranker.load(tmp_path)


def test_what_a_model_cannot_do(model, tmp_path):
    size = len(VOCABULARY)
    attentive = Ranker(models.AttentiveCNN(size, 4, filters=3), READING)
    assert attentive.encode(ANSWERS, "question").shape == (4, 3)
    with pytest.raises(RankerError, match=r"each answer one .* AttentiveCNN"):
        attentive.encode(ANSWERS)
    with pytest.raises(RankerError, match="`texts` must be a list of texts"):
        attentive.encode("who", "question")
    with pytest.raises(RankerError, match=r"`answers` must be .*: 'emma'"):
        attentive.rank(QUESTION, "emma")
    without = keras.Sequential([keras.layers.Dense(1)])
    with pytest.raises(RankerError, match=r"one vector .*: Sequential"):
        Ranker(without, READING).encode(ANSWERS)
    with pytest.raises(RankerError, match="must have the 9 words of the mo"):
        Ranker(models.CosineQA(9, 6, 5), READING)
    with pytest.raises(ExportError, match=r"`format` must be one of .*'pmml'"):
        Ranker(model, READING).export(tmp_path / "x", "pmml")
    with pytest.raises(RankerError, match="one of a model in memory"):
        Ranker(model, READING).weights_digest()


def test_keras_files_are_written_by_the_same_method(model, tmp_path):
    path = tmp_path / "x.keras"
    ranker = Ranker(model, READING)
    ranker.export(path, "keras")
    assert len(keras.models.load_model(path).weights) == len(model.weights)
    with pytest.raises(FileExistsError, match="unless `overwrite=True`"):
        ranker.export(path, "keras")
    ranker.export(path, "keras", overwrite=True)


def test_texts_that_a_model_knows_give_no_warning(model):
    with warnings.catch_warnings():
        warnings.simplefilter("error", TextWarning)
        ranker = Ranker(model, READING)
        ranker.rank(QUESTION, ANSWERS)
    assert ranker.report.summary() == ""
