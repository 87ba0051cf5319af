"""Exported models score text as the model in memory does."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import keras
import numpy as np
import pytest

from keras_qa.datasets.overlap import OverlapFeatures
from keras_qa.datasets.tokenizer import tokenize
from keras_qa.datasets.vocabulary import Vocabulary
from keras_qa.datasets.vocabulary import pad
from keras_qa.export import export_keras
from keras_qa.export import export_saved_model
from keras_qa.export import load_saved_model
from keras_qa.export import score_texts
from keras_qa.export import verify_export
from keras_qa.layers import BagOfWords
from keras_qa.models import AttentiveCNN
from keras_qa.models import CosineQA
from keras_qa.models import HyperQA

tf = pytest.importorskip("tensorflow")
needs_tensorflow = pytest.mark.skipif(
    keras.backend.backend() != "tensorflow",
    reason="a SavedModel is written with the TensorFlow backend",
)
ROOT = Path(__file__).parents[1]
VOCABULARY = Vocabulary([*(f"w{i}" for i in range(300)), "שלום", "漢字", "👩"])
WIDTH = {"question": 7, "answer": 12}


def _text(seed, length, words=VOCABULARY.words[2:]):
    return " ".join(np.random.default_rng(seed).choice(words, size=length))


# Pairs at which a SavedModel could go astray.
PAIRS = [
    ("W1 w2, W3?", "w4 w5 w6."),
    ("w1", "w1"),
    ("", ""),
    ("", "w7 w8"),
    ("w7 w8", ""),
    (" \t\u3000", "\0"),
    ("words never seen", "w9 w10"),
    ("w9 w10", "nor these"),
    ("words never seen", "none of these either"),
    ("Who is 👩\u200d🔬?", "👩 שלום, 漢字 w11 İΣ e\u0301"),
    (_text(1, 9), _text(2, 10_000)),
    (_text(3, 10_000), _text(4, 8)),
    ("w12 w13", _text(5, 10_000, ["these", "words", "are", "new", "W14"])),
    *((_text(seed, 7), _text(-seed % 97, 25)) for seed in range(20, 60)),
    ("What did W1, new to these words, see?", "These words: W1 w2, new, 漢字?"),
    ("漢字 new new W1?", "w1 w1 w1 w1 w1 w1 w1 w1 w1 w1 w1 w1 new 漢字 ?"),
]
QUESTIONS, ANSWERS = (list(side) for side in zip(*PAIRS, strict=True))
OVERLAP = OverlapFeatures.fit(map(tokenize, [*QUESTIONS, *ANSWERS]))


def _randomise(model):
    rng = np.random.default_rng(0)
    for weight in model.trainable_weights:
        weight.assign(rng.normal(size=weight.shape) * 0.5)
    return model


def _plain_model():
    """A model without encoders, with fixed lengths and with state."""
    ids = {
        side: keras.Input((WIDTH[side],), dtype="int32", name=side)
        for side in ("question", "answer")
    }
    embed = keras.layers.Embedding(len(VOCABULARY), 8)
    pool = keras.layers.GlobalAveragePooling1D()
    norm = keras.layers.BatchNormalization()
    q, a = (norm(pool(embed(ids[side]))) for side in ids)
    a = keras.layers.Dropout(0.5)(a)
    score = keras.layers.Dense(1)(keras.layers.Multiply()([q, a]))
    return keras.Model(ids, score)


def _with_overlap(length=None, features=4):
    """Scores two encodings and the features beside them.

    Without a fixed length, `rank` can encode the question once.
    """
    ids = {
        side: keras.Input((length and WIDTH[side],), dtype="int32", name=side)
        for side in ("question", "answer")
    }
    overlap = keras.Input((features,), name="overlap")
    embed = keras.layers.Embedding(len(VOCABULARY), 8, mask_zero=True)
    pool = BagOfWords("mean")
    one = keras.Input((None,), dtype="int32")
    encoder = keras.Model(one, pool(embed(one)))
    sides = {side: keras.Input((8,), name=side) for side in ids}
    scale = keras.layers.Normalization(mean=0.2, variance=0.1)
    joined = keras.layers.Concatenate()([*sides.values(), scale(overlap)])
    hidden = keras.layers.Dense(6, "tanh")(joined)
    score = keras.layers.Dense(1)(hidden)
    head = keras.Model({**sides, "overlap": overlap}, score)
    inputs = {**ids, "overlap": overlap}
    encoded = {side: encoder(ids[side]) for side in ids}
    model = keras.Model(inputs, head({**encoded, "overlap": overlap}))
    if length is None:
        model.question_encoder = model.answer_encoder = encoder
        model.head = head
    return model


MODELS = {
    "attentive": lambda: AttentiveCNN(len(VOCABULARY), 16, filters=12),
    "hyperqa": lambda: HyperQA(len(VOCABULARY), 16, 12),
    "expmap": lambda: HyperQA(
        len(VOCABULARY),
        16,
        12,
        projection="expmap",
        concatenate_embeddings=True,
    ),
    "cosineqa": lambda: CosineQA(len(VOCABULARY), 16, 12),
    "plain": _plain_model,
    "overlap": _with_overlap,
    "overlap-fixed": lambda: _with_overlap("fixed"),
}
READING = {
    "attentive": {},
    "hyperqa": {},
    "expmap": {"tokenizer": "whitespace", "max_answer_length": 20},
    "cosineqa": {"max_question_length": 5, "max_answer_length": 9},
    "plain": {},
    "overlap": {"max_answer_length": 20, "overlap": OVERLAP},
    "overlap-fixed": {"tokenizer": "whitespace", "overlap": OVERLAP},
}


@pytest.fixture(scope="module")
def models():
    return {name: _randomise(make()) for name, make in MODELS.items()}


@pytest.fixture(scope="module")
def exported(models, tmp_path_factory):
    folder = tmp_path_factory.mktemp("exported")
    for name, model in models.items():
        export_saved_model(
            model, VOCABULARY.words, folder / name, **READING[name]
        )
    return folder


def _in_memory(model, questions, answers, **reading):
    """Pair by pair, with the tokeniser and the padding of training."""
    tokenizer = reading.get("tokenizer", "word")
    scores = []
    for pair in zip(questions, answers, strict=True):
        ids, read = {}, []
        for side, one in zip(("question", "answer"), pair, strict=True):
            tokens = tokenize(one, tokenizer)
            known = VOCABULARY.encode(tokens)
            length = reading.get(f"max_{side}_length")
            ids[side] = pad([known], length)
            if model.input[side].shape[1]:
                length = WIDTH[side]
                ids[side] = np.resize(np.pad(known, (0, length)), (1, length))
            read.append(tokens[:length])
        if "overlap" in model.input:
            ids["overlap"] = reading["overlap"].pair(*read)[np.newaxis]
        score = model(ids, training=False)
        scores.append(keras.ops.convert_to_numpy(score).item())
    return np.array(scores)


def _assert_close(scores, expected):
    assert np.isfinite(expected).all()
    np.testing.assert_allclose(scores, expected, rtol=0, atol=1e-5)


def _run(script, *arguments, **environment):
    """Runs a script in a new process and returns what it prints as JSON."""
    done = subprocess.run(
        [sys.executable, "-W", "error::UserWarning", "-c", script, *arguments],
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", **environment},
        cwd=arguments[0],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


# === In a new process ===

SCORE_SAVED_MODELS = """
import json, sys
import tensorflow as tf
pairs = json.load(open("pairs.json"))
questions, answers = zip(*pairs)
result = {}
for name in sys.argv[2:]:
    signatures = tf.saved_model.load(name).signatures
    score, rank = signatures["serving_default"], signatures["rank"]
    result[name] = {
        "many": score(
            question=tf.constant(questions), answer=tf.constant(answers)
        )["score"].numpy().tolist(),
        "one": [
            score(question=tf.constant([q]), answer=tf.constant([a]))["score"]
            .numpy().item()
            for q, a in pairs
        ],
        "rank": rank(
            question=tf.constant(questions[0]), candidates=tf.constant(answers)
        )["scores"].numpy().tolist(),
    }
assert not any(module.startswith("keras_qa") for module in sys.modules)
print(json.dumps(result))
"""


@needs_tensorflow
def test_saved_models_in_a_process_without_keras_qa(models, exported, tmp_path):
    # Moved, so that nothing can be found at the place it was written to.
    moved = exported.rename(tmp_path / "elsewhere")
    (moved / "pairs.json").write_text(json.dumps(PAIRS))
    try:
        found = _run(SCORE_SAVED_MODELS, moved, *models, PYTHONPATH="")
    finally:
        moved.rename(exported)
    for name, model in models.items():
        expected = _in_memory(model, QUESTIONS, ANSWERS, **READING[name])
        _assert_close(found[name]["many"], expected)
        _assert_close(found[name]["one"], expected)
        expected = _in_memory(
            model, QUESTIONS[:1] * len(ANSWERS), ANSWERS, **READING[name]
        )
        _assert_close(found[name]["rank"], expected)


SCORE_KERAS_FILES = """
import json, sys
import keras, numpy as np
import keras_qa.models
ids = dict(np.load("ids.npz"))
result = {}
for name in sys.argv[2:]:
    model = keras.models.load_model(name + ".keras")
    assert not model.compiled
    taken = {side: ids[side] for side in model.input}
    scores = keras.ops.convert_to_numpy(model(taken))
    result[name] = scores.ravel().tolist()
training = "training optimizers losses datasets export text scoring evaluation"
for module in training.split():
    assert "keras_qa." + module not in sys.modules, module
assert not {"reproductions", "embeddings"} & set(sys.modules)
print(json.dumps(result))
"""


def _loss_of_this_test(y_true, y_pred):
    return keras.ops.mean(keras.ops.square(y_true - y_pred))


def test_keras_files_in_a_process_without_training_code(tmp_path):
    rng = np.random.default_rng(0)
    ids = {
        side: rng.integers(0, len(VOCABULARY), (40, width)).astype("int32")
        for side, width in WIDTH.items()
    }
    ids["overlap"] = rng.random((40, 4), "float32")
    np.savez(tmp_path / "ids.npz", **ids)
    expected = {}
    for name, make in MODELS.items():
        model = _randomise(make())
        # What a loss or an optimizer would leave in the file could not load.
        model.compile("adam", _loss_of_this_test, jit_compile=False)
        taken = {side: ids[side] for side in model.input}
        model.train_on_batch(taken, np.zeros((40, 1)))
        export_keras(model, tmp_path / f"{name}.keras")
        assert model.compiled
        expected[name] = keras.ops.convert_to_numpy(model(taken)).ravel()
    found = _run(SCORE_KERAS_FILES, tmp_path, *MODELS, PYTHONPATH=str(ROOT))
    for name, scores in expected.items():
        _assert_close(found[name], scores)


TRAINED_WITH_JAX = """
import json, sys
import keras, numpy as np
from keras_qa.export import export_keras, export_saved_model
from keras_qa.models import HyperQA
assert keras.backend.backend() == "jax"
model = HyperQA(50, 8, 6)
export_keras(model, "jax.keras")
try:
    export_saved_model(model, [], "saved_model")
except ValueError as error:
    message = str(error)
ids = {"question": np.array([[2, 3, 4]]), "answer": np.array([[5, 6, 1]])}
print(json.dumps([message, float(model(ids)[0, 0])]))
"""


@needs_tensorflow
@pytest.mark.skipif(importlib.util.find_spec("jax") is None, reason="needs jax")
def test_a_model_trained_with_jax_is_exported_through_its_keras_file(tmp_path):
    message, expected = _run(
        TRAINED_WITH_JAX, tmp_path, PYTHONPATH=str(ROOT), KERAS_BACKEND="jax"
    )
    assert "set KERAS_BACKEND=tensorflow" in message
    assert message.endswith("Received: keras.backend.backend()='jax'")
    model = keras.models.load_model(tmp_path / "jax.keras")
    words = Vocabulary(f"w{i}" for i in range(48)).words
    export_saved_model(model, words, tmp_path / "saved_model")
    scorer = load_saved_model(tmp_path / "saved_model")
    _assert_close(scorer.score(["w0 w1 w2"], ["w3 w4 new"]), [expected])


# === In this process ===

pytestmark = pytest.mark.filterwarnings("error::UserWarning")


@needs_tensorflow
@pytest.mark.parametrize("name", MODELS)
def test_verify_export(models, exported, name):
    largest = verify_export(
        exported / name,
        models[name],
        VOCABULARY.words,
        QUESTIONS,
        ANSWERS,
        **READING[name],
    )
    assert largest <= 1e-5


@needs_tensorflow
def test_verify_export_finds_another_model(exported):
    other = _randomise(HyperQA(len(VOCABULARY), 16, 12))
    other.trainable_weights[-1].assign([0.25])
    with pytest.raises(
        ValueError, match=r"expected the scores .* Received: .*'serving_def"
    ):
        verify_export(
            exported / "hyperqa", other, VOCABULARY.words, ["w1"], ["w2"]
        )


@needs_tensorflow
def test_rank_orders_best_first_and_ties_by_position(models, exported):
    scorer = load_saved_model(exported / "cosineqa")
    candidates = ["w3", "w5 w6", "w3", "", "w7", "W3", ""]
    scores, order = scorer.rank("w1 w2", candidates)
    expected = _in_memory(
        models["cosineqa"], ["w1 w2"] * len(candidates), candidates
    )
    _assert_close(scores, expected)
    assert scores[0] == scores[2] == scores[5]
    assert scores.dtype == np.float32
    assert order.dtype == np.int32
    best_first = sorted(range(len(scores)), key=lambda i: (-scores[i], i))
    assert order.tolist() == best_first


@needs_tensorflow
@pytest.mark.parametrize("name", MODELS)
def test_nothing_to_score(exported, name):
    scorer = load_saved_model(exported / name)
    assert scorer.score([], []).shape == (0,)
    scores, order = scorer.rank("w1 w2", [])
    assert scores.shape == order.shape == (0,)


@needs_tensorflow
def test_surrogates_in_python_strings(exported):
    scorer = load_saved_model(exported / "hyperqa")
    scores = scorer.score(["w1 \ud83d\ude00"] * 2, ["w2 \udfff", "w2 \ufffd"])
    assert scores[0] == scores[1]


@needs_tensorflow
@pytest.mark.parametrize("name", ["hyperqa", "overlap", "overlap-fixed"])
def test_long_texts_do_not_pad_short_ones(models, name, monkeypatch, tmp_path):
    text = pytest.importorskip("keras_qa.text")
    monkeypatch.setattr(text, "POSITIONS", 40)
    model, reading = models[name], READING[name]
    path = tmp_path / "small_chunks"
    export_saved_model(model, VOCABULARY.words, path, **reading)
    scorer = load_saved_model(path)
    some = slice(13, None)
    expected = score_texts(
        model, VOCABULARY.words, QUESTIONS[some], ANSWERS[some], **reading
    )
    _assert_close(scorer.score(QUESTIONS[some], ANSWERS[some]), expected)
    scores, _ = scorer.rank(QUESTIONS[13], ANSWERS[13:15] * 9)
    _assert_close(scores[::2], expected[:1].repeat(9))


@needs_tensorflow
@pytest.mark.parametrize("name", ["overlap", "overlap-fixed"])
def test_overlap_changes_scores(models, exported, name):
    """Texts of the same ids whose words are shared or not."""
    scorer = load_saved_model(exported / name)
    asked, candidates = (
        "w1 unheard",
        ["w2 unheard of", "w2 unheard unseen", "w2 unknown unseen"],
    )
    scores, _ = scorer.rank(asked, candidates)
    _assert_close(scorer.score([asked] * 3, candidates), scores)
    assert abs(np.diff(scores)).min() > 1e-3
    _assert_close(
        scores,
        _in_memory(models[name], [asked] * 3, candidates, **READING[name]),
    )


@needs_tensorflow
def test_verify_export_finds_other_counts(models, exported):
    other = OverlapFeatures.fit([["w1"], ["w2", "new"], ["w1", "new"]])
    with pytest.raises(ValueError, match="expected the scores of the model"):
        verify_export(
            exported / "overlap",
            models["overlap"],
            VOCABULARY.words,
            QUESTIONS,
            ANSWERS,
            **{**READING["overlap"], "overlap": other},
        )


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


@pytest.mark.parametrize(("name", "overlap", "message"), OVERLAP_ERRORS)
def test_overlap_is_what_the_model_takes(
    models, tmp_path, name, overlap, message
):
    model = models.get(name) or _with_overlap(features=3)
    words = VOCABULARY.words
    with pytest.raises(ValueError, match=message):
        score_texts(model, words, ["w1"], ["w2"], overlap=overlap)
    if keras.backend.backend() == "tensorflow":
        with pytest.raises(ValueError, match=message):
            export_saved_model(
                model, words, tmp_path / "saved_model", overlap=overlap
            )
    assert os.listdir(tmp_path) == []


@needs_tensorflow
def test_weights_are_stored_once(tmp_path):
    model = HyperQA(20_000, 50, 10)
    model.compile("adam", "mse")
    words = Vocabulary(f"word{i}" for i in range(19_998)).words
    export_saved_model(model, words, tmp_path / "saved_model")
    size = sum(
        file.stat().st_size
        for file in (tmp_path / "saved_model").rglob("*")
        if file.is_file()
    )
    weights = 4 * model.count_params()
    letters = sum(map(len, words))
    assert weights < size < weights + 5 * letters + 200_000


@needs_tensorflow
def test_half_precision_scores_become_float32(tmp_path):
    ids = [
        keras.Input((None,), dtype="int32", name=side)
        for side in ("question", "answer")
    ]
    embed = keras.layers.Embedding(len(VOCABULARY), 4, dtype="float16")
    pool = keras.layers.GlobalMaxPooling1D(dtype="float16")
    q, a = (pool(embed(i)) for i in ids)
    model = keras.Model(
        {"question": ids[0], "answer": ids[1]},
        keras.layers.Dot(-1, dtype="float16")([q, a]),
    )
    export_saved_model(model, VOCABULARY.words, tmp_path / "saved_model")
    scores = load_saved_model(tmp_path / "saved_model").score(["w1"], ["w2"])
    assert scores.dtype == np.float32
    _assert_close(scores, _in_memory(model, ["w1"], ["w2"]))


@needs_tensorflow
def test_an_existing_target_stays_unless_overwritten(models, tmp_path):
    path = tmp_path / "new" / "saved_model"
    export_saved_model(models["hyperqa"], VOCABULARY.words, path)
    before = load_saved_model(path).score(["w1"], ["w2"])
    with pytest.raises(
        FileExistsError, match=r"unless `overwrite=True`. Received: path="
    ):
        export_saved_model(models["cosineqa"], VOCABULARY.words, path)
    with pytest.raises(ValueError, match="`tokenizer` must be one of"):
        export_saved_model(
            models["cosineqa"], VOCABULARY.words, path, "bpe", overwrite=True
        )
    assert load_saved_model(path).score(["w1"], ["w2"]) == before
    export_saved_model(
        models["cosineqa"], VOCABULARY.words, path, overwrite=True
    )
    assert load_saved_model(path).score(["w1"], ["w2"]) != before
    assert os.listdir(path.parent) == ["saved_model"]


@needs_tensorflow
def test_only_a_saved_model_is_overwritten(models, tmp_path):
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(FileExistsError, match="must be a SavedModel, to be"):
        export_saved_model(
            models["hyperqa"], VOCABULARY.words, tmp_path, overwrite=True
        )
    assert os.listdir(tmp_path) == ["thesis.tex"]


@needs_tensorflow
def test_an_interrupted_export_leaves_nothing(models, tmp_path, monkeypatch):
    def fail(module, path, signatures):
        Path(path).mkdir()
        raise KeyboardInterrupt

    monkeypatch.setattr(tf.saved_model, "save", fail)
    with pytest.raises(KeyboardInterrupt):
        export_saved_model(
            models["hyperqa"], VOCABULARY.words, tmp_path / "saved_model"
        )
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
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"vocabulary": ["", "[UNK]", "w1"]},
            r"`vocabulary` must have the 305 words .*Received: 3 words",
        ),
        (
            {"max_question_length": 0},
            r"`max_question_length` must be at least 1. Received: max_q.*=0",
        ),
        (
            {"max_answer_length": -1},
            r"`max_answer_length` must be at least 1. Received: max_a.*=-1",
        ),
    ],
)
def test_errors(models, tmp_path, arguments, message):
    arguments = {"vocabulary": VOCABULARY.words, **arguments}
    with pytest.raises(ValueError, match=message):
        export_saved_model(
            models["hyperqa"], path=tmp_path / "saved_model", **arguments
        )
    assert os.listdir(tmp_path) == []


@needs_tensorflow
def test_a_length_beyond_what_the_model_takes(models, tmp_path):
    with pytest.raises(
        ValueError, match=r"must not exceed the 12 tokens .*Received.*=13"
    ):
        export_saved_model(
            models["plain"],
            VOCABULARY.words,
            tmp_path / "saved_model",
            max_answer_length=13,
        )


def test_keras_files_end_in_keras(tmp_path):
    with pytest.raises(ValueError, match=r"must end in .keras. Received: pa"):
        export_keras(HyperQA(10, 3, 2), tmp_path / "model.h5")
    folder = tmp_path / "model.keras"
    folder.mkdir()
    with pytest.raises(IsADirectoryError, match="must not be a folder"):
        export_keras(HyperQA(10, 3, 2), folder)
    assert folder.is_dir()


@needs_tensorflow
def test_pairs_must_match(exported):
    scorer = load_saved_model(exported / "hyperqa")
    with pytest.raises(ValueError, match="Received: 1 questions, 2 answers"):
        scorer.score(["w1"], ["w2", "w3"])
    signatures = tf.saved_model.load(exported / "hyperqa").signatures
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="must hold equally many texts"
    ):
        signatures["serving_default"](
            question=tf.constant(["w1"]), answer=tf.constant(["w2", "w3"])
        )
