"""The lines of the first page: which runs stand for a paper."""

from reproductions.records.paper_figures import load_papers
from reproductions.records.seed_groups import group_runs
from reproductions.report.front_page import front_page
from reproductions.report.front_page import readme_table
from reproductions.report.rules.lines import find_lines
from support.report_pages import row_of
from support.report_pages import run


def lines(*runs):
    found = find_lines(load_papers(), group_runs(runs))
    return {(line.paper.key, line.dataset): line for line in found}


def page(*runs):
    return front_page(load_papers(), group_runs(runs))


def test_the_best_on_dev_is_shown_with_its_own_test():
    """The best on test is not looked for."""
    line = lines(
        run(MAP=0.71, recipe="best"),
        run(MAP=0.70),
        run(MAP=0.60, split="test", recipe="best"),
        run(MAP=0.65, split="test"),
        run(MAP=0.99, overrides={"sampler": "max"}),
        run(MAP=0.99, model="cosineqa"),
    )["hyperqa", "wikiqa"]
    assert line.printed == "0.712"
    assert line.measured("dev").mean == 0.71
    assert line.measured("test").mean == 0.60
    assert line.verdict() == "V T S N"
    assert not line.apart


def test_a_data_set_takes_runs_with_its_dev_and_train_of_another():
    """`trecqa-raw` by TRAIN-ALL is `trecqa-all`; its floor is of that, too."""
    ctrn = {"paper": "ctrn", "model": "ctrn"}
    by_all = {"dataset": "trecqa-raw", "training_set": "TRAIN-ALL"}
    switch = {"train_split": "train-all"}
    untrained = {"paper": "ctrn", "recipe": "untrained", "model": "cosine"}
    text = page(
        run(MAP=0.70, **ctrn, dataset="trecqa-all", training_set="TRAIN-ALL"),
        run(MAP=0.71, **ctrn, **by_all, recipe="best", overrides=switch),
        run(MAP=0.99, **ctrn, **by_all, overrides={**switch, "units": 2}),
        run(MAP=0.98, **ctrn, dataset="trecqa-raw", training_set="TRAIN"),
        run(MAP=0.6, **untrained, dataset="trecqa-raw", training_set="TRAIN"),
        run(
            MAP=0.8, **untrained, dataset="trecqa-all", training_set="TRAIN-ALL"
        ),
    )
    row = row_of(text, "CTRN", "`trecqa-all`")
    assert (row[3], row[5]) == ("0.710 ↓", "0.800")
    row = row_of(text, "CTRN", "`trecqa-raw`")
    assert (row[3], row[5]) == ("0.980", "0.600")
    # Without a table of it, or plain runs on it, there is no such line.
    other = page(run(MAP=0.71, **by_all, overrides=switch))
    assert "| `trecqa-all` |" not in other


def test_test_of_another_condition_is_marked():
    fields = {"split": "test", "recipe": "best"}
    text = page(
        run(MAP=0.71, recipe="best", settings={"k": 2}),
        run(MAP=0.60, settings={"k": 1}, **fields),
        run(MAP=0.99, vectors=["more"], **fields),
    )
    assert row_of(text, "HyperQA", "`wikiqa`")[3:5] == ["0.710", "0.600 °"]


def test_test_alone_is_shown():
    line = lines(run(MAP=0.60, split="test"))["hyperqa", "wikiqa"]
    assert line.measured("dev") is None
    assert line.measured("test").mean == 0.60


def test_the_best_floor_is_of_the_same_split_and_vectors():
    floor = {"recipe": "untrained"}
    text = page(
        run(MAP=0.7),
        run(MAP=0.65, split="test"),
        run(MAP=0.62, dataset="trecqa-raw"),
        run(model="bm25", MAP=0.5, vectors=[], **floor),
        run(model="cosine", MAP=0.6, **floor),
        run(model="cosine", MAP=0.8, vectors=["more"], **floor),
        run(model="bm25", MAP=0.66, vectors=[], split="test", **floor),
    )
    row = row_of(text, "HyperQA", "`wikiqa`")
    assert row[3:7] == [
        "0.700",
        "0.650 ↓",
        "0.600",
        "0.660",
    ]
    assert row[7] == "1, 1"
    row = row_of(text, "HyperQA", "`trecqa-raw`")
    assert row[3:6] == ["0.620", "–", "–"]


def test_floors_without_vectors_are_shown_only_above_a_model():
    bm25 = {"model": "bm25", "vectors": [], "recipe": "untrained"}
    shown = [
        row_of(page(run(MAP=MAP), run(MAP=0.5, **bm25)), "HyperQA", "`wikiqa`")
        for MAP in (0.6, 0.4)
    ]
    assert [row[5] for row in shown] == ["–", "0.500"]


def test_the_floors_on_test_are_named_with_their_vectors():
    on_test = {"recipe": "untrained", "split": "test"}
    text = page(
        run(model="bm25", vectors=[], **on_test),
        run(model="cosine", vectors=["a", "b"], **on_test),
        run(model="alignment", dataset="sample", **on_test),
    )
    said = (
        "Except on `sample`, the only test floors are BM25 and untrained "
        "cosine of `a` + `b`."
    )
    assert said in " ".join(text.split())
    assert "floors of test" not in page(run(split="test"))


def test_rows_of_a_model_are_told_apart():
    """Of the paper's rows the last, and runs that carry its name."""
    fields = {
        "paper": "qa_lstm",
        "model": "attentive-lstm",
        "dataset": "trecqa-clean",
    }
    line = lines(
        run(**fields, row="4E", MAP=0.6),
        run(**fields, row="3M", MAP=0.7, settings={"k": 1}),
    )["qa_lstm", "trecqa-clean"]
    assert line.printed == "0.753"
    assert line.measured("dev").mean == 0.6


def test_data_sets_without_runs_are_named_once():
    text = page(run())
    assert text.count("Not run:") == 1
    plain = " ".join(text.split())
    assert "HyperQA on `yahooqa` (P@1 0.683)" in plain
    assert "`yahooqa`" not in readme_table(load_papers(), group_runs([run()]))
    # Without a figure of the paper only the page has the line.
    other = run(dataset="selqa")
    assert row_of(page(other), "HyperQA", "`selqa`")[2] == "–"
    assert "selqa" not in readme_table(load_papers(), group_runs([other]))


def test_a_sum_with_the_floor_is_marked():
    beside = {"recipe": "best", "settings": {"joint_weight": 1.0}}
    text = page(run(**beside), run(dataset="trecqa-raw"))
    assert row_of(text, "HyperQA⊕", "`wikiqa`")
    assert row_of(text, "HyperQA", "`trecqa-raw`")
    assert "⊕: on dev a [sum with a floor](best.md)." in text
