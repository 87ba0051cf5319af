"""Reads `paper_figures.toml`: the papers' own figures, table by table."""

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from pathlib import Path
from typing import Any
from typing import get_type_hints

from keras_qa.datasets.audit.published import published_counts
from keras_qa.files.checks import fits
from keras_qa.files.checks import kind_name
from keras_qa.files.checks import misfit
from keras_qa.files.checks import read_toml
from keras_qa.files.text_files import shorten
from reproductions.records.seed_groups import Group
from reproductions.records.seed_groups import Statistic

PATH = Path(__file__).with_name("paper_figures.toml")


class TargetsError(ValueError):
    """`paper_figures.toml` is malformed; the message names the file and the table."""


@dataclass(frozen=True)
class Row:
    """One row of a results table.

    Attributes:
        model: the model's name as printed.
        metrics: metric name to the printed figure.
        ours: name that runs of this model carry, if it is a model of ours.
        parameters: number of trained weights, if printed.
        seconds: training seconds per epoch, if printed.
        name: what the paper's script calls the row, if several rows are of one
            model; the runs that belong beside it carry it.
    """

    model: str
    metrics: dict[str, float]
    ours: str | None = None
    parameters: int | None = None
    seconds: float | None = None
    name: str | None = None


@dataclass(frozen=True)
class ParametersRow:
    """One row of a table of numbers of weights.

    Attributes:
        model: the model's name as printed.
        ours: name of our model.
        formula: the number of weights as a formula, as printed.
        parameters: the number of weights, as printed.
    """

    model: str
    ours: str
    formula: str
    parameters: str


@dataclass(frozen=True)
class ResultsTable:
    """A table of figures that runs can be compared with.

    Attributes:
        number: as printed, such as `"Table 2"`.
        caption: as printed.
        dataset: name of the data set, as runs carry it.
        split: the split that the figures are of.
        metrics: names of the columns.
        parts: where each column is the same metric on other questions, the
            column's name to the name of the questions in the runs:
            `"selection"`, which chose the epoch, or a part of the split.
        metric: name of that metric in the runs.
        percent: whether a hundredth is printed as 1.
        training_set: name of what the paper trained on, as runs carry it.
        training_pairs: number of its question-answer pairs.
        vectors: names of the word vectors the paper used, as runs carry them.
        tolerance: largest absolute difference that counts as within.
        rows: the rows, in the paper's order.
        digits: number of decimals that are printed.
        note: what the reader should know about the table.
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
class ParametersTable:
    """A table of numbers of weights.

    Attributes:
        number: as printed, such as `"Table 2"`.
        caption: as printed.
        sizes: the letters of the formulas with their values.
        rows: for each model its name as printed, the name that runs carry, the
            formula and the number as printed.
        note: what the reader should know about the table.
    """

    number: str
    caption: str
    sizes: dict[str, int]
    rows: tuple[ParametersRow, ...]
    note: str = ""


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


@dataclass(frozen=True)
class Comparison:
    """Two models whose difference is to be tested.

    Attributes:
        first: name that runs of the one carry, of a model or of a row.
        second: the same of the other.
        readings: settings of which the first is tested with other values, too.
        metric: name of the metric.
        other_vectors: whether the two may read other word vectors.
        fewer_vectors: whether the second reads some of the first's word
            vectors, and not all.
    """

    first: str
    second: str
    readings: tuple[str, ...] = ()
    metric: str = "MAP"
    other_vectors: bool = False
    fewer_vectors: bool = False


Table = ResultsTable | ParametersTable | PrintedTable


@dataclass(frozen=True)
class Paper:
    """What is known about one paper.

    Attributes:
        key: name that runs carry, such as `"hyperqa"`.
        name: name of the paper's model, such as `"HyperQA"`.
        title: title of the paper.
        authors: names of the authors.
        venue: where and when it appeared.
        link: address of the paper.
        hardware: what its times were measured on.
        tables: its tables, in order.
        findings: what our runs of its models show, a sentence or two each.
        figures: its pictures: `number`, `caption`, `description`, the
            `command` that draws ours and what the drawing function needs.
        selection: how the recipes of its runs were chosen.
        comparisons: the models to be tested against each other.
    """

    key: str
    name: str
    title: str
    authors: str
    venue: str
    link: str
    hardware: str
    tables: tuple[Table, ...]
    findings: tuple[str, ...]
    figures: tuple[dict[str, Any], ...]
    selection: str = ""
    comparisons: tuple[Comparison, ...] = ()

    def table(self, number: str) -> Table:
        """The table with this number.

        Raises:
            TargetsError: if the paper has no such table.
        """
        for table in self.tables:
            if table.number == number:
                return table
        raise TargetsError(
            f"`number` must be one of {[t.number for t in self.tables]}. "
            f"Received: number={number!r}"
        )


@dataclass(frozen=True)
class Targets:
    """All that `paper_figures.toml` holds.

    Attributes:
        models: the names that runs carry to the names for readers, in the
            order in which tables list them.
        papers: papers by key, in the order of the file.
    """

    models: dict[str, str]
    papers: dict[str, Paper]


def load_targets(path: Path | str = PATH) -> Targets:
    """Reads the papers' figures.

    Args:
        path: a file of the form that the head of `paper_figures.toml` describes.

    Raises:
        TargetsError: if the file is not TOML, or a paper, a table or a row
            lacks what it must have, or has it of another type.
    """
    content = read_toml(path, dict[str, Any], TargetsError)
    _require(
        str(path), content, {}, {"models": dict[str, str], "papers": _BY_NAME}
    )
    papers = {}
    for key, fields in content.get("papers", {}).items():
        place = f"{path}: papers.{key:.100}"
        names = ("name", "title", "authors", "venue", "link", "hardware")
        _require(
            place,
            fields,
            dict.fromkeys(names, str),
            {
                "selection": str,
                **dict.fromkeys(("tables", "figures", "comparisons"), _TABLES),
            },
        )
        papers[key] = Paper(
            key=key,
            tables=tuple(
                _table(key, f"{place}.tables[{i}]", table)
                for i, table in enumerate(fields.get("tables", []))
            ),
            findings=_findings(place, fields.get("findings", [])),
            figures=_figures(place, fields.get("figures", [])),
            selection=fields.get("selection", ""),
            comparisons=tuple(
                _comparison(f"{place}.comparisons[{i}]", comparison)
                for i, comparison in enumerate(fields.get("comparisons", []))
            ),
            **{name: fields[name] for name in names},
        )
    return Targets(models=content.get("models", {}), papers=papers)


_TABLES = list[dict[str, Any]]
_BY_NAME = dict[str, dict[str, Any]]


def _findings(place: str, findings: Any) -> tuple[str, ...]:
    if not fits(findings, list[str]):
        raise TargetsError(
            f"{place}: `findings` must be a list of strings. "
            f"Received: findings={shorten(findings)}"
        )
    return tuple(" ".join(finding.split()) for finding in findings)


def _figures(
    place: str, figures: list[dict[str, Any]]
) -> tuple[dict[str, Any], ...]:
    for i, figure in enumerate(figures):
        names = ("number", "caption", "description", "command")
        _require(
            f"{place}.figures[{i}]",
            figure,
            dict.fromkeys(names, str),
            {"picture": str},
        )
    return tuple(figures)


def _comparison(place: str, fields: dict[str, Any]) -> Comparison:
    kinds = get_type_hints(Comparison)
    needed = {name: kinds.pop(name) for name in ("first", "second")}
    _require(place, fields, needed, kinds)
    return Comparison(
        fields["first"],
        fields["second"],
        tuple(fields.get("readings", [])),
        fields.get("metric", "MAP"),
        fields.get("other_vectors", False),
        fields.get("fewer_vectors", False),
    )


_ANY_TABLE = {"note": str, "counts": list[str], "columns": list[str]}


def _table(paper: str, place: str, fields: dict[str, Any]) -> Table:
    _require(place, fields, {"number": str, "caption": str}, _ANY_TABLE)
    common = {
        "number": fields["number"],
        "caption": fields["caption"],
        "note": fields.get("note", "").strip(),
    }
    if "counts" in fields:
        return _counts_table(paper, place, fields["counts"], common)
    if "columns" in fields:
        _require(place, fields, {"rows": list[list[str]]})
        columns = tuple(fields["columns"])
        for row in fields["rows"]:
            if len(row) != len(columns):
                raise TargetsError(
                    f"{place}: expected {len(columns)} cells in every row. "
                    f"Received: {shorten(row)}"
                )
        return PrintedTable(
            columns=columns,
            rows=tuple(tuple(row) for row in fields["rows"]),
            **common,
        )
    _require(place, fields, {"rows": _TABLES})
    if "sizes" in fields:
        _require(place, fields, {"sizes": dict[str, int]})
        for row in fields["rows"]:
            kinds = get_type_hints(ParametersRow)
            _require(place, row, kinds)
            _refuse_others(place, row, tuple(kinds))
        return ParametersTable(
            sizes=dict(fields["sizes"]),
            rows=tuple(ParametersRow(**row) for row in fields["rows"]),
            **common,
        )
    names = (
        "dataset",
        "split",
        "training_set",
        "training_pairs",
        "tolerance",
    )
    kinds = get_type_hints(ResultsTable)
    more = ("parts", "metric", "percent", "digits")
    _require(
        place,
        fields,
        {name: kinds[name] for name in (*names, "metrics", "vectors")},
        {name: kinds[name] for name in more},
    )
    metrics = tuple(fields["metrics"])
    parts = dict(fields.get("parts", {}))
    if parts:
        _require(place, fields, {"metric": str})
        _require(f"{place}.parts", parts, dict.fromkeys(metrics, str))
    return ResultsTable(
        metrics=metrics,
        parts=parts,
        metric=fields.get("metric", ""),
        percent=fields.get("percent", False),
        vectors=tuple(fields["vectors"]),
        rows=tuple(_row(place, row, metrics) for row in fields["rows"]),
        digits=fields.get("digits", 3),
        **{name: fields[name] for name in names},
        **common,
    )


def _counts_table(
    paper: str, place: str, datasets: list[str], common: dict[str, str]
) -> PrintedTable:
    columns = []
    for name in datasets:
        counts = published_counts(name, paper)
        if counts is None:
            raise TargetsError(
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
    notes = [common.pop("note")]
    notes += [
        f"`{name}`: {column['note']}"
        for name, column in zip(datasets, columns, strict=True)
        if "note" in column
    ]
    return PrintedTable(
        columns=("", *(column["column"] for column in columns)),
        rows=tuple(rows),
        note="\n\n".join(notes),
        **common,
    )


def _row(place: str, fields: dict[str, Any], metrics: tuple[str, ...]) -> Row:
    kinds = get_type_hints(Row)
    optional = ("ours", "parameters", "seconds", "name")
    _require(
        place,
        fields,
        {**dict.fromkeys(metrics, float), "model": str},
        {name: kinds[name] for name in optional},
    )
    _refuse_others(place, fields, ("model", *metrics, *optional))
    return Row(
        model=fields["model"],
        metrics={name: fields[name] for name in metrics},
        **{name: fields[name] for name in optional if name in fields},
    )


def _require(
    place: str,
    fields: dict[str, Any],
    required: Mapping[str, Any],
    optional: Mapping[str, Any] | None = None,
) -> None:
    """Checks what a table of the file must have, and may have, by type."""
    missing = [name for name in required if name not in fields]
    if missing:
        raise TargetsError(
            f"{place}: must have {', '.join(required):.300}. "
            f"Received: no {', '.join(missing):.300}"
        )
    kinds = {**(optional or {}), **required}
    if (name := misfit(fields, kinds)) is not None:
        raise TargetsError(
            f"{place}: `{name:.100}` must be of type "
            f"{kind_name(kinds[name])}. Received: {shorten(fields[name])}"
        )


def _refuse_others(
    place: str, row: dict[str, Any], names: tuple[str, ...]
) -> None:
    unknown = sorted(set(row) - set(names))
    if unknown:
        raise TargetsError(
            f"{place}: a row may have {', '.join(names):.300}. "
            f"Received: {', '.join(unknown):.300}"
        )
