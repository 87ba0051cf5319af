"""Further outputs of ONNX models: those of the Keras models, by name."""

import json

import keras
import numpy as np
import pytest

from keras_qa.export.views import add_views
from keras_qa.models import BM25Ranker
from keras_qa.models import FusionRanker
from keras_qa.text.reading import TextReading
from keras_qa.text.vocabulary import Vocabulary
from support import all_models
from support.all_models import ANSWER
from support.all_models import QUESTION
from support.all_models import build

pytestmark = pytest.mark.skipif(
    keras.backend.backend() != "tensorflow",
    reason="models are converted with the TensorFlow backend",
)
PAIRS = {"question": QUESTION, "answer": ANSWER}
WEIGHTS = {
    side: {"kind": "weights", "side": side, "output": f"{side}_weights"}
    for side in ("question", "answer")
}
MATCH = "match of each word of the question and of the answer"
LOOKS_UP = "what each word of the question looks up in the answer"
POINTS = {
    "kind": "points",
    "question": "question_point",
    "answer": "answer_point",
    "distance": "point_distance",
}


BLOCKS = {
    **{"kind": "blocks", "grams": [1, 3]},
    **{side: f"{side}_blocks" for side in WEIGHTS},
}
JUMPS = {
    "kind": "numbers",
    "side": "answer",
    "output": "answer_jumps",
    "title": "jump from each word of the answer to the next one",
}


def map_of(title, **more):
    return {"kind": "map", "output": "question_map", "title": title, **more}


def computed(model):
    return {
        name: keras.ops.convert_to_numpy(x)
        for name, x in model(PAIRS, training=False).items()
    }


@pytest.mark.parametrize(
    ("name", "views"),
    [
        ("AttentiveCNN", [WEIGHTS["answer"]]),
        ("APCNN", [*WEIGHTS.values(), map_of(MATCH)]),
        ("IAM", [{**WEIGHTS["answer"], "end": True}, JUMPS]),
        (
            "MRNN",
            [WEIGHTS["answer"], map_of(LOOKS_UP, weights=True), BLOCKS],
        ),
        ("HyperQA", [POINTS]),
        ("BM25Ranker", []),
    ],
)
def test_the_views_are_what_the_attention_of_a_model_is(name, views):
    model = build(name)
    shown, found = add_views(model)
    assert found == views
    if not views:
        assert shown is model
        return
    outputs = computed(shown)
    score = keras.ops.convert_to_numpy(model(PAIRS, training=False))
    np.testing.assert_array_equal(outputs.pop("score"), score)
    expected = {}
    for kind, ending in (("attention", "weights"), ("attention_maps", "map")):
        for side, x in getattr(model, kind, lambda _: {})(PAIRS).items():
            if side == "positions":
                expected["question_map"] = x
            elif side in BLOCKS.values():
                expected[side] = x
            elif ending == "weights":
                expected[f"{side}_weights"] = x
    if JUMPS in views:
        expected["answer_jumps"] = model.jumps(PAIRS["answer"])
    if views == [POINTS]:
        for side in PAIRS:
            encoder = getattr(model, f"{side}_encoder")
            expected[f"{side}_point"] = encoder(PAIRS[side])
        distance = outputs.pop("point_distance")
        weight, bias = model.head.get_layer("score").get_weights()
        np.testing.assert_allclose(
            distance * weight + bias, score, rtol=1e-5, atol=1e-5
        )
    assert set(outputs) == set(expected)
    for output, x in expected.items():
        np.testing.assert_allclose(
            outputs[output], keras.ops.convert_to_numpy(x), atol=1e-6
        )


def test_a_sum_shows_the_views_of_its_part():
    part = build("IAM")
    model = FusionRanker([BM25Ranker(all_models.VOCABULARY_SIZE), part])
    shown, views = add_views(model)
    assert views == [{**WEIGHTS["answer"], "end": True}, JUMPS]
    outputs = computed(shown)
    for output, x in (
        ("answer_jumps", part.jumps(ANSWER)),
        ("answer_weights", part.attention(PAIRS)["answer"]),
    ):
        np.testing.assert_allclose(
            outputs[output], keras.ops.convert_to_numpy(x), atol=1e-6
        )


def test_points_by_radius_are_in_the_ball():
    model = build("HyperQA by radius")
    curvature, _ = model.head.get_layer("distance").space()
    outputs = computed(add_views(model)[0])
    points = [outputs[f"{side}_point"].astype(float) for side in PAIRS]
    norms = [(x**2).sum(-1) for x in points]
    assert max(map(np.max, norms)) < 1
    apart = ((points[0] - points[1]) ** 2).sum(-1)
    expected = np.arccosh(1 + 2 * apart / ((1 - norms[0]) * (1 - norms[1])))
    np.testing.assert_allclose(
        outputs["point_distance"][:, 0] * np.sqrt(curvature),
        expected,
        rtol=1e-3,
    )


def test_onnx_has_the_views_and_the_same_scores(tmp_path):
    pytest.importorskip("tf2onnx", reason="needs the extra onnx")
    onnxruntime = pytest.importorskip("onnxruntime")
    from keras_qa.export.onnx import export_onnx
    from keras_qa.ranker import Ranker

    model = build("APCNN")
    words = Vocabulary([f"w{i}" for i in range(2, all_models.VOCABULARY_SIZE)])
    reading = TextReading(words, readable="any")
    sessions = {}
    for views in (True, False):
        folder = tmp_path / str(views)
        export_onnx(model, reading, folder, views=views)
        sessions[views] = onnxruntime.InferenceSession(folder / "model.onnx")
    noted = json.loads((tmp_path / "True/reading.json").read_text("utf-8"))
    shown, views = add_views(model)
    assert noted["views"] == views
    assert "views" not in (tmp_path / "False/reading.json").read_text("utf-8")
    expected = computed(shown)
    outputs = {x.name: x.shape for x in sessions[True].get_outputs()}
    assert outputs == {
        "answer_weights": ["pairs", "answer_length"],
        "question_map": ["pairs", "question_length", "answer_length"],
        "question_weights": ["pairs", "question_length"],
        "score": ["pairs", 1],
    }
    for name in outputs:
        (found,) = sessions[True].run([name], PAIRS)
        np.testing.assert_allclose(found, expected[name], atol=1e-5)
    (score,) = sessions[False].run(None, PAIRS)
    np.testing.assert_array_equal(
        sessions[True].run(["score"], PAIRS)[0], score
    )
    # The other outputs are not taken for the score.
    texts = [["w2 w3", "w4"], ["w5 w6 w7", "w8"]]
    np.testing.assert_allclose(
        Ranker.load(tmp_path / "True").scores(*texts),
        Ranker(model, reading).scores(*texts),
        rtol=1e-5,
    )
