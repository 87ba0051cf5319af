"""A SavedModel of today scores the same under TensorFlow 2.15.

    python -m pytest -m large tests/export/tf215

makes an environment of its own beside this file's repository (some 2 GB, a
few minutes, once), in `build/tf215`; KERAS_QA_TF215 names one that exists.
TensorFlow 2.15.1 and TensorFlow Addons 0.23.0 run on Python 3.9 to 3.11.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import keras
import numpy as np
import pytest

from keras_qa.export.saved_model import SavedModel
from keras_qa.export.saved_model import export_saved_model
from keras_qa.models import CosineQA
from keras_qa.models import HyperQA
from keras_qa.ranking.padded import score_padded
from keras_qa.text.overlap import OverlapFeatures
from keras_qa.text.reading import TextReading
from keras_qa.text.tokenizer import tokenize
from keras_qa.text.vocabulary import Vocabulary

pytestmark = [
    pytest.mark.large,
    pytest.mark.skipif(
        keras.backend.backend() != "tensorflow",
        reason="a SavedModel is written with the TensorFlow backend",
    ),
]
HERE = Path(__file__).parent
VOCABULARY = Vocabulary([*(f"w{i}" for i in range(2000)), "שלום", "漢字", "👩"])


def _text(seed, length, words=VOCABULARY.words[2:]):
    return " ".join(np.random.default_rng(seed).choice(words, size=length))


PAIRS = [
    ("W1 w2, W3?", "w4 w5 w6."),
    ("w1 w2", "w1 w2"),
    ("", ""),
    ("", "w7 w8"),
    ("w7 w8", ""),
    ("words never seen", "w9 w10"),
    ("words never seen", "none of these either"),
    ("w12 w13", _text(1, 10_000, ["these", "words", "are", "new"])),
    ("Who is 👩\u200d🔬?", "👩 שלום, 漢字 w11 İΣ e\u0301 \ufdd0"),
    (_text(2, 9), _text(3, 10_000)),
    *((_text(seed, 9), _text(seed + 50, 40)) for seed in range(4, 50)),
]
QUESTIONS, ANSWERS = (list(side) for side in zip(*PAIRS, strict=True))
OVERLAP = OverlapFeatures.fit(map(tokenize, [*QUESTIONS, *ANSWERS]))


@pytest.fixture(scope="module")
def python() -> Path:
    """The Python of an environment with TensorFlow 2.15."""
    given = os.environ.get("KERAS_QA_TF215")
    folder = Path(given or HERE.parents[2] / "build" / "tf215")
    if given or (folder / "installed").exists():
        return folder / "bin" / "python"
    creator = (
        sys.executable
        if sys.version_info < (3, 12)
        else next(filter(shutil.which, ("python3.11", "python3.10")), None)
    )
    if creator is None:
        pytest.fail("TensorFlow 2.15 needs Python 3.10 or 3.11 on the PATH")
    subprocess.run([creator, "-m", "venv", "--clear", folder], check=True)
    subprocess.run(
        [
            *(folder / "bin" / "python", "-m", "pip", "install", "--quiet"),
            *("--requirement", HERE / "requirements.txt"),
        ],
        check=True,
    )
    (folder / "installed").touch()
    return folder / "bin" / "python"


def _with_overlap():
    """The cosine of two texts and, beside it, the overlap features."""
    cosine = CosineQA(len(VOCABULARY), 300, 300)
    overlap = keras.Input((4,), name="overlap")
    joined = keras.layers.Concatenate()([cosine.output, overlap])
    score = keras.layers.Dense(1)(joined)
    return keras.Model({**cosine.input, "overlap": overlap}, score)


MODELS = {
    "hyperqa": lambda: HyperQA(len(VOCABULARY), 300, 300),
    "expmap": lambda: HyperQA(len(VOCABULARY), 300, 150, projection="expmap"),
    "cosineqa": lambda: CosineQA(len(VOCABULARY), 300, 300),
    "overlap": _with_overlap,
}


@pytest.mark.parametrize("name", MODELS)
def test_scores_under_tensorflow_215(python, name, tmp_path):
    keras.utils.set_random_seed(0)
    model = MODELS[name]()
    path = tmp_path / "saved_model"
    overlap = OVERLAP if name == "overlap" else None
    reading = TextReading(VOCABULARY, overlap=overlap)
    export_saved_model(model, reading, path)
    expected = score_padded(model, *reading.pairs(QUESTIONS, ANSWERS))
    ranked = SavedModel(path).scores(QUESTIONS[0], ANSWERS)
    done = subprocess.run(
        [python, HERE / "score.py", path],
        input=json.dumps(PAIRS),
        capture_output=True,
        text=True,
        # Nothing of this environment's packages may be found by the other.
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": "",
            "TF_CPP_MIN_LOG_LEVEL": "3",
        },
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["tensorflow"] == "2.15.1"
    assert found["tensorflow_addons"] == "0.23.0"
    assert not found["keras_qa"]
    assert np.isfinite(expected).all()
    np.testing.assert_allclose(found["score"], expected, rtol=0, atol=1e-5)
    np.testing.assert_allclose(found["scores"], ranked, rtol=0, atol=1e-5)
    # Candidates closer than 1e-5 may change places; so compare with its own.
    best_first = np.argsort(-np.array(found["scores"]), kind="stable")
    assert found["order"] == best_first.tolist()
