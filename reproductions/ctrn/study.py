"""CTRN with both readings of the paper, and its baselines, by recipe `small`.

    python -m reproductions.study ctrn --data-dir DIR --output-dir DIR \
        --embeddings vectors.bin --record reproductions/records/runs.jsonl
    python -m reproductions.significance DIR

Five seeds of each condition on `--split dev`: the epoch of each run is chosen
on a fold held out of train, dev is ranked once. All conditions have their first
seed before any has its second. `--recipe paper` takes hours.

CTRN runs with both readings of its crossed input and of its alignment. The
baselines are QRNN, LSTM, CNN, the attentive models, the features of overlap
alone, and the floors, which run with one seed. The runs of recipe `best` are
those of the study `best`; those on other data sets and on test have their
commands in `reproductions/ctrn/README.md`.
"""

import argparse
from collections.abc import Iterator

from reproductions.ctrn.experiment import EXPERIMENT
from reproductions.harness.parts.floor_names import FLOORS
from reproductions.harness.studies.plans import PlannedRun
from reproductions.harness.studies.plans import plan_run
from reproductions.harness.studies.plans import study_parser

SEEDS = (1, 2, 3, 4, 5)
DATASETS = ("trecqa-raw", "trecqa-clean", "wikiqa")
# In order of importance, so that an interrupted study has the first of them.
CONDITIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("qrnn", ()),
    ("ctrn", ()),
    ("ctrn", ("crossed_input=partner",)),
    ("ctrn", ("alignment=padded",)),
    ("ctrn", ("crossed_input=partner", "alignment=padded")),
    ("overlap", ()),
    ("lstm", ()),
    ("ap-bilstm", ()),
    ("cnn", ()),
    ("ap-cnn", ()),
)


def runs(arguments: argparse.Namespace) -> Iterator[PlannedRun]:
    """The runs, in order."""
    vectors = arguments.embeddings
    for seed in arguments.seeds:
        for dataset in arguments.datasets:
            if seed == arguments.seeds[0]:
                for model in FLOORS:
                    yield plan_run(dataset, model, "paper", seed, vectors)
            for model, readings in CONDITIONS:
                if arguments.models and model not in arguments.models:
                    continue
                settings = (*readings, *arguments.set)
                yield plan_run(
                    dataset, model, arguments.recipe, seed, vectors, settings
                )


def parser() -> argparse.ArgumentParser:
    """The options that choose among the runs."""
    parser = study_parser(
        EXPERIMENT,
        __doc__,
        "runs/ctrn-study",
        datasets=DATASETS,
        seeds=SEEDS,
        recipe="small",
        splits=False,
        changed="trained model",
    )
    parser.add_argument(
        "--models",
        nargs="+",
        choices=sorted({model for model, _ in CONDITIONS}),
        metavar="NAME",
        help="of the trained models, run these alone",
    )
    return parser
