"""Notebooks: what is executed, stored and shown."""

import json
from pathlib import Path

import pytest

from devtools import notebook

pytestmark = pytest.mark.once
DOCS = Path(__file__).parents[2] / "docs"


def made(*sources):
    cells = [
        {"cell_type": kind, "id": f"c{i}", "metadata": {}, "source": [text]}
        for i, (kind, text) in enumerate(sources)
    ]
    return {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def test_cells_share_names_and_keep_what_they_print(tmp_path, capsys):
    path = tmp_path / "é.ipynb"
    cells = [
        ("markdown", "# Sums\n"),
        ("code", "from pathlib import Path\nx = 2"),
        ("code", "Path('new').touch()\nprint(x + 1)\nprint('ü')"),
    ]
    path.write_text(json.dumps(made(*cells)))
    before = Path.cwd()
    assert notebook.main([str(path)]) == 0
    assert Path.cwd() == before and not Path("new").exists()
    assert capsys.readouterr().out == ""
    found = notebook.read(path)
    _, silent, loud = found["cells"]
    assert (silent["execution_count"], silent["outputs"]) == (1, [])
    assert notebook.printed(loud) == "3\nü\n"
    assert notebook.markdown(found).endswith(
        "\n\n```python\nPath('new').touch()\nprint(x + 1)\nprint('ü')\n```"
        "\n\n```text\n3\nü\n```\n"
    )


def test_a_cell_that_fails_leaves_the_notebook(tmp_path):
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps(made(("code", "1 / 0"))))
    with pytest.raises(ZeroDivisionError):
        notebook.main([str(path)])
    assert "outputs" not in notebook.read(path)["cells"][0]


@pytest.mark.parametrize("name", ["guide", "quickstart"])
def test_notebooks_of_the_documents_were_executed_anywhere(name):
    made = notebook.read(DOCS / f"{name}.ipynb")
    cells = [c for c in made["cells"] if "outputs" in c]
    assert [c["execution_count"] for c in cells] == [*range(1, 1 + len(cells))]
    assert all(notebook.printed(c) for c in cells)
    text = "".join(map(notebook.printed, cells))
    # No path of the machine.
    assert "/" not in text
