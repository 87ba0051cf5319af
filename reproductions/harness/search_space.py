"""Searches a paper's space of settings, on the fold held out of train.

    python -m reproductions.harness.search_space hyperqa \
        --trials 20 --dataset wikiqa --data-dir DIR --embeddings FILE \
        --output-dir search/wikiqa

Options that are not listed in `--help` are those of the paper's command; the
space is `Experiment.search_space`. A trial trains on train without its fold.
The metric on the fold chooses the epoch and ranks the trials; questions of dev
are not used for either. A stopped search continues, also in the middle of a
trial, when it is started again with the same output folder. A trial of HyperQA
on WikiQA takes about a minute on 2 cores.
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

import reproductions
from keras_qa.errors import KerasQAError
from keras_qa.files.whole import write_whole
from keras_qa.training.run_folder import keep_only
from reproductions.harness.command import parse_arguments
from reproductions.harness.experiment import Experiment
from reproductions.harness.run import run_experiment

# Only small files of a trial are kept: its weights can be trained again.
KEPT = {"settings.json", "metrics.json", "history.csv"}

# Errors that every other trial would raise, too.
BAD_INPUT = (KerasQAError, OSError)

Changes = dict[str, Any]
Train = Callable[[Changes, str], dict[str, float]]


class Search(keras_tuner.RandomSearch):
    """Random search that asks a function for the quality of settings.

    Args:
        space: draws settings from `keras_tuner.HyperParameters`.
        train: takes settings and the trial's id, trains, and returns metrics
            that contain the objective on questions that were not trained on.
        trials: number of trials, those of an earlier start included.
        directory: folder of the search's state; a search found there is
            continued.
        seed: seed of the draws.
        metric: name of the objective, higher is better.
    """

    def __init__(
        self,
        space: Callable[[Any], Changes],
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
        """Trains with the trial's settings; returns the objective by name."""
        settings = self.space(trial.hyperparameters)
        try:
            metrics = self.train(settings, trial.trial_id)
        except BAD_INPUT as error:
            raise keras_tuner.errors.FatalValueError(str(error)) from error
        except ValueError as error:
            # For example scores that are not finite: other settings may work.
            # Three failures in a row end the search.
            print(f"failed: {error}  {_options(settings)}", file=sys.stderr)
            raise keras_tuner.errors.FailedTrialError(str(error)) from error
        except Exception as error:
            raise keras_tuner.errors.FatalRuntimeError(str(error)) from error
        reached = metrics[self.metric]
        print(f"{self.metric} {reached:.4f}  {_options(settings)}")
        return {self.metric: reached}

    def ranked(self) -> list[tuple[float, Changes]]:
        """Objective and settings of the finished trials, the best first."""
        return [
            (trial.score, self.space(trial.hyperparameters))
            for trial in self.oracle.get_best_trials(len(self.oracle.trials))
            if trial.score is not None
        ]


def trainer(
    experiment: Experiment[Any], options: Sequence[str], output_dir: Path
) -> Train:
    """Makes the function that trains with given settings.

    Args:
        experiment: the paper's experiment.
        options: options of its command.
        output_dir: each trial gets a folder `trials/ID` in it.
    """

    def train(changes: Changes, trial: str) -> dict[str, float]:
        folder = output_dir / "trials" / trial
        arguments = parse_arguments(
            experiment,
            [
                *options,
                f"--output-dir={folder}",
                "--split=dev",
                "--resume",
                *(f"--set={k}={json.dumps(v)}" for k, v in changes.items()),
            ],
        )
        settings = experiment.settings_of(arguments)
        result = run_experiment(experiment, arguments, settings)
        keep_only(folder, KEPT)
        return result["selection"]

    return train


def objective(experiment: Experiment[Any], options: Sequence[str]) -> str:
    """The metric that chooses the epoch of a run and the best trial.

    Args:
        experiment: the paper's experiment.
        options: options of its command.
    """
    arguments = parse_arguments(experiment, options)
    owner = experiment.owner(arguments.model)
    return owner.monitor(experiment.settings_of(arguments))


def papers() -> list[str]:
    """The names of the folders of papers."""
    found = Path(reproductions.__file__).parent.glob("*/paper.toml")
    return sorted(path.parent.name for path in found)


def main(argv: Sequence[str] | None = None) -> int:
    """Searches and prints the best settings; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m reproductions.harness.search_space",
        description="Searches a paper's space of settings on the fold held out "
        "of train. All other options are those of the paper's command.",
        allow_abbrev=False,
    )
    parser.add_argument("paper", choices=papers())
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
    experiment = importlib.import_module(
        f"reproductions.{arguments.paper}.experiment"
    ).EXPERIMENT
    metric = objective(experiment, options)
    search = Search(
        experiment.search_space,
        trainer(experiment, options, arguments.output_dir),
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


def _options(settings: Changes) -> str:
    return " ".join(
        f"--set {name}={json.dumps(value)}" for name, value in settings.items()
    )


if __name__ == "__main__":
    sys.exit(main())
