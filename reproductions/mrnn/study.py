"""MRNN with and without its parts, one run after the other.

    python -m reproductions.study mrnn --data-dir DIR --output-dir DIR \
        --embeddings bert:minilm glove.6B.100d.bin \
        --record reproductions/records/runs.jsonl
    python -m reproductions.significance DIR

Three seeds of each condition on `--split dev`: the epoch of each run is chosen
on a fold held out of train, dev is ranked once. All conditions have their first
seed before any has its second. The recipe is `small`; the published
sizes need a GPU.

MRNN runs with all vectors of `--embeddings` in one ensemble and with each of
them alone, with 1 to 4 blocks, without its first and without its second
attention, with some of a question's own wrong candidates among its negatives,
and with vectors of words in their texts. QA-LSTM, HyperQA and the untrained
cosine read the last of `--embeddings`; BM25 runs, too.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

from reproductions.harness.parts.floor_names import FLOORS
from reproductions.harness.studies.plans import PlannedRun
from reproductions.harness.studies.plans import plan_run
from reproductions.harness.studies.plans import study_parser
from reproductions.mrnn.experiment import EXPERIMENT

SEEDS = (1, 2, 3)
DATASETS = ("wikiqa", "trecqa-clean")
# In order of importance, so that an interrupted study has the first of them.
CONDITIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("mrnn", ()),
    ("mrnn", ("n_gram_attention=false",)),
    ("mrnn", ("query_attention=false",)),
    *(("mrnn", (f"blocks={number}",)) for number in (1, 2, 3)),
    ("mrnn-contextual", ()),
    ("mrnn", ("negatives=4",)),
)
BASELINES = ("qa-lstm", "hyperqa")


def runs(arguments: argparse.Namespace) -> Iterator[PlannedRun]:
    """The runs, in order."""
    every = arguments.embeddings
    for seed in arguments.seeds:
        for dataset in arguments.datasets:
            # The floors are not trained: one seed is enough.
            first = seed == arguments.seeds[0]
            for model in (*(FLOORS if first else ()), *BASELINES):
                yield _run(arguments, dataset, model, seed, every[-1:])
            for model, changes in CONDITIONS:
                settings = (*changes, *arguments.set)
                yield _run(arguments, dataset, model, seed, every, *settings)
            for source in every if len(every) > 1 else ():
                yield _run(
                    arguments, dataset, "mrnn", seed, [source], *arguments.set
                )


def _run(
    arguments: argparse.Namespace,
    dataset: str,
    model: str,
    seed: int,
    vectors: list[str],
    *settings: str,
) -> PlannedRun:
    parts = [dataset, arguments.split, model, arguments.recipe, f"seed{seed}"]
    if model == "mrnn" and vectors != arguments.embeddings:
        parts.append(Path(vectors[0]).name)
    return plan_run(
        dataset, model, arguments.recipe, seed, vectors, settings, parts=parts
    )


def parser() -> argparse.ArgumentParser:
    """The options that choose among the runs."""
    return study_parser(
        EXPERIMENT,
        __doc__,
        "runs/mrnn-study",
        datasets=DATASETS,
        seeds=SEEDS,
        recipe="small",
        changed="run of MRNN",
    )
