"""Recipe `best` of the papers' models, and the floors, on WikiQA and TrecQA.

    python -m reproductions.study best --data-dir DIR --embeddings vectors.bin \
        --bert minilm --output-dir DIR --record reproductions/records/runs.jsonl
    python -m reproductions.significance DIR

Five seeds of each model on `--split dev`. The recipes fix the number of epochs
and were chosen by the recorded searches on folds of train, with the exceptions
that `reproductions/best.md` names, so all of train is fitted, and dev is ranked
once.
"""

import argparse
import itertools
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import replace

from reproductions.harness.experiment import experiment_of
from reproductions.harness.parts.floor_names import CONTEXTUAL_FLOORS
from reproductions.harness.parts.floor_names import FLOORS
from reproductions.harness.studies.plans import PlannedRun
from reproductions.harness.studies.plans import plan_run
from reproductions.harness.studies.plans import study_parser
from reproductions.qa_lstm.settings import CLOSEST
from reproductions.systems.classes import CLASSES
from reproductions.systems.stacked import STACKS

DATASETS = ("wikiqa", "trecqa-clean", "trecqa-raw")
SEEDS = (1, 2, 3, 4, 5)
MODELS: dict[str, tuple[str, ...]] = {
    "hyperqa": ("hyperqa", "cosineqa", "logcosineqa"),
    "ctrn": ("ctrn", "qrnn", "lstm", "cnn", "ap-cnn", "ap-bilstm"),
    "qa_lstm": ("qa-lstm", "attentive-lstm", *CLOSEST),
    "iam": ("iam-bert-contextual",),
    "mrnn": ("mrnn-contextual",),
    "systems": (*CLASSES, *STACKS),
}
# Those that a BERT gives words in their texts.
CONTEXTUAL = frozenset((*MODELS["iam"], *MODELS["mrnn"]))
# The papers whose commands rank with the floors, and settings of these: IAM
# reads a BERT's last layer, MRNN the last four or, on TrecQA, two.
FLOORS_OF: dict[str, tuple[Sequence[str], Sequence[Sequence[str]]]] = {
    "hyperqa": (FLOORS, ((),)),
    "iam": (CONTEXTUAL_FLOORS, ((),)),
    "mrnn": (CONTEXTUAL_FLOORS, ((), ("bert_layers=2",))),
}


def runs(arguments: argparse.Namespace) -> Iterator[PlannedRun]:
    """The runs, paper by paper."""
    for paper in MODELS:
        for run in runs_of(paper, arguments):
            yield replace(run, paper=paper)


def runs_of(paper: str, arguments: argparse.Namespace) -> Iterator[PlannedRun]:
    """The runs of a paper, the floors first."""
    bert = [f"bert:{arguments.bert}"]
    for dataset in arguments.datasets:
        if arguments.models or paper not in FLOORS_OF:
            continue
        for floor, settings in itertools.product(*FLOORS_OF[paper]):
            contextual = floor in CONTEXTUAL_FLOORS
            vectors = bert if contextual else arguments.embeddings
            run = plan_run(dataset, floor, "paper", 1, vectors, settings)
            if contextual:
                # Those of two papers differ in the layers of the BERT.
                run = replace(run, name=f"{paper}-{run.name}")
            yield run
    for seed in arguments.seeds:
        for dataset in arguments.datasets:
            for model in MODELS[paper]:
                if arguments.models and model not in arguments.models:
                    continue
                contextual = model in CONTEXTUAL
                vectors = bert if contextual else arguments.embeddings
                yield plan_run(
                    dataset,
                    model,
                    arguments.recipe,
                    seed,
                    vectors,
                    arguments.set,
                )


def parser() -> argparse.ArgumentParser:
    """The options that choose among the runs."""
    parser = study_parser(
        experiment_of("hyperqa"),
        __doc__,
        "runs/best",
        datasets=DATASETS,
        seeds=SEEDS,
        recipe="best",
        changed="trained model",
    )
    parser.prog = "python -m reproductions.study best"
    parser.add_argument(
        "--bert",
        default="minilm",
        metavar="SOURCE",
        help="the BERT of models that read words in their texts (default: "
        "minilm)",
    )
    parser.add_argument(
        "--models",
        nargs="+",
        choices=sorted(m for models in MODELS.values() for m in models),
        metavar="NAME",
        help="only these, and no floors",
    )
    return parser
