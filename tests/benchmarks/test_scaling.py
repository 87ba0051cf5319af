"""The benchmark of cores: its figures and table."""

import pytest

from benchmarks import scaling

pytestmark = pytest.mark.once


def test_speed_up_and_efficiency(monkeypatch, capsys):
    def alone(function, settings, n, cores):
        assert (function, n) == (scaling.measure_one, cores)
        return {
            f"{name} {work} {kind}": 8.0 / cores if kind == "strong" else 10.0
            for name in scaling.MODELS
            for work in scaling.WORK
            for kind in scaling.SCALINGS
        }

    monkeypatch.setattr(scaling, "alone", alone)
    settings = scaling.Settings(rounds=3, batch_size=16)
    measured = scaling.run(settings)
    summary = scaling.summarise(settings, measured)
    scaling.report(settings, measured, summary)
    printed = capsys.readouterr().out
    assert "| `HyperQA` | train | 1 | 2 | 1.00 | 1.00 |" in printed
    assert "| `QALSTM` | encode | 2 | 4 | 2.00 | 1.00 |" in printed


def test_a_step_of_each_work_is_timed(monkeypatch):
    monkeypatch.setattr(scaling, "MODELS", ("HyperQA",))
    settings = scaling.Settings(
        **{"steps": 1, "batch_size": 4, "length": 5, "vocabulary": 50},
        **{"dim": 8, "units": 3},
    )
    found = scaling.measure_one(settings, 2)
    assert len(found) == 4
    assert all(seconds > 0 for seconds in found.values())
