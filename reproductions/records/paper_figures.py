"""Reads `paper.toml` of each paper's folder: the paper's own figures.

The fields of the file are those of `Paper`, its arrays of tables (`[[tables]]`,
`[[figures]]`, `[[paired_tests]]`) those of the classes here. In a row of
results each metric is a field: `{ model = "M", MAP = 0.712 }`. What a paper
leaves out ("-") is left out.
"""

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace
from pathlib import Path
from typing import Any

from keras_qa.datasets.audit.published import published_counts
from keras_qa.files.checks import fits
from keras_qa.files.checks import read_toml
from keras_qa.files.checks import typed
from keras_qa.files.text_files import shorten
from reproductions.records.reading import RecordError
from reproductions.records.seed_groups import Group
from reproductions.records.seed_groups import Statistic

FOLDER = Path(__file__).parents[1]
FILE = "paper.toml"


@dataclass(frozen=True)
class Row:
    """One row of a results table.

    Attributes:
        model: the model's name as printed.
        metrics: metric name to the printed figure.
        ours: name that runs of this model carry, if it is a model of ours;
            without it the row is a competitor that the paper quotes.
        parameters: number of trained weights, if printed.
        seconds: training seconds per epoch, if printed.
        name: what the paper's script calls the row (`--row`), if several rows
            are of one model; the runs that belong to the row carry it.
    """

    model: str
    metrics: dict[str, float]
    ours: str | None = None
    parameters: int | None = None
    seconds: float | None = None
    name: str | None = None


@dataclass(frozen=True)
class ResultsTable:
    """A table of figures that runs can be held against.

    Attributes:
        number: as printed, such as `"Table 2"`.
        caption: as printed.
        dataset: name of the data set, as runs carry it.
        split: the split that the figures are of.
        metrics: names of the columns.
        training_set: name of what the paper trained on, as runs carry it.
        training_pairs: number of its question-answer pairs.
        vectors: names of the word vectors the paper used, as runs carry them.
        tolerance: largest absolute difference between the mean over our seeds
            and the paper that counts as within.
        rows: the rows, in the paper's order.
        digits: number of decimals that are printed.
        note: what the reader should know about the table.
        parts: where each column is the same metric on other questions, the
            column's name to the name of the questions in the runs:
            `"selection"`, which chose the epoch, or a part of the split.
        metric: name of that metric in the runs.
        percent: whether a hundredth is printed as 1.
    """

    number: str
    caption: str
    dataset: str
    split: str
    metrics: tuple[str, ...]
    training_set: str
    training_pairs: int
    vectors: tuple[str, ...]
    tolerance: float
    rows: tuple[Row, ...]
    digits: int = 3
    note: str = ""
    parts: dict[str, str] = field(default_factory=dict)
    metric: str = ""
    percent: bool = False

    def __post_init__(self) -> None:
        for row in self.rows:
            _require(self.metrics, row.metrics, f"row {row.model!r}")
        if self.parts:
            _require(("metric",), {"metric": 1} if self.metric else {}, "parts")
            _require(self.metrics, self.parts, "parts")

    def measured(self, column: str, group: Group) -> Statistic | None:
        """What runs have reached, in the units of a column.

        Args:
            column: one of `metrics`.
            group: the runs.

        Returns:
            Mean and deviation, None if a run lacks the figure.
        """
        found = (
            group.part_metric(self.parts[column], self.metric)
            if self.parts
            else group.metric(column)
        )
        return found.scaled(100) if found and self.percent else found

    def columns_of(self, metric: str) -> list[str]:
        """The columns that hold a metric of the reported split."""
        if self.parts and metric == self.metric:
            return [c for c in self.metrics if self.parts[c] != "selection"]
        return [c for c in self.metrics if c == metric]


@dataclass(frozen=True)
class PrintedTable:
    """A table that is shown as it is printed.

    Attributes:
        number: as printed, such as `"Table 1"`.
        caption: as printed.
        columns: the heads.
        rows: the cells, row by row.
        note: what the reader should know about the table.
    """

    number: str
    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(
                    f"expected {len(self.columns)} cells in every row. "
                    f"Received: {shorten(list(row))}"
                )


@dataclass(frozen=True)
class CountsTable:
    """A table of the sizes of data sets.

    The sizes are typed in `keras_qa/datasets/audit/published.json`.

    Attributes:
        number: as printed, such as `"Table 1"`.
        caption: as printed.
        counts: names of the data sets.
        note: what the reader should know about the table.
    """

    number: str
    caption: str
    counts: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True)
class Figure:
    """A picture of the paper.

    Attributes:
        number: as printed, such as `"Figure 3"`.
        caption: as printed.
        description: what the picture shows.
        command: the command that draws ours.
        picture: the file of ours in the paper's folder, if there is one.
        drawing: what the command needs to know of the paper's picture.
    """

    number: str
    caption: str
    description: str
    command: str
    picture: str = ""
    drawing: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class WantedTest:
    """Two models whose difference is to be tested.

    Attributes:
        first: name that runs of the one carry, of a model or of a row.
        second: the same of the other.
        varied: settings of which the first is tested with other values, too.
        metric: name of the metric.
        other_vectors: whether the two may read other word vectors.
        fewer_vectors: whether the second reads some of the first's word
            vectors, and not all.
    """

    first: str
    second: str
    varied: tuple[str, ...] = ()
    metric: str = "MAP"
    other_vectors: bool = False
    fewer_vectors: bool = False


Table = ResultsTable | PrintedTable


@dataclass(frozen=True)
class Paper:
    """What is known about one paper.

    Attributes:
        key: name that runs carry, such as `"hyperqa"`; not in the file, but
            the name of its folder.
        name: name of the paper's model, such as `"HyperQA"`.
        model: the name that runs of this model carry.
        title: title of the paper.
        authors: names of the authors.
        venue: where and when it appeared.
        link: address of the paper.
        hardware: what its times were measured on.
        order: its place among the papers on the pages.
        models: the names that runs of the paper carry to the names for
            readers, in the order in which tables list them.
        tables: its tables, in order.
        findings: what our runs of its models show, a sentence or two each,
            without figures, which are in the tables.
        figures: its pictures.
        selection: how the recipes of its runs were chosen.
        stages: what is trained before its model, if anything is.
        commands: the commands that make its records.
        paired_tests: the models to be tested against each other.
    """

    key: str
    name: str
    model: str
    title: str
    authors: str
    venue: str
    link: str
    hardware: str
    order: int = 100
    models: dict[str, str] = field(default_factory=dict)
    tables: tuple[Table, ...] = ()
    findings: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    selection: str = ""
    stages: str = ""
    commands: tuple[str, ...] = ()
    paired_tests: tuple[WantedTest, ...] = ()

    @property
    def results(self) -> list[ResultsTable]:
        """The tables that runs can be held against."""
        return [t for t in self.tables if isinstance(t, ResultsTable)]

    def named(self, model: str, row: str | None = None) -> str:
        """A model's name for readers, with its row's if there is one."""
        name = self.models.get(model, model)
        return f"{name} ({row})" if row else name

    def table(self, number: str) -> Table:
        """The table with this number.

        Raises:
            RecordError: if the paper has no such table.
        """
        return _numbered(self.tables, number)

    def figure(self, number: str) -> Figure:
        """The picture with this number.

        Raises:
            RecordError: if the paper has no such picture.
        """
        return _numbered(self.figures, number)


def load_papers(folder: Path | str = FOLDER) -> dict[str, Paper]:
    """Reads the figures of all papers, by key, in the order of the pages.

    Args:
        folder: the folder that contains the papers' folders, which are those
            with a `paper.toml`.

    Raises:
        RecordError: if a file is not TOML, or a paper, a table or a row lacks
            what it must have, or has it of another type.
    """
    papers = [read_paper(path) for path in Path(folder).glob(f"*/{FILE}")]
    papers.sort(key=lambda paper: (paper.order, paper.key))
    return {paper.key: paper for paper in papers}


def read_paper(path: Path) -> Paper:
    """Reads the figures of one paper; see `load_papers`."""
    content = read_toml(path, dict[str, Any], RecordError)
    tables = typed(
        content.pop("tables", []),
        list[dict[str, Any]],
        f"{path}: tables",
        RecordError,
    )
    key = path.parent.name
    paper = typed({**content, "key": key}, Paper, str(path), RecordError)
    return replace(
        paper,
        tables=tuple(
            _table(key, fields, f"{path}: tables[{number}]")
            for number, fields in enumerate(tables)
        ),
    )


def model_names(folder: Path | str = FOLDER) -> dict[str, str]:
    """The names of all papers' models: as runs carry them to those for readers.

    Args:
        folder: the folder that contains the papers' folders.
    """
    return {
        name: shown
        for paper in load_papers(folder).values()
        for name, shown in paper.models.items()
    }


def _numbered(found: Sequence[Any], number: str) -> Any:
    for one in found:
        if one.number == number:
            return one
    raise RecordError(
        f"`number` must be one of {[one.number for one in found]}. "
        f"Received: number={number!r}"
    )


def _table(paper: str, fields: dict[str, Any], place: str) -> Table:
    if "counts" in fields:
        counts = typed(fields, CountsTable, place, RecordError)
        return _counts_table(paper, counts, place)
    if "columns" in fields:
        return typed(fields, PrintedTable, place, RecordError)
    metrics, rows = fields.get("metrics", []), fields.get("rows", [])
    if fits(metrics, list[str]) and fits(rows, list[dict[str, Any]]):
        gathered = {"rows": [_gather(row, metrics) for row in rows]}
        fields = fields | (gathered if "rows" in fields else {})
    return typed(fields, ResultsTable, place, RecordError)


def _gather(row: dict[str, Any], metrics: list[str]) -> dict[str, Any]:
    """The fields of a row with its metrics in a field of their own."""
    others = {k: v for k, v in row.items() if k not in metrics}
    return {**others, "metrics": {n: row[n] for n in metrics if n in row}}


def _counts_table(paper: str, table: CountsTable, place: str) -> PrintedTable:
    columns = []
    for name in table.counts:
        counts = published_counts(name, paper)
        if counts is None:
            raise RecordError(
                f"{place}: `counts` must name data sets whose sizes "
                f"{paper:.100} prints. Received: {shorten(name)}"
            )
        columns.append(counts)
    rows = [
        (
            f"{split}, {what}",
            *(column.get(split, {}).get(what, "") for column in columns),
        )
        for what in ("questions", "pairs")
        for split in ("train", "dev", "test")
        # Some papers count questions alone.
        if any(what in column.get(split, {}) for column in columns)
    ]
    notes = [table.note.strip()]
    notes += [
        f"`{name}`: {column['note']}"
        for name, column in zip(table.counts, columns, strict=True)
        if "note" in column
    ]
    return PrintedTable(
        number=table.number,
        caption=table.caption,
        columns=("", *(column["column"] for column in columns)),
        rows=tuple(rows),
        note="\n\n".join(notes),
    )


def _require(
    names: tuple[str, ...], found: Mapping[str, Any], what: str
) -> None:
    missing = [name for name in names if name not in found]
    if missing:
        raise ValueError(
            f"{what} must have {', '.join(names):.300}. "
            f"Received: no {', '.join(missing):.300}"
        )
