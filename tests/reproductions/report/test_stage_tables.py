"""The stages before a model on its page, each once."""

from reproductions.records.paper_figures import load_papers
from reproductions.records.seed_groups import group_runs
from reproductions.report.stage_tables import stage_tables
from support.report_pages import page
from support.report_pages import row_of
from support.report_pages import run


def language_model(folder, perplexity, **fields):
    both = {"forward": perplexity, "backward": perplexity + 10}
    return {
        "folder": folder,
        "texts": 1000,
        "classes": 500,
        "epochs": 9,
        "perplexity": both,
        "unigram": {"forward": 200.0, "backward": 210.0},
        "bigram": {"forward": 100.0, "backward": 110.0},
        "seconds_per_epoch": 3.0,
        **fields,
    }


RBM = {
    "folder": "rbm-1",
    "texts": 1000,
    "epochs": 5,
    "energy_gap": [-1.0, 0.0],
    "reconstruction_error": [0.5, 0.25],
    "seconds_per_epoch": 2.0,
}


def record(seed=1, overrides=None, **found):
    overrides = overrides or {}
    return {
        "paper": "iam",
        "model": "iam",
        "dataset": "wikiqa",
        "split": "dev",
        "seed": seed,
        "recipe": "small",
        "vectors": ["v.bin"],
        "metrics": {"MAP": 0.5},
        "settings": {"hidden_units": 100, **overrides},
        "overrides": overrides,
        "stages": {name.replace("_", "-"): s for name, s in found.items()},
    }


def test_each_stage_once_with_its_seeds():
    groups = group_runs(
        [
            record(1, lm_answer=language_model("lm-answer-1", 80.0), rbm=RBM),
            record(2, lm_answer=language_model("lm-answer-2", 90.0)),
            # The same stages, and others that are no recipe's.
            {
                **record(1, lm_answer=language_model("lm-answer-1", 80.0)),
                "settings": {"hidden_units": 50},
            },
            record(
                1, {"units": 3}, lm_answer=language_model("lm-answer-9", 9.0)
            ),
        ]
    )
    text = "\n".join(stage_tables(load_papers()["iam"], groups))
    assert "\n`wikiqa` dev, recipe small, `v`:\n" in text
    assert row_of(text, "lm-answer") == [
        "lm-answer",
        "1,000",
        "500",
        "85.0 ± 7.1 / 95.0 ± 7.1",
        "200.0 ± 0.0 / 210.0 ± 0.0",
        "100.0 ± 0.0 / 110.0 ± 0.0",
        "9",
        "3.0 ± 0.0",
        "2",
    ]
    # What the other stage has not is no column of its table.
    assert row_of(text, "Stage", "Texts", "Reconstruction error")
    assert row_of(text, "rbm") == ["rbm", "1,000", "0.250", "5", "2.0", "1"]


def test_papers_without_stages_have_no_such_part():
    assert stage_tables(load_papers()["iam"], []) == []
    assert "Stages before" not in page(run())
    stage = language_model("lm-answer-1", 80.0)
    text = page(record(1, lm_answer=stage), paper="iam")
    assert text.count("## Stages before the model") == 1
