"""Which vectors a run reads, and what its record says about them."""

import inspect
from argparse import Namespace

import numpy as np
import pytest
from gensim.models import KeyedVectors

import keras_qa
from keras_qa import models
from keras_qa.datasets import Corpus
from keras_qa.embeddings import InverseDocumentFrequency
from keras_qa.embeddings import StaticEncoder
from keras_qa.embeddings import idf_weights
from keras_qa.embeddings import random_vectors
from keras_qa.errors import VectorsError
from keras_qa.errors import VectorsWarning
from reproductions.ctrn.experiment import EXPERIMENT as CTRN
from reproductions.harness import vectors
from reproductions.harness.command import parse_arguments
from reproductions.harness.errors import SettingsError
from reproductions.harness.settings import CommonSettings
from reproductions.harness.vectors import vector_identity
from reproductions.hyperqa.experiment import EXPERIMENT as HYPERQA
from reproductions.iam.experiment import EXPERIMENT as IAM
from reproductions.mrnn import texts
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
        made = ["skipgram", "random"]
        names = [str(path), *made, f"bert:{tmp_path}/my-bert"]
        short, (digest, of_bert) = vector_identity(names)
        assert short == ["v.txt", *made, "bert:my-bert"]
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


@pytest.fixture
def vector_file(capital_questions, tmp_path):
    """A file that knows all words but one, the more frequent the shorter."""
    corpus = Corpus(capital_questions)
    words = corpus.vocabulary.words[2:-1]
    found = KeyedVectors(2)
    lengths = np.arange(1, len(words) + 1)[:, None]
    found.add_vectors(words, (lengths * [[0.6, 0.8]]).astype(np.float32))
    path = tmp_path / "v.txt"
    found.save_word2vec_format(path)
    return str(path)


def matrix_of_words(paper, questions, names, model="", **settings):
    """The matrix of a model, without the row of padding."""
    corpus = Corpus(questions)
    matrix, _ = paper.word_matrix(
        arguments(model=model or paper.models[0], embeddings=names),
        paper.settings(**settings),
        corpus,
        questions,
    )
    assert not matrix[0].any()
    return matrix[1:], corpus


def test_each_source_is_scaled_and_words_are_weighed(
    capital_questions, vector_file
):
    names = [vector_file, "random"]
    settings = {"random_dim": 5, "word_norm": "unit", "word_length": 2.0}
    matrix, corpus = matrix_of_words(
        HYPERQA, capital_questions, names, **settings
    )
    words = corpus.vocabulary.words[1:]
    np.testing.assert_allclose(matrix[1:-1, :2], [[1.2, 1.6]] * len(words[2:]))
    for block in (matrix[:, :2], matrix[:, 2:]):
        lengths = np.linalg.norm(block, axis=1)
        np.testing.assert_allclose(lengths, 2, rtol=1e-6)
    # Every word has a random vector, also the one that no file knows.
    random = random_vectors(words, 5, seed=1)[words]
    random *= 2 / np.linalg.norm(random, axis=1, keepdims=True)
    np.testing.assert_allclose(matrix[:, 2:], random, rtol=1e-5)
    weighed, _ = matrix_of_words(
        HYPERQA, capital_questions, names, idf_weighting=True, **settings
    )
    weights = idf_weights(words, corpus.sentences(capital_questions))
    np.testing.assert_allclose(weighed, matrix * weights[:, None], rtol=1e-5)


def test_coverage_is_printed(capital_questions, vector_file, capsys):
    for paper in (CTRN, MRNN):
        names = [vector_file, "random"]
        _, corpus = matrix_of_words(paper, capital_questions, names)
        number = len(corpus.vocabulary) - 2
        total = corpus.word_counts().total()
        first, second = capsys.readouterr().out.splitlines()
        assert first.startswith(f"v.txt: words {number - 1} of {number} (")
        assert f", running {total - 1} of {total} (" in first
        assert second.startswith(f"random: words {number} of {number} (100.0%)")


@pytest.mark.parametrize("paper", [QA_LSTM, MRNN], ids=lambda p: p.name)
def test_vectors_that_are_weighted_by_frequency_are_warned_of(
    paper, capital_questions, vector_file, monkeypatch, recwarn
):
    run = paper, capital_questions, [vector_file, "random"]
    matrix_of_words(*run)
    assert not recwarn
    monkeypatch.setattr(vectors, "rare_length_ratio", lambda *a: 27.4)
    matrix_of_words(*run, word_norm="unit")
    matrix_of_words(*run, model="cosine")
    assert not recwarn
    message = r"v\.txt: expected .*--set word_norm=unit.*are 27 times longer"
    with pytest.warns(VectorsWarning, match=message):
        matrix_of_words(*run)


def test_a_mixture_scales_its_sources_before_it_weighs_them(
    capital_questions, vector_file
):
    for norm, length in (("unit", 2.0), ("power", 3.0)):
        matrix, corpus = matrix_of_words(
            MRNN,
            capital_questions,
            [vector_file, "random"],
            word_norm=norm,
            word_length=length,
            random_dim=5,
        )
        words = corpus.vocabulary.words[2:-1]
        sentences = corpus.sentences(capital_questions)
        # Table 3 gives each source the weight 1/2, Table 2 the idf.
        idf = InverseDocumentFrequency.of(sentences)(words)
        lengths = np.full(len(words), length)
        if norm == "power":
            lengths = np.arange(1, len(words) + 1) ** 0.5
            lengths *= length / lengths.mean()
        np.testing.assert_allclose(
            np.linalg.norm(matrix[1:-1, :2], axis=1), lengths * idf / 2, 1e-5
        )


def test_vectors_of_a_network_are_scaled_where_words_are_alone(
    capital_questions, monkeypatch
):
    settings = MRNN.settings(word_norm="unit", word_length=2.0)
    corpus = Corpus(capital_questions)

    class Network(StaticEncoder):
        """Vectors of one layer where a BERT has four."""

    found = KeyedVectors(2)
    words = corpus.vocabulary.words[2:]
    rows = np.arange(1, len(words) + 1)[:, None] * [[3.0, 4.0]]
    found.add_vectors(words, rows)
    monkeypatch.setattr(texts, "find_encoder", lambda name: Network(found))
    for model, expected in (("mrnn", [1.2, 1.6]), ("mrnn-contextual", [6, 8])):
        source, idf = texts.mixed_vectors(
            ["bert:x"],
            arguments(model=model),
            settings,
            corpus,
            capital_questions,
        )
        row = source.word_vectors(words, idf)[words[1]]
        np.testing.assert_allclose(row, idf([words[1]]) * expected, rtol=1e-6)


def test_vectors_that_are_in_no_matrix_cannot_be_weighed():
    options = ["--model=mrnn-contextual", "--set=idf_weighting=true"]
    with pytest.raises(SettingsError, match="Received: idf_weighting=True"):
        MRNN.settings_of(parse_arguments(MRNN, options))


@pytest.mark.parametrize(
    ("paper", "model"),
    [
        (paper, model)
        for paper in (HYPERQA, CTRN, QA_LSTM, IAM, MRNN)
        for model in paper.models
        if model not in (*paper.untrained, *paper.borrowed, "overlap", "wsdm")
    ],
)
def test_every_model_is_told_to_train_its_word_vectors(
    paper, model, monkeypatch
):
    given = {}

    def stub(cls):
        names = inspect.signature(cls).parameters

        def construct(*args, **kwargs):
            assert set(kwargs) <= set(names)
            given.update(kwargs)

        return construct

    monkeypatch.setattr(
        keras_qa, "__getattr__", lambda name: stub(getattr(models, name))
    )
    matrix = np.zeros((3, 2), np.float32)
    for value in (False, True):
        settings = paper.settings(trainable_embeddings=value)
        paper.build_model(model, settings, matrix)
        assert given["trainable_embeddings"] is value


@pytest.mark.once
def test_own_vectors_are_as_the_settings_say(capital_questions, monkeypatch):
    corpus = Corpus(capital_questions)
    words = corpus.vocabulary.words
    settings = CommonSettings(
        random_dim=4, skipgram_dim=6, skipgram_window=2, skipgram_epochs=3
    )
    arguments = Namespace(seed=5, smoke=False)
    given = arguments, settings, corpus, capital_questions
    found = vectors.load_named("random", *given)
    expected = random_vectors(words[1:], 4, 5)
    np.testing.assert_array_equal(found[words[2]], expected[words[2]])
    asked = {}

    def train_skipgram(sentences, *, progress, **options):
        asked.update(options)
        return expected

    monkeypatch.setattr(vectors, "train_skipgram", train_skipgram)
    vectors.load_named("skipgram", *given)
    sizes = {"vector_size": 6, "window": 2, "epochs": 3, "seed": 5}
    assert asked == sizes


@pytest.mark.once
def test_unknown_words_are_as_the_settings_say(capital_questions):
    corpus = Corpus(capital_questions)
    known = KeyedVectors(2)
    known.add_vectors(corpus.vocabulary.words[2:3], np.ones((1, 2)))
    settings = CommonSettings(oov_scale=0.001)
    rows = []
    for seed in (5, 6):
        matrix, _ = vectors.matrix_of(
            *([known], Namespace(seed=seed), settings, corpus, []),
        )
        rows.append(matrix[3:])
        assert 0 < np.abs(rows[-1]).max() <= 0.001
    assert (rows[0] != rows[1]).all()
