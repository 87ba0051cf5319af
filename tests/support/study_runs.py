"""Studies whose runs are noted, in place of being made."""

from dataclasses import asdict

from reproductions.harness import study
from reproductions.harness.command import parse_arguments
from reproductions.records.seed_groups import group_runs


def note_runs(monkeypatch, write=None):
    """Notes what a study runs.

    Args:
        monkeypatch: pytest's fixture.
        write: writes what a run leaves, given its command line and its
            settings; a few empty files without it.

    Returns:
        The runs that were asked for: command lines and settings by name.
    """
    found = []

    def run(experiment, argv):
        arguments = parse_arguments(experiment, argv)
        settings = asdict(experiment.settings_of(arguments))
        found.append((arguments, settings))
        folder = arguments.output_dir
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "saved_model").mkdir(exist_ok=True)
        (folder / "model.keras").touch()
        if write is not None:
            write(arguments, settings)
        else:
            for name in ("metrics.json", "run.trec"):
                (folder / name).touch()
        return 0

    monkeypatch.setattr(study, "run_command", run)
    # It collects garbage, half a second each time.
    monkeypatch.setattr(study, "forget_models", lambda: None)
    return found


def identities(calls):
    """What tells runs apart."""
    return {
        (a.dataset, a.model, a.seed, tuple(a.embeddings), str(settings))
        for a, settings in calls
    }


def groups_of(experiment, calls, recipe):
    """The runs as the groups of equal runs that a page is made of.

    Args:
        experiment: the paper's experiment.
        calls: what `note_runs` returned.
        recipe: name of the recipe of trained models.
    """
    records = []
    for arguments, settings in calls:
        changed = [text.split("=")[0] for text in arguments.overrides]
        arguments.overrides = []
        untrained = arguments.model in experiment.untrained
        records.append(
            {
                "paper": experiment.name,
                "model": arguments.model,
                "dataset": arguments.dataset,
                "split": "dev",
                "seed": 1,
                "recipe": "untrained" if untrained else recipe,
                "vectors": experiment.vectors(arguments),
                "metrics": {},
                "settings": asdict(experiment.settings_of(arguments)),
                "overrides": {name: settings[name] for name in changed},
            }
        )
    return group_runs(records)
