"""The first page of results, one line for each paper and data set."""

from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass

from reproductions.records.paper_figures import Paper
from reproductions.records.paper_figures import ResultsTable
from reproductions.records.paper_figures import Row
from reproductions.records.rankings import Ranking
from reproductions.records.seed_groups import Group
from reproductions.records.seed_groups import Statistic
from reproductions.records.seed_groups import canonical
from reproductions.report import markdown
from reproductions.report.paper_page import GENERATED
from reproductions.report.rules.floors import BELOW
from reproductions.report.rules.floors import Floors
from reproductions.report.rules.verdicts import LEAST_COVERED
from reproductions.report.rules.verdicts import LEAST_SEEDS
from reproductions.report.rules.verdicts import differs_in
from reproductions.report.rules.verdicts import poorly_covered
from reproductions.report.rules.verdicts import refusals
from reproductions.report.rules.verdicts import too_few_seeds
from reproductions.report.rules.verdicts import verdict

METRIC = "MAP"
SPLITS = ("dev", "test")
NOT_RUN = "–"
CODES = {"vectors": "V", "training set": "T", "settings": "S", "split": "D"}
# Our figure on test is not of the condition of the figure on dev beside it.
OTHER = "°"
INTRODUCTION = """\
Each paper's own model, by data set: the figure that the paper prints for test,
ours on dev and on test, and on the same splits the best floor that a model
should pass: of the rankings without a trained network, by the model's own word
vectors or by none, the one with the highest MAP. Figures are MAP by trec_eval's
definition, over the questions that have a correct answer; ours are the mean
over seeds ± the sample standard deviation, and in brackets the 95% interval
from a bootstrap of questions and seeds together."""
LEGEND = f"""\
{BELOW}: below the best floor. Seeds are those on dev, on test. {NOT_RUN}: not
run, or not printed.

A verdict, within or outside the tolerance of the paper's table, needs test, and
the paper's word vectors, training set and settings. The letters say which
differ: V the vectors, T the training set, S the settings (another recipe than
`paper`). C refuses it for vectors of less than {LEAST_COVERED:.0%} of the
running words, N for fewer than {LEAST_SEEDS} seeds.

Of several recipes and vectors a line has the one that is best on dev, and its
test, measured once. {OTHER}: test was measured with other vectors, or with the
recipe as it was before, so that it does not belong to the figure on dev. Test
has no interval: only the means of these runs were handed over. The commands
behind the figures, vectors, recipes and floors are on the paper's page."""
CAPTION = f"""\
MAP; ours are the mean over seeds ± the sample standard deviation. The best
floor is the highest MAP of the rankings without a trained network, by the
model's own word vectors or by none. {BELOW}: below it. {OTHER}: of other
vectors, or of an earlier recipe, than the figure on dev. {NOT_RUN}: not run."""
INCOMPARABLE = """\
No line of ours has the paper's word vectors, training set and settings at once:
none confirms a paper, and none refutes it."""
RECORDS = """\
The papers' figures are typed once, in each paper's `paper.toml`. Ours are in
`records/runs.jsonl`, to which the scripts append, in `test_runs.jsonl` (made
apart, at the commit that each names), `paired_tests.jsonl` and
`rankings.jsonl`. No figure is typed into a page.
`python -m reproductions.replay --list` lists what can be run again, and
`python -m reproductions.replay CELL` says whether the figure comes back."""


@dataclass(frozen=True)
class Line:
    """A paper's own model on one data set.

    Attributes:
        paper: the paper.
        dataset: name of the data set.
        table: the paper's table on it, if it has one.
        row: the row of its model, if there is a table.
        groups: our runs by split.
    """

    paper: Paper
    dataset: str
    table: ResultsTable | None
    row: Row | None
    groups: Mapping[str, Group]

    @property
    def metric(self) -> str:
        """MAP, or the first metric of the paper's table if MAP is not in it."""
        if self.table is None or METRIC in self.table.metrics:
            return METRIC
        return self.table.metrics[0]

    @property
    def printed(self) -> str:
        """The paper's figure, with the metric's name if it is not MAP."""
        if self.table is None or self.row is None:
            return ""
        digits = min(self.table.digits, 3)
        figure = f"{self.row.metrics[self.metric]:.{digits}f}"
        return figure if self.metric == METRIC else f"{self.metric} {figure}"

    def measured(self, split: str) -> Statistic | None:
        """Our figure on a split, None if there is no run."""
        group = self.groups.get(split)
        if group is None:
            return None
        if self.table is None:
            return group.metric(self.metric)
        return self.table.measured(self.metric, group)

    def verdict(self) -> str:
        """The verdict on test, or the letters of why there is none."""
        group = self.groups.get("test")
        if self.table is None or self.row is None or group is None:
            return ""
        letters = [CODES[name] for name in differs_in(self.table, group)]
        letters += ["C"] if poorly_covered(group) else []
        letters += ["N"] if too_few_seeds(group) else []
        return " ".join(letters) or verdict(self.table, self.row, group)

    @property
    def apart(self) -> bool:
        """True if test was measured in another condition than dev."""
        dev, test = self.groups.get("dev"), self.groups.get("test")
        return bool(dev and test and _exact(dev) != _exact(test))

    @property
    def comparable(self) -> bool:
        """True if our runs on test are comparable with the paper's table."""
        group = self.groups.get("test")
        return bool(self.table and group and not refusals(self.table, group))


def find_lines(
    papers: Mapping[str, Paper], groups: Sequence[Group]
) -> list[Line]:
    """The lines of all papers, the data sets of their tables first.

    Args:
        papers: the papers by key.
        groups: the measured runs of all papers.
    """
    return [
        line
        for paper in papers.values()
        for line in _lines_of(
            paper, [g for g in groups if g.paper == paper.key]
        )
    ]


def _lines_of(paper: Paper, groups: Sequence[Group]) -> Iterator[Line]:
    own = [
        group
        for group in groups
        if group.model in (paper.model, paper.contextual)
        and not group.overrides
    ]
    tables: dict[str, tuple[ResultsTable, Row]] = {}
    for table in paper.results:
        rows = [row for row in table.rows if row.ours == paper.model]
        if rows:
            # The first table on a data set; its last row, which is the best.
            tables.setdefault(table.dataset, (table, rows[-1]))
    for dataset in dict.fromkeys([*tables, *(group.dataset for group in own)]):
        found, row = tables.get(dataset, (None, None))
        yield Line(
            paper,
            dataset,
            found,
            row,
            _chosen([g for g in own if g.dataset == dataset], row),
        )


def _chosen(groups: Sequence[Group], row: Row | None) -> dict[str, Group]:
    """The groups of the condition that is best on dev, by split."""
    if row is not None and row.name:
        groups = [g for g in groups if g.row in (row.name, None)]
    by_split: dict[str, list[Group]] = {}
    for group in groups:
        by_split.setdefault(group.split, []).append(group)
    chosen = {}
    if dev := by_split.get("dev"):
        chosen["dev"] = max(dev, key=_mean)
    if test := by_split.get("test"):
        # The best on test is not looked for: dev's own, else the nearest to it.
        chosen["test"] = max(
            test, key=lambda group: _nearness(group, chosen.get("dev"))
        )
    return chosen


def _nearness(group: Group, dev: Group | None) -> tuple[object, ...]:
    """How alike a group's condition is to that of dev; more seeds, later."""
    alike = dev is not None and _condition(group) == _condition(dev)
    return (
        dev is not None and _exact(group) == _exact(dev),
        alike,
        dev is not None and group.recipe == dev.recipe,
        len(group.runs),
        group.position,
    )


def _exact(group: Group) -> tuple[object, ...]:
    return *_condition(group), canonical(group.settings)


def _interval(line: Line, group: Group, rankings: Sequence[Ranking]) -> str:
    """The recorded interval of a figure, `[0.680, 0.800]`; empty without."""
    for ranking in rankings:
        if ranking.metric == line.metric and ranking.of(group):
            return "[{:.3f}, {:.3f}]".format(*ranking.interval)
    return ""


def _mean(group: Group) -> float:
    statistic = group.metric(METRIC)
    return statistic.mean if statistic else 0.0


def _condition(group: Group) -> tuple[object, ...]:
    return group.model, group.row, group.recipe, group.vectors


def _best_floor(line: Line, split: str, groups: Sequence[Group]) -> str:
    """The best floor of a line's own vectors on a split."""
    model = line.groups.get(split)
    best = Floors(groups, line.paper.key).best(model) if model else None
    statistic = best.metric(METRIC) if best else None
    if best is None or statistic is None:
        return "" if model is None else NOT_RUN
    return f"{statistic.mean:.3f}"


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
            *(_best_floor(line, split, groups) for split in SPLITS),
            ", ".join(
                str(len(line.groups[split].runs))
                if split in line.groups
                else NOT_RUN
                for split in SPLITS
            ),
            line.verdict(),
        ]
        for line in lines
        if line.groups
    ]
    not_run = [
        f"{line.paper.name} on `{line.dataset}` ({line.printed})"
        for line in lines
        if not line.groups
    ]
    return "\n".join(
        [
            f"# Results\n\n{GENERATED}\n",
            markdown.paragraph(INTRODUCTION),
            markdown.table(columns, rows),
            markdown.paragraph(LEGEND),
            *map(markdown.paragraph, _if_incomparable(lines)),
            *(
                [markdown.paragraph(f"Not run: {', '.join(not_run)}.")]
                if not_run
                else []
            ),
            "## Papers\n",
            "\n".join(
                f"- [{paper.name}]({paper.key}/README.md), {paper.venue}; "
                f"[deviations]({paper.key}/deviations.md)"
                for paper in papers.values()
            ),
            "- [Every model by `best`](best.md), [quality against cost]"
            "(frontier.md), [retrieval on SQuAD](retrieval.md)\n"
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
    lines = [
        line
        for line in find_lines(papers, groups)
        if line.groups and line.table
    ]
    rows = [
        [
            *_cells(line, groups),
            *(_best_floor(line, split, groups) for split in SPLITS),
        ]
        for line in lines
    ]
    columns += ["Best floor, dev", "Best floor, test"]
    caption = " ".join([CAPTION, *_if_incomparable(lines)])
    return f"{markdown.table(columns, rows)}\n{markdown.paragraph(caption)}"


def _if_incomparable(lines: Sequence[Line]) -> list[str]:
    """A sentence for the case that no line is comparable with its paper."""
    return [] if any(line.comparable for line in lines) else [INCOMPARABLE]


def _cells(
    line: Line, groups: Sequence[Group], rankings: Sequence[Ranking] = ()
) -> list[str]:
    floors = Floors(groups, line.paper.key)
    figures = []
    for split in SPLITS:
        figure = markdown.number(line.measured(split)) or NOT_RUN
        group = line.groups.get(split)
        marks = []
        if group is not None:
            marks += [_interval(line, group, rankings)]
            marks += [BELOW] if (floors.above(group) or 0) < 0 else []
        marks += [OTHER] if split == "test" and line.apart else []
        figures.append(" ".join([figure, *filter(None, marks)]))
    return [
        line.paper.name,
        f"`{line.dataset}`",
        line.printed or NOT_RUN,
        *figures,
    ]
