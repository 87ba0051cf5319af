"""Exports models of all kinds and scores the files in new processes.

As a script, it tries models of the kit, by default all, and writes the results
into their rows of the table in docs/exports.md:

    python tests/support/export_checks.py
    python tests/support/export_checks.py CTRN IAM
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import keras
import numpy as np

from keras_qa.export.keras_file import export_keras
from keras_qa.export.onnx import export_onnx
from keras_qa.export.saved_model import export_saved_model
from keras_qa.export.tflite import export_lite
from keras_qa.text.overlap import OverlapFeatures
from keras_qa.text.reading import TextReading
from keras_qa.text.tokenizer import tokenize
from keras_qa.text.vocabulary import Vocabulary
from keras_qa.text.vocabulary import pad
from support import all_models

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "exports.md"
BEGIN, END = "<!-- begin table -->\n", "<!-- end table -->\n"
TOLERANCE = 1e-4
FORMATS = {
    "keras": "`.keras`",
    "saved_model": "SavedModel",
    "onnx": "ONNX",
    "tflite": "TensorFlow Lite",
}

# The models that `export_saved_model` must refuse, and the table's reason.
NO_TEXT = {
    "BidirectionalLanguageModel": "no: it scores no pairs, but the words of "
    "one text",
    "IAM with contextual vectors": "no: it takes the numbers of questions "
    "whose vectors it holds",
    "MRNN of vectors": "no: it takes vectors that another model made of text",
}

WORDS = Vocabulary(f"w{i}" for i in range(all_models.VOCABULARY_SIZE - 2))
PAIRS = [
    ("W1 w2, W3?", "w4 w5 w6."),
    ("w7", "w7"),
    ("w8 w9 w1 w2 w3", "w1 w2 w10 w11 w12 w13 w14 w15 w16"),
    ("never seen", "w17 nor this w18"),
    ("w19 w19 w20", "w21"),
    ("", "w22 w23"),
]
LENGTHS = {"question": 7, "answer": 10}
OVERLAP = OverlapFeatures.fit(tokenize(text) for p in PAIRS for text in p)


def build(name):
    """The model, with all four features of overlap if it has any."""
    overlap = {"overlap_features": 4} if "overlap" in name else {}
    return all_models.build(name, **overlap)


def inputs_for(model):
    """The inputs of a model for `PAIRS`, as a dict of arrays."""
    sides = zip(*PAIRS, strict=True)
    tokens = [[tokenize(text) for text in side] for side in sides]
    ids = [pad([WORDS.encode(text) for text in side]) for side in tokens]
    inputs = all_models.inputs_for(model, *ids)
    if not isinstance(inputs, dict):
        return {model.inputs[0].name: inputs}
    if "overlap" in inputs:
        inputs["overlap"] = np.stack(
            [OVERLAP.pair(*pair) for pair in zip(*tokens, strict=True)]
        )
    return inputs


def scores_of(model, inputs):
    taken = inputs
    if not isinstance(model.input, dict):
        (taken,) = inputs.values()
    return keras.ops.convert_to_numpy(model(taken, training=False))


def export_all(names, folder):
    """Writes all forms of the models, their inputs and their scores.

    Returns:
        By name and form, the table's reason for a form that is refused.
    """
    refused = {}
    for name in names:
        refused[name] = {}
        model, to = build(name), folder / name
        to.mkdir()
        inputs = inputs_for(model)
        np.savez(to / "inputs.npz", **inputs)
        np.save(to / "scores.npy", scores_of(model, inputs))
        overlap = OVERLAP if "overlap" in name else None
        every = TextReading(WORDS, overlap=overlap)
        reading = every.cut_to(LENGTHS) if model.vocabulary_size else None
        export_keras(model, to / "model.keras")
        export_onnx(model, reading, to / "ranker-onnx")
        export_lite(
            model,
            reading,
            to / "ranker-tflite",
            lengths=LENGTHS,
            # Of one pair alone, Keras makes other operations of some sums.
            pairs=1,
        )
        try:
            export_saved_model(model, every, to / "ranker")
        except ValueError as error:
            assert "must take word ids of a question" in str(error), name
            refused[name]["saved_model"] = NO_TEXT[name]
    (folder / "pairs.json").write_text(json.dumps(PAIRS), "utf-8")
    return refused


# The beginning of the scripts that score the files in new processes. `ask`
# returns a function for the calling thread, which returns scores.
PREPARE = """
import json, os, sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np

THREADS = 8

def asked_at_once(ask):
    barrier = Barrier(THREADS)
    def twice(_):
        score = ask()
        barrier.wait()
        return [score(), score()]
    with ThreadPoolExecutor(THREADS) as pool:
        found = [s for both in pool.map(twice, range(THREADS)) for s in both]
    for other in found[1:]:
        np.testing.assert_allclose(other, found[0], rtol=0, atol=1e-6)
    return found[0]

def scores_in_files(ask, form):
    for name in sys.argv[1:]:
        os.chdir(name)
        inputs = dict(np.load("inputs.npz"))
        if os.path.exists(form):
            np.save(form + ".npy", asked_at_once(ask(inputs)))
        os.chdir("..")
"""

WITHOUT_KERAS_QA = (
    PREPARE
    + """
import onnxruntime, tensorflow as tf

questions, answers = (
    tf.constant(side) for side in zip(*json.load(open("pairs.json")))
)

def saved_model(inputs):
    loaded = tf.saved_model.load("ranker")
    score = loaded.signatures["serving_default"]
    def ask():
        one = score(question=questions[:1], answer=answers[:1])["score"]
        many = score(question=questions, answer=answers)["score"].numpy()
        np.testing.assert_allclose(one[0], many[0], rtol=0, atol=1e-5)
        return many[:, None]
    return lambda: ask

def onnx(inputs):
    session = onnxruntime.InferenceSession("ranker-onnx/model.onnx")
    def ask():
        (many,) = session.run(["score"], inputs)
        (one,) = session.run(["score"], {k: x[:1] for k, x in inputs.items()})
        np.testing.assert_allclose(one[0], many[0], rtol=0, atol=1e-5)
        return many
    return lambda: ask

def tflite(inputs):
    data = open("ranker-tflite/model.tflite", "rb").read()
    def of_this_thread():
        interpreter = tf.lite.Interpreter(model_content=data)
        interpreter.allocate_tensors()
        def score(i):
            for given in interpreter.get_input_details():
                (x,) = [x for k, x in inputs.items() if k == given["name"]]
                row = np.zeros(given["shape"], given["dtype"])
                row[tuple(map(slice, x[:1].shape))] = x[i]
                interpreter.set_tensor(given["index"], row)
            interpreter.invoke()
            (scores,) = interpreter.get_output_details()
            return interpreter.get_tensor(scores["index"])
        count = len(next(iter(inputs.values())))
        return lambda: np.concatenate([score(i) for i in range(count)])
    return of_this_thread

scores_in_files(saved_model, "ranker")
scores_in_files(onnx, "ranker-onnx")
scores_in_files(tflite, "ranker-tflite")
assert not any(module.startswith("keras_qa") for module in sys.modules)
"""
)

WITH_THE_CLASSES = (
    PREPARE
    + """
import keras
import keras_qa.models

def from_keras(inputs):
    model = keras.models.load_model("model.keras")
    taken = inputs
    if not isinstance(model.input, dict):
        (taken,) = inputs.values()
    return lambda: lambda: keras.ops.convert_to_numpy(model(taken))

scores_in_files(from_keras, "model.keras")
for module in ("export", "datasets", "training", "optimizers"):
    assert "keras_qa." + module not in sys.modules, module
"""
)

FILES = {
    "keras": "model.keras",
    "saved_model": "ranker",
    "onnx": "ranker-onnx",
    "tflite": "ranker-tflite",
}


def run(script, folder, *names, path=""):
    """Runs a script in a new process, in a folder of exported models."""
    done = subprocess.run(
        [sys.executable, "-c", script, *names],
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONPATH": path},
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def check(names, folder, further=""):
    """Exports models, loads them in new processes and compares the scores.

    Args:
        names: the models.
        folder: for their files, each model in a folder of its name.
        further: a program that runs in the process without keras_qa, too.

    Returns:
        The cells of the table, by the name of the model and the form.
    """
    refused = export_all(names, folder)
    run(f"{WITHOUT_KERAS_QA}\n{further}", folder, *names)
    run(WITH_THE_CLASSES, folder, *names, path=str(ROOT))
    cells = {}
    for name in names:
        expected = np.load(folder / name / "scores.npy")
        assert np.ptp(expected) > 10 * TOLERANCE, name
        cells[name] = dict(refused[name])
        for form, file in FILES.items():
            if form not in refused[name]:
                found = np.load(folder / name / f"{file}.npy")
                found = found[:, : expected.shape[1]]
                np.testing.assert_allclose(
                    found, expected, rtol=0, atol=TOLERANCE, err_msg=name
                )
                cells[name][form] = "yes"
    return cells


def row(name, cells):
    """A model's row of the table."""
    return f"| {name} | {' | '.join(cells[form] for form in FORMATS)} |"


def rows_of(page):
    """The rows of the table on the page, by the name of the model."""
    lines = page.split(BEGIN)[1].split(END)[0].splitlines()[2:]
    return {line.split("|")[1].strip(): line for line in lines}


def table(rows):
    """The table with the given rows; other models are 'not tried'."""
    heads = ["model", *FORMATS.values()]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    untried = dict.fromkeys(FORMATS, "not tried")
    for name in sorted(all_models.MODELS):
        lines.append(rows.get(name) or row(name, untried))
    return "".join(f"{line}\n" for line in lines)


def write_rows(cells):
    """Writes rows into the page and keeps its other rows."""
    page = PAGE.read_text("utf-8")
    rows = rows_of(page) | {name: row(name, cells[name]) for name in cells}
    before, after = page.split(BEGIN)[0], page.split(END)[1]
    PAGE.write_text(before + BEGIN + table(rows) + END + after, "utf-8")


def main():
    """Tries the models that the arguments name and writes their rows."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        write_rows(check(sys.argv[1:] or all_models.MODELS, Path(folder)))


if __name__ == "__main__":
    main()
