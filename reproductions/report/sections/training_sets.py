"""Models that were trained on either of a data set's training sets."""

from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence

from reproductions.records.papers import Paper
from reproductions.records.seed_groups import TRAIN_SPLIT
from reproductions.records.seed_groups import Group
from reproductions.records.seed_groups import Statistic
from reproductions.report import markdown
from reproductions.report.rules.floors import METRIC
from reproductions.report.rules.row_runs import LENGTHS

ABOUT = """\
{metric} on dev, mean over seeds ± the sample standard deviation, of the models
that were trained on either set with the same vectors and settings. The
difference is that of the means; it is not tested, and with one seed it may be
no more than what another seed would change. A length at which the texts of the
larger set were cut is named, and so is another number of epochs on it. The last
column is what the rankings of the larger set's models reach on the questions of
`{part}`: those that have a wrong answer, too; the others are perfect in any
order."""

# What may be another with the larger set: it has longer texts, and more of them
# an epoch.
NAMED = LENGTHS | {"epochs"}


def training_sets(
    papers: Mapping[str, Paper],
    groups: Sequence[Group],
    dataset: str,
    part: str,
) -> list[str]:
    """The section on the training sets of a data set; none without runs.

    Args:
        papers: the papers by key.
        groups: the measured runs of one recipe and split.
        dataset: name of the data set.
        part: name of the data set of its questions with right and wrong
            answers.
    """
    counts = [
        g.runs[0]["questions_scored"] for g in groups if g.dataset == part
    ]
    imperfect = next(iter(counts), 0)
    tables: dict[tuple[str, str], list[list[str]]] = {}
    for paper in papers.values():
        own = [
            group
            for group in groups
            if (group.paper, group.dataset) == (paper.key, dataset)
        ]
        models = list(dict.fromkeys([*paper.models, *(g.model for g in own)]))
        for first, second in sorted(
            _pairs(own), key=lambda pair: models.index(pair[0].model)
        ):
            small, large = first.metric(METRIC), second.metric(METRIC)
            if small is None or large is None:
                continue
            names = first.training_set, second.training_set
            named = {k: v for k, v in second.overrides.items() if k in NAMED}
            tables.setdefault(names, []).append(
                [
                    f"{paper.named(first.model)} "
                    f"{markdown.settings(named)}".strip(),
                    *map(_cell, (small, large)),
                    f"{large.mean - small.mean:+.3f}",
                    markdown.number(_imperfect(second, imperfect)),
                ]
            )
    if not tables:
        return []
    about = markdown.paragraph(ABOUT.format(metric=METRIC, part=part))
    parts = [f"## Training sets of `{dataset}`\n", about]
    for names, rows in tables.items():
        columns = [*names, "Difference", f"`{part}`"]
        parts.append(markdown.table(["Model", *columns], rows))
    return parts


def _imperfect(group: Group, part: int) -> Statistic | None:
    """The metric on as many questions as can be ranked wrongly.

    Args:
        group: the runs; each of their other questions adds 1 to the sum.
        part: the number of the questions; None is returned for 0.
    """
    if not part:
        return None
    found = []
    for run in group.runs:
        scored = run["questions_scored"]
        found.append(1 - (1 - run["metrics"][METRIC]) * scored / part)
    return Statistic.of(found)


def _pairs(groups: Sequence[Group]) -> Iterator[tuple[Group, Group]]:
    """Groups of a recipe, and those with nothing but another training set."""
    for second in sorted(groups, key=lambda group: len(group.overrides)):
        if second.overrides.keys() - NAMED == {TRAIN_SPLIT}:
            for first in groups:
                if not first.overrides and _rest(first) == _rest(second):
                    yield first, second


def _rest(group: Group) -> tuple[object, ...]:
    """What groups of a pair have in common."""
    apart = NAMED | {TRAIN_SPLIT}
    settings = {k: v for k, v in group.settings.items() if k not in apart}
    return group.model, group.row, group.vectors, settings


def _cell(statistic: Statistic) -> str:
    seeds = "1 seed" if statistic.count == 1 else f"{statistic.count} seeds"
    return f"{markdown.number(statistic)} ({seeds})"
