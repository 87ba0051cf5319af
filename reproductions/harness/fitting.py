"""Fits the model of a run, keeps its best epoch, exports it and ranks."""

import importlib
from collections.abc import Sequence
from typing import Any

import keras
import numpy as np

from keras_qa.batches.negatives import NegativeSampler
from keras_qa.batches.negatives import ScoreFunction
from keras_qa.batches.pairs import PairwiseBatches
from keras_qa.batches.pairs import PointwiseBatches
from keras_qa.datasets.corpus import IndexedQuestions
from keras_qa.export.keras_file import export_keras
from keras_qa.export.saved_model import export_saved_model
from keras_qa.export.verification import verify_export
from keras_qa.losses.pairwise import PairwiseHinge
from keras_qa.ranking.evaluation import Evaluation
from keras_qa.ranking.evaluation import evaluate
from keras_qa.text.sides import SIDES
from keras_qa.training.corpus_scorer import CorpusScorer
from keras_qa.training.epoch_selection import EpochSelector
from keras_qa.training.fitting import fit_best_epoch
from keras_qa.training.pairwise import PairwiseTrainer
from keras_qa.training.run_folder import RunFolder
from reproductions.harness.experiment import Experiment
from reproductions.harness.experiment import Outcome
from reproductions.harness.experiment import Run
from reproductions.harness.experiment import Training

# The first pairs, which the reloaded SavedModel must score as the model does.
VERIFIED_QUESTIONS = 10
VERIFIED_PAIRS = 500


def fit_and_rank(experiment: Experiment[Any], run: Run[Any]) -> Outcome:
    """Fits a model, exports its best epoch and ranks the reported questions.

    Args:
        experiment: the experiment that owns the model.
        run: the run.

    Returns:
        The scores and what the training adds to `metrics.json`.
    """
    arguments, settings = run.arguments, run.settings
    keras.utils.set_random_seed(arguments.seed)
    training = experiment.build_training(run)
    scorer = training.scorer
    select = run.corpus.index(run.select)
    measures = experiment.measures(arguments.dataset)

    def evaluate_selection() -> Evaluation:
        return evaluate(
            select.questions,
            scorer.rank(select),
            seed=arguments.seed,
            measures=measures,
        )

    callbacks = list(training.callbacks)
    if arguments.tensorboard:
        callbacks.append(_tensorboard(run.folder))
    selector = fit_best_epoch(
        training.trainer,
        training.batches,
        run.folder,
        evaluate_selection,
        settings.smoke_epochs if arguments.smoke else settings.epochs,
        monitor=experiment.monitor(settings),
        patience=training.patience,
        title=arguments.model,
        callbacks=callbacks,
    )
    export_run(run, scorer)
    return Outcome(
        scores=scorer.rank(run.corpus.index(run.report)),
        details={
            **_details(selector, scorer.model, tuple(measures)),
            **training.details,
        },
    )


def pairwise_training(
    scorer: CorpusScorer,
    optimizer: keras.optimizers.Optimizer,
    settings: Any,
    fit: IndexedQuestions,
    scores: ScoreFunction,
    seed: int,
    patience: int = 0,
) -> Training:
    """A training to rank right answers above sampled wrong ones.

    Args:
        scorer: scores pairs with the model.
        optimizer: the optimizer.
        settings: has `negatives`, `sampler`, `sampler_pool`, `margin` and
            `batch_size`.
        fit: the training questions.
        scores: the current scores of pairs, for the sampler.
        seed: seed of the sampler and of the order of the batches.
        patience: see `Training`.
    """
    sampler = NegativeSampler(
        fit.question_texts,
        fit.candidate_texts,
        fit.labels,
        negatives=settings.negatives,
        strategy=settings.sampler,
        pool=settings.sampler_pool,
        seed=seed,
    )
    trainer = PairwiseTrainer(scorer.model)
    trainer.compile(optimizer=optimizer, loss=PairwiseHinge(settings.margin))
    batches = PairwiseBatches(
        scorer.corpus.texts,
        lambda epoch: sampler.sample(epoch, scores),
        batch_size=settings.batch_size,
        seed=seed,
        packed=trainer.supports_packing,
    )
    return Training(scorer, trainer, batches, patience)


def pointwise_training(
    scorer: CorpusScorer,
    optimizer: keras.optimizers.Optimizer,
    run: Run[Any],
    **more: Any,
) -> Training:
    """A training to classify question-answer pairs as right or wrong.

    Args:
        scorer: scores pairs with the model.
        optimizer: the optimizer.
        run: the run; its settings have `batch_size` and `patience`.
        **more: `callbacks` and `details` of `Training`.
    """
    model, fit = scorer.model, run.corpus.index(run.fit)
    pairs = fit.pairs()
    features = scorer.features(*pairs)
    if "overlap" in features:
        # The statistics that standardise them are of the training pairs.
        model.overlap_normalization.adapt(features["overlap"])
    # The score is the log-odds of the softmax's two classes.
    loss = keras.losses.BinaryCrossentropy(from_logits=True)
    model.compile(optimizer, loss=loss)
    batches = PointwiseBatches(
        run.corpus.texts,
        *pairs,
        np.concatenate(fit.labels),
        batch_size=run.settings.batch_size,
        seed=run.arguments.seed,
        features=features,
        widths={side: model.input[side].shape[1] for side in SIDES},
    )
    return Training(scorer, model, batches, run.settings.patience, **more)


def _tensorboard(folder: RunFolder) -> keras.callbacks.Callback:
    try:
        importlib.import_module("tensorboard")
    except ImportError as error:
        raise ImportError(
            "`--tensorboard` needs TensorBoard: pip install tensorboard"
        ) from error
    return keras.callbacks.TensorBoard(str(folder.path / "tensorboard"))


def _details(
    selector: EpochSelector, model: keras.Model, metrics: Sequence[str]
) -> dict[str, Any]:
    best = selector.history[selector.best_epoch - 1]
    core = getattr(model, "core_parameters", None)
    return {
        "epoch": selector.best_epoch,
        "epochs": len(selector.history),
        "selection": {name: best[name] for name in metrics},
        "parameters": sum(
            int(np.prod(weight.shape)) for weight in model.trainable_variables
        ),
        # The parameters that the paper counts, if these are not all.
        **({} if core is None else {"core_parameters": core}),
        "seconds_per_epoch": float(
            np.median([row["seconds"] for row in selector.history])
        ),
    }


def export_run(run: Run[Any], scorer: CorpusScorer) -> None:
    """Writes `model.keras`, its vocabulary and, on TensorFlow, a SavedModel.

    There is no SavedModel of a model that reads question numbers or vectors,
    since it cannot score arbitrary texts.
    """
    corpus, folder = scorer.corpus, run.folder
    folder.write("model.keras", lambda path: export_keras(scorer.model, path))
    folder.write("vocabulary.txt", corpus.vocabulary.save)
    if scorer.overlap is not None:
        folder.write("overlap.json", scorer.overlap.save)
    if (
        keras.backend.backend() != "tensorflow"
        or scorer.question_rows is not None
        or scorer.vectors is not None
        or scorer.word_vectors is not None
    ):
        return
    reading = scorer.reading
    folder.write(
        "saved_model",
        lambda path: export_saved_model(scorer.model, reading, path),
    )
    pairs = [
        (question.text, candidate.text)
        for question in run.report[:VERIFIED_QUESTIONS]
        for candidate in question.candidates
    ][:VERIFIED_PAIRS]
    verify_export(
        folder.path / "saved_model",
        scorer.model,
        reading,
        *map(list, zip(*pairs, strict=True)),
    )
