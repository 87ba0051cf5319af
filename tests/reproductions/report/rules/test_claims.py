"""What tested differences say: corrected p values, seeds, intervals."""

import dataclasses

import pytest

from reproductions.records.paper_figures import load_papers
from reproductions.report.paired_test_tables import paired_test_tables
from reproductions.report.rules import claims
from support import report_pages
from support.report_pages import row_of

CONDITION = dataclasses.replace(
    report_pages.CONDITION,
    recipe="best",
    seeds=[1, 2, 3, 4, 5],
    deviation=0.02,
)
TEST = dataclasses.replace(
    report_pages.TESTED,
    first=CONDITION,
    second=dataclasses.replace(CONDITION, model="qrnn"),
    difference=0.05,
    interval=(0.01, 0.09),
    p_value=0.01,
    resampled="seeds and questions",
)


def test_holms_correction_by_hand():
    # 0.01 * 4; 0.02 * 3 = 0.06; 0.03 * 2 is the same; 0.5 * 1.
    assert claims.corrected([0.03, 0.5, 0.01, 0.02]) == pytest.approx(
        [0.06, 0.5, 0.04, 0.06]
    )
    # None is above 1, nor below a smaller one's.
    assert claims.corrected([0.9, 0.8]) == [1.0, 1.0]
    assert claims.corrected([]) == []


def test_claims_need_p_interval_and_seeds():
    assert claims.claim(TEST, 0.05) == claims.HIGHER
    assert claims.claim(TEST, 0.051) == claims.UNDECIDED
    turned = dataclasses.replace(
        TEST, difference=-0.05, interval=(-0.09, -0.01)
    )
    assert claims.claim(turned, 0.01) == claims.LOWER
    holds_zero = dataclasses.replace(TEST, interval=(-0.001, 0.09))
    assert claims.claim(holds_zero, 0.01) == claims.UNDECIDED
    assert claims.claim(holds_zero, 0.051) == claims.LEVEL
    few = dataclasses.replace(CONDITION, seeds=[1, 2, 3, 4])
    for side in ("first", "second"):
        test = dataclasses.replace(TEST, **{side: few})
        assert claims.claim(test, 0.001) == claims.NOTHING
    # The least p of 100 permutations, 2 / 101, in a family of four.
    least = dataclasses.replace(TEST, p_value=2 / 101, permutations=100)
    assert claims.claim(least, 4 * 2 / 101) == claims.NOTHING
    assert claims.claim(least, 2 / 101) == claims.HIGHER
    # A floor has no seeds to vary.
    floor = dataclasses.replace(CONDITION, recipe="untrained", seeds=[1])
    test = dataclasses.replace(TEST, second=floor)
    assert claims.claim(test, 0.001) == claims.HIGHER
    # Paragraph vectors have.
    drawn = dataclasses.replace(floor, model="pv")
    test = dataclasses.replace(TEST, second=drawn)
    assert claims.claim(test, 0.001) == claims.NOTHING


def test_intervals_of_questions_alone_are_widened():
    old = dataclasses.replace(TEST, resampled="questions")
    low, high = claims.interval(old)
    # 1.96² (0.02² / 5 + 0.02² / 5) = 6.146e-4 is added to 0.04².
    half = (0.04**2 + 6.1463e-4) ** 0.5
    assert (low, high) == pytest.approx((0.05 - half, 0.05 + half), abs=1e-6)
    assert claims.interval(TEST) == (0.01, 0.09)


def test_pages_say_what_the_rule_says():
    paper = load_papers()["ctrn"]
    few = dataclasses.replace(TEST.second, model="lstm", seeds=[1])
    tests = [
        TEST,
        dataclasses.replace(TEST, second=few, p_value=1e-9),
        dataclasses.replace(
            TEST,
            second=dataclasses.replace(CONDITION, model="cnn"),
            p_value=0.03,
        ),
    ]
    text = "\n".join(paired_test_tables(paper, tests))
    # Two tests are a family: 0.01 * 2, then 0.03 * 1. One seed is in none.
    assert row_of(text, "CTRN", "QRNN")[6:8] == ["0.0200", "above"]
    assert row_of(text, "CTRN", "CNN")[6:8] == ["0.0300", "above"]
    assert row_of(text, "CTRN", "LSTM")[6:8] == ["", "no claim"]
    plain = " ".join(text.split())
    assert "for the 2 tests of this page" in plain
    assert (
        "`wikiqa` dev, recipe best, `v.bin`, MAP: CTRN is above QRNN, CNN."
        in plain
    )
    silent = "\n".join(paired_test_tables(paper, tests[1:2]))
    assert "No test here has the seeds" in silent
