"""What the searches' best trials gain over the floor on the same folds."""

from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any

from reproductions.records.papers import Paper
from reproductions.records.seed_groups import Group
from reproductions.report import markdown
from reproductions.report.search_tables import METRIC
from reproductions.report.search_tables import Searches
from reproductions.report.search_tables import Trials
from reproductions.report.search_tables import own_floors
from reproductions.report.search_tables import split_floors

ABOUT = f"""\
{METRIC} on the folds of train by which settings were searched: each model's
best trial with vectors that a floor was fitted with on the same folds, in
brackets minus the best such floor. The number of epochs is chosen on these
folds, too, which favours the trials. A difference near 0 says that the other
folds' questions taught the model nothing that the floor does not know: of
TrecQA's TRAIN two folds leave some 47 questions to learn from, and the five by
which IAM was searched there some 75."""


def fold_gains(
    papers: Mapping[str, Paper],
    groups: Sequence[Group],
    searches: Mapping[str, Searches],
    datasets: Sequence[str],
) -> list[str]:
    """The section; none if no floor was measured on the folds of a search.

    Args:
        papers: the papers by key.
        groups: the measured runs.
        searches: the recorded trials by paper.
        datasets: the data sets, in order.
    """
    rows, measured = [], set()
    for paper in papers.values():
        of_models, floors = split_floors(searches.get(paper.key, {}))
        found: dict[str, dict[str, str]] = {}
        for trials in of_models:
            if cell := _cell(trials, floors, groups):
                first = trials[0]
                found.setdefault(first["model"], {})[first["dataset"]] = cell
                measured.add(first["dataset"])
        rows += [(paper.named(model), cells) for model, cells in found.items()]
    if not rows:
        return []
    names = [name for name in datasets if name in measured]
    table = markdown.table(
        ["Model", *(f"`{name}`" for name in names)],
        [
            [model, *(cells.get(name, "–") for name in names)]
            for model, cells in rows
        ],
    )
    return ["## Folds of train\n", markdown.paragraph(ABOUT), table]


def _cell(trials: Trials, floors: Trials, groups: Sequence[Group]) -> str:
    """The best trial with floors of its own vectors; empty without any."""
    for trial in sorted(trials if floors else (), key=_measured, reverse=True):
        if own := own_floors(trial, floors, groups):
            best = _measured(trial)
            return f"{best:.3f} ({best - max(map(_measured, own)):+.3f})"
    return ""


def _measured(trial: Mapping[str, Any]) -> float:
    return float(trial["metrics"].get(METRIC, 0.0))
