"""The rule that names a system for each need."""

from types import SimpleNamespace

from reproductions.records.seed_groups import group_runs
from reproductions.report.sections.choices import choices
from support.report_pages import run


def measured(model, MAP, microseconds, recipe="best", **cost):
    found = run(
        MAP=MAP, paper="p", model=model, recipe=recipe, vectors=["v.bin"]
    )
    return found, {
        "paper": "p",
        "model": model,
        "dataset": "wikiqa",
        "recipe": recipe,
        "microseconds_per_pair": microseconds,
        "bytes": 1e6,
        **cost,
    }


def test_the_fastest_of_those_level_with_the_best_is_named():
    found = [
        measured("floor", 0.6, 9.0, "untrained"),
        measured("slow", 0.8, 5000.0, bytes=9e7),
        measured("equal", 0.791, 900.0),
        measured("quick", 0.7, 50.0, microseconds_per_encoded_pair=2.5),
    ]
    runs, costs = zip(*found, strict=True)
    papers = {
        "p": SimpleNamespace(named=str.upper, reference=False, model="quick")
    }
    table = choices(papers, group_runs(runs), costs)
    cells = [line.split(" | ") for line in table.splitlines()[2:]]
    chosen = {row[0].lstrip("| "): row[1] for row in cells}
    quick = "QUICK 0.700, 50 µs"
    equal = "EQUAL 0.791, 900 µs"
    assert chosen == {
        "no word vectors, no network": "none measured",
        "word vectors, no network": "FLOOR 0.600, 9 µs",
        "trained, at most 100 µs a pair": quick,
        "trained, at most 1,000 µs a pair": equal,
        "trained, for a search index": "QUICK 0.700, 2 µs",
        "at most 30 MB of weights": equal,
        "no limit": equal,
    }
    assert {row[2] for row in cells} == {"none measured"}


def test_a_sum_with_the_floor_is_marked():
    run, cost = measured("quick", 0.7, 50.0, microseconds_per_encoded_pair=3)
    beside = {**run, "settings": {"joint_weight": 1.0}}
    papers = {
        "p": SimpleNamespace(named=str.upper, reference=False, model="quick")
    }
    table = choices(papers, group_runs([beside]), [cost])
    assert "| QUICK ⊕ 0.700, 50 µs |" in table


def test_one_below_a_faster_floor_is_marked():
    papers = {
        "p": SimpleNamespace(named=str.upper, reference=False, model="quick")
    }
    for microseconds, mark in ((9.0, " ↓"), (60.0, "")):
        found = [
            measured("floor", 0.75, microseconds, "untrained"),
            measured("quick", 0.7, 50.0),
        ]
        runs, costs = zip(*found, strict=True)
        table = choices(papers, group_runs(runs), costs)
        assert f"| QUICK 0.700{mark}, 50 µs |" in table
    # No index of vectors finds the answers of the highest sums.
    assert "search index | none measured |" in table
