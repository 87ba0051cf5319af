"""`keras_qa.train`: its settings and arguments are handed on."""

from types import SimpleNamespace

import keras
import numpy as np
import pytest
from gensim.models import KeyedVectors

import keras_qa
from keras_qa.datasets.columns import Columns
from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.models import CosineQA
from keras_qa.own_data import floors
from keras_qa.own_data import networks
from keras_qa.own_data import training
from keras_qa.own_data.questions import divide
from keras_qa.own_data.questions import mixed
from keras_qa.own_data.questions import read_questions
from keras_qa.own_data.settings import TrainSettings
from keras_qa.own_data.training import train
from keras_qa.own_data.vectors import word_matrix
from support.own_data import write_table

pytestmark = pytest.mark.once


def test_vectors_are_trained_as_the_settings_say(monkeypatch, tmp_path):
    given = {}

    def train_skipgram(sentences, *, progress, **options):
        given.update(options)
        found = KeyedVectors(2)
        found.add_vectors(["a", "b"], np.eye(2))
        return found

    monkeypatch.setattr("keras_qa.embeddings.train_skipgram", train_skipgram)
    question = Question("1", "a", (Candidate("1", "b c", 1),))
    corpus = keras_qa.Corpus([question])
    settings = TrainSettings(skipgram_dim=7, skipgram_epochs=3)
    unknown = corpus.vocabulary.words.index("c")
    rows = []
    for seed in (5, 6):
        matrix, _ = word_matrix(["skipgram"], corpus, settings, seed)
        expected = {"vector_size": 7, "epochs": 3, "min_count": 1}
        assert given == {**expected, "seed": seed}
        rows.append(matrix[unknown])
    assert (rows[0] != rows[1]).all()


class Stop(Exception):
    """What follows is tested elsewhere."""


def test_what_is_fitted_is_as_the_settings_say(tmp_path, monkeypatch):
    given = {}

    def noted(module, name, result=None):
        def note(*arguments):
            given[name] = arguments
            if result is None:
                raise Stop
            return result

        monkeypatch.setattr(module, name, note)

    parts = {name: name for name in ("bm25", "overlap", "features")}
    noted(training, "word_matrix", (np.zeros((1, 1)), ""))
    noted(floors, "fit_floors", SimpleNamespace(fitted={}, **parts))
    noted(floors, "fused")
    noted(networks, "fit_network")
    table = write_table(tmp_path / "a.csv", range(30))
    changed = {"floor_questions": 5, "bm25_questions": 3, "sum_l2": 2.0}
    changed |= {"max_question_length": 4, "max_answer_length": 3}
    changed |= {"tokenizer": "whitespace", "oov_buckets": 7}
    settings = TrainSettings(**changed)
    changed |= {"vectors": "skipgram", "seed": 5, "onnx": False}
    for model in ("floors", "cosineqa"):
        with pytest.raises(Stop):
            train(table, tmp_path / model, model=model, **changed)
    assert given["word_matrix"][2:] == (settings, 5)
    corpus, questions, _, few = given["fit_floors"]
    assert (len(questions.questions), few) == (5, 3)
    assert corpus.tokenizer == "whitespace"
    assert corpus.vocabulary.oov_buckets == 7
    lengths = corpus.texts.lengths
    asked = lengths[questions.question_texts]
    answers = lengths[np.concatenate(questions.candidate_texts)]
    assert (asked.max(), answers.max()) == (4, 3)
    _, _, judged, l2 = given["fused"]
    own = divide(read_questions(table), None, settings, 5)
    assert judged.questions == mixed(own.held_out)
    assert l2 == 2.0
    assert given["fit_network"][-2:] == (settings, 5)


def test_a_table_s_options_are_of_dev_too(tmp_path, monkeypatch):
    def stop(folder, identity, parts, *others):
        assert [q.text for q in parts.dev] == ["what is n1"]
        raise Stop

    monkeypatch.setattr(training, "_run", stop)
    table, dev = tmp_path / "a.csv", tmp_path / "dev.csv"
    write_table(table, range(30))
    table.write_text(table.read_text().replace("question,", "Frage,", 1))
    dev.write_text("Frage,answer,label\nwhat is n1,n1,1\nwhat is n1,n2,0\n")
    options = {"table": {"columns": Columns(question="Frage")}, "dev": dev}
    with pytest.raises(Stop):
        train(table, tmp_path / "run", vectors="skipgram", **options)


QUESTIONS = [
    Question(
        str(i),
        f"who wrote book{i}",
        (Candidate("0", f"she wrote book{i}", 1), Candidate("1", "he", 0)),
    )
    for i in range(4)
]


@pytest.mark.parametrize("name", ["cosineqa", "cross-encoder"])
def test_a_network_is_fitted_as_the_settings_say(name, monkeypatch):
    given = {}
    corpus = keras_qa.Corpus(QUESTIONS)
    size = len(corpus.vocabulary), 3

    class Start:
        """In the place of a BERT."""

    def fit(trainer, batches, folder, measure, epochs, **options):
        measure()
        given.update(options, trainer=trainer, batches=batches, epochs=epochs)

    def from_bert(bert, **options):
        given.update(options)
        return CosineQA(*size)

    def fine_tuning(rate):
        return keras.optimizers.Adam(rate), ["a callback"]

    def evaluate(questions, scores, seed):
        given["ties"] = seed

    monkeypatch.setattr(networks, "Bert", Start)
    monkeypatch.setattr(networks.CrossEncoder, "from_bert", from_bert)
    monkeypatch.setattr(networks, "fine_tuning", fine_tuning)
    monkeypatch.setattr(networks, "fit_best_epoch", fit)
    monkeypatch.setattr(networks, "evaluate", evaluate)
    settings = TrainSettings(
        epochs=7, patience=3, batch_size=2, group_size=4, learning_rate=0.25
    )
    rng = np.random.default_rng(0)
    start = rng.normal(size=size).astype("float32")
    if name == "cross-encoder":
        start = Start()
    indexed = corpus.index(QUESTIONS)
    weights = []
    for seed in (5, 6):
        model, _ = networks.fit_network(
            name, corpus, indexed, indexed, start, None, settings, seed
        )
        weights.append(np.concatenate([w.ravel() for w in model.get_weights()]))
        batches = given["batches"]
        assert (batches.batch_size, batches.group_size) == (2, 4)
        assert (batches.seed, given["ties"]) == (seed, seed)
    assert (given["epochs"], given["patience"]) == (7, 3)
    trainer = given["trainer"]
    assert float(trainer.optimizer.learning_rate) == 0.25
    of_bert = name == "cross-encoder"
    assert trainer.loss.temperature == (1.0 if of_bert else 0.1)
    assert given["callbacks"] == (["a callback"] if of_bert else [])
    assert given.get("matching", False) == of_bert
    assert (weights[0] != weights[1]).any()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"seed": 2**32}, "`seed` must be at most 4,294,967,295"),
        ({"group_size": 1}, "`group_size` must be at least 2, a right and"),
    ],
)
def test_numbers_out_of_range_are_refused_before_there_is_a_folder(
    wrong, message, tmp_path
):
    table = write_table(tmp_path / "faq.csv", range(9))
    with pytest.raises(ValueError, match=message):
        train(table, tmp_path / "run", vectors="skipgram", **wrong)
    assert not (tmp_path / "run").exists()
