"""Runs, targets and pages of results for tests, and how to read a page."""

from reproductions.records.seed_groups import group_runs
from reproductions.report.page import build_page

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


def targets(folder, table):
    path = folder / "paper_figures.toml"
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
