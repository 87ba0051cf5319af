"""Names of the columns of a user's own table."""

from collections.abc import Iterable
from dataclasses import dataclass
from dataclasses import fields

from keras_qa.errors import DatasetError


@dataclass(frozen=True)
class Columns:
    """The names of the columns (CSV, TSV, Parquet) or keys (JSON lines).

    A file may write them in other case, and with white space around them,
    unless one of its columns has exactly the name.

    Attributes:
        question: column with the question's text.
        answer: column with the candidate's text.
        label: column with the label; None labels every answer 1.
        question_id: column with the question's id; None identifies questions
            by their text and numbers them.
        answer_id: column with the candidate's id; None uses the position among
            the question's candidates.
    """

    question: str = "question"
    answer: str = "answer"
    label: str | None = "label"
    question_id: str | None = None
    answer_id: str | None = None

    @property
    def names(self) -> list[str]:
        """The columns that a file must have."""
        optional = (self.label, self.question_id, self.answer_id)
        required = [self.question, self.answer]
        return required + [name for name in optional if name is not None]

    def match(self, header: Iterable[str]) -> dict[str, list[str]]:
        """Finds the columns of a file by their names.

        Args:
            header: the names in the file.

        Returns:
            For each of `names` the columns in question: one, unless the
            column is missing, or repeated, or several differ from the name in
            case only.
        """
        header = list(header)
        return {
            name: [other for other in header if other == name]
            or [other for other in header if _plain(other) == _plain(name)]
            for name in self.names
        }

    def how_to_name(self, name: str) -> str:
        """Says by which arguments another name is given for a column."""
        part = next(
            f.name for f in fields(self) if getattr(self, f.name) == name
        )
        option = part.replace("_", "-")
        said = f"or its name by `Columns({part}=...)`, --{option}-column"
        return f"{said}, or --no-labels" if part == "label" else said


def checked_columns(columns: Columns | None) -> Columns:
    """The given columns; without, those of the usual names.

    Raises:
        DatasetError: if they are something else, such as a dict, or one
            column has two meanings.
    """
    if not isinstance(columns, Columns | None):
        raise DatasetError(
            "`columns` must be a `keras_qa.datasets.columns.Columns`. "
            f"Received: columns={columns!r}"
        )
    columns = columns or Columns()
    texts = [_plain(columns.question), _plain(columns.answer)]
    labels = [_plain(columns.label)] if columns.label else []
    if len(set(texts + labels)) < len(texts + labels):
        raise DatasetError(
            "`columns` must have different columns for question, answer and "
            "label (--question-column, --answer-column, --label-column). "
            f"Received: {columns}"
        )
    return columns


def _plain(name: str) -> str:
    return name.strip().casefold()
