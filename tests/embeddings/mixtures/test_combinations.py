"""f_mixture and f_ensemble, by hand and against plain loops."""

import numpy as np
import pytest

from keras_qa.embeddings import InverseDocumentFrequency
from keras_qa.embeddings import f_ensemble
from keras_qa.embeddings import f_mixture

# Two layers of two words of width 2.
LAYERS = np.array([[[1, 2], [3, 4]], [[10, 20], [30, 40]]])
IDF = np.array([2, 0.5])


def test_mixtures_by_hand():
    found = f_mixture(LAYERS, [1, 0.1])
    assert found.tolist() == [[2, 4], [6, 8]]
    assert found.dtype == np.float32
    found = f_mixture(LAYERS, [1, 0.1], f_mix="concat")
    assert found.tolist() == [[1, 2, 1, 2], [3, 4, 3, 4]]
    found = f_mixture(LAYERS, [0, 0.5], f_mix="concat")
    assert found.tolist() == [[5, 10], [15, 20]]
    found = f_mixture(LAYERS, [1, 0], 1, idf=IDF)
    assert found.tolist() == [[2, 4], [1.5, 2]]
    found = f_mixture(LAYERS, [1, 0], 2, idf=IDF)
    assert found.tolist() == [[4, 8], [0.75, 1]]


@pytest.mark.parametrize("f_mix", ["concat", "sum"])
@pytest.mark.parametrize("w_idf", [0, 0.5, 1])
def test_mixtures_of_many_texts(f_mix, w_idf):
    rng = np.random.default_rng(0)
    layers = rng.normal(size=(2, 3, 4, 5)).astype(np.float32)
    idf = rng.uniform(0.5, 3, (2, 4))
    m = [0.3, 0.0, -0.7]
    found = f_mixture(layers, m, w_idf, f_mix, idf)
    for text in range(2):
        for word in range(4):
            low, _, high = layers[text, :, word].astype(np.float64)
            parts = [0.3 * low, -0.7 * high]
            wanted = np.concatenate(parts) if f_mix == "concat" else sum(parts)
            wanted = wanted * idf[text, word] ** w_idf
            np.testing.assert_allclose(found[text, word], wanted, rtol=1e-5)


def test_ensembles_by_hand():
    parts = [np.array([[1, 2], [3, 4]]), np.array([[8, 8], [0, 4]])]
    found = f_ensemble(parts, [0.5, 0.25])
    assert found.tolist() == [[0.5, 1, 2, 2], [1.5, 2, 0, 1]]
    assert found.dtype == np.float32
    assert f_ensemble(parts, [0.5, 0]).tolist() == [[0.5, 1], [1.5, 2]]
    found = f_ensemble(parts, [0.5, 0.25], "sum")
    assert found.tolist() == [[2.5, 3], [1.5, 3]]
    wide = f_ensemble([parts[0], np.ones((2, 1))], [1, 1])
    assert wide.shape == (2, 3)


def test_idf_by_hand():
    texts = [["a", "b", "a"], ["a"], ["c"]]
    smooth = InverseDocumentFrequency.of(texts)(["a", "b", "d"])
    wanted = np.log([4 / 3, 4 / 2, 4 / 1]) + 1
    np.testing.assert_allclose(smooth, wanted)
    plain = InverseDocumentFrequency.of(texts, smooth=False)(["a", "b", "d"])
    np.testing.assert_allclose(plain, np.log([3 / 2, 3, 3]))
    with pytest.raises(ValueError, match=r"not be empty.*0 texts"):
        InverseDocumentFrequency.of([])
    with pytest.raises(ValueError, match=r"`texts` must hold.*string 'a b'"):
        InverseDocumentFrequency.of(["a b"])


def test_smooth_idf_is_that_of_the_layer():
    from keras_qa.layers import TfIdf

    texts = [["a", "b", "a"], ["a"], ["c"]]
    layer = TfIdf(4, norm=None)
    ids = {"a": 1, "b": 2, "c": 3}
    layer.adapt([[ids[word] for word in text] for text in texts])
    found = InverseDocumentFrequency.of(texts)(["a", "b", "c"])
    np.testing.assert_allclose(np.asarray(layer.idf)[1:], found, rtol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 1], 0, "mean"), r"`f_mix` must be one of.*f_mix='mean'"),
        (([1],), r"shape \(\.\.\., 1, words, width\).*shape=\(2, 2, 2\)"),
        (([0, 0],), r"`m` must hold finite weights.*m=\[0, 0\]"),
        (([1, np.nan],), r"`m` must hold finite weights.*nan"),
        (([1, 1], 1), r"`idf` must have the shape \(2,\).*idf.shape=None"),
        (([1, 1], 1, "sum", IDF[:1]), r"w_idf=1, idf.shape=\(1,\)"),
    ],
)
def test_bad_mixtures(arguments, message):
    with pytest.raises(ValueError, match=message):
        f_mixture(LAYERS, *arguments)


@pytest.mark.parametrize(
    ("shapes", "u", "combine", "message"),
    [
        ([(2, 3)], [1], "mean", r"`combine` must be one of.*combine='mean'"),
        ([(2, 3)], [0], "sum", r"`u` must hold finite weights.*u=\[0\]"),
        ([(2, 3)], [1, 1], "concat", r"2 arrays.*shapes \[\(2, 3\)\]"),
        ([(2, 3), (1, 3)], [1, 1], "concat", r"joined by 'concat'"),
        ([(2, 3), (2, 4)], [1, 1], "sum", r"joined by 'sum'"),
        ([], [1], "sum", r"1 arrays.*shapes \[\]"),
    ],
)
def test_bad_ensembles(shapes, u, combine, message):
    with pytest.raises(ValueError, match=message):
        f_ensemble([np.ones(shape) for shape in shapes], u, combine)
