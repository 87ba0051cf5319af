"""QA-LSTM (Tan et al., ACL 2016): tables 3 and 4, with their baselines.

    python -m reproductions.qa_lstm --row 3N --dataset insuranceqa-v1 \
        --data-dir DIR --embeddings FILE --seed 1 --split test

`--row` chooses the model and the settings of a row of the tables; `--model`
alone takes a model with the settings of its best row. `--model idf-cosine` and
`--model wsdm` are the first two baselines of Table 3; they, `--model bm25` and
`--model cosine` are simple baselines to compare with. Top-1 accuracy is P@1. An
epoch of `--recipe small` takes about a minute on InsuranceQA's 3,437 training
questions and 2 cores, an epoch of the published recipe several minutes.
`python -m reproductions.study qa_lstm --seeds 1 2 3` runs all rows.
"""

from argparse import Namespace
from collections.abc import Mapping
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING
from typing import Any

import numpy as np

import keras_qa
from keras_qa.datasets.dataset import Question
from reproductions.harness.command import run_command
from reproductions.harness.errors import SettingsError
from reproductions.harness.experiment import Experiment
from reproductions.harness.parts.floor_names import FLOORS
from reproductions.harness.parts.learners import Learner
from reproductions.harness.parts.learners import Training
from reproductions.harness.parts.runs import Outcome
from reproductions.harness.parts.runs import Run
from reproductions.harness.settings import PAPER
from reproductions.qa_lstm.settings import DATASETS
from reproductions.qa_lstm.settings import MODELS
from reproductions.qa_lstm.settings import ONE_NEGATIVE
from reproductions.qa_lstm.settings import RECIPES
from reproductions.qa_lstm.settings import ROWS
from reproductions.qa_lstm.settings import SIZES
from reproductions.qa_lstm.settings import QALSTMSettings

if TYPE_CHECKING:
    import keras

    from keras_qa.ranking.sequential_dependence import (
        WeightedSequentialDependence,
    )

# The class of each model, and the settings that are arguments of it.
_SHARED = ("similarity", "dropout", "l2")
CLASSES: dict[str, tuple[str, tuple[str, ...]]] = {
    "qa-lstm": ("QALSTM", ("units", "pooling")),
    "conv-pooling-lstm": (
        "ConvPoolingLSTM",
        ("units", "filters", "kernel_size"),
    ),
    "conv-based-lstm": ("ConvBasedLSTM", ("units", "filters", "kernel_size")),
    "attentive-lstm": (
        "AttentiveLSTM",
        ("units", "pooling", "attention_units"),
    ),
    "qa-cnn": ("QACNN", ("filters", "kernel_size")),
    "attentive-cnn": (
        "AttentiveCNN",
        ("filters", "kernel_size", "pooling", "attention_units"),
    ),
    "feng-cnn": ("FengCNN", ("hidden_units", "filters", "kernel_size")),
}
# The first two baselines of Table 3: one of words, one of their vectors.
TERM_DEPENDENCE = "wsdm"
IDF_COSINE = "idf-cosine"


class QALSTMExperiment(Experiment[QALSTMSettings]):
    """QA-LSTM (Tan et al., ACL 2016): tables 3 and 4, with their baselines."""

    name = "qa_lstm"
    settings = QALSTMSettings
    models = (*CLASSES, IDF_COSINE, TERM_DEPENDENCE, *FLOORS)
    recipes = RECIPES
    of_model = MODELS
    of_dataset = DATASETS
    own_settings = {name: own for name, (_, own) in CLASSES.items()}
    rows = ROWS
    choices = {
        "attentive-lstm": {"pooling": ("max", "avg")},
        "attentive-cnn": {"pooling": ("max", "avg")},
        # It is not fitted by epochs.
        TERM_DEPENDENCE: {"folds": (0,)},
    }
    untrained = (*Experiment.untrained, IDF_COSINE)
    wordless = (*Experiment.wordless, TERM_DEPENDENCE)

    def recipe_changes(
        self, arguments: Namespace, published: QALSTMSettings
    ) -> Mapping[str, Any]:
        """Halves sizes but for `paper`, ignores retuning for one negative."""
        changes = super().recipe_changes(arguments, published)
        if arguments.recipe == "paper":
            return changes
        _, row = self.rows.get(arguments.row, ("", {}))
        retuned = {
            name: getattr(self.settings(), name)
            for name in ONE_NEGATIVE
            if name in row and name != "negatives"
        }
        halved = {name: getattr(published, name) // 2 for name in SIZES}
        return {**retuned, **halved, **changes}

    def build_model(
        self, model: str, settings: QALSTMSettings, matrix: np.ndarray
    ) -> "keras.Model":
        """A model whose word vectors are trained, starting from a matrix."""
        class_name, names = CLASSES[model]
        return self.model_of_words(
            class_name, settings, (*names, *_SHARED), matrix
        )

    def check(self, arguments: Namespace, settings: QALSTMSettings) -> None:
        """Refuses another sampler where the hardest of some is looked for."""
        super().check(arguments, settings)
        if arguments.transfer and arguments.model == TERM_DEPENDENCE:
            raise SettingsError(
                f"`--transfer` must be left out for {TERM_DEPENDENCE}, which "
                "is not fitted by epochs. "
                f"Received: --transfer {' '.join(arguments.transfer)}"
            )
        if settings.objective == PAPER and settings.sampler != "random":
            raise SettingsError(
                "the setting `sampler` must be 'random' for objective=paper. "
                f"Received: sampler={settings.sampler!r}"
            )

    def build_learner(self, run: Run[QALSTMSettings]) -> Learner:
        """The model and its optimizer."""
        import keras

        settings = run.settings
        model = self.build_model(run.arguments.model, settings, run.matrix)
        optimizer = {
            "class_name": settings.optimizer,
            "config": {"learning_rate": settings.learning_rate},
        }
        return Learner(
            keras_qa.CorpusScorer(model, run.corpus),
            keras.optimizers.get(optimizer),
            settings.patience,
            learning_rates(settings),
        )

    def paper_training(
        self, run: Run[QALSTMSettings], learner: Learner
    ) -> Training:
        """On the hardest of some random negatives."""
        settings, corpus = run.settings, run.corpus
        seed = run.arguments.seed
        fit = corpus.index(run.fit)
        sampler = keras_qa.NegativeSampler(
            fit.question_texts,
            fit.candidate_texts,
            fit.labels,
            negatives=settings.negatives,
            strategy=settings.sampler,
            pool=settings.sampler_pool,
            seed=seed,
            everything=corpus.answer_space,
        )
        trainer = keras_qa.HardestNegativeTrainer(learner.scorer.model)
        trainer.compile(
            optimizer=learner.optimizer,
            loss=keras_qa.PairwiseHinge(settings.margin),
        )
        batches = keras_qa.HardestNegativeBatches(
            corpus.texts,
            sampler,
            batch_size=settings.batch_size,
            seed=seed,
            shared=settings.shared_negatives,
        )
        return learner.fitted(trainer, batches)

    def rank_by_words(self, run: Run[QALSTMSettings]) -> Outcome | None:
        """Ranks with the first two baselines of Table 3; None for others."""
        from reproductions.harness.fitting import ranked

        details: dict[str, Any] = {}
        if run.arguments.model == TERM_DEPENDENCE:
            model = fit_term_dependence(run)
            rank, details["weights"] = model.scores, model.weights.tolist()
        elif run.arguments.model == IDF_COSINE:
            rank = partial(_idf_cosine, run)
        else:
            return None
        return ranked(self, run, rank, details)

    def search_space(self) -> dict[str, list[Any]]:
        """The settings that section 4.1 and Table 3 tuned, with our lists."""
        return {
            "margin": [0.05, 0.1, 0.2, 0.5],
            "negatives": [1, 10, 50],
            "learning_rate": [0.1, 0.5, 1.1],
            "batch_size": [20, 100],
            "filters": [200, 400],
            "kernel_size": [2, 3],
            "dropout": [0.0, 0.2, 0.5],
        }


def learning_rates(
    settings: QALSTMSettings,
) -> "list[keras.callbacks.Callback]":
    """The callback that sets the learning rate of each epoch, if it decays.

    The rate depends only on the epoch's number, so that a resumed training
    gives the same result as an uninterrupted one.
    """
    import keras

    if settings.decay == "none":
        return []
    return [
        keras.callbacks.LearningRateScheduler(
            lambda epoch, rate: settings.learning_rate / (epoch + 1)
        )
    ]


def _idf_cosine(
    run: Run[QALSTMSettings], questions: list[Question]
) -> list[np.ndarray]:
    from keras_qa.ranking.floors import idf_cosine_scores

    indexed = run.corpus.index(questions)
    return indexed.split(
        idf_cosine_scores(
            run.corpus.texts,
            run.matrix,
            *indexed.pairs(),
            documents=run.corpus.answer_space,
        )
    )


def fit_term_dependence(
    run: Run[QALSTMSettings],
) -> "WeightedSequentialDependence":
    """The term dependence model, weighted on some training questions.

    If the data set has pools, the questions get candidates from them first.
    """
    from keras_qa.ranking.sequential_dependence import (
        WeightedSequentialDependence,
    )

    settings, dataset, seed = run.settings, run.dataset, run.arguments.seed
    model = WeightedSequentialDependence(
        dataset.answers() if dataset.answers else (),
        mu=settings.mu,
        window=settings.window,
        tokenizer=run.corpus.tokenizer,
        max_question_length=settings.max_question_length,
        max_answer_length=settings.max_answer_length,
    )
    order = np.random.default_rng(seed).permutation(len(run.fit))
    questions = [run.fit[i] for i in order[: settings.wsdm_questions]]
    if dataset.add_pools:
        questions = dataset.add_pools(questions, seed)
    model.fit(questions, settings.monitor)
    return model


EXPERIMENT = QALSTMExperiment()


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one model with one seed and prints its figures."""
    return run_command(EXPERIMENT, argv)
