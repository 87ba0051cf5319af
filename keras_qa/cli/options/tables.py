"""The options of all commands that read a user's own tables."""

import argparse
from collections.abc import Mapping
from collections.abc import Sequence
from typing import NotRequired
from typing import TypedDict

from keras_qa.datasets.columns import Columns
from keras_qa.errors import DatasetError

_COLUMNS = ("question", "answer", "label", "question_id", "answer_id")
_DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", r"\t": "\t"}
TABLE_OPTIONS = (
    *(f"{name}_column" for name in _COLUMNS),
    *("no_labels", "right", "group", "no_quotes", "delimiter", "encoding"),
)


class AnswerOptions(TypedDict):
    """The arguments of `keras_qa.search.answers.read_answers`."""

    columns: Columns
    quoted: bool
    delimiter: str | None
    encoding: str


class TableOptions(AnswerOptions):
    """The arguments of `read_tabular` and `open_tabular`."""

    group: bool
    right: NotRequired[tuple[str, ...]]


def add_table_options(
    parser: argparse.ArgumentParser,
    columns: Sequence[str] = _COLUMNS,
    of_columns: Mapping[str, str] | None = None,
) -> None:
    """Adds the options that say how a table is written.

    Args:
        parser: the command's parser.
        columns: the fields of `Columns` that the command reads.
        of_columns: what the help says of a column's default, by the field.
    """
    group = parser.add_argument_group("options of a table of your own")
    defaults = {
        "question_id": "questions of one text are one",
        "answer_id": "the answers are numbered",
        **(of_columns or {}),
    }
    for name in columns:
        group.add_argument(
            f"--{name.replace('_', '-')}-column",
            metavar="COLUMN",
            help=f"default: {defaults.get(name, getattr(Columns(), name))}",
        )
    if "label" in columns:
        group.add_argument(
            "--no-labels",
            action="store_true",
            help="there is no label column: every answer is a right one",
        )
        group.add_argument(
            "--right",
            nargs="+",
            metavar="LABEL",
            help="the labels of right answers, in any case; all others are "
            "those of wrong ones; default: 1, true, yes and grades above 0",
        )
    if "question" in columns:
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


def given_options(
    arguments: argparse.Namespace, names: Sequence[str] = TABLE_OPTIONS
) -> list[str]:
    """The options that were given, as they are written on the command line.

    Args:
        arguments: the parsed options.
        names: the options to look for; by default those of a table.
    """
    return [
        f"--{name.replace('_', '-')}"
        for name in names
        # 0, which equals False, was given.
        if (value := getattr(arguments, name, None)) is not None
        and value is not False
    ]


def refuse_idle(
    arguments: argparse.Namespace,
    names: Sequence[str],
    other: str,
    received: str = "",
    error: type[Exception] = DatasetError,
) -> None:
    """Refuses options that have no effect.

    Args:
        arguments: the parsed options.
        names: those without effect.
        other: what they go with.
        received: what was given instead; by default, that `other` was not.
        error: class of the error.

    Raises:
        DatasetError: if one of them was given; `error` in its place if given.
    """
    if given := given_options(arguments, names):
        raise error(
            f"{', '.join(given)} {'go' if given[1:] else 'goes'} with {other}. "
            f"Received: {received or f'no {other}'}"
        )


def table_options(arguments: argparse.Namespace) -> TableOptions:
    """Returns the arguments of `read_tabular` that the options ask for.

    Raises:
        DatasetError: if both --no-labels and --label-column are given.
    """
    chosen = {
        name: column
        for name in _COLUMNS
        if (column := getattr(arguments, f"{name}_column", None)) is not None
    }
    # A command without this option reads no labels.
    no_labels = getattr(arguments, "no_labels", True)
    if no_labels and "label" in chosen:
        raise DatasetError(
            "Expected either --no-labels or --label-column. Received: both"
        )
    if no_labels:
        chosen["label"] = None
    options: TableOptions = {
        **answer_options(arguments),
        "columns": Columns(**chosen),
        "group": arguments.group,
    }
    if right := getattr(arguments, "right", None):
        options["right"] = tuple(right)
    return options


def answer_options(arguments: argparse.Namespace) -> AnswerOptions:
    """Returns the arguments of `read_answers` that the options ask for."""
    chosen = {
        name: column
        for name in ("answer", "answer_id")
        if (column := getattr(arguments, f"{name}_column", None)) is not None
    }
    delimiter = arguments.delimiter
    return {
        "columns": Columns(**chosen),
        "quoted": not arguments.no_quotes,
        "delimiter": _DELIMITERS.get(delimiter, delimiter),
        "encoding": arguments.encoding or "utf-8",
    }
