"""What the searches' best trials gain over the floor on the same folds."""

from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any

from reproductions.records.papers import Paper
from reproductions.records.seed_groups import Group
from reproductions.report import markdown
from reproductions.report.search_tables import METRIC
from reproductions.report.search_tables import Searches
from reproductions.report.search_tables import same_trials
from reproductions.report.search_tables import split_floors

ABOUT = f"""\
{METRIC} on the folds of train by which settings were searched: each model's
best trial, in brackets less the best floor that was fitted on the same folds
with vectors of one of the trials. The number of epochs is chosen on these
folds, too, which favours the trials. A difference near 0 says that the other
folds' questions taught the model nothing that the floor does not know: TrecQA's
folds have some 47 questions to learn from."""


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
            if same := same_trials(trials, floors, groups):
                cell = _cell(_best(trials), _best(same))
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


def _best(trials: Sequence[Mapping[str, Any]]) -> float:
    return max(float(t["metrics"].get(METRIC, 0.0)) for t in trials)


def _cell(model: float, floor: float) -> str:
    return f"{model:.3f} ({model - floor:+.3f})"
