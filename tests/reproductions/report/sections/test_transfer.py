from functools import partial

from reproductions.records.paper_figures import load_papers
from reproductions.records.seed_groups import group_runs
from reproductions.report.sections.transfer import transfer_parts
from support import report_pages

run = partial(
    report_pages.run,
    1,
    recipe="best",
    vectors=["v.bin"],
    training_set="train",
    settings={"margin": 0.5},
)


def first(name="selqa", margin=0.5, **changes):
    return {
        "training_set": f"train after {name}",
        "settings": {"margin": margin, "transfer_epochs": 2},
        "overrides": {"transfer_epochs": 2},
        "transfer": {"selqa": {"removed": {"question": 3, "answer": 1}}},
        **changes,
    }


def rows(*runs):
    parts = transfer_parts(load_papers(), group_runs(runs), "dev")
    return parts[1].splitlines()[2:] if parts else []


def test_stands_beside_the_same_run_without_it():
    found = rows(
        *(run(0.7), {**run(0.72), "seed": 2}),
        *(run(0.9, **first()), run(0.1, model="cosineqa")),
    )
    assert found == [
        "| HyperQA | `wikiqa` | selqa | `v` `transfer_epochs=2` | 4 "
        "| 0.710 ± 0.014 (2 seeds) | 0.900 (1 seed) |"
    ]


def test_the_same_model_of_another_papers_script_is_a_counterpart():
    alone = [
        run(0.7, paper="iam"),
        run(0.1, paper="iam", settings={"margin": 0.5, "more": 1}),
    ]
    (row,) = rows(*alone, run(0.9, **first()))
    assert "| 4 | 0.700 (1 seed) | 0.900 (1 seed) |" in row
    # The paper's own comes before it.
    (row,) = rows(*alone, run(0.8), run(0.9, **first()))
    assert "| 4 | 0.800 (1 seed) | 0.900 (1 seed) |" in row


def test_other_settings_are_no_counterpart():
    changed = {"margin": 1.0, "transfer_epochs": 2}
    (row,) = rows(run(0.7), run(0.9, **first(margin=1.0, overrides=changed)))
    assert "| (a) | 4 | – | 0.900 (1 seed) |" in row
    (row,) = rows(run(0.7, vectors=["w.bin"]), run(0.9, **first("a by b")))
    assert "| a by b | `v` `transfer_epochs=2` |" in row
    assert "| 4 | – | 0.900 (1 seed) |" in row


def test_other_splits_and_runs_alone_are_no_rows():
    assert rows(run(0.7), run(0.9, split="test", **first())) == []
