"""Reads `ledger.toml`: where the kit departs from a paper, or had to choose."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

PATH = Path(__file__).with_name("ledger.toml")
FIELDS = ("paper", "where", "printed", "reading", "arguments", "tests")


class LedgerError(ValueError):
    """`ledger.toml` is malformed; the message names the file and the entry."""


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
            the fields of `Deviation`.
    """
    try:
        content = tomllib.loads(Path(path).read_text("utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise LedgerError(f"{path}: expected TOML. Received: {error}") from None
    entries = []
    for number, fields in enumerate(content.get("deviations", []), start=1):
        if set(fields) != set(FIELDS):
            raise LedgerError(
                f"{path}: deviation {number}: must have {', '.join(FIELDS)}. "
                f"Received: {', '.join(fields)}"
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
