"""What every layer refuses: unknown arguments, and sizes that are none."""

import inspect

import pytest

from keras_qa import layers
from support.all_layers import ARGUMENTS

pytestmark = pytest.mark.once

SIZES = {
    *("units", "filters", "blocks", "kernel_size", "pool_size", "layers"),
    *("num_layers", "max_document_length", "attention_units", "size"),
    *("vocabulary_size", "class_count", "token_id", "cls_id", "sep_id"),
    *("max_length", "length", "k", "channels", "bins", "layer"),
    *("trees", "depth", "max_distance", "perspectives"),
}


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("BM25", [(None, 3), (None, 4)]),
        ("BoostedTrees", (None, 4)),
        ("TextVectors", [(None, 1), (None, 4)]),
        ("TfIdf", (None, 4)),
    ],
)
def test_what_the_constructor_builds_may_be_built_again(name, shape):
    layer = getattr(layers, name)(**ARGUMENTS[name])
    weights = layer.weights
    layer.build(shape)
    assert list(map(id, layer.weights)) == list(map(id, weights))


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
