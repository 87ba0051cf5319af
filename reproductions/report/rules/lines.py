"""Lines of a table: which of our runs are compared with a paper's figure."""

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass

from reproductions.records.papers import Paper
from reproductions.records.papers import ResultsTable
from reproductions.records.papers import Row
from reproductions.records.rankings import Ranking
from reproductions.records.seed_groups import TRAIN_SPLIT
from reproductions.records.seed_groups import Group
from reproductions.records.seed_groups import Statistic
from reproductions.records.seed_groups import canonical
from reproductions.report import markdown
from reproductions.report.rules.floors import BELOW
from reproductions.report.rules.floors import METRIC
from reproductions.report.rules.floors import Floors
from reproductions.report.rules.floors import mean_of
from reproductions.report.rules.verdicts import differs_in
from reproductions.report.rules.verdicts import poorly_covered
from reproductions.report.rules.verdicts import refusals
from reproductions.report.rules.verdicts import too_few_seeds
from reproductions.report.rules.verdicts import verdict

SPLITS = ("dev", "test")
NOT_RUN = "–"
CODES = {"vectors": "V", "training set": "T", "settings": "S", "split": "D"}
# Our figure on test is not of the condition of the figure on dev next to it.
OTHER = "°"


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
        figure = markdown.typed(self.row.metrics[self.metric], digits)
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
        if not paper.quoted
        for line in _lines_of(
            paper, [g for g in groups if g.paper == paper.key]
        )
    ]


def _lines_of(paper: Paper, groups: Sequence[Group]) -> Iterator[Line]:
    own = [
        group
        for group in groups
        if group.model in (paper.model, paper.contextual)
    ]
    unchanged = [group.dataset for group in own if not group.overrides]
    tables: dict[str, tuple[ResultsTable, Row]] = {}
    for table in paper.results:
        rows = [row for row in table.rows if row.ours == paper.model]
        if rows:
            # The first table on a data set; its last row, which is the best.
            tables.setdefault(table.dataset, (table, rows[-1]))
    for dataset in dict.fromkeys([*tables, *unchanged]):
        found, row = tables.get(dataset, (None, None))
        yield Line(
            paper,
            dataset,
            found,
            row,
            chosen([g for g in own if _unchanged_on(dataset, g)], row),
        )


def _unchanged_on(dataset: str, group: Group) -> bool:
    """True if runs are of a data set, and of a recipe as it is.

    The training set by which runs on another data set are of this one is no
    changed setting.
    """
    needed = set() if group.dataset == dataset else {TRAIN_SPLIT}
    return group.is_of(dataset) and group.overrides.keys() == needed


def chosen(groups: Sequence[Group], row: Row | None) -> dict[str, Group]:
    """The groups of the condition that is best on dev, by split.

    Args:
        groups: groups of one model on one data set.
        row: the row of a paper's table that they are for, if any.
    """
    if row is not None and row.name:
        groups = [g for g in groups if g.row in (row.name, None)]
    by_split: dict[str, list[Group]] = {}
    for group in groups:
        by_split.setdefault(group.split, []).append(group)
    chosen = {}
    if dev := _latest(by_split.get("dev", ())):
        chosen["dev"] = max(dev, key=mean_of)
    if test := by_split.get("test"):
        # The best on test is not looked for: dev's own, else the nearest to it.
        chosen["test"] = max(
            test, key=lambda group: _nearness(group, chosen.get("dev"))
        )
    return chosen


def latest_best(groups: Iterable[Group]) -> Group | None:
    """Of several word vectors and training sets, the best on dev.

    Args:
        groups: groups of one model, recipe, data set and split. Of those with
            the same vectors and training set the last counts: the recipe is
            now that.
    """
    return max(_latest(groups), key=mean_of, default=None)


def _latest(groups: Iterable[Group]) -> list[Group]:
    """The last group of each condition: a recipe may have changed since."""
    latest = {
        (*_condition(group), group.training_set): group
        for group in sorted(groups, key=lambda group: group.position)
    }
    return list(latest.values())


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


def _condition(group: Group) -> tuple[object, ...]:
    return group.model, group.row, group.recipe, group.vectors


def best_floor(line: Line, split: str, groups: Sequence[Group]) -> str:
    """The best floor of a line's own vectors on a split, as a cell.

    It is `NOT_RUN` where only floors without vectors are there to pass.

    Args:
        line: the line.
        split: name of the split.
        groups: the measured runs of all papers.
    """
    model = line.groups.get(split)
    if model is None:
        return ""
    floors = Floors(groups, line.paper.key)
    best = floors.best(model)
    if best is None or floors.easy(model):
        return NOT_RUN
    return markdown.number(best.metric(METRIC))


def figure_cells(
    line: Line, groups: Sequence[Group], rankings: Sequence[Ranking] = ()
) -> list[str]:
    """Our figures on dev and on test, with their interval and marks.

    Args:
        line: the line.
        groups: the measured runs of all papers.
        rankings: what the folders of runs said.
    """
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
    return figures
