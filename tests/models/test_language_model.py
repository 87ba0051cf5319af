"""BidirectionalLanguageModel: likelihoods, loss, padding, saving, training."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa.models import BidirectionalLanguageModel
from keras_qa.models.iam.sentence_embedding import sentence_embedding
from support.layer_checks import MODES
from support.layer_checks import QUICKEST
from support.layer_checks import run
from support.model_checks import check_reload
from support.text_reference import lstm

VOCABULARY, DIM = 6, 3
IDS = np.array([[3, 5, 4, 0], [2, 0, 0, 0], [0, 0, 0, 0]], "int32")
VECTORS = np.random.default_rng(0).normal(size=(VOCABULARY, DIM))
# The words 1, 4 and 5 are unknown; <EOS> has the id 6.
CLASSES = np.array([0, 0, 1, 2, 0, 0, 3])


def _model(**settings):
    """A small model whose weights are all random."""
    model = BidirectionalLanguageModel(
        VOCABULARY, DIM, 2, **{"embeddings": VECTORS, **settings}
    )
    rng = np.random.default_rng(1)
    for layer in (model.stack, model.prediction):
        for weight in layer.trainable_weights:
            weight.assign(rng.normal(size=weight.shape))
    return model


def _call(model, ids=IDS, mode=QUICKEST):
    return run(model, ids, mode=mode)


def _expected(model, words, classes):
    """-log p of one unpadded text, forward and backward, in NumPy."""
    table = ops.convert_to_numpy(model.embedding.embeddings).astype(float)
    ids = np.append(words, VOCABULARY)
    sides = []
    for lstms, dense, step in (
        (model.stack.forward_layers, model.prediction.forward_logits, 1),
        (model.stack.backward_layers, model.prediction.backward_logits, -1),
    ):
        states, targets = table[ids[::step]], classes[ids[::step]][1:]
        for one in lstms:
            states = lstm(states, *map(ops.convert_to_numpy, one.weights))
        kernel, bias = map(ops.convert_to_numpy, dense.weights)
        logits = states[:-1] @ kernel + bias
        p = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
        losses = -np.log(p[np.arange(len(targets)), targets])
        sides.append(losses[::step])
    return np.stack(sides, axis=1)


@pytest.mark.once
@pytest.mark.parametrize("mode", MODES)
def test_negative_log_likelihoods(mode):
    model = _model(classes=CLASSES, layers=1)
    if mode == "graph":
        found = model.predict(IDS, verbose=0)
    else:
        found = _call(model, mode=mode)
    assert found.shape == (3, 4, 2)
    for row, length in enumerate([3, 1]):
        expected = _expected(model, IDS[row, :length], CLASSES)
        np.testing.assert_allclose(found[row, :length], expected, rtol=1e-4)
    assert (found[IDS == 0] == 0).all()


@pytest.mark.once
def test_padding_changes_nothing_and_the_encoder_gives_the_states():
    model = _model()
    wide = np.pad(IDS, ((0, 0), (0, 2)))
    np.testing.assert_allclose(_call(model, wide)[:, :4], _call(model), 1e-5)
    encoded = _call(model.encoder)
    closed = IDS.copy()
    closed[[0, 1, 2], [3, 1, 0]] = VOCABULARY
    mask = np.pad(closed > 0, ((0, 0), (0, 1)))
    np.testing.assert_array_equal(encoded["mask"], mask)
    assert encoded["states"].shape == (3, 5, 4)
    assert (encoded["states"][~mask] == 0).all()
    # The last state of each text has read all of it and <EOS>.
    ids = np.append(IDS[0, :3], VOCABULARY)
    states = ops.convert_to_numpy(model.embedding.embeddings)[ids]
    for one in model.stack.forward_layers:
        states = lstm(states, *map(ops.convert_to_numpy, one.weights))
    np.testing.assert_allclose(encoded["states"][0, :4, :2], states, rtol=1e-4)


@pytest.mark.once
@pytest.mark.parametrize(("loss_per", "count"), [("sentence", 3), ("word", 4)])
def test_the_loss_is_over_sentences_or_over_words(loss_per, count):
    model = _model(loss_per=loss_per)
    model.compile(keras.optimizers.SGD(0.1))
    found = model.evaluate(IDS, batch_size=3, verbose=0)
    assert found == pytest.approx(_call(model).sum() / count, rel=1e-5)


@pytest.mark.slow
@pytest.mark.compiled
def test_learns_what_no_bigram_can():
    keras.utils.set_random_seed(0)
    # The last word repeats the first, the words between tell nothing.
    rng = np.random.default_rng(0)
    first = rng.integers(2, 5, 256)
    ids = np.stack([first, np.full(256, 5), first], 1).astype("int32")
    model = BidirectionalLanguageModel(
        VOCABULARY,
        8,
        8,
        1,
        dropout=0.0,
        shared_softmax=True,
        trainable_embeddings=True,
        initializer_range=None,
    )
    model.compile(keras.optimizers.Adam(0.05))
    model.fit(ids, batch_size=32, epochs=30, verbose=0)
    found = model.predict(ids, batch_size=256, verbose=0).mean(0)
    # Backwards, nothing tells the first word that is met.
    assert found[2, 1] == pytest.approx(np.log(3), abs=0.1)
    found[2, 1] = 0
    # Nor forwards, to a bigram, the last.
    assert found.max() < np.log(3) - 0.3


@pytest.mark.once
def test_training_changes_the_embedding_on_request_alone():
    for trainable in (False, True):
        model = _model(trainable_embeddings=trainable, dropout=0.0)
        before = [ops.convert_to_numpy(w).copy() for w in model.weights]
        model.compile(keras.optimizers.SGD(0.1))
        model.fit(IDS, verbose=0)
        moved = {
            weight.path
            for weight, old in zip(model.weights, before, strict=True)
            if (ops.convert_to_numpy(weight) != old).any()
        }
        assert moved >= {w.path for w in model.trainable_weights}
        assert (model.embedding.embeddings.path in moved) is trainable


@pytest.mark.once
@pytest.mark.parametrize(
    "settings",
    [
        {"classes": CLASSES, "loss_per": "word", "name": "answers"},
        {
            "class_count": 9,
            "dtype": "mixed_bfloat16",
            "initializer_range": None,
            "layers": 1,
            "shared_softmax": True,
        },
    ],
)
def test_saves_and_reloads_without_the_arrays(settings, tmp_path):
    original = _model(**settings)
    reloaded = check_reload(original, _call, tmp_path)
    assert _call(reloaded).dtype == "float32"


@pytest.mark.once
def test_parameters_of_the_paper():
    model = BidirectionalLanguageModel(20, class_count=9)
    assert model.core_parameters == 321_600
    assert model.count_params() - 321_600 == (21 * 100 + 21 + 2 * (100 * 9 + 9))


@pytest.mark.once
def test_models_of_the_same_vectors_close_sentences_alike():
    table = ops.convert_to_numpy(
        sentence_embedding(VOCABULARY, DIM, VECTORS).embeddings
    )
    np.testing.assert_allclose(table[:-1], VECTORS, rtol=1e-6)
    assert 0 < np.abs(table[-1]).max() < 0.3
    for embeddings in (None, VECTORS + 1):
        other = sentence_embedding(VOCABULARY, DIM, embeddings).embeddings
        np.testing.assert_array_equal(
            ops.convert_to_numpy(other)[-1], table[-1]
        )


@pytest.mark.once
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"class_count": 3, "classes": CLASSES}, r"0 to 3, class_count=3"),
        ({"classes": CLASSES - 1}, r"`classes` must be at .* from -1 to 2"),
        ({"classes": CLASSES * 1.0}, r"`classes` must be int.* float64"),
        ({"classes": CLASSES[1:]}, r"`classes` must be .* \(7,\)\. .*\(6,\)"),
        ({"embeddings": VECTORS[1:]}, r"`embeddings` must .*\(6, 3\).*\(5, 3"),
        ({"layers": 0}, r"`layers` must be a positive integer.*layers=0"),
        ({"loss_per": "text"}, r"`loss_per` must be one of .*'text'"),
    ],
)
def test_errors(settings, message):
    with pytest.raises(ValueError, match=message):
        _model(**settings)
