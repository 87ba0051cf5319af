"""The papers' tables with ours beside them, and what was compared."""

from reproductions.records.paired_tests import Condition
from reproductions.records.paired_tests import PairedTest
from reproductions.records.parameters import Counted
from reproductions.records.seed_groups import group_runs
from reproductions.report.page import build_page
from support.report_pages import FAIR
from support.report_pages import RESULTS
from support.report_pages import page
from support.report_pages import row_of
from support.report_pages import run
from support.report_pages import section
from support.report_pages import targets


def test_papers_figures_stand_beside_ours():
    table = section(
        page(run(1, 0.70, 0.71, **FAIR)),
        "#### Table 2. Experimental results on WikiQA.",
    )
    row = row_of(table, "HyperQA")
    assert row[:6] == ["HyperQA", "paper", "0.712", "0.700", "0.727", "0.710"]
    assert row[6:10] == ["90K", "90,302", "2", "1.5"]
    assert row[10:13] == ["1", "`glove.840B.300d`", "train, 8,672 pairs"]
    assert row_of(table, "Rank MP-CNN (Rao et al.)") == [
        "Rank MP-CNN (Rao et al.)",
        "0.701",
        "0.718",
        "10M",
        "33",
    ]


def test_table_1_comes_from_the_data_sets_counts():
    table = section(page(), "#### Table 1. Statistics of datasets.")
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


def test_parts_of_a_split_stand_beside_the_papers_columns():
    text = page(insurance_run("3N"), insurance_run("3M", settings={"k": 1}))
    title = "#### Table 3. The experimental results of InsuranceQA."
    table = section(text, title)
    row = row_of(table, "N Attentive LSTM (max-pooling K=50)", "paper")
    assert row[2:8] == ["68.9", "68.0", "69.0", "69.2", "64.8", "64.0"]
    # The largest difference: 68.0 - 68.9, in percent.
    assert row[-1] == "**within** 2 (Validation -0.9)"
    assert row_of(table, "L Attentive LSTM (avg-pooling K=1)")[-1] == "not run"
    measured = section(section(text, "## QA-LSTM"), "### Measured on test")
    assert row_of(measured, "Attentive LSTM (3N)")[4] == "0.670"
    assert row_of(measured, "Attentive LSTM (3M)")
    lacking = page(insurance_run("3N", parts={}))
    row = row_of(section(lacking, title), "N Attentive LSTM (max-pooling K=50)")
    assert row[-1] == "*no Test1 measured*"


def test_recall_on_dev_stands_beside_a_table_of_dev():
    squad = {
        "paper": "mrnn",
        "model": "mrnn",
        "dataset": "squad",
        "vectors": ["fastText", "ELMo", "BERT"],
        "metrics": {"MAP": 0.7, "recall@5": 0.8123},
    }
    text = section(page(run(**squad)), "## MRNN")
    row = row_of(text, "MRNN", "paper", "80.4")
    assert row[3] == "81.2"
    assert row[-1] == "*other training set*"
    dev = section(text, "### Measured on dev")
    assert "Of the paper only Table 4 belongs beside these." in dev
    assert "| MAP | recall@5 |" in dev
    dev = section(page(run()), "### Measured on dev")
    assert "No figure of the paper belongs beside these." in dev


def test_figures_have_the_decimals_of_the_paper():
    table = section(
        page(),
        "#### Table 6, TRAIN. Comparisons of various neural baselines on the "
        "TREC QA task.",
    )
    assert row_of(table, "QRNN")[2:5] == ["0.7000", "", "0.7859"]
    assert row_of(table, "MV-LSTM")[1:3] == ["0.7077", "0.7821"]


def counted(model="ctrn", sizes=None, **fields):
    return Counted(
        **{
            "paper": "ctrn",
            "model": model,
            "sizes": sizes or {"d": 512, "m": 300, "h": 128, "k": 2},
            "formula": 1_052_800,
            "parameters": 1_052_801,
            **fields,
        }
    )


def test_numbers_of_weights_stand_beside_the_papers():
    def cells(*counts):
        text = build_page(load_targets(), [], [], counts=counts)
        title = "#### Table 2. Memory complexity analysis with shared "
        return row_of(section(text, f"{title}parameters for q and a."), "CTRN")

    assert cells(counted(), counted("qrnn")) == [
        "CTRN",
        "3kdm + 2dh + h",
        "1,052,800",
        "1.05M",
        "1,052,801",
    ]
    # Of other sizes, or of another paper, they belong to another table.
    for other in (counted(sizes={"d": 4}), counted(paper="hyperqa")):
        assert cells(other)[2:] == ["", "1.05M"]


def compared(first="ctrn", second="qrnn", **fields):
    sides = {
        name: Condition(
            model=model,
            recipe="paper",
            vectors=["glove"],
            training_set="TRAIN less its fold",
            overrides={"alignment": "padded"} if name == "first" else {},
            seeds=[1, 2],
            mean=mean,
            deviation=0.01,
        )
        for name, model, mean in (
            ("first", first, 0.7),
            ("second", second, 0.6),
        )
    }
    return PairedTest(
        **{
            "paper": "ctrn",
            "dataset": "trecqa-raw",
            "split": "dev",
            "metric": "MAP",
            "questions": 78,
            "difference": 0.1,
            "interval": (-0.02, 0.2204),
            "confidence": 0.95,
            "p_value": 0.0123,
            "resamples": 10_000,
            "versions": {},
            **sides,
            **fields,
        }
    )


def test_differences_stand_with_their_intervals_and_the_papers():
    items = [compared(second="lstm"), compared(), compared(dataset="wikiqa")]
    text = build_page(load_targets(), [], [], items)
    part = section(text, "### Differences between models")
    assert "10,000 resamples" in part
    raw = section(part, "#### `trecqa-raw` dev, differences of MAP")
    assert row_of(raw, "CTRN `alignment=padded`", "QRNN") == [
        "CTRN `alignment=padded`",
        "QRNN",
        "paper",
        "`glove`",
        "78",
        "2, 2",
        "0.700 ± 0.010",
        "0.600 ± 0.010",
        "+0.100",
        "-0.020 to +0.220",
        "0.0123",
        "+0.058",
    ]
    # In the order of the targets, whatever that of the file.
    lines = [line for line in raw.splitlines() if "CTRN" in line]
    assert ["QRNN" in line for line in lines] == [True, False]
    # The paper has no figures on WikiQA.
    wikiqa = section(part, "#### `wikiqa` dev, differences of MAP")
    assert row_of(wikiqa, "CTRN `alignment=padded`")[-1] == "0.0123"
    text = build_page(load_targets(), [], [], [])
    part = section(
        text.split("\n## CTRN\n")[1], "### Differences between models"
    )
    assert part.strip() == "No comparison is recorded."


def test_another_paper_needs_only_its_targets(tmp_path):
    rows = 'rows = [{ model = "M", ours = "m", MAP = 0.5, seconds = 3 }]'
    loaded = load_targets(targets(tmp_path, RESULTS + rows))
    record = run(
        paper="p",
        model="m",
        dataset="d",
        split="test",
        metrics={"MAP": 0.58, "accuracy": 0.4},
        vectors=[],
        training_set="train",
        training={"pairs": 10},
    )
    text = build_page(loaded, group_runs([record]), [])
    table = section(text, "#### Table 1. Results.")
    assert row_of(table, "M")[-1] == "**within** 0.1 (MAP +0.080)"
    measured = section(text, "### Measured on test")
    assert row_of(measured, "m")[2:4] == ["0.580", "0.400"]
    assert "### Findings" not in text
