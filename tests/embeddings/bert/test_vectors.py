"""Vectors of a small BERT, computed once and kept on disk."""

import json
import shutil
import sys

import numpy as np
import pytest
from gensim.models import KeyedVectors

from keras_qa.embeddings import PrincipalComponents
from keras_qa.embeddings import bert_text_vectors
from keras_qa.embeddings import bert_word_vectors
from keras_qa.embeddings import cache
from keras_qa.embeddings import embedding_matrix
from keras_qa.embeddings.bert.network import Bert
from keras_qa.errors import VectorsError
from keras_qa.errors import VectorsWarning
from support import bert_reference

pytest.importorskip("keras_hub")
pytest.importorskip("safetensors")

WEIGHTS = bert_reference.make_weights()
WORDS = ["", "[UNK]", "emmas", "who", "zebra", "?", "who", "wrote", "a", "b"]
KNOWN = {
    "emmas": ["emma", "##s"],
    "who": ["who"],
    "?": ["?"],
    "wrote": ["wrote"],
    "a": ["a"],
    "b": ["b"],
}
TEXTS = [
    ["who", "wrote", "emmas", "?"],
    ["emma"],
    [],
    ["zebra", "", "a"],
    ["emma"],
]


@pytest.fixture
def computed(monkeypatch):
    """Counts the texts that a BERT is given."""
    counts = []
    states = Bert.states

    def counted(self, texts):
        counts.append(len(texts))
        return states(self, texts)

    monkeypatch.setattr(Bert, "states", counted)
    return counts


def reference(pieces):
    return bert_reference.all_states(WEIGHTS, pieces)[-1]


def assert_near(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=2e-5)


def test_static_vectors(folder):
    vectors = bert_word_vectors(WORDS, folder)
    assert isinstance(vectors, KeyedVectors)
    assert vectors.index_to_key == list(KNOWN)
    assert vectors.vectors.dtype == np.float32
    for word, pieces in KNOWN.items():
        assert_near(vectors[word], reference(pieces).mean(axis=0))
    words = ["", "[UNK]", "who", "zebra"]
    matrix, coverage = embedding_matrix(words, vectors, oov="zeros")
    assert coverage.any_words.covered == 1
    assert_near(matrix[2], vectors["who"])


def test_contextual_vectors(folder):
    vectors = bert_text_vectors(TEXTS, folder)
    assert vectors.lengths.tolist() == [len(text) for text in TEXTS]
    assert vectors.vectors.dtype == np.float32
    states = reference(["who", "wrote", "emma", "##s", "?"])
    mean = states[2:4].mean(axis=0)
    assert_near(vectors[0], [states[0], states[1], mean, states[4]])
    assert_near(vectors[1], reference(["emma"]))
    states = reference(["[UNK]", "a"])
    assert_near(vectors[3], [states[0], np.zeros(6), states[1]])
    np.testing.assert_array_equal(vectors[4], vectors[1])


def test_length_cuts_before_reading(folder):
    cut = bert_text_vectors(TEXTS, folder, 2)
    assert_near(cut[0], reference(["who", "wrote"]))
    assert cut.lengths.tolist() == [min(len(text), 2) for text in TEXTS]
    for texts in ([], [[]]):
        assert bert_text_vectors(texts, folder).vectors.shape == (0, 6)


def test_reduction_and_scale(folder):
    whole = bert_word_vectors(WORDS, folder)
    small = bert_word_vectors(WORDS, folder, dim=2, rms=0.2)
    wanted = PrincipalComponents.fit(whole.vectors, 2).apply(whole.vectors)
    wanted *= 0.2 / np.sqrt((wanted**2).mean())
    assert_near(small.vectors, wanted)

    whole = bert_text_vectors(TEXTS, folder).vectors
    small = bert_text_vectors(TEXTS, folder, dim=2, rms=0.2).vectors
    real = whole.any(axis=-1)
    assert real.sum() == 8
    wanted = PrincipalComponents.fit(whole[real], 2).apply(whole[real])
    wanted *= 0.2 / np.sqrt((wanted**2).mean())
    assert_near(small[real], wanted)
    assert not small[~real].any()


def test_computed_once(folder, computed, capsys):
    first = bert_text_vectors(TEXTS, folder)
    assert sum(computed) == 3
    assert "BERT, texts: 8 words in" in capsys.readouterr().err
    computed.clear()
    again = bert_text_vectors(TEXTS, folder)
    np.testing.assert_array_equal(again.vectors, first.vectors)
    # Not even loaded; and what is new is all that is computed.
    assert capsys.readouterr().err == "" and not computed
    bert_text_vectors([*TEXTS, ["b"]], folder, progress=False)
    assert computed == [1]
    assert capsys.readouterr().err == ""
    # Alone, "emma" and "b" are the same to BERT, but kept apart.
    bert_word_vectors(["emma", "b"], folder)
    assert computed == [1, 2]


def test_a_loaded_bert_is_not_needed_for_what_is_there(folder, monkeypatch):
    first = bert_word_vectors(WORDS, folder)
    monkeypatch.setitem(sys.modules, "keras_hub", None)
    again = bert_word_vectors(WORDS, folder)
    assert again.index_to_key == first.index_to_key
    np.testing.assert_array_equal(again.vectors, first.vectors)


def test_what_was_interrupted_goes_on(folder, monkeypatch, computed):
    monkeypatch.setattr(cache, "SHARD_WORDS", 2)
    texts = [[*"abab"[:i]] for i in (1, 2, 3, 4)]
    states = Bert.states

    def stopping(self, texts):
        if len(computed) == 2:
            raise KeyboardInterrupt
        return states(self, texts)

    with monkeypatch.context() as patch:
        patch.setattr(Bert, "states", stopping)
        with pytest.raises(KeyboardInterrupt):
            bert_text_vectors(texts, folder)
    assert computed == [1, 1]
    found = bert_text_vectors(texts, folder)
    assert computed == [1, 1, 1, 1]
    for i, text in enumerate(texts):
        assert_near(found[i], reference(text))


def test_models_and_layers_are_kept_apart(folder, tmp_path, computed):
    weights = {**WEIGHTS}
    name = "encoder.layer.2.output.LayerNorm.bias"
    weights[name] = weights[name] + 1
    other = bert_reference.write_bert(tmp_path / "other", weights)
    copy = shutil.copytree(folder, tmp_path / "copy")
    found = [
        bert_word_vectors(["a"], source, layers=layers)["a"]
        for source, layers in [(folder, -1), (other, -1), (folder, 0)]
    ]
    assert len(computed) == 3
    assert_near(found[1], found[0] + 1)
    assert np.abs(found[2] - found[0]).max() > 0.1
    np.testing.assert_array_equal(bert_word_vectors(["a"], copy)["a"], found[0])
    assert len(computed) == 3


def test_damage_is_repaired(folder, cache_dir, computed):
    first = bert_word_vectors(["a", "b"], folder)
    (path,) = cache_dir.rglob("*.npz")
    assert json.loads(path.with_name("about.json").read_text())[
        "source"
    ] == str(folder)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.warns(VectorsWarning, match="computed again"):
        again = bert_word_vectors(["a", "b"], folder)
    assert_near(again.vectors, first.vectors)
    assert computed == [2, 2]
    bert_word_vectors(["a", "b"], folder)
    assert computed == [2, 2]


def test_errors(folder):
    with pytest.raises(ValueError, match=r"`words` must hold.*'a string'"):
        bert_word_vectors("a string", folder)
    for texts in ("a string", ["a string"]):
        with pytest.raises(ValueError, match=r"`texts` must hold.*'a string'"):
            bert_text_vectors(texts, folder)
    with pytest.raises(VectorsError, match=r"can read.*2 words, \['', 'zeb"):
        bert_word_vectors(["", "zebra"], folder)
    with pytest.raises(ValueError, match=r"negative.*length=-1"):
        bert_text_vectors(TEXTS, folder, -1)
    for rms in (0, -1, float("nan")):
        with pytest.raises(ValueError, match=f"`rms` must be .*rms={rms}"):
            bert_word_vectors(["a"], folder, rms=rms)
    with pytest.raises(ValueError, match=r"between 1 and 6.*dim=7"):
        bert_text_vectors(TEXTS, folder, dim=7)
