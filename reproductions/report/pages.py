"""Writes the pages of results from the papers' figures and the measured runs.

    python -m reproductions.report            writes all pages
    python -m reproductions.report --check    exits 1 if a page is stale

The pages are `reproductions/README.md`, `models.md`, `best.md`, `frontier.md`
and `retrieval.md`, for each paper its `README.md` and `deviations.md`,
`records/common_deviations.md`, and the tables in the project's README and
`docs/choosing.md`. Their sources are `paper.toml`, `deviations.toml` and
`searches` (trials of settings) of each paper, `runs.jsonl` (measured runs,
written by the scripts), `test_runs.jsonl` (those on test, made apart),
`paired_tests.jsonl` (tested differences),
`rankings.jsonl` (intervals, checksums), `costs.jsonl` (times and sizes),
`retrieval.jsonl` and `models.toml` (families, equations). The same files
always give the same pages.
"""

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from keras_qa.files.whole import write_text
from reproductions.harness.command import print_error
from reproductions.records.costs import Cost
from reproductions.records.costs import read_costs
from reproductions.records.deviations import COMMON
from reproductions.records.deviations import load_deviations
from reproductions.records.json_lines import RecordError
from reproductions.records.paired_tests import current_tests
from reproductions.records.paired_tests import read_paired_tests
from reproductions.records.paper_figures import load_papers
from reproductions.records.papers import Paper
from reproductions.records.rankings import read_rankings
from reproductions.records.retrieval import read_retrievals
from reproductions.records.runs import read_all_runs
from reproductions.records.seed_groups import Group
from reproductions.records.seed_groups import group_runs
from reproductions.report.best_page import best_page
from reproductions.report.front_page import front_page
from reproductions.report.front_page import readme_table
from reproductions.report.frontier_page import frontier_page
from reproductions.report.ledger_page import ledger_page
from reproductions.report.paper_page import paper_page
from reproductions.report.search_tables import read_searches
from reproductions.report.sections.choices import choices
from reproductions.report.sections.models_page import load_families
from reproductions.report.sections.models_page import models_page
from reproductions.report.sections.other_systems import at_a_glance
from reproductions.report.sections.other_systems import other_systems
from reproductions.report.sections.reference_table import reference_table
from reproductions.report.sections.retrieval_page import retrieval_page

ROOT = Path(__file__).parents[2]
BEGIN, END = "<!-- results -->\n", "<!-- /results -->\n"


def build_pages(root: Path | str = ROOT) -> dict[Path, str]:
    """All pages in Markdown, by file.

    Args:
        root: the folder that contains `README.md` and `reproductions`.

    Raises:
        RecordError: if a file of records is malformed, or the README or
            `docs/choosing.md` lacks the marks of its table.
        OSError: if a file cannot be read.
    """
    root = Path(root)
    folder = root / "reproductions"
    papers = load_papers(folder)
    groups = group_runs(read_all_runs(folder / "records"))
    tests = current_tests(
        groups, read_paired_tests(folder / "records" / "paired_tests.jsonl")
    )
    rankings = read_rankings(folder / "records" / "rankings.jsonl")
    deviations = load_deviations(folder)
    searches = {key: read_searches(folder / key) for key in papers}
    costs = read_costs(folder / "records" / "costs.jsonl")
    retrievals = read_retrievals(folder / "records" / "retrieval.jsonl")
    readme = root / "README.md"
    choosing = root / "docs" / "choosing.md"
    pages = {
        readme: _replaced(readme, readme_table(papers, groups)),
        choosing: _replaced(choosing, choices(papers, groups, costs)),
        folder / "README.md": front_page(papers, groups, rankings),
        folder / "models.md": models_page(
            load_families(folder / "records" / "models.toml"),
            groups,
            costs,
            papers,
        ),
        folder / "best.md": best_page(papers, groups, searches),
        folder / "frontier.md": frontier_page(papers, groups, costs),
        folder / "retrieval.md": retrieval_page(retrievals, papers, groups),
        folder / "records" / "common_deviations.md": ledger_page(
            "All papers", [e for e in deviations if e.paper == COMMON]
        ),
    }
    for key, paper in papers.items():
        pages[folder / key / "README.md"] = paper_page(
            paper,
            groups,
            [test for test in tests if test.paper == key],
            searches[key],
            [
                *other_systems(paper, papers, groups, rankings),
                *_references(papers, groups, costs, key),
            ],
            rankings,
            at_a_glance(paper, groups, rankings) if paper.quoted else (),
            papers,
        )
        pages[folder / key / "deviations.md"] = ledger_page(
            paper.name, [entry for entry in deviations if entry.paper == key]
        )
    return pages


def _references(
    papers: dict[str, Paper],
    groups: list[Group],
    costs: list[Cost],
    key: str,
) -> list[str]:
    """What the page of a paper says of models that it did not have."""
    if papers[key].reference:
        return []
    tables = [table.dataset for table in papers[key].results]
    measured = [group.dataset for group in groups if group.paper == key]
    datasets = list(dict.fromkeys([*tables, *measured]))
    return reference_table(papers, groups, costs, datasets)


def _replaced(path: Path, table: str) -> str:
    """A page with a table between its two marks."""
    text = path.read_text("utf-8")
    found = re.findall(f"{BEGIN}|{END}", text)
    if found != [BEGIN, END]:
        raise RecordError(
            f"{path}: expected a line {BEGIN.strip()!r} and after it one "
            f"{END.strip()!r}. Received: {[line.strip() for line in found]}"
        )
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n{table}\n{END}{rest.split(END)[1]}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes or checks the pages; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m reproductions.report",
        description=__doc__.splitlines()[0],
    )
    parser.add_argument(
        "--root",
        type=Path,
        default=ROOT,
        metavar="DIR",
        help="the folder with README.md and reproductions (default: that of "
        "this checkout)",
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="write nothing; exit 1 if a page is not what would be written",
    )
    options = parser.parse_args(arguments)
    try:
        pages = build_pages(options.root)
        stale = [
            path
            for path, text in pages.items()
            if not path.exists() or path.read_text("utf-8") != text
        ]
        if options.check:
            for path in stale:
                print(
                    f"{path} is stale: run `python -m reproductions.report`",
                    file=sys.stderr,
                )
            return int(bool(stale))
        for path in stale:
            write_text(path, pages[path])
            print(path)
    except (OSError, RecordError) as error:
        print_error(error)
        return 2
    return 0
