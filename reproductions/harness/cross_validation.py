"""The number of epochs, chosen by cross-validation over the training questions.

Each fold of train is ranked after each epoch of a training on the other folds.
The number of epochs is that with the highest mean measure of the folds.
"""

import statistics
import time
from collections.abc import Callable
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from keras_qa.training.run_folder import HISTORY
from keras_qa.training.run_folder import RunFolder
from reproductions.harness.errors import SettingsError
from reproductions.harness.experiment import Experiment
from reproductions.harness.fitting import fit
from reproductions.harness.fitting import rank_floor
from reproductions.harness.memory import forget_models
from reproductions.harness.parts.floor_names import BM25
from reproductions.harness.parts.floor_names import is_floor
from reproductions.harness.parts.runs import Outcome
from reproductions.harness.parts.runs import Run

Curves = dict[str, list[float]]


@dataclass(frozen=True)
class Fold:
    """One fold of a cross-validation.

    Attributes:
        folder: its folder; a finished fold in it is read, not trained again.
        prepare: reads what the fold's training needs; its questions to select
            the epoch with are those of the fold.
    """

    folder: RunFolder
    prepare: Callable[[], Run[Any]]


@dataclass(frozen=True)
class Validation:
    """The measures of all folds.

    Attributes:
        monitor: the measure that chooses the number of epochs.
        curves: for each fold its measures by name, each with a value for each
            epoch.
        seconds: how long all folds took.
    """

    monitor: str
    curves: Sequence[Curves]
    seconds: float

    @property
    def means(self) -> Curves:
        """The folds' mean measures, up to the last epoch of all folds."""
        return {
            name: [
                statistics.fmean(values)
                # A fold that ran out of patience ended before the others.
                for values in zip(*(c[name] for c in self.curves), strict=False)
            ]
            for name in self.curves[0]
        }

    @property
    def epochs(self) -> int:
        """The number of epochs of the highest mean, the first of equal ones."""
        means = self.means[self.monitor]
        return means.index(max(means)) + 1

    @property
    def metrics(self) -> dict[str, float]:
        """The folds' mean measures after that number of epochs."""
        return {name: v[self.epochs - 1] for name, v in self.means.items()}

    @property
    def details(self) -> dict[str, Any]:
        """The entries of `metrics.json`."""
        return {"selection": self.metrics, "folds": self.curves}


def cross_validate(
    experiment: Experiment[Any], monitor: str, folds: Sequence[Fold]
) -> Validation:
    """Trains once for each fold and measures the fold after each epoch.

    Args:
        experiment: the experiment that owns the model.
        monitor: the measure that chooses the number of epochs.
        folds: the folds.

    Raises:
        RunFolderError: if a fold's folder contains another run.
    """
    measured = [_measured(experiment, fold) for fold in folds]
    return Validation(
        monitor,
        [one["curves"] for one in measured],
        sum(one["seconds"] for one in measured),
    )


def _measured(experiment: Experiment[Any], fold: Fold) -> dict[str, Any]:
    """The content of a fold's `metrics.json`, which is made if missing."""

    def make() -> dict[str, Any]:
        started = time.perf_counter()
        curves = _curves(experiment, fold)
        seconds = time.perf_counter() - started
        forget_models()
        return {"curves": curves, "seconds": seconds}

    # The weights are of no further use.
    found: dict[str, Any] = fold.folder.made_once(make, [HISTORY])
    return found


def _curves(experiment: Experiment[Any], fold: Fold) -> Curves:
    """The measures of a fold after each epoch; one, if none are trained."""
    run = fold.prepare()
    model = run.arguments.model
    if model == BM25:
        raise SettingsError(
            "expected a model that is fitted, such as bm25-tuned, to "
            f"cross-validate. Received: {model}"
        )
    if is_floor(model):
        ranked: Outcome | None = rank_floor(experiment, run)
    else:
        ranked = experiment.rank_by_words(run)
    if ranked is not None:
        history = [ranked.details["selection"]]
    else:
        _, selector = fit(experiment, run, title=fold.folder.path.name)
        history = selector.history
    names = experiment.measures(run.arguments.dataset)
    return {name: [row[name] for row in history] for name in names}
