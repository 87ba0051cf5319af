"""Groups of runs that differ in their seed alone, and their statistics."""

from reproductions.records.seed_groups import distinctions
from reproductions.records.seed_groups import group_runs
from reproductions.records.seed_groups import latest
from reproductions.records.seed_groups import one_setting_apart
from reproductions.records.seed_groups import vector_name
from support.report_pages import page
from support.report_pages import row_of
from support.report_pages import run
from support.report_pages import section


def test_last_run_of_a_seed_counts():
    (group,) = group_runs([run(1, 0.6), run(2, 0.8), run(1, 0.7)])
    assert [r["metrics"]["MAP"] for r in group.runs] == [0.7, 0.8]


def test_groups_differ_in_every_part_of_their_identity():
    runs = [
        run(),
        run(model="cosineqa"),
        run(recipe="best"),
        run(dataset="trecqa-raw"),
        run(split="test"),
        run(vectors=[]),
        run(training_set="train"),
        run(training={"pairs": 10}),
        run(overrides={"sampler": "max"}),
        run(settings={"sampler": "mix"}),
    ]
    assert len(group_runs(runs)) == len(runs)
    assert len(group_runs([*runs, run(seed=2)])) == len(runs)


def test_a_setting_without_effect_makes_no_other_condition():
    def seed(number, objective, own):
        settings = {"objective": objective, "paper_objective": own}
        changed = {"paper_objective": own} if number > 1 else {}
        return run(number, settings=settings, overrides=changed)

    runs = [seed(1, "listwise", "listwise"), seed(2, "listwise", "pointwise")]
    (group,) = group_runs(runs)
    assert (len(group.runs), group.overrides) == (2, {})
    assert one_setting_apart([group]) == {}
    # By `paper` it is the objective.
    runs = [seed(1, "paper", "listwise"), seed(2, "paper", "pointwise")]
    assert [*one_setting_apart(group_runs(runs))] == ["paper_objective"]
    # A record without `objective` has its default, which is `paper`.
    runs = [
        run(settings={"paper_objective": name})
        for name in ("listwise", "pointwise")
    ]
    assert len(group_runs(runs)) == 2


def test_smoke_runs_do_not_count():
    assert group_runs([run(smoke=True)]) == []


def test_numbers_are_ordered_by_value():
    groups = group_runs([run(settings={"d": d}) for d in (100, 50, 400, 1000)])
    (found,) = one_setting_apart(groups)["d"]
    assert [group.settings["d"] for group in found] == [50, 100, 400, 1000]


def test_a_later_setting_is_not_in_records_where_it_has_its_default():
    changed = {"settings": {"norm": "unit"}, "overrides": {"norm": "unit"}}
    runs = [run(settings={}), run(**changed)]
    (found,) = one_setting_apart(group_runs(runs))["norm"]
    assert [group.settings for group in found] == [{"norm": "unit"}, {}]
    shown = section(page(*runs), "### `norm`")
    assert row_of(shown, "`default`")
    assert row_of(shown, "`unit` (changed)")


def test_a_fold_that_follows_from_a_setting_is_no_other_difference():
    runs = [
        run(settings={"average_last": 5}, training_set="train"),
        run(settings={}, overrides={"average_last": 0}),
        run(settings={}, model="cosineqa"),
    ]
    (found,) = one_setting_apart(group_runs(runs))["average_last"]
    assert [group.setting("average_last") for group in found] == [0, 5]
    text = section(page(*runs), "## One setting changed")
    assert "a fold that is held out of train" in text
    assert row_of(text, "`0` (changed)")
    # The fold alone is another training set.
    runs[1]["settings"] = {"average_last": 5}
    assert one_setting_apart(group_runs(runs)) == {}


def test_rows_that_look_alike_say_what_differs():
    # Two generations of one recipe, neither an override.
    runs = [
        run(settings={"margin": 1.0, "l2": 0.1}),
        run(settings={"margin": 5.0, "l2": 0.1}),
        run(settings={"margin": 5.0, "l2": 0.1}, model="cosineqa"),
    ]
    groups = group_runs(runs)
    assert [
        (group.model, different)
        for group, different in zip(groups, distinctions(groups), strict=True)
    ] == [
        ("cosineqa", {}),
        ("hyperqa", {"margin": 1.0}),
        ("hyperqa", {"margin": 5.0}),
    ]
    dev = section(page(*runs), "## Measured on dev")
    assert row_of(dev, "HyperQA", "old paper `margin=1.0`")
    assert row_of(dev, "HyperQA", "paper `margin=5.0`")
    assert 'after the word "old" has had other settings' in page(*runs)
    assert row_of(dev, "CosineQA", "paper")


def test_a_recipe_that_has_changed_since_is_an_earlier_one():
    runs = [
        run(settings={"margin": 1.0}, split="test", vectors=[]),
        run(settings={"margin": 1.0}, overrides={"margin": 1.0}),
        run(settings={"margin": 2.0}, recipe="best"),
        run(settings={"margin": 5.0}),
    ]
    earlier = [g.split for g in group_runs(runs) if g.earlier]
    assert earlier == ["test"]
    # Settings that are given have no part in it.
    runs[1]["settings"] = {"margin": 1.0, "l2": 0.1}
    assert sum(group.earlier for group in group_runs(runs)) == 2


def test_vector_names():
    assert vector_name("a/b/glove.840B.300d.txt.gz") == "glove.840B.300d"
    assert vector_name("skipgram") == "skipgram"
    assert vector_name("wiki.en.vec") == "wiki.en"


def test_of_two_forms_of_a_recipe_the_later_is_kept():
    runs = [
        run(settings={"units": 9}),
        run(settings={"units": 5}),
        run(settings={"units": 5}, overrides={"epochs": 2}),
    ]
    for given, kept in ((runs, 5), ([runs[1], runs[0], runs[2]], 9)):
        found = latest(group_runs(given))
        assert sorted(group.settings["units"] for group in found) == sorted(
            [kept, 5]
        )
