"""The tables of tested differences: their order, and what was asked before."""

import dataclasses

from reproductions.records.paired_tests import Condition
from reproductions.records.paired_tests import PairedTest
from reproductions.records.paper_figures import load_papers
from reproductions.report.paired_test_tables import differences

SIDE = Condition("ctrn", "paper", ["v.bin"], "train", {}, [1, 2], 0.5, 0.01)
COMPARED = PairedTest(
    paper="ctrn",
    dataset="wikiqa",
    split="dev",
    metric="MAP",
    questions=9,
    first=SIDE,
    second=SIDE,
    difference=0.1,
    interval=(0.0, 0.2),
    confidence=0.95,
    p_value=0.5,
    resamples=10,
    versions={},
)


def test_rows_are_in_the_order_of_the_targets_the_unasked_last():
    paper = load_papers()["ctrn"]
    asked = [c.second for c in paper.comparisons if c.first == "ctrn"]
    seconds = ["no-longer-asked-for", *dict.fromkeys(reversed(asked))]
    compared = [
        dataclasses.replace(
            COMPARED, second=dataclasses.replace(SIDE, model=name)
        )
        for name in seconds
    ]
    table = differences(paper, compared, {})[-1]
    rows = [line.split("|") for line in table.splitlines()[2:]]
    assert [row[2].strip() for row in rows if len(row) > 2] == seconds[::-1]


def test_metrics_are_not_mixed_in_one_table():
    other = dataclasses.replace(COMPARED, metric="P@1")
    paper = load_papers()["ctrn"]
    parts = differences(paper, [COMPARED, other, COMPARED], {})[2:]
    assert parts[::2] == [
        "#### `wikiqa` dev, differences of MAP\n",
        "#### `wikiqa` dev, differences of P@1\n",
    ]
    assert ["| MAP, first |" in table for table in parts[1::2]] == [True, False]
    assert [len(table.splitlines()) for table in parts[1::2]] == [4, 3]


def test_other_vectors_of_the_second_are_named():
    paper = load_papers()["ctrn"]

    def vectors(names):
        second = dataclasses.replace(SIDE, vectors=names)
        compared = dataclasses.replace(COMPARED, second=second)
        (row,) = differences(paper, [compared], {})[-1].splitlines()[2:]
        return row.split("|")[4].strip()

    assert vectors(["v.bin"]) == vectors([]) == "`v.bin`"
    assert vectors(["a", "b"]) == "`v.bin`; `a` + `b`"
