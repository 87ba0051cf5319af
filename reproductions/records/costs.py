"""The record of what ranking costs: one JSON object per line."""

from pathlib import Path
from typing import Any
from typing import NotRequired
from typing import TypedDict

from reproductions.records.reading import read_lines
from reproductions.records.runs import append_line


class Cost(TypedDict):
    """A record's fields; the last three are of models that have them."""

    paper: str
    model: str
    dataset: str
    recipe: str
    pool: int
    microseconds_per_pair: float
    bytes: int
    cores: int
    versions: dict[str, Any]
    microseconds_per_encoded_pair: NotRequired[float]
    parameters: NotRequired[int]
    seconds_per_epoch: NotRequired[float]


def append_cost(path: Path | str, record: dict[str, Any]) -> None:
    """Appends a record to the file, completely or not at all.

    Raises:
        RecordError: if the record lacks a field or is not JSON.
    """
    append_line(path, record, Cost)


def read_costs(path: Path | str) -> list[Cost]:
    """The last record of each system and data set; none without the file.

    Raises:
        RecordError: if a line is not a record.
    """
    found = {
        (cost["paper"], cost["model"], cost["dataset"]): cost
        for cost in read_lines(path, Cost)
    }
    return list(found.values())
