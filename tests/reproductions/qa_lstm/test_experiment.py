"""QA-LSTM's experiment from the command line, end to end on a few questions."""

import json
from pathlib import Path
from types import SimpleNamespace

import keras
import numpy as np
import pytest

from keras_qa.ranking import floors
from keras_qa.ranking import sequential_dependence
from keras_qa.ranking.evaluation import MEASURES
from keras_qa.training.epoch_selection import EpochSelector
from reproductions.by_question import question_metric
from reproductions.harness import fitting
from reproductions.qa_lstm import experiment as qa_lstm
from reproductions.qa_lstm.settings import ROWS
from reproductions.qa_lstm.settings import SIZES
from reproductions.qa_lstm.settings import QALSTMSettings
from reproductions.records.paper_figures import load_papers
from reproductions.records.papers import ResultsTable
from support.script_runs import FILES
from support.script_runs import check_resumed
from support.script_runs import metrics_of
from support.script_runs import run_of
from support.script_runs import settings_of
from support.script_runs import smoke_runner

ROOT = Path(__file__).parents[3]
SMALL = {
    "skipgram_dim": 8,
    "units": 3,
    "filters": 4,
    "hidden_units": 3,
    "negatives": 3,
    "kernel_size": 2,
}
run = smoke_runner(qa_lstm, SMALL)
INSURANCE = ["--dataset=insuranceqa-v1", f"--data-dir={ROOT / 'tests/data'}"]


def chosen(settings, *names):
    return tuple(settings[name] for name in names)


def test_a_row_is_trained_exported_and_verified(tmp_path):
    record = tmp_path / "runs.jsonl"
    options = ["--row=3K", "--record", str(record)]
    assert run(tmp_path / "run", *options) == 0
    assert {path.name for path in (tmp_path / "run").iterdir()} >= FILES
    metrics = metrics_of(tmp_path / "run")
    assert (metrics["paper"], metrics["row"]) == ("qa_lstm", "3K")
    assert metrics["model"] == "attentive-cnn"
    assert metrics["questions"] == metrics["questions_scored"] == 12
    # The embedding is trained, and counts.
    embedding = metrics["vocabulary_size"] * SMALL["skipgram_dim"]
    assert metrics["parameters"] == metrics["core_parameters"] + embedding
    (line,) = record.read_text().splitlines()
    assert json.loads(line) == metrics


@pytest.mark.parametrize("model", sorted(qa_lstm.CLASSES))
def test_models_have_the_settings(model):
    settings = settings_of(qa_lstm, f"--model={model}", "--set=similarity=gesd")
    settings |= {name: SMALL[name] for name in SMALL if name in settings}
    scorer = qa_lstm.EXPERIMENT.build_model(
        model, QALSTMSettings(**settings), np.ones((9, 5), dtype=np.float32)
    )
    config = scorer.get_config()
    _, names = qa_lstm.CLASSES[model]
    for name in names:
        assert config[name] == settings[name]
    assert (config["vocabulary_size"], config["embedding_dim"]) == (9, 5)
    assert (config["dropout"], config["similarity"]) == (0.2, "gesd")
    shape = (2, 1)
    ids = np.ones((2, 4), dtype=np.int32)
    assert scorer({"question": ids, "answer": ids}).shape == shape


@pytest.mark.parametrize(
    "model", ["bm25", "cosine", "features", "idf-cosine", "wsdm"]
)
def test_baselines(tmp_path, without_export, model):
    assert run(tmp_path / "run", *INSURANCE, "--model", model) == 0
    metrics = metrics_of(tmp_path / "run")
    trained = model == "wsdm"
    assert metrics["recipe"] == ("paper" if trained else "untrained")
    words_alone = model in ("bm25", "wsdm")
    assert metrics["vectors"] == ([] if words_alone else ["skipgram"])
    assert ("selection" in metrics) == (model not in ("bm25", "cosine"))
    assert np.shape(metrics.get("weights", 0)) == ((3, 3) if trained else ())


def test_baselines_are_chosen_by_the_measures_of_the_data_set(
    tmp_path, without_export, monkeypatch
):
    recall = {"recall@5": MEASURES["MRR"]}
    monkeypatch.setattr(
        type(qa_lstm.EXPERIMENT), "measures", lambda experiment, dataset: recall
    )
    assert run(tmp_path / "run", *INSURANCE, "--model=idf-cosine") == 0
    assert metrics_of(tmp_path / "run")["selection"].keys() == recall.keys()


def test_test_is_reported_with_its_parts(tmp_path, without_export):
    assert run(tmp_path / "run", *INSURANCE, "--model=qa-cnn") == 0
    metrics = metrics_of(tmp_path / "run")
    assert metrics["settings"]["monitor"] == "P@1"
    # A question each, in the whole and in its part.
    for name in MEASURES:
        whole = question_metric(tmp_path / "run", name)
        assert metrics["parts"] == {
            part: {**metrics["parts"][part], name: whole[f"{part}-1"]}
            for part in ("test1", "test2")
        }
    # Answers that no question has are drawn as negatives, so they have words.
    words = (ROOT / "tests/data/InsuranceQA/V1/vocabulary").read_text()
    assert 20 < metrics["vocabulary_size"] <= 2 + len(words.splitlines())


def test_dev_is_selected_on_held_out_questions_with_pools(
    tmp_path, without_export
):
    assert run(tmp_path / "run", *INSURANCE, "--model=qa-cnn", "--split=dev",
               fold_fraction=0.5) == 0  # fmt: skip
    metrics = metrics_of(tmp_path / "run")
    assert metrics["training_set"] == "train less its fold"
    assert "parts" not in metrics
    # A correct answer alone would always be the first.
    assert metrics["selection"]["MAP"] < 1


def test_stopped_and_resumed_is_the_same_as_uninterrupted(
    tmp_path, monkeypatch, without_export
):
    """Negatives, dropout and the learning rate are those of the epoch."""
    steps = {"smoke_epochs": 3, "decay": "1/T", "dropout": 0.5}
    rates = []
    save = EpochSelector.on_epoch_end

    def note(self, epoch, logs=None):
        rates.append(float(self.model.optimizer.learning_rate))
        save(self, epoch, logs)

    monkeypatch.setattr(EpochSelector, "on_epoch_end", note)
    check_resumed(run, tmp_path, "--model=qa-cnn", **steps)
    expected = [1.1, 0.55, 1.1 / 3]
    assert rates == pytest.approx([*expected, *expected])


@pytest.mark.parametrize("monitor", ["MAP", "P@1"])
def test_the_monitored_metric_chooses_the_epoch(
    tmp_path, monkeypatch, without_export, monitor
):
    figures = iter([{"MAP": 0.3, "P@1": 0.1}, {"MAP": 0.2, "P@1": 0.2}])
    evaluate = fitting.evaluate

    def scripted(*arguments, **options):
        found = evaluate(*arguments, **options)
        found.metrics.update(next(figures, {}))
        return found

    monkeypatch.setattr(fitting, "evaluate", scripted)
    steps = {"smoke_epochs": 2, "monitor": monitor}
    assert run(tmp_path / "run", "--model=qa-cnn", **steps) == 0
    best = 1 if monitor == "MAP" else 2
    assert metrics_of(tmp_path / "run")["epoch"] == best


def test_settings_are_the_papers():
    plain = settings_of(qa_lstm, "--dataset=insuranceqa-v1", "--row=3N")
    assert chosen(plain, "units", "pooling", "similarity") == (
        *(141, "max", "cosine"),
    )
    recipe = ("negatives", "margin", "learning_rate", "batch_size")
    assert chosen(plain, *recipe) == (50, 0.2, 1.1, 20)
    assert chosen(plain, "optimizer", "decay") == ("sgd", "none")
    assert plain["monitor"] == "P@1"
    # "The maximum length L of questions and answers is 200."
    assert plain["max_question_length"] == plain["max_answer_length"] == 200
    single = settings_of(qa_lstm, "--dataset=insuranceqa-v1", "--row=3E")
    assert chosen(single, *recipe) == (1, 0.1, 0.1, 100)
    assert single["filters"] == 4000
    trec = settings_of(qa_lstm, "--dataset=trecqa-clean", "--row=4D")
    # 600 in both directions together.
    assert chosen(trec, "units", "filters") == (300, 600)
    assert chosen(trec, "decay", "monitor") == ("1/T", "MAP")
    assert settings_of(qa_lstm, "--row=3H")["units"] * 2 == 200
    assert settings_of(qa_lstm, "--row=3H")["filters"] == 282
    assert settings_of(qa_lstm, "--row=3H", "--epochs=7")["epochs"] == 7


PLAIN = (50, 0.2, 1.1, 20)
SINGLE = (1, 0.1, 0.1, 100)


@pytest.mark.parametrize(
    ("row", "recipe", "sizes"),
    [
        ("3-cnn", PLAIN, {"filters": 4000, "similarity": "cosine"}),
        ("3-cnn-gesd", PLAIN, {"filters": 4000, "similarity": "gesd"}),
        ("3A", PLAIN, {"units": 141, "pooling": "head_tail"}),
        ("3B", PLAIN, {"units": 141, "pooling": "avg"}),
        ("3C", SINGLE, {"units": 141, "pooling": "max"}),
        ("3D", PLAIN, {"units": 141, "pooling": "max"}),
        ("3E", SINGLE, {"units": 141, "filters": 4000}),
        ("3F", PLAIN, {"units": 141, "filters": 200}),
        ("3G", PLAIN, {"units": 141, "filters": 400}),
        ("3H", PLAIN, {"units": 200 // 2, "filters": 282}),
        ("3I", PLAIN, {"units": 400 // 2, "filters": 282}),
        ("3J", PLAIN, {"filters": 400, "kernel_size": 3}),
        ("3K", PLAIN, {"filters": 400, "kernel_size": 3, "pooling": "max"}),
        ("3L", SINGLE, {"units": 141, "pooling": "avg"}),
        ("3M", PLAIN, {"units": 141, "pooling": "avg"}),
        ("3N", PLAIN, {"units": 141, "pooling": "max"}),
        ("4-cnn", PLAIN, {"filters": 600, "hidden_units": 200}),
        ("4A", PLAIN, {"filters": 600, "kernel_size": 3}),
        ("4B", PLAIN, {"units": 600 // 2, "pooling": "max"}),
        ("4C", PLAIN, {"units": 600 // 2, "filters": 600}),
        ("4D", PLAIN, {"units": 600 // 2, "filters": 600}),
        ("4E", PLAIN, {"units": 600 // 2, "pooling": "max"}),
    ],
)
def test_every_row_is_as_its_table_says(row, recipe, sizes):
    trec = row.startswith("4")
    dataset = "trecqa-clean" if trec else "insuranceqa-v1"
    settings = settings_of(qa_lstm, f"--dataset={dataset}", f"--row={row}")
    names = ("negatives", "margin", "learning_rate", "batch_size")
    assert chosen(settings, *names) == recipe
    assert {name: settings[name] for name in sizes} == sizes
    choice = ("1/T", "MAP") if trec else ("none", "P@1")
    assert chosen(settings, "decay", "monitor") == choice


def test_the_small_recipe_halves_sizes_and_shares_negatives():
    for row in ROWS:
        paper, small = (
            settings_of(qa_lstm, f"--row={row}", f"--recipe={recipe}")
            for recipe in ("paper", "small")
        )
        for name in SIZES:
            assert small[name] == paper[name] // 2
        for name in ("negatives", "pooling", "similarity", "kernel_size"):
            assert small[name] == paper[name]
        # What a single negative changes beside itself is not its own.
        assert chosen(small, "margin", "batch_size") == (0.2, 20)
        assert small["shared_negatives"] and not paper["shared_negatives"]
    for dataset, epochs in (("insuranceqa-v1", 20), ("wikiqa", 10)):
        small = settings_of(
            qa_lstm, "--row=3D", "--recipe=small", f"--dataset={dataset}"
        )
        assert small["epochs"] == epochs
    given = settings_of(
        qa_lstm, "--row=3E", "--recipe=small", "--set=filters=8"
    )
    assert given["filters"] == 8


def test_rows_are_those_of_the_tables():
    paper = load_papers()["qa_lstm"]
    printed = {
        row.name: row.ours
        for table in paper.tables
        if isinstance(table, ResultsTable)
        for row in table.rows
        if row.name
    }
    assert printed == {name: model for name, (model, _) in ROWS.items()}
    # Those of another experiment's models are no rows of this one.
    assert all(
        row.name or row.ours is None or ":" in row.ours
        for row in paper.tables[-1].rows
    )


def test_a_row_fits_its_model_alone(capsys):
    with pytest.raises(SystemExit):
        settings_of(qa_lstm, "--row=3N", "--model=qa-lstm")
    assert "row 3N is of the model attentive-lstm" in capsys.readouterr().err
    assert settings_of(qa_lstm, "--row=3N", "--model=attentive-lstm")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--set=decay=2/T"], "`decay` must be one of ('none', '1/T')"),
        (["--set=margin=-1"], "`margin` must be positive"),
        (["--set=similarity=dot"], "`similarity` must be one of"),
        (["--set=batch_size=0"], "`batch_size` must be positive"),
        (["--set=pool_size=many"], "`pool_size` must be of type int"),
        (["--model=qa-lstm", "--set=pooling=min"], "`pooling` must be one of"),
    ],
)
def test_bad_input_is_a_message(tmp_path, capsys, arguments, message):
    arguments = ["--model=qa-cnn"] * ("--model" not in arguments[0]) + arguments
    assert run(tmp_path / "run", *arguments) == 2
    assert message in capsys.readouterr().err


def test_exported_models_take_lemmatised_text(tmp_path):
    """InsuranceQA's words stand between blanks, so the export splits there."""
    assert run(tmp_path / "run", *INSURANCE, "--model=qa-cnn") == 0
    tf = pytest.importorskip("tensorflow")
    if keras.backend.backend() != "tensorflow":
        pytest.skip("only TensorFlow exports models that take text")
    served = tf.saved_model.load(str(tmp_path / "run/saved_model"))
    scores = served.signatures["serving_default"](
        question=tf.constant(["what cover a flood ?"] * 2),
        answer=tf.constant(["Medicare do not pay", "medicare do not pay"]),
    )["score"].numpy()
    assert scores[0] == scores[1]


def test_the_training_is_as_the_settings_say(capital_questions):
    settings = QALSTMSettings(
        units=2,
        negatives=2,
        shared_negatives=True,
        margin=0.7,
        optimizer="adamw",
        learning_rate=0.5,
        decay="1/T",
        batch_size=2,
        patience=4,
    )
    run = run_of(capital_questions, settings, "qa-lstm")
    learner = qa_lstm.EXPERIMENT.build_learner(run)
    training = qa_lstm.EXPERIMENT.paper_training(run, learner)
    batches, trainer = training.batches, training.trainer
    assert (batches.batch_size, batches.seed, batches.shared) == (2, 3, True)
    sampler = batches.sampler.__self__
    names = ("negatives", "strategy", "pool", "seed")
    expected = [2, "random", "all", 3]
    assert [getattr(sampler, name) for name in names] == expected
    assert trainer.loss.margin == 0.7
    assert isinstance(trainer.optimizer, keras.optimizers.AdamW)
    assert float(trainer.optimizer.learning_rate) == 0.5
    (rates,) = training.callbacks
    assert [rates.schedule(epoch, 9.9) for epoch in (0, 1)] == [0.5, 0.25]
    assert training.patience == 4


def test_the_baselines_are_as_the_settings_say(capital_questions, monkeypatch):
    given = {}

    class Model:
        def __init__(self, answers, **options):
            given.update(options, answers=answers)

        def fit(self, questions, metric):
            given.update(questions=questions, metric=metric)

    def idf_cosine(texts, matrix, questions, answers, documents):
        given["documents"] = documents
        return np.zeros(len(answers))

    monkeypatch.setattr(
        sequential_dependence, "WeightedSequentialDependence", Model
    )
    monkeypatch.setattr(floors, "idf_cosine_scores", idf_cosine)
    settings = QALSTMSettings(
        mu=7.0,
        window=3,
        max_question_length=5,
        max_answer_length=4,
        wsdm_questions=2,
        monitor="P@1",
    )
    dataset = SimpleNamespace(answers=lambda: ["more"], add_pools=None)
    run = run_of(capital_questions, settings, dataset=dataset)
    qa_lstm.fit_term_dependence(run)
    expected = {"mu": 7.0, "window": 3, "tokenizer": run.corpus.tokenizer}
    expected |= {"max_question_length": 5, "max_answer_length": 4}
    questions = given.pop("questions")
    assert given == {**expected, "answers": ["more"], "metric": "P@1"}
    assert len({question.id for question in questions}) == 2
    qa_lstm._idf_cosine(run, capital_questions)
    assert given["documents"] is run.corpus.answer_space
