"""A paper's page: the measured runs."""

from collections.abc import Iterable
from collections.abc import Sequence
from itertools import groupby

from reproductions.records.papers import Paper
from reproductions.records.seed_groups import NO_FOLD
from reproductions.records.seed_groups import UNTRAINED
from reproductions.records.seed_groups import Group
from reproductions.records.seed_groups import distinctions
from reproductions.records.seed_groups import one_setting_apart
from reproductions.report import markdown
from reproductions.report.rules.floors import BELOW
from reproductions.report.rules.floors import FITTED
from reproductions.report.rules.floors import METRIC
from reproductions.report.rules.floors import Floors
from reproductions.report.rules.floors import bert_layers
from reproductions.report.rules.floors import is_untrained
from reproductions.report.rules.marks import about_sums
from reproductions.report.rules.marks import plain_recipe
from reproductions.report.rules.marks import recipe_of
from reproductions.report.rules.selection import epochs_of
from reproductions.report.rules.verdicts import verdict

METRICS = ("MAP", "MRR", "P@1")
ABOVE, NO_FLOOR = "Above floor", "–"
ABOUT_FLOORS = f"""\
"{ABOVE}" is the difference to the best floor, a ranking without a network, that
reads the model's own vectors, of a BERT as many layers, or none. Where a floor
was run several times, the run on the model's training set counts, even if a
fold of it was held out, then this page's own, since the tokenizer of another
page may differ, then the highest."""
WITHOUT_NETWORK = f"""\
Of the rankings without a network, `{UNTRAINED}` ones read no labels; `{FITTED}`
ones have weights or parameters that are fitted to the labels of train."""
HELD_OUT = """\
Where `average_last` is 0, one epoch is taken: a fold that is held out of train
chooses it, and the training set is smaller by that fold."""
# What tuning chooses of BM25.
CONSTANTS = ("k1", "b")


def measured(
    paper: Paper,
    title: str,
    remark: str,
    groups: Sequence[Group],
    floors: Floors,
    every: Sequence[Group],
) -> list[str]:
    """The groups of runs of one split, a table for each data set.

    Each table ends with the floors of its rows' vectors that are not among its
    rows.

    Args:
        paper: the paper.
        title: heading of the section.
        remark: the section's first paragraph.
        groups: the groups.
        floors: the floors of all papers.
        every: the groups of all papers.
    """
    if not groups:
        return [f"## {title}\n", "Not run.\n"]
    parts = [f"## {title}\n", markdown.paragraph(remark)]
    if any(map(floors.best, groups)):
        parts.append(markdown.paragraph(ABOUT_FLOORS))
    if any(recipe_of(g) == FITTED for g in _with_floors(groups, floors)):
        parts.append(markdown.paragraph(WITHOUT_NETWORK))
    parts += map(markdown.paragraph, about_sums(groups))
    models = list(paper.models)
    ordered = sorted(
        groups,
        key=lambda group: (
            group.dataset,
            _conditions(group),
            models.index(group.model) if group.model in models else len(models),
            group.row or "",
        ),
    )
    for dataset, of_dataset in groupby(ordered, lambda group: group.dataset):
        parts.append(f"### `{dataset}`\n")
        for conditions, own in groupby(of_dataset, _conditions):
            parts.append(markdown.paragraph(conditions))
            members = list(own)
            parts += _groups_table(paper, members, floors)
            if chosen := epochs_of(members, every):
                parts.append(markdown.paragraph(chosen))
    return parts


def _conditions(group: Group) -> str:
    questions = markdown.span(group.values("questions"))
    scored = markdown.span(group.values("questions_scored"))
    left_out = f" ({scored} scored)" if scored not in ("", questions) else ""
    return (
        f"{questions} questions{left_out}, "
        f"{markdown.span(group.values('candidates'))} candidates; "
        f"trained on {markdown.training_set(group)}{_commits(group)}:"
    )


def _commits(group: Group) -> str:
    """The commits of runs that were made apart."""
    if not group.once:
        return ""
    return f"; commit {', '.join(f'`{name}`' for name in group.commits)}"


def _groups_table(
    paper: Paper, own: Sequence[Group], floors: Floors
) -> list[str]:
    groups = _with_floors(own, floors)
    metrics = _metric_names(groups)
    columns = ["Model", "Recipe", "Vectors", *metrics, ABOVE, "Seeds"]
    once = any(group.once for group in own)
    columns += ["Paper", "Verdict"] if once else ["Ties"]
    notes = markdown.Notes()
    rows = [
        [
            # The row of another paper is of no table here.
            paper.named(
                group.model, group.row if group.paper == paper.key else None
            ),
            " ".join(
                [
                    recipe_of(group),
                    notes.cell(
                        markdown.settings({**different, **group.overrides})
                    ),
                ]
            ),
            markdown.vectors(group.vectors),
            *(markdown.number(group.metric(name)) for name in metrics),
            above_floor(group, floors),
            str(len(group.runs)),
            *(
                _paper_cells(paper, group, notes)
                if once
                else [markdown.tally(group.statistic("ties"))]
            ),
        ]
        for group, different in zip(groups, distinctions(groups), strict=True)
    ]
    if not any(map(floors.best, groups)):
        place = columns.index(ABOVE)
        columns, *rows = (
            [*row[:place], *row[place + 1 :]] for row in (columns, *rows)
        )
    return [
        markdown.table(columns, rows),
        *notes.listed(),
        *_below_floors(paper, groups, floors),
        *_fitted_elsewhere(own, floors),
        *_tuned(paper, groups),
    ]


def _paper_cells(
    paper: Paper, group: Group, notes: markdown.Notes
) -> list[str]:
    """The paper's figures of a model on test, and the verdict on ours."""
    for table in paper.results:
        if (table.dataset, table.split) != (group.dataset, group.split):
            continue
        for row in table.rows:
            ours = row.source(paper.key) == (group.paper, group.model)
            if ours and row.name in (None, group.row):
                printed = ", ".join(
                    f"{name} {markdown.typed(figure, min(table.digits, 3))}"
                    for name, figure in row.metrics.items()
                )
                found = verdict(table, row, group)
                return [printed, notes.cell(found, longest=16)]
    return ["", ""]


def _with_floors(own: Sequence[Group], floors: Floors) -> list[Group]:
    """The rows, and the floors of their vectors that are not among them."""
    there = {_floor(group) for group in own if is_untrained(group)}
    trained = [group for group in own if not is_untrained(group)]
    found = {
        _floor(floor): floor
        for group in trained
        for floor in floors.of(group)
        if _floor(floor) not in there
    }
    return [*own, *found.values()]


def _floor(group: Group) -> tuple[object, ...]:
    """What floors of one table differ in."""
    layers = bert_layers(group.paper, group.settings)
    return group.model, group.vectors, layers


def above_floor(group: Group, floors: Floors) -> str:
    """How far a group is above the best floor, marked if it is below.

    It is `NO_FLOOR` where only floors without vectors are there to pass.
    """
    difference = floors.above(group)
    if difference is None:
        return ""
    if floors.easy(group):
        return NO_FLOOR
    mark = f" {BELOW}" if difference < 0 else ""
    return f"{difference:+.3f}{mark}"


def _below_floors(
    paper: Paper, groups: Sequence[Group], floors: Floors
) -> list[str]:
    """The sentences that explain the marks of a table, if it has any."""
    best, said = [], []
    cells = [above_floor(group, floors) for group in groups]
    for group, cell in zip(groups, cells, strict=True):
        floor = floors.best(group)
        if floor is not None and cell.endswith(BELOW):
            layers = markdown.settings(floor.overrides)
            name = f"{paper.named(floor.model)} {layers} {_map(floor)}"
            best.append(f"{name} for {markdown.vectors(group.vectors)}")
    if best:
        said.append(
            f"{BELOW}: below the MAP of the best floor, of those that read the "
            f"model's own vectors or none: {', '.join(dict.fromkeys(best))}."
        )
    if NO_FLOOR in cells:
        said.append(f"{NO_FLOOR}: no floor of these vectors was run.")
    return [markdown.paragraph(" ".join(said))] if said else []


def _fitted_elsewhere(groups: Sequence[Group], floors: Floors) -> list[str]:
    """A sentence on floors of another training set, or of less of it."""
    found: dict[str, dict[str, None]] = {}
    for group in groups:
        for floor in [] if is_untrained(group) else floors.of(group):
            other = floor.fitted_on != group.fitted_on
            if plain_recipe(floor) == FITTED and other:
                found.setdefault(floor.fitted_on, {})[f"`{floor.model}`"] = None
    if not found:
        return []
    sets = "; ".join(
        f"{', '.join(names)} on {other}" for other, names in found.items()
    )
    return [
        markdown.paragraph(
            f"Fitted on another training set than models of the table: {sets}."
        )
    ]


def _tuned(paper: Paper, groups: Sequence[Group]) -> list[str]:
    """A sentence on the constants of a table's tuned floors, if any."""
    found = [
        f"{paper.named(group.model)}: "
        + ", ".join(f"{name} {run['fitted'][name]:g}" for name in CONSTANTS)
        + f", chosen on {group.training_set}."
        for group in groups
        for run in group.runs
        if set(CONSTANTS) <= run.get("fitted", {}).keys()
    ]
    return [markdown.paragraph(" ".join(dict.fromkeys(found)))] if found else []


def _map(group: Group) -> str:
    statistic = group.metric(METRIC)
    return f"{statistic.mean:.3f}" if statistic else ""


def changed_settings(paper: Paper, groups: Sequence[Group]) -> list[str]:
    """Tables of the groups that differ in a single setting."""
    parts = [
        "## One setting changed\n",
        markdown.paragraph(
            "Each table has runs that differ in nothing but the setting "
            "named above it (and their seeds)."
        ),
    ]
    found = one_setting_apart(groups)
    if not found:
        parts.append("No such runs are recorded.\n")
    if NO_FOLD & found.keys():
        parts.append(markdown.paragraph(HELD_OUT))
    for name, lists in found.items():
        parts.append(f"### `{name}`\n")
        for members in lists:
            first = members[0]
            others = {k: v for k, v in first.overrides.items() if k != name}
            recipe = (
                f"{plain_recipe(first)} {markdown.settings(others)}".strip()
            )
            parts.append(
                markdown.paragraph(
                    f"{paper.named(first.model)}, recipe {recipe}, "
                    f"`{first.dataset}` **{first.split}**, "
                    f"{markdown.vectors(first.vectors)}:"
                )
            )
            metrics = _metric_names(members)
            columns = [f"`{name}`", *metrics, "Seeds", "Parameters", "s/epoch"]
            rows = [
                [
                    f"`{markdown.value(group.setting(name, 'default'))}`"
                    + (" (changed)" if name in group.overrides else ""),
                    *(markdown.number(group.metric(m)) for m in metrics),
                    str(len(group.runs)),
                    *_size_and_speed(group),
                ]
                for group in members
            ]
            parts.append(markdown.table(columns, rows))
    return parts


def sizes_and_speeds(paper: Paper, groups: Sequence[Group]) -> list[str]:
    """Numbers of weights and seconds per epoch, next to the paper's."""
    parts = ["## Parameters and seconds per epoch\n"]
    own = [
        group
        for group in groups
        if group.statistic("seconds_per_epoch") and not group.overrides
    ]
    if not own:
        return [*parts, "No run is recorded.\n"]
    machines = sorted({name for group in own for name in group.machines})
    printed = {
        (row.ours, table.dataset): row
        for table in paper.results
        for row in table.rows
        if row.ours
    }
    theirs = ""
    if any(row.seconds for row in printed.values()):
        theirs = (
            f"The paper's times were measured on {paper.hardware}, on its own "
            "training sets. "
        )
    parts.append(
        markdown.paragraph(
            f"{theirs}Ours were measured on {'; '.join(machines)}. Those of "
            "commits before `f9c171cb`, whose batches TensorFlow tuned, "
            "contain a pause at the end of an epoch: up to half of the time."
        )
    )
    rows = []
    for group in own:
        row = printed.get((group.model, group.dataset))
        rows.append(
            [
                paper.named(group.model, group.row),
                plain_recipe(group),
                markdown.vectors(group.vectors),
                f"`{group.dataset}`, {group.split}",
                group.learnt_first,
                markdown.count(row.parameters) if row else "",
                _size_and_speed(group)[0],
                markdown.seconds(row.seconds) if row else "",
                _size_and_speed(group)[1],
                str(len(group.runs)),
            ]
        )
    columns = ["Model", "Recipe", "Vectors", "Data set", "First trained on"]
    columns += ["Weights, paper", "Weights, ours", "s/epoch, paper"]
    columns += ["s/epoch, ours", "Seeds"]
    return [*parts, markdown.dense_table(columns, rows)]


def _size_and_speed(group: Group) -> tuple[str, str]:
    speed = markdown.number(group.statistic("seconds_per_epoch"), 1)
    if len(group.machines) > 1:
        # A mean over machines would be the speed of none.
        speed = markdown.span(
            [round(run["seconds_per_epoch"], 1) for run in group.runs]
        )
    return markdown.span(group.values("parameters")), speed


def _metric_names(groups: Iterable[Group]) -> list[str]:
    names = {name for group in groups for name in group.metrics}
    known = [name for name in METRICS if name in names]
    return known + sorted(names.difference(METRICS))
