"""The results page: the measured runs."""

from collections.abc import Iterable
from collections.abc import Sequence

from reproductions.records.paper_figures import Paper
from reproductions.records.paper_figures import ResultsTable
from reproductions.records.seed_groups import Group
from reproductions.records.seed_groups import comparisons
from reproductions.records.seed_groups import distinctions
from reproductions.report import markdown

METRICS = ("MAP", "MRR", "P@1")


def measured(
    title: str, remark: str, groups: Sequence[Group], models: dict[str, str]
) -> list[str]:
    """The groups of runs of one split, a table for each data set.

    Args:
        title: heading of the section.
        remark: what stands below it.
        groups: the groups.
        models: names of models for readers.
    """
    if not groups:
        return [f"### {title}\n", "No run is recorded.\n"]
    parts = [f"### {title}\n", f"{remark}\n"]
    for dataset in dict.fromkeys(group.dataset for group in groups):
        own = [group for group in groups if group.dataset == dataset]
        parts += [f"#### `{dataset}`\n", _groups_table(own, models)]
    return parts


def _groups_table(groups: Sequence[Group], models: dict[str, str]) -> str:
    metrics = _metric_names(groups)
    columns = ["Model", "Recipe", *metrics, "Seeds", "Questions", "Candidates"]
    columns += ["Ties", "Parameters", "s/epoch", "Vectors", "Training set"]
    ordered = sorted(
        groups,
        key=lambda group: (
            list(models).index(group.model)
            if group.model in models
            else len(models),
            group.row or "",
        ),
    )
    rows = [
        [
            _model(group, models),
            f"{group.recipe} "
            f"{markdown.settings({**different, **group.overrides})}",
            *(markdown.number(group.metric(name)) for name in metrics),
            str(len(group.runs)),
            _scored(group),
            markdown.span(group.values("candidates")),
            markdown.tally(group.statistic("ties")),
            markdown.span(group.values("parameters")),
            markdown.number(group.statistic("seconds_per_epoch"), 1),
            markdown.vectors(group.vectors),
            markdown.training_set(group),
        ]
        for group, different in zip(ordered, distinctions(ordered), strict=True)
    ]
    return markdown.table(columns, rows)


def _model(group: Group, models: dict[str, str]) -> str:
    """The model's name and, if it has one, its row's."""
    name = models.get(group.model, group.model)
    return f"{name} ({group.row})" if group.row else name


def one_setting_apart(
    groups: Sequence[Group], models: dict[str, str]
) -> list[str]:
    """Tables of the groups that differ in a single setting."""
    parts = [
        "### One setting changed\n",
        "Every table below holds runs that differ in nothing but the setting "
        "named above it (and their seeds).\n",
    ]
    found = comparisons(groups)
    if not found:
        parts.append("No such runs are recorded.\n")
    for name, lists in found.items():
        parts.append(f"#### `{name}`\n")
        for members in lists:
            first = members[0]
            others = {
                key: value
                for key, value in first.overrides.items()
                if key != name
            }
            recipe = f"{first.recipe} {markdown.settings(others)}".strip()
            parts.append(
                f"{models.get(first.model, first.model)}, recipe {recipe}, "
                f"`{first.dataset}` **{first.split}**, "
                f"{markdown.vectors(first.vectors)}:\n"
            )
            metrics = _metric_names(members)
            parts.append(
                markdown.table(
                    [f"`{name}`", *metrics, "Seeds", "Parameters", "s/epoch"],
                    [
                        [
                            f"`{group.settings[name]}`"
                            + (" (changed)" if name in group.overrides else ""),
                            *(
                                markdown.number(group.metric(m))
                                for m in metrics
                            ),
                            str(len(group.runs)),
                            markdown.span(group.values("parameters")),
                            markdown.number(
                                group.statistic("seconds_per_epoch"), 1
                            ),
                        ]
                        for group in members
                    ],
                )
            )
    return parts


def speed(
    paper: Paper, groups: Sequence[Group], models: dict[str, str]
) -> list[str]:
    """The seconds per epoch of the recipes, beside the paper's."""
    parts = [
        "### Seconds per epoch\n",
        f"The paper's times were measured on {paper.hardware}, on its own "
        f"training sets; ours on the machine named in the row.\n",
    ]
    printed = {
        (row.ours, table.dataset): row.seconds
        for table in paper.tables
        if isinstance(table, ResultsTable)
        for row in table.rows
        if row.ours and row.seconds is not None
    }
    rows = []
    for group in groups:
        seconds = group.statistic("seconds_per_epoch")
        if seconds is None or group.overrides:
            continue
        paper_seconds = printed.get((group.model, group.dataset))
        rows.append(
            [
                _model(group, models),
                group.recipe,
                f"`{group.dataset}`, {group.split}",
                markdown.training_set(group),
                "" if paper_seconds is None else f"{paper_seconds:g}",
                markdown.number(seconds, 1),
                str(seconds.count),
                "; ".join(group.machines),
            ]
        )
    if not rows:
        return [*parts, "No run is recorded.\n"]
    columns = ["Model", "Recipe", "Data set", "Training set", "Paper", "Ours"]
    columns += ["Seeds", "Machine"]
    return [*parts, markdown.table(columns, rows)]


def _metric_names(groups: Iterable[Group]) -> list[str]:
    names = {name for group in groups for name in group.metrics}
    known = [name for name in METRICS if name in names]
    return known + sorted(names.difference(METRICS))


def _scored(group: Group) -> str:
    questions = markdown.span(group.values("questions"))
    scored = markdown.span(group.values("questions_scored"))
    if not scored or scored == questions:
        return questions
    return f"{questions}, {scored} scored"
