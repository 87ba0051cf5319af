"""A paper's page: the recorded searches of settings, with all their trials."""

from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from reproductions.harness.parts.floor_names import is_floor
from reproductions.records.papers import Paper
from reproductions.records.runs import read_runs
from reproductions.records.seed_groups import Group
from reproductions.records.seed_groups import vector_name
from reproductions.report import markdown
from reproductions.report.rules.floors import METRIC
from reproductions.report.rules.floors import bert_layers

REMARK = f"""\
Each trial trains on folds of train and is measured on the fold left out; dev
and test are not read. {METRIC} is the mean of the folds after the number of
epochs at which that mean is highest. Settings that all trials of a table have
are above it. A floor has a row where it was fitted on the same folds, with
vectors of one of the trials."""

# The settings that divide train.
FOLDS = ("folds", "fold_fraction", "train_split")

# What the name of the vectors that a BERT gives begins with.
BERT = "bert:"

# Recorded trials, by the name of their file: model and data set.
Trials = Sequence[dict[str, Any]]
Searches = Mapping[str, Trials]


def read_searches(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """The recorded trials of a paper, by the names of their files.

    Args:
        folder: the paper's folder.

    Raises:
        RecordError: if a file is malformed.
    """
    paths = sorted((folder / "searches").glob("*.jsonl"))
    return {path.stem: read_runs(path) for path in paths}


def search_tables(
    paper: Paper, searches: Searches, groups: Sequence[Group] = ()
) -> list[str]:
    """The section of searches; none if none is recorded.

    Args:
        paper: the paper.
        searches: its recorded trials.
        groups: its measured runs.
    """
    if not searches:
        return []
    parts = ["## Searched settings\n", markdown.paragraph(REMARK)]
    of_models, floors = split_floors(searches)
    for trials in of_models:
        name = paper.named(trials[0]["model"])
        parts.append(f"### {name}, `{trials[0]['dataset']}`\n")
        for divided in _by_folds(trials):
            same = same_trials(divided, floors, groups)
            parts += _one_table(divided, same, groups)
    return parts


def split_floors(searches: Searches) -> tuple[list[Trials], Trials]:
    """The trials of each search of a model, and those of floors."""
    listed = [trials for _, trials in sorted(searches.items())]
    floors = [t for trials in listed for t in trials if is_floor(t["model"])]
    return [t for t in listed if not is_floor(t[0]["model"])], floors


def same_trials(
    trials: Trials, floors: Trials, groups: Sequence[Group]
) -> Trials:
    """The floors on the same folds as trials, with vectors of one of these."""
    same = [floor for floor in floors if _folds(floor) == _folds(trials[0])]
    read = {_vectors(trial, groups) for trial in trials if same}
    return [floor for floor in same if _vectors(floor, groups) in read]


def own_floors(
    trial: Mapping[str, Any], floors: Trials, groups: Sequence[Group]
) -> Trials:
    """The floors on a trial's folds that read the vectors that it read.

    The vectors of a BERT are those of as many of its layers.
    """

    def reading(one: Mapping[str, Any]) -> tuple[object, ...]:
        read = _vectors(one, groups)
        layers = bert_layers(trial["paper"], one["settings"])
        return _folds(one), read, layers

    return [floor for floor in floors if reading(floor) == reading(trial)]


def minutes(trials: Trials) -> float:
    """How long the trials took together."""
    return sum(trial.get("seconds", 0.0) for trial in trials) / 60


def _by_folds(trials: Trials) -> list[list[dict[str, Any]]]:
    """The trials of each division of train into folds."""
    divided: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for trial in trials:
        divided.setdefault(_folds(trial), []).append(trial)
    return list(divided.values())


def _one_table(
    trials: Trials, floors: Trials, groups: Sequence[Group]
) -> list[str]:
    first = trials[0]
    # A trial's own settings are among its options, too.
    options = " ".join(
        f"`{option}`"
        for option in first["options"]
        if option.partition("=")[0] not in first["settings"]
    )
    shared = {
        key: value
        for key, value in first["settings"].items()
        if all(t["settings"].get(key, ...) == value for t in trials)
    }
    notes = markdown.Notes()
    rows = [
        [
            notes.cell(_changes(trial, shared, trial in floors), 60),
            _vectors(trial, groups),
            f"{trial['metrics'][METRIC]:.3f}"
            if trial["metrics"]
            else f"failed: {trial['failed']}",
            str(trial.get("epochs", "")),
            f"{minutes([trial]):.1f}",
        ]
        for trial in sorted(
            [*trials, *floors],
            key=lambda trial: -trial["metrics"].get(METRIC, 0.0),
        )
    ]
    return [
        markdown.paragraph(
            f"Recipe {first['recipe']}, {options} {markdown.settings(shared)}:"
        ),
        markdown.table(
            ["Settings", "Vectors", METRIC, "Epochs", "Minutes"], rows
        ),
        *notes.listed(),
    ]


def _changes(
    trial: Mapping[str, Any], shared: Mapping[str, Any], floor: bool
) -> str:
    """What is a trial's own: its settings that not all share, or the floor."""
    name = [f"the floor `{trial['model']}`"] if floor else []
    own = {k: v for k, v in trial["settings"].items() if k not in shared}
    return " ".join([*name, markdown.settings(own)]).strip() or "–"


def _folds(trial: Mapping[str, Any]) -> tuple[Any, ...]:
    """What decides which questions a trial's folds have."""
    return (
        trial["dataset"],
        trial["seed"],
        tuple(o for o in trial["options"] if o.partition("=")[0] in FOLDS),
    )


def _vectors(trial: Mapping[str, Any], groups: Sequence[Group]) -> str:
    """The vectors that a trial's model read.

    Older trials have those of the option `--embeddings` also where the model
    leaves them aside for a BERT: the records of its runs have the BERT.
    """
    given = [vector_name(name) for name in trial["vectors"]]
    read = dict.fromkeys(
        group.vectors for group in groups if group.model == trial["model"]
    )
    if read and all(map(_has_bert, read)) and not _has_bert(given):
        return " or ".join(map(markdown.vectors, read))
    return markdown.vectors(given)


def _has_bert(names: Sequence[str]) -> bool:
    return any(name.startswith(BERT) for name in names)
