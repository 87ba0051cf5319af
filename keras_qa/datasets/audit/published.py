"""The counts of data sets in the papers."""

import json
from importlib import resources
from typing import Any


def published_counts(
    name: str, paper: str | None = None
) -> dict[str, Any] | None:
    """The counts that a paper gives for a data set, as printed.

    Args:
        name: the data set's name.
        paper: the paper's name; None takes the first with the data set.

    Returns:
        A dictionary with `source`, `column`, a dictionary with `questions`
        and optionally `pairs` or `positives` for each split, and optionally a
        `note`; None if there are no counts of the data set.
    """
    file = resources.files("keras_qa.datasets.audit").joinpath("published.json")
    tables = json.loads(file.read_text("utf-8"))
    if paper is not None:
        tables = {key: tables[key] for key in tables if key == paper}
    for table in tables.values():
        if name in table["columns"]:
            return {"source": table["source"], **table["columns"][name]}
    return None
