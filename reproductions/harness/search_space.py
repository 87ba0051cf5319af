"""Searches a paper's space of settings, on the fold held out of train.

    python -m reproductions.harness.search_space hyperqa \
        --trials 20 --dataset wikiqa --data-dir DIR --embeddings FILE \
        --output-dir search/wikiqa

What stands after the paper's name are the options of its script. A trial
trains on train less its fold and is judged by the metric on the fold that also
chooses the epoch; the figures on dev are never looked at. A search that was
stopped goes on when it is started again with the same output folder, in the
middle of a trial if need be. A trial of HyperQA on WikiQA takes about a minute
on 2 cores.
"""

import argparse
import importlib
import json
import sys
from collections.abc import Callable
from collections.abc import Sequence
from pathlib import Path
from typing import Any

try:
    import keras_tuner
except ImportError as error:
    raise ImportError(
        "The search needs KerasTuner: pip install 'keras-qa[tune]'"
    ) from error

from keras_qa.errors import DatasetError
from keras_qa.errors import RunFolderError
from keras_qa.errors import VectorsError
from keras_qa.files.whole import write_whole
from keras_qa.training.run_folder import keep_only
from reproductions.harness.experiment import run_experiment
from reproductions.harness.settings import Settings
from reproductions.harness.settings import SettingsError
from reproductions.harness.settings import parse_arguments

# What a trial leaves behind is small: its weights can be trained again.
KEPT = {"settings.json", "metrics.json", "history.csv"}

# No trial could do better with these.
BAD_INPUT = (
    DatasetError,
    VectorsError,
    RunFolderError,
    SettingsError,
    OSError,
)

Train = Callable[[Settings, str], dict[str, float]]


def hyperqa_space(hp: Any) -> Settings:
    """The search space of HyperQA (section 4.3.3).

    Args:
        hp: `keras_tuner.HyperParameters`, asked for one value of each.

    Returns:
        Settings by name, as `--set` takes them.
    """
    return {
        "learning_rate": hp.Choice("learning_rate", [0.2, 0.1, 0.05, 0.01]),
        "batch_size": hp.Choice("batch_size", [50, 100, 200]),
        "projection_dim": hp.Choice("projection_dim", [100, 200, 300, 400]),
        "l2": hp.Choice("l2", [1e-3, 1e-4, 1e-5]),
        "negatives": hp.Int("negatives", 2, 8),
        "margin": hp.Choice("margin", [1.0, 2.0, 5.0, 10.0, 20.0]),
    }


def ctrn_space(hp: Any) -> Settings:
    """The search space of CTRN (section "Implementation Details").

    Args:
        hp: `keras_tuner.HyperParameters`, asked for one value of each.

    Returns:
        Settings by name, as `--set` takes them.
    """
    return {
        "units": hp.Int("units", 128, 1024, step=128),
        "hidden_layers": hp.Int("hidden_layers", 1, 3),
        "learning_rate": hp.Choice("learning_rate", [1e-3, 1e-4, 1e-5]),
        "batch_size": hp.Choice("batch_size", [64, 128, 256, 512]),
    }


def qa_lstm_space(hp: Any) -> Settings:
    """The search space of QA-LSTM: what section 4.1 says it was tuned.

    It names margins and counts of negatives without their lists, and the sizes
    in Table 3.

    Args:
        hp: `keras_tuner.HyperParameters`, asked for one value of each.

    Returns:
        Settings by name, as `--set` takes them.
    """
    return {
        "margin": hp.Choice("margin", [0.05, 0.1, 0.2, 0.5]),
        "negatives": hp.Choice("negatives", [1, 10, 50]),
        "learning_rate": hp.Choice("learning_rate", [0.1, 0.5, 1.1]),
        "batch_size": hp.Choice("batch_size", [20, 100]),
        "filters": hp.Choice("filters", [200, 400]),
        "kernel_size": hp.Choice("kernel_size", [2, 3]),
        "dropout": hp.Choice("dropout", [0.0, 0.2, 0.5]),
    }


def iam_space(hp: Any) -> Settings:
    """The search space of IAM: what its paper leaves open, of the matcher.

    With `--stage-dir` all trials share the stages before it.

    Args:
        hp: `keras_tuner.HyperParameters`, asked for one value of each.

    Returns:
        Settings by name, as `--set` takes them.
    """
    return {
        "hidden_units": hp.Choice("hidden_units", [50, 100, 200]),
        "l2": hp.Choice("l2", [0.0, 1e-5, 1e-4]),
        "learning_rate": hp.Choice("learning_rate", [1e-3, 1e-2, 0.1]),
        "question_dropout": hp.Choice("question_dropout", [0.0, 0.5]),
        "input_initializer": hp.Choice(
            "input_initializer", ["uniform", "identity"]
        ),
    }


def mrnn_space(hp: Any) -> Settings:
    """The search space of MRNN: what its paper leaves open.

    Args:
        hp: `keras_tuner.HyperParameters`, asked for one value of each.

    Returns:
        Settings by name, as `--set` takes them.
    """
    return {
        "margin": hp.Choice("margin", [0.5, 0.8, 1.0]),
        "blocks": hp.Choice("blocks", [4, 6]),
        "learning_rate": hp.Choice("learning_rate", [1e-4, 3e-4, 1e-3]),
        "momentum": hp.Choice("momentum", [0.9, 0.99]),
        "pooling": hp.Choice("pooling", ["max", "avg", "none"]),
        "negatives": hp.Choice("negatives", [0, 4, 16]),
        "dropout": hp.Choice("dropout", [0.0, 0.3]),
    }


SPACES = {
    "ctrn": ctrn_space,
    "hyperqa": hyperqa_space,
    "iam": iam_space,
    "mrnn": mrnn_space,
    "qa_lstm": qa_lstm_space,
}


class Search(keras_tuner.RandomSearch):
    """Random search that asks a function for the quality of settings.

    Args:
        space: draws settings from `keras_tuner.HyperParameters`.
        train: takes settings and the trial's id, trains, and returns metrics
            that contain the objective on questions that were not trained on.
        trials: number of trials, those of an earlier start included.
        directory: where the state of the search is kept; a search that is
            there goes on.
        seed: seed of the draws.
        metric: name of the objective, higher is better.
    """

    def __init__(
        self,
        space: Callable[[Any], Settings],
        train: Train,
        trials: int,
        directory: Path,
        seed: int = 0,
        metric: str = "MAP",
    ):
        self.metric = metric
        self.space = space
        self.train = train
        hyperparameters = keras_tuner.HyperParameters()
        space(hyperparameters)
        super().__init__(
            objective=keras_tuner.Objective(metric, "max"),
            max_trials=trials,
            seed=seed,
            hyperparameters=hyperparameters,
            directory=str(directory),
            project_name="tuner",
        )

    def run_trial(self, trial: Any, *args: Any, **kwargs: Any) -> Any:
        """Trains with the trial's settings; returns its metrics."""
        settings = self.space(trial.hyperparameters)
        try:
            metrics = self.train(settings, trial.trial_id)
        except BAD_INPUT as error:
            raise keras_tuner.errors.FatalValueError(str(error)) from error
        except ValueError as error:
            # Such as scores that are not finite: these settings are bad, the
            # next may not be. Three failures in a row end the search.
            print(f"failed: {error}  {_options(settings)}", file=sys.stderr)
            raise keras_tuner.errors.FailedTrialError(str(error)) from error
        except Exception as error:
            raise keras_tuner.errors.FatalRuntimeError(str(error)) from error
        reached = metrics[self.metric]
        print(f"{self.metric} {reached:.4f}  {_options(settings)}")
        return {self.metric: reached}

    def ranked(self) -> list[tuple[float, Settings]]:
        """Objective and settings of the finished trials, the best first."""
        return [
            (trial.score, self.space(trial.hyperparameters))
            for trial in self.oracle.get_best_trials(len(self.oracle.trials))
            if trial.score is not None
        ]


def trainer(paper: str, options: Sequence[str], output_dir: Path) -> Train:
    """Makes the function that trains a paper's model with given settings.

    Args:
        paper: name of the paper, whose script has `settings_of` and `train`.
        options: options of that script.
        output_dir: a folder for each trial is made in it.
    """
    script = _script(paper)

    def train(settings: Settings, trial: str) -> dict[str, float]:
        folder = output_dir / "trials" / trial
        arguments = _parse(
            paper,
            [
                *options,
                f"--output-dir={folder}",
                "--split=dev",
                "--resume",
                *(
                    f"--set={name}={json.dumps(settings[name])}"
                    for name in settings
                ),
            ],
        )
        result = run_experiment(
            paper, arguments, script.settings_of(arguments), script.train
        )
        keep_only(folder, KEPT)
        return result["selection"]

    return train


def objective(paper: str, options: Sequence[str]) -> str:
    """The metric that chooses the epoch of a paper's script, and the settings.

    Args:
        paper: name of the paper.
        options: options of its script.
    """
    settings = _script(paper).settings_of(_parse(paper, options))
    return settings.get("monitor", "MAP")


def _script(paper: str) -> Any:
    return importlib.import_module(f"reproductions.{paper}")


def _parse(paper: str, options: Sequence[str]) -> argparse.Namespace:
    script = _script(paper)
    return parse_arguments(
        paper,
        script.__doc__.splitlines()[0],
        script.MODELS,
        tuple(script.RECIPES),
        options,
        getattr(script, "ROW_MODELS", None),
        getattr(script, "add_options", None),
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Searches and prints the best settings; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m reproductions.harness.search_space",
        description="Searches a paper's space of settings on the fold held out "
        "of train. All other options are those of the paper's script.",
        allow_abbrev=False,
    )
    parser.add_argument("paper", choices=SPACES)
    parser.add_argument("--trials", type=int, default=20, metavar="N")
    parser.add_argument(
        "--search-seed", type=int, default=0, help="seed of the draws"
    )
    parser.add_argument("--output-dir", type=Path, required=True, metavar="DIR")
    arguments, options = parser.parse_known_args(argv)
    for option in options:
        if option.split("=")[0] in ("--split", "--record"):
            parser.error(
                f"a search selects on the fold of train and records nothing: "
                f"{option} cannot be given"
            )
    try:
        return _search(arguments, options)
    except (OSError, keras_tuner.errors.FatalValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _search(arguments: argparse.Namespace, options: Sequence[str]) -> int:
    # KerasTuner would raise errors of TensorFlow for a bad path.
    arguments.output_dir.mkdir(parents=True, exist_ok=True)
    metric = objective(arguments.paper, options)
    search = Search(
        SPACES[arguments.paper],
        trainer(arguments.paper, options, arguments.output_dir),
        arguments.trials,
        arguments.output_dir,
        arguments.search_seed,
        metric,
    )
    search.search(verbose=0)
    ranked = search.ranked()
    table = [{metric: score, **settings} for score, settings in ranked]
    results = arguments.output_dir / "results.json"
    text = json.dumps(table, indent=2) + "\n"
    write_whole(results, lambda path: path.write_text(text, "utf-8"))
    print(f"{metric} on the fold of train, best first:")
    for score, settings in ranked[:10]:
        print(f"{score:.4f}  {_options(settings)}")
    print(results)
    return 0


def _options(settings: Settings) -> str:
    return " ".join(
        f"--set {name}={json.dumps(value)}" for name, value in settings.items()
    )


if __name__ == "__main__":
    sys.exit(main())
