"""Puts parts into the pages that are made from the kit's own files.

A line of a page such as

    <!-- part: ledger hyperqa -->

is replaced, whenever the page is read, by what the function of that name in
`PARTS` returns for the words behind it. So the pages hold no copy of a figure,
of a deviation or of a command's help that could go stale.
"""

import contextlib
import functools
import importlib
import io
import os
import re
from collections.abc import Callable
from collections.abc import Iterable
from pathlib import Path
from unittest import mock

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from keras_qa.cli import main as cli
from reproductions.records.deviations import Deviation
from reproductions.records.deviations import load_deviations
from reproductions.records.paired_tests import read_paired_tests
from reproductions.records.paper_figures import load_papers
from reproductions.records.parameters import read_parameters
from reproductions.records.runs import read_runs
from reproductions.records.seed_groups import group_runs
from reproductions.report import page as report

PART = re.compile(r"^<!-- part: (\w+) (.+) -->$", re.MULTILINE)
FOLDER = Path(report.__file__).parents[1] / "records"
FILES = {
    "citation": ("paper_figures",),
    "results": ("paper_figures", "runs", "paired_tests", "parameters"),
    "ledger": ("deviations",),
}

load_all_runs = functools.cache(
    lambda: group_runs(read_runs(FOLDER / "runs.jsonl"))
)


def citation(paper: str) -> str:
    """A paper's authors, title and place, with a link to it."""
    found = load_papers()[paper]
    return f"{found.authors}: {found.title}. [{found.venue}]({found.link})."


def results(paper: str) -> str:
    """A paper's tables with ours beside them, as on the results page."""
    targets = load_targets()
    compared = read_paired_tests(FOLDER / "paired_tests.jsonl")
    counts = read_parameters(FOLDER / "parameters.jsonl")
    parts = report.paper_results(
        targets.papers[paper],
        targets.models,
        [group for group in load_all_runs() if group.paper == paper],
        [entry for entry in compared if entry.paper == paper],
        [entry for entry in counts if entry.paper == paper],
    )
    text = "\n".join(parts)
    # Pictures lie beside the results page; further tables have pages here.
    text = text.replace("](pictures/", "](../../reproductions/pictures/")
    return re.sub(r"\]\(tables/(\w+)\.md", r"](\1-tables.md", text)


def ledger(paper: str) -> str:
    """The deviations of a paper, or of all of them (`common`).

    A section for each: five columns, two of them of long names, would be twice
    as wide as the page.
    """
    return "\n".join(
        _deviation(entry) for entry in load_deviations() if entry.paper == paper
    )


def _deviation(entry: Deviation) -> str:
    # On one line each, so that no line begins as a list or a heading does.
    title, printed, reading = (
        " ".join(text.split())
        for text in (entry.where, entry.printed, entry.reading)
    )
    return (
        f"### {title}\n\n"
        f"*As printed:* {printed}\n\n"
        f"*Our default:* {reading}\n\n"
        f"*Switch:* {_names(entry.arguments)}. "
        f"*Shown by:* {_names(entry.tests)}.\n"
    )


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "none"


def command(words: str) -> str:
    """The help of a subcommand of `keras-qa`."""
    return _help(cli.main, words.split())


def script(module: str) -> str:
    """The help of a script, named by its module."""
    return _help(importlib.import_module(module).main, [])


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


PARTS: dict[str, Callable[[str], str]] = {
    "citation": citation,
    "results": results,
    "ledger": ledger,
    "command": command,
    "script": script,
}


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
            for path in FOLDER.glob(f"{name}.*l"):
                app.env.note_dependency(path, docname=docname)
        return PARTS[kind](what)

    source[0] = PART.sub(made, source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Registers the extension."""
    app.connect("source-read", replace_parts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
