"""Studies whose runs are recorded instead of being executed."""

from dataclasses import asdict

from reproductions.harness.command import parse_arguments
from reproductions.harness.studies import making
from reproductions.records.seed_groups import group_runs


def note_runs(monkeypatch, write=None):
    """Replaces a study's runs by a function that records them.

    Args:
        monkeypatch: pytest's fixture.
        write: writes a run's files, given its command line and its settings;
            by default some empty files are made.

    Returns:
        A list that gets the command line and the settings of each run.
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

    monkeypatch.setattr(making, "check_files", lambda *names: None)
    monkeypatch.setattr(making, "Queue", _Plan)
    monkeypatch.setattr(making, "make_all", _make_all)
    monkeypatch.setattr(making, "run_command", run)
    # `forget_models` collects garbage, which takes half a second.
    monkeypatch.setattr(making, "forget_models", lambda: None)
    return found


class _Plan:
    """The jobs of a queue, which a journal on disk would make slow."""

    def __init__(self, folder, retries):
        self.jobs = {}

    def add(self, jobs, done):
        self.jobs.update(jobs)


def _make_all(queue, names, make, workers, command):
    for name in names:
        assert make(queue.jobs[name])
    return 0


def identities(calls):
    """The fields that distinguish runs, as a set."""
    return {
        (a.dataset, a.model, a.seed, tuple(a.embeddings), str(settings))
        for a, settings in calls
    }


def groups_of(experiment, calls, recipe):
    """The recorded runs as groups, as for a page.

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
