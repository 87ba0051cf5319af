"""Reads `deviations.toml`: where the kit departs from a paper, or had to choose."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from typing import get_type_hints

from keras_qa.files.checks import fits
from keras_qa.files.checks import kind_name
from keras_qa.files.checks import misfit
from keras_qa.files.checks import read_toml
from keras_qa.files.text_files import shorten

PATH = Path(__file__).with_name("deviations.toml")
FIELDS = ("paper", "where", "printed", "reading", "arguments", "tests")


class LedgerError(ValueError):
    """`deviations.toml` is malformed; the message names the file and the entry."""


@dataclass(frozen=True)
class Deviation:
    """One reading that a paper needed.

    Attributes:
        paper: the paper's key, `"common"` for a reading that all share.
        where: equation, section or table of the paper.
        printed: what is printed there.
        reading: what the kit does by default, and why.
        arguments: what switches it, each as
            `"module.function_or_class(argument)"` or `"--option"` of a script;
            empty if there is no choice to offer.
        tests: the tests that show it, each as `"tests/file.py::name"`.
    """

    paper: str
    where: str
    printed: str
    reading: str
    arguments: tuple[str, ...]
    tests: tuple[str, ...]


def load_ledger(path: Path | str = PATH) -> list[Deviation]:
    """Reads all entries, in the order of the file.

    Raises:
        LedgerError: if the file is not TOML, or an entry does not have exactly
            the fields of `Deviation`, of their types.
    """
    content = read_toml(path, dict[str, Any], LedgerError)
    found = content.get("deviations", [])
    if not fits(found, list[dict[str, Any]]):
        raise LedgerError(
            f"{path}: `deviations` must be an array of tables. "
            f"Received: {shorten(found)}"
        )
    kinds = get_type_hints(Deviation)
    entries = []
    for number, fields in enumerate(found, start=1):
        place = f"{path}: deviation {number}"
        if set(fields) != set(FIELDS):
            raise LedgerError(
                f"{place}: must have {', '.join(FIELDS)}. "
                f"Received: {', '.join(fields):.300}"
            )
        if name := misfit(fields, kinds):
            raise LedgerError(
                f"{place}: `{name}` must be of type {kind_name(kinds[name])}. "
                f"Received: {shorten(fields[name])}"
            )
        entries.append(
            Deviation(
                paper=fields["paper"],
                where=fields["where"],
                printed=fields["printed"].strip(),
                reading=fields["reading"].strip(),
                arguments=tuple(fields["arguments"]),
                tests=tuple(fields["tests"]),
            )
        )
    return entries
