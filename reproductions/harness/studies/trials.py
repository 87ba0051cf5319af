"""Trials of a search of settings: what one measures, and its record."""

import argparse
import json
from collections.abc import Callable
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import reproductions
from keras_qa.cli.options.devices import on_devices
from keras_qa.errors import KerasQAError
from keras_qa.errors import SearchError
from keras_qa.files.whole import write_json
from reproductions.harness.command import parse_arguments
from reproductions.harness.errors import SettingsError
from reproductions.harness.experiment import Experiment
from reproductions.harness.parts.versions import versions
from reproductions.harness.run import validate
from reproductions.harness.settings import recorded
from reproductions.harness.vectors import fingerprint
from reproductions.harness.vectors import short_name
from reproductions.harness.vectors import vector_identity
from reproductions.records.runs import append_run
from reproductions.records.runs import read_runs

TRIAL = "trial.json"
# The names of vectors in a trial's changes, which are no setting; they come
# after those of the command.
ADDED = "added_embeddings"

Changes = dict[str, Any]
Train = Callable[[Changes, str], dict[str, float]]


def trainer(
    experiment: Experiment[Any], options: Sequence[str], output_dir: Path
) -> Train:
    """Makes the function that measures settings on the folds.

    A trial that has a record is not measured again.

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
        owner = experiment.owner(arguments.model)
        record = {
            "paper": experiment.name,
            "model": arguments.model,
            "dataset": arguments.dataset,
            "split": "train",
            "seed": arguments.seed,
            "recipe": arguments.recipe,
            "vectors": [short_name(n) for n in owner.vectors(arguments)],
            "smoke": arguments.smoke,
            "trial": trial,
            "settings": settings,
            "options": [*arguments.overrides, *_further(arguments)],
            # None of settings that are refused.
            "inputs": {},
        }
        path = folder / TRIAL
        made = path.exists()
        try:
            of_trial = experiment.settings_of(arguments)
            record["inputs"] = _inputs(owner, arguments, of_trial)
            if not made:
                with on_devices(arguments):
                    found = validate(experiment, arguments, of_trial, folder)
        except ValueError as error:
            # Bad input may be mended, and the trial made after all.
            if is_of_input(error):
                raise
            if not made:
                record |= {"metrics": {}, "versions": versions()}
                write_json(path, {**record, "failed": str(error)})
                raise
        if made:
            return _measured(path, record)
        record["versions"] = versions()
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
        write_json(path, {**record, **measured})
        return metrics

    return train


def is_of_input(error: ValueError) -> bool:
    """True if files are the cause, not the settings of a trial."""
    return isinstance(error, KerasQAError) and not isinstance(
        error, SettingsError
    )


def _further(arguments: argparse.Namespace) -> list[str]:
    """Options but `--set` that decide what a trial measures."""
    teacher = getattr(arguments, "teacher", None)
    found = {
        "epochs": arguments.epochs,
        "row": arguments.row,
        "transfer": " ".join(arguments.transfer),
        "teacher": teacher and teacher.name,
    }
    return [f"{name}={value}" for name, value in found.items() if value]


def _inputs(
    owner: Experiment[Any], arguments: argparse.Namespace, settings: Any
) -> Changes:
    """Digests of what names of recipes, vectors and teachers stand for."""
    _, vectors = vector_identity(owner.vectors(arguments))
    text = json.dumps(recorded(settings), sort_keys=True)
    found = {"settings": fingerprint(text.encode()), "vectors": vectors}
    if arguments.teacher:
        # Imported here because only a teacher needs it.
        from reproductions.harness.teaching.teachers import teacher_digest

        found["teacher"] = teacher_digest(arguments)
    return found


def _measured(path: Path, expected: Changes) -> dict[str, float]:
    """The metrics of a trial with a record; raises its error if it failed."""
    record = json.loads(path.read_text("utf-8"))
    for name, value in expected.items():
        if record.get(name) != value:
            raise SearchError(
                f"{path}: expected {name} {value}; give another --output-dir. "
                f"Received: {record.get(name)}"
            )
    if "failed" in record:
        raise ValueError(record["failed"])
    return record["metrics"]


def record_file(
    experiment: Experiment[Any], arguments: argparse.Namespace
) -> Path:
    """The file of the recorded trials of a model on a data set."""
    folder = Path(reproductions.__file__).parent / experiment.name / "searches"
    return folder / f"{arguments.model}-{arguments.dataset}.jsonl"


def record_trials(arguments: argparse.Namespace, path: Path) -> None:
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
