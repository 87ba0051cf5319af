"""Floors next to the measured runs, and the marks of those below."""

import pytest

from reproductions.records.paper_figures import FOLDER
from reproductions.records.paper_figures import load_papers
from reproductions.records.runs import read_all_runs
from reproductions.records.seed_groups import group_runs
from reproductions.report.rules.floors import Floors
from reproductions.report.rules.floors import bert_layers
from reproductions.report.rules.floors import is_untrained
from support.report_pages import dev
from support.report_pages import floor
from support.report_pages import row_of
from support.report_pages import run


def test_a_floor_is_untrained_and_of_the_same_vectors_or_of_none():
    runs = [
        run(MAP=0.7),
        floor("bm25", 0.5),
        floor("alignment", 0.6, ["other.bin"]),
        floor("cosine", 0.8, ["a.bin", "other.bin"]),
        floor("bm25", 0.9, split="test"),
        floor("bm25", 0.9, dataset="trecqa-raw"),
    ]
    floors = Floors(group_runs(runs), "hyperqa")
    by_model = {group.model: group for group in group_runs(runs[:3])}
    found = floors.of(by_model["hyperqa"])
    assert [group.model for group in found] == ["alignment", "bm25"]
    assert floors.best(by_model["hyperqa"]).model == "alignment"
    assert floors.above(by_model["hyperqa"]) == pytest.approx(0.1)
    assert floors.best(by_model["bm25"]) is None
    assert Floors([], "hyperqa").above(by_model["hyperqa"]) is None


def test_a_floor_that_is_fitted_to_labels_is_not_called_untrained():
    text = dev(
        run(MAP=0.58),
        floor("bm25", 0.5),
        floor("pv-cnt", 0.6, paper="systems", fitted={"pv": 0.7}),
        # These fit nothing, and say so.
        floor("idf-overlap", 0.4, fitted={}),
    )
    assert row_of(text, "PV + Cnt")[1] == "fitted"
    assert row_of(text, "BM25")[1] == "untrained"
    assert row_of(text, "idf overlap")[1] == "untrained"
    plain = " ".join(text.split())
    assert plain.count("`fitted` ones have weights or parameters") == 1
    assert "`fitted`" not in dev(run(MAP=0.58), floor("bm25", 0.5))


def test_every_recorded_floor_has_a_name_on_every_page():
    groups = group_runs(read_all_runs(FOLDER / "records"))
    floors = {group.model for group in groups if is_untrained(group)}
    for paper in load_papers().values():
        assert floors <= paper.models.keys()


def test_the_papers_own_floor_comes_before_another_papers():
    runs = [
        floor("bm25", 0.5),
        floor("bm25", 0.6, paper="ctrn"),
        floor("cosine", 0.3, paper="ctrn"),
        floor("cosine", 0.4, paper="iam"),
    ]
    (group,) = group_runs([run(vectors=[])])
    found = Floors(group_runs(runs), "hyperqa").of(group)
    assert [(g.model, g.paper) for g in found] == [
        ("bm25", "hyperqa"),
        ("cosine", "iam"),
    ]


def test_a_floor_of_the_models_training_set_comes_first():
    more = {"dataset": "trecqa-raw", "training_set": "TRAIN-ALL"}
    less = {"dataset": "trecqa-raw", "training_set": "TRAIN less its fold"}
    groups = group_runs(
        [
            floor("features", 0.6, **less),
            floor("bm25", 0.5, **less),
            # Of another paper, on the data set that has this train and dev.
            floor(
                "features",
                0.7,
                dataset="trecqa-all",
                training_set="TRAIN-ALL less its fold",
                paper="ctrn",
            ),
        ]
    )
    floors = Floors(groups, "hyperqa")

    def found(**fields):
        (group,) = group_runs([run(vectors=[], **fields)])
        return [(f.model, f.metric("MAP").mean) for f in floors.of(group)]

    assert found(**more) == [("features", 0.7), ("bm25", 0.5)]
    assert found(**less) == [("features", 0.6), ("bm25", 0.5)]
    # Of another dev there is none.
    assert found(dataset="trecqa-clean", training_set="TRAIN-ALL") == []


def test_a_floor_of_a_bert_reads_the_layers_that_the_model_reads():
    bert, two = ["bert:b"], {"bert_layers": 2}
    text = dev(
        run(MAP=0.7, vectors=bert),
        run(MAP=0.7, vectors=bert, settings=two, recipe="small"),
        floor("bm25", 0.5),
        floor("contextual-cosine", 0.6, bert, settings={}),
        floor("contextual-cosine", 0.65, bert, overrides=two, settings=two),
    )
    assert row_of(text, "HyperQA", "paper")[6] == "+0.100"
    assert row_of(text, "HyperQA", "small")[6] == "+0.050"


@pytest.mark.parametrize(("paper", "count"), [("mrnn", 4), ("iam", None)])
def test_records_leave_out_the_layers_of_their_script(paper, count):
    assert bert_layers(paper, {}) == count
    assert bert_layers(paper, {"bert_layers": 2}) == 2


def test_a_page_says_which_training_set_its_fitted_floors_have():
    fields = {"dataset": "trecqa-clean", "vectors": []}
    own = run(MAP=0.58, training_set="TRAIN-ALL", **fields)
    of_train = {"dataset": "trecqa-clean", "training_set": "TRAIN"}
    fitted = floor("features", 0.6, fitted={"w": 1.0}, **of_train)
    text = dev(own, fitted)
    said = "another training set than models of the table: `features` on TRAIN."
    assert said in " ".join(text.split())
    assert row_of(text, "HyperQA")[6] == "-0.020 ↓"
    assert "Fitted on" not in dev(own, floor("bm25", 0.6, **of_train))


def test_a_floor_that_read_less_than_the_model_is_named():
    fields = {"dataset": "trecqa-clean", "vectors": []}
    own = run(MAP=0.58, training_set="TRAIN", **fields)
    less = {"dataset": "trecqa-clean", "training_set": "TRAIN less its fold"}
    of_less = floor("features", 0.6, fitted={"w": 1.0}, **less)
    of_all = floor(
        "features", 0.5, fitted={"w": 1.0}, **{**less, "training_set": "TRAIN"}
    )
    text = dev(own, of_less)
    assert "`features` on TRAIN less its fold." in " ".join(text.split())
    text = dev(own, of_less, of_all)
    assert "another training set" not in " ".join(text.split())
    assert row_of(text, "HyperQA")[6] == "+0.080"


def test_each_table_has_the_floors_of_its_vectors():
    text = dev(
        run(MAP=0.58),
        run(MAP=0.62, seed=2),
        run(MAP=0.62, vectors=["more.bin"]),
        floor("bm25", 0.5),
        # Of another paper, which was trained on something else.
        floor("alignment", 0.61, ["other.bin"], paper="ctrn"),
        floor("features", 0.9, ["third.bin"], paper="ctrn"),
    )
    below = row_of(text, "HyperQA", "paper", "`other`")
    assert below[3] == "0.600 ± 0.028"
    # By hand: .6 - .61; BM25 alone is no measure of other vectors.
    assert below[6] == "-0.010 ↓"
    assert row_of(text, "HyperQA", "paper", "`more`")[6] == "–"
    for name in ("BM25", "alignment of words"):
        assert row_of(text, name, "untrained")[6] == ""
    assert "features" not in text
    plain = " ".join(text.split())
    assert "or none: alignment of words 0.610 for `other`." in plain
    assert plain.count("↓: below the MAP") == 1
    assert plain.count("–: no floor of these vectors was run.") == 1


def test_a_table_without_floors_has_no_column_for_them():
    text = dev(run())
    assert "bove floor" not in text and "↓" not in text


def test_equal_to_the_floor_is_not_below():
    text = dev(run(MAP=0.6), floor("cosine", 0.6, ["other.bin"]))
    assert row_of(text, "HyperQA")[6] == "+0.000"
    assert "↓" not in text
