"""Layers of several texts refuse all inputs but those that they expect."""

import keras
import numpy as np
import pytest

from keras_qa import layers
from keras_qa.layers.pair_layer import PairLayer

TEXTS = [(2, 3, 4), (2, 5, 4)]
VECTORS = [(2, 4), (2, 4)]
# Class, arguments, and shapes of inputs that it takes.
CASES = {
    "AnswerAttention": ({}, [(2, 3), (2, 5, 4)]),
    "AttentionFeatureMaps": ({}, TEXTS),
    "AttentiveBiLSTM": ({"units": 2}, TEXTS),
    "AttentivePooling": ({}, [(2, 3, 4), (2, 5, 6)]),
    "BM25": ({"vocabulary_size": 9}, [(2, 3), (2, 4)]),
    "BilinearSimilarity": ({}, [(2, 4), (2, 3)]),
    "CircularCorrelation": ({}, VECTORS),
    "CosineSimilarity": ({}, VECTORS),
    "CrossTemporalLayer": ({"units": 2}, TEXTS),
    "DistanceMatches": ({}, TEXTS),
    "DuplexAttention": (
        {"max_document_length": 6},
        [(2, 3, 4, 5), (2, 3, 6, 5)],
    ),
    "GESD": ({}, VECTORS),
    "HyperbolicDistance": ({}, VECTORS),
    "InteractivePooling": ({}, TEXTS),
    "JoinedTexts": ({}, TEXTS),
    "KMaxInteractions": ({"k": 3}, TEXTS),
    "LogCosineDistance": ({}, VECTORS),
    "MaxSimilarity": ({}, [(2, 3, 4), (2, 5, 4)]),
    "MultiPerspectiveMatching": ({}, TEXTS),
    "NeuralTensor": ({"units": 2}, [(2, 4), (2, 3)]),
    "OrthogonalDecomposition": ({}, [(2, 3, 4), (2, 3, 4)]),
    "PairConvolution": ({"filters": 3, "kernel_size": 2}, TEXTS),
    "PoincareDistance": ({}, VECTORS),
    "PositionInfluence": ({"units": 3}, [(2, 3), (2, 4)]),
    "QueryAttention": ({"max_document_length": 6}, TEXTS),
    "RelationSum": ({"units": 3}, TEXTS),
    "SentenceDistance": ({}, [(2, 3), (2, 3)]),
    "SequentialAttention": ({"units": 2}, [(2, 4), (2, 3, 4)]),
    "SoftAlignment": ({"score": "bilinear"}, [(2, 3, 4), (2, 5, 6)]),
    "SoftmaxPooling": ({}, [(2, 3, 4), (2, 3)]),
    "TextVectors": ({"vectors": (7, 5, 4)}, [(2, 1), (2, 3)]),
    "ValueSharedMatching": ({"bins": 5}, TEXTS),
    "VectorComparison": ({}, VECTORS),
    "WordComparison": ({}, [(2, 3, 4), (2, 3, 4)]),
    "WordPrediction": ({"vocabulary_size": 9}, [(2, 3, 8), (2, 3)]),
}
BROADCAST = {
    "CosineSimilarity",
    "GESD",
    "HyperbolicDistance",
    "LogCosineDistance",
    "PoincareDistance",
    "VectorComparison",
}
# Of their inputs some are optional, or are masks: they have tests of their own.
APART = {
    *("AlignmentFeatures", "InnerAttentionGRU", "KMaxPooling"),
    *("StateMatches", "WindowPooling"),
}

# What is refused is refused before a backend computes.
pytestmark = pytest.mark.once
each_layer = pytest.mark.parametrize("name", CASES)


def made(name):
    """A layer, and arrays that it takes."""
    arguments, shapes = CASES[name]
    dtypes = {
        "BM25": ("int32", "int32"),
        "PositionInfluence": ("int32", "int32"),
        "TextVectors": ("int32", "int32"),
        "WordPrediction": ("float32", "int32"),
    }.get(name, ("float32", "float32"))
    inputs = [
        np.zeros(shape, dtype)
        for shape, dtype in zip(shapes, dtypes, strict=True)
    ]
    return getattr(layers, name)(**arguments), inputs


def rejected(layer, inputs):
    with pytest.raises(ValueError) as caught:
        layer(inputs)
    return str(caught.value)


def test_the_list_has_all():
    assert (
        set(CASES)
        == {
            name
            for name in layers.__all__
            if issubclass(getattr(layers, name), PairLayer)
        }
        - APART
    )


@each_layer
def test_takes_what_it_expects(name):
    layer, inputs = made(name)
    layer(inputs)


@each_layer
def test_a_missing_input(name):
    layer, inputs = made(name)
    parts = ", ".join(layer.parts).replace("keys", "keys (optional)")
    for few, received in (
        (inputs[:1], f"shapes={[inputs[0].shape]!r}"),
        (inputs[0], f"one tensor, shape={inputs[0].shape!r}"),
        ([inputs[0], None], f"shapes={[inputs[0].shape, None]!r}"),
        (None, "inputs=None"),
    ):
        message = rejected(layer, few)
        assert message.startswith(f"`inputs` must be a list [{parts}] of tens")
        assert message.endswith(f"Received: {received}")


@each_layer
def test_too_many_inputs(name):
    layer, inputs = made(name)
    message = rejected(layer, [*inputs, *inputs])
    assert message.endswith(f"shapes={[x.shape for x in inputs * 2]!r}")


@each_layer
@pytest.mark.parametrize("place", [0, 1])
def test_an_axis_too_few_or_too_many(name, place):
    layer, inputs = made(name)
    right = inputs[place]
    wrong = [right[0, ..., 0]]
    if name not in BROADCAST:
        wrong += [right[..., None], right[0]]
    for inputs[place] in wrong:
        assert "`inputs` must be a list [" in rejected(layer, list(inputs))


@each_layer
def test_different_batch_sizes(name):
    layer, (first, second) = made(name)
    message = rejected(layer, [first, np.repeat(second, 2, axis=0)])
    one, other = (
        layer.parts if name != "AnswerAttention" else list(layer.parts)[:2]
    )
    assert message == (
        f"`inputs` must have one `batch_size`. Received: {one} with "
        f"batch_size=2, {other} with batch_size=4"
    )


@each_layer
def test_symbolic_inputs_are_checked_too(name):
    layer, inputs = made(name)
    symbolic = [keras.KerasTensor(x.shape, x.dtype) for x in inputs]
    assert "Received: shapes=" in rejected(layer, symbolic[:1])
    unknown = [keras.KerasTensor((None, *x.shape[1:]), x.dtype) for x in inputs]
    layer(unknown)


@pytest.mark.parametrize(
    "name", ["CosineSimilarity", "CrossTemporalLayer", "QueryAttention"]
)
def test_vectors_of_different_sizes(name):
    layer, (first, second) = made(name)
    message = rejected(layer, [first, second[..., :3]])
    assert message.startswith("`inputs` must have one `dim`. Received: ")
    assert message.endswith(
        "with dim=4, " + list(layer.parts)[1] + " with dim=3"
    )


@pytest.mark.parametrize("name", sorted(BROADCAST))
def test_leading_axes_may_broadcast(name):
    layer, _ = made(name)
    question, answers = np.zeros((2, 1, 4)), np.zeros((2, 3, 4))
    assert layer([question, answers]).shape[:-1] == (2, 3)
    assert layer([question[:1], answers]).shape[:-1] == (2, 3)
    message = rejected(layer, [answers[:, :2], answers])
    assert "must have one `axis -2`" in message


@each_layer
def test_ragged_and_sparse_tensors(name):
    tf = pytest.importorskip("tensorflow")
    if keras.backend.backend() != "tensorflow":
        pytest.skip("tensors of TensorFlow")
    layer, inputs = made(name)
    second = tf.constant(inputs[1])
    part = list(layer.parts)[1]
    for unpadded in (
        tf.RaggedTensor.from_tensor(second),
        tf.sparse.from_dense(second),
    ):
        message = rejected(layer, [inputs[0], unpadded])
        assert message.startswith("`inputs` must be dense tensors, their pad")
        assert message.endswith(f"{part}={type(unpadded).__name__}")


def test_a_dict_of_inputs_is_checked_too():
    layer = layers.InteractiveAttention(["question"])
    states = np.zeros((2, 3, 4), "float32")
    with pytest.raises(ValueError, match="must have one `batch_size`"):
        layer({"answer_states": states, "question_states": states[:1]})
    with pytest.raises(ValueError, match=r"must be a dict .*Received: shapes="):
        layer({"answer_states": states, "question_states": states[0]})
