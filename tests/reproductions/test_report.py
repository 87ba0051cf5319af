import json
import random
import re
import statistics

import pytest

from reproductions.comparisons import Compared
from reproductions.comparisons import Side
from reproductions.ledger import load_ledger
from reproductions.parameters import Counted
from reproductions.report import build_page
from reproductions.report import main
from reproductions.summary import Statistic
from reproductions.summary import comparisons
from reproductions.summary import distinctions
from reproductions.summary import group_runs
from reproductions.summary import vector_name
from reproductions.targets import TargetsError
from reproductions.targets import load_targets
from reproductions.verdicts import verdict

PAPER = "hyperqa"
# The paper's own: WikiQA's train, GloVe 840B, on test.
FAIR = {
    "split": "test",
    "vectors": ["vectors/glove.840B.300d.txt.gz"],
    "training_set": "train",
    "training": {"pairs": 8672},
}


def run(seed=1, MAP=0.70, MRR=0.72, overrides=None, **fields):
    overrides = overrides or {}
    return {
        "paper": PAPER,
        "model": "hyperqa",
        "dataset": "wikiqa",
        "split": "dev",
        "seed": seed,
        "recipe": "paper",
        "metrics": {"MAP": MAP, "MRR": MRR, "P@1": 0.5},
        "questions": 126,
        "questions_scored": 126,
        "candidates": 1130,
        "ties": 0,
        "parameters": 90302,
        "seconds_per_epoch": 1.5,
        "vectors": ["other.bin"],
        "training_set": "train less its fold",
        "training": {"pairs": 7481},
        "settings": {"conversion": "none", "sampler": "mix", **overrides},
        "overrides": overrides,
        "versions": {"machine": "x86_64, 2 cores"},
        **fields,
    }


def page(*runs):
    return build_page(load_targets(), group_runs(runs), [])


def section(text, title):
    """The part of a page from a heading to the next of its level."""
    level = title.split()[0]
    after = text.split(f"{title}\n", 1)[1]
    return after.split(f"\n{level} ", 1)[0]


def row_of(text, *starts):
    """The cells of the only table row that begins with some cells."""
    rows = [
        [cell.strip() for cell in line.strip("|\n ").split(" | ")]
        for line in text.splitlines()
        if line.startswith("| ")
    ]
    (row,) = [r for r in rows if r[: len(starts)] == list(starts)]
    return row


def wikiqa_verdict(*runs):
    table = load_targets().papers[PAPER].table("Table 2")
    (row,) = [row for row in table.rows if row.ours]
    groups = group_runs(runs)
    return verdict(table, row, groups[0] if groups else None)


def test_mean_and_sample_deviation_over_seeds():
    values = [0.70, 0.71, 0.73]
    runs = [run(seed, MAP) for seed, MAP in enumerate(values)]
    dev = section(page(*runs), "### Measured on dev")
    # By hand: mean .71333, squares of (-.01333, -.00333, .01667) / 2.
    assert statistics.stdev(values) == pytest.approx(0.015275, abs=1e-6)
    row = row_of(dev, "HyperQA", "paper")
    assert row[2:6] == ["0.713 ± 0.015", "0.720 ± 0.000", "0.500 ± 0.000", "3"]
    assert row[6:10] == ["126", "1,130", "0", "90,302"]


def test_ties_are_counts():
    dev = section(page(run(ties=1169)), "### Measured on dev")
    assert row_of(dev, "HyperQA")[8] == "1,169"
    runs = [run(seed, ties=ties) for seed, ties in enumerate((1, 1, 2))]
    dev = section(page(*runs), "### Measured on dev")
    assert row_of(dev, "HyperQA")[8] == "1.3 ± 0.6"


def test_findings_stand_between_the_tables_of_dev_and_test():
    text = page(run(), run(split="test"))
    titles = [line for line in text.splitlines() if line.startswith("### ")]
    place = titles.index("### Findings")
    assert titles[place - 1] == "### Measured on dev"
    assert titles[place + 1] == "### Measured on test"
    part = section(text, "### Findings")
    assert "the figures are in the tables" in part
    bullets = [line[2:] for line in part.splitlines() if line[:2] == "- "]
    assert bullets == list(load_targets().papers[PAPER].findings)
    # Figures would grow stale: they are in the tables alone.
    assert not re.search(r"\d\.\d", part)


def test_one_seed_has_no_deviation():
    assert Statistic.of([0.7]) == Statistic(0.7, None, 1)
    dev = section(page(run(MAP=0.7124)), "### Measured on dev")
    assert row_of(dev, "HyperQA", "paper")[2] == "0.712"


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


def test_smoke_runs_do_not_count():
    assert group_runs([run(smoke=True)]) == []


def test_page_does_not_depend_on_the_order_of_seeds_and_runs():
    runs = [
        run(seed, model=model, dataset=dataset)
        for seed in (1, 2, 3)
        for model in ("bm25", "hyperqa", "cosineqa")
        for dataset in ("wikiqa", "trecqa-clean")
    ]
    expected = page(*runs)
    for seed in range(3):
        shuffled = random.Random(seed).sample(runs, len(runs))
        assert page(*shuffled) == expected


def test_verdict_within_and_outside_the_tolerance():
    # Table 2: MAP .712, MRR .727, tolerance .02.
    near = [run(s, MAP, 0.727, **FAIR) for s, MAP in ((1, 0.69), (2, 0.70))]
    assert wikiqa_verdict(*near) == "**within** 0.02 (MAP -0.017)"
    assert wikiqa_verdict(run(1, 0.72, 0.757, **FAIR)) == (
        "**outside** 0.02 (MRR +0.030)"
    )


def test_verdict_not_run():
    assert wikiqa_verdict() == "not run"
    table = section(page(), "#### Table 2. Experimental results on WikiQA.")
    assert row_of(table, "HyperQA")[-1] == "not run"


@pytest.mark.parametrize(
    ("change", "note"),
    [
        ({"vectors": ["skipgram"]}, "other vectors"),
        ({"vectors": [*FAIR["vectors"], "skipgram"]}, "other vectors"),
        ({"training_set": "train less its fold"}, "other training set"),
        ({"training": {"pairs": 4000}}, "other training set"),
        ({"recipe": "best"}, "other settings"),
        ({"overrides": {"sampler": "max"}}, "other settings"),
        ({"split": "dev"}, "other split"),
    ],
)
def test_no_verdict_where_something_differs(change, note):
    # The very figures of the paper, and still no verdict.
    changed = run(1, 0.712, 0.727, **{**FAIR, **change})
    assert wikiqa_verdict(changed) == f"*{note}*"


def test_untrained_models_have_no_training_set_to_differ_in():
    paper = load_targets().papers[PAPER]
    table = paper.table("Table 3")
    row = next(row for row in table.rows if row.ours == "bm25")
    (group,) = group_runs(
        [
            run(
                model="bm25",
                recipe="untrained",
                dataset="yahooqa",
                split="test",
                vectors=[],
                training={"pairs": 5},
                metrics={"P@1": 0.225, "MRR": 0.495},
            )
        ]
    )
    assert verdict(table, row, group) == "**within** 0.01 (MRR +0.002)"


def test_dev_figures_never_stand_in_the_papers_tables():
    text = page(run(1, 0.654321, 0.712345))
    assert "0.654" not in section(text, "### The paper's tables")
    assert "0.654" not in section(text, "### Measured on test")
    assert "0.654" in section(text, "### Measured on dev")
    text = page(run(1, 0.654321, split="test"))
    assert "0.654" in section(text, "### The paper's tables")
    assert "0.654" in section(text, "### Measured on test")
    assert "0.654" not in section(text, "### Measured on dev")


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


def test_tables_of_one_changed_setting():
    runs = [
        run(seed, MAP + seed / 1000, overrides=overrides)
        for seed in (1, 3)
        for MAP, overrides in (
            (0.70, {}),
            (0.71, {"conversion": "parameter"}),
            (0.68, {"sampler": "random"}),
            (0.50, {"conversion": "gradient", "sampler": "max"}),
        )
    ]
    part = section(page(*runs), "### One setting changed")
    conversion = section(part, "#### `conversion`")
    assert row_of(conversion, "`none`")[1] == "0.702 ± 0.001"
    assert row_of(conversion, "`parameter` (changed)")[1] == "0.712 ± 0.001"
    assert "`gradient`" not in conversion
    sampler = section(part, "#### `sampler`")
    assert row_of(sampler, "`random` (changed)")[1] == "0.682 ± 0.001"
    # Two settings differ: the run belongs to neither table.
    assert "0.502" not in part
    # Changed settings do not stand among the recipe's own results.
    dev = section(page(*runs), "### Measured on dev")
    assert row_of(dev, "HyperQA")[2] == "0.702 ± 0.001"


def test_numbers_are_ordered_by_value():
    groups = group_runs([run(settings={"d": d}) for d in (100, 50, 400, 1000)])
    (found,) = comparisons(groups)["d"]
    assert [group.settings["d"] for group in found] == [50, 100, 400, 1000]


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
    dev = section(page(*runs), "### Measured on dev")
    assert row_of(dev, "HyperQA", "paper `margin=1.0`")
    assert row_of(dev, "CosineQA", "paper")


def test_models_stand_in_the_order_of_the_targets():
    models = ("hyperqa", "cosineqa", "bm25", "cosine")
    dev = section(
        page(*(run(model=model) for model in models)), "### Measured on dev"
    )
    names = [line.split(" | ")[0][2:] for line in dev.splitlines()]
    known = [name for name in names if name in load_targets().models.values()]
    assert known == ["untrained cosine", "BM25", "CosineQA", "HyperQA"]


def test_seconds_per_epoch():
    part = section(
        page(run(1), run(2, seconds_per_epoch=2.5)), "### Seconds per epoch"
    )
    row = row_of(part, "HyperQA")
    assert row[4:] == ["2", "2.0 ± 0.7", "2", "x86_64, 2 cores"]


def test_scored_questions_are_told_from_all():
    dev = section(
        page(run(questions=81, questions_scored=78)), "### Measured on dev"
    )
    assert row_of(dev, "HyperQA")[6] == "81, 78 scored"


def test_table_1_comes_from_the_data_sets_counts():
    table = section(page(), "#### Table 1. Statistics of datasets.")
    assert row_of(table, "train, pairs")[1:] == ["253K", "5.9K", "36K", "53"]
    assert "873 / 126 / 243" in table


def test_vector_names():
    assert vector_name("a/b/glove.840B.300d.txt.gz") == "glove.840B.300d"
    assert vector_name("skipgram") == "skipgram"
    assert vector_name("wiki.en.vec") == "wiki.en"


def test_papers_figures_are_those_of_the_paper():
    """The rows of the paper's own model, typed a second time."""
    tables = load_targets().papers[PAPER].tables
    own = {
        (table.number, table.dataset): row
        for table in tables
        if table.number in {f"Table {n}" for n in range(2, 7)}
        for row in table.rows
        if row.ours == "hyperqa"
    }
    expected = {
        ("Table 2", "wikiqa"): ({"MAP": 0.712, "MRR": 0.727}, 90_000, 2),
        ("Table 3", "yahooqa"): ({"P@1": 0.683, "MRR": 0.801}, 90_000, 20),
        ("Table 4", "semeval"): ({"P@1": 0.809, "MAP": 0.795}, 45_000, 10),
        ("Table 5", "trecqa-raw"): ({"MAP": 0.770, "MRR": 0.825}, 90_000, 12),
        ("Table 6", "trecqa-clean"): (
            {"MAP": 0.784, "MRR": 0.865},
            90_000,
            12,
        ),
    }
    assert {
        key: (row.metrics, row.parameters, row.seconds)
        for key, row in own.items()
    } == expected
    assert [len(table.rows) for table in tables] == [6, 11, 12, 8, 14, 5, 5]


def test_papers_figures_of_ctrn_are_those_of_the_paper():
    """The rows of the models of that paper, typed a second time."""
    paper = load_targets().papers["ctrn"]

    def rows(number):
        return {
            row.ours: tuple(row.metrics.values())
            for row in paper.table(number).rows
            if row.ours
        }

    # YahooQA: P@1 and MRR; QatarLiving: P@1 and MAP; TrecQA: MAP and MRR.
    assert rows("Table 4") == {
        "bm25": (0.225, 0.493),
        "cnn": (0.413, 0.632),
        "lstm": (0.465, 0.669),
        "ap-cnn": (0.560, 0.726),
        "ap-bilstm": (0.568, 0.731),
        "qrnn": (0.573, 0.736),
        "ctrn": (0.601, 0.755),
    }
    assert rows("Table 5") == {
        "ap-cnn": (0.755, 0.771),
        "qrnn": (0.758, 0.783),
        "ctrn": (0.788, 0.794),
    }
    assert rows("Table 6, TRAIN") == {
        "cnn": (0.7000, 0.7469),
        "lstm": (0.7007, 0.7777),
        "qrnn": (0.7000, 0.7859),
        "ctrn": (0.7582, 0.8233),
    }
    assert rows("Table 6, TRAIN-ALL") == {
        "cnn": (0.7216, 0.7899),
        "lstm": (0.7350, 0.8064),
        "qrnn": (0.7609, 0.8227),
        "ctrn": (0.7712, 0.8384),
    }
    assert [len(table.rows) for table in paper.tables] == [
        *(4, 6, 11, 8, 9, 9, 16),
    ]
    last = paper.table("Table 7").rows
    assert last[-2:] == (
        ("CTRN (TRAIN)", "0.7582", "0.8233"),
        ("CTRN (TRAIN-ALL)", "0.7712", "0.8384"),
    )


def test_papers_figures_of_qa_lstm_are_those_of_the_paper():
    """The rows of that paper's tables, typed a second time."""
    paper = load_targets().papers["qa_lstm"]
    rows = {
        row.name: tuple(row.metrics.values())
        for number in ("Table 3", "Table 4")
        for row in paper.table(number).rows
        if row.name
    }
    # Table 3: accuracy in percent on Validation, Test1, Test2.
    assert list(rows.values())[:18] == [
        (31.9, 32.1, 32.2),
        (52.7, 55.1, 50.8),
        (61.8, 62.8, 59.2),
        (65.4, 65.3, 61.0),
        (54.8, 53.6, 51.0),
        (55.0, 55.7, 52.4),
        (64.3, 63.1, 58.0),
        (66.6, 66.6, 63.7),
        (66.2, 64.6, 62.2),
        (66.4, 67.4, 63.5),
        (67.8, 67.5, 64.4),
        (66.0, 66.1, 63.0),
        (67.1, 67.6, 64.4),
        (61.6, 62.2, 57.9),
        (62.3, 63.3, 60.2),
        (68.4, 68.1, 62.2),
        (68.4, 67.8, 63.2),
        (68.9, 69.0, 64.8),
    ]
    assert "".join(name[1] for name in list(rows)[4:18]) == "ABCDEFGHIJKLMN"
    # Table 4: MAP and MRR.
    assert {name: rows[name] for name in list(rows)[18:]} == {
        "4-cnn": (0.711, 0.800),
        "4A": (0.714, 0.807),
        "4B": (0.733, 0.819),
        "4C": (0.742, 0.819),
        "4D": (0.737, 0.827),
        "4E": (0.753, 0.830),
    }
    assert [len(table.rows) for table in paper.tables] == [2, 18, 13]
    assert paper.table("Table 2").rows == (
        ("# of Qs", "12887", "1000", "1800", "1800"),
        ("# of As", "18540", "1454", "2616", "2593"),
    )


def test_papers_figures_of_iam_are_those_of_the_paper():
    """The rows of Table 1 that ours stand beside, typed a second time."""
    paper = load_targets().papers["iam"]
    results = [t for t in paper.tables if t.number.startswith("Table 1")]
    assert [t.dataset for t in results] == ["trecqa-clean", "wikiqa", "yahoo"]
    rows = {
        row.ours: [t.rows[place].metrics for t in results]
        for place, row in enumerate(results[0].rows)
        if row.ours
    }
    assert {
        model: [(m["MRR"], m["MAP"]) for m in metrics]
        for model, metrics in rows.items()
    } == {
        "qa-lstm": [(0.8322, 0.7111), (0.7045, 0.6821), (0.6468, 0.6157)],
        "ap-cnn": [(0.8511, 0.7530), (0.6957, 0.6886), (0.6489, 0.6047)],
        "iam-bert": [(0.8951, 0.8426), (0.7631, 0.7520), (0.7362, 0.6831)],
    }
    assert [len(table.rows) for table in paper.tables] == [11, 11, 11, 2, 2]


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


def test_columns_of_parts_are_named(tmp_path):
    table = RESULTS + 'parts = { MAP = "test1" }\nrows = []'
    with pytest.raises(TargetsError, match="Received: no metric"):
        load_targets(targets(tmp_path, table))
    table = RESULTS + 'metric = "MAP"\nparts = { A = "a" }\nrows = []'
    with pytest.raises(TargetsError, match="Received: no MAP"):
        load_targets(targets(tmp_path, table))


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
        name: Side(
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
    return Compared(
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


def write_inputs(folder, runs):
    (folder / "runs.jsonl").write_text(
        "".join(json.dumps(r) + "\n" for r in runs)
    )
    return [
        f"--runs={folder / 'runs.jsonl'}",
        f"--output={folder / 'README.md'}",
    ]


def test_command_writes_and_checks(tmp_path, capsys):
    arguments = write_inputs(tmp_path, [run()])
    assert main([*arguments, "--check"]) == 1
    assert "README.md is stale" in capsys.readouterr().err
    assert main(arguments) == 0
    assert main([*arguments, "--check"]) == 0
    write_inputs(tmp_path, [run(), run(2)])
    assert main([*arguments, "--check"]) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "README.md",
        "runs.jsonl",
    ]


def test_bad_inputs_are_reported(tmp_path, capsys):
    arguments = write_inputs(tmp_path, [run()])
    (tmp_path / "runs.jsonl").write_text("[]\n")
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"error: {tmp_path / 'runs.jsonl'}:1: expected")
    write_inputs(tmp_path, [run()])
    for name in ("comparisons", "parameters"):
        path = tmp_path / f"{name}.jsonl"
        path.write_text("{}\n")
        assert main([*arguments, f"--{name}={path}"]) == 2
        assert f"error: {path}:1: expected" in capsys.readouterr().err
    assert main([*arguments, f"--targets={tmp_path / 'none'}"]) == 2
    assert "none" in capsys.readouterr().err
    assert not (tmp_path / "README.md").exists()


def test_page_in_the_repository_is_not_stale():
    assert main(["--check"]) == 0


def targets(folder, table):
    path = folder / "targets.toml"
    path.write_text(
        "[papers.p]\n"
        'name = "P"\ntitle = "T"\nauthors = "A"\nvenue = "V"\n'
        f'link = "L"\nhardware = "H"\n[[papers.p.tables]]\n{table}\n'
    )
    return path


RESULTS = """
number = "Table 1"
caption = "Results."
dataset = "d"
split = "test"
metrics = ["MAP"]
training_set = "train"
training_pairs = 10
vectors = []
tolerance = 0.1
"""


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


@pytest.mark.parametrize("findings", ['"one"', "[1]"])
def test_findings_are_strings(tmp_path, findings):
    path = targets(tmp_path, RESULTS + "rows = []")
    text = path.read_text().replace(
        'hardware = "H"', f'hardware = "H"\nfindings = {findings}'
    )
    path.write_text(text)
    message = "papers.p: `findings` must be a list of strings. Received: "
    with pytest.raises(TargetsError, match=message):
        load_targets(path)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("=", "expected TOML"),
        ('number = "Table 1"', r"tables\[0\]: must have .* no caption"),
        (
            'number = "1"\ncaption = "c"\ncolumns = ["a", "b"]\nrows = [["a"]]',
            r"expected 2 cells in every row. Received: \['a'\]",
        ),
        (
            'number = "1"\ncaption = "c"\ncounts = ["wikiqa2"]',
            "`counts` must name data sets .*Received: 'wikiqa2'",
        ),
        (
            RESULTS.replace("tolerance = 0.1", "rows = []"),
            "Received: no tolerance",
        ),
        (RESULTS + 'rows = [{ model = "M" }]', "Received: no MAP"),
        (
            RESULTS + 'rows = [{ model = "M", MAP = 1.0, MRR = 1.0 }]',
            "Received: MRR",
        ),
    ],
)
def test_malformed_targets_are_named(tmp_path, table, message):
    path = targets(tmp_path, table).rename(tmp_path / "hyperqa.toml")
    path.write_text(path.read_text().replace("papers.p", "papers.hyperqa"))
    with pytest.raises(TargetsError, match=message):
        load_targets(path)


def test_unknown_table_is_named():
    with pytest.raises(TargetsError, match="Received: number='Table 99'"):
        load_targets().papers[PAPER].table("Table 99")


def test_ledger_is_rendered():
    text = build_page(load_targets(), [], load_ledger())
    for entry in load_ledger():
        assert entry.where in text
        for name in (*entry.arguments, *entry.tests):
            assert f"`{name}`" in text
