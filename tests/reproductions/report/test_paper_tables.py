"""The papers' tables with our runs in their rows."""

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
    assert "The paper trained on train (8,672 pairs) with" in table
    assert row_of(table, "Rank MP-CNN (Rao et al.)") == [
        "Rank MP-CNN (Rao et al.)",
        "0.701",
        "0.718",
        "10M",
        "33",
    ]


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
