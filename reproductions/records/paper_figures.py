"""Reads `paper.toml` of each paper's folder: the paper's own figures.

The file has the fields of `Paper`; entries of `[[tables]]`, `[[figures]]` and
`[[paired_tests]]` have those of the other classes of
`reproductions.records.papers`. In a row of results each metric is a field:
`{ model = "M", MAP = 0.712 }`. A figure that the paper does not print ("-") is
omitted.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

from keras_qa.datasets.audit.published import published_counts
from keras_qa.files.checks import fits
from keras_qa.files.checks import read_toml
from keras_qa.files.checks import typed
from keras_qa.files.text_files import shorten
from reproductions.records.json_lines import RecordError
from reproductions.records.papers import CountsTable
from reproductions.records.papers import Paper
from reproductions.records.papers import PrintedTable
from reproductions.records.papers import ResultsTable
from reproductions.records.papers import Table

FOLDER = Path(__file__).parents[1]
FILE = "paper.toml"

# Names for readers of the rankings without a network that all papers have.
FLOOR_NAMES = {
    "random": "random order",
    "cosine": "untrained cosine",
    "bm25": "BM25",
    "bm25-tuned": "BM25, tuned",
    "idf-overlap": "idf overlap",
    "alignment": "alignment of words",
    "idf-alignment": "alignment of words, by idf",
    "features": "features of alignment",
    "contextual-cosine": "cosine, words in context",
    "contextual-alignment": "alignment, words in context",
    "contextual-idf-alignment": "alignment by idf, words in context",
    "contextual-features": "features, words in context",
}


def load_papers(folder: Path | str = FOLDER) -> dict[str, Paper]:
    """Reads all papers; returns them by key, in the order of the pages.

    Args:
        folder: the folder that contains the papers' folders, which are those
            with a `paper.toml`.

    Raises:
        RecordError: if a file is not TOML, or a paper, a table or a row lacks
            a required field, or a field has the wrong type.
    """
    papers = [read_paper(path) for path in Path(folder).glob(f"*/{FILE}")]
    papers.sort(key=lambda paper: (paper.order, paper.key))
    floors = {k: v for paper in papers for k, v in paper.floors.items()}
    return {
        paper.key: replace(paper, models={**floors, **paper.models})
        for paper in papers
    }


def read_paper(path: Path) -> Paper:
    """Reads one `paper.toml`; see `load_papers`."""
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
        models={**FLOOR_NAMES, **paper.floors, **paper.models},
        tables=tuple(
            _table(key, fields, f"{path}: tables[{number}]")
            for number, fields in enumerate(tables)
        ),
    )


def model_names(folder: Path | str = FOLDER) -> dict[str, str]:
    """The names of all papers' models: names in our runs to names for readers.

    Args:
        folder: the folder that contains the papers' folders.
    """
    return {
        name: shown
        for paper in load_papers(folder).values()
        for name, shown in paper.models.items()
    }


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
    """The fields of a row, its metrics gathered in the field `metrics`."""
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
        # Some papers count only questions.
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
