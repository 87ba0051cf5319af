"""Runs, paired tests, papers and pages of results; parts of a page."""

from reproductions.records.paired_tests import Condition
from reproductions.records.paired_tests import PairedTest
from reproductions.records.paper_figures import load_papers
from reproductions.records.seed_groups import group_runs
from reproductions.report.paper_page import paper_page

PAPER = "hyperqa"

# The paper's conditions: WikiQA's train, GloVe 840B, on test.
FAIR = {
    "split": "test",
    "vectors": ["vectors/glove.840B.300d.txt.gz"],
    "training_set": "train",
    "training": {"pairs": 8672},
}

CONDITION = Condition(
    "ctrn", "paper", ["v.bin"], "train", {}, [1, 2], 0.5, 0.01
)
TESTED = PairedTest(
    paper="ctrn",
    dataset="wikiqa",
    split="dev",
    metric="MAP",
    questions=9,
    first=CONDITION,
    second=CONDITION,
    difference=0.1,
    interval=(0.0, 0.2),
    confidence=0.95,
    p_value=0.5,
    resamples=10,
    versions={},
)


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


def seeds(*MAP, **fields):
    """Runs of one condition, one for each MAP."""
    return [run(seed, value, **fields) for seed, value in enumerate(MAP, 1)]


def floor(model, MAP, vectors=(), **fields):
    """A run of a ranking without a network."""
    return run(
        model=model,
        MAP=MAP,
        vectors=list(vectors),
        recipe="untrained",
        **fields,
    )


def page(*runs, paper=PAPER, tests=()):
    """A paper's page."""
    return paper_page(load_papers()[paper], group_runs(runs), tests, {})


def section(text, title):
    """The part of a page from a heading to the next of its level."""
    level = title.split()[0]
    after = text.split(f"{title}\n", 1)[1]
    return after.split(f"\n{level} ", 1)[0]


def dev(*runs):
    """The part of a paper's page with the runs on dev."""
    return section(page(*runs), "## Measured on dev")


def row_of(text, *starts):
    """The cells of the only table row that begins with some cells."""
    rows = [
        [cell.strip() for cell in line.strip("|\n ").split(" | ")]
        for line in text.splitlines()
        if line.startswith("| ")
    ]
    (row,) = [r for r in rows if r[: len(starts)] == list(starts)]
    return row


def write_paper(folder, *more, key="p"):
    """Writes the `paper.toml` of a paper; returns the papers' folder."""
    path = folder / key / "paper.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        'name = "P"\nmodel = "m"\ntitle = "T"\nauthors = "A"\nvenue = "V"\n'
        'link = "L"\nhardware = "H"\n' + "\n".join(more) + "\n"
    )
    return folder


RESULTS = """
[[tables]]
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
