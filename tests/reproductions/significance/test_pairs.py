"""Which runs are compared with each other."""

import json

from reproductions.records.papers import WantedTest
from reproductions.records.seed_groups import group_runs
from reproductions.significance.pairs import pairs
from support.compared_runs import record

VARIED = ("crossed_input", "alignment")


def test_pairs_differ_in_what_was_asked_for_alone():
    runs = [
        record(),
        record(overrides={"alignment": "padded"}),
        record(overrides={"units": 64}),
        record(recipe="best"),
        record(model="qrnn"),
        record(model="qrnn", overrides={"units": 64}),
        record(model="qrnn", overrides={"alignment": "padded"}),
        record(model="qrnn", vectors=["other.txt"]),
        record(model="qrnn", dataset="wikiqa"),
        record(model="bm25", recipe="untrained", vectors=[]),
    ]
    groups = group_runs(runs)

    def found(first, second, varied=(), **options):
        wanted = [WantedTest(first, second, varied, **options)]
        return [
            (a.recipe, a.overrides, b.overrides)
            for a, b, _ in pairs(groups, wanted, "ctrn")
        ]

    plain = ("paper", {}, {})
    smaller = ("paper", {"units": 64}, {"units": 64})
    padded = ("paper", {"alignment": "padded"}, {})
    assert sorted(found("ctrn", "qrnn", VARIED), key=str) == sorted(
        [plain, smaller, padded], key=str
    )
    assert found("ctrn", "ctrn", VARIED) == [padded]
    assert found("ctrn", "ctrn") == []
    assert len(found("ctrn", "bm25")) == 4
    # One more, where the vectors may be others.
    alike = found("ctrn", "qrnn")
    every = found("ctrn", "qrnn", other_vectors=True)
    assert sorted(every, key=str) == sorted([plain, *alike], key=str)


def test_every_trained_model_is_compared_with_another_papers():
    runs = [
        *(record(paper="systems", model=name) for name in ("mp-cnn", "anmm")),
        record(paper="systems", model="bm25", recipe="untrained"),
        record(),
        record(paper="iam", vectors=["bert"]),
    ]
    wanted = [WantedTest("*", "ctrn:ctrn")]
    found = list(pairs(group_runs(runs), wanted, "systems"))
    assert {(a.model, b.paper) for a, b, _ in found} == {
        ("mp-cnn", "ctrn"),
        ("anmm", "ctrn"),
    }


def test_each_value_of_a_reading_is_compared_with_the_recipes():
    mrnn = {"paper": "mrnn", "model": "mrnn"}
    changed = [{"blocks": n} for n in (1, 2, 3)] + [
        {"query_attention": False},
        {"blocks": 2, "dropout": 0.1},
    ]
    more = [{}, {"dropout": 0.1}]
    groups = group_runs(record(**mrnn, overrides=o) for o in changed + more)
    varied = ("n_gram_attention", "query_attention", "blocks")
    wanted = [WantedTest("mrnn", "mrnn", varied)]
    found = list(pairs(groups, wanted, "mrnn"))
    assert {
        json.dumps([first.overrides, second.overrides])
        for first, second, _ in found
    } == {
        *(json.dumps([overrides, {}]) for overrides in changed[:4]),
        json.dumps([changed[4], {"dropout": 0.1}]),
    }
    assert len(found) == 5


def test_a_change_of_an_earlier_recipe_is_not_compared_with_the_present_one():
    mrnn = {"paper": "mrnn", "model": "mrnn"}
    changed = {"overrides": {"blocks": 1}}

    def compared(margin):
        now = {"margin": 1.0, "blocks": 2}
        runs = [
            record(**mrnn, **changed, settings={"margin": margin, "blocks": 1}),
            record(**mrnn, settings=now),
        ]
        wanted = [WantedTest("mrnn", "mrnn", ("blocks",))]
        return len(list(pairs(group_runs(runs), wanted, "mrnn")))

    assert [compared(1.0), compared(0.5)] == [1, 0]


def test_an_epoch_of_a_fold_is_compared_with_the_mean_of_the_last():
    """The fold is what the setting decides about, no other training set."""
    one = {"overrides": {"average_last": 0}}
    groups = group_runs(
        [
            record(training_set="train"),
            record(training_set="train less its fold", **one),
            record(training_set="TRAIN-ALL less its fold", **one),
            record(training_set="train less its fold"),
        ]
    )
    wanted = [WantedTest("ctrn", "ctrn", ("average_last",))]
    assert [
        (first.training_set, first.overrides, second.training_set)
        for first, second, _ in pairs(groups, wanted, "ctrn")
    ] == [("train less its fold", *one.values(), "train")]


def test_vectors_are_compared_with_some_of_them():
    """Many sources come first, and each with fewer second."""
    mrnn = {"paper": "mrnn", "model": "mrnn"}
    sources = (["a"], ["b"], ["a", "b"], ["b", "c", "a"], ["a", "d"])
    groups = group_runs(
        [
            *(record(**mrnn, vectors=names) for names in sources),
            record(**mrnn, vectors=["a"], overrides={"blocks": 1}),
            record(**mrnn, vectors=[]),
        ]
    )
    wanted = [
        WantedTest("mrnn", "mrnn", fewer_vectors=True),
        WantedTest("mrnn", "mrnn", ("blocks",), metric="MRR"),
    ]
    found = [
        (first.vectors, second.vectors)
        for first, second, metric in pairs(groups, wanted, "mrnn")
        if metric == "MAP"
    ]
    assert sorted(found) == [
        (("a", "b"), ("a",)),
        (("a", "b"), ("b",)),
        (("a", "b", "c"), ("a",)),
        (("a", "b", "c"), ("a", "b")),
        (("a", "b", "c"), ("b",)),
        (("a", "d"), ("a",)),
    ]


def test_dev_is_not_compared_with_test():
    groups = group_runs([record(), record(model="qrnn", split="test")])
    assert list(pairs(groups, [WantedTest("ctrn", "qrnn")], "ctrn")) == []


def test_only_what_was_trained_before_is_a_transfers_first():
    before = {"overrides": {"transfer_epochs": 3}}
    groups = group_runs(
        [
            record(training_set="train"),
            record(training_set="train after squad", **before),
            record(model="qrnn", training_set="squad"),
            record(model="qrnn", training_set="train"),
        ]
    )
    varied = ("transfer_epochs",)
    for second in ("ctrn", "qrnn"):
        wanted = [WantedTest("ctrn", second, varied, transfer=True)]
        found = [
            (a.training_set, b.model, b.training_set)
            for a, b, _ in pairs(groups, wanted, "ctrn")
        ]
        assert found == [("train after squad", second, "train")]
