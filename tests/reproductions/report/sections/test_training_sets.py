from reproductions.records.paper_figures import load_papers
from reproductions.records.seed_groups import group_runs
from reproductions.report.best_page import best_page
from reproductions.report.sections.training_sets import training_sets
from support.report_pages import run
from support.report_pages import seeds

NAMES = "trecqa-raw", "trecqa-clean"
OF_TRAIN = {"dataset": "trecqa-raw", "recipe": "best", "training_set": "TRAIN"}
OF_ALL = {
    **OF_TRAIN,
    "training_set": "TRAIN-ALL",
    "overrides": {"train_split": "train-all"},
}
RUNS = [
    *seeds(0.86, 0.84, **OF_TRAIN),
    run(MAP=0.83, **OF_ALL),
    run(MAP=0.82, model="cosineqa", **OF_TRAIN),
    run(MAP=0.81, model="cosineqa", **OF_ALL),
    run(
        MAP=0.8,
        **{**OF_ALL, "overrides": {"train_split": "train-all", "epochs": 3}},
    ),
    # Without a partner, and of a recipe that was another one then.
    run(MAP=0.5, model="logcosineqa", **OF_ALL),
    run(MAP=0.5, settings={"sampler": "max"}, **OF_TRAIN),
    run(MAP=0.5, **{**OF_ALL, "dataset": "trecqa-clean"}, questions_scored=63),
]


def test_models_that_were_trained_on_either_set():
    papers = load_papers()
    title, _, table = training_sets(papers, group_runs(RUNS), *NAMES)
    assert title == "## Training sets of `trecqa-raw`\n"
    assert table.splitlines() == [
        "| Model | TRAIN | TRAIN-ALL | Difference | `trecqa-clean` |",
        "| --- | --- | --- | --- | --- |",
        "| CosineQA | 0.820 (1 seed) | 0.810 (1 seed) | -0.010 | 0.620 |",
        "| HyperQA | 0.850 ± 0.014 (2 seeds) | 0.830 (1 seed) | -0.020 "
        "| 0.660 |",
        "| HyperQA `epochs=3` | 0.850 ± 0.014 (2 seeds) | 0.800 (1 seed) "
        "| -0.050 | 0.600 |",
    ]
    assert table in best_page(papers, group_runs(RUNS), {})


def test_no_section_without_such_runs():
    groups = group_runs(RUNS[:2])
    assert training_sets(load_papers(), groups, *NAMES) == []
