"""The record of what ranking costs: one JSON object per line."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any
from typing import NotRequired
from typing import TypedDict

from reproductions.records.json_lines import read_lines
from reproductions.records.seed_groups import UNTRAINED

# The end of the name of a model that is trained, and without it ranks as it is.
TUNED = "-tuned"


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


def untuned(model: str) -> str:
    """The name of the model that ranks as it is; other names stay.

    >>> untuned("sentence-encoder-tuned"), untuned("cross-encoder")
    ('sentence-encoder', 'cross-encoder')
    """
    return model.removesuffix(TUNED)


def with_tuned(costs: Iterable[Cost]) -> list[Cost]:
    """The costs, and those of models that were measured as they are alone.

    Training changes neither the time nor the size of a model: by the recipe
    `best`, `X-tuned` costs what `X` costs. A record of its own comes first.

    Args:
        costs: the recorded costs.
    """
    costs = list(costs)
    recorded = {
        (cost["paper"], cost["model"], cost["dataset"]) for cost in costs
    }
    for cost in list(costs):
        name = cost["model"] + TUNED
        own = (cost["paper"], name, cost["dataset"]) in recorded
        if cost["recipe"] == UNTRAINED and not own:
            costs.append({**cost, "model": name, "recipe": "best"})
    return costs
