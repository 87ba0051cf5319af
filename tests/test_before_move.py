"""Files that were written before the modules moved load and score the same.

`data/before_move/README.md` says how they were made.
"""

import json
from pathlib import Path

import keras
import numpy as np
import pytest

from keras_qa import Ranker
from keras_qa.export.keras_file import load_model
from support.search_runs import command

FILES = Path(__file__).parent / "data" / "before_move"
MODELS = json.loads((FILES / "models/scores.json").read_text("utf-8"))
RANKED = json.loads((FILES / "export_expected.json").read_text("utf-8"))
FOUND = json.loads((FILES / "index_expected.json").read_text("utf-8"))
QUESTION, CANDIDATES = RANKED["question"], RANKED["candidates"]


def test_all_files_are_tried():
    assert set(MODELS) == {p.name for p in FILES.glob("models/*.keras")}
    assert len(MODELS) == 21


@pytest.mark.parametrize("name", MODELS)
def test_keras_files(name):
    model, expected = load_model(FILES / "models" / name), MODELS[name]
    assert type(model).__name__ == expected["class"]
    inputs = expected["inputs"]
    if "values" in inputs:
        taken = np.array(inputs["values"], inputs["dtype"])
    else:
        taken = {
            side: np.array(given["values"], given["dtype"])
            for side, given in inputs.items()
        }
    scores = keras.ops.convert_to_numpy(model(taken, training=False))
    # What TensorFlow computed; points near the boundary of the ball have few
    # digits on other backends.
    np.testing.assert_allclose(scores, expected["outputs"], atol=5e-5)


def test_a_run_ranks_as_it_did():
    ranked = Ranker.load(FILES / "run_hyperqa").rank(QUESTION, CANDIDATES)
    expected = RANKED["ranked"]
    assert [i for i, _ in ranked] == [int(r["answer_id"]) - 1 for r in expected]
    assert [score for _, score in ranked] == pytest.approx(
        [row["score"] for row in expected], abs=1e-4
    )


def test_a_run_with_overlap_of_words():
    """The overlap of words reaches the model."""
    ranker = Ranker.load(FILES / "run_ctrn")
    assert ranker.reading.overlap is not None
    same, other = "silver gold zinc", "silver gold tin"
    scores = ranker.scores([same, other], [same, same])
    assert scores[0] != scores[1]


@pytest.mark.skipif(
    keras.backend.backend() != "tensorflow", reason="needs TensorFlow Lite"
)
def test_tensorflow_lite():
    import tensorflow as tf

    path = FILES / "tflite" / "model.tflite"
    interpreter = tf.lite.Interpreter(str(path))
    interpreter.allocate_tensors()
    reading = Ranker.load(FILES / "run_hyperqa").reading
    by_text = {row["answer"]: row["score"] for row in RANKED["ranked"]}
    for text in CANDIDATES:
        for given in interpreter.get_input_details():
            side = "question" if "question" in given["name"] else "answer"
            asked = QUESTION if side == "question" else text
            width = given["shape"][1]
            ids = reading.texts(side, [asked]).padded(np.array([0]), width)
            interpreter.set_tensor(given["index"], ids)
        interpreter.invoke()
        (result,) = interpreter.get_output_details()
        score = interpreter.get_tensor(result["index"]).item()
        assert score == pytest.approx(by_text[text], abs=1e-4)


@pytest.mark.parametrize("name", FOUND)
def test_indexes_answer_as_they_did(name, capsys):
    pytest.importorskip("faiss")
    for asked in FOUND[name]:
        options = ("--question", asked["question"], "--format", "jsonl")
        assert command("ask", FILES / name, *options, "--top", 5) == 0
        lines = capsys.readouterr().out.splitlines()
        rows = [json.loads(line) for line in lines]
        assert [row.pop("score") for row in rows] == pytest.approx(
            [row.pop("score") for row in asked["answers"]], abs=1e-4
        )
        # A later column.
        for row in rows:
            assert "readable" not in row.pop("notes")
        assert rows == asked["answers"]
