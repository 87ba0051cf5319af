"""Tiny instances of every model of the kit, and inputs for them.

`SCORERS` has the models that score pairs, with each variant that takes other
inputs or computes differently; `MODELS` has the language model, too. Each value
builds a model with weights that are the same in every process and on every
backend:

    model = build("CTRN")
    scores = model(inputs_for(model, QUESTION, ANSWER))
"""

import inspect
from functools import partial

import keras
import numpy as np

from keras_qa import models
from support.layer_checks import run

VOCABULARY_SIZE, EMBEDDING_DIM = 30, 6

# A text without padding, texts with padding, and one without words.
QUESTION = np.array(
    [[3, 7, 7, 2, 9], [9, 0, 0, 0, 0], [4, 5, 1, 0, 0], [0] * 5], "int32"
)
ANSWER = np.array(
    [[8, 3, 1, 29], [5, 6, 0, 0], [4, 5, 9, 0], [11, 0, 0, 0]], "int32"
)
OVERLAP_FEATURES = 2
OFFSETS = (0, 3, 4, 8)  # of the words of questions with contextual vectors
CONTEXTUAL_SHAPE = (len(OFFSETS) - 1, OFFSETS[-1], 5)
POSITIVE = ("gamma", "idf", "variance")
# Bounds of random weights for which float32 scores are accurate. With larger
# weights, expmap puts points near the boundary of the ball, where 1 - |y|² has
# three digits. (The clipping of HyperQA puts all points there anyway.)
# Midpoints of far points of one direction have few digits, too.
RANGE = 0.8
RANGES = {"HyperQA by expmap": 0.2, "HyperQA by einstein": 0.2}

_POINTWISE = {"projection_dim": 5, "units": 4, "hidden_units": 6}
_POOLING = {"projection_dim": 5, "units": 4}
_IAM = {"units": 3, "layers": 2, "hidden_units": 4}
_LENGTHS = {"question_length": 5, "answer_length": 4}
_GRIDS = {"blocks": 2, "kernel_size": 2, **_LENGTHS}
_MRNN = {"filters": 4, "blocks": 2, "max_document_length": 6}
_BERT = {
    **{"num_layers": 1, "num_heads": 2, "hidden_dim": 6},
    **{"intermediate_dim": 5, "max_sequence_length": 20},
    **{"cls_id": 2, "sep_id": 3},
}


def _fused(vocabulary_size, embedding_dim):
    """The rankers of a fusion: one trained model and a floor."""
    return [
        models.CosineQA(vocabulary_size, embedding_dim, projection_dim=5),
        models.BM25Ranker(vocabulary_size),
    ]


# Class, and settings in addition to the sizes.
_SCORERS = {
    "ABCNN": (models.ABCNN, {**_GRIDS, "filters": 4}),
    "AICNN": (models.AICNN, {"filters": 4, "hidden_units": 3}),
    "ANMM": (models.ANMM, {"bins": 8, "sets": 3}),
    "ARCII": (
        models.ARCII,
        {**_GRIDS, "filters": 4, "hidden_units": 3, "activation": "tanh"},
    ),
    "AlignmentRanker": (models.AlignmentRanker, {"idf_weighted": True}),
    "APBiLSTM": (models.APBiLSTM, _POOLING),
    "APCNN": (models.APCNN, _POOLING),
    "ARCI": (models.ARCI, {"filters": 4, "hidden_units": 3}),
    "AttentiveCNN": (models.AttentiveCNN, {"filters": 4}),
    "AttentiveLSTM": (models.AttentiveLSTM, {"units": 3}),
    "BM25Ranker": (models.BM25Ranker, {}),
    "BiMPM": (models.BiMPM, {"units": 3, "perspectives": 2}),
    "BigramCNN": (models.BigramCNN, {}),
    "CNTN": (models.CNTN, {"filters": 3, "units": 4, "blocks": 2, "k": 2}),
    "BoostedRanker": (
        models.BoostedRanker,
        {"rankers": _fused, "trees": 3, "depth": 2},
    ),
    "CNNRanker": (models.CNNRanker, _POINTWISE),
    "CTRN": (models.CTRN, _POINTWISE),
    "CTRN with overlap": (
        models.CTRN,
        {**_POINTWISE, "overlap_features": OVERLAP_FEATURES},
    ),
    "CompareAggregate": (
        models.CompareAggregate,
        {"units": 4, "comparison": "submult_nn", "max_width": 2},
    ),
    "ConvBasedLSTM": (models.ConvBasedLSTM, {"units": 3, "filters": 4}),
    "ConvPoolingLSTM": (models.ConvPoolingLSTM, {"units": 3, "filters": 4}),
    "CosineQA": (models.CosineQA, {"projection_dim": 5}),
    "CrossEncoder": (models.CrossEncoder, _BERT),
    "FeatureRanker": (models.FeatureRanker, {}),
    "FengCNN": (models.FengCNN, {"hidden_units": 3, "filters": 4}),
    "FusionRanker": (models.FusionRanker, {"rankers": _fused}),
    "HDLSTM": (models.HDLSTM, {"units": 3, "hidden_units": 4}),
    "HDLSTM with overlap": (
        models.HDLSTM,
        {
            **{"units": 3, "hidden_units": 4, "bidirectional": True},
            "overlap_features": OVERLAP_FEATURES,
        },
    ),
    "HyperQA": (models.HyperQA, {"projection_dim": 5}),
    "HyperQA by expmap": (
        models.HyperQA,
        {"projection_dim": 5, "projection": "expmap"},
    ),
    **{
        f"HyperQA by {projection}": (
            models.HyperQA,
            {"projection_dim": 5, "projection": projection, **further},
        )
        # "lorentz" and "sphere" differ from "radius" in one layer.
        for projection, further in {
            "radius": {"trainable_curvature": True},
            "einstein": {},
        }.items()
    },
    "IAM": (models.IAM, _IAM),
    "IAM with contextual vectors": (
        models.IAM,
        {**_IAM, "contextual_vectors": CONTEXTUAL_SHAPE},
    ),
    "IARNN": (models.IARNN, {"units": 3}),
    "IARNN with Occam's loss": (
        models.IARNN,
        {"units": 3, "inner_attention": "context", "occam": 0.1},
    ),
    "IWAN": (models.IWAN, {"units": 3, "hidden_units": 4}),
    "IdfOverlapRanker": (models.IdfOverlapRanker, {}),
    "InferSent": (models.InferSent, {"units": 3, "hidden_units": 4}),
    "JointBiLSTM": (models.JointBiLSTM, {"units": 3, "depth": 2}),
    "KeyValueMemory": (models.KeyValueMemory, {"kernel_size": 3}),
    "LSTMRanker": (models.LSTMRanker, _POINTWISE),
    "LateInteraction": (models.LateInteraction, _BERT),
    "LogCosineQA": (models.LogCosineQA, {"projection_dim": 5}),
    "MPCNN": (
        models.MPCNN,
        {"max_width": 2, "per_dimension_filters": 2, "hidden_units": 3},
    ),
    "MRNN": (models.MRNN, _MRNN),
    "MRNN of vectors": (models.MRNN, {**_MRNN, "vocabulary_size": None}),
    "MVLSTM": (models.MVLSTM, {"units": 3, "hidden_units": 4}),
    "MultihopSequentialLSTM": (models.MultihopSequentialLSTM, {"units": 3}),
    "NTNLSTM": (models.NTNLSTM, {"units": 3, "slices": 2}),
    "QACNN": (models.QACNN, {"filters": 4}),
    "QALSTM": (models.QALSTM, {"units": 3}),
    "QRNNRanker": (models.QRNNRanker, _POINTWISE),
    "SelfLSTM": (models.SelfLSTM, {"units": 3}),
    "RNNPOA": (models.RNNPOA, {"units": 3, "influence_units": 4}),
    "RelationNetwork": (
        models.RelationNetwork,
        {
            **{"units": 4, "depth": 2, "hidden_units": 3},
            # Rectifiers of so few units are 0 for all texts.
            "activation": "tanh",
        },
    ),
    "SentenceCosineRanker": (models.SentenceCosineRanker, {}),
    "SentenceEncoder": (models.SentenceEncoder, _BERT),
    "SeverynMoschitti": (models.SeverynMoschitti, {"filters": 4}),
    "SeverynMoschitti with overlap": (
        models.SeverynMoschitti,
        {"filters": 4, "overlap_features": OVERLAP_FEATURES},
    ),
    "WordCountRanker": (models.WordCountRanker, {"weighting": "idf"}),
}


def taking(argument):
    """The names of the models that score pairs and take an argument."""
    return sorted(
        name
        for name, (model, _) in _SCORERS.items()
        if argument in inspect.signature(model).parameters
    )


def _fill(model, bound):
    """Assigns random values that are the same on every backend."""
    rng = np.random.default_rng(1)
    for weight in model.weights:
        if weight.path.endswith("offsets"):
            weight.assign(OFFSETS)
        if weight.dtype != "float32":
            continue
        if weight.path.endswith("bm25/b"):
            weight.assign(rng.uniform(0.2, 0.8))
        # Scalars and these weights must be positive.
        elif weight.ndim == 0 or weight.path.endswith(POSITIVE):
            weight.assign(rng.uniform(0.5, 1.5, weight.shape))
        else:
            weight.assign(rng.uniform(-bound, bound, weight.shape))
    return model


def _build(
    model_class,
    settings,
    bound,
    vocabulary_size=VOCABULARY_SIZE,
    embedding_dim=EMBEDDING_DIM,
    **further,
):
    sizes = {"vocabulary_size": vocabulary_size, "embedding_dim": embedding_dim}
    known = inspect.signature(model_class).parameters
    arguments = {
        **{name: size for name, size in sizes.items() if name in known},
        **settings,
        **further,
    }
    if arguments.get("rankers") is _fused:
        arguments["rankers"] = _fused(vocabulary_size, embedding_dim)
    return _fill(model_class(**arguments), bound)


SCORERS = {
    name: partial(_build, *model, RANGES.get(name, RANGE))
    for name, model in _SCORERS.items()
}
# Those that take no word vectors.
WORDLESS = (
    *("BM25Ranker", "BoostedRanker", "CrossEncoder", "FusionRanker"),
    *("IdfOverlapRanker", "LateInteraction", "SentenceEncoder"),
    "WordCountRanker",
)
# Those that have nothing that gradients change.
UNTRAINED = (
    *("AlignmentRanker", "BM25Ranker", "BoostedRanker"),
    *("IdfOverlapRanker", "SentenceCosineRanker", "WordCountRanker"),
)
MODELS = {
    **SCORERS,
    "BidirectionalLanguageModel": partial(
        _build, models.BidirectionalLanguageModel, {"units": 3}, RANGE
    ),
}


def build(name, /, *sizes, **settings):
    """Builds the model of a name.

    Args:
        name: one of `MODELS`.
        *sizes: vocabulary_size and embedding_dim, if not the defaults.
        **settings: further arguments of the model, such as `dtype`.
    """
    return MODELS[name](*sizes, **settings)


def inputs_for(model, question=QUESTION, answer=ANSWER):
    """The inputs of a model for pairs of texts.

    Args:
        model: a model of `MODELS`.
        question: word ids `(pairs, length)`.
        answer: word ids `(pairs, length)`.

    Returns:
        A dict of arrays, which depend only on the number of pairs and on these
        ids; for the language model, the ids of the answers.
    """
    if not isinstance(model.input, dict):
        return answer.astype("int32")
    rng = np.random.default_rng(2)
    dim = getattr(model, "embedding_dim", EMBEDDING_DIM)
    table = rng.normal(size=(1000, dim)).astype("float32")
    pairs = len(question)
    rows = np.arange(pairs, dtype="int32") % CONTEXTUAL_SHAPE[0]
    known = {
        "question": question.astype("int32"),
        "answer": answer.astype("int32"),
        "overlap": rng.normal(size=(pairs, OVERLAP_FEATURES)).astype("float32"),
        "question_row": rows[:, None],
    }
    if keras.backend.is_float_dtype(model.input["question"].dtype):
        for side in ("question", "answer"):
            vectors = table[known[side] % 1000]
            known[side] = vectors * (known[side] > 0)[..., None]
    return {name: known[name] for name in model.input}


def scores_of(model, question, answer, mode):
    """The scores of pairs, `(pairs,)`, in one of `layer_checks.MODES`."""
    scores = run(
        lambda q, a: model({"question": q, "answer": a}),
        question.astype("int32"),
        answer.astype("int32"),
        mode=mode,
    )
    assert scores.shape == (len(question), 1)
    return scores[:, 0]
