"""Fits a ranker, keeps its best epoch, exports it and ranks with it."""

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import keras
import numpy as np

from keras_qa.batches.negatives import NegativeSampler
from keras_qa.batches.negatives import ScoreFunction
from keras_qa.batches.pairs import EpochBatches
from keras_qa.batches.pairs import PairwiseBatches
from keras_qa.datasets.corpus import Corpus
from keras_qa.datasets.corpus import IndexedQuestions
from keras_qa.export.keras_file import export_keras
from keras_qa.export.saved_model import export_saved_model
from keras_qa.export.verification import verify_export
from keras_qa.losses.pairwise import PairwiseHinge
from keras_qa.ranking.evaluation import Evaluation
from keras_qa.ranking.evaluation import evaluate
from keras_qa.ranking.scoring import score_pairs
from keras_qa.text.overlap import OverlapFeatures
from keras_qa.text.packing import RaggedTexts
from keras_qa.text.ragged import Ragged
from keras_qa.text.reading import TextReading
from keras_qa.text.vector_texts import VectorTexts
from keras_qa.training.epoch_selection import EpochSelector
from keras_qa.training.epoch_selection import ProgressBar
from keras_qa.training.pairwise import PairwiseTrainer
from keras_qa.training.run_folder import RunFolder
from reproductions.harness.experiment import Experiment
from reproductions.harness.experiment import Outcome
from reproductions.harness.measures import check_monitor
from reproductions.harness.measures import measures_of
from reproductions.harness.settings import Settings

# Pairs that the reloaded SavedModel must score as the model does: candidates of
# the first questions.
VERIFIED_QUESTIONS = 10
VERIFIED_PAIRS = 500


@dataclass(frozen=True)
class Ranker:
    """A scorer and what it reads.

    Attributes:
        scorer: the model.
        corpus: the texts.
        overlap: makes the scorer's input `"overlap"`, if it has one.
        question_rows: for each text of the corpus its number among the
            questions, int32 `(texts,)`, the scorer's input `"question_row"`,
            if it has one.
        vectors: the texts of the corpus as the vectors of their words, for a
            scorer that reads these in place of ids.
    """

    scorer: keras.Model
    corpus: Corpus
    overlap: OverlapFeatures | None = None
    question_rows: np.ndarray | None = None
    vectors: VectorTexts | None = None

    @property
    def texts(self) -> Ragged:
        """What the scorer reads, by number of the text."""
        return self.corpus.texts if self.vectors is None else self.vectors

    def features(
        self, questions: np.ndarray, answers: np.ndarray
    ) -> dict[str, np.ndarray]:
        """The inputs of pairs beside their texts, arrays `(pairs, n)`."""
        found = {}
        if self.overlap is not None:
            tokens = self.corpus.tokens
            found["overlap"] = self.overlap.pairs(tokens, questions, answers)
        if self.question_rows is not None:
            found["question_row"] = self.question_rows[questions][:, None]
        return found

    def scores(self, questions: np.ndarray, answers: np.ndarray) -> np.ndarray:
        """The scores of pairs of texts, float32 `(pairs,)`."""
        return score_pairs(
            self.scorer,
            self.texts,
            questions,
            answers,
            self.features(questions, answers),
        )

    def distinct_scores(
        self, questions: np.ndarray, answers: np.ndarray
    ) -> np.ndarray:
        """The same, with each distinct pair scored once.

        A sampler asks for the candidates of a question once for each of its
        correct answers.
        """
        pairs, rows = np.unique(
            np.stack([questions, answers], axis=1), axis=0, return_inverse=True
        )
        return self.scores(*pairs.T)[rows.reshape(-1)]

    def rank(self, indexed: IndexedQuestions) -> list[np.ndarray]:
        """For each question the scores of its candidates."""
        return indexed.split(self.scores(*indexed.pairs()))


def pairwise_training(
    scorer: keras.Model,
    optimizer: keras.optimizers.Optimizer,
    settings: Settings,
    texts: RaggedTexts,
    fit: IndexedQuestions,
    scores: ScoreFunction,
    seed: int,
) -> tuple[PairwiseTrainer, PairwiseBatches]:
    """The compiled trainer of a scorer and the groups it is to be fitted on.

    Args:
        scorer: the model.
        optimizer: its optimizer.
        settings: `negatives`, `sampler`, `sampler_pool`, `margin` and
            `batch_size`.
        texts: the word ids of all texts.
        fit: the training questions.
        scores: the current scores of pairs, for the sampler.
        seed: seed of the sampler and of the order of the batches.
    """
    sampler = NegativeSampler(
        fit.question_texts,
        fit.candidate_texts,
        fit.labels,
        negatives=settings["negatives"],
        strategy=settings["sampler"],
        pool=settings["sampler_pool"],
        seed=seed,
    )
    trainer = PairwiseTrainer(scorer)
    trainer.compile(optimizer=optimizer, loss=PairwiseHinge(settings["margin"]))
    batches = PairwiseBatches(
        texts,
        lambda epoch: sampler.sample(epoch, scores),
        batch_size=settings["batch_size"],
        seed=seed,
        packed=trainer.supports_packing,
    )
    return trainer, batches


def fit_and_rank(
    experiment: Experiment,
    ranker: Ranker,
    trainer: keras.Model,
    batches: EpochBatches,
    patience: int = 0,
    monitor: str = "MAP",
    callbacks: Sequence[keras.callbacks.Callback] = (),
) -> Outcome:
    """Fits, loads the best epoch, exports and ranks the reported questions.

    Args:
        experiment: the experiment.
        ranker: the scorer that is to learn.
        trainer: the compiled model to fit: the scorer, or one around it.
        batches: what to fit it on.
        patience: the training ends after so many epochs without a better one
            on the questions that choose the epoch; 0 runs all epochs.
        monitor: the metric that chooses the epoch, one of
            `measures_of` the data set.
        callbacks: further callbacks of the training.

    Returns:
        The scores and what the training adds to `metrics.json`.

    Raises:
        SettingsError: if `monitor` is no such metric.
    """
    arguments, settings = experiment.arguments, experiment.settings
    check_monitor(monitor, arguments.dataset)
    select = ranker.corpus.index(experiment.select)

    def evaluate_selection() -> Evaluation:
        return evaluate(
            select.questions,
            ranker.rank(select),
            seed=arguments.seed,
            measures=measures_of(arguments.dataset),
        )

    epochs = settings["smoke_epochs" if arguments.smoke else "epochs"]
    selector = EpochSelector(
        experiment.folder, evaluate_selection, monitor, patience
    )
    done = selector.restore(trainer)
    bar = ProgressBar(epochs, done, arguments.model, monitor)
    callbacks = [*callbacks, selector, bar]
    if arguments.tensorboard:
        callbacks.append(_tensorboard(experiment.folder))
    trainer.fit(
        batches,
        **batches.fit_arguments(
            epochs=epochs,
            initial_epoch=epochs if selector.out_of_patience else done,
            callbacks=callbacks,
            verbose=0,
        ),
    )
    selector.load_best(trainer)
    _export(experiment, ranker)
    return Outcome(
        scores=ranker.rank(ranker.corpus.index(experiment.report)),
        details=_details(
            selector, ranker.scorer, tuple(measures_of(arguments.dataset))
        ),
    )


def _tensorboard(folder: RunFolder) -> keras.callbacks.Callback:
    try:
        importlib.import_module("tensorboard")
    except ImportError as error:
        raise ImportError(
            "`--tensorboard` needs TensorBoard: pip install tensorboard"
        ) from error
    return keras.callbacks.TensorBoard(str(folder.path / "tensorboard"))


def _details(
    selector: EpochSelector, scorer: keras.Model, metrics: Sequence[str]
) -> dict[str, Any]:
    best = selector.history[selector.best_epoch - 1]
    core = getattr(scorer, "core_parameters", None)
    return {
        "epoch": selector.best_epoch,
        "epochs": len(selector.history),
        "selection": {name: best[name] for name in metrics},
        "parameters": sum(
            int(np.prod(weight.shape)) for weight in scorer.trainable_variables
        ),
        # As its paper counts them, where that is not all of them.
        **({} if core is None else {"core_parameters": core}),
        "seconds_per_epoch": float(
            np.median([row["seconds"] for row in selector.history])
        ),
    }


def _export(experiment: Experiment, ranker: Ranker) -> None:
    """Writes the model for Keras and, on TensorFlow, for text.

    A scorer that knows its questions by number takes no other ones as text,
    nor does one that reads vectors.
    """
    corpus, folder = ranker.corpus, experiment.folder
    folder.write("model.keras", lambda path: export_keras(ranker.scorer, path))
    folder.write("vocabulary.txt", corpus.vocabulary.save)
    if ranker.overlap is not None:
        folder.write("overlap.json", ranker.overlap.save)
    if (
        keras.backend.backend() != "tensorflow"
        or ranker.question_rows is not None
        or ranker.vectors is not None
    ):
        return
    reading = TextReading(
        corpus.vocabulary,
        corpus.tokenizer,
        corpus.max_question_length,
        corpus.max_answer_length,
        ranker.overlap,
    )
    folder.write(
        "saved_model",
        lambda path: export_saved_model(ranker.scorer, reading, path),
    )
    pairs = [
        (question.text, candidate.text)
        for question in experiment.report[:VERIFIED_QUESTIONS]
        for candidate in question.candidates
    ][:VERIFIED_PAIRS]
    verify_export(
        folder.path / "saved_model",
        ranker.scorer,
        reading,
        *map(list, zip(*pairs, strict=True)),
    )
