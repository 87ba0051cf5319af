from functools import partial

from reproductions.records.paper_figures import FOLDER
from reproductions.records.paper_figures import load_papers
from reproductions.records.runs import read_all_runs
from reproductions.records.seed_groups import group_runs
from reproductions.report.best_page import best_page
from reproductions.report.search_tables import read_searches
from reproductions.report.search_tables import split_floors
from support import report_pages

run = partial(
    report_pages.run,
    recipe="best",
    vectors=["v.bin"],
    settings={"margin": 0.5},
)


def trial(model, dataset, seconds=0.0):
    return {"model": model, "dataset": dataset, "seconds": seconds}


def trials(model, dataset, count):
    """Trials whose folds had different measures."""
    return [
        {**trial(model, dataset), "folds": [{"MAP": i}]} for i in range(count)
    ]


def introduction(searches):
    page = best_page(load_papers(), [], searches)
    return " ".join(page.split("| Model")[0].split())


def test_the_introduction_says_whether_the_budgets_differ():
    one = {"a": trials("hyperqa", "wikiqa", 5)}
    two = {
        "b": trials("ctrn", "wikiqa", 3),
        "c": trials("ctrn", "semeval", 4),
    }
    # One that says no more than another, and one that says nothing.
    two["c"] += [two["c"][0], {**trial("ctrn", "semeval"), "failed": "No."}]
    both = introduction({"hyperqa": one, "ctrn": two})
    assert "has 4 trials on `semeval`, 3 to 5 trials on `wikiqa`, " in both
    same = "Models of one paper's page have equally many on a data set"
    assert f"{same}. A model without" in both
    two["d"] = trials("qrnn", "wikiqa", 1)
    uneven = introduction({"hyperqa": one, "ctrn": two})
    assert f"{same}, but for those of CTRN on `wikiqa`." in uneven
    assert "No search is recorded." in introduction({})


def test_the_introduction_names_where_the_best_trial_was_not_followed():
    """The settings of each best trial, next to those of the recorded runs."""
    groups = group_runs(read_all_runs(FOLDER / "records"))
    apart = set()
    for paper in load_papers():
        of_models, _ = split_floors(read_searches(FOLDER / paper))
        for trials in of_models:
            best = max(trials, key=lambda t: t["metrics"].get("MAP", 0.0))
            name = (paper, best["model"], best["dataset"])
            (*_, group) = sorted(
                (
                    g
                    for g in groups
                    if (g.paper, g.model, g.dataset) == name
                    and (g.recipe, g.split, g.overrides) == ("best", "dev", {})
                ),
                key=lambda g: g.position,
            )
            read = best["vectors"]
            if len(group.vectors) < len(read) or any(
                group.settings.get(setting) != value
                for setting, value in best["settings"].items()
                if setting != "epochs"
            ):
                apart.add(name)
    assert apart == {
        ("ctrn", "cnn", "wikiqa"),
        ("ctrn", "lstm", "trecqa-clean"),
        ("ctrn", "qrnn", "trecqa-clean"),
        ("hyperqa", "logcosineqa", "semeval"),
        ("mrnn", "mrnn-contextual", "wikiqa"),
    }
    about = introduction({})
    for named in (
        "LSTM and CNN have QRNN's",
        "QRNN on `trecqa-clean` and of LogCosineQA on `semeval`",
        "MRNN's two best trials on `wikiqa`",
    ):
        assert named in about


def test_the_last_version_of_a_recipe_is_shown_next_to_its_floor():
    old = [run(seed, 0.9, settings={"margin": 2.0}) for seed in (1, 2)]
    runs = [
        *old,
        run(1, 0.6),
        run(2, 0.7),
        run(1, 0.7, model="cosine", recipe="untrained"),
        run(3, 0.1, overrides={"margin": 0.5}),
    ]
    searches = {
        "hyperqa": {
            "hyperqa-wikiqa": [
                trial("hyperqa", "wikiqa", 60.0),
                trial("hyperqa", "wikiqa", 120.0),
            ]
        }
    }
    page = best_page(load_papers(), group_runs(runs), searches)
    rows = [line for line in page.splitlines() if line.startswith("| HyperQA")]
    assert rows == [
        "| HyperQA | `v` | 0.650 ± 0.071 (-0.050 ↓) | – | – | 2 |",
        "| HyperQA | 2 | 3 |",
    ]


def test_a_sum_with_the_floor_is_marked():
    beside = {"settings": {"joint_weight": 1.0}}
    runs = [run(1, 0.6), run(1, 0.7, dataset="trecqa-raw", **beside)]
    page = best_page(load_papers(), group_runs(runs), {})
    figures = "0.600 (no floor) | – | 0.700 (no floor)⊕ |"
    assert page.splitlines()[-1].startswith(f"| HyperQA | `v` | {figures}")
    assert "fitted together (`joint_weight`)" in page
    assert "⊕" not in best_page(load_papers(), group_runs(runs[:1]), {})
