"""What is known of a paper: its tables, its figures, and our names for it."""

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from typing import Any
from typing import Literal

from keras_qa.files.text_files import shorten
from reproductions.records.json_lines import RecordError
from reproductions.records.reasons import REASONS
from reproductions.records.seed_groups import Group
from reproductions.records.seed_groups import Statistic


@dataclass(frozen=True)
class Row:
    """One row of a results table.

    Attributes:
        model: the model's name as printed.
        metrics: metric name to the printed figure.
        ours: the model's name in our runs, after the key of another paper and
            a colon if it is not this paper's, as `"systems:mp-cnn"`; None for a
            competitor that the kit does not have.
        why: why it does not, or why the model cannot be run on the table's
            data set, a key of `REASONS`.
        parameters: number of trained weights, if printed.
        seconds: training seconds per epoch, if printed.
        name: the row's name for `--row` and in our runs, if several rows are
            of one model.
    """

    model: str
    metrics: dict[str, float]
    ours: str | None = None
    why: str | None = None
    parameters: int | None = None
    seconds: float | None = None
    name: str | None = None

    def source(self, paper: str) -> tuple[str, str] | None:
        """The key of the paper whose runs are of this row, and their model.

        Args:
            paper: key of the paper whose table has the row.
        """
        return None if self.ours is None else whose(self.ours, paper)


@dataclass(frozen=True)
class ResultsTable:
    """A table of results that runs can be compared with.

    Attributes:
        number: as printed, such as `"Table 2"`.
        caption: as printed.
        dataset: name of the data set, as in our runs.
        split: the split that the figures are of.
        metrics: names of the columns.
        training_set: name of the paper's training set, as in our runs.
        training_pairs: number of question-answer pairs in the training set.
        vectors: names of the paper's word vectors, as in our runs.
        tolerance: largest absolute difference between the mean over our seeds
            and the paper's figure that counts as "within", in printed units.
        rows: the rows, in the paper's order.
        digits: number of decimals that are printed.
        note: what the reader should know about the table.
        parts: if the columns are one metric on different questions: column
            name to the name of the questions in the runs, which is
            `"selection"` (they chose the epoch) or a part of the split.
        metric: name of that one metric in the runs; required with `parts`.
        percent: True if the figures are percentages.
        why: why no row can be run, a key of `REASONS`; empty if rows can.
        unprinted: what of its training the paper does not print: pairs are
            then counted in the data set, the training set and the vectors
            assumed.
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
    why: str = ""
    unprinted: tuple[Literal["training set", "pairs", "vectors"], ...] = ()

    def __post_init__(self) -> None:
        for row in self.rows:
            _require(self.metrics, row.metrics, f"row {row.model!r}")
        for why in filter(None, (self.why, *(row.why for row in self.rows))):
            if why not in REASONS:
                raise ValueError(
                    f"`why` must be one of {sorted(REASONS)}. "
                    f"Received: {shorten(why)}"
                )
        if self.parts:
            _require(("metric",), {"metric": 1} if self.metric else {}, "parts")
            _require(self.metrics, self.parts, "parts")

    def measured(self, column: str, group: Group) -> Statistic | None:
        """The mean of some runs, in the units of a column.

        Args:
            column: one of `metrics`.
            group: the runs.

        Returns:
            Mean and deviation over seeds, None if a run lacks the metric.
        """
        found = (
            group.part_metric(self.parts[column], self.metric)
            if self.parts
            else group.metric(column)
        )
        return found.scaled(100) if found and self.percent else found

    def columns_of(self, metric: str) -> list[str]:
        """Names of the columns with a metric of the reported split."""
        if self.parts and metric == self.metric:
            return [c for c in self.metrics if self.parts[c] != "selection"]
        return [c for c in self.metrics if c == metric]


@dataclass(frozen=True)
class PrintedTable:
    """A table that the pages show as the paper prints it.

    Attributes:
        number: as printed, such as `"Table 1"`.
        caption: as printed.
        columns: the column headings.
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

    The sizes are in `keras_qa/datasets/audit/published.json`.

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
        command: the command that draws our version.
        picture: file name of our version in the paper's folder, if any.
        drawing: properties of the paper's picture that the command needs.
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
        first: name of the first model or row, as in our runs; `"*"` for each
            model that is trained.
        second: name of the second model or row, as in our runs, maybe after
            the key of another paper and a colon.
        varied: settings of the first that may differ from its recipe's.
        metric: name of the metric.
        other_vectors: True if the two may have different word vectors.
        fewer_vectors: True if the second must have some, but not all, of the
            first's word vectors.
        transfer: True if the first, and not the second, was trained on other
            data sets before.
    """

    first: str
    second: str
    varied: tuple[str, ...] = ()
    metric: str = "MAP"
    other_vectors: bool = False
    fewer_vectors: bool = False
    transfer: bool = False


Table = ResultsTable | PrintedTable


@dataclass(frozen=True)
class Paper:
    """What is known about one paper.

    Attributes:
        key: name of the paper in our runs, such as `"hyperqa"`; taken from the
            folder's name.
        name: name of the paper's model, such as `"HyperQA"`.
        model: the name of this model in our runs.
        contextual: its name where it reads each word in its text, if it does.
        title: title of the paper.
        authors: names of the authors.
        venue: where and when it appeared.
        link: address of the paper.
        hardware: what its times were measured on.
        order: the pages list papers by this number, then by key.
        reference: True for no paper, but what all papers' models are held
            against.
        quoted: True for a reference whose models are those of others' tables.
        models: names of models in our runs to names for readers, in the order
            in which tables list them.
        floors: the same of its rankings without a trained network, which any
            paper's page may show.
        tables: its tables, in order.
        findings: what our runs of its models show, a sentence or two each,
            without figures.
        figures: its pictures.
        selection: how the recipes of its runs were chosen, in sentences.
        stages: a description of what is trained before its model, if any.
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
    contextual: str | None = None
    order: int = 100
    reference: bool = False
    quoted: bool = False
    models: dict[str, str] = field(default_factory=dict)
    floors: dict[str, str] = field(default_factory=dict)
    tables: tuple[Table, ...] = ()
    findings: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    selection: str = ""
    stages: str = ""
    commands: tuple[str, ...] = ()
    paired_tests: tuple[WantedTest, ...] = ()

    @property
    def results(self) -> list[ResultsTable]:
        """The tables that runs can be compared with."""
        return [t for t in self.tables if isinstance(t, ResultsTable)]

    def named(self, model: str, row: str | None = None) -> str:
        """A model's name for readers, followed by the row's if it has one."""
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


def whose(name: str, paper: str) -> tuple[str, str]:
    """The key of a paper, and a model's name in its runs.

    >>> whose("systems:mp-cnn", "hyperqa"), whose("hyperqa", "hyperqa")
    (('systems', 'mp-cnn'), ('hyperqa', 'hyperqa'))
    """
    owner, _, model = name.rpartition(":")
    return owner or paper, model


def _numbered(found: Sequence[Any], number: str) -> Any:
    for one in found:
        if one.number == number:
            return one
    raise RecordError(
        f"`number` must be one of {[one.number for one in found]}. "
        f"Received: number={number!r}"
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
