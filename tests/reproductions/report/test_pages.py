"""All pages of results: what they are made of, and the command."""

import json
import re
import shutil
from importlib.util import find_spec

import pytest

from reproductions.records.deviations import load_deviations
from reproductions.records.runs import read_all_runs
from reproductions.records.seed_groups import group_runs
from reproductions.report.ledger_page import ledger_page
from reproductions.report.pages import ROOT
from reproductions.report.pages import build_pages
from reproductions.report.pages import main
from reproductions.report.rules.row_runs import LENGTHS
from reproductions.report.rules.row_runs import PLAIN
from support.report_pages import RESULTS
from support.report_pages import row_of
from support.report_pages import run
from support.report_pages import section
from support.report_pages import write_paper

README = "# R\n\n<!-- results -->\n<!-- /results -->\n\nmore\n"


@pytest.fixture
def root(tmp_path):
    """A project with one paper that no file of the kit knows."""
    folder = tmp_path / "reproductions"
    rows = 'rows = [{ model = "M", ours = "m", MAP = 0.5, seconds = 3 }]'
    write_paper(folder, '[models]\nm = "Em"', RESULTS + rows)
    (tmp_path / "README.md").write_text(README)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/choosing.md").write_text(README)
    (folder / "records").mkdir()
    return tmp_path


def write_runs(root, *runs):
    path = root / "reproductions/records/runs.jsonl"
    path.write_text("".join(json.dumps(run) + "\n" for run in runs))
    return path


SIXTH = {
    "paper": "p",
    "model": "m",
    "dataset": "d",
    "split": "test",
    "metrics": {"MAP": 0.58, "accuracy": 0.4},
    "vectors": [],
    "training_set": "train",
    "training": {"pairs": 10},
}


def test_another_paper_needs_only_its_folder(root):
    write_runs(root, *(run(seed, **SIXTH) for seed in range(5)))
    pages = build_pages(root)
    folder = root / "reproductions"
    assert set(pages) == {
        root / "README.md",
        root / "docs/choosing.md",
        folder / "README.md",
        folder / "best.md",
        folder / "models.md",
        folder / "frontier.md",
        folder / "retrieval.md",
        folder / "records/common_deviations.md",
        folder / "p/README.md",
        folder / "p/deviations.md",
    }
    text = pages[folder / "p/README.md"]
    assert row_of(text, "M")[-1] == "**within** 0.1 (MAP +0.080)"
    measured = section(text, "## Measured on test")
    assert row_of(measured, "Em", "paper")[3:5] == [
        *("0.580 ± 0.000", "0.400 ± 0.000")
    ]
    assert "## Findings" not in text
    assert "## Commands" not in text
    front = row_of(pages[folder / "README.md"], "Em", "`d`")
    assert front[2:5] == ["0.500", "–", "0.580 ± 0.000"]
    assert front[-1] == "**within** 0.1 (MAP +0.080)"
    # One line can be held against its paper, and then none can.
    incomparable = "none confirms or refutes it"
    texts = pages[folder / "README.md"], pages[root / "README.md"]
    assert not any(incomparable in " ".join(t.split()) for t in texts)
    best = {**SIXTH, "recipe": "best"}
    write_runs(root, *(run(seed, **best) for seed in range(5)))
    pages = build_pages(root)
    texts = pages[folder / "README.md"], pages[root / "README.md"]
    assert all(incomparable in " ".join(t.split()) for t in texts)
    assert row_of(texts[0], "Em", "`d`")[-1] == "S"


def test_command_writes_and_checks(root, capsys):
    arguments = ["--root", str(root)]
    runs = [run(seed, **SIXTH) for seed in range(5)]
    write_runs(root, *runs)
    assert main([*arguments, "--check"]) == 1
    errors = capsys.readouterr().err.splitlines()
    assert len(errors) == 10
    assert all("is stale: run `python -m rep" in line for line in errors)
    assert main(arguments) == 0
    assert main([*arguments, "--check"]) == 0
    readme = (root / "README.md").read_text()
    assert readme.startswith("# R\n\n<!-- results -->\n\n| Model |")
    assert readme.endswith("model passes.\n\n<!-- /results -->\n\nmore\n")
    write_runs(root, *runs, run(5, **SIXTH))
    capsys.readouterr()
    assert main([*arguments, "--check"]) == 1
    # The ledgers have no runs.
    assert "deviations" not in capsys.readouterr().err
    names = {path.name for path in (root / "reproductions/records").iterdir()}
    assert names == {"runs.jsonl", "common_deviations.md"}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("records/runs.jsonl", "[]\n", ":1: expected"),
        ("records/paired_tests.jsonl", "{}\n", ":1: expected paper, dataset"),
        ("p/deviations.toml", "=", ": expected TOML"),
        ("p/paper.toml", "why = 1", ": expected key, name"),
        ("../README.md", "# R\n", ": expected a line '<!-- results -->'"),
    ],
)
def test_bad_inputs_are_reported(root, capsys, name, content, message):
    path = root / "reproductions" / name
    path.write_text(content)
    assert main(["--root", str(root)]) == 2
    assert f"{path.name}{message}" in capsys.readouterr().err
    assert not (root / "reproductions/README.md").exists()


def test_a_missing_readme_is_reported(root, capsys):
    (root / "README.md").unlink()
    assert main(["--root", str(root)]) == 2
    assert "README.md" in capsys.readouterr().err


@pytest.fixture(scope="module")
def own_pages():
    return build_pages()


def test_pages_in_the_repository_are_not_stale(own_pages):
    """As `python -m reproductions.report --check` says, see above."""
    for path, text in own_pages.items():
        assert path.read_text("utf-8") == text, path


def test_pages_do_not_depend_on_where_they_are(own_pages, tmp_path):
    """The same files give the same pages."""
    sources = [ROOT / "README.md", ROOT / "docs/choosing.md"]
    for source in [*sources, *(ROOT / "reproductions").glob("**/*.*l")]:
        target = tmp_path / source.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
    assert {
        path.relative_to(tmp_path): text
        for path, text in build_pages(tmp_path).items()
    } == {path.relative_to(ROOT): text for path, text in own_pages.items()}


def test_the_references_page_has_all_their_runs(own_pages):
    """The papers' pages say so; docs/transfer.md has other settings."""
    folder = ROOT / "reproductions"
    page = own_pages[folder / "references/README.md"]
    made = section(page, "## How each figure was made")
    own = [
        group
        for group in group_runs(read_all_runs(folder / "records"))
        if group.paper == "references"
        and group.overrides.keys() <= PLAIN | LENGTHS
    ]
    assert made.count("```\npython -m") == len(own) > 0


def test_lines_are_no_wider_than_a_screen(own_pages):
    pages = dict(own_pages)
    front = pages[ROOT / "reproductions" / "README.md"].splitlines()
    assert len(front) <= 72
    assert max(map(len, front)) <= 120
    del pages[ROOT / "README.md"]
    for path, text in pages.items():
        # An equation is shorter on a screen than in LaTeX.
        text = re.sub(r"\$[^$\n]+\$", "", text)
        # Long names of models with names of rows.
        assert max(map(len, text.splitlines())) <= 150, path


def test_commands_of_the_pages_exist(own_pages):
    text = "".join(own_pages.values())
    modules = set(re.findall(r"python -m ([\w.]+)", text))
    assert "reproductions.significance" in modules
    for module in modules:
        assert find_spec(module), module


def test_ledger_is_rendered():
    entries = load_deviations()
    text = ledger_page("All", entries)
    plain = " ".join(text.split())
    for entry in entries:
        assert f"## {entry.where}\n" in text
        assert " ".join(entry.default.split()) in plain
        for name in (*entry.arguments, *entry.tests):
            assert f"`{name}`" in plain
