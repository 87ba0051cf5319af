"""The first page of results, one line for each paper and data set."""

from collections.abc import Mapping
from collections.abc import Sequence

from reproductions.records.papers import Paper
from reproductions.records.rankings import Ranking
from reproductions.records.seed_groups import Group
from reproductions.report import markdown
from reproductions.report.paper_page import GENERATED
from reproductions.report.rules.floors import BELOW
from reproductions.report.rules.floors import is_untrained
from reproductions.report.rules.lines import NOT_RUN
from reproductions.report.rules.lines import OTHER
from reproductions.report.rules.lines import SPLITS
from reproductions.report.rules.lines import Line
from reproductions.report.rules.lines import best_floor
from reproductions.report.rules.lines import figure_cells
from reproductions.report.rules.lines import find_lines
from reproductions.report.rules.marks import SUM
from reproductions.report.rules.marks import TRANSFERRED
from reproductions.report.rules.marks import mark_of
from reproductions.report.rules.verdicts import LEAST_COVERED
from reproductions.report.rules.verdicts import LEAST_SEEDS

INTRODUCTION = """\
Each paper's own model, by data set: the figure that the paper prints for test,
ours on dev and on test, and the best floor on each. A floor is a ranking that
no network was trained for; the best is that of the highest MAP among those by
the model's own vectors or by none. MAP is trec_eval's, over the questions that
have a correct answer; ours are the mean over seeds ± the sample standard
deviation, and in brackets the 95% interval from a bootstrap of questions and
seeds together."""
LEGEND = f"""\
{BELOW}: below the best floor. {SUM}: on dev a [sum with a floor](best.md).
{TRANSFERRED}: trained on [other data sets](../docs/transfer.md) first, for
TrecQA also on its own TRAIN-ALL. Seeds: dev, test. {NOT_RUN}: no figure; of a
floor, only those by no vectors were run, and the model is above them. Recipes:
`paper` as published, `small` for 2 cores, `best` searched on folds. A fold:
questions of train, left out to choose settings or the epoch. Ties: candidates
with the score of another of their question.

A verdict, within or outside the tolerance of the paper's table, needs test, and
the paper's word vectors, training set and settings. Letters say which differ: V
the vectors, T the training set, S the settings (another recipe than `paper`).
Two more rule it out: C, vectors of less than {LEAST_COVERED:.0%} of the running
words; N, fewer than {LEAST_SEEDS} seeds. A line has the recipe and vectors that
are best on dev, without changed settings and by each recipe's latest form. Its
test is of these or, marked {OTHER}, of the run most like them (other vectors,
another recipe or model). Test was measured once; without an interval, only its
means are recorded."""
CAPTION = f"""\
MAP, the papers' on test; ours: mean over seeds (their number on dev and on
test) ± the sample standard deviation. A floor ranks without a trained network;
the best has the highest MAP of those by the model's own vectors or by none.
{BELOW}: below it.
{SUM}: on dev the score is a sum of the model's and of a floor. {OTHER}: of
other vectors, another or an earlier recipe, or another model than on dev.
{NOT_RUN}: not run, or only floors by no vectors, which the model passes."""
OF_TEST = """\
Except on `sample`, the only test floors are {}."""
INCOMPARABLE = """\
No line has its paper's vectors, training and settings:
none confirms or refutes it."""
RECORDS = """\
The papers' figures are typed once, in each paper's `paper.toml`. Ours are in
`records/`; those in `test_runs.jsonl` were made apart, at the commits they
name. `python -m reproductions.replay --list` lists what can be run again; a
CELL in place of `--list` runs it."""


def front_page(
    papers: Mapping[str, Paper],
    groups: Sequence[Group],
    rankings: Sequence[Ranking] = (),
) -> str:
    """The page in Markdown.

    Args:
        papers: the papers by key.
        groups: the measured runs of all papers.
        rankings: what the folders of runs said.
    """
    lines = find_lines(papers, groups)
    columns = ["Model", "Data set", "Paper", "Ours, dev", "Ours, test"]
    columns += ["Best floor, dev", "Best floor, test", "Seeds", "Verdict"]
    rows = [
        [
            *_cells(line, groups, rankings),
            *(best_floor(line, split, groups) for split in SPLITS),
            _seeds(line),
            line.verdict(),
        ]
        for line in lines
        if line.groups
    ]
    remarks = [*_of_test(papers, groups), *_if_incomparable(lines)]
    ran = {(group.paper, group.dataset) for group in groups}
    for how, tried in (("Not run", False), ("Run with changed settings", True)):
        named = ", ".join(
            f"{line.paper.name} on `{line.dataset}` ({line.printed})"
            for line in lines
            if not line.groups
            and ((line.paper.key, line.dataset) in ran) == tried
        )
        remarks += [f"{how}: {named}."] if named else []
    return "\n".join(
        [
            f"# Results\n\n{GENERATED}\n",
            markdown.paragraph(INTRODUCTION),
            markdown.table(columns, rows),
            markdown.paragraph(" ".join([LEGEND, *remarks])),
            "## Papers\n",
            "\n".join(
                f"- [{paper.name}]({paper.key}/README.md), {paper.venue}; "
                f"[deviations]({paper.key}/deviations.md)"
                for paper in papers.values()
            ),
            "- [All models](models.md), [by `best`](best.md), [quality against "
            "cost](frontier.md), [retrieval](retrieval.md)\n"
            "- [Deviations that all papers share]"
            "(records/common_deviations.md)\n",
            "## Records\n",
            markdown.paragraph(RECORDS),
        ]
    )


def readme_table(papers: Mapping[str, Paper], groups: Sequence[Group]) -> str:
    """A table of the lines with a figure of the paper and of ours.

    Args:
        papers: the papers by key.
        groups: the measured runs of all papers.
    """
    columns = ["Model", "Data set", "Paper", "Ours, dev", "Ours, test"]
    columns += ["Best floor, dev", "Best floor, test", "Seeds"]
    lines = [
        line
        for line in find_lines(papers, groups)
        if line.groups and line.table
    ]
    rows = [
        [
            *_cells(line, groups),
            *(best_floor(line, split, groups) for split in SPLITS),
            _seeds(line),
        ]
        for line in lines
    ]
    caption = " ".join(
        [CAPTION, *_of_test(papers, groups), *_if_incomparable(lines)]
    )
    return f"{markdown.table(columns, rows)}\n{markdown.paragraph(caption)}"


def _of_test(papers: Mapping[str, Paper], groups: Sequence[Group]) -> list[str]:
    """A sentence that names the floors on test, if there are any.

    On the bundled questions anybody can run the others, too.
    """
    names = {
        papers[group.paper].named(group.model)
        + (f" of {markdown.vectors(group.vectors)}" if group.vectors else "")
        for group in groups
        if (group.split, is_untrained(group)) == ("test", True)
        and group.dataset != "sample"
    }
    return [OF_TEST.format(" and ".join(sorted(names)))] if names else []


def _seeds(line: Line) -> str:
    """The numbers of seeds on dev and on test."""
    return ", ".join(
        str(len(line.groups[split].runs)) if split in line.groups else NOT_RUN
        for split in SPLITS
    )


def _if_incomparable(lines: Sequence[Line]) -> list[str]:
    """A sentence for the case that no line is comparable with its paper."""
    return [] if any(line.comparable for line in lines) else [INCOMPARABLE]


def _cells(
    line: Line, groups: Sequence[Group], rankings: Sequence[Ranking] = ()
) -> list[str]:
    shown = next(line.groups[s] for s in SPLITS if s in line.groups)
    return [
        line.paper.named(shown.model) + mark_of(line.groups.get("dev")).strip(),
        f"`{line.dataset}`",
        line.printed or NOT_RUN,
        *figure_cells(line, groups, rankings),
    ]
