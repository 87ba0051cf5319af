"""The tables of tested differences: their order, and what was asked before."""

import dataclasses

from reproductions.records.paired_tests import current_tests
from reproductions.records.paper_figures import load_papers
from reproductions.records.seed_groups import group_runs
from reproductions.report.paired_test_tables import paired_test_tables
from support.report_pages import CONDITION
from support.report_pages import TESTED
from support.report_pages import page
from support.report_pages import row_of
from support.report_pages import run
from support.report_pages import section


def test_rows_are_in_the_order_of_paper_toml_the_unasked_last():
    paper = load_papers()["ctrn"]
    asked = [c.second for c in paper.paired_tests if c.first == "ctrn"]
    seconds = ["no-longer-asked-for", *dict.fromkeys(reversed(asked))]
    tests = [
        dataclasses.replace(
            TESTED, second=dataclasses.replace(CONDITION, model=name)
        )
        for name in seconds
    ]
    table = paired_test_tables(paper, tests)[-1]
    rows = [line.split("|") for line in table.splitlines()[2:]]
    assert [row[2].strip() for row in rows if len(row) > 2] == [
        paper.named(name) for name in seconds[::-1]
    ]


def test_metrics_are_not_mixed_in_one_table():
    other = dataclasses.replace(TESTED, metric="P@1")
    paper = load_papers()["ctrn"]
    parts = paired_test_tables(paper, [TESTED, other, TESTED])[4:]
    assert parts[::3] == [
        "### `wikiqa` dev, differences of MAP\n",
        "### `wikiqa` dev, differences of P@1\n",
    ]
    assert parts[1::3] == ["Recipe paper, `v.bin`; 9 questions:\n"] * 2
    assert [len(table.splitlines()) for table in parts[2::3]] == [4, 3]


def test_other_vectors_of_the_second_are_named():
    paper = load_papers()["ctrn"]

    def parts(names):
        second = dataclasses.replace(CONDITION, vectors=names)
        test = dataclasses.replace(TESTED, second=second)
        return paired_test_tables(paper, [test])[5:]

    for names in (["v.bin"], []):
        shared, table = parts(names)
        assert shared == "Recipe paper, `v.bin`; 9 questions:\n"
        assert row_of(table, "CTRN")[1] == "CTRN"
    shared, table, notes = parts(["a", "b"])
    assert row_of(table, "CTRN")[1] == "CTRN (a)"
    assert notes == "- (a) with `a` + `b`\n"


def difference(first="ctrn", second="qrnn", **fields):
    sides = {
        name: dataclasses.replace(
            CONDITION,
            model=model,
            vectors=["glove"],
            training_set="TRAIN less its fold",
            overrides={"alignment": "padded"} if name == "first" else {},
            mean=mean,
        )
        for name, model, mean in (
            ("first", first, 0.7),
            ("second", second, 0.6),
        )
    }
    return dataclasses.replace(
        TESTED,
        **{
            "dataset": "trecqa-raw",
            "questions": 78,
            "interval": (-0.02, 0.2204),
            "p_value": 0.0123,
            "resamples": 10_000,
            **sides,
            **fields,
        },
    )


def test_differences_have_their_intervals_and_the_papers():
    items = [
        difference(second="lstm"),
        difference(),
        difference(dataset="wikiqa"),
    ]
    text = page(paper="ctrn", tests=items)
    part = section(text, "## Differences between models")
    assert "10,000 resamples" in part
    raw = section(part, "### `trecqa-raw` dev, differences of MAP")
    assert "\nRecipe paper, `glove`; 78 questions:\n" in raw
    assert "\n- (a) `alignment=padded`\n" in raw
    assert row_of(raw, "CTRN (a)", "QRNN") == [
        "CTRN (a)",
        "QRNN",
        "0.700 ± 0.010",
        "0.600 ± 0.010",
        "+0.100",
        # Widened: ±0.12² + 1.96² (0.01² / 2 + 0.01² / 2).
        "-0.022 to +0.222*",
        "no claim",
        "+0.058",
        "2, 2",
    ]
    # In the order of paper.toml, whatever that of the file.
    lines = [line for line in raw.splitlines() if "| CTRN" in line]
    assert ["QRNN" in line for line in lines] == [True, False]
    # The paper has no figures on WikiQA.
    wikiqa = section(part, "### `wikiqa` dev, differences of MAP")
    assert row_of(wikiqa, "CTRN (a)")[-2:] == ["no claim", "2, 2"]
    part = section(page(paper="ctrn"), "## Differences between models")
    assert part.split("\n## ")[0].strip() == "No paired test is recorded."


def test_tests_of_earlier_runs_are_left_out():
    """Those whose mean, or seeds, no recorded runs have any more."""
    given = {"vectors": ["v.bin"], "dataset": "wikiqa", "split": "dev"}
    runs = [
        run(seed, 0.5, model=model, recipe="paper", **given)
        for model, seeds in (("ctrn", (1, 2)), ("qrnn", (1,)))
        for seed in seeds
    ]
    groups = group_runs(runs)
    two_seeds = dataclasses.replace(CONDITION, vectors=["v"])
    one_seed = dataclasses.replace(two_seeds, model="qrnn", seeds=[1])
    now = dataclasses.replace(TESTED, first=two_seeds, second=one_seed)
    other_seeds = dataclasses.replace(one_seed, seeds=[1, 2])
    other_mean = dataclasses.replace(one_seed, mean=0.4)
    before = [
        dataclasses.replace(now, second=second)
        for second in (other_seeds, other_mean)
    ]
    assert current_tests(groups, [before[0], now, before[1]]) == [now]
