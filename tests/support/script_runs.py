"""Short runs of the scripts, and what each of them must leave."""

import json
from dataclasses import asdict

from reproductions.harness.command import parse_arguments

# The files of a finished run.
FILES = {
    "metrics.json",
    "run.trec",
    "qrels.trec",
    "history.csv",
    "model.keras",
    "saved_model",
    "vocabulary.txt",
}


def smoke_runner(script, defaults):
    """A function that runs a script on a few questions.

    Args:
        script: the script's module.
        defaults: settings that make it quick.

    Returns:
        A function of the output folder, further options, and settings by name;
        it returns the exit status.
    """

    def run(folder, *arguments, **settings):
        options = [
            f"--set={name}={json.dumps(value)}"
            for name, value in {**defaults, **settings}.items()
        ]
        return script.main(
            ["--smoke", "--output-dir", str(folder), *options, *arguments]
        )

    return run


def settings_of(script, *arguments):
    """The settings of a command line, by name.

    Args:
        script: the script's module.
        *arguments: the command line.
    """
    experiment = script.EXPERIMENT
    parsed = parse_arguments(experiment, arguments)
    return asdict(experiment.settings_of(parsed))


def metrics_of(folder):
    """What a finished run measured."""
    return json.loads((folder / "metrics.json").read_text())
