"""The benchmark `feeding`: its summary and a tiny run."""

from dataclasses import replace

import pytest

from devtools.benchmarks import feeding


def test_the_ratio_is_the_median_of_the_rounds():
    rounds = [(3.0, 1.0), (2.0, 1.0), (6.0, 4.0)]
    seconds = [{"batches": a, "feed": b} for a, b in rounds]
    summary = feeding.summarise(feeding.Settings(), {"seconds": {"7": seconds}})
    row = {"batches": 3.0, "feed": 1.0, "ratio": 2.0}
    assert summary == {"by_steps": {"7": row}}


def test_both_ways_are_measured(capsys):
    settings = replace(feeding.Settings(), steps=(2,), rounds=1)
    measured = feeding.measure(settings)
    [row] = measured["seconds"]["2"]
    assert list(row) == ["batches", "feed"]
    assert min(row.values()) > 0
    feeding.report(settings, measured, feeding.summarise(settings, measured))
    ratio = row["batches"] / row["feed"]
    last = capsys.readouterr().out.splitlines()[-1].split()
    assert (last[0], float(last[-1])) == ("2", pytest.approx(ratio, abs=0.006))
