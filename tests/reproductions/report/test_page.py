"""The page of results: its sections, their order, the command."""

import json
import random
import re
import statistics

import pytest

from reproductions.records.deviations import load_deviations
from reproductions.records.paper_figures import load_papers
from reproductions.records.paper_figures import model_names
from reproductions.records.seed_groups import Statistic
from reproductions.report.page import build_page
from reproductions.report.page import main
from support.report_pages import PAPER
from support.report_pages import page
from support.report_pages import row_of
from support.report_pages import run
from support.report_pages import section


def test_mean_and_sample_deviation_over_seeds():
    values = [0.70, 0.71, 0.73]
    runs = [run(seed, MAP) for seed, MAP in enumerate(values)]
    dev = section(page(*runs), "### Measured on dev")
    # By hand: mean .71333, squares of (-.01333, -.00333, .01667) / 2.
    assert statistics.stdev(values) == pytest.approx(0.015275, abs=1e-6)
    row = row_of(dev, "HyperQA", "paper")
    assert row[2:6] == ["0.713 ± 0.015", "0.720 ± 0.000", "0.500 ± 0.000", "3"]
    assert row[6:10] == ["126", "1,130", "0", "90,302"]


def test_ties_are_counts():
    dev = section(page(run(ties=1169)), "### Measured on dev")
    assert row_of(dev, "HyperQA")[8] == "1,169"
    runs = [run(seed, ties=ties) for seed, ties in enumerate((1, 1, 2))]
    dev = section(page(*runs), "### Measured on dev")
    assert row_of(dev, "HyperQA")[8] == "1.3 ± 0.6"


def test_findings_stand_between_the_tables_of_dev_and_test():
    text = page(run(), run(split="test"))
    titles = [line for line in text.splitlines() if line.startswith("### ")]
    place = titles.index("### Findings")
    assert titles[place - 1] == "### Measured on dev"
    assert titles[place + 1] == "### Measured on test"
    part = section(text, "### Findings")
    assert "the figures are in the tables" in part
    bullets = [line[2:] for line in part.splitlines() if line[:2] == "- "]
    assert bullets == list(load_papers()[PAPER].findings)
    # Figures would grow stale: they are in the tables alone.
    assert not re.search(r"\d\.\d", part)


def test_one_seed_has_no_deviation():
    assert Statistic.of([0.7]) == Statistic(0.7, None, 1)
    dev = section(page(run(MAP=0.7124)), "### Measured on dev")
    assert row_of(dev, "HyperQA", "paper")[2] == "0.712"


def test_page_does_not_depend_on_the_order_of_seeds_and_runs():
    runs = [
        run(seed, model=model, dataset=dataset)
        for seed in (1, 2, 3)
        for model in ("bm25", "hyperqa", "cosineqa")
        for dataset in ("wikiqa", "trecqa-clean")
    ]
    expected = page(*runs)
    for seed in range(3):
        shuffled = random.Random(seed).sample(runs, len(runs))
        assert page(*shuffled) == expected


def test_dev_figures_never_stand_in_the_papers_tables():
    text = page(run(1, 0.654321, 0.712345))
    assert "0.654" not in section(text, "### The paper's tables")
    assert "0.654" not in section(text, "### Measured on test")
    assert "0.654" in section(text, "### Measured on dev")
    text = page(run(1, 0.654321, split="test"))
    assert "0.654" in section(text, "### The paper's tables")
    assert "0.654" in section(text, "### Measured on test")
    assert "0.654" not in section(text, "### Measured on dev")


def test_tables_of_one_changed_setting():
    runs = [
        run(seed, MAP + seed / 1000, overrides=overrides)
        for seed in (1, 3)
        for MAP, overrides in (
            (0.70, {}),
            (0.71, {"conversion": "parameter"}),
            (0.68, {"sampler": "random"}),
            (0.50, {"conversion": "gradient", "sampler": "max"}),
        )
    ]
    part = section(page(*runs), "### One setting changed")
    conversion = section(part, "#### `conversion`")
    assert row_of(conversion, "`none`")[1] == "0.702 ± 0.001"
    assert row_of(conversion, "`parameter` (changed)")[1] == "0.712 ± 0.001"
    assert "`gradient`" not in conversion
    sampler = section(part, "#### `sampler`")
    assert row_of(sampler, "`random` (changed)")[1] == "0.682 ± 0.001"
    # Two settings differ: the run belongs to neither table.
    assert "0.502" not in part
    # Changed settings do not stand among the recipe's own results.
    dev = section(page(*runs), "### Measured on dev")
    assert row_of(dev, "HyperQA")[2] == "0.702 ± 0.001"


def test_models_stand_in_the_order_of_the_targets():
    models = ("hyperqa", "cosineqa", "bm25", "cosine")
    dev = section(
        page(*(run(model=model) for model in models)), "### Measured on dev"
    )
    names = [line.split(" | ")[0][2:] for line in dev.splitlines()]
    known = [name for name in names if name in model_names().values()]
    assert known == ["untrained cosine", "BM25", "CosineQA", "HyperQA"]


def test_seconds_per_epoch():
    part = section(
        page(run(1), run(2, seconds_per_epoch=2.5)), "### Seconds per epoch"
    )
    row = row_of(part, "HyperQA")
    assert row[4:] == ["2", "2.0 ± 0.7", "2", "x86_64, 2 cores"]


def test_scored_questions_are_told_from_all():
    dev = section(
        page(run(questions=81, questions_scored=78)), "### Measured on dev"
    )
    assert row_of(dev, "HyperQA")[6] == "81, 78 scored"


def write_inputs(folder, runs):
    (folder / "runs.jsonl").write_text(
        "".join(json.dumps(r) + "\n" for r in runs)
    )
    return [
        f"--runs={folder / 'runs.jsonl'}",
        f"--output={folder / 'README.md'}",
    ]


def test_command_writes_and_checks(tmp_path, capsys):
    arguments = write_inputs(tmp_path, [run()])
    assert main([*arguments, "--check"]) == 1
    assert "README.md is stale" in capsys.readouterr().err
    assert main(arguments) == 0
    assert main([*arguments, "--check"]) == 0
    write_inputs(tmp_path, [run(), run(2)])
    assert main([*arguments, "--check"]) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "README.md",
        "runs.jsonl",
    ]


def test_bad_inputs_are_reported(tmp_path, capsys):
    arguments = write_inputs(tmp_path, [run()])
    (tmp_path / "runs.jsonl").write_text("[]\n")
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"error: {tmp_path / 'runs.jsonl'}:1: expected")
    write_inputs(tmp_path, [run()])
    for name in ("comparisons", "parameters"):
        path = tmp_path / f"{name}.jsonl"
        path.write_text("{}\n")
        assert main([*arguments, f"--{name}={path}"]) == 2
        assert f"error: {path}:1: expected" in capsys.readouterr().err
    assert main([*arguments, f"--targets={tmp_path / 'none'}"]) == 2
    assert "none" in capsys.readouterr().err
    assert not (tmp_path / "README.md").exists()


def test_page_in_the_repository_is_not_stale():
    assert main(["--check"]) == 0


def test_ledger_is_rendered():
    text = build_page(load_targets(), [], load_deviations())
    for entry in load_deviations():
        assert entry.where in text
        for name in (*entry.arguments, *entry.tests):
            assert f"`{name}`" in text
