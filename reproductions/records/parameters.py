"""Reads `parameters.jsonl`: the numbers of weights of our models."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from typing import get_type_hints

from keras_qa.files.checks import misfit
from keras_qa.files.whole import write_whole

PATH = Path(__file__).with_name("parameters.jsonl")


class ParametersError(ValueError):
    """A line is not a count; the message names the file and the line."""


@dataclass(frozen=True)
class Counted:
    """The number of weights of a model.

    Attributes:
        paper: the paper's key.
        model: the model's name.
        sizes: the letters of the paper's formula with their values.
        formula: what the paper's formula gives for them.
        parameters: the weights of our model that the formula counts.
    """

    paper: str
    model: str
    sizes: dict[str, int]
    formula: int
    parameters: int


def write_parameters(counts: Iterable[Counted], path: Path | str) -> None:
    """Writes the counts, one JSON object per line."""
    lines = [json.dumps(asdict(count)) + "\n" for count in counts]
    write_whole(path, lambda part: part.write_text("".join(lines), "utf-8"))


def read_parameters(path: Path | str = PATH) -> list[Counted]:
    """Reads all counts; no file means none.

    Raises:
        ParametersError: if a line is not a count.
    """
    path = Path(path)
    if not path.exists():
        return []
    counts = []
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        try:
            counts.append(_parse(json.loads(line)))
        # The last is of JSON that is nested too deep.
        except (TypeError, ValueError, RecursionError) as error:
            raise ParametersError(
                f"{path}:{number}: expected the count of a model. "
                f"Received: {line[:80]!r}"
            ) from error
    return counts


def _parse(fields: dict[str, Any]) -> Counted:
    counted = Counted(**fields)
    if name := misfit(fields, get_type_hints(Counted)):
        raise TypeError(f"{name}={fields[name]!r}")
    return counted
