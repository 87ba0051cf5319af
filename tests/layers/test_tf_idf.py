"""TfIdf: the layer contract, scikit-learn's values, and hand-made ones."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa.layers import TfIdf
from support.layer_checks import MODES
from support.layer_checks import check_layer
from support.layer_checks import run

SIZE = 12
TEXTS = np.array(
    [[3, 5, 3, 3, 9, 0], [7, 0, 0, 0, 0, 0], [0] * 6, [2, 2, 11, 1, 5, 3]],
    dtype="int32",
)
TRAIN = [np.array(text) for text in ([3, 5, 5, 1], [3, 2], [3, 9, 7], [])]


def _adapted(**settings):
    layer = TfIdf(SIZE, norm=settings.pop("norm", "l2"))
    layer.adapt(TRAIN, **settings)
    return layer


def _dense(weights, texts):
    """The sums over equal ids, `(texts, SIZE)`."""
    vectors = np.zeros((len(texts), SIZE))
    for vector, ids, values in zip(vectors, texts, weights, strict=True):
        np.add.at(vector, ids, values)
    return vectors


def test_layer_contract():
    check_layer(TfIdf, {"vocabulary_size": SIZE}, TEXTS, (4, 6), 0, 1)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("norm", ["l2", None])
def test_the_vectors_of_scikit_learn(norm, mode):
    text = pytest.importorskip("sklearn.feature_extraction.text")
    reference = text.TfidfVectorizer(
        analyzer=lambda ids: [str(i) for i in ids if i],
        vocabulary=[str(i) for i in range(SIZE)],
        norm=norm,
    ).fit(TRAIN)
    weights = run(_adapted(norm=norm), TEXTS, mode=mode)
    np.testing.assert_allclose(
        _dense(weights, TEXTS), reference.transform(TEXTS).toarray(), rtol=1e-5
    )


def test_plain_idf():
    layer = _adapted(norm=None, smooth=False)
    # Of 4 documents 3 have the word 3, one has 2, none 11: as if one had.
    text = np.array([[3, 2, 11, 3]], dtype="int32")
    expected = [[np.log(4 / 3), np.log(4), np.log(4), np.log(4 / 3)]]
    np.testing.assert_allclose(layer(text), expected, rtol=1e-6)


def test_a_text_of_words_without_weight_is_the_zero_vector():
    layer = TfIdf(SIZE, idf=np.zeros(SIZE))
    np.testing.assert_array_equal(layer(TEXTS), np.zeros(TEXTS.shape))


def test_without_documents_it_counts_words():
    weights = ops.convert_to_numpy(TfIdf(SIZE)(TEXTS))
    # The first text has one word three times and two words once.
    assert weights[0, 0] * 3 == pytest.approx(3 / np.sqrt(11))


def test_padding_changes_nothing_and_weighs_nothing():
    layer = _adapted()
    wide = np.pad(TEXTS, ((0, 0), (2, 3)))
    weights = ops.convert_to_numpy(layer(wide))
    assert (weights[wide == 0] == 0).all()
    np.testing.assert_allclose(weights[:, 2:-3], layer(TEXTS), rtol=1e-6)


@pytest.mark.parametrize("dtype", ["mixed_bfloat16", "mixed_float16"])
def test_float32_under_mixed_precision(dtype):
    idf = ops.convert_to_numpy(_adapted().idf)
    weights = TfIdf(SIZE, idf, dtype=dtype)(TEXTS)
    assert keras.backend.standardize_dtype(weights.dtype) == "float32"
    np.testing.assert_array_equal(weights, _adapted()(TEXTS))


def test_a_saved_layer_keeps_the_idf(tmp_path):
    ids = keras.Input((None,), dtype="int32")
    model = keras.Model(ids, _adapted()(ids))
    model.save(tmp_path / "model.keras")
    reloaded = keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(reloaded(TEXTS), model(TEXTS))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"vocabulary_size": 0}, "`vocabulary_size` must be .*=0"),
        ({"norm": "l1"}, "`norm` must be one of .* norm='l1'"),
        ({"idf": np.ones(3)}, r"`idf` must have .*\(12,\). Received: .*\(3,\)"),
        ({"idf": -np.ones(SIZE)}, "`idf` must be finite.* -1.0 for word 0"),
    ],
)
def test_rejects_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        TfIdf(**{"vocabulary_size": SIZE, **arguments})


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ([], "`texts` must hold at least one document. Received: none"),
        ([[3], [2, 12]], "`texts` must hold ids from 0 to 11. Received: 12"),
        ([[-1]], "`texts` must hold ids .* Received: -1"),
    ],
)
def test_rejects_documents(texts, message):
    with pytest.raises(ValueError, match=message):
        TfIdf(SIZE).adapt(texts)
