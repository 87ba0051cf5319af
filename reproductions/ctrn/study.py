"""Every CTRN run of the results page, one after the other.

    python -m reproductions.ctrn.study --data-dir DIR --output-dir DIR \
        --embeddings vectors.bin --record reproductions/records/runs.jsonl
    python -m reproductions.significance DIR

Five seeds of each condition on `--split dev`: the epoch of each run is chosen
on a fold held out of train, dev is ranked once. All conditions have their first
seed before any has its second. Finished runs are skipped, so the command can be
given again after an interruption. The recipe is `small`, the paper's with 128
units; `--recipe paper` takes hours.

CTRN stands with both readings of its crossed input and of its alignment, beside
QRNN, LSTM and CNN, the attentive baselines, the features of overlap alone, and
BM25 and the untrained cosine, which have no seeds.
"""

import argparse
import sys
from collections.abc import Iterator
from collections.abc import Sequence

from reproductions.ctrn import experiment as ctrn
from reproductions.harness.study import run_all
from reproductions.harness.study import study_parser

SEEDS = (1, 2, 3, 4, 5)
DATASETS = ("trecqa-raw", "trecqa-clean", "wikiqa")
# In order of importance: a study that is cut short has compared these first.
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


def runs(
    arguments: argparse.Namespace,
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Folder, options and vectors of each run, in order."""
    for seed in arguments.seeds:
        for dataset in arguments.datasets:
            if seed == arguments.seeds[0]:
                for model in ("bm25", "cosine"):
                    yield _run(arguments, dataset, model, "paper", seed)
            for model, readings in CONDITIONS:
                if arguments.models and model not in arguments.models:
                    continue
                settings = (*readings, *arguments.set)
                yield _run(
                    arguments, dataset, model, arguments.recipe, seed, *settings
                )


def _run(
    arguments: argparse.Namespace,
    dataset: str,
    model: str,
    recipe: str,
    seed: int,
    *settings: str,
) -> tuple[str, list[str], list[str]]:
    options = [
        *("--dataset", dataset, "--model", model),
        *("--recipe", recipe, "--seed", str(seed)),
    ]
    for setting in settings:
        options += ["--set", setting]
    name = "-".join([dataset, model, recipe, f"seed{seed}", *settings])
    return name.replace("/", "_"), options, arguments.embeddings


def main(argv: Sequence[str] | None = None) -> int:
    """Runs all conditions; stops at the first that fails."""
    parser = study_parser(
        "ctrn_study", __doc__.splitlines()[0], "runs/ctrn-study"
    )
    parser.add_argument(
        "--datasets", nargs="+", default=list(DATASETS), metavar="NAME"
    )
    parser.add_argument(
        "--seeds", nargs="+", type=int, default=list(SEEDS), metavar="N"
    )
    parser.add_argument(
        "--recipe", choices=tuple(ctrn.RECIPES), default="small"
    )
    parser.add_argument(
        "--models",
        nargs="+",
        choices=sorted({model for model, _ in CONDITIONS}),
        metavar="NAME",
        help="of the trained models, run these alone",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="change one setting of every trained model",
    )
    parser.add_argument(
        "--keep-models",
        action="store_true",
        help="keep models and weights in the run folders, some 100 MB each",
    )
    arguments = parser.parse_args(argv)
    return run_all(ctrn.main, runs(arguments), arguments, arguments.keep_models)


if __name__ == "__main__":
    sys.exit(main())
