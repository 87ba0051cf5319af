"""Fits the model of a run, or a floor, exports it and ranks."""

import importlib
from collections.abc import Callable
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import keras
import numpy as np

from keras_qa import hosts
from keras_qa.datasets.dataset import Question
from keras_qa.export.keras_file import export_keras
from keras_qa.export.saved_model import export_saved_model
from keras_qa.export.verification import verify_export
from keras_qa.ranking.evaluation import Evaluation
from keras_qa.ranking.evaluation import evaluate
from keras_qa.text.word_pieces import WORD_PIECES
from keras_qa.training.corpus_scorer import CorpusScorer
from keras_qa.training.epoch_selection import EpochSelector
from keras_qa.training.epoch_selection import Measured
from keras_qa.training.fitting import fit_best_epoch
from keras_qa.training.run_folder import RunFolder
from reproductions.harness.experiment import Experiment
from reproductions.harness.floors import fitted_floor
from reproductions.harness.objectives import training_of
from reproductions.harness.parts.floor_names import CONTEXTUAL_FLOORS
from reproductions.harness.parts.learners import Training
from reproductions.harness.parts.runs import Outcome
from reproductions.harness.parts.runs import Run
from reproductions.harness.teaching.stage import Unmeasured
from reproductions.harness.teaching.stage import apply_weights
from reproductions.harness.teaching.stage import transferred_weights

# The first pairs, which the reloaded SavedModel must score as the model does.
VERIFIED_QUESTIONS = 10
VERIFIED_PAIRS = 500


def fit_and_rank(
    experiment: Experiment[Any], run: Run[Any], epochs: int | None = None
) -> Outcome:
    """Fits a model, exports its best epoch and ranks the reported questions.

    Args:
        experiment: the experiment that owns the model.
        run: the run.
        epochs: see `fit`.

    Returns:
        The scores and what the training adds to `metrics.json`.
    """
    training, selector = fit(experiment, run, epochs)
    scorer, added = experiment.finished(run, training.scorer, epochs)
    export_run(run, scorer)
    selection = selector.history[selector.best_epoch - 1]
    names = experiment.measures(run.arguments.dataset)
    return Outcome(
        scores=scorer.rank(run.corpus.index(run.report)),
        details={
            **_details(
                selector,
                training.scorer.model,
                {n: selection[n] for n in names if n in selection},
                experiment.monitor(run.settings),
            ),
            **training.details,
            **added,
        },
    )


def rank_floor(experiment: Experiment[Any], run: Run[Any]) -> Outcome:
    """Fits a floor, exports it and ranks the reported questions.

    Args:
        experiment: the experiment that owns the vectors.
        run: the run.

    Returns:
        The scores; what was fitted, and the measures on the questions that
        would choose an epoch.
    """
    corpus, name = run.corpus, run.arguments.model
    vectors = None
    if name in CONTEXTUAL_FLOORS:
        vectors = experiment.text_vectors(run)
    model, fitted = fitted_floor(name, run, vectors)
    scorer = CorpusScorer(model, corpus, word_vectors=vectors)
    return rank_unfitted(experiment, run, scorer, {"fitted": fitted})


def rank_unfitted(
    experiment: Experiment[Any],
    run: Run[Any],
    scorer: CorpusScorer,
    details: Mapping[str, Any] = MappingProxyType({}),
) -> Outcome:
    """Exports a model that is not fitted by epochs, and ranks with it.

    Args:
        experiment: the experiment that owns the model.
        run: the run.
        scorer: scores pairs with the model.
        details: entries of `metrics.json` about the model.

    Returns:
        The scores; the details, and the measures on the questions that would
        choose an epoch.
    """
    export_run(run, scorer)
    return ranked(
        experiment,
        run,
        lambda questions: scorer.rank(run.corpus.index(questions)),
        details,
    )


def ranked(
    experiment: Experiment[Any],
    run: Run[Any],
    rank: Callable[[list[Question]], list[np.ndarray]],
    details: Mapping[str, Any] = MappingProxyType({}),
) -> Outcome:
    """Ranks the reported questions, and measures on those for selection.

    Args:
        experiment: the experiment that owns the model.
        run: the run.
        rank: returns the scores of the candidates of each question.
        details: entries of `metrics.json` about the model.
    """
    chosen = _measured(experiment, run, rank(run.select))
    return Outcome(rank(run.report), {**details, "selection": chosen.metrics})


def fit(
    experiment: Experiment[Any],
    run: Run[Any],
    epochs: int | None = None,
    title: str = "",
) -> tuple[Training, EpochSelector]:
    """Fits a model and gives it the weights of its best epoch, or a mean.

    Args:
        experiment: the experiment that owns the model.
        run: the run.
        epochs: number of epochs, the last of which is kept and none measured;
            None takes that of the settings and chooses the best epoch.
        title: title of the progress; the model's name if empty.

    Returns:
        The training with its fitted model, and the epochs.
    """
    arguments, settings = run.arguments, run.settings
    learnt = transferred_weights(experiment, run)
    keras.utils.set_random_seed(arguments.seed)
    training = training_of(experiment, run)
    apply_weights(training.scorer.model, learnt)

    def evaluate_selection() -> Measured:
        if epochs:
            return Unmeasured()
        select = run.corpus.index(run.select)
        return _measured(experiment, run, training.scorer.rank(select))

    most = settings.smoke_epochs if arguments.smoke else settings.epochs
    callbacks = list(training.callbacks)
    if arguments.tensorboard and hosts.is_first():
        callbacks.append(_tensorboard(run.folder))
    selector = fit_best_epoch(
        training.trainer,
        training.batches,
        run.folder,
        evaluate_selection,
        epochs or most,
        # The last epoch has the highest number.
        monitor="epoch" if epochs else experiment.monitor(settings),
        patience=0 if epochs else training.patience,
        average_last=settings.average_last,
        title=title or arguments.model,
        callbacks=callbacks,
    )
    return training, selector


def _tensorboard(folder: RunFolder) -> keras.callbacks.Callback:
    try:
        importlib.import_module("tensorboard")
    except ImportError as error:
        raise ImportError(
            "`--tensorboard` needs TensorBoard: pip install tensorboard"
        ) from error
    return keras.callbacks.TensorBoard(str(folder.path / "tensorboard"))


def _measured(
    experiment: Experiment[Any], run: Run[Any], scores: list[np.ndarray]
) -> Evaluation:
    """Evaluates scores of the questions that choose the epoch."""
    return evaluate(
        run.select,
        scores,
        seed=run.arguments.seed,
        measures=experiment.measures(run.arguments.dataset),
    )


def _details(
    selector: EpochSelector,
    model: keras.Model,
    selection: dict[str, float],
    monitor: str,
) -> dict[str, Any]:
    chosen = selector.chosen_epochs
    core = getattr(model, "core_parameters", None)
    return {
        "epoch": chosen[-1],
        **({"averaged_epochs": chosen} if selector.average_last else {}),
        "epochs": len(selector.history),
        "selection": selection,
        # Bands of convergence are made of these, over seeds.
        "history": {
            name: [row[name] for row in selector.history]
            for name in ("loss", monitor)
            if all(name in row for row in selector.history)
        },
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
    since it cannot score arbitrary texts, nor of one that reads word pieces.
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
        or corpus.tokenizer in WORD_PIECES
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
