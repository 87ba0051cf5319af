"""Writes the results page from the papers' figures and the measured runs.

    python -m reproductions.report            writes reproductions/README.md
    python -m reproductions.report --check    exits 1 if the page is stale

The page joins `paper_figures.toml` (the papers' figures, typed once), `runs.jsonl`
(measured runs, written by the scripts), `paired_tests.jsonl` (tested
differences), `parameters.jsonl` (numbers of weights) and `deviations.toml` (where
the kit departs from a paper). The same files always give the same page.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from keras_qa.files.whole import write_whole
from reproductions.records.deviations import Deviation
from reproductions.records.deviations import LedgerError
from reproductions.records.deviations import load_ledger
from reproductions.records.paired_tests import Compared
from reproductions.records.paired_tests import ComparisonsError
from reproductions.records.paired_tests import read_comparisons
from reproductions.records.paper_figures import Paper
from reproductions.records.paper_figures import ResultsTable
from reproductions.records.paper_figures import Targets
from reproductions.records.paper_figures import TargetsError
from reproductions.records.paper_figures import load_targets
from reproductions.records.parameters import Counted
from reproductions.records.parameters import ParametersError
from reproductions.records.parameters import read_parameters
from reproductions.records.runs import RunsError
from reproductions.records.runs import read_runs
from reproductions.records.seed_groups import Group
from reproductions.records.seed_groups import group_runs
from reproductions.report import markdown
from reproductions.report.paired_test_tables import differences
from reproductions.report.paper_tables import beside_the_paper
from reproductions.report.run_tables import measured
from reproductions.report.run_tables import one_setting_apart
from reproductions.report.run_tables import speed
from reproductions.report.stage_tables import stages

FOLDER = Path(__file__).parents[1]
BAD_FILES = (
    ComparisonsError,
    LedgerError,
    ParametersError,
    RunsError,
    TargetsError,
)
INTRODUCTION = """\
# Results

<!-- Written by `python -m reproductions.report`; edits will be lost. -->

The papers' figures come from `paper_figures.toml`, where they are typed once, ours
from `runs.jsonl`, to which the scripts append. Ours are the mean over seeds ±
the sample standard deviation; without a deviation there was one seed. Every
metric is computed by trec_eval's definitions, over the questions that have a
correct answer.

A figure is compared with the paper's only where that is fair: on the same
split, with the paper's recipe, training set and vectors. Then the verdict is
**within** or **outside** the tolerance of the table. Otherwise the page says
what differs (*other vectors*, *other training set*, *other settings*) and gives
no verdict. *Not run* means that no run on that split is recorded. Figures on
dev stand apart from those on test and are compared with no paper, unless its
table says dev: SQuAD's test set is not published.
"""


def build_page(
    targets: Targets,
    groups: Sequence[Group],
    deviations: Sequence[Deviation],
    compared: Sequence[Compared] = (),
    counts: Sequence[Counted] = (),
) -> str:
    """Puts the whole page together.

    Args:
        targets: the papers' figures and the names of the models.
        groups: the measured runs.
        deviations: the ledger.
        compared: the tested differences.
        counts: the numbers of weights.

    Returns:
        The page in Markdown.
    """
    parts = [INTRODUCTION]
    for key, paper in targets.papers.items():
        parts.append(
            f"## {paper.name}\n\n{paper.authors}: {paper.title}. "
            f"[{paper.venue}]({paper.link}).\n"
        )
        parts += paper_results(
            paper,
            targets.models,
            [group for group in groups if group.paper == key],
            [c for c in compared if c.paper == key],
            [c for c in counts if c.paper == key],
        )
    parts.append(
        "## Ledger of deviations\n\n"
        "Where a paper contradicts itself, is silent, or differs from the code "
        "that was released: what is printed, what the kit does by default, the "
        "argument that switches it, and the test that shows it.\n"
    )
    for key in dict.fromkeys(entry.paper for entry in deviations):
        title = targets.papers[key].name if key in targets.papers else ""
        parts.append(f"### {title or 'All papers'}\n")
        parts.append(ledger_table([e for e in deviations if e.paper == key]))
    return "\n".join(parts)


def paper_results(
    paper: Paper,
    models: dict[str, str],
    groups: Sequence[Group],
    compared: Sequence[Compared] = (),
    counts: Sequence[Counted] = (),
) -> list[str]:
    """What was measured for one paper, beside the paper's figures.

    Args:
        paper: the paper's figures.
        models: the names of the models.
        groups: the measured runs of the paper.
        compared: its tested differences.
        counts: the numbers of weights of its models.

    Returns:
        The parts in Markdown, their headings from the third level on.
    """
    parts = [*beside_the_paper(paper, groups, {c.model: c for c in counts})]
    # Runs of another length stand with the others, and say so.
    plain = [group for group in groups if group.overrides.keys() <= {"epochs"}]
    chosen = f", and {paper.selection}" if paper.selection else ""
    parts += measured(
        "Measured on dev",
        "The epoch was chosen on a fold held out of the data set's own "
        f"train{chosen}. {_belonging(paper)}",
        [group for group in plain if group.split != "test"],
        models,
    )
    parts += differences(paper, compared, models)
    parts += _findings(paper)
    parts += measured(
        "Measured on test",
        "The epoch was chosen on dev.",
        [group for group in plain if group.split == "test"],
        models,
    )
    parts += one_setting_apart(groups, models)
    parts += speed(paper, groups, models)
    parts += stages(groups)
    parts += _figures(paper)
    return parts


def ledger_table(deviations: Sequence[Deviation]) -> str:
    """The ledger's entries as a table in Markdown."""
    columns = ["Where", "As printed", "Our default", "Switch", "Shown by"]
    rows = [
        [
            entry.where,
            entry.printed,
            entry.reading,
            "<br>".join(f"`{name}`" for name in entry.arguments) or "none",
            "<br>".join(f"`{name}`" for name in entry.tests),
        ]
        for entry in deviations
    ]
    return markdown.table(columns, rows)


def _belonging(paper: Paper) -> str:
    """Which of a paper's figures belong beside ours on dev."""
    numbers = [
        table.number
        for table in paper.tables
        if isinstance(table, ResultsTable) and table.split == "dev"
    ]
    if numbers:
        return f"Of the paper only {', '.join(numbers)} belongs beside these."
    return "No figure of the paper belongs beside these."


def _findings(paper: Paper) -> list[str]:
    if not paper.findings:
        return []
    return [
        "### Findings\n",
        "In words; the figures are in the tables.\n",
        "".join(f"- {finding}\n" for finding in paper.findings),
    ]


def _figures(paper: Paper) -> list[str]:
    if not paper.figures:
        return []
    rows = [
        [figure["number"], figure["caption"], figure["description"]]
        for figure in paper.figures
    ]
    commands = dict.fromkeys(figure["command"] for figure in paper.figures)
    return [
        "### The paper's pictures\n",
        f"`{'`, `'.join(commands)}` draws ours.\n",
        markdown.table(["Picture", "Caption", "What the paper shows"], rows),
        *(
            f"![{figure['number']}, ours]({figure['picture']})\n"
            for figure in paper.figures
            if "picture" in figure
        ),
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes or checks the page; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m reproductions.report",
        description="Writes the results page from the papers' figures, the "
        "measured runs and the ledger of deviations.",
    )
    for name, help in (
        ("paper_figures.toml", "the papers' figures"),
        ("runs.jsonl", "the measured runs"),
        ("paired_tests.jsonl", "the tested differences"),
        ("parameters.jsonl", "the numbers of weights"),
        ("deviations.toml", "the ledger of deviations"),
    ):
        parser.add_argument(
            f"--{name.split('.')[0]}",
            type=Path,
            default=FOLDER / "records" / name,
            help=f"{help} (default: records/{name})",
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
    except (OSError, *BAD_FILES) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _write_or_check(options: argparse.Namespace) -> int:
    page = build_page(
        load_targets(options.targets),
        group_runs(read_runs(options.runs)),
        load_ledger(options.ledger),
        read_comparisons(options.comparisons),
        read_parameters(options.parameters),
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
