"""The command that makes a recorded run again."""

import json
import shlex
from argparse import Namespace
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from reproductions.harness.command import parse_arguments
from reproductions.harness.errors import SettingsError
from reproductions.harness.experiment import Experiment
from reproductions.harness.experiment import experiment_of
from reproductions.harness.settings import recorded
from reproductions.records.json_lines import RecordError

# In a printed command, where data sets are and, in `embeddings`, vectors.
DATA = "$KERAS_QA_DATA"
# Vectors that are not files.
MADE = ("skipgram", "random")
# JSON without blanks, at which a printed command may be broken.
SHORT = (",", ":")


def experiment_or_none(paper: str) -> Experiment[Any] | None:
    """The experiment of a paper, None if its folder has none."""
    name = f"reproductions.{paper}"
    if not find_spec(name) or not find_spec(f"{name}.experiment"):
        return None
    return experiment_of(paper)


def options_of(
    run: Mapping[str, Any], vectors_dir: str = f"{DATA}/embeddings"
) -> list[str]:
    """The options of the paper's command that make a recorded run again.

    Settings that the recipe, as it is now, does not have are given by `--set`;
    what comes out is parsed again and compared with the record.

    Args:
        run: the record.
        vectors_dir: the folder of its vectors' files.

    Returns:
        The options without folders of data and output.

    Raises:
        RecordError: if no command of now makes this run.
    """
    experiment = experiment_or_none(run["paper"])
    if experiment is None:
        raise RecordError(f"{run['paper']} has no experiment")
    if "teacher" in run.get("inputs", {}):
        raise RecordError("the folder of the run's teacher is not recorded")
    # The record of a floor does not say which recipe it was left out of.
    recipes = [run["recipe"]]
    if run["recipe"] not in experiment.recipes:
        recipes = list(experiment.recipes)
    found = [
        _with_settings(experiment, run, _plain(run, recipe, vectors_dir))
        for recipe in recipes
    ]
    return min(found, key=len)


def shown(run: Mapping[str, Any]) -> str:
    """The whole command in one line, for a shell.

    Raises:
        RecordError: as `options_of`.
    """
    options = " ".join(
        # The variable must stay one.
        f'"{text}"' if text.startswith("$") else shlex.quote(text)
        for text in options_of(run)
    )
    return f"python -m reproductions.{run['paper']} {options}"


def _plain(run: Mapping[str, Any], recipe: str, vectors_dir: str) -> list[str]:
    row = run.get("row")
    named = ["--row", row] if row else ["--model", run["model"]]
    vectors = [
        name if name in MADE or ":" in name else f"{vectors_dir}/{name}"
        for name in run.get("vectors") or []
    ]
    first = list(run.get("transfer", {}))
    return [
        *named,
        *("--dataset", run["dataset"], "--split", run["split"]),
        *("--recipe", recipe, "--seed", str(run["seed"])),
        *(["--embeddings", *vectors] if vectors else []),
        *(["--transfer", *first] if first else []),
        *(["--smoke"] if run.get("smoke") else []),
    ]


def _with_settings(
    experiment: Experiment[Any], run: Mapping[str, Any], options: list[str]
) -> list[str]:
    """The options and those of `--set` that the record needs, checked."""
    wanted = run.get("settings", {})
    try:
        owner = experiment.owner(run["model"])
        defaults = vars(owner.settings())
        if unknown := wanted.keys() - defaults.keys():
            raise RecordError(f"the setting {min(unknown)} is no longer there")
        arguments = vars(parse_arguments(experiment, options))
        now = vars(experiment.settings_of(Namespace(**arguments)))
        changes = [
            f"{name}={_written(value)}"
            for name in defaults
            if (value := wanted.get(name, defaults[name])) != now[name]
        ]
        given = Namespace(**{**arguments, "overrides": changes})
        settings = experiment.settings_of(given)
    except (SettingsError, SystemExit) as error:
        raise RecordError(f"its options are refused: {error}") from error
    if recorded(settings) != wanted:
        raise RecordError("no options give its settings")
    return options + [t for change in changes for t in ("--set", change)]


def _written(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, separators=SHORT)
