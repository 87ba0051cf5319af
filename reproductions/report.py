"""Writes the results page from the papers' figures and the measured runs.

    python -m reproductions.report            writes reproductions/README.md
    python -m reproductions.report --check    exits 1 if the page is stale

The page joins `targets.toml` (the papers' figures, typed once), `runs.jsonl`
(measured runs, written by the scripts) and `ledger.toml` (where the kit departs
from a paper). The same three files always give the same page.
"""

import argparse
import sys
from collections.abc import Iterable
from collections.abc import Sequence
from pathlib import Path

from keras_qa.atomic import write_whole
from reproductions import markdown
from reproductions.ledger import Deviation
from reproductions.ledger import LedgerError
from reproductions.ledger import load_ledger
from reproductions.runs import RunsError
from reproductions.runs import read_runs
from reproductions.summary import Group
from reproductions.summary import comparisons
from reproductions.summary import distinctions
from reproductions.summary import group_runs
from reproductions.targets import Paper
from reproductions.targets import PrintedTable
from reproductions.targets import ResultsTable
from reproductions.targets import Row
from reproductions.targets import Targets
from reproductions.targets import TargetsError
from reproductions.targets import load_targets

FOLDER = Path(__file__).parent
METRICS = ("MAP", "MRR", "P@1")
INTRODUCTION = """\
# Results

<!-- Written by `python -m reproductions.report`; edits will be lost. -->

The papers' figures come from `targets.toml`, where they are typed once, ours
from `runs.jsonl`, to which the scripts append. Ours are the mean over seeds ±
the sample standard deviation; without a deviation there was one seed. Every
metric is computed by trec_eval's definitions, over the questions that have a
correct answer.

A figure is compared with the paper's only where that is fair: on the same
split, with the paper's recipe, training set and vectors. Then the verdict is
**within** or **outside** the tolerance of the table. Otherwise the page says
what differs (*other vectors*, *other training set*, *other settings*) and gives
no verdict. *Not run* means that no run on that split is recorded. Figures on
dev stand apart from those on test and are compared with no paper.
"""


def build_page(
    targets: Targets,
    groups: Sequence[Group],
    deviations: Sequence[Deviation],
) -> str:
    """Puts the whole page together.

    Args:
        targets: the papers' figures and the names of the models.
        groups: the measured runs.
        deviations: the ledger.

    Returns:
        The page in Markdown.
    """
    parts = [INTRODUCTION]
    for key, paper in targets.papers.items():
        own = [group for group in groups if group.paper == key]
        parts.append(
            f"## {paper.name}\n\n{paper.authors}: {paper.title}. "
            f"[{paper.venue}]({paper.link}).\n"
        )
        parts += _beside_the_paper(paper, own)
        plain = [group for group in own if not group.overrides]
        parts += _measured(
            "Measured on dev",
            "The epoch was chosen on a fold held out of the data set's own "
            "train, and the recipes by cross-validation on WikiQA's training "
            "questions. No figure of the paper belongs beside these.",
            [group for group in plain if group.split != "test"],
            targets.models,
        )
        parts += _findings(paper)
        parts += _measured(
            "Measured on test",
            "The epoch was chosen on dev.",
            [group for group in plain if group.split == "test"],
            targets.models,
        )
        parts += _one_setting_apart(own, targets.models)
        parts += _speed(paper, own, targets.models)
        parts += _figures(paper)
    parts += _ledger(targets.papers, deviations)
    return "\n".join(parts)


def verdict(table: ResultsTable, row: Row, group: Group | None) -> str:
    """Says how a group of runs stands to a row of a paper's table.

    Args:
        table: the paper's table.
        row: its row.
        group: runs of that model on the table's data set and split, or None.

    Returns:
        "not run", what makes the two not comparable, or "within" or "outside"
        the table's tolerance with the largest difference.
    """
    if group is None:
        return "not run"
    notes = []
    if group.split != table.split:
        notes.append("other split")
    if group.vectors and group.vectors != tuple(sorted(table.vectors)):
        notes.append("other vectors")
    if group.recipe != "untrained" and not _same_training_set(table, group):
        notes.append("other training set")
    if group.recipe not in ("paper", "untrained") or group.overrides:
        notes.append("other settings")
    if notes:
        return f"*{', '.join(notes)}*"
    differences = {}
    for name, printed in row.metrics.items():
        measured = group.metric(name)
        if measured is None:
            return f"*no {name} measured*"
        differences[name] = measured.mean - printed
    name, largest = max(differences.items(), key=lambda item: abs(item[1]))
    # Half a unit of the third decimal, to which the papers round.
    within = abs(largest) <= table.tolerance + 0.0005
    return (
        f"**{'within' if within else 'outside'}** "
        f"{table.tolerance:g} ({name} {largest:+.3f})"
    )


def _same_training_set(table: ResultsTable, group: Group) -> bool:
    # Papers print thousands of pairs, and drop a few that no model can use.
    missing = abs(group.training_pairs - table.training_pairs)
    return (
        group.training_set == table.training_set
        and missing <= 0.05 * table.training_pairs
    )


def _beside_the_paper(paper: Paper, groups: Sequence[Group]) -> list[str]:
    parts = ["### The paper's tables\n"]
    for table in paper.tables:
        parts.append(f"#### {table.number}. {table.caption}\n")
        if isinstance(table, PrintedTable):
            parts.append(markdown.table(table.columns, table.rows))
        else:
            vectors = markdown.vectors(table.vectors)
            parts.append(
                f"Data set `{table.dataset}`, {table.split}. The paper trained "
                f"on {table.training_set} ({table.training_pairs:,} pairs) "
                f"with {vectors}; its times are on {paper.hardware}.\n"
            )
            parts.append(_results_table(table, groups))
            parts.append(_competitors(table))
        if table.note:
            parts.append(f"{table.note}\n")
    return parts


def _results_table(table: ResultsTable, groups: Sequence[Group]) -> str:
    columns = ["Model", "Recipe"]
    for name in table.metrics:
        columns += [f"{name}, paper", f"{name}, ours"]
    columns += ["Parameters, paper", "ours", "s/epoch, paper", "ours"]
    columns += ["Seeds", "Vectors", "Training set", "Verdict"]
    rows = []
    for row in table.rows:
        if row.ours is None:
            continue
        # Changed settings stand in the tables of settings, not here.
        matches: list[Group | None] = [
            group
            for group in groups
            if (group.model, group.dataset, group.split)
            == (row.ours, table.dataset, table.split)
            and not group.overrides
        ]
        rows += [_beside(table, row, group) for group in matches or [None]]
    return markdown.table(columns, rows)


def _beside(table: ResultsTable, row: Row, group: Group | None) -> list[str]:
    cells = [row.model, group.recipe if group else ""]
    for metric, printed in row.metrics.items():
        measured = group.metric(metric) if group else None
        cells += [f"{printed:.3f}", markdown.number(measured)]
    seconds = group.statistic("seconds_per_epoch") if group else None
    return [
        *cells,
        markdown.count(row.parameters),
        markdown.span(group.values("parameters")) if group else "",
        "" if row.seconds is None else f"{row.seconds:g}",
        markdown.number(seconds, 1),
        str(len(group.runs)) if group else "",
        markdown.vectors(group.vectors) if group else "",
        _training_set(group) if group else "",
        verdict(table, row, group),
    ]


def _competitors(table: ResultsTable) -> str:
    rows = [
        [
            row.model,
            *(f"{row.metrics[name]:.3f}" for name in table.metrics),
            markdown.count(row.parameters),
            "" if row.seconds is None else f"{row.seconds:g}",
        ]
        for row in table.rows
        if row.ours is None
    ]
    columns = ["Model", *table.metrics, "Parameters", "s/epoch"]
    return (
        "<details><summary>The paper's other rows</summary>\n\n"
        f"{markdown.table(columns, rows)}\n</details>\n"
    )


def _measured(
    title: str, remark: str, groups: Sequence[Group], models: dict[str, str]
) -> list[str]:
    if not groups:
        return [f"### {title}\n", "No run is recorded.\n"]
    parts = [f"### {title}\n", f"{remark}\n"]
    for dataset in dict.fromkeys(group.dataset for group in groups):
        own = [group for group in groups if group.dataset == dataset]
        parts += [f"#### `{dataset}`\n", _groups_table(own, models)]
    return parts


def _findings(paper: Paper) -> list[str]:
    if not paper.findings:
        return []
    return [
        "### Findings\n",
        "In words; the figures are in the tables.\n",
        "".join(f"- {finding}\n" for finding in paper.findings),
    ]


def _groups_table(groups: Sequence[Group], models: dict[str, str]) -> str:
    metrics = _metric_names(groups)
    columns = ["Model", "Recipe", *metrics, "Seeds", "Questions", "Candidates"]
    columns += ["Ties", "Parameters", "s/epoch", "Vectors", "Training set"]
    ordered = sorted(
        groups,
        key=lambda group: (
            list(models).index(group.model)
            if group.model in models
            else len(models)
        ),
    )
    rows = [
        [
            models.get(group.model, group.model),
            f"{group.recipe} {markdown.settings(different)}",
            *(markdown.number(group.metric(name)) for name in metrics),
            str(len(group.runs)),
            _scored(group),
            markdown.span(group.values("candidates")),
            markdown.tally(group.statistic("ties")),
            markdown.span(group.values("parameters")),
            markdown.number(group.statistic("seconds_per_epoch"), 1),
            markdown.vectors(group.vectors),
            _training_set(group),
        ]
        for group, different in zip(ordered, distinctions(ordered), strict=True)
    ]
    return markdown.table(columns, rows)


def _one_setting_apart(
    groups: Sequence[Group], models: dict[str, str]
) -> list[str]:
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


def _speed(
    paper: Paper, groups: Sequence[Group], models: dict[str, str]
) -> list[str]:
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
                models.get(group.model, group.model),
                group.recipe,
                f"`{group.dataset}`, {group.split}",
                _training_set(group),
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


def _figures(paper: Paper) -> list[str]:
    if not paper.figures:
        return []
    rows = [
        [figure["number"], figure["caption"], figure["description"]]
        for figure in paper.figures
    ]
    return [
        "### The paper's pictures\n",
        f"`python -m reproductions.{paper.key}_figures` draws ours.\n",
        markdown.table(["Picture", "Caption", "What the paper shows"], rows),
        *(
            f"![{figure['number']}, ours]({figure['picture']})\n"
            for figure in paper.figures
            if "picture" in figure
        ),
    ]


def _ledger(
    papers: dict[str, Paper], deviations: Sequence[Deviation]
) -> list[str]:
    parts = [
        "## Ledger of deviations\n",
        "Where a paper contradicts itself, is silent, or differs from the code "
        "that was released: what is printed, what the kit does by default, the "
        "argument that switches it, and the test that shows it.\n",
    ]
    for key in dict.fromkeys(entry.paper for entry in deviations):
        title = papers[key].name if key in papers else "All papers"
        parts.append(f"### {title}\n")
        rows = [
            [
                entry.where,
                entry.printed,
                entry.reading,
                "<br>".join(f"`{name}`" for name in entry.arguments) or "none",
                "<br>".join(f"`{name}`" for name in entry.tests),
            ]
            for entry in deviations
            if entry.paper == key
        ]
        columns = ["Where", "As printed", "Our default", "Switch", "Shown by"]
        parts.append(markdown.table(columns, rows))
    return parts


def _training_set(group: Group) -> str:
    return markdown.training_set(group.training_set, group.training_pairs)


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


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes or checks the page; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m reproductions.report",
        description="Writes the results page from the papers' figures, the "
        "measured runs and the ledger of deviations.",
    )
    for name, help in (
        ("targets.toml", "the papers' figures"),
        ("runs.jsonl", "the measured runs"),
        ("ledger.toml", "the ledger of deviations"),
    ):
        parser.add_argument(
            f"--{name.split('.')[0]}",
            type=Path,
            default=FOLDER / name,
            help=f"{help} (default: {name} beside this script)",
        )
    parser.add_argument(
        "--output",
        type=Path,
        default=FOLDER / "README.md",
        help="the page (default: README.md beside this script)",
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="write nothing; exit 1 if the page is not what would be written",
    )
    options = parser.parse_args(arguments)
    try:
        return _write_or_check(options)
    except (OSError, TargetsError, RunsError, LedgerError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _write_or_check(options: argparse.Namespace) -> int:
    page = build_page(
        load_targets(options.targets),
        group_runs(read_runs(options.runs)),
        load_ledger(options.ledger),
    )
    output = options.output
    if not options.check:
        write_whole(output, lambda path: path.write_text(page, "utf-8"))
        print(output)
        return 0
    if output.exists() and output.read_text("utf-8") == page:
        return 0
    print(
        f"{output} is stale: run `python -m reproductions.report`",
        file=sys.stderr,
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())
