"""A paper's page: its sections and their order."""

import random
import re
import statistics

import pytest

from reproductions.records.paper_figures import load_papers
from reproductions.records.seed_groups import Statistic
from support.report_pages import PAPER
from support.report_pages import page
from support.report_pages import row_of
from support.report_pages import run
from support.report_pages import section
from support.report_pages import seeds


def test_mean_and_sample_deviation_over_seeds():
    values = [0.70, 0.71, 0.73]
    runs = [run(seed, MAP) for seed, MAP in enumerate(values)]
    dev = section(page(*runs), "## Measured on dev")
    # By hand: mean .71333, squares of (-.01333, -.00333, .01667) / 2.
    assert statistics.stdev(values) == pytest.approx(0.015275, abs=1e-6)
    row = row_of(dev, "HyperQA", "paper", "`other`")
    assert row[3:7] == ["0.713 ± 0.015", "0.720 ± 0.000", "0.500 ± 0.000", "3"]
    assert row[7:] == ["0"]
    conditions = "126 questions, 1,130 candidates; trained on train less its"
    assert f"\n{conditions} fold, 7,481 pairs:\n" in dev


def test_ties_are_counts():
    dev = section(page(run(ties=1169)), "## Measured on dev")
    assert row_of(dev, "HyperQA")[-1] == "1,169"
    runs = [run(seed, ties=ties) for seed, ties in enumerate((1, 1, 2))]
    dev = section(page(*runs), "## Measured on dev")
    assert row_of(dev, "HyperQA")[-1] == "1.3 ± 0.6"


def test_findings_are_between_the_tables_of_dev_and_test():
    text = page(run(), run(split="test", once=True))
    titles = [line for line in text.splitlines() if line.startswith("## ")]
    place = titles.index("## Findings")
    assert "## Measured on dev" in titles[:place]
    assert titles[place + 1] == "## Test, measured once"
    part = section(text, "## Findings")
    assert "the figures are in the tables" in part
    bullets = [" ".join(text.split()) for text in part.split("\n- ")[1:]]
    findings = load_papers()[PAPER].findings
    assert bullets == [" ".join(finding.split()) for finding in findings]
    # Figures would grow stale: they are in the tables alone.
    assert not re.search(r"\d\.\d", part)


def test_findings_leave_numbers_of_seeds_to_the_tables_of_references():
    """A run that is recorded later would make them wrong."""
    papers = [p for p in load_papers().values() if p.reference]
    assert papers
    for paper in papers:
        for finding in paper.findings:
            assert not re.search(r"\bseeds?\b", finding), paper.key


def test_findings_leave_comparisons_to_the_tests():
    """They would outlive the records: the words come from rules/claims.py."""
    words = r"significan|level with|\b(above|below|beats?|better|worse)\b"
    for paper in load_papers().values():
        for finding in paper.findings:
            assert not re.search(words, finding), paper.key


def test_one_seed_has_no_deviation():
    assert Statistic.of([0.7]) == Statistic(0.7, None, 1)
    dev = section(page(run(MAP=0.7124)), "## Measured on dev")
    assert row_of(dev, "HyperQA", "paper")[3] == "0.712"


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


def test_dev_figures_are_compared_with_none_of_the_paper():
    text = page(run(1, 0.654321, 0.712345))
    table = section(text, "### Table 2")
    assert "Verdict" not in table
    assert row_of(table, "HyperQA")[5].startswith("0.654 (")
    assert "ours, of other questions than the paper's figures" in table
    assert "0.654" not in section(text, "## Test, measured once")
    assert "0.654" in section(text, "## Measured on dev")
    text = page(run(1, 0.654321, split="test"))
    assert "0.654" in section(text, "## The paper's tables")
    assert "0.654" in section(text, "## Measured on test")
    assert "0.654" not in section(text, "## Measured on dev")


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
    part = section(page(*runs), "## One setting changed")
    conversion = section(part, "### `conversion`")
    assert row_of(conversion, "`none`")[1] == "0.702 ± 0.001"
    assert row_of(conversion, "`parameter` (changed)")[1] == "0.712 ± 0.001"
    assert "`gradient`" not in conversion
    sampler = section(part, "### `sampler`")
    assert row_of(sampler, "`random` (changed)")[1] == "0.682 ± 0.001"
    # Two settings differ: the run belongs to neither table.
    assert "0.502" not in part
    # Changed settings are not among the recipe's own results.
    dev = section(page(*runs), "## Measured on dev")
    assert row_of(dev, "HyperQA")[3] == "0.702 ± 0.001"


def test_runs_on_train_all_have_a_table_of_their_own():
    changed = {"train_split": "train-all"}
    runs = [
        run(MAP=0.81, dataset="trecqa-raw", training_set="TRAIN"),
        run(
            MAP=0.82,
            dataset="trecqa-raw",
            training_set="TRAIN-ALL",
            training={"pairs": 53_417},
            overrides=changed,
        ),
        run(MAP=0.83, overrides={**changed, "sampler": "random"}),
        run(
            MAP=0.84,
            dataset="trecqa-raw",
            training_set="TRAIN-ALL",
            training={"pairs": 53_417},
            overrides={**changed, "max_answer_length": 71},
        ),
        run(
            MAP=0.85,
            dataset="trecqa-raw",
            training_set="TRAIN",
            overrides={"max_answer_length": 71},
        ),
    ]
    dev = section(page(*runs), "## Measured on dev")
    _, small, large = dev.split("; trained on ")
    assert small.startswith("TRAIN, 7,481 pairs:")
    assert row_of(small, "HyperQA", "paper")[3] == "0.810"
    assert large.startswith("TRAIN-ALL, 53,417 pairs:")
    apart = "paper `train_split=train-all`"
    assert row_of(large, "HyperQA", apart)[3] == "0.820"
    # Long texts may have to be cut; other settings have tables of their own.
    assert " 0.840 " in large
    assert (
        row_of(small, "HyperQA", "paper `max_answer_length=71`")[3] == "0.850"
    )
    assert "0.83" not in dev
    made = section(page(*runs), "## How each figure was made")
    assert "recipe paper `train_split=train-all`, dev:" in " ".join(
        made.split()
    )


def test_models_are_in_the_order_of_paper_toml():
    models = ("hyperqa", "cosineqa", "bm25", "cosine")
    dev = section(
        page(*(run(model=model) for model in models)), "## Measured on dev"
    )
    names = [line.split(" | ")[0][2:] for line in dev.splitlines()]
    shown = load_papers()[PAPER].models.values()
    known = [name for name in names if name in shown]
    assert known == ["untrained cosine", "BM25", "CosineQA", "HyperQA"]


def test_the_constants_of_a_tuned_floor_are_under_its_table():
    tuned = run(
        model="bm25-tuned",
        recipe="untrained",
        vectors=[],
        fitted={"k1": 0.2, "b": 0.0, "MAP": 0.6},
    )
    dev = section(page(run(), tuned), "## Measured on dev")
    assert "\nBM25, tuned: k1 0.2, b 0, chosen on train less its fold.\n" in dev
    assert "k1" not in section(page(run()), "## Measured on dev")


def test_sizes_and_seconds_per_epoch():
    part = section(
        page(run(1), run(2, seconds_per_epoch=2.5)),
        "## Parameters and seconds per epoch",
    )
    words = " ".join(part.split())
    assert "The paper's times were measured on one Nvidia GTX 1070" in words
    assert "Ours were measured on x86_64, 2 cores." in words
    assert "| Weights, ours | s/epoch, paper | s/epoch, ours |" in part
    row = row_of(part, "HyperQA", "paper", "`other`", "`wikiqa`, dev")
    assert row[4:] == ["90K", "90,302", "2", "2.0 ± 0.7", "2"]


def test_a_paper_without_times_has_none_on_the_page():
    part = section(
        page(run(paper="iam", model="iam"), paper="iam"),
        "## Parameters and seconds per epoch",
    )
    assert "The paper's times" not in part
    assert "s/epoch, paper" not in part


def test_a_first_training_is_told_from_none():
    first = "train after selqa"
    part = section(
        page(run(1), run(2, training_set=first)),
        "## Parameters and seconds per epoch",
    )
    assert row_of(part, "HyperQA", "paper", "`other`", "`wikiqa`, dev", "selqa")


def test_seconds_of_two_machines_have_no_mean():
    other = {"machine": "x86_64, 16 cores, NVIDIA H100"}
    part = section(
        page(run(1), run(2, seconds_per_epoch=0.25, versions=other)),
        "## Parameters and seconds per epoch",
    )
    row = row_of(part, "HyperQA", "paper", "`other`", "`wikiqa`, dev")
    assert row[7] == "0.2 to 1.5"


def test_scored_questions_are_told_from_all():
    dev = section(
        page(run(questions=81, questions_scored=78)), "## Measured on dev"
    )
    assert "81 questions (78 scored), 1,130 candidates;" in dev


def test_what_was_measured_once_is_beside_the_papers_figure():
    runs = [
        *seeds(*[0.70] * 5, split="test", once=True, vectors=["mine.bin"]),
        run(model="bm25", recipe="untrained", split="test", once=True),
        run(split="test", dataset="trecqa-raw"),
    ]
    for one in runs:
        one["versions"] = {"commit": "abc1234"}
    once = section(page(*runs), "## Test, measured once")
    assert "less its fold, 7,481 pairs; commit `abc1234`:" in once
    assert row_of(once, "HyperQA")[-2:] == ["MAP 0.712, MRR 0.727", "(a)"]
    assert "- (a) *other vectors, training set*\n" in once
    # The paper prints none on WikiQA: the last cell is the number of seeds.
    assert row_of(once, "BM25")[-1] == "1"
    other = section(page(*runs), "## Measured on test")
    assert "`trecqa-raw`" in other
    assert "`wikiqa`" not in other


def test_long_settings_are_listed_under_their_table():
    values = {"conversion": "none", "sampler": "hardest of them all"}
    runs = [run(settings=values), run(settings={**values, "sampler": "mix"})]
    dev = section(page(*runs), "## Measured on dev")
    assert row_of(dev, "HyperQA", "old paper (a)")
    assert row_of(dev, "HyperQA", "paper `sampler=mix`")
    assert "\n- (a) `sampler=hardest of them all`\n" in dev
