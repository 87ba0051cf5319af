"""Which vectors a run reads, and what its record says about them."""

from argparse import Namespace

import numpy as np
import pytest
from gensim.models import KeyedVectors

from keras_qa.datasets import Corpus
from keras_qa.errors import VectorsError
from reproductions.harness import vectors
from reproductions.harness.vectors import vector_identity
from reproductions.iam.experiment import EXPERIMENT as IAM
from reproductions.mrnn.experiment import EXPERIMENT as MRNN
from reproductions.qa_lstm.experiment import EXPERIMENT as QA_LSTM


def arguments(**fields):
    return Namespace(
        **{
            "model": "iam",
            "embeddings": ["a.txt", "skipgram"],
            "bert": "minilm",
            "seed": 1,
            **fields,
        }
    )


@pytest.fixture
def bert(monkeypatch):
    """What a BERT of the same interface was asked for."""
    asked = []

    class Bert:
        def __init__(self, source):
            self.fingerprint = f"of {source}"

    def bert_word_vectors(words, source, **options):
        asked.append((words, source, options))
        found = KeyedVectors(2)
        found.add_vectors(words[:1], np.array([[3.0, 4.0]], np.float32))
        return found

    monkeypatch.setattr(vectors, "Bert", Bert)
    monkeypatch.setattr(vectors, "bert_word_vectors", bert_word_vectors)
    return asked


def test_models_choose():
    assert IAM.vectors(arguments()) == ["a.txt", "skipgram"]
    assert IAM.vectors(arguments(model="bm25")) == []
    for model in ("iam-bert", "iam-bert-contextual"):
        assert IAM.vectors(arguments(model=model)) == ["bert:minilm"]


def test_identity_does_not_depend_on_folders(tmp_path, bert):
    digests = []
    for folder in ("one", "two"):
        path = tmp_path / folder / "v.txt"
        path.parent.mkdir()
        path.write_text("1 1\nword 0.5\n")
        names = [str(path), "skipgram", f"bert:{tmp_path}/my-bert"]
        short, (digest, of_bert) = vector_identity(names)
        assert short == ["v.txt", "skipgram", "bert:my-bert"]
        assert of_bert == f"of {tmp_path}/my-bert"
        digests.append(digest)
    assert digests[0] == digests[1]
    path.write_text("1 1\nword 0.6\n")
    assert vector_identity([str(path)])[1] != [digest]
    with pytest.raises(VectorsError, match="expected a file of vectors"):
        vector_identity(["nowhere.txt"])


def test_words_of_a_bert_are_as_the_settings_say(capital_questions, bert):
    corpus = Corpus(capital_questions)
    settings = IAM.settings(bert_dim=2, bert_rms=0.5)
    options = {"layers": -1, "dim": 2, "rms": 0.5}
    for names in (
        arguments(model="iam-bert", bert="/models/b"),
        arguments(model="cosine", embeddings=["bert:/models/b"]),
    ):
        matrix, coverage = IAM.word_matrix(
            names, settings, corpus, capital_questions
        )
        assert matrix.shape == (len(corpus.vocabulary), 2)
        np.testing.assert_array_equal(matrix[2], [3, 4])
        assert coverage.any_words.covered == 1
        # Padding and the unknown word are no words.
        assert bert.pop() == (
            corpus.vocabulary.words[2:],
            "/models/b",
            options,
        )
    # Papers without these settings keep the vectors as they are.
    QA_LSTM.word_matrix(names, QA_LSTM.settings(), corpus, capital_questions)
    assert bert.pop()[2] == {}


def test_all_sources_are_mixed_as_the_settings_say(capital_questions, tmp_path):
    """Table 3, with idf over the texts to fit as in Table 2."""
    corpus = Corpus(capital_questions)
    words = corpus.vocabulary.words[2:]
    paths = []
    for number in (2, 3):
        found = KeyedVectors(number)
        found.add_vectors(words, np.full((len(words), number), number * 1.0))
        paths.append(str(tmp_path / f"{number}.txt"))
        found.save_word2vec_format(paths[-1])
    names = arguments(model="mrnn", embeddings=paths)
    settings = MRNN.settings(w_idf=2.0)
    matrix, coverage = MRNN.word_matrix(
        names, settings, corpus, capital_questions
    )
    assert coverage.any_words.covered == len(words)
    sentences = corpus.sentences(capital_questions)
    for word, row in zip(words, matrix[2:], strict=True):
        frequency = sum(word in sentence for sentence in sentences)
        idf = np.log((1 + len(sentences)) / (1 + frequency)) + 1
        expected = [1.0] * 2 + [1.5] * 3
        np.testing.assert_allclose(row, idf**2 * np.array(expected), rtol=1e-5)
    # Each text has its own.
    names.model = "mrnn-contextual"
    matrix, coverage = MRNN.word_matrix(
        names, settings, corpus, capital_questions
    )
    assert matrix.size == 0
    assert coverage is None
