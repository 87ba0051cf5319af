"""Every HyperQA run of the results page, one after the other.

    python -m reproductions.hyperqa_study --data-dir DIR --output-dir DIR \
        --embeddings vectors.bin --record reproductions/runs.jsonl

Three seeds of each condition on `--split dev`: the epoch of each run is chosen
on a fold held out of train, dev is ranked once. Finished runs are skipped, so
the command can be given again after an interruption.
"""

import argparse
import sys
from collections.abc import Iterator
from collections.abc import Sequence
from pathlib import Path

from reproductions import hyperqa

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
# Figure 3; the recipes themselves are its point at 300.
DIMENSIONS = (50, 100, 150, 200, 250)


def conditions() -> Iterator[list[str]]:
    """The options of each run, without the data, in order of importance."""
    for dataset in DATASETS:
        for model, recipe in [
            ("bm25", "paper"),
            ("cosine", "paper"),
            ("cosine", "best"),
        ]:
            yield _options(dataset, model, recipe, 1)
        for recipe in ("best", "paper"):
            for model in ("hyperqa", "cosineqa"):
                for seed in SEEDS:
                    yield _options(dataset, model, recipe, seed)
    yield from _ablations("best")
    for dim in DIMENSIONS:
        for model in ("hyperqa", "cosineqa"):
            for seed in SEEDS:
                options = _options("wikiqa", model, "best", seed)
                yield [*options, "--set", f"projection_dim={dim}"]
    yield from _ablations("paper")


def _ablations(recipe: str) -> Iterator[list[str]]:
    for name, values in ABLATIONS.items():
        for value in values:
            for seed in SEEDS:
                options = _options("wikiqa", "hyperqa", recipe, seed)
                yield [*options, "--set", f"{name}={value}"]


def _options(dataset: str, model: str, recipe: str, seed: int) -> list[str]:
    return [
        *("--dataset", dataset, "--model", model),
        *("--recipe", recipe, "--seed", str(seed)),
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Runs all conditions; stops at the first that fails."""
    parser = argparse.ArgumentParser(
        prog="python -m reproductions.hyperqa_study",
        description=__doc__.splitlines()[0],
    )
    parser.add_argument("--data-dir", type=Path, required=True, metavar="DIR")
    parser.add_argument(
        "--output-dir", type=Path, default=Path("runs/study"), metavar="DIR"
    )
    parser.add_argument(
        "--embeddings", nargs="+", required=True, metavar="FILE"
    )
    parser.add_argument("--record", type=Path, metavar="FILE")
    parser.add_argument(
        "--part",
        default="1/1",
        metavar="I/N",
        help="only every Nth run, from the Ith on, to share them out",
    )
    arguments = parser.parse_args(argv)
    part, parts = map(int, arguments.part.split("/"))
    for options in list(conditions())[part - 1 :: parts]:
        name = "-".join(o for o in options if not o.startswith("--"))
        # A baseline, and what the paper did, uses the given vectors alone;
        # the best recipe adds the data set's own.
        own = ["skipgram"] if "best" in options else []
        status = hyperqa.main(
            [
                *options,
                *("--split", "dev", "--resume"),
                *("--data-dir", str(arguments.data_dir)),
                *("--embeddings", *arguments.embeddings, *own),
                *("--output-dir", str(arguments.output_dir / name)),
                *(
                    ("--record", str(arguments.record))
                    if arguments.record
                    else ()
                ),
            ]
        )
        if status:
            return status
    return 0


if __name__ == "__main__":
    sys.exit(main())
