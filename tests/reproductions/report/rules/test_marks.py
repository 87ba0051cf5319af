"""The marks of sums with a floor, and of what other data sets taught."""

from reproductions.records.paper_figures import load_papers
from reproductions.records.seed_groups import group_runs
from reproductions.report.best_page import best_page
from reproductions.report.rules.marks import marks_of
from support.report_pages import dev
from support.report_pages import floor
from support.report_pages import page
from support.report_pages import row_of
from support.report_pages import run
from support.report_pages import section

FIRST = {"training_set": "train after selqa + trecqa-all"}


def test_a_sum_of_network_and_floor_is_marked_and_explained():
    beside = {"settings": {"joint_weight": 5.0}}
    text = dev(
        run(MAP=0.7, recipe="best", **beside),
        run(MAP=0.6, recipe="best", model="cosineqa"),
        # Without a network the setting is of no use.
        floor("pv-cnt", 0.5, fitted={"pv": 0.7}, **beside),
    )
    assert row_of(text, "HyperQA")[1] == "best ⊕"
    assert row_of(text, "CosineQA")[1] == "best"
    assert row_of(text, "PV + Cnt")[1] == "fitted"
    assert text.count("⊕: the score is not the network's alone.") == 1
    assert "⊕" not in dev(run(MAP=0.7), floor("bm25", 0.5))
    table = section(page(run(MAP=0.7, **beside)), "### Table 2")
    words = "with the floor `features` in the score, `other`"
    assert words in " ".join(table.split())


def test_the_mark_is_at_the_name_if_all_figures_have_it():
    alone, beside = (
        group_runs([run(settings=settings)])[0]
        for settings in ({}, {"joint_weight": 1.0})
    )
    assert marks_of([beside, None]) == [" ⊕", "", ""]
    assert marks_of([beside, alone, None]) == ["", " ⊕", "", ""]
    assert marks_of([None]) == ["", ""]
    (after,) = group_runs([run(settings={"joint_weight": 1.0}, **FIRST)])
    assert marks_of([after, None]) == [" ⊕†", "", ""]
    assert marks_of([beside, after]) == ["", " ⊕", " ⊕†"]


def test_what_other_data_sets_taught_is_marked_and_explained():
    groups = group_runs(
        [
            run(recipe="best", **FIRST),
            run(recipe="best", model="cosineqa"),
        ]
    )
    text = best_page(load_papers(), groups, {})
    assert row_of(text, "HyperQA †")
    assert row_of(text, "CosineQA")
    assert text.count("†: trained before on other data sets, for TrecQA") == 1
    assert "†" not in best_page(load_papers(), groups[:1], {})
