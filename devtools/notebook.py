"""Executes a notebook and stores what its cells print.

    python -m devtools.notebook docs/guide.ipynb

The cells share one namespace and run in a new folder; standard error, where
the progress is, is not stored. Any other tool that executes notebooks, such as
Jupyter, does as well.
"""

import contextlib
import io
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

NAMESPACE = {"__name__": "notebook"}


def execute(notebook: dict[str, Any]) -> None:
    """Executes the cells, and replaces their outputs."""
    names: dict[str, Any] = dict(NAMESPACE)
    count = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        count += 1
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec("".join(cell["source"]), names)
        text = printed.getvalue().splitlines(keepends=True)
        stream = {"name": "stdout", "output_type": "stream", "text": text}
        cell["execution_count"] = count
        cell["outputs"] = [stream] if text else []


def printed(cell: dict[str, Any]) -> str:
    """What a cell printed, by its stored outputs."""
    return "".join("".join(o["text"]) for o in cell.get("outputs", ()))


def markdown(notebook: dict[str, Any]) -> str:
    """The cells as a page, with what they printed."""
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"]).rstrip("\n")
        if cell["cell_type"] == "code":
            source = f"```python\n{source}\n```"
        parts.append(source)
        if printed(cell):
            parts.append(f"```text\n{printed(cell).rstrip()}\n```")
    return "\n\n".join(parts) + "\n"


def read(path: Path) -> dict[str, Any]:
    """The content of a notebook."""
    return json.loads(path.read_text("utf-8"))


def main(argv: Sequence[str] | None = None) -> int:
    (name,) = sys.argv[1:] if argv is None else argv
    path = Path(name).resolve()
    notebook = read(path)
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            execute(notebook)
        finally:
            os.chdir(before)
    text = json.dumps(notebook, indent=1, ensure_ascii=False)
    path.write_text(f"{text}\n", "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
