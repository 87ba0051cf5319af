"""The systems that the papers' tables quote, on their page and the papers'."""

from dataclasses import replace

from reproductions.records.paper_figures import load_papers
from reproductions.records.seed_groups import group_runs
from reproductions.report.paper_page import paper_page
from reproductions.report.rules.lines import find_lines
from reproductions.report.sections.other_systems import at_a_glance
from reproductions.report.sections.other_systems import other_systems
from reproductions.report.sections.reference_table import reference_table
from support.report_pages import FAIR
from support.report_pages import row_of
from support.report_pages import run
from support.report_pages import section

PAPERS = load_papers()
SYSTEM = {"paper": "systems", "model": "mp-cnn", "recipe": "best"}
FLOOR = {"model": "bm25", "recipe": "untrained", "vectors": []}
ALL = {"train_split": "train-all"}
RUNS = [
    # By an earlier recipe.
    run(1, 0.90, **SYSTEM, settings={"l2": 1.0}),
    run(1, 0.70, **SYSTEM),
    run(2, 0.72, **SYSTEM),
    run(1, 0.74, **FLOOR),
    run(1, 0.99, **SYSTEM, overrides={"l2": 0.5}),
    run(1, 0.80, **SYSTEM, dataset="trecqa-raw", training_set="TRAIN"),
    run(
        1,
        0.85,
        **SYSTEM,
        dataset="trecqa-raw",
        training_set="TRAIN-ALL",
        overrides=ALL,
    ),
]
GROUPS = group_runs(RUNS)


def test_the_systems_of_a_papers_tables_are_on_its_page():
    text = "\n".join(other_systems(PAPERS["hyperqa"], PAPERS, GROUPS))
    row = row_of(text, "MP-CNN (He et al.)", "Table 2")
    assert row[2:5] == ["0.693", "0.710 ± 0.014 ↓", "0.740"]
    assert row[-2:] == ["best (a)", "2"]
    # Of two training sets a line has its table's.
    row = row_of(text, "MP-CNN (He et al.)", "Table 5")
    assert (row[3], row[5]) == ("0.850", "TRAIN-ALL")
    # The paper's own model is none of them.
    own = group_runs([run()])
    assert other_systems(PAPERS["hyperqa"], PAPERS, own) == []


def test_a_line_is_on_the_training_set_of_its_table():
    system = {"paper": "systems", "model": "cntn", "recipe": "best"}
    raw = {**system, "dataset": "trecqa-raw"}
    small = run(1, 0.80, **raw, training_set="TRAIN")
    whole = run(1, 0.85, **raw, training_set="TRAIN-ALL", overrides=ALL)
    groups = group_runs([small, whole])
    text = "\n".join(other_systems(PAPERS["ctrn"], PAPERS, groups))
    assert row_of(text, "CNTN", "Table 6, TRAIN")[3:6] == [
        "0.800",
        "–",
        "TRAIN",
    ]
    row = row_of(text, "CNTN", "Table 6, TRAIN-ALL")
    assert row[2:4] == ["0.728", "0.850"]
    # The data set of that table is TRAIN-ALL itself.
    alone = group_runs([small])
    text = "\n".join(other_systems(PAPERS["ctrn"], PAPERS, alone))
    assert "Table 6, TRAIN-ALL" not in text


def test_the_systems_own_page_has_a_line_for_each_and_the_re_runs():
    systems = PAPERS["systems"]
    text = "\n".join(at_a_glance(systems, GROUPS))
    row = row_of(section(text, "### `wikiqa`"), "MP-CNN")
    assert row[1:4] == ["0.710 ± 0.014 ↓", "–", "0.740"]
    assert row[-2:] == ["2, –", "0.717"]
    assert text.count("\n| MP-CNN |") == 3
    page = paper_page(systems, GROUPS, (), {}, first=["## First\n"])
    assert page.index("## First") < page.index("## Public re-runs")
    assert "Not run." in "\n".join(at_a_glance(systems, []))


def test_a_row_has_the_runs_of_another_experiment():
    test = {**SYSTEM, **FAIR, "recipe": "paper"}
    groups = group_runs([run(seed, 0.70, 0.71, **test) for seed in range(5)])
    table = section(
        paper_page(PAPERS["hyperqa"], groups, (), {}), "### Table 2"
    )
    row = row_of(table, "MP-CNN (He et al.)")
    assert row[3:7] == ["0.693", "0.700 ± 0.000", "0.709", "0.710 ± 0.000"]
    assert row[-1].startswith("**within** 0.02")
    assert row_of(table, "LCLR")[-1] == "(b)"
    assert "\n- (b) It reads lexical resources" in table


def test_the_systems_are_no_paper_and_no_reference():
    assert not any(line.paper.quoted for line in find_lines(PAPERS, GROUPS))
    assert reference_table(PAPERS, GROUPS, [], ["wikiqa"]) == []
    papers = {
        key: replace(paper, reference=False) for key, paper in PAPERS.items()
    }
    assert reference_table(papers, GROUPS, [], ["wikiqa"]) == []
