"""MRNN with and without its parts, one run after the other.

    python -m reproductions.mrnn.study --data-dir DIR --output-dir DIR \
        --embeddings bert:minilm vectors.txt \
        --record reproductions/records/runs.jsonl
    python -m reproductions.significance DIR

Three seeds of each condition on `--split dev`: the epoch of each run is chosen
on a fold held out of train, dev is ranked once. All conditions have their first
seed before any has its second. Finished runs are skipped, so the command can be
given again after an interruption. The recipe is `small`; the published sizes
need a GPU.

MRNN stands with all vectors of `--embeddings` in one ensemble and with each of
them alone, with 1 to 4 blocks, without its first and without its second
attention, with some of a question's own wrong candidates among its negatives,
and with vectors of words in their texts. QA-LSTM, HyperQA and the untrained
cosine beside it read the last of `--embeddings`.
"""

import argparse
import sys
from collections.abc import Iterator
from collections.abc import Sequence
from pathlib import Path

from reproductions.harness.study import run_all
from reproductions.harness.study import study_parser
from reproductions.mrnn import experiment as mrnn

SEEDS = (1, 2, 3)
DATASETS = ("wikiqa", "trecqa-clean")
# In order of importance: a study that is cut short has compared these first.
CONDITIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("mrnn", ()),
    ("mrnn", ("n_gram_attention=false",)),
    ("mrnn", ("query_attention=false",)),
    *(("mrnn", (f"blocks={number}",)) for number in (1, 2, 3)),
    ("mrnn-contextual", ()),
    ("mrnn", ("negatives=4",)),
)
BASELINES = ("qa-lstm", "hyperqa")
UNTRAINED = ("bm25", "cosine")


def runs(
    arguments: argparse.Namespace,
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Folder, options and vectors of each run, in order."""
    every = arguments.embeddings
    for seed in arguments.seeds:
        for dataset in arguments.datasets:
            # Without a seed there is nothing to repeat.
            first = seed == arguments.seeds[0]
            for model in (*(UNTRAINED if first else ()), *BASELINES):
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
) -> tuple[str, list[str], list[str]]:
    options = [
        *("--dataset", dataset, "--model", model),
        *("--recipe", arguments.recipe, "--seed", str(seed)),
    ]
    for setting in settings:
        options += ["--set", setting]
    parts = [dataset, arguments.split, model, arguments.recipe, f"seed{seed}"]
    if model == "mrnn" and vectors != arguments.embeddings:
        parts.append(Path(vectors[0]).name)
    return "-".join([*parts, *settings]).replace("/", "_"), options, vectors


def main(argv: Sequence[str] | None = None) -> int:
    """Runs all conditions; stops at the first that fails."""
    parser = study_parser(
        "mrnn_study", __doc__.splitlines()[0], "runs/mrnn-study"
    )
    parser.add_argument(
        "--datasets", nargs="+", default=list(DATASETS), metavar="NAME"
    )
    parser.add_argument(
        "--seeds", nargs="+", type=int, default=list(SEEDS), metavar="N"
    )
    parser.add_argument("--split", choices=("dev", "test"), default="dev")
    parser.add_argument(
        "--recipe", choices=tuple(mrnn.RECIPES), default="small"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="change one setting of every run of MRNN",
    )
    parser.add_argument(
        "--keep-models",
        action="store_true",
        help="keep models and weights in the run folders",
    )
    arguments = parser.parse_args(argv)
    return run_all(mrnn.main, runs(arguments), arguments, arguments.keep_models)


if __name__ == "__main__":
    sys.exit(main())
