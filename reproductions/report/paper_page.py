"""A paper's page: what was measured, next to the paper's own figures."""

from collections.abc import Mapping
from collections.abc import Sequence

from reproductions.records.paired_tests import PairedTest
from reproductions.records.papers import Paper
from reproductions.records.rankings import Ranking
from reproductions.records.seed_groups import Group
from reproductions.report import markdown
from reproductions.report.paired_test_tables import paired_test_tables
from reproductions.report.paper_tables import NONE
from reproductions.report.paper_tables import paper_tables
from reproductions.report.provenance import how_made
from reproductions.report.rules.floors import Floors
from reproductions.report.rules.marks import about_earlier
from reproductions.report.rules.row_runs import LENGTHS
from reproductions.report.rules.row_runs import PLAIN
from reproductions.report.run_tables import changed_settings
from reproductions.report.run_tables import measured
from reproductions.report.run_tables import sizes_and_speeds
from reproductions.report.search_tables import Searches
from reproductions.report.search_tables import search_tables
from reproductions.report.stage_tables import stage_tables

GENERATED = (
    "<!-- Written by `python -m reproductions.report`; edits will be lost. -->"
)

EPOCHS = "What chose the epochs is said below each table."
BEST = """\
Recipe `best` was searched on folds of each data set's train, with
[exceptions](../best.md)."""
ONCE = """\
Test splits are not among the files that recipes are chosen with. These runs
were made apart, each seed once, by this project's command at the commit that is
named, with the recipe as it was there: the epoch was chosen on dev, or, with
`folds`, by cross-validation over train. They are printed, not tuned to. "Paper"
is what the paper prints for the model; a verdict needs its word vectors,
training set and settings, and is refused in the words below where they
differ."""


def paper_page(
    paper: Paper,
    groups: Sequence[Group],
    tests: Sequence[PairedTest],
    searches: Searches,
    references: Sequence[str] = (),
    rankings: Sequence[Ranking] = (),
    first: Sequence[str] = (),
    papers: Mapping[str, Paper] = NONE,
) -> str:
    """The page of one paper in Markdown.

    Args:
        paper: the paper's figures.
        groups: the measured runs of all papers, whose floors are shown, too.
        tests: its paired tests.
        searches: the recorded trials of its searches.
        references: the sections on models that are not the paper's own.
        rankings: what the folders of runs said.
        first: sections before those of `results`.
        papers: all papers by key, which name the models of others.
    """
    parts = [
        f"# {paper.name}\n\n{GENERATED}\n",
        markdown.paragraph(citation(paper)),
        markdown.paragraph(_links(paper)),
        *_commands(paper),
        *first,
        *results(paper, groups, tests, searches, papers),
        *references,
        *how_made(
            paper,
            _listed([g for g in groups if g.paper == paper.key]),
            groups,
            rankings,
        ),
    ]
    return "\n".join(parts)


def _listed(groups: Sequence[Group]) -> list[Group]:
    """The groups that the tables of dev and test have.

    Runs with other epochs, on another training set of TrecQA, or whose long
    texts are cut at other lengths, are listed with the others, marked as such.
    """
    return [
        g for g in groups if g.once or g.overrides.keys() <= PLAIN | LENGTHS
    ]


def _links(paper: Paper) -> str:
    described = "papers" if paper.reference else "paper"
    return (
        f"[Where the kit departs from the {described}](deviations.md), and "
        "what [all papers share](../records/common_deviations.md); "
        "[all papers' results](../README.md), where the words used here are "
        "explained."
    )


def citation(paper: Paper) -> str:
    """The paper's authors, title and venue, with a link to it."""
    return f"{paper.authors}: {paper.title}. [{paper.venue}]({paper.link})."


def results(
    paper: Paper,
    groups: Sequence[Group],
    tests: Sequence[PairedTest],
    searches: Searches,
    papers: Mapping[str, Paper] = NONE,
) -> list[str]:
    """The sections of the page from the paper's tables on."""
    floors, every = Floors(groups, paper.key), groups
    groups = [group for group in groups if group.paper == paper.key]
    plain = _listed(groups)
    chosen = [EPOCHS, paper.selection]
    dev = [table.number for table in paper.results if table.split == "dev"]
    comparable = (
        f"Of the paper only {', '.join(dev)} can be held against these figures."
        if dev
        else "No figure of the paper can be held against these."
    )
    if not paper.reference:
        chosen += [*([BEST] if searches else []), comparable]
    return [
        *map(markdown.paragraph, about_earlier(plain)),
        *(paper_tables(paper, every, papers) if paper.tables else []),
        *measured(
            paper,
            "Measured on dev",
            " ".join(filter(None, chosen)),
            [group for group in plain if group.split != "test"],
            floors,
            every,
        ),
        *paired_test_tables(paper, tests),
        *_findings(paper),
        *measured(
            paper,
            "Test, measured once",
            ONCE,
            # Those with changed settings too: they were asked for, once.
            [group for group in plain if group.once],
            floors,
            every,
        ),
        *_other_tests(paper, plain, floors, every),
        *search_tables(paper, searches, groups),
        *changed_settings(paper, groups),
        *sizes_and_speeds(paper, groups),
        *stage_tables(paper, groups),
        *_figures(paper),
    ]


def _other_tests(
    paper: Paper,
    plain: Sequence[Group],
    floors: Floors,
    every: Sequence[Group],
) -> list[str]:
    """The runs on test that are not of `test_runs.jsonl`, if there are any."""
    found = [g for g in plain if g.split == "test" and not g.once]
    if not found:
        return []
    remark = (
        "The epoch was chosen on dev, or, with `folds`, by cross-validation "
        "over train; the recipe before."
    )
    return measured(paper, "Measured on test", remark, found, floors, every)


def _commands(paper: Paper) -> list[str]:
    if not paper.commands:
        return []
    return ["## Commands\n", "```\n" + "\n".join(paper.commands) + "\n```\n"]


def _findings(paper: Paper) -> list[str]:
    if not paper.findings:
        return []
    return [
        "## Findings\n",
        markdown.paragraph(
            "In words; the figures are in the tables. Which model is above "
            "another is said where tests say it, by rule, and not here."
        ),
        "\n".join(map(markdown.item, paper.findings)) + "\n",
    ]


def _figures(paper: Paper) -> list[str]:
    if not paper.figures:
        return []
    parts = ["## The paper's pictures\n"]
    for figure in paper.figures:
        parts += [
            markdown.heading("###", figure.number, figure.caption),
            markdown.paragraph(figure.description),
            f"`{figure.command}` draws ours.\n",
        ]
        if figure.picture:
            parts.append(f"![{figure.number}, ours]({figure.picture})\n")
    return parts
