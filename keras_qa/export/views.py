"""What a model can show of a pair, as further outputs of an exported model.

The weights and maps are those of `keras_qa.attention`: a model's attributes
`attention` and `attention_maps`. HyperQA shows the two points of a pair, IAM
the jumps of an answer, too.
"""

from collections.abc import Mapping
from typing import Any

import keras
from keras import ops

from keras_qa import geometry
from keras_qa.attention.maps import block_grams
from keras_qa.layers.hyperbolic_distance import HyperbolicDistance
from keras_qa.models import IAM
from keras_qa.models import HyperQA
from keras_qa.text.sides import SIDES

SCORE = "score"

AXES = {
    **{f"{side}_weights": ("pairs", f"{side}_length") for side in SIDES},
    **{f"{side}_blocks": ("pairs", f"{side}_length") for side in SIDES},
    "question_map": ("pairs", "question_length", "answer_length"),
    "answer_jumps": ("pairs", "answer_length"),
}
"""The names of the axes of outputs that are not `(pairs, size)`."""

# float32 has six digits of the norm of a point that is nearer to the boundary.
_BOUNDARY = 1e-6


def add_views(
    model: keras.Model,
) -> tuple[keras.Model, list[dict[str, Any]]]:
    """A model with the same inputs that returns its views next to the score.

    A view is a dict of its `"kind"` and of the names of its outputs, float32:

    - `"weights"`: `"side"`, `"question"` or `"answer"`, and `"output"`
      `(pairs, length)`, the attention of each word of this side, 0 at padding;
      it sums to 1, or where `"end"` is true, with the weight of the end of the
      text.
    - `"numbers"`: `"title"`, `"side"` and `"output"` `(pairs, length)`, a
      number of each word of this side.
    - `"map"`: `"title"`, and `"output"` `(pairs, question_length,
      answer_length)`, a number for each two words; where `"weights"` is true,
      those of each word of the question sum to 1.
    - `"blocks"`: `"question"` and `"answer"` `(pairs, length, blocks)`, the
      weights of the blocks at each word, which sum to 1, and `"grams"`, for
      each block the number of words in its receptive field.
    - `"points"`: `"question"` and `"answer"` `(pairs, dim)`, points in the open
      unit ball, and `"distance"` `(pairs, 1)`, that of the model: it bounds 1 -
      |x|² from below, where that of the points has no digits left, and may
      have another curvature than -1.

    Of a `FusionRanker` these are the views of its first ranker that has any.

    Args:
        model: a functional model of pairs.

    Returns:
        A model of the same inputs that returns a dict of `"score"` and all
        outputs, and the views; the model itself if it has none.
    """
    if not isinstance(model.input, dict):
        return model, []
    for part in (model, *getattr(model, "rankers", ())):
        outputs, views = _views(part, model.input)
        if views:
            outputs = {name: _float32(x) for name, x in outputs.items()}
            outputs[SCORE] = model.output
            return keras.Model(model.input, outputs, name="with_views"), views
    return model, []


def _views(
    part: keras.Model, inputs: Mapping[str, Any]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The outputs and the views of a model or of a ranker in it."""
    outputs: dict[str, Any] = {}
    views: list[dict[str, Any]] = []
    for side, weights in _computed(part, "attention", inputs).items():
        name = f"{side}_weights"
        outputs[name] = weights
        views.append({"kind": "weights", "side": side, "output": name})
    maps = _computed(part, "attention_maps", inputs)
    if "positions" in maps:
        outputs["question_map"] = maps["positions"]
        found = {"kind": "map", "output": "question_map"}
        if "question_blocks" in maps:
            title = "what each word of the question looks up in the answer"
            views.append({**found, "title": title, "weights": True})
            names = {side: f"{side}_blocks" for side in SIDES}
            outputs |= {name: maps[name] for name in names.values()}
            grams = block_grams(part, maps["question_blocks"].shape[-1])
            views.append({"kind": "blocks", **names, "grams": list(grams)})
        else:
            title = "match of each word of the question and of the answer"
            views.append({**found, "title": title})
    if isinstance(part, IAM):
        views[0]["end"] = True
        if part.jumps is not None:
            outputs["answer_jumps"] = (
                part.jumps.output
                if part.input is inputs
                else part.jumps(inputs["answer"])
            )
            title = "jump from each word of the answer to the next one"
            found = {"kind": "numbers", "output": "answer_jumps"}
            views.append({**found, "side": "answer", "title": title})
    if isinstance(part, HyperQA):
        points, distance = _points(part, inputs)
        names = {side: f"{side}_point" for side in SIDES}
        outputs |= {names[side]: points[side] for side in SIDES}
        outputs["point_distance"] = distance
        views.append({"kind": "points", **names, "distance": "point_distance"})
    return outputs, views


def _computed(
    part: keras.Model, name: str, inputs: Mapping[str, Any]
) -> dict[str, Any]:
    """The symbolic outputs of one of a model's models, or none."""
    weigh = getattr(part, name, None)
    if not isinstance(weigh, keras.Model):
        return {}
    # Of the model itself they share what the score is computed of.
    if part.input is inputs:
        return dict(weigh.output)
    return weigh({name: inputs[name] for name in weigh.input})


def _points(
    part: HyperQA, inputs: Mapping[str, Any]
) -> tuple[dict[str, Any], Any]:
    """The two points in the unit ball, and their distance in the model."""
    points = {
        "question": part.question_encoder(inputs["question"]),
        "answer": part.answer_encoder(inputs["answer"]),
    }
    layer = part.head.get_layer("distance")
    distance = layer([points[side] for side in SIDES])
    if isinstance(layer, HyperbolicDistance):
        # Tangent vectors at the origin: their lengths are radii.
        curvature, _ = layer.space()
        half = float(ops.sqrt(curvature)) / 2
        points = {
            side: geometry.project(
                geometry.exp_map(ops.zeros_like(x), half * x), _BOUNDARY
            )
            for side, x in points.items()
        }
    return points, distance


def _float32(x: Any) -> Any:
    return ops.cast(x, "float32")
