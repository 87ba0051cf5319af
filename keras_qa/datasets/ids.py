"""The ids of questions and candidates, as trec_eval reads them."""

import re
from collections.abc import Iterable
from pathlib import Path

from keras_qa.datasets.dataset import Question
from keras_qa.errors import DatasetError
from keras_qa.files.text_files import check_text


def no_blanks(id: str) -> str:
    """An identifier with `_` in place of each white-space character."""
    return re.sub(r"\s", "_", id)


def id_text(path: Path, line: int, name: str, value: object) -> str:
    """The id in a field of a table, where it may be a number, as in JSON.

    Raises:
        DatasetError: see `keras_qa.files.text_files.check_text`.
    """
    return check_text(
        path, line, name, str(value) if isinstance(value, int) else value
    )


def check_ids(questions: Iterable[Question]) -> None:
    """Checks that the ids of questions differ, without blanks too.

    Raises:
        DatasetError: if two have the same id.
    """
    seen: dict[str, str] = {}
    for question in questions:
        name = no_blanks(question.id)
        if name in seen:
            raise DatasetError(
                "`questions` must have distinct ids, also with `_` in place of "
                f"white space. Received: {seen[name]!r} and {question.id!r}"
            )
        seen[name] = question.id
