from functools import partial

from reproductions.records.seed_groups import group_runs
from reproductions.report.sections.transfer import transfer_table
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
        **changes,
    }


def rows(*runs):
    return transfer_table(group_runs(runs), "dev").splitlines()[2:]


def test_stands_beside_the_same_run_without_it():
    found = rows(
        *(run(0.7), {**run(0.72), "seed": 2}),
        *(run(0.9, **first()), run(0.1, model="ctrn")),
    )
    assert found == [
        "| `hyperqa` | `wikiqa` | selqa |  | 0.710 ± 0.014 (2 seeds) "
        "| 0.900 (1 seed) |"
    ]


def test_other_settings_are_no_counterpart():
    changed = {"margin": 1.0, "transfer_epochs": 2}
    (row,) = rows(run(0.7), run(0.9, **first(margin=1.0, overrides=changed)))
    assert "| `margin=1.0` | – | 0.900 (1 seed) |" in row
    (row,) = rows(run(0.7, vectors=["w.bin"]), run(0.9, **first("a by b")))
    assert row == "| `hyperqa` | `wikiqa` | a by b |  | – | 0.900 (1 seed) |"


def test_other_splits_and_runs_alone_are_no_rows():
    assert rows(run(0.7), run(0.9, split="test", **first())) == []
