"""Searches a space of settings by the measures on folds of train.

    python -m reproductions.harness.search_space hyperqa \
        --trials 20 --dataset wikiqa --data-dir DIR --embeddings FILE \
        --set folds=5 --output-dir search/wikiqa

Options that are not listed in `--help` are those of the paper's command, and
say what all trials have. A trial draws each setting from a list: those of the
space `paper` are `Experiment.search_space`. The space `best` adds the settings
of `SHARED`, and its learning rates are around that of the recipe.
`--candidates FILE` tries the settings of a file in place of draws: a JSON
object of settings a line.

A trial trains once for each of `folds` folds of train; with `folds=0` once, on
train less the questions that choose the epoch of runs on dev. The mean metric
of the folds, at its best epoch, ranks the trials; dev and test are not read. A
stopped search continues, also in the middle of a trial, when it is started
again with the same output folder, and with more `--trials` it adds some. With
`--workers` the trials wait in a queue in the output folder, as the runs of
`reproductions.study` do.

`--record` needs a checkout without changes. It appends all trials, failed ones
too, to `reproductions/PAPER/searches/MODEL-DATASET.jsonl`.
"""

import argparse
import json
import sys
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import reproductions
from keras_qa.cli.options.whole_numbers import positive
from keras_qa.cli.options.whole_numbers import seed
from keras_qa.errors import DatasetError
from keras_qa.errors import KerasQAError
from keras_qa.files.json_stream import read_records
from keras_qa.files.whole import write_json
from reproductions.harness.command import parse_arguments
from reproductions.harness.command import print_error
from reproductions.harness.errors import SettingsError
from reproductions.harness.experiment import Experiment
from reproductions.harness.experiment import experiment_of
from reproductions.harness.memory import forget_models
from reproductions.harness.parts.versions import versions
from reproductions.harness.studies.plans import add_queue
from reproductions.harness.studies.queue import Queue
from reproductions.harness.studies.trials import ADDED
from reproductions.harness.studies.trials import TRIAL
from reproductions.harness.studies.trials import Changes
from reproductions.harness.studies.trials import Train
from reproductions.harness.studies.trials import is_of_input
from reproductions.harness.studies.trials import record_file
from reproductions.harness.studies.trials import record_trials
from reproductions.harness.studies.trials import trainer
from reproductions.harness.studies.workers import make_all
from reproductions.harness.studies.workers import work

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
# As many failures in a row end a search, and as many draws of settings that
# were drawn before.
FAILURES, REPEATED = 3, 1000

Space = Callable[[Random], Changes]


def paper_space(experiment: Experiment[Any]) -> Space:
    """The space with the values of `Experiment.search_space`."""
    return lambda rng: _drawn(rng, experiment.search_space())


def best_space(
    experiment: Experiment[Any], settings: Any, optional: Sequence[str] = ()
) -> Space:
    """The paper's space with the settings that all models share.

    Args:
        experiment: the experiment that owns the model.
        settings: the settings that all trials have.
        optional: names of vectors, each of which a trial adds or does not.
    """
    rate = settings.learning_rate
    values = {
        **experiment.search_space(),
        "learning_rate": [float(f"{rate * f:.3g}") for f in RATE_FACTORS],
        **{name: v for name, v in SHARED.items() if hasattr(settings, name)},
    }
    if getattr(settings, "joint_weight", None) is not None:
        # The paper's objective is of the network alone.
        values["objective"] = [v for v in SHARED["objective"] if v != "paper"]

    def space(rng: Random) -> Changes:
        changes = _drawn(rng, values)
        if changes.get("objective") == "pairwise":
            changes.update(_drawn(rng, PAIRWISE))
        if optional:
            changes[ADDED] = [n for n in optional if rng.random() < 0.5]
        return changes

    return space


def _drawn(rng: Random, values: dict[str, list[Any]]) -> Changes:
    return {name: rng.choice(own) for name, own in values.items()}


def draw(space: Space, trials: int, seed: int = 0) -> list[Changes]:
    """Different settings from a space; fewer if it has not so many.

    Args:
        space: draws settings.
        trials: number of settings; a larger one adds some at the end.
        seed: seed of the draws.
    """
    rng, repeated = Random(seed), 0
    found: list[Changes] = []
    while len(found) < trials and repeated < REPEATED:
        changes = space(rng)
        repeated = repeated + 1 if changes in found else 0
        if not repeated:
            found.append(changes)
    return found


def search(
    listed: Iterable[Changes], train: Train, metric: str = "MAP"
) -> list[tuple[float, Changes]]:
    """Measures settings, one after the other.

    Args:
        listed: the settings of each trial.
        train: takes settings and the trial's id, trains, and returns metrics
            on questions that were not trained on.
        metric: the metric that ranks the trials, higher is better.

    Returns:
        Metric and settings of the trials that did not fail, the best first.

    Raises:
        KerasQAError: if the input is bad, or the trials fail one after the
            other.
    """
    found, failures = [], 0
    for number, changes in enumerate(listed):
        try:
            reached = train(changes, str(number))[metric]
        except ValueError as error:
            # Other trials would read the same files.
            if is_of_input(error):
                raise
            # For example scores that are not finite, or settings of which one
            # rules out another: other settings may work.
            print(f"failed: {error}  {_options(changes)}", file=sys.stderr)
            failures += 1
            if failures == FAILURES:
                raise SettingsError(
                    f"expected a trial that works. Received: {FAILURES} "
                    f"failures in a row, the last: {error}"
                ) from error
            continue
        failures = 0
        found.append((reached, changes))
        print(f"{metric} {reached:.4f}  {_options(changes)}")
    return sorted(found, key=lambda trial: -trial[0])


def read_candidates(path: Path) -> list[Changes]:
    """The settings in a file.

    Args:
        path: a file of JSON lines, each an object of settings by name, and
            optionally `"added_embeddings"`, a list of names of vectors.

    Raises:
        DatasetError: if a line is not an object, or there is none.
    """
    listed = [changes for _, changes in read_records(path)]
    if not listed:
        raise DatasetError(f"{path}: expected a line of settings. Received: 0")
    return listed


def monitored(experiment: Experiment[Any], options: Sequence[str]) -> str:
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
        "--trials",
        type=positive,
        metavar="N",
        help="default: 20, or all of a file",
    )
    parser.add_argument(
        "--search-seed", type=seed, default=0, help="seed of the draws"
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
    add_queue(parser)
    given = list(sys.argv[1:] if argv is None else argv)
    arguments, options = parser.parse_known_args(given)
    for option in options:
        if option.split("=")[0] == "--split":
            parser.error(
                f"a search selects on folds of train: {option} cannot be given"
            )
        if option.split("=")[0] == "--hosts":
            parser.error("a search runs on one host: --hosts cannot be given")
    if arguments.record and not _clean():
        parser.error(
            "--record expects a checkout without changes, whose commit names "
            f"the code. Received: commit {versions().get('commit')}"
        )
    try:
        return _search(arguments, options, given)
    except (ImportError, OSError, KerasQAError) as error:
        print_error(error)
        return 2


def _clean() -> bool:
    commit = versions().get("commit", "")
    return bool(commit) and not commit.endswith("-dirty")


def _search(
    arguments: argparse.Namespace, options: Sequence[str], given: Sequence[str]
) -> int:
    arguments.output_dir.mkdir(parents=True, exist_ok=True)
    experiment = experiment_of(arguments.paper)
    metric = monitored(experiment, options)
    base = parse_arguments(experiment, options)
    owner = experiment.owner(base.model)
    if arguments.candidates:
        listed = read_candidates(arguments.candidates)[: arguments.trials]
    else:
        space = paper_space(owner)
        if arguments.space == "best":
            settings = experiment.settings_of(base)
            space = best_space(owner, settings, arguments.optional_embeddings)
        of_others = owner.of_others(base.model)
        listed = [
            {name: v for name, v in changes.items() if name not in of_others}
            for changes in draw(
                space, arguments.trials or 20, arguments.search_seed
            )
        ]
    train = trainer(experiment, options, arguments.output_dir)
    if arguments.worker or arguments.workers > 1:
        _measure_together(arguments, listed, train, given)
    if arguments.worker:
        return 0
    # It finds the records of what the workers have measured.
    ranked = search(listed, train, metric)
    results = arguments.output_dir / "results.json"
    write_json(results, [{metric: score, **drawn} for score, drawn in ranked])
    print(f"{metric} on the folds of train, best first:")
    for score, drawn in ranked[:10]:
        print(f"{score:.4f}  {_options(drawn)}")
    print(results)
    if arguments.record:
        path = record_file(experiment, base)
        record_trials(arguments, path)
        print(path)
    return 0


def _measure_together(
    arguments: argparse.Namespace,
    listed: Iterable[Changes],
    train: Train,
    given: Sequence[str],
) -> None:
    """Measures the trials in several processes, or as one of them."""

    def make(job: Any) -> bool:
        forget_models()
        train(job["changes"], job["trial"])
        return True

    folder = arguments.output_dir
    jobs = {
        f"trial-{number}": {"trial": str(number), "changes": changes}
        for number, changes in enumerate(listed)
    }
    queue = Queue(folder / "queue", arguments.retries)
    if arguments.worker:
        work(queue, make)
        return
    queue.add(
        jobs,
        lambda name: (folder / "trials" / jobs[name]["trial"] / TRIAL).exists(),
    )
    module = [sys.executable, "-m", "reproductions.harness.search_space"]
    make_all(
        queue, jobs, make, arguments.workers, [*module, *given, "--worker"]
    )


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
