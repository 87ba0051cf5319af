"""The record of retrievers on SQuAD: one JSON object per line."""

from pathlib import Path
from typing import Any
from typing import TypedDict

from reproductions.records.json_lines import read_lines

CUTOFFS = (1, 3, 5)

Retrieval = TypedDict(
    "Retrieval",
    {
        "articles": str,
        "system": str,
        "pool": int,
        "questions": int,
        "recall@1": float,
        "recall@3": float,
        "recall@5": float,
        "versions": dict[str, Any],
    },
)


def read_retrievals(path: Path | str) -> list[Retrieval]:
    """The last record of each system and pool; none without the file.

    Raises:
        RecordError: if a line is not a record.
    """
    found = {
        (record["articles"], record["system"]): record
        for record in read_lines(path, Retrieval)
    }
    return list(found.values())
