import pytest

from reproductions.records.costs import Cost
from reproductions.records.costs import read_costs
from reproductions.records.costs import with_tuned
from reproductions.records.json_lines import RecordError
from reproductions.records.json_lines import append_line
from reproductions.records.paired_tests import Condition
from reproductions.records.paper_figures import load_papers
from reproductions.records.rankings import Ranking
from reproductions.records.seed_groups import group_runs
from reproductions.report.frontier_page import frontier_page
from reproductions.report.rules.systems import find_systems
from reproductions.report.rules.systems import on_frontier
from reproductions.report.sections.frontier_picture import frontier_picture
from reproductions.report.sections.reference_table import reference_table
from support import report_pages


def run(model, MAP, **fields):
    fields = {"recipe": "best", "vectors": ["v.bin"], **fields}
    return report_pages.run(MAP=MAP, model=model, **fields)


def cost(model, microseconds, recipe="best"):
    return {
        "paper": "hyperqa",
        "model": model,
        "dataset": "wikiqa",
        "recipe": recipe,
        "pool": 500,
        "microseconds_per_pair": microseconds,
        "bytes": 2_000_000,
        "cores": 2,
        "versions": {},
    }


RUNS = [
    run("hyperqa", 0.7),
    run("cosineqa", 0.6),
    run("bm25", 0.5, recipe="untrained", vectors=[]),
]
COSTS = [
    {
        **cost("hyperqa", 30.0),
        "microseconds_per_encoded_pair": 2.25,
        "parameters": 90_302,
        "seconds_per_epoch": 0.75,
    },
    cost("cosineqa", 40.0),
    cost("bm25", 5.0, "untrained"),
    cost("never-measured", 1.0),
]


def test_a_slower_and_worse_system_is_not_on_the_frontier():
    systems = find_systems(load_papers(), group_runs(RUNS), COSTS, "wikiqa")
    assert [s.microseconds for s in systems] == [5.0, 30.0, 40.0]
    assert [s.quality.mean for s in on_frontier(systems)] == [0.5, 0.7]


def test_the_page_says_what_is_on_the_frontier():
    page = frontier_page(load_papers(), group_runs(RUNS), COSTS)
    rows = [line for line in page.splitlines() if line.startswith("| ")][2:]
    assert rows == [
        "| BM25 | no vectors | 0.500 | 5.0 |  | 2.0 |  |  | yes |",
        "| HyperQA | `v` | 0.700 | 30.0 | 2.2 | 2.0 | 90.302K | 0.8 | yes |",
        "| CosineQA | `v` | 0.600 | 40.0 |  | 2.0 | 90.302K |  |  |",
    ]


def test_a_model_stands_there_alone_transferred_and_distilled():
    first = {"overrides": {"transfer_epochs": 2}}
    changed = {"overrides": {"projection_dim": 3}}
    after = "train after selqa"
    runs = [
        *RUNS,
        run("hyperqa", 0.8, training_set=after, **first),
        run("hyperqa", 0.9, training_set=f"{after} by cross-encoder", **first),
        # Of other settings, the record of costs does not say how fast it is.
        run("hyperqa", 1.0, training_set=after, **changed),
    ]
    systems = find_systems(load_papers(), group_runs(runs), COSTS, "wikiqa")
    assert [(s.name, s.quality.mean) for s in systems[1:-1]] == [
        ("HyperQA, distilled", 0.9),
        ("HyperQA, transferred", 0.8),
        ("HyperQA", 0.7),
    ]
    assert {s.microseconds for s in systems[1:-1]} == {30.0}
    assert [s.name for s in on_frontier(systems)] == [
        "BM25",
        "HyperQA, distilled",
    ]


def test_references_have_costs_trained_or_not():
    tuned = "sentence-encoder-tuned"
    runs = [
        {**run(model, 0.7, **more), "paper": "references"}
        for model, more in (
            ("cross-encoder", {"parameters": 400_000}),
            ("sentence-encoder", {"recipe": "untrained", "parameters": None}),
            (tuned, {"parameters": 400_000}),
        )
    ]
    costs = [
        {**cost(name, 3_810.0, recipe), "paper": "references"}
        for name, recipe in (
            ("cross-encoder", "best"),
            ("sentence-encoder", "untrained"),
        )
    ]
    *_, table = reference_table(
        load_papers(), group_runs(runs), costs, ["wikiqa"]
    )
    rows = [line.split(" | ") for line in table.splitlines()[2:]]
    assert [row[2] == "nothing more" for row in rows] == [False, True, False]
    assert [" | ".join(row[-2:]) for row in rows] == [
        "0.5 M | 3.8 |",
    ] * 3


def test_runs_of_references_are_those_of_all_pages():
    runs = [
        {
            **run("cross-encoder", 0.8, dataset="trecqa-raw"),
            "paper": "references",
        },
        {**run("cross-encoder", 0.7), "paper": "iam"},
        {**run("iam-bert", 0.6), "paper": "iam"},
    ]
    parts = reference_table(load_papers(), group_runs(runs), [], ["wikiqa"])
    (row,) = parts[2].splitlines()[2:]
    assert row.startswith("| Cross-encoder | `wikiqa` |")


def test_references_of_other_settings_say_which():
    more = {"paper": "references", "training_set": "TRAIN"}
    runs = [
        run("cross-encoder", 0.8, **more),
        run("cross-encoder", 0.7, overrides={"learning_rate": 0.1}, **more),
        run("cross-encoder", 0.9, overrides={"train_split": "all"}, **more),
    ]
    parts = reference_table(load_papers(), group_runs(runs), [], ["wikiqa"])
    rows = [line.split(" | ") for line in parts[2].splitlines()[2:]]
    assert sorted((row[3], row[0]) for row in rows) == [
        ("0.700", "| Cross-encoder `learning_rate=0.1`"),
        ("0.800", "| Cross-encoder"),
        ("0.900", "| Cross-encoder"),
    ]


def test_a_trained_model_costs_what_it_costs_as_it_is():
    as_it_is = {
        **cost("sentence-encoder", 3_810.0, "untrained"),
        "paper": "references",
    }
    runs = [
        {**run("sentence-encoder", 0.6), "recipe": "untrained"},
        run("sentence-encoder-tuned", 0.7),
    ]
    runs = [{**found, "paper": "references"} for found in runs]
    groups = group_runs(runs)
    systems = find_systems(load_papers(), groups, [as_it_is], "wikiqa")
    assert [(s.microseconds, s.quality.mean) for s in systems] == [
        (3_810.0, 0.7),
        (3_810.0, 0.6),
    ]
    # Its own record comes first.
    own = {**as_it_is, "model": "sentence-encoder-tuned", "recipe": "best"}
    own["microseconds_per_pair"] = 3_000.0
    assert with_tuned([as_it_is, own]) == [as_it_is, own]


def test_the_page_says_how_much_longer_the_reference_takes():
    slow = {**cost("cross-encoder", 4_500.0), "paper": "references"}
    papers, groups = load_papers(), group_runs(RUNS)
    sentence = (
        "Cross-encoder takes 150 times as long a pair as HyperQA (with "
        "HyperQA's candidates encoded: 2,000 times)."
    )
    page = frontier_page(papers, groups, [*COSTS, slow])
    assert sentence in " ".join(page.split())
    for costs in (COSTS, [*COSTS[1:], slow], [{**slow, "dataset": "d"}]):
        assert " takes " not in frontier_page(papers, groups, costs)


def test_references_are_neither_floors_nor_networks_of_the_papers():
    reference = {
        **run("sentence-encoder", 0.6, recipe="untrained"),
        "paper": "references",
    }
    costs = [
        *COSTS,
        {
            **cost("sentence-encoder", 50.0, "untrained"),
            "paper": "references",
        },
    ]
    groups = group_runs([*RUNS, reference])
    systems = find_systems(load_papers(), groups, costs, "wikiqa")
    assert [system.kind for system in systems] == [
        "floor",
        *["trained network"] * 2,
        "reference of today",
    ]


def test_the_picture_is_a_png(tmp_path):
    pytest.importorskip("matplotlib")
    systems = find_systems(load_papers(), group_runs(RUNS), COSTS, "wikiqa")
    frontier_picture(systems, tmp_path / "frontier.png")
    assert (tmp_path / "frontier.png").read_bytes()[1:4] == b"PNG"


def test_systems_have_the_intervals_of_their_very_runs():
    condition = Condition("hyperqa", "best", ["v"], "t", {}, [1], 0.7, None)
    ranking = Ranking(
        *("hyperqa", "wikiqa", "dev", "MAP", 126, condition, (0.6, 0.8), 0.95),
        *(10, ["aa"], {}, {}),
    )
    systems = find_systems(
        load_papers(), group_runs(RUNS), COSTS, "wikiqa", [ranking]
    )
    assert [s.interval for s in systems] == [None, (0.6, 0.8), None]
    assert [s.seeds for s in systems] == [(), (1,), (1,)]


def test_the_last_record_of_a_system_counts(tmp_path):
    path = tmp_path / "costs.jsonl"
    append_line(path, cost("hyperqa", 30.0), Cost)
    append_line(path, cost("hyperqa", 20.0), Cost)
    assert read_costs(path) == [cost("hyperqa", 20.0)]
    with pytest.raises(RecordError, match="bytes"):
        append_line(path, {**cost("hyperqa", 1.0), "bytes": None}, Cost)


def test_a_sum_with_the_floor_is_marked():
    beside = {**RUNS[0], "settings": {"joint_weight": 5.0}}
    page = frontier_page(load_papers(), group_runs([beside, *RUNS[1:]]), COSTS)
    assert "\n| HyperQA ⊕ |" in page
    assert "\n| CosineQA |" in page
    assert "fitted together (`joint_weight`)" in " ".join(page.split())
    alone = frontier_page(load_papers(), group_runs(RUNS), COSTS)
    assert "⊕" not in alone
