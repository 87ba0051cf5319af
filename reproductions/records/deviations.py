"""Reads `deviations.toml`: where the kit departs from a paper or had to choose.

A paper's folder contains one; `common_deviations.toml` is for all papers.
"""

from dataclasses import dataclass
from dataclasses import replace
from pathlib import Path

from keras_qa.files.checks import read_toml
from reproductions.records.json_lines import RecordError
from reproductions.records.paper_figures import FOLDER
from reproductions.records.paper_figures import load_papers

COMMON = "common"


@dataclass(frozen=True)
class Deviation:
    """One decision, needed where a paper contradicts itself or is silent.

    Attributes:
        where: equation, section or table of the paper.
        printed: what is printed there.
        default: what the kit does by default, and why.
        arguments: what changes the default, each as
            `"module.function_or_class(argument)"`, a setting `"--set name"` or
            an option `"--option"` of the paper's script; empty if nothing does.
        tests: the tests that show it, each as `"tests/file.py::name"`.
        paper: the paper's key, taken from the folder's name, or `"common"` for
            a decision that all papers share.
    """

    where: str
    printed: str
    default: str
    arguments: tuple[str, ...]
    tests: tuple[str, ...]
    paper: str = COMMON


@dataclass(frozen=True)
class _Ledger:
    deviations: tuple[Deviation, ...] = ()


def load_deviations(folder: Path | str = FOLDER) -> list[Deviation]:
    """Reads all entries: the common ones, then paper by paper.

    Args:
        folder: the folder that contains `records` and the papers' folders.

    Raises:
        RecordError: if a file is not TOML, or an entry does not have exactly
            the fields of `Deviation`, of their types.
    """
    folder = Path(folder)
    paths = {COMMON: folder / "records" / "common_deviations.toml"}
    paths |= {
        key: folder / key / "deviations.toml" for key in load_papers(folder)
    }
    return [
        replace(entry, paper=paper)
        for paper, path in paths.items()
        if path.exists()
        for entry in read_toml(path, _Ledger, RecordError).deviations
    ]
