"""What every layer refuses: unknown arguments, and sizes that are none."""

import inspect

import pytest

from keras_qa import layers

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
SIZES = {
    *("units", "filters", "blocks", "kernel_size", "pool_size", "layers"),
    *("num_layers", "max_document_length", "attention_units", "size"),
    *("vocabulary_size", "class_count", "token_id", "cls_id", "sep_id"),
    *("max_length", "length", "k", "channels", "bins", "layer"),
    *("trees", "depth", "max_distance", "perspectives"),
}


@pytest.mark.once
@pytest.mark.parametrize("name", layers.__all__)
def test_unknown_keywords(name):
    with pytest.raises((TypeError, ValueError), match="drop_out"):
        getattr(layers, name)(**ARGUMENTS.get(name, {}), drop_out=0.3)


@pytest.mark.parametrize("name", layers.__all__)
def test_sizes_are_positive_integers(name):
    layer = getattr(layers, name)
    for size in sorted(SIZES & set(inspect.signature(layer).parameters)):
        for wrong in (4.5, 0, "4"):
            with pytest.raises(ValueError) as caught:
                layer(**{**ARGUMENTS.get(name, {}), size: wrong})
            message = str(caught.value)
            assert message.startswith(f"`{size}` must be a positive integer")
            assert message.endswith(f"Received: {size}={wrong!r}")


@pytest.mark.parametrize("wrong", [(3, 2.5), (0,), ("3",), 4])
@pytest.mark.parametrize("name", ["DuplexAttention", "SoftmaxBlock"])
def test_hidden_units_are_positive_integers(name, wrong):
    with pytest.raises(ValueError) as caught:
        getattr(layers, name)(**ARGUMENTS[name], hidden_units=wrong)
    assert str(caught.value) == (
        "`hidden_units` must be a list of positive integers. "
        f"Received: hidden_units={wrong!r}"
    )
