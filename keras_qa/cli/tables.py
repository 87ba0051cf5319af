"""The options of all commands that read a user's own tables."""

import argparse
from collections.abc import Sequence
from typing import TypedDict

from keras_qa.datasets.columns import Columns
from keras_qa.errors import DatasetError

_COLUMNS = ("question", "answer", "label", "question_id", "answer_id")
_DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t"}
_OTHERS = ("no_labels", "group", "no_quotes", "delimiter", "encoding")


class TableOptions(TypedDict):
    """The arguments of `read_tabular` and `open_tabular`."""

    columns: Columns
    group: bool
    quoted: bool
    delimiter: str | None
    encoding: str


def add_table_options(
    parser: argparse.ArgumentParser,
    columns: Sequence[str] = _COLUMNS,
    labels: bool = True,
) -> None:
    """Adds the options that say how a table is written.

    Args:
        parser: the command's parser.
        columns: the fields of `Columns` that the command reads.
        labels: True adds `--no-labels`, for a command that reads labels.
    """
    group = parser.add_argument_group("options of a table of your own")
    for name in columns:
        group.add_argument(
            f"--{name.replace('_', '-')}-column",
            metavar="COLUMN",
            help=f"default: {getattr(Columns(), name)}",
        )
    if labels:
        group.add_argument(
            "--no-labels",
            action="store_true",
            help="there is no label column: every answer is a right one",
        )
    group.add_argument(
        "--group",
        action="store_true",
        help="the rows of a question need not be neighbours",
    )
    group.add_argument(
        "--no-quotes",
        action="store_true",
        help="fields of a CSV or TSV are not quoted",
    )
    group.add_argument(
        "--delimiter",
        metavar="CHARACTER",
        help="between the fields of a CSV or TSV, or comma, semicolon or tab; "
        "default: the one of these three that fits the header",
    )
    group.add_argument(
        "--encoding",
        metavar="NAME",
        help="of the text, such as utf-16 or cp1252; default: utf-8",
    )


def given_table_options(arguments: argparse.Namespace) -> list[str]:
    """The options of `add_table_options` that were given, as on the line."""
    names = (*(f"{name}_column" for name in _COLUMNS), *_OTHERS)
    return [
        f"--{name.replace('_', '-')}"
        for name in names
        if getattr(arguments, name, None) not in (None, False)
    ]


def table_options(
    arguments: argparse.Namespace, labels: bool = True
) -> TableOptions:
    """Returns the arguments of `read_tabular` that the options ask for.

    Args:
        arguments: the parsed options.
        labels: False reads no labels.

    Raises:
        DatasetError: if both --no-labels and --label-column are given.
    """
    chosen = {
        name: column
        for name in _COLUMNS
        if (column := getattr(arguments, f"{name}_column", None)) is not None
    }
    if labels and arguments.no_labels and "label" in chosen:
        raise DatasetError(
            "Expected either --no-labels or --label-column. Received: both"
        )
    if not labels or arguments.no_labels:
        chosen["label"] = None
    delimiter = arguments.delimiter
    return {
        "columns": Columns(**chosen),
        "group": arguments.group,
        "quoted": not arguments.no_quotes,
        "delimiter": _DELIMITERS.get(delimiter, delimiter),
        "encoding": arguments.encoding or "utf-8",
    }
