"""Exported models in new processes, without what they were made with."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys

import keras
import numpy as np
import pytest

from keras_qa.export.keras_file import export_keras
from keras_qa.export.saved_model import SavedModel
from keras_qa.export.saved_model import export_saved_model
from keras_qa.text.reading import TextReading
from keras_qa.text.vocabulary import Vocabulary
from support.export_models import ANSWERS
from support.export_models import MODELS
from support.export_models import PAIRS
from support.export_models import QUESTIONS
from support.export_models import READING
from support.export_models import ROOT
from support.export_models import VOCABULARY
from support.export_models import WIDTH
from support.export_models import assert_close
from support.export_models import in_memory
from support.export_models import needs_tensorflow
from support.export_models import randomise

pytestmark = [
    pytest.mark.filterwarnings("error::UserWarning"),
    pytest.mark.slow,
]


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
    # Elsewhere, and nothing of it is named after where it was written.
    names = ("attentive", "expmap", "overlap-fixed")
    for name in names:
        shutil.copytree(exported(name), tmp_path / name)
    (tmp_path / "pairs.json").write_text(json.dumps(PAIRS))
    found = _run(SCORE_SAVED_MODELS, tmp_path, *names, PYTHONPATH="")
    for name in names:
        model = models[name]
        expected = in_memory(model, QUESTIONS, ANSWERS, READING[name])
        assert_close(found[name]["many"], expected)
        assert_close(found[name]["one"], expected)
        expected = in_memory(
            model, QUESTIONS[:1] * len(ANSWERS), ANSWERS, READING[name]
        )
        assert_close(found[name]["rank"], expected)


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
training = "training optimizers losses datasets export ranker"
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
        model = randomise(make(), name)
        # What a loss or an optimizer would leave in the file could not load.
        model.compile("adam", _loss_of_this_test, jit_compile=False)
        taken = {side: ids[side] for side in model.input}
        model.train_on_batch(taken, np.zeros((40, 1)))
        export_keras(model, tmp_path / f"{name}.keras")
        assert model.compiled
        expected[name] = keras.ops.convert_to_numpy(model(taken)).ravel()
    found = _run(SCORE_KERAS_FILES, tmp_path, *MODELS, PYTHONPATH=str(ROOT))
    for name, scores in expected.items():
        assert_close(found[name], scores)


TRAINED_WITH_JAX = """
import json, sys
import keras, numpy as np
from keras_qa.export.keras_file import export_keras
from keras_qa.export.saved_model import export_saved_model
from keras_qa.models import HyperQA
assert keras.backend.backend() == "jax"
model = HyperQA(50, 8, 6)
export_keras(model, "jax.keras")
try:
    export_saved_model(model, None, "saved_model")
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
    assert "which starts that backend" in message
    assert message.endswith("Received: keras.backend.backend()='jax'")
    model = keras.models.load_model(tmp_path / "jax.keras")
    reading = TextReading(Vocabulary(f"w{i}" for i in range(48)))
    export_saved_model(model, reading, tmp_path / "saved_model")
    scorer = SavedModel(tmp_path / "saved_model")
    assert_close(scorer.scores(["w0 w1 w2"], ["w3 w4 new"]), [expected])
