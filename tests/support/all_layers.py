"""Arguments and inputs of every layer."""

import numpy as np

from keras_qa import layers
from keras_qa.layers.interactive_attention import PARTS
from keras_qa.layers.pair_layer import PairLayer

ARGUMENTS = {
    "AlignmentFeatures": {"vocabulary_size": 9},
    "AppendToken": {"token_id": 9},
    "AttentiveBiLSTM": {"units": 2},
    "BM25": {"vocabulary_size": 9},
    "BidirectionalStack": {"units": 2},
    "BoostedTrees": {"trees": 3, "depth": 2},
    "CrossTemporalLayer": {"units": 2},
    "DuplexAttention": {"max_document_length": 5},
    "FixedLength": {"length": 3},
    "GatedConvolution2D": {"filters": 4, "kernel_size": 3},
    "GatedConvolution": {"filters": 4, "kernel_size": 3},
    "InnerAttentionGRU": {"units": 2},
    "InteractiveAttention": {"vocabulary_size": 9},
    "NGramDenseBlock": {"filters": 4, "blocks": 2},
    "KMaxPooling": {"k": 2},
    "NarrowConvolution": {"filters": 4, "kernel_size": 3},
    "NeuralTensor": {"units": 2},
    "PackedTexts": {"cls_id": 2, "sep_id": 3, "max_length": 9},
    "PerDimensionConvolution": {"filters": 4, "kernel_size": 3},
    "PairConvolution": {"filters": 4, "kernel_size": 3},
    "PositionInfluence": {"units": 3},
    "QRNNLayer": {"units": 2},
    "QueryAttention": {"max_document_length": 5},
    "RelationSum": {"units": 3},
    "SequentialAttention": {"units": 2},
    "SoftmaxBlock": {"size": 3},
    "TextConvolution": {"filters": 4, "kernel_size": 3},
    "TextVectors": {"vectors": (7, 5, 4)},
    "TfIdf": {"vocabulary_size": 9},
    "WideConvolution": {"filters": 4, "kernel_size": 3},
    "WindowPooling": {"kernel_size": 3},
    "WindowSums": {"kernel_size": 3},
    "WordPrediction": {"vocabulary_size": 9},
    "WordProjection": {"units": 2},
}

SEQUENCE = ("batch_size", "length", "dim")
# Axes of the inputs of layers that do not name them, unless a sequence.
AXES = {
    "AppendToken": ("batch_size", "length"),
    "BoostedTrees": ("batch_size", "dim"),
    "FixedLength": ("batch_size", "length"),
    "GatedConvolution2D": ("batch_size", "length", "length", "dim"),
    "InteractiveAttention": PARTS,
    "NGramAttention": ("batch_size", "blocks", "length", "dim"),
    "PackedTexts": ("batch_size", "length"),
    "SoftmaxBlock": ("batch_size", "blocks"),
    "TfIdf": ("batch_size", "length"),
}
# Layers of ids alone, and what else has ids or a mask.
OF_IDS = {"AppendToken", "FixedLength", "PackedTexts", "PositionInfluence"}
OF_IDS |= {"TfIdf"}
DTYPES = {"ids": "int32", "rows": "int32", "mask": "bool"}


def inputs_of(name):
    """Arrays that a layer takes: one, a list or a dict of them."""
    layer = getattr(layers, name)
    if issubclass(layer, PairLayer):
        return [_array(name, *part) for part in layer.parts.items()]
    axes = AXES.get(name, SEQUENCE)
    if isinstance(axes, tuple):
        return _array(name, "sequence", axes)
    return {part: _array(name, part, axes[part]) for part in axes}


def _array(layer, part, axes):
    dtype = DTYPES.get(part.split("_")[-1], "float32")
    values = np.random.default_rng(0).uniform(0, 1, list(map(_size, axes)))
    if layer in OF_IDS or dtype == "int32":
        return (4 * values).astype("int32")
    return (values < 0.9 if dtype == "bool" else values).astype(dtype)


def _size(axis):
    sizes = {"batch_size": 2, "...": 2, "blocks": 3, "1": 1, "answer_words": 5}
    sizes["question_words"] = 5
    return sizes.get(axis, 5 if "length" in axis else 4)
