"""The command line and the settings that every reproduction script shares."""

import argparse
import json
import math
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from keras_qa.datasets.registry import FOLDERS

# Settings whose default of None stands for "no limit", "the data set's own" or
# "as large as what goes in".
OPTIONAL = {
    "tokenizer": str,
    "max_question_length": int,
    "max_answer_length": int,
    "attention_units": int,
    "bert_dim": int,
    "bert_rms": float,
    "initializer_range": float,
    "lm_max_classes": int,
    "positives": int,
    "chunk": int,
    "block_gain": float,
    "position_gain": float,
}

Settings = dict[str, Any]


class SettingsError(ValueError):
    """A setting does not exist or has a value of the wrong type."""


def parse_arguments(
    paper: str,
    description: str,
    models: Sequence[str],
    recipes: Sequence[str],
    argv: Sequence[str] | None = None,
    rows: Mapping[str, str] | None = None,
    add_options: Callable[[argparse.ArgumentParser], None] | None = None,
) -> argparse.Namespace:
    """Reads the options that every paper's script has.

    Args:
        paper: short name of the paper, for the default output folder.
        description: what the script does.
        models: names of the models that it can run, the default first.
        recipes: names of its recipes, the default first.
        argv: the command line; the process's own if `None`.
        rows: names of the rows of the paper's tables, each with the model
            that it is of, if the script knows them.
        add_options: adds the options that this script alone has.
    """
    parser = argparse.ArgumentParser(
        prog=f"python -m reproductions.{paper}", description=description
    )
    parser.add_argument("--dataset", choices=tuple(FOLDERS), default="sample")
    parser.add_argument(
        "--data-dir",
        type=Path,
        metavar="DIR",
        help="folder of the data set (not needed for the bundled sample)",
    )
    parser.add_argument(
        "--embeddings",
        nargs="+",
        default=["skipgram"],
        metavar="FILE",
        help="vector files, concatenated word by word; the word `skipgram` "
        "trains vectors on the data set's own text (default), `bert:SOURCE` "
        "runs each word through a BERT: `bert:minilm`, a directory, or a "
        "preset of keras-hub; MRNN mixes them, and takes `elmo:DIR`, too",
    )
    parser.add_argument("--seed", type=_count, default=1)
    parser.add_argument(
        "--split",
        choices=("dev", "test"),
        default="test",
        help="split to report on; the epoch is chosen on dev for test, and on "
        "a fold held out of train for dev",
    )
    parser.add_argument("--output-dir", type=Path, metavar="DIR")
    parser.add_argument(
        "--model",
        choices=models,
        help=f"default: {models[0]}, or the model of the row",
    )
    if rows:
        parser.add_argument(
            "--row",
            choices=tuple(rows),
            help="a row of the paper's tables: its model and its settings",
        )
    parser.set_defaults(row=None)
    parser.add_argument("--recipe", choices=recipes, default=recipes[0])
    parser.add_argument("--epochs", type=_positive, metavar="N")
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
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        dest="overrides",
        help="change one setting; may be given several times",
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
    if add_options:
        add_options(parser)
    arguments = parser.parse_args(argv)
    own = (rows or {}).get(arguments.row, models[0])
    if arguments.row and arguments.model not in (None, own):
        parser.error(
            f"row {arguments.row} is of the model {own}: "
            f"--model {arguments.model} cannot be given"
        )
    arguments.model = arguments.model or own
    if arguments.output_dir is None:
        arguments.output_dir = Path(
            "runs",
            paper,
            f"{arguments.dataset}-{arguments.split}-"
            f"{arguments.row or arguments.model}-"
            f"{arguments.recipe}-seed{arguments.seed}",
        )
    return arguments


def _count(text: str) -> int:
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text} is negative")
    return value


def _positive(text: str) -> int:
    value = _count(text)
    if value == 0:
        raise argparse.ArgumentTypeError("0 is not positive")
    return value


def resolve_settings(
    defaults: Mapping[str, Any],
    *layers: Mapping[str, Any],
    overrides: Sequence[str] = (),
) -> Settings:
    """Lays dictionaries of settings over the defaults, then `name=value`s.

    Args:
        defaults: every setting with its default.
        layers: dictionaries that change some of them, the last one wins.
        overrides: strings `name=value`; a value is JSON, or else a string.

    Raises:
        SettingsError: if a name is unknown or a value has another type.
    """
    settings = dict(defaults)
    for layer in layers:
        for name, value in layer.items():
            settings[name] = _checked(defaults, name, value)
    for text in overrides:
        name, equals, raw = text.partition("=")
        if not equals:
            raise SettingsError(
                f"`--set` expects name=value. Received: {text!r}"
            )
        try:
            value = json.loads(raw)
        # The second is of what is nested too deep.
        except (ValueError, RecursionError):
            value = raw
        settings[name] = _checked(defaults, name, value)
    return settings


def _checked(defaults: Mapping[str, Any], name: str, value: Any) -> Any:
    if name not in defaults:
        raise SettingsError(
            f"`--set` expects one of {sorted(defaults)}. Received: {name!r}"
        )
    default = defaults[name]
    if value is None and name in OPTIONAL:
        return None
    expected = OPTIONAL.get(name, type(default))
    if expected is float and type(value) is int:
        value = float(value)
    if type(value) is not expected:
        raise SettingsError(
            f"the setting `{name}` must be of type {expected.__name__}. "
            f"Received: {name}={value!r}"
        )
    if isinstance(value, float) and not math.isfinite(value):
        raise SettingsError(
            f"the setting `{name}` must be finite. Received: {name}={value!r}"
        )
    return value
