"""HyperQA and its twins by recipe `paper`, and one setting changed at a time.

    python -m reproductions.study hyperqa --data-dir DIR --output-dir DIR \
        --embeddings vectors.bin --record reproductions/records/runs.jsonl

Three seeds of each condition on dev, ranked once, and one of BM25 and of the
untrained cosine. Settings are changed on WikiQA alone, those of `best`, too.
HyperQA also runs with skip-gram vectors, by both recipes. The other runs by
`best` as it is are those of the study `best`; those on other data sets and on
test have their commands in `reproductions/hyperqa/README.md`.
"""

import argparse
from collections.abc import Iterator
from dataclasses import replace

from reproductions.harness.studies.plans import PlannedRun
from reproductions.harness.studies.plans import plan_run
from reproductions.harness.studies.plans import study_parser
from reproductions.hyperqa.experiment import EXPERIMENT
from reproductions.hyperqa.experiment import MODELS

SEEDS = (1, 2, 3)
DATASETS = ("wikiqa", "trecqa-raw", "trecqa-clean")
# One setting changed at a time, on top of a recipe, on WikiQA.
ABLATIONS: dict[str, tuple[object, ...]] = {
    "conversion": ("none", "gradient", "manifold"),
    "conversion_norm": ("row",),
    "sampler": ("random", "max"),
    "sampler_pool": ("all",),
    "projection": ("expmap",),
}
# Sizes of Figure 3; the recipes' own size, 300, is a further point.
DIMENSIONS = (50, 100, 150, 200, 250)
# `kernel_scale` at which eq. 9 lets single rows of the projection move.
SMALL_START = 0.3


def conditions() -> Iterator[PlannedRun]:
    """All runs, in order of importance, without the given vectors."""
    for dataset in DATASETS:
        yield condition(dataset, "bm25", "paper", 1)
        for own in (True, False):
            yield condition(dataset, "cosine", "paper", 1, own=own)
        for model in MODELS:
            for seed in SEEDS:
                yield condition(dataset, model, "paper", seed)
    yield from ablations("best")
    yield from small_start()
    for dim in DIMENSIONS:
        for model in MODELS:
            for seed in SEEDS:
                yield condition(
                    "wikiqa", model, "best", seed, f"projection_dim={dim}"
                )
    yield from with_own_vectors()
    yield from ablations("paper")


def ablations(recipe: str) -> Iterator[PlannedRun]:
    """A recipe's runs on WikiQA with one setting changed at a time."""
    for name, values in ABLATIONS.items():
        for value in values:
            for seed in SEEDS:
                yield condition(
                    "wikiqa", "hyperqa", recipe, seed, f"{name}={value}"
                )


def small_start() -> Iterator[PlannedRun]:
    """Conversions by rows from initial weights that eq. 9 lets move."""
    start = f"kernel_scale={SMALL_START}"
    for setting in (
        "conversion=parameter",
        "conversion=manifold",
        "conversion_norm=row",
    ):
        for seed in SEEDS:
            yield condition("wikiqa", "hyperqa", "best", seed, start, setting)


def with_own_vectors() -> Iterator[PlannedRun]:
    """Both recipes with skip-gram vectors of the data set's own text."""
    for dataset in DATASETS:
        for recipe in ("paper", "best"):
            for seed in SEEDS:
                yield condition(dataset, "hyperqa", recipe, seed, own=True)


def condition(
    dataset: str,
    model: str,
    recipe: str,
    seed: int,
    *settings: str,
    own: bool = False,
) -> PlannedRun:
    """A run, with skip-gram vectors of the texts if `own`."""
    vectors = ("skipgram",) * own
    return plan_run(
        dataset,
        model,
        recipe,
        seed,
        vectors,
        settings,
        parts=(dataset, model, recipe, str(seed)),
    )


def runs(arguments: argparse.Namespace) -> Iterator[PlannedRun]:
    """The runs, with the given and their own vectors."""
    for run in conditions():
        own = "-skipgram" * bool(run.vectors)
        vectors = [*arguments.embeddings, *run.vectors]
        yield replace(run, name=run.name + own, vectors=vectors)


def parser() -> argparse.ArgumentParser:
    """The options that choose among the runs."""
    return study_parser(EXPERIMENT, __doc__, "runs/study")
