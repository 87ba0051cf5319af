"""Multi-resolution word vectors of a BERT, an ELMo and a fastText model."""

import numpy as np
import pytest
from gensim.models import KeyedVectors

from keras_qa.embeddings import ElmoEncoder
from keras_qa.embeddings import InverseDocumentFrequency
from keras_qa.embeddings import Mixture
from keras_qa.embeddings import MultiResolution
from keras_qa.embeddings import StaticEncoder
from keras_qa.embeddings import embedding_matrix
from keras_qa.embeddings import f_ensemble
from keras_qa.embeddings import f_mixture
from keras_qa.embeddings import find_encoder
from keras_qa.embeddings import load_fasttext
from keras_qa.embeddings import multi_resolution
from keras_qa.embeddings.bert.network import Bert
from keras_qa.embeddings.elmo.encoder import Elmo
from keras_qa.errors import VectorsError
from support import bert_reference
from support import elmo_reference

TEXTS = [["who", "wrote", "emmas"], ["emma"], [], ["a", "cat"], ["emma"]]
WORDS = ["who", "cat", "a", "who", "emmas"]
IDF = InverseDocumentFrequency.of(TEXTS)


@pytest.fixture(scope="module")
def elmo_folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("elmo") / "small"
    return elmo_reference.write_elmo(path, elmo_reference.make_weights())


@pytest.fixture(scope="module")
def bert_folder(tmp_path_factory):
    pytest.importorskip("keras_hub")
    pytest.importorskip("safetensors")
    path = tmp_path_factory.mktemp("bert") / "tiny"
    return bert_reference.write_bert(path, bert_reference.make_weights())


@pytest.fixture
def vectors():
    kv = KeyedVectors(2)
    kv.add_vectors(["who", "a"], np.array([[1, 2], [3, 4]], np.float32))
    return kv


def assert_near(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=2e-5)


def bert_states(*pieces):
    """Of words of one piece, or two that are averaged: the layers."""
    flat = [piece for word in pieces for piece in word.split("+")]
    states = bert_reference.all_states(bert_reference.make_weights(), flat)
    rows, start = [], 0
    for word in pieces:
        end = start + len(word.split("+"))
        rows.append(states[:, start:end].mean(axis=1))
        start = end
    return np.stack(rows, axis=1)


def elmo_states(*words):
    return elmo_reference.all_states(elmo_reference.make_weights(), words)


def test_tables_2_and_3(bert_folder, elmo_folder, fasttext_file):
    source = multi_resolution(bert_folder, elmo_folder, fasttext_file)
    found = source.text_vectors(TEXTS, idf=IDF)
    assert (found.shape, found.dtype) == ((5, 3, 4 * 6 + 8 + 6), np.float32)
    model = load_fasttext(fasttext_file)
    assert "emmas" not in model.key_to_index
    pieces = {"emmas": "emma+##s", "cat": "[UNK]"}
    for text, rows in zip(TEXTS, found, strict=True):
        assert not rows[len(text) :].any()
        if not text:
            continue
        layers = bert_states(*(pieces.get(word, word) for word in text))
        # The last layer first.
        bert = f_mixture(layers[::-1], [1 / 4] * 4, 0, "concat")
        elmo = f_mixture(elmo_states(*text), [0, 0, 1], 1, "sum", IDF(text))
        static = np.stack([model[word] for word in text])[None]
        static = f_mixture(static, [1], 1, "sum", IDF(text))
        wanted = f_ensemble([bert, elmo, static], [1 / 3] * 3)
        assert_near(rows[: len(text)], wanted)


def test_fewer_layers_of_a_bert(bert_folder):
    source = multi_resolution(bert_folder, bert_layers=2)
    found = source.text_vectors([["who", "emmas"]])[0]
    layers = bert_states("who", "emma+##s")
    assert_near(found, np.concatenate([layers[-1], layers[-2]], axis=-1) / 2)
    with pytest.raises(ValueError, match="`bert_layers` must"):
        multi_resolution(bert_folder, bert_layers=0)


def test_words_alone(bert_folder, elmo_folder):
    source = multi_resolution(bert_folder, elmo_folder, bert_order="bottom")
    found = source.word_vectors(WORDS, IDF)
    assert found.index_to_key == ["who", "cat", "a", "emmas"]
    states = bert_states("emma+##s")[:, 0]
    wanted = np.concatenate(list(states)) / 4
    assert_near(found["emmas"][:24], wanted / 2)
    # A BERT that cannot read a word leaves its part zero.
    assert not found["cat"][:24].any()
    for word in found.index_to_key:
        elmo = elmo_states(word)[2, 0] * IDF([word])
        assert_near(found[word][24:], elmo / 2)
    matrix, coverage = embedding_matrix(["", "who", "dog"], found, oov="zeros")
    assert coverage.any_words.covered == 1
    assert_near(matrix[1], found["who"])


def test_any_encoders_weights_and_sums(elmo_folder, vectors):
    elmo = ElmoEncoder(elmo_folder)
    mixtures = [
        Mixture(elmo, (0.5, 0.25), 0.5, order="top"),
        Mixture(elmo, (0, 2), f_mix="concat"),
        Mixture(StaticEncoder(vectors)),
    ]
    source = MultiResolution(mixtures[:2], (2, -1), "sum")
    found = source.text_vectors([["who", "a"]], idf=IDF)
    states = elmo_states("who", "a")
    idf = np.sqrt(IDF(["who", "a"]))[:, None]
    wanted = 2 * idf * (states[2] / 2 + states[1] / 4) - 2 * states[1]
    assert_near(found[0], wanted)
    # A mixture of weight 0 is not even computed.
    source = MultiResolution(mixtures, (0, 0, 0.5))
    found = source.text_vectors([["a", "dog"]], 3)
    assert found.tolist() == [[[1.5, 2], [0, 0], [0, 0]]]
    assert MultiResolution(mixtures).weights == [1 / 3] * 3
    with pytest.raises(ValueError, match=r"one width .*widths \[8, 8, 2\]"):
        MultiResolution(mixtures, combine="sum").text_vectors([["a"]], idf=IDF)


def test_words_that_no_encoder_knows_have_no_vector(vectors):
    source = MultiResolution([Mixture(StaticEncoder(vectors))])
    assert source.word_vectors(["dog", "a"]).index_to_key == ["a"]
    with pytest.raises(VectorsError, match=r"knows.*2 words, \['dog', 'cat'\]"):
        source.word_vectors(["dog", "cat"])


def test_computed_once(bert_folder, elmo_folder, monkeypatch, capsys):
    source = multi_resolution(bert_folder, elmo_folder)
    first = source.text_vectors(TEXTS, idf=IDF)
    shown = capsys.readouterr().err
    assert "BERT, texts: 6 words in" in shown
    assert "ELMo, texts: 6 words in" in shown
    for encoder, method in ((Bert, "states"), (Elmo, "encode")):
        monkeypatch.setattr(encoder, method, None)
    again = multi_resolution(bert_folder, elmo_folder)
    # The exponent is not part of what is kept.
    np.testing.assert_array_equal(again.text_vectors(TEXTS, idf=IDF), first)
    other = multi_resolution(bert_folder, elmo_folder, w_idf=2)
    columns = other.text_vectors([["emma"]], idf=IDF)[0, 0, 24:]
    assert_near(columns, first[1, 0, 24:] * IDF(["emma"]))
    assert capsys.readouterr().err == ""


def test_length_and_dtype(elmo_folder):
    source = multi_resolution(elmo=elmo_folder, w_idf=0)
    cut = source.text_vectors(TEXTS, 2)
    assert_near(cut[0], elmo_states("who", "wrote")[2])
    half = source.text_vectors(TEXTS, 2, dtype="float16")
    assert half.dtype == np.float16
    np.testing.assert_allclose(half, cut, atol=1e-3)


def test_ragged_vectors_are_the_padded_ones_without_padding(elmo_folder):
    source = multi_resolution(elmo=elmo_folder, w_idf=0)
    texts = [*TEXTS, (), TEXTS[0]]
    vectors, offsets = source.ragged_vectors(texts, dtype="float16")
    assert vectors.dtype == np.float16
    assert np.diff(offsets).tolist() == [len(text) for text in texts]
    whole = source.text_vectors(texts, dtype="float16")
    assert len(whole) == len(texts)
    for i, rows in enumerate(np.split(vectors, offsets[1:-1])):
        np.testing.assert_array_equal(rows, whole[i, : len(rows)])
        assert not whole[i, len(rows) :].any()


def test_names(bert_folder, elmo_folder, vectors, tmp_path):
    path = tmp_path / "vectors.txt"
    vectors.save_word2vec_format(path)
    for name, layers, width in [
        (f"bert:{bert_folder}", (0, -1), 6),
        (f"elmo:{elmo_folder}", (0, -1), 8),
        (str(path), (0,), 2),
    ]:
        ((i, rows),) = find_encoder(name).rows("text", [("a", "who")], layers)
        assert i == 0
        assert rows.shape == (len(layers), 2, width)
        assert rows.dtype == np.float32


def test_errors(elmo_folder, vectors):
    static = Mixture(StaticEncoder(vectors), (0, 1))
    source = MultiResolution([static])
    with pytest.raises(ValueError, match=r"one layer\. .*layers=\[1\]"):
        source.text_vectors([["a"]])
    with pytest.raises(ValueError, match=r"`order` must.*order='last'"):
        Mixture(static.encoder, order="last")
    with pytest.raises(ValueError, match=r"`m` must hold.*m=\[0\]"):
        Mixture(static.encoder, (0,))
    with pytest.raises(ValueError, match=r"not be empty.*0 mixtures"):
        MultiResolution([])
    with pytest.raises(ValueError, match=r"1 mixtures, u=\(1, 1\)"):
        MultiResolution([static], (1, 1))
    with pytest.raises(ValueError, match=r"`combine` must.*combine='mean'"):
        MultiResolution([static], combine="mean")
    with pytest.raises(ValueError, match=r"`bert`, `elmo` and `fasttext`"):
        multi_resolution()
    source = multi_resolution(elmo=elmo_folder)
    with pytest.raises(ValueError, match=r"`idf` must be.*w_idf=1"):
        source.word_vectors(["a"])
    for texts in ([[]], []):
        with pytest.raises(ValueError, match=r"`texts` must hold words"):
            source.text_vectors(texts, idf=IDF)
        with pytest.raises(ValueError, match=r"`texts` must hold words"):
            source.ragged_vectors(texts, IDF)
    with pytest.raises(ValueError, match=r"`length` must be .*length=0"):
        source.text_vectors([["a"]], 0, IDF)
    with pytest.raises(ValueError, match=r"`dtype` must be.*dtype='int8'"):
        source.text_vectors([["a"]], idf=IDF, dtype="int8")
    with pytest.raises(ValueError, match=r"`words` must hold.*'a string'"):
        source.word_vectors("a string")
    with pytest.raises(ValueError, match=r"`texts` must hold.*'a string'"):
        source.text_vectors(["a string"])
