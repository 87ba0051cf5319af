"""Our runs on dev of a row of a paper's table, or why there are none."""

from collections.abc import Sequence

from reproductions.records.papers import Paper
from reproductions.records.papers import ResultsTable
from reproductions.records.papers import Row
from reproductions.records.seed_groups import ALIKE
from reproductions.records.seed_groups import TRAIN_SPLIT
from reproductions.records.seed_groups import Group
from reproductions.records.seed_groups import Statistic
from reproductions.report import markdown
from reproductions.report.rules.floors import METRIC
from reproductions.report.rules.lines import chosen

# Settings of another training set, and of a longer or shorter training.
PLAIN = {TRAIN_SPLIT, "epochs"}
# Settings that cut long texts, such as those of a larger training set.
LENGTHS = frozenset(("max_question_length", "max_answer_length"))


def dev_of_row(
    paper: Paper, table: ResultsTable, row: Row, groups: Sequence[Group]
) -> Group | None:
    """The runs on dev of a row's model: those that are best there.

    Runs on the table's training set come first; those on another are taken
    where there are none. Where several rows are of one model, a row has the
    runs that are named after it.

    Args:
        paper: the paper whose table has the row.
        table: the table.
        row: the row.
        groups: the runs of all papers.
    """
    of_model = [other.ours for other in table.rows].count(row.ours)
    names = (row.name,) if of_model > 1 else (row.name, None)
    found = [
        group
        for group in _of_model(paper, row, groups)
        if group.split == "dev"
        and group.overrides.keys() <= PLAIN
        and not group.learnt_first
        and group.row in names
        and group.is_of(table.dataset)
    ]
    same = [g for g in found if g.trained_on == table.training_set]
    return chosen(same or found, row).get("dev")


def dev_metric(table: ResultsTable) -> str:
    """The metric by which runs on dev are shown next to a table's figures."""
    if METRIC in table.metrics:
        return METRIC
    return table.metric or table.metrics[0]


def dev_figure(table: ResultsTable, group: Group) -> Statistic | None:
    """The figure of runs on dev, in the units of a table."""
    found = group.metric(dev_metric(table))
    return found.scaled(100) if found and table.percent else found


def why_not_run(
    paper: Paper, table: ResultsTable, row: Row, groups: Sequence[Group]
) -> str:
    """What the records say of a row's model, of which no run can be shown.

    Args:
        paper: the paper whose table has the row.
        table: the table.
        row: the row, of a model that the kit has.
        groups: the runs of all papers.
    """
    own = _of_model(paper, row, groups)
    here = [g for g in own if g.dataset == table.dataset and g.row]
    where, training_set = ALIKE.get(table.dataset, (table.dataset, ""))
    by = f" by {training_set}" if training_set else ""
    if row.name and here:
        rows = dict.fromkeys(g.row for g in here if g.row)
        return (
            f"No run of this row is recorded on `{table.dataset}`; of its "
            f"model there {'are rows' if len(rows) > 1 else 'is row'} "
            f"{', '.join(sorted(rows))}{_epochs(here)}."
        )
    if not own:
        return "The kit has the model; no run of it is recorded."
    listed = [
        f"`{name}`{_minutes([g for g in own if g.dataset == name])}"
        for name in sorted({group.dataset for group in own})
    ]
    return (
        f"No run on `{where}`{by} is recorded. The model was run on "
        f"{', '.join(listed)}{' by other training sets' * bool(by)}."
    )


def _of_model(paper: Paper, row: Row, groups: Sequence[Group]) -> list[Group]:
    """The runs of a row's model; of the paper's own also those in context."""
    source = row.source(paper.key)
    sources = [source]
    if source == (paper.key, paper.model) and paper.contextual:
        sources.append((paper.key, paper.contextual))
    return [group for group in groups if (group.paper, group.model) in sources]


def _epochs(groups: Sequence[Group]) -> str:
    """What an epoch took, `, at 35 to 67 s an epoch`; empty if not known."""
    found = [
        round(seconds.mean)
        for group in groups
        if (seconds := group.statistic("seconds_per_epoch"))
    ]
    return f", at {markdown.span(found)} s an epoch" if found else ""


def _minutes(groups: Sequence[Group]) -> str:
    """What the training of a seed took, `(5 minutes a seed)`, if known."""
    found = [
        max(1, round(seconds.mean / 60))
        for group in groups
        if (seconds := group.statistic("seconds"))
    ]
    if not found:
        return ""
    unit = "minute" if max(found) == 1 else "minutes"
    return f" ({markdown.span(found)} {unit} a seed)"
