"""The table of what a training on other data sets first adds."""

from collections.abc import Sequence

from reproductions.records.seed_groups import AFTER
from reproductions.records.seed_groups import FIRST
from reproductions.records.seed_groups import Group
from reproductions.report import markdown


def transfer_table(groups: Sequence[Group], split: str) -> str:
    """A row for each model, data set and first training, with its MAP.

    Args:
        groups: the measured runs of all papers.
        split: the split that was ranked.
    """
    rows = []
    for group in groups:
        own, after, first = group.training_set.partition(AFTER)
        if not after or group.split != split:
            continue
        alone = next((g for g in groups if _kind(g) == _kind(group, own)), None)
        further = {
            name: value
            for name, value in group.overrides.items()
            if not name.startswith(FIRST)
        }
        rows.append(
            (
                f"`{group.model}`",
                f"`{group.dataset}`",
                first,
                markdown.settings(further),
                "–" if alone is None else _figure(alone),
                _figure(group),
            )
        )
    heads = ("Model", "Data set", "First", "Further settings", "Alone", "After")
    return markdown.table(heads, sorted(rows))


def _kind(group: Group, training_set: str | None = None) -> tuple[object, ...]:
    """What two groups share that differ in a first training alone."""
    settings = {
        name: value
        for name, value in group.settings.items()
        if not name.startswith(FIRST)
    }
    return (
        *(group.paper, group.model, group.recipe, group.dataset, group.split),
        *(group.vectors, settings, training_set or group.training_set),
    )


def _figure(group: Group) -> str:
    found = group.metric("MAP")
    seeds = len(group.runs)
    return f"{markdown.number(found)} ({seeds} seed{'s' * (seeds > 1)})"
