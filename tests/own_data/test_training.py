"""`keras_qa.train`: what it writes, refuses and resumes."""

import re
import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path

import keras
import numpy as np
import pytest
from gensim.models import KeyedVectors

import keras_qa
from keras_qa.datasets.columns import Columns
from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.tabular import read_tabular
from keras_qa.errors import DatasetError
from keras_qa.errors import ExportError
from keras_qa.errors import RunFolderError
from keras_qa.errors import VectorsError
from keras_qa.errors import VectorsWarning
from keras_qa.export import forms
from keras_qa.export import verification
from keras_qa.own_data import onnx_form
from keras_qa.own_data import training
from keras_qa.own_data.card import verdict
from keras_qa.own_data.evaluating import evaluate_ranker
from keras_qa.own_data.identity import count_trained_on
from keras_qa.own_data.identity import fingerprint
from keras_qa.own_data.identity import run_of
from keras_qa.own_data.questions import read_questions
from keras_qa.own_data.settings import POPULARITY
from keras_qa.own_data.settings import TrainSettings
from keras_qa.own_data.training import train
from keras_qa.own_data.vectors import word_matrix
from keras_qa.text.readable import UNREAD_SCORE
from support.new_process import run_code
from support.own_data import TINY
from support.own_data import write_table

pytestmark = pytest.mark.once


def tiny(data, output, **options):
    return train(data, output, vectors="skipgram", seed=1, **(TINY | options))


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("own")
    table = write_table(folder / "faq.csv", range(30))
    return table, tiny(table, folder / "run")


@pytest.fixture
def without_onnx(trained, tmp_path):
    """The table, and a finished run that has no ONNX form."""
    folder = shutil.copytree(trained[1].folder, tmp_path / "run")
    shutil.rmtree(folder / "onnx")
    return trained[0], folder


FILES = {
    *("settings.json", "metrics.json", "README.md", "model.keras"),
    *("vocabulary.txt", "saved_model", "onnx", "network", "run.trec"),
    *("qrels.trec", "questions.npy", "training"),
}


def test_a_run_has_all_files_and_no_other(trained):
    for name in forms.PACKAGES:
        pytest.importorskip(name)
    _, run = trained
    assert run.note == ""
    assert {path.name for path in run.folder.iterdir()} == FILES
    assert run.metrics["mined"] == []
    questions = {n: p["questions"] for n, p in run.metrics["parts"].items()}
    assert questions == {"fit": 19, "held_out": 5, "dev": 6}
    assert run.metrics["fitted"]["sum"]["weights"].keys() == {
        "cosineqa",
        "bm25",
        "idf overlap",
        "features",
    }


def test_table_and_card_agree(trained):
    _, run = trained
    for name in ("BM25, tuned", "idf overlap", "untrained cosine"):
        assert f"| {name}" in run.table
    assert "6 questions with a right answer" in run.table
    card = (run.folder / "README.md").read_text("utf-8")
    assert all(line in card for line in run.metrics["table"])
    for title in ("Data", "Figures on dev", "Settings", "Use", "Limits"):
        assert f"\n## {title}\n" in card
    assert "`saved_model` needs TensorFlow only." in card
    assert f"seed 1, Keras on {keras.backend.backend()}\n" in card


def test_the_ranker_scores_as_the_run_did(trained):
    _, run = trained
    lines = (run.folder / "run.trec").read_text().splitlines()
    question = "what is thing number n3 of the list"
    answers = ["the thing n3 is a w3", "the list has w3 things"]
    scores = run.ranker.scores(question, answers)
    found = {float(line.split()[4]) for line in lines}
    assert len(lines) == 12 and len(found) > 2
    saved = keras_qa.Ranker.load(run.folder / "saved_model")
    np.testing.assert_allclose(
        saved.scores(question, answers), scores, rtol=1e-4, atol=1e-5
    )


def test_the_network_of_a_sum_encodes_texts(trained):
    _, run = trained
    network = keras_qa.Ranker.load(run.folder / "network")
    assert network.encode(["the thing n3", "w3"]).shape == (2, 300)


@pytest.mark.slow
@pytest.mark.parametrize("model", ["cam+floors", "cam+cosineqa"])
def test_the_network_to_index_is_one_that_encodes_texts(tmp_path, model):
    table = write_table(tmp_path / "faq.csv", range(30))
    run = tiny(table, tmp_path / "run", model=model, onnx=False)
    folder = run.folder / "network"
    assert folder.exists() == ("cosineqa" in model)
    if folder.exists():
        assert keras_qa.Ranker.load(folder).encode(["n3"]).shape == (1, 300)
    names = model.replace("floors", "bm25+idf overlap+features").split("+")
    assert [*run.metrics["fitted"]["sum"]["weights"]] == names
    text, answers = "what is thing n3", ["the thing n3 is a w3", "the list"]
    np.testing.assert_allclose(
        keras_qa.Ranker.load(run.folder / "saved_model").scores(text, answers),
        run.ranker.scores(text, answers),
        rtol=1e-4,
        atol=1e-5,
    )


def test_a_finished_run_is_read(trained):
    table, run = trained
    before = (run.folder / "metrics.json").stat().st_mtime_ns
    again = tiny(table, run.folder)
    assert again.metrics == run.metrics
    assert (run.folder / "metrics.json").stat().st_mtime_ns == before


def test_only_skipgram_vectors_alone_lose_their_mean(tmp_path, monkeypatch):
    rows = np.array([[8, 1], [9, -2], [10, 4]], "float32")

    def skipgram(*arguments):
        found = KeyedVectors(2)
        found.add_vectors(["a", "b", "c"], rows.copy())
        return found

    monkeypatch.setattr("keras_qa.own_data.vectors._skipgram", skipgram)
    (tmp_path / "v.txt").write_text("a 1 0\nb 0 1\nc 1 1\n")
    question = Question("1", "a", (Candidate("1", "b c", 1),))
    corpus = keras_qa.Corpus([question])
    ids = [corpus.vocabulary.words.index(word) for word in "abc"]
    for names, vectors in (
        (["skipgram"], rows - [9, 1]),
        (["skipgram", str(tmp_path / "v.txt")], rows),
    ):
        matrix, _ = word_matrix(names, corpus, TrainSettings(), seed=1)
        expected = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        np.testing.assert_allclose(matrix[ids, :2], expected, rtol=1e-5)


def test_a_saved_model_that_scores_otherwise_is_left_out(tmp_path, monkeypatch):
    def verify_export(*arguments):
        raise ExportError("expected 1. Received: 2")

    monkeypatch.setattr(
        "keras_qa.export.verification.verify_export", verify_export
    )
    table = write_table(tmp_path / "faq.csv", range(30))
    run = tiny(table, tmp_path / "run", model="floors", onnx=False)
    assert not (run.folder / "saved_model").exists()
    assert "no `saved_model`: expected 1. Received: 2." in run.table
    card = (run.folder / "README.md").read_text("utf-8")
    assert "needs TensorFlow only" not in card
    assert run.ranker.rank("what is n3", ["the n3"], top=1)


def test_on_another_backend_no_saved_model_is_promised(tmp_path, monkeypatch):
    export = training._export

    def on_jax(*arguments):
        with monkeypatch.context() as patch:
            patch.setattr(keras.backend, "backend", lambda: "jax")
            return export(*arguments)

    monkeypatch.setattr(training, "_export", on_jax)
    table = write_table(tmp_path / "faq.csv", range(30))
    run = tiny(table, tmp_path / "run", model="floors", onnx=False)
    assert not (run.folder / "saved_model").exists()
    card = (run.folder / "README.md").read_text("utf-8")
    for text in (run.table, card):
        assert "There is no `saved_model`: Keras ran on jax. " in text
    assert "needs TensorFlow only" not in card


def test_a_finished_run_gets_its_onnx_form(without_onnx):
    table, folder = without_onnx
    assert tiny(table, folder, onnx=False).ranker.engine == "keras"
    assert tiny(table, folder).ranker.engine == "onnxruntime"


def test_other_processes_keep_off_while_the_onnx_form_is_made(
    without_onnx, monkeypatch
):
    table, folder = without_onnx
    scratch = folder / ".writing-x"

    def add_onnx(*arguments, **options):
        scratch.touch()
        # A second command of the same run, as another process gives it.
        tiny(table, folder, onnx=False)
        assert scratch.exists()
        with pytest.raises(ExportError, match="is being written to"):
            onnx_form.ensure_onnx(folder)

    monkeypatch.setattr(onnx_form, "add_onnx", add_onnx)
    assert tiny(table, folder).note == ""


@pytest.mark.parametrize("fails", ["conversion", "scores", "package"])
def test_without_an_onnx_form_the_ranker_is_there(
    fails, without_onnx, monkeypatch
):
    table, folder = without_onnx
    if fails == "conversion":

        def add_onnx(*arguments, **options):
            raise KeyError("some operation")

        monkeypatch.setattr(onnx_form, "add_onnx", add_onnx)
        message = "the ranker is saved.*KeyError: 'some operation'"
    elif fails == "scores":
        verify = partial(verification.verify_onnx, tolerance=-1.0)
        monkeypatch.setattr(verification, "verify_onnx", verify)
        message = "the ranker is saved.*expected the scores"
    else:
        monkeypatch.setattr(forms, "find_spec", lambda name: None)
        message = "keras-qa.onnx.*give the same command again"
    run = tiny(table, folder)
    assert re.search(message, run.note, re.IGNORECASE | re.DOTALL), run.note
    assert not (folder / "onnx").exists()
    assert run.ranker.rank("what is n3", ["the n3"], top=1)
    if fails != "scores":  # They would be of a second conversion.
        with pytest.raises((ExportError, ImportError)):
            tiny(table, folder, onnx=True)


def test_onnx_is_refused_before_training(tmp_path, monkeypatch):
    table = write_table(tmp_path / "a.csv", range(9))
    with monkeypatch.context() as patch:
        patch.setattr("keras.backend.backend", lambda: "jax")
        with pytest.raises(ExportError, match="TensorFlow backend only"):
            tiny(table, tmp_path / "run", onnx=True)
    monkeypatch.setattr(forms, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"tf2onnx.*keras-qa.onnx"):
        tiny(table, tmp_path / "run", onnx=True)
    assert not (tmp_path / "run").exists()


def test_defaults_may_be_said(trained):
    table, run = trained
    said = {"columns": Columns(), "encoding": "utf-8", "right": ()}
    assert tiny(table, run.folder, table=said).metrics == run.metrics
    digests = [
        fingerprint(table, {"right": right, "delimiter": None})
        for right in (["1", "2"], ("2", "1", "1"), {"1", "2"})
    ]
    assert len(set(digests)) == 1
    assert fingerprint(table, None) not in digests


def test_another_run_is_refused(trained, tmp_path):
    table, run = trained
    with pytest.raises(RunFolderError, match=r"other values of settings.*new"):
        tiny(table, run.folder, epochs=3)
    other = write_table(tmp_path / "other.csv", range(31))
    changed = "What has changed: the training file or an option of its table"
    with pytest.raises(
        RunFolderError, match=f"inputs.train: .*{changed}. .*a new"
    ):
        tiny(other, run.folder)
    with pytest.raises(RunFolderError, match=f"inputs.train: .*{changed}"):
        tiny(table, run.folder, table={"group": True})
    with pytest.raises(RunFolderError, match="changed: the dev file") as e:
        tiny(table, run.folder, dev=other)
    assert "training file" not in str(e.value)
    (tmp_path / "mine.txt").write_text("x")
    with pytest.raises(RunFolderError, match="holds something else"):
        tiny(table, tmp_path)
    with pytest.raises(RunFolderError, match="holds something else"):
        tiny(table, other)


def test_a_killed_training_goes_on(trained, tmp_path, monkeypatch):
    from keras_qa.training.epoch_selection import EpochSelector

    table, _ = trained
    finish = EpochSelector.on_epoch_end

    def killed(self, epoch, logs=None):
        finish(self, epoch, logs)
        raise KeyboardInterrupt

    options = {"model": "cosineqa", "epochs": 3, "onnx": False}
    with monkeypatch.context() as patch:
        patch.setattr(EpochSelector, "on_epoch_end", killed)
        # What comes after the training is tested above.
        with pytest.raises(KeyboardInterrupt):
            tiny(table, tmp_path / "run", **options)
    with pytest.raises(RunFolderError, match="other values of seed"):
        train(table, tmp_path / "run", vectors="skipgram", **options)
    assert (tmp_path / "run/training/cosineqa/epoch-0001.weights.h5").exists()
    with monkeypatch.context() as patch:
        patch.setattr("keras.backend.backend", lambda: "other")
        with pytest.raises(RunFolderError, match="other values of backend"):
            tiny(table, tmp_path / "run", **options)
    monkeypatch.setattr(
        "keras_qa.own_data.training._export", lambda *arguments: []
    )
    resumed = tiny(table, tmp_path / "run", **options)
    whole = tiny(table, tmp_path / "whole", **options)
    assert resumed.metrics == whole.metrics
    lines = [
        (folder / "run.trec").read_text()
        for folder in (resumed.folder, whole.folder)
    ]
    assert lines[0] == lines[1]


@pytest.mark.filterwarnings("ignore::keras_qa.errors.TextWarning")
def test_evaluate_prints_the_figures_of_the_table(
    trained, tmp_path, monkeypatch
):
    """With answers that cannot be read, and equal scores, seed 0 or not."""
    monkeypatch.setattr(
        "keras_qa.own_data.training._export",
        lambda folder, scorer, parts: (
            keras_qa.Ranker(scorer.model, scorer.reading).save(
                folder.path / "ranker"
            )
            or []
        ),
    )
    dev = write_table(tmp_path / "dev.csv", range(40, 52))
    with dev.open("a", encoding="utf-8") as file:
        file.write("what is n1,,1\nwhat is n1,the n2,2\nwhat is n1,the,0\n")
        file.write("what is n2,n2,1\n")
    options = {"model": "hyperqa", "epochs": 1}
    given = [Question("none", "what is n3", ()), *read_questions(dev)]
    run = tiny(trained[0], tmp_path / "run", dev=given, **options)
    assert "Left out: 1 question of dev without candidates." in run.table
    lines = (run.folder / "run.trec").read_text().splitlines()
    assert sum(float(x.split()[4]) == UNREAD_SCORE for x in lines) == 2
    ranker = keras_qa.Ranker.load(run.folder / "ranker")
    found = evaluate_ranker(ranker, read_questions(dev))
    expected = run.metrics["comparison"]["rows"][0]
    assert found.rows[0].metrics == expected["metrics"]
    assert list(found.rows[0].interval) == expected["interval"]
    assert "nDCG@10" in expected["metrics"]
    # What `keras-qa evaluate` warns of is said after a training, too.
    assert "1 of them have right candidates only" in run.table


@pytest.mark.slow
def test_words_of_dev_alone_are_unknown_but_to_bm25(trained, tmp_path):
    dev = tmp_path / "dev.csv"
    dev.write_text(
        "question,answer,label\n"
        + "".join(
            f"what is {new},thing x{new},0\nwhat is {new},thing {new},1\n"
            for new in "bcdefghj"
        )
    )
    run = tiny(
        trained[0], tmp_path / "run", dev=dev, model="floors", oov_buckets=0
    )
    words = (run.folder / "vocabulary.txt").read_text("utf-8").split()
    assert "thing" in words and "xb" not in words
    rows = {row["name"]: row for row in run.metrics["comparison"]["rows"]}
    # Equal scores are ordered at random.
    assert rows["floors"]["metrics"]["MAP"] < 1
    for name in ("BM25, tuned", "idf overlap"):
        assert rows[name]["metrics"]["MAP"] == 1
    assert (
        "50.0% of the words of the answers and 33.3% of those of the "
        "questions are unknown to floors." in run.table
    )
    # With an id by its hash, an unknown word matches itself.
    run = tiny(trained[0], tmp_path / "hashed", dev=dev, model="floors")
    assert run.metrics["comparison"]["rows"][0]["metrics"]["MAP"] == 1
    assert "50.0% of the words of the answers" in run.table
    for form in filter(Path.exists, [run.folder, run.folder / "saved_model"]):
        ranker = keras_qa.Ranker.load(form)
        answers = ["thing xz", "thing zyx", "the zyx"]
        scores = ranker.scores("what is zyx", answers)
        assert scores[1] > scores[0] > UNREAD_SCORE
        # No word of it is known.
        assert scores[2] == UNREAD_SCORE


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"model": "bert"}, ValueError, "`model` must be.*'bert'"),
        ({"recipe": "best"}, ValueError, "`recipe` must be"),
        ({"batch": 1}, ValueError, "`setting` must be.*'batch'"),
        ({"epochs": 0}, ValueError, "`epochs` must be"),
        ({"model": None}, ValueError, "`model` must be.*Received: None"),
        ({"dev_share": 1.0}, ValueError, "`dev_share` must be a number betw"),
        ({"dev_share": "0.2"}, ValueError, "`dev_share` must .*'0.2'"),
        ({"vectors": None}, VectorsError, "`vectors` must hold at least one"),
        ({"dev": 42}, DatasetError, "a file or questions. Received: int"),
        ({"vectors": "no.txt"}, VectorsError, "--vectors. must be.*no.txt"),
        ({"vectors": Path("no.txt")}, VectorsError, "--vectors. must .*no.txt"),
        ({"dev": "no.csv"}, DatasetError, "no.csv, which does not exist"),
    ],
)
def test_wrong_arguments_leave_no_folder(
    trained, tmp_path, options, error, message
):
    table, _ = trained
    with pytest.raises(error, match=message):
        train(table, tmp_path / "run", **options)
    assert not (tmp_path / "run").exists()


def test_too_few_questions_leave_no_folder(tmp_path):
    table = write_table(tmp_path / "few.csv", range(2))
    with pytest.raises(DatasetError, match="none is in the part 'fit'"):
        train(table, tmp_path / "run", vectors="skipgram")
    assert not (tmp_path / "run").exists()


def test_nothing_heavy_is_imported_before_the_files_are_read():
    code = (
        "import contextlib, keras_qa\n"
        "with contextlib.suppress(ValueError): keras_qa.train('no.csv', 'run')"
    )
    run_code(code, without=("keras", "tensorflow", "gensim"))


@pytest.mark.parametrize("words", [["aaa"], ["aaa", "what"]])
def test_vectors_of_other_texts(trained, tmp_path, monkeypatch, words):
    # Nothing is asked of the ranker.
    monkeypatch.setattr(
        "keras_qa.own_data.training._export", lambda *arguments: []
    )
    vectors = tmp_path / "v.txt"
    vectors.write_text("".join(f"{word} 0.1 0.2\n" for word in words))
    options = {"model": "floors", "vectors": vectors, "onnx": False}
    if len(words) == 1:
        with pytest.raises(VectorsError, match=r"v.txt: .*none of \d+ words"):
            train(trained[0], tmp_path / "run", **TINY | options)
        # Nothing was begun: other vectors may have the folder.
        options["vectors"] = "skipgram"
        train(trained[0], tmp_path / "run", **TINY | options)
        return
    with pytest.warns(VectorsWarning, match=r"v.txt has vectors of only"):
        run = train(trained[0], tmp_path / "run", **TINY | options)
    assert "- vectors 1: words 1 of" in (run.folder / "README.md").read_text()


def test_what_a_run_was_trained_on_is_known(trained, tmp_path):
    table, run = trained
    questions = list(read_tabular(table))
    other = replace(questions[0], text="Another?")
    # A fifth of the questions is dev.
    assert count_trained_on(run.folder, [*questions, other]) == 24
    assert count_trained_on(tmp_path, questions) == 0
    # A form of its ranker is known by the folder around it.
    assert run_of(run.folder / "onnx") == run.folder
    assert run_of(run.folder) == run.folder
    assert run_of(tmp_path / "onnx") == tmp_path / "onnx"


def test_what_to_try_is_said():
    metrics = {
        "model": "hyperqa",
        "vectors": ["skipgram"],
        "mined": ["train"],
        "parts": {"fit": {"mixed": 80}},
        "comparison": {
            "verdict": "below",
            "best_floor": "BM25, tuned",
            "questions": 20,
            "rows": [{"name": "BM25, tuned", "metrics": {"MAP": 0.9}}],
        },
    }
    lines = "\n".join(verdict(metrics))
    assert "hyperqa is BELOW the best floor, BM25, tuned" in lines
    for said in (
        "only 80",
        "minilm",
        "--model hyperqa+floors",
        "labels:",
        "cross-encoder",
    ):
        assert said in lines
    metrics["model"] = "cosineqa+floors"
    assert (
        "another network in addition to them: --model cosineqa+cam+floors"
        in ("\n".join(verdict(metrics)))
    )
    row = {"name": "BM25, tuned", "metrics": {"MAP": 1.0}}
    perfect = {**metrics["comparison"], "rows": [row], "verdict": "even"}
    assert verdict({**metrics, "comparison": perfect})[1:] == [
        "- harder candidates: this floor ranks all of dev perfectly"
    ]
    row = {"name": POPULARITY, "metrics": {"MAP": 0.9}}
    popular = {**metrics["comparison"], "rows": [row], "best_floor": POPULARITY}
    found = verdict({**metrics, "comparison": popular})
    assert found[1].startswith("- candidates that differ from question to qu")
    metrics["comparison"]["verdict"] = "above"
    assert verdict(metrics) == [
        "cosineqa+floors is above the best floor, BM25, tuned."
    ]


def test_what_is_irregular_is_said_before_the_training(
    tmp_path, monkeypatch, capsys
):
    def stop(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr("keras_qa.own_data.training._run", stop)
    table = write_table(tmp_path / "faq.csv", range(30), labels=False)
    with pytest.raises(KeyboardInterrupt):
        tiny(table, tmp_path / "run", dev=table)
    said = capsys.readouterr().err
    assert "no wrong answers in train and dev: BM25 found candidates" in said
    assert "Warning: 30 questions of dev can be found in the training" in said


@pytest.mark.parametrize("text", ["question,answer\n", "a b c\n", ""])
def test_a_file_of_no_vectors_is_refused_before_there_is_a_folder(
    text, tmp_path
):
    table = write_table(tmp_path / "faq.csv", range(30))
    vectors = tmp_path / "v.txt"
    vectors.write_text(text)
    with pytest.raises(VectorsError, match=r"v\.txt"):
        train(table, tmp_path / "run", vectors=vectors)
    assert not (tmp_path / "run").exists()
