"""The table of what a training on other data sets first adds."""

from collections.abc import Mapping
from collections.abc import Sequence

from reproductions.records.papers import Paper
from reproductions.records.seed_groups import AFTER
from reproductions.records.seed_groups import FIRST
from reproductions.records.seed_groups import Group
from reproductions.report import markdown

ABOUT = """\
MAP on {split} by recipe `best`, with the same settings alone and after a first
training on the questions of other data sets, for TrecQA also on its own
TRAIN-ALL (`trecqa-all`). "by" names the teacher whose scores, in place of
labels, the first training learns. "Removed" is the number of the other data
sets' questions that were left out because the target has them, nearly has
them, or has their right answer as a candidate. After the vectors come the
settings that the recipe does not have, of which those in `transfer_` are of
the first training alone. –: not run. Paired tests are on the papers' pages, of
the rows whose measure of each question is recorded; [quality against
cost](frontier.md) has the times of a teacher and its pupils."""


def transfer_parts(
    papers: Mapping[str, Paper], groups: Sequence[Group], split: str
) -> list[str]:
    """A row for each model, data set and first training, with its MAP.

    Args:
        papers: the papers by key.
        groups: the measured runs of all papers.
        split: the split that was ranked.

    Returns:
        What a section says; nothing without such runs.
    """
    notes = markdown.Notes()
    found = []
    for group in groups:
        own, after, first = group.training_set.partition(AFTER)
        if not after or (group.recipe, group.split) != ("best", split):
            continue
        alone = _alone(group, own, groups)
        found.append(
            [
                papers[group.paper].named(group.model),
                f"`{group.dataset}`",
                first,
                f"{markdown.vectors(group.vectors)} "
                f"{markdown.settings(group.overrides)}".strip(),
                _removed(group),
                "–" if alone is None else _figure(alone),
                _figure(group),
            ]
        )
    if not found:
        return []
    rows = [[*row[:3], notes.cell(row[3]), *row[4:]] for row in sorted(found)]
    heads = ["Model", "Data set", "First", "Vectors, settings", "Removed"]
    return [
        markdown.paragraph(ABOUT.format(split=split)),
        markdown.table([*heads, "Alone", "After"], rows),
        *notes.listed(),
    ]


def _alone(
    group: Group, training_set: str, groups: Sequence[Group]
) -> Group | None:
    """The runs without a group's first training, None if there are none.

    Another paper's script may have run the same model; the paper's own come
    first.
    """
    kind = _kind(group, training_set)
    found = [other for other in groups if _kind(other) == kind]
    found.sort(key=lambda other: other.paper != group.paper)
    return found[0] if found else None


def _removed(group: Group) -> str:
    """The number of questions that were left out of the first training."""
    counts = [
        sum(sum(one["removed"].values()) for one in run["transfer"].values())
        for run in group.runs
        if "transfer" in run
    ]
    return markdown.span(counts)


def _kind(group: Group, training_set: str | None = None) -> tuple[object, ...]:
    """What two groups share that differ in a first training alone.

    The paper whose script made the runs is not in it: scripts whose settings
    differ in a name record other settings.
    """
    settings = {
        name: value
        for name, value in group.settings.items()
        if not name.startswith(FIRST)
    }
    return (
        *(group.model, group.recipe, group.dataset, group.split),
        *(group.vectors, settings, training_set or group.training_set),
    )


def _figure(group: Group) -> str:
    found = group.metric("MAP")
    seeds = len(group.runs)
    return f"{markdown.number(found)} ({seeds} seed{'s' * (seeds > 1)})"
