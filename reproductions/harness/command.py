"""The command line of an experiment, the same for every paper."""

import argparse
import sys
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from keras_qa.cli.options.devices import add_device_options
from keras_qa.cli.options.devices import on_devices
from keras_qa.cli.options.whole_numbers import positive
from keras_qa.cli.options.whole_numbers import seed
from keras_qa.datasets.registry import FOLDERS
from keras_qa.errors import RunFolderError
from keras_qa.quiet import silence_tensorflow
from reproductions.harness.experiment import Experiment
from reproductions.harness.parts.floor_names import CONTEXTUAL_FLOORS
from reproductions.harness.parts.setting_help import describe_settings
from reproductions.harness.parts.setting_help import wrapped
from reproductions.harness.settings import resolve_settings


def parse_arguments(
    experiment: Experiment[Any], argv: Sequence[str] | None = None
) -> argparse.Namespace:
    """Reads the command line of an experiment.

    Args:
        experiment: the paper's experiment.
        argv: the command line; the process's own if `None`.
    """
    parser = _parser(experiment)
    arguments = parser.parse_args(argv)
    own, _ = experiment.rows.get(arguments.row, (experiment.models[0], {}))
    if arguments.row and arguments.model not in (None, own):
        parser.error(
            f"row {arguments.row} is of the model {own}: "
            f"--model {arguments.model} cannot be given"
        )
    for override in arguments.overrides:
        if arguments.epochs and override.startswith("epochs="):
            parser.error(f"--epochs and --set {override}: give one of them")
    if not arguments.transfer:
        if arguments.transfer_dir and not arguments.teacher:
            parser.error("--transfer-dir goes with --transfer or --teacher")
        for override in arguments.overrides:
            if override.startswith("transfer_"):
                parser.error(f"--set {override} goes with --transfer")
    arguments.model = arguments.model or own
    if arguments.output_dir is None:
        arguments.output_dir = Path(
            "runs",
            experiment.name,
            f"{arguments.dataset}-{arguments.split}-"
            f"{arguments.row or arguments.model}-"
            f"{arguments.recipe}-seed{arguments.seed}"
            + "-smoke"
            * arguments.smoke,
        )
    return arguments


def _parser(experiment: Experiment[Any]) -> argparse.ArgumentParser:
    """The options of all experiments and those of the paper's own."""
    parser = argparse.ArgumentParser(
        prog=f"python -m reproductions.{experiment.name}",
        description=(type(experiment).__doc__ or "").split("\n")[0],
        epilog=_epilog(experiment),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_data(parser)
    _add_model(parser, experiment)
    _add_run(parser)
    add_device_options(parser)
    experiment.add_options(parser)
    return parser


def _add_data(parser: argparse.ArgumentParser) -> None:
    """Adds the data set, its split, the vectors and the seed."""
    add_data_dir(parser)
    parser.add_argument(
        "--embeddings",
        nargs="+",
        default=["skipgram"],
        metavar="FILE",
        help="vector files, concatenated word by word; the word `skipgram` "
        "trains vectors on the data set's own text (default), `random` gives "
        "each word a random one, by which texts match exactly, `bert:SOURCE` "
        "runs each word through a BERT: `bert:minilm`, a directory, or a "
        "preset of keras-hub; `elmo:DIR` is for models that mix vectors",
    )
    parser.add_argument(
        "--dataset",
        choices=tuple(FOLDERS),
        default="sample",
        help="default: %(default)s",
    )
    parser.add_argument(
        "--seed", type=seed, default=1, help="default: %(default)s"
    )
    parser.add_argument(
        "--split",
        choices=("dev", "test"),
        default="test",
        help="split to report on, by default test; the epoch is chosen on dev "
        "for test, and on a fold held out of train for dev",
    )


def _add_model(
    parser: argparse.ArgumentParser, experiment: Experiment[Any]
) -> None:
    """Adds the model, its settings and what it learns from."""
    parser.add_argument(
        "--model",
        choices=(*experiment.models, *CONTEXTUAL_FLOORS),
        help=f"default: {experiment.models[0]}, or the model of the row",
    )
    if experiment.rows:
        parser.add_argument(
            "--row",
            choices=tuple(experiment.rows),
            help="a row of the paper's tables: its model and its settings",
        )
    parser.set_defaults(row=None)
    recipes = tuple(experiment.recipes)
    parser.add_argument(
        "--recipe",
        choices=recipes,
        default=recipes[0],
        help="default: %(default)s",
    )
    parser.add_argument("--epochs", type=positive, metavar="N")
    parser.add_argument(
        "--transfer",
        nargs="+",
        choices=tuple(FOLDERS),
        default=[],
        metavar="NAME",
        help="train on these data sets first, without the questions that the "
        "run measures with, then on the run's own (settings `transfer_...`)",
    )
    parser.add_argument(
        "--transfer-dir",
        type=Path,
        metavar="DIR",
        help="folder of what --transfer has learnt, and of the scores of "
        "--teacher, which runs that differ in their own training can share "
        "(default: folders in the output folder)",
    )
    parser.add_argument(
        "--teacher",
        type=Path,
        metavar="FOLDER",
        help="a ranker, such as the output folder of a run, whose scores are "
        "to be learnt with --set objective=margin-mse or kl",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        dest="overrides",
        help="change one setting; may be given several times",
    )


def _add_run(parser: argparse.ArgumentParser) -> None:
    """Adds what a run writes, and how much of it is made."""
    parser.add_argument(
        "--output-dir",
        type=Path,
        metavar="DIR",
        help="default: a folder in runs, named after the options above",
    )
    parser.add_argument(
        "--resume",
        action="store_true",
        help="go on with the run in the output folder; a finished run is "
        "left as it is",
    )
    parser.add_argument(
        "--smoke",
        action="store_true",
        help="one epoch on a few questions, to see that everything works",
    )
    parser.add_argument(
        "--record",
        type=Path,
        metavar="FILE",
        help="append the measured run to this file of runs (JSON lines)",
    )
    parser.add_argument(
        "--tensorboard",
        action="store_true",
        help="write logs for TensorBoard into the output folder",
    )


def add_data_dir(parser: argparse.ArgumentParser) -> None:
    """Adds `--data-dir`."""
    parser.add_argument(
        "--data-dir",
        type=Path,
        metavar="DIR",
        help="folder of the data set, or its parent; the bundled sample needs "
        "none; default: $KERAS_QA_DATA or ~/.keras_qa",
    )


def add_run_option(
    parser: argparse.ArgumentParser, several: bool = True, required: bool = True
) -> None:
    """Adds `--run`, the folder of one run, or of several as a list."""
    more = "; may be given several times" if several else ""
    parser.add_argument(
        "--run",
        type=Path,
        action="append" if several else "store",
        default=[] if several else None,
        required=required,
        metavar="DIR",
        help=f"output folder of a run{more}",
    )


def count(text: str) -> int:
    """The number of an option, which may be 0."""
    return 0 if text == "0" else positive(text)


def _epilog(experiment: Experiment[Any]) -> str:
    """The recipes and the settings, for `--help`."""
    lines = ["recipes:"]
    for name, recipe in experiment.recipes.items():
        searched = {" on ".join(k): v for k, v in recipe.searched.items()}
        changed: dict[str, list[str]] = {}
        for key, values in (
            *recipe.models.items(),
            *recipe.datasets.items(),
            *searched.items(),
        ):
            changed.setdefault(_assigned(values), []).append(key)
        changes = [f"of {', '.join(of)}: {own}" for own, of in changed.items()]
        if recipe.changes:
            changes.insert(0, _assigned(recipe.changes))
        lines += wrapped(name, "; ".join([recipe.about, *changes]), 12)
    if experiment.borrowed:
        names = ", ".join(experiment.borrowed)
        about = f"{names}: as in the commands of their own papers"
        lines += wrapped("models", about, 12)
    return "\n".join([*lines, "", describe_settings(experiment.settings)])


def _assigned(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in values.items())


def run_script(
    experiment: Experiment[Any], arguments: argparse.Namespace
) -> int:
    """Runs an experiment and prints its figures.

    Args:
        experiment: the paper's experiment.
        arguments: what `parse_arguments` returned.

    Returns:
        The exit status: 0, or 2 after a message about bad input.
    """
    return with_messages(lambda: _run_and_print(experiment, arguments))


def run_command(
    experiment: Experiment[Any], argv: Sequence[str] | None = None
) -> int:
    """Parses a command line and runs the experiment; see `run_script`."""
    return run_script(experiment, parse_arguments(experiment, argv))


def with_messages(action: Callable[[], None]) -> int:
    """Runs an action of a command; prints its errors about bad input.

    Returns:
        The exit status: 0, or 2 after a message about bad input.
    """
    silence_tensorflow()
    try:
        action()
    except (ImportError, OSError, ValueError, RunFolderError) as error:
        # These messages say what was expected, or what to install.
        print_error(error)
        return 2
    return 0


def print_error(error: Exception) -> None:
    """Prints an error after the name of the command, as `keras-qa` does."""
    spec = sys.modules["__main__"].__spec__
    command = Path(sys.argv[0]).name
    if spec is not None:
        command = f"python -m {spec.name.removesuffix('.__main__')}"
    print(f"{command}: {error}", file=sys.stderr)


def print_written(written: Sequence[Path]) -> None:
    """Prints the first file, a page, and then the paths of all files."""
    print(written[0].read_text("utf-8"))
    for path in written:
        print(path)


def _run_and_print(
    experiment: Experiment[Any], arguments: argparse.Namespace
) -> None:
    # Settings are checked before the slow imports.
    settings = experiment.settings_of(arguments)
    owner, model = experiment.owner(arguments.model), arguments.model
    recipe = owner.recipes.get(arguments.recipe)
    if model in owner.untrained:
        # A run has no epoch to choose with folds.
        settings = resolve_settings(settings, {"folds": 0})
    elif recipe and recipe.lacks(model, arguments.dataset):
        print(
            f"Nothing was searched for {model} on {arguments.dataset}: recipe "
            f"{arguments.recipe} has only what it sets for all data sets."
        )
    from reproductions.harness.run import run_experiment

    with on_devices(arguments):
        result = run_experiment(experiment, arguments, settings)
    figures = "  ".join(
        f"{name} {value:.4f}" for name, value in result["metrics"].items()
    )
    print(
        f"{result['model']} on {result['dataset']} {result['split']}: "
        f"{figures}  ({result['questions_scored']} of {result['questions']} "
        f"questions scored, {result['candidates']} candidates, "
        f"{result['ties']} ties)\n{arguments.output_dir}"
    )
