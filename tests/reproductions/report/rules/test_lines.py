"""Which of several conditions of one model a table shows."""

from reproductions.records.seed_groups import group_runs
from reproductions.report.rules.lines import chosen
from reproductions.report.rules.lines import latest_best
from support import report_pages


def run(MAP, vectors, **settings):
    return report_pages.run(
        MAP=MAP, recipe="best", vectors=[vectors], settings=settings
    )


def test_the_best_vectors_of_the_recipe_as_it_is_now():
    runs = [run(0.9, "a"), run(0.7, "a", epochs=2), run(0.6, "b", epochs=2)]
    shown = latest_best(group_runs(runs))
    assert shown.metric("MAP").mean == 0.7
    assert latest_best([]) is None


def test_a_line_has_the_recipe_as_it_is_now_of_the_best_training_set():
    first = run(0.8, "a", epochs=3)
    first["training_set"] = "train after selqa"
    runs = [first, run(0.9, "a"), run(0.7, "a", epochs=2)]
    assert chosen(group_runs(runs), None)["dev"].metric("MAP").mean == 0.8
    assert chosen(group_runs(runs[1:]), None)["dev"].metric("MAP").mean == 0.7
