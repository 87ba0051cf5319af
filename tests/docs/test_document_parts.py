"""The generated parts of the documents, without a run of Sphinx."""

import json
import re
import sys
from pathlib import Path

import pytest

from reproductions.records.deviations import load_deviations

ROOT = Path(__file__).parents[2]
TAG = re.compile(r"<[A-Za-z/][^>\n]*>")


def test_no_page_takes_a_word_of_the_ledger_for_html():
    for entry in load_deviations():
        for text in (entry.where, entry.printed, entry.default):
            assert not TAG.search(re.sub(r"`[^`]*`", "", text)), entry.where


def test_each_deviation_has_a_section(monkeypatch):
    pytest.importorskip("sphinx")
    monkeypatch.setattr(sys, "path", [str(ROOT / "docs"), *sys.path])
    import generated_parts

    text = generated_parts.ledger("iam")
    entries = [entry for entry in load_deviations() if entry.paper == "iam"]
    assert len(entries) == text.count("### ")
    plain = " ".join(text.split())
    for entry in entries:
        assert f"### {entry.where}\n" in text
        assert " ".join(entry.default.split()) in plain
        for name in (*entry.arguments, *entry.tests):
            assert f"`{name}`" in plain


def test_further_tables_of_a_paper_have_pages(monkeypatch):
    pytest.importorskip("sphinx")
    monkeypatch.setattr(sys, "path", [str(ROOT / "docs"), *sys.path])
    import generated_parts

    text = generated_parts.results("hyperqa")
    folder = ROOT / "docs/papers"
    links = re.findall(r"\]\(([\w./-]+\.(?:md|png|txt))\)", text)
    for name in ("radii", "spaces", "tables"):
        assert f"hyperqa-{name}.md" in links
    for link in links:
        # A document of Sphinx, or a file of the paper.
        if link.endswith(".md"):
            assert link.startswith(("hyperqa-", "../"))
        assert (folder / link).is_file(), link


def test_the_trials_are_a_table(monkeypatch):
    pytest.importorskip("sphinx")
    monkeypatch.setattr(sys, "path", [str(ROOT / "docs"), *sys.path])
    import generated_parts

    header, rule, *rows = generated_parts.trials(
        "benchmarks/own_data.jsonl"
    ).splitlines()
    assert header.count("|") == rule.count("|") == 9
    assert all(row.count("|") == 9 for row in rows)


def test_the_guide_shows_what_its_notebook_printed(monkeypatch):
    pytest.importorskip("sphinx")
    monkeypatch.setattr(sys, "path", [str(ROOT / "docs"), *sys.path])
    import generated_parts

    text = (ROOT / "docs/guide.md").read_text("utf-8")
    names = re.findall(r"<!-- part: printed (\w+) -->", text)
    assert names == ["train", "evaluate", "other"]
    for name in names:
        assert generated_parts.printed(name).startswith("| Ranker | MAP |")
    page = generated_parts.notebook("docs/guide.ipynb")
    assert page.startswith("# The guide in Python\n") and "```text\n" in page


def test_a_benchmark_without_a_record_says_how_to_make_it(
    monkeypatch, tmp_path
):
    pytest.importorskip("sphinx")
    monkeypatch.setattr(sys, "path", [str(ROOT / "docs"), *sys.path])
    import generated_parts

    monkeypatch.setattr(generated_parts, "FOLDER", tmp_path / "reproductions")
    text = generated_parts.benchmark("serving")
    assert "`python -m benchmarks.serving`" in text
    row = {"clients": 8, "per_second": 99.6, "p50_ms": 1.0, "p99_ms": 2.0}
    row |= {"sent": 12, "200": 10, "503": 1}
    record = {"load": [{"contender": "loop", **row}], "overload": row}
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks/serving.json").write_text(json.dumps(record))
    lines = generated_parts.benchmark("serving").splitlines()
    assert lines[2] == "| loop | 8 | 100 | 1.0 | 2.0 | 1 | 1 |"
    assert len(lines) == 4


def test_every_layer_has_a_page():
    import keras_qa.layers

    page = (ROOT / "docs/api/layers.md").read_text("utf-8")
    listed = re.findall(r"^   (\w+)$", page, re.MULTILINE)
    assert sorted(listed) == sorted(keras_qa.layers.__all__)


def test_the_equations_of_layers_are_mathml(monkeypatch):
    pytest.importorskip("sphinx")
    pytest.importorskip("latex2mathml")
    monkeypatch.setattr(sys, "path", [str(ROOT / "docs"), *sys.path])
    import docstrings
    import mathml
    from sphinx.errors import ExtensionError

    for formulas in docstrings.equations().values():
        for latex in formulas:
            # Raises if it cannot be converted.
            mathml.to_mathml(latex, "block")
    with pytest.raises(ExtensionError, match="converts"):
        mathml.to_mathml(r"\nosuchcommand{x}", "inline")


def test_a_docstring_and_its_equations_agree(monkeypatch):
    pytest.importorskip("sphinx")
    monkeypatch.setattr(sys, "path", [str(ROOT / "docs"), *sys.path])
    import docstrings
    from sphinx.errors import ExtensionError

    text = ["Sum.", "", "    y = a + b", "", "It is a sum."]
    made = docstrings.to_restructured(text, ["y = a + b"])
    assert ".. math:: y = a + b" in made
    assert "::" in docstrings.to_restructured(text)
    with pytest.raises(ExtensionError, match="expected 1 formulas"):
        docstrings.to_restructured(text, [])


def test_figures_of_tables_are_not_broken(monkeypatch):
    pytest.importorskip("sphinx")
    monkeypatch.setattr(sys, "path", [str(ROOT / "docs"), *sys.path])
    import generated_parts

    text = "of 0.5 ± 0.1\n| a b | 0.5 ± 0.1 ↓ ° | –0.2 ↓ |\n"
    assert generated_parts.unbroken(text) == (
        "of 0.5 ± 0.1\n"
        "| a b | 0.5\u00a0±\u00a00.1\u00a0↓\u00a0° | –0.2\u00a0↓ |\n"
    )
