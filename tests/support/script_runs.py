"""Short runs of the scripts, and checks of their results."""

import argparse
import json
from dataclasses import asdict
from types import SimpleNamespace

import numpy as np
import pytest

from keras_qa.datasets import Corpus
from keras_qa.training.epoch_selection import EpochSelector
from reproductions.harness import fitting
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
        defaults: settings that make it quick, of models that have them.

    Returns:
        A function of the output folder, further options, and settings by name;
        it returns the exit status.
    """

    def run(folder, *arguments, **settings):
        experiment = script.EXPERIMENT
        known = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
        for name in ("--row", "--model"):
            known.add_argument(name)
        chosen, _ = known.parse_known_args(list(map(str, arguments)))
        named = [f"--{k}={v}" for k, v in vars(chosen).items() if v]
        model = parse_arguments(experiment, named).model
        others = experiment.of_others(model)
        own = {k: v for k, v in defaults.items() if k not in others}
        options = [
            f"--set={name}={json.dumps(value)}"
            for name, value in {**own, **settings}.items()
        ]
        return script.main(
            ["--smoke", "--output-dir", str(folder), *options, *arguments]
        )

    return run


def run_of(questions, settings, model="", **fields):
    """What an experiment reads of a run, without a command and a folder.

    Args:
        questions: those to fit.
        settings: the experiment's settings.
        model: the name of the model.
        **fields: further attributes.
    """
    corpus = Corpus(questions)
    return SimpleNamespace(
        settings=settings,
        corpus=corpus,
        fit=questions,
        matrix=np.ones((len(corpus.vocabulary), 3), np.float32),
        arguments=SimpleNamespace(model=model, seed=3, smoke=False),
        **fields,
    )


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
    """The content of a finished run's `metrics.json`."""
    return json.loads((folder / "metrics.json").read_text())


def leave_out_saved_models(patch):
    """For runs of which a SavedModel, half of their time, is not the point.

    Args:
        patch: a `pytest.MonkeyPatch`.
    """
    patch.setattr(
        fitting, "export_saved_model", lambda model, reading, path: path.mkdir()
    )
    patch.setattr(fitting, "verify_export", lambda *given: 0.0)


class _StopError(Exception):
    pass


def check_resumed(run, folder, *options, **settings):
    """Checks that a resumed run gives the results of an uninterrupted one.

    This includes the random numbers of dropout.

    Args:
        run: what `smoke_runner` returned.
        folder: the folder for both runs, `whole` and `parts`.
        *options: options of the script, with three epochs.
        **settings: settings by name.
    """
    whole, parts = folder / "whole", folder / "parts"
    assert run(whole, *options, **settings) == 0
    save = EpochSelector.on_epoch_end

    def stop_after_second(self, epoch, logs=None):
        save(self, epoch, logs)
        if epoch == 1:
            raise _StopError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(EpochSelector, "on_epoch_end", stop_after_second)
        with pytest.raises(_StopError):
            run(parts, *options, **settings)
    assert not (parts / "metrics.json").exists()
    assert run(parts, *options, "--resume", **settings) == 0
    epochs, resumed = (
        [
            {k: v for k, v in row.items() if k != "seconds"}
            for row in json.loads((path / "progress.json").read_text())
        ]
        for path in (whole, parts)
    )
    assert len(epochs) == 3 and resumed == epochs
    for name in ("run.trec", "qrels.trec"):
        assert (parts / name).read_bytes() == (whole / name).read_bytes()
