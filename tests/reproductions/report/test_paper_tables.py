"""The papers' tables with our runs in their rows."""

import re
from dataclasses import replace

from reproductions.records.paper_figures import FOLDER
from reproductions.records.paper_figures import load_papers
from reproductions.records.runs import read_all_runs
from reproductions.records.seed_groups import group_runs
from reproductions.report.paper_tables import paper_tables
from support.report_pages import FAIR
from support.report_pages import page
from support.report_pages import row_of
from support.report_pages import run
from support.report_pages import section


def test_papers_figures_are_next_to_ours():
    table = section(
        page(run(1, 0.70, 0.71, **FAIR)),
        "### Table 2",
    )
    row = row_of(table, "HyperQA")
    assert row[:3] == ["HyperQA", "paper", "`glove.840B.300d`"]
    assert row[3:8] == ["0.712", "0.700", "0.727", "0.710", "1"]
    # It prints 5.9K.
    ours = "The paper trained on train (8,672 pairs in the data set) with `gl"
    assert ours in " ".join(table.split())
    rank = row_of(table, "Rank MP-CNN (Rao et al.)")
    assert rank[1:-1] == ["0.701", "0.718", "10M", "33"]


def test_what_a_paper_does_not_print_of_its_training_is_marked():
    text = " ".join(page(paper="ctrn").split())
    assert "trained on train (36,000 pairs) with `glove.qat" in text
    assert "on train (253,000 pairs) with `glove.840B.300d` (assumed)." in text
    assert "on TRAIN-ALL (assumed, 53,000 pairs) with `aquaint" in text
    assert "ndim=50` (assumed)." in text
    # Two papers with the same questions.
    for paper in ("qa_lstm", "mrnn"):
        text = " ".join(page(paper=paper).split())
        assert "TRAIN-ALL (53,313 pairs in the data set) with" in text


def test_table_1_comes_from_the_data_sets_counts():
    table = section(page(), "### Table 1")
    assert row_of(table, "train, pairs")[1:] == ["253K", "5.9K", "36K", "53"]
    assert "873 / 126 / 243" in table


def insurance_run(row, model="attentive-lstm", **fields):
    fields = {
        "dataset": "insuranceqa-v1",
        "split": "test",
        "metrics": {"MAP": 0.7, "MRR": 0.7, "P@1": 0.67},
        "selection": {"P@1": 0.68},
        "parts": {"test1": {"P@1": 0.692}, "test2": {"P@1": 0.64}},
        "vectors": ["word2vec.wikipedia+insuranceqa.100d.bin"],
        "training_set": "train",
        "training": {"pairs": 18_540},
        **fields,
    }
    return run(paper="qa_lstm", model=model, row=row, **fields)


def test_parts_of_a_split_are_next_to_the_papers_columns():
    runs = [insurance_run("3N", seed=seed) for seed in range(5)]
    other = insurance_run("3M", settings={"k": 1})
    text = page(*runs, other, paper="qa_lstm")
    title = "### Table 3"
    table = section(text, title)
    row = row_of(table, "N Attentive LSTM (max-pooling K=50)", "paper")
    assert row[3:9] == [
        *("68.9", "68.0 ± 0.0", "69.0", "69.2 ± 0.0", "64.8", "64.0 ± 0.0")
    ]
    # The largest difference: 68.0 - 68.9, in percent.
    assert row[-1] == "**within** 2 (Validation -0.9)"
    # Not run, so among the paper's others.
    others = row_of(table, "L Attentive LSTM (avg-pooling K=1)")
    assert others[1:4] == ["68.4", "68.1", "62.2"]
    measured = section(text, "## Measured on test")
    assert row_of(measured, "Attentive LSTM (3N)")[5] == "0.670 ± 0.000"
    assert row_of(measured, "Attentive LSTM (3M)")
    runs = [insurance_run("3N", seed=seed, parts={}) for seed in range(5)]
    lacking = page(*runs, paper="qa_lstm")
    row = row_of(section(lacking, title), "N Attentive LSTM (max-pooling K=50)")
    assert row[-1] == "*no Test1 measured*"


def test_recall_on_dev_is_next_to_a_table_of_dev():
    squad = {
        "paper": "mrnn",
        "model": "mrnn",
        "dataset": "squad",
        "vectors": ["fastText", "ELMo", "BERT"],
        "metrics": {"MAP": 0.7, "recall@5": 0.8123},
    }
    text = page(run(**squad), paper="mrnn")
    table = section(text, "### Table 4")
    row = row_of(table, "MRNN", "paper")
    assert row[3:5] == ["80.4", "81.2"]
    assert row[-1] == "(a)"
    assert "\n- (a) *other training set; 1 of 5 seeds*\n" in table
    dev = " ".join(section(text, "## Measured on dev").split())
    assert "Of the paper only Table 4 can be held against these figures." in dev
    assert "| MAP | recall@5 |" in dev
    dev = " ".join(section(page(run()), "## Measured on dev").split())
    assert "No figure of the paper can be held against these." in dev


def test_figures_have_the_decimals_of_the_paper():
    table = section(page(paper="ctrn"), "### Table 6, TRAIN")
    assert row_of(table, "QRNN")[1:3] == ["0.7000", "0.7859"]
    assert row_of(table, "MV-LSTM")[1:3] == ["0.7077", "0.7821"]


def test_every_row_has_a_figure_or_a_reason():
    papers = load_papers()
    groups = group_runs(read_all_runs(FOLDER / "records"))
    for paper in papers.values():
        for table in paper.results:
            # One reason for all rows.
            if table.why:
                continue
            text = "".join(
                paper_tables(replace(paper, tables=(table,)), groups)
            )
            listed = [line for line in text.splitlines() if line[:2] == "| "]
            parts = text.split("<details>")
            for row in table.rows:
                start = "| {} |".format(row.model.replace("|", "\\|"))
                cells = [line for line in listed if line.startswith(start)]
                assert cells, row.model
                measured = cells[0] in parts[0]
                assert measured or re.search(r"\([a-z]+\) \|", cells[0]), cells


SYSTEM = {"paper": "systems", "recipe": "best", "split": "dev"}


def test_a_row_without_a_run_on_test_shows_that_of_dev():
    runs = [
        run(1, 0.61, **SYSTEM, model="arc-i", dataset="semeval"),
        run(2, 0.63, **SYSTEM, model="arc-i", dataset="semeval"),
        run(1, 0.80, **SYSTEM, model="ai-cnn", dataset="wikiqa", seconds=290),
    ]
    text = page(*runs)
    table = section(text, "### Table 4")
    assert "The paper's rows, none of them run on test<" in table
    row = row_of(table, "ARC-I (Hu et al.)")
    assert row[1:3] == ["0.741", "0.771"]
    assert row[3:] == ["", "", "0.620 ± 0.014 (a)", "2"]
    assert "- (a) recipe best, trained on train less its fold, `other`" in table
    assert row_of(table, "AI-CNN (Zhang et al.)")[5:] == ["", "", "(d)"]
    plain = " ".join(table.split())
    assert (
        "(d) No run on `semeval` is recorded. The model was run on `wikiqa` "
        "(5 minutes a seed)." in plain
    )
    assert row_of(table, "ARC-II (Hu et al.)")[-1] == "(b)"
    assert "(b) The kit has the model; no run of it is recorded." in plain
    # Nothing of this data set was run.
    assert "rows, none of them run<" in section(text, "### Table 3")


def test_a_row_has_its_own_runs_and_none_of_its_models_other_rows():
    text = page(
        insurance_run("3L", split="dev", seconds_per_epoch=36.2),
        paper="qa_lstm",
    )
    table = section(text, "### Table 3")
    name = "L Attentive LSTM (avg-pooling K=1)"
    # In percent, as the table.
    assert row_of(table, name)[4] == "67.0 (b)"
    other = row_of(table, "M Attentive LSTM (avg-pooling K=50)")
    assert other[4:] == ["", "", "(c)"]
    assert (
        "(c) No run of this row is recorded on `insuranceqa-v1`; of its model "
        "there is row 3L, at 36 s an epoch." in " ".join(table.split())
    )


def test_a_row_of_train_all_has_runs_on_it():
    system = {**SYSTEM, "model": "cntn", "dataset": "trecqa-raw"}
    whole = {
        "training_set": "TRAIN-ALL",
        "overrides": {"train_split": "train-all"},
    }
    small = {"training_set": "TRAIN"}
    other = {**SYSTEM, "model": "hd-lstm", "dataset": "trecqa-raw"}
    runs = [run(1, 0.80, **system, **small), run(1, 0.85, **system, **whole)]
    text = page(*runs, run(1, 0.83, **other, **small), paper="ctrn")
    on_train = section(text, "### Table 6, TRAIN")
    assert row_of(on_train, "CNTN")[3] == "0.800 (b)"
    on_all = section(text, "### Table 6, TRAIN-ALL")
    assert row_of(on_all, "CNTN")[3] == "0.850 (b)"
    assert "CNTN" not in on_all.split("- (b) ")[1].split("\n")[0]
    reason = "No run on `trecqa-raw` by TRAIN-ALL is recorded."
    assert reason in " ".join(on_all.split())
    assert row_of(on_all, "HD-LSTM")[3] == ""
    # Elsewhere a run on another training set is shown, which its note names.
    table = section(text, "### Table 7")
    assert row_of(table, "Tay et al. (2017) - HD-LSTM")[3].startswith("0.830")
    assert "trained on TRAIN, `other`" in table
