"""Every HyperQA run of `reproductions/hyperqa/README.md`, one by one.

    python -m reproductions.hyperqa.study --data-dir DIR --output-dir DIR \
        --embeddings vectors.bin --record reproductions/records/runs.jsonl

Three seeds of each condition on `--split dev`: the epoch of each run is chosen
on a fold held out of train, dev is ranked once. Finished runs are skipped, so
the command can be given again after an interruption.
"""

import argparse
import sys
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import replace

from reproductions.harness.study import PlannedRun
from reproductions.harness.study import plan_run
from reproductions.harness.study import run_study
from reproductions.harness.study import study_parser
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
        yield condition(dataset, "bm25", "paper", 1, own=False)
        for own in (True, False):
            yield condition(dataset, "cosine", "paper", 1, own)
        for model in MODELS:
            for recipe in ("best", "paper"):
                for seed in SEEDS:
                    yield condition(dataset, model, recipe, seed)
    yield from ablations("best")
    yield from small_start()
    yield from crossed_vectors()
    for dim in DIMENSIONS:
        for model in MODELS:
            for seed in SEEDS:
                setting = f"projection_dim={dim}"
                yield condition("wikiqa", model, "best", seed, None, setting)
    yield from ablations("paper")


def ablations(recipe: str) -> Iterator[PlannedRun]:
    """A recipe's runs on WikiQA with one setting changed at a time."""
    for name, values in ABLATIONS.items():
        for value in values:
            for seed in SEEDS:
                setting = f"{name}={value}"
                yield condition(
                    "wikiqa", "hyperqa", recipe, seed, None, setting
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
            yield condition(
                "wikiqa", "hyperqa", "best", seed, None, start, setting
            )


def crossed_vectors() -> Iterator[PlannedRun]:
    """Each recipe with the other's vectors, to separate the two effects."""
    for dataset in DATASETS:
        for recipe, own in (("paper", True), ("best", False)):
            for seed in SEEDS:
                yield condition(dataset, "hyperqa", recipe, seed, own)


def condition(
    dataset: str,
    model: str,
    recipe: str,
    seed: int,
    own: bool | None = None,
    *settings: str,
) -> PlannedRun:
    """A run; by default only recipe `best` has skip-gram vectors (`own`)."""
    own = recipe == "best" if own is None else own
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


def main(argv: Sequence[str] | None = None) -> int:
    """Runs all conditions; stops at the first that fails."""
    parser = study_parser(EXPERIMENT, __doc__, "runs/study")
    return run_study(EXPERIMENT, parser, runs, argv)


if __name__ == "__main__":
    sys.exit(main())
