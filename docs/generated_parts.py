"""Puts parts into the pages that are made from the kit's own files.

A line of a page such as

    <!-- part: ledger hyperqa -->

is replaced, whenever the page is read, by what the function of that name in
`PARTS` returns for the words behind it. So the pages contain no copy of a
figure, of a deviation or of a help text that could go stale.
"""

import contextlib
import functools
import importlib
import io
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from unittest import mock

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from benchmarks import own_data
from devtools import notebook as notebooks
from keras_qa.cli import main as cli
from reproductions.records.deviations import load_deviations
from reproductions.records.paired_tests import read_paired_tests
from reproductions.records.paper_figures import load_papers
from reproductions.records.runs import read_all_runs
from reproductions.records.seed_groups import group_runs
from reproductions.report import ledger_page
from reproductions.report import paper_page
from reproductions.report.search_tables import read_searches
from reproductions.report.sections.transfer import transfer_parts

PART = re.compile(r"^<!-- part: (\w+) (.+) -->$", re.MULTILINE)
FIGURE = re.compile(r"(?<=\d) (?=[±↓°])|(?<=±) (?=\d)|(?<=↓) (?=°)")
FOLDER = Path(__file__).parents[1] / "reproductions"
FILES = {
    "citation": ("*/paper.toml",),
    "results": ("*/paper.toml", "*/searches/*.jsonl", "records/*.jsonl"),
    "ledger": ("*/*deviations.toml",),
    "trials": ("../benchmarks/own_data.jsonl",),
    "benchmark": ("../benchmarks/*.json",),
    "notebook": ("../docs/*.ipynb",),
    "printed": ("../docs/guide.ipynb",),
    "transfer": ("*/paper.toml", "records/*.jsonl"),
}

load_all_runs = functools.cache(
    lambda: group_runs(read_all_runs(FOLDER / "records"))
)


def citation(paper: str) -> str:
    """A paper's authors, title and place, with a link to it."""
    return paper_page.citation(load_papers()[paper])


def results(paper: str) -> str:
    """What was measured for a paper, as on its page in the repository."""
    parts = paper_page.results(
        load_papers()[paper],
        load_all_runs(),
        [test for test in read_paired_tests() if test.paper == paper],
        read_searches(FOLDER / paper),
    )
    # The page has a heading for them.
    text = re.sub(r"^##", "###", "\n".join(parts), flags=re.MULTILINE)
    # Further tables have pages here; pictures are in the paper's folder.
    text = re.sub(
        r"\]\((?:pictures/)?(tables|spaces|radii)\.md",
        rf"]({paper}-\1.md",
        text,
    )
    return text.replace(
        "](pictures/", f"](../../reproductions/{paper}/pictures/"
    )


def ledger(paper: str) -> str:
    """The deviations of a paper, or of all of them (`common`)."""
    entries = [entry for entry in load_deviations() if entry.paper == paper]
    return "\n".join(ledger_page.ledger(entries, "###"))


def command(words: str) -> str:
    """The help of a subcommand of `keras-qa`."""
    return _help(cli.main, words.split())


def script(given: str) -> str:
    """The help of a script, named by its module and perhaps a first word."""
    module, *words = given.split()
    return _help(importlib.import_module(module).main, words)


def _help(main: Callable[[list[str]], int], words: list[str]) -> str:
    text = io.StringIO()
    width = mock.patch.dict(os.environ, {"COLUMNS": "80", "NO_COLOR": "1"})
    with (
        width,
        contextlib.redirect_stdout(text),
        contextlib.suppress(SystemExit),
    ):
        main([*words, "--help"])
    return f"```\n{text.getvalue().strip()}\n```"


def trials(record: str) -> str:
    """The table of the trials of `benchmarks.own_data`, in the repository."""
    return own_data.table(own_data.read_record(FOLDER.parent / record))


def benchmark(given: str) -> str:
    """The table of a benchmark's record, or how to make a missing record.

    A second word names another function of the benchmark than `table`.
    """
    name, _, function = given.partition(" ")
    module = f"benchmarks.{name}"
    path = FOLDER.parent / f"benchmarks/{name}.json"
    if not path.is_file():
        return f"(There is no record: `python -m {module}` makes it.)"
    record = json.loads(path.read_text("utf-8"))
    made = getattr(importlib.import_module(module), function or "table")(record)
    return str(made)


def notebook(path: str) -> str:
    """The cells of a notebook, and what they printed when it was executed."""
    return notebooks.markdown(notebooks.read(FOLDER.parent / path))


def printed(name: str) -> str:
    """What a cell of the guide's notebook printed, as it stands there."""
    cells = notebooks.read(FOLDER.parent / "docs/guide.ipynb")["cells"]
    (cell,) = (cell for cell in cells if cell["id"] == name)
    return notebooks.printed(cell).strip()


def transfer(split: str) -> str:
    """What a training on other data sets first adds, on a split."""
    return "\n".join(transfer_parts(load_papers(), load_all_runs(), split))


PARTS: dict[str, Callable[[str], str]] = {
    "citation": citation,
    "results": results,
    "ledger": ledger,
    "command": command,
    "script": script,
    "trials": trials,
    "benchmark": benchmark,
    "notebook": notebook,
    "printed": printed,
    "transfer": transfer,
}


def unbroken(text: str) -> str:
    """A page whose tables do not break a figure from its spread or mark."""
    return re.sub(
        r"^\|.*", lambda row: FIGURE.sub("\u00a0", row[0]), text, flags=re.M
    )


def replace_parts(app: Sphinx, docname: str, source: list[str]) -> None:
    """Replaces the lines of a page that name a part.

    Raises:
        ExtensionError: if there is no such part.
    """

    def made(line: re.Match[str]) -> str:
        kind, what = line.groups()
        if kind not in PARTS:
            raise ExtensionError(
                f"{docname}: expected one of {sorted(PARTS)}. "
                f"Received: {line.group()!r}"
            )
        for name in FILES.get(kind, ()):
            for path in FOLDER.glob(name):
                app.env.note_dependency(path, docname=docname)
        return PARTS[kind](what)

    source[0] = unbroken(PART.sub(made, source[0]))


def keep_figures(
    app: Sphinx, path: Path, docname: str, source: list[str]
) -> None:
    """Does as much for files that a page includes."""
    source[0] = unbroken(source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Registers the extension."""
    app.connect("source-read", replace_parts)
    app.connect("include-read", keep_figures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
