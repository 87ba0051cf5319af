"""Searches a space of settings by the measures on folds of train.

    python -m reproductions.harness.search_space hyperqa \
        --trials 20 --dataset wikiqa --data-dir DIR --embeddings FILE \
        --set folds=5 --output-dir search/wikiqa

Options that are not listed in `--help` are those of the paper's command, and
say what all trials have. The space `paper` is `Experiment.search_space`. The
space `best` adds the settings of `SHARED`, and its learning rates are around
that of the recipe. `--candidates FILE` tries the settings of a file in place of
draws: a JSON object of settings a line.

A trial trains once for each of `folds` folds of train; with `folds=0` once, on
train less the questions that choose the epoch of runs on dev. The mean metric
of the folds, at its best epoch, ranks the trials; dev and test are not read. A
stopped search continues, also in the middle of a trial, when it is started
again with the same output folder.

`--record` needs a checkout without changes. It appends all trials, failed ones
too, to `reproductions/PAPER/searches/MODEL-DATASET.jsonl`.
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
from keras_qa.errors import DatasetError
from keras_qa.errors import KerasQAError
from keras_qa.files.json_stream import read_records
from keras_qa.files.whole import write_whole
from reproductions.harness.command import parse_arguments
from reproductions.harness.errors import SettingsError
from reproductions.harness.experiment import Experiment
from reproductions.harness.run import validate
from reproductions.harness.run import versions
from reproductions.records.runs import append_run
from reproductions.records.runs import read_runs

# The space `best` has those of these that the paper's script has as settings.
SHARED: dict[str, list[Any]] = {
    "word_norm": ["raw", "unit", "power"],
    "objective": ["paper", "pointwise", "pairwise", "listwise"],
    "dropout": [0.0, 0.2, 0.5],
}
# It has these for the objective `pairwise` alone.
PAIRWISE: dict[str, list[Any]] = {
    "sampler": ["random", "max", "mix"],
    "negatives": [1, 4, 8],
    "margin": [0.1, 0.2, 0.5],
}
RATE_FACTORS = (0.1, 0.3, 1.0, 3.0)
# The names of vectors in a trial's changes, which are no setting; they come
# after those of the command.
ADDED = "added_embeddings"

TRIAL = "trial.json"

# Errors that every other trial would raise, too.
BAD_INPUT = (KerasQAError, OSError)

Changes = dict[str, Any]
Space = Callable[[Any], Changes]
Train = Callable[[Changes, str], dict[str, float]]


class Search(keras_tuner.Tuner):
    """Search that asks a function for the quality of settings.

    Args:
        space: draws settings from `keras_tuner.HyperParameters`.
        train: takes settings and the trial's id, trains, and returns metrics
            that contain the objective on questions that were not trained on.
        trials: number of trials, those of an earlier start included.
        directory: folder of the search's state; a search found there is
            continued.
        seed: seed of the draws; None tries all values in order.
        metric: name of the objective, higher is better.
    """

    def __init__(
        self,
        space: Space,
        train: Train,
        trials: int,
        directory: Path,
        seed: int | None = 0,
        metric: str = "MAP",
    ):
        self.metric = metric
        self.space = space
        self.train = train
        hyperparameters = keras_tuner.HyperParameters()
        space(hyperparameters)
        oracles = keras_tuner.oracles
        oracle = (
            oracles.GridSearchOracle
            if seed is None
            else oracles.RandomSearchOracle
        )
        super().__init__(
            oracle=oracle(
                objective=keras_tuner.Objective(metric, "max"),
                max_trials=trials,
                seed=seed,
                hyperparameters=hyperparameters,
            ),
            directory=str(directory),
            project_name="tuner",
        )

    def run_trial(self, trial: Any, *args: Any, **kwargs: Any) -> Any:
        """Trains with the trial's settings; returns the objective by name."""
        settings = self.space(trial.hyperparameters)
        try:
            metrics = self.train(settings, trial.trial_id)
        except Exception as error:
            bad_input = isinstance(error, BAD_INPUT)
            if bad_input and not isinstance(error, SettingsError):
                raise keras_tuner.errors.FatalValueError(str(error)) from error
            if not isinstance(error, ValueError):
                raise keras_tuner.errors.FatalRuntimeError(
                    str(error)
                ) from error
            # For example scores that are not finite, or settings of which one
            # rules out another: other settings may work. Three failures in a
            # row end the search.
            print(f"failed: {error}  {_options(settings)}", file=sys.stderr)
            raise keras_tuner.errors.FailedTrialError(str(error)) from error
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


def best_space(
    experiment: Experiment[Any], settings: Any, optional: Sequence[str] = ()
) -> Space:
    """The paper's space with the settings that all models share.

    Args:
        experiment: the experiment that owns the model.
        settings: the settings that all trials have.
        optional: names of vectors, each of which a trial adds or does not.
    """

    def space(hp: Any) -> Changes:
        # Of the names in the paper's space, which has other values.
        def choose(name: str, values: Sequence[Any]) -> Any:
            return hp.Choice(f"best {name}", values)

        changes = experiment.search_space(hp)
        rate = settings.learning_rate
        rates = [float(f"{rate * factor:.3g}") for factor in RATE_FACTORS]
        changes["learning_rate"] = choose("learning_rate", rates)
        for name, values in SHARED.items():
            if hasattr(settings, name):
                changes[name] = choose(name, values)
        if "objective" in changes:
            with hp.conditional_scope("best objective", ["pairwise"]):
                own = {name: choose(name, v) for name, v in PAIRWISE.items()}
            if changes["objective"] == "pairwise":
                changes.update(own)
        if optional:
            changes[ADDED] = [n for n in optional if hp.Boolean(f"with {n}")]
        return changes

    return space


def listed_space(path: Path) -> tuple[Space, int]:
    """The space of the settings in a file, and their number.

    Args:
        path: a file of JSON lines, each an object of settings by name, and
            optionally `"added_embeddings"`, a list of names of vectors.

    Raises:
        DatasetError: if a line is not an object, or there is none.
    """
    listed = [changes for _, changes in read_records(path)]
    if not listed:
        raise DatasetError(f"{path}: expected a line of settings. Received: 0")

    def space(hp: Any) -> Changes:
        return dict(listed[hp.Choice("candidate", list(range(len(listed))))])

    return space, len(listed)


def trainer(
    experiment: Experiment[Any], options: Sequence[str], output_dir: Path
) -> Train:
    """Makes the function that measures settings on the folds.

    Args:
        experiment: the paper's experiment.
        options: options of its command.
        output_dir: each trial gets a folder `trials/ID` in it, with a folder
            for each fold, and the trial's record.
    """

    def train(changes: Changes, trial: str) -> dict[str, float]:
        folder = output_dir / "trials" / trial
        settings = {k: v for k, v in changes.items() if k != ADDED}
        arguments = parse_arguments(
            experiment,
            [
                *options,
                f"--output-dir={folder}",
                *(f"--set={k}={json.dumps(v)}" for k, v in settings.items()),
            ],
        )
        arguments.embeddings = [
            *arguments.embeddings,
            *changes.get(ADDED, ()),
        ]
        record = {
            "paper": experiment.name,
            "model": arguments.model,
            "dataset": arguments.dataset,
            "split": "train",
            "seed": arguments.seed,
            "recipe": arguments.recipe,
            "vectors": [Path(name).name for name in arguments.embeddings],
            "smoke": arguments.smoke,
            "trial": trial,
            "settings": settings,
            "options": arguments.overrides,
            "metrics": {},
            "versions": versions(),
        }
        try:
            found = validate(
                experiment, arguments, experiment.settings_of(arguments), folder
            )
        except ValueError as error:
            _write_json(folder / TRIAL, {**record, "failed": str(error)})
            raise
        metrics = found.metrics
        measured = {
            "metrics": metrics,
            "epochs": found.epochs,
            "folds": [
                {name: values[found.epochs - 1] for name, values in c.items()}
                for c in found.curves
            ],
            "seconds": found.seconds,
        }
        _write_json(folder / TRIAL, {**record, **measured})
        return metrics

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
        description="Searches a space of settings on folds of train. All other "
        "options are those of the paper's command.",
        allow_abbrev=False,
    )
    parser.add_argument("paper", choices=papers())
    parser.add_argument(
        "--trials", type=int, metavar="N", help="default: 20, or all of a file"
    )
    parser.add_argument(
        "--search-seed", type=int, default=0, help="seed of the draws"
    )
    parser.add_argument(
        "--space",
        choices=("paper", "best"),
        default="paper",
        help="the paper's lists, or these and the settings that all models "
        "share (default: paper)",
    )
    parser.add_argument(
        "--candidates",
        type=Path,
        metavar="FILE",
        help="settings to try, an object of JSON a line, in place of a space",
    )
    parser.add_argument(
        "--optional-embeddings",
        nargs="+",
        default=[],
        metavar="FILE",
        help="vectors, each of which a trial of the space `best` adds or not",
    )
    parser.add_argument("--output-dir", type=Path, required=True, metavar="DIR")
    parser.add_argument(
        "--record",
        action="store_true",
        help="append the trials to reproductions/PAPER/searches",
    )
    arguments, options = parser.parse_known_args(argv)
    for option in options:
        if option.split("=")[0] == "--split":
            parser.error(
                f"a search selects on folds of train: {option} cannot be given"
            )
    if arguments.record and not _clean():
        parser.error(
            "--record expects a checkout without changes, whose commit names "
            f"the code. Received: commit {versions().get('commit')}"
        )
    try:
        return _search(arguments, options)
    except (OSError, KerasQAError, keras_tuner.errors.FatalValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _clean() -> bool:
    commit = versions().get("commit", "")
    return bool(commit) and not commit.endswith("-dirty")


def _search(arguments: argparse.Namespace, options: Sequence[str]) -> int:
    # KerasTuner would raise errors of TensorFlow for a bad path.
    arguments.output_dir.mkdir(parents=True, exist_ok=True)
    experiment = importlib.import_module(
        f"reproductions.{arguments.paper}.experiment"
    ).EXPERIMENT
    metric = objective(experiment, options)
    base = parse_arguments(experiment, options)
    owner = experiment.owner(base.model)
    space = owner.search_space
    if arguments.space == "best":
        space = best_space(
            owner,
            experiment.settings_of(base),
            arguments.optional_embeddings,
        )
    trials, seed = arguments.trials or 20, arguments.search_seed
    if arguments.candidates:
        space, count = listed_space(arguments.candidates)
        trials, seed = arguments.trials or count, None
    search = Search(
        space,
        trainer(experiment, options, arguments.output_dir),
        trials,
        arguments.output_dir,
        seed,
        metric,
    )
    search.search(verbose=0)
    ranked = search.ranked()
    results = arguments.output_dir / "results.json"
    _write_json(results, [{metric: score, **drawn} for score, drawn in ranked])
    print(f"{metric} on the folds of train, best first:")
    for score, drawn in ranked[:10]:
        print(f"{score:.4f}  {_options(drawn)}")
    print(results)
    if arguments.record:
        path = record_file(experiment, base)
        _record(arguments, path)
        print(path)
    return 0


def record_file(
    experiment: Experiment[Any], arguments: argparse.Namespace
) -> Path:
    """The file of the recorded trials of a model on a data set."""
    folder = Path(reproductions.__file__).parent / experiment.name / "searches"
    return folder / f"{arguments.model}-{arguments.dataset}.jsonl"


def _record(arguments: argparse.Namespace, path: Path) -> None:
    """Appends the trials that the file does not contain yet."""
    path.parent.mkdir(exist_ok=True)
    known = read_runs(path)
    for trial in sorted(arguments.output_dir.glob(f"trials/*/{TRIAL}")):
        record = {
            **json.loads(trial.read_text("utf-8")),
            "space": "listed" if arguments.candidates else arguments.space,
            "search_seed": arguments.search_seed,
        }
        if record not in known:
            append_run(path, record)


def _write_json(path: Path, content: Any) -> None:
    text = json.dumps(content, indent=2) + "\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, lambda part: part.write_text(text, "utf-8"))


def _options(changes: Changes) -> str:
    """A trial's changes as options of the paper's command."""
    options = [
        f"--set {name}={json.dumps(value)}"
        for name, value in changes.items()
        if name != ADDED
    ]
    # The command's own vectors come before them.
    return " ".join([*options, *(f"+{n}" for n in changes.get(ADDED, ()))])


if __name__ == "__main__":
    sys.exit(main())
