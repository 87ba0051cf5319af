"""IAM's Table 1 with its ablations, one run after the other.

    python -m reproductions.iam.study --data-dir DIR --output-dir DIR \
        --embeddings vectors.bin --record reproductions/records/runs.jsonl
    python -m reproductions.significance DIR

Three seeds of each condition on `--split dev`: the epoch of each run is chosen
on a fold held out of train, dev is ranked once. All conditions have their first
seed before any has its second; all runs share the stages before the matcher, in
the folder `stages`. Finished runs are skipped, so the command can be given
again after an interruption. The recipe is `small`; `--recipe paper` takes days.

IAM stands with the vectors of a BERT and with those of `--embeddings`, with and
without the jump, beside QA-LSTM, the attentive LSTM and AP-CNN, which read
`--embeddings`. With BERT it also stands without each other term of equation 8,
and with the other reading of its question term.
"""

import argparse
import sys
from collections.abc import Iterator
from collections.abc import Sequence

from reproductions.harness.study import run_all
from reproductions.harness.study import study_parser
from reproductions.iam import experiment as iam

SEEDS = (1, 2, 3)
DATASETS = ("wikiqa", "trecqa-clean")
# In order of importance: a study that is cut short has compared these first.
CONDITIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("iam-bert", ()),
    ("iam-bert", ("jump=false",)),
    ("iam", ()),
    ("iam", ("jump=false",)),
    ("qa-lstm", ()),
    ("attentive-lstm", ()),
    ("iam-bert-contextual", ()),
    ("ap-cnn", ()),
    *(("iam-bert", (f"{name}=false",)) for name in iam.TERMS if name != "jump"),
    ("iam-bert", ("question_term=final",)),
)


def runs(
    arguments: argparse.Namespace,
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Folder, options and vectors of each run, in order."""
    for seed in arguments.seeds:
        for dataset in arguments.datasets:
            if seed == arguments.seeds[0]:
                for model in ("bm25", "cosine"):
                    yield _run(arguments, dataset, model, seed)
            for model, changes in CONDITIONS:
                if arguments.models and model not in arguments.models:
                    continue
                if arguments.changes and not _asked(arguments, changes):
                    continue
                # The other papers' models have other settings.
                own = arguments.set if model in iam.OWN else []
                yield _run(arguments, dataset, model, seed, *changes, *own)


def _asked(arguments: argparse.Namespace, changes: tuple[str, ...]) -> bool:
    return (changes or ("none",))[0] in arguments.changes


def _run(
    arguments: argparse.Namespace,
    dataset: str,
    model: str,
    seed: int,
    *settings: str,
) -> tuple[str, list[str], list[str]]:
    options = [
        *("--dataset", dataset, "--model", model),
        *("--recipe", arguments.recipe, "--seed", str(seed)),
        *("--stage-dir", str(arguments.output_dir / "stages")),
        *("--bert", arguments.bert),
    ]
    for setting in settings:
        options += ["--set", setting]
    parts = [dataset, arguments.split, model, arguments.recipe, f"seed{seed}"]
    return (
        "-".join([*parts, *settings]).replace("/", "_"),
        options,
        arguments.embeddings,
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Runs all conditions; stops at the first that fails."""
    parser = study_parser(
        "iam_study", __doc__.splitlines()[0], "runs/iam-study"
    )
    parser.add_argument(
        "--datasets", nargs="+", default=list(DATASETS), metavar="NAME"
    )
    parser.add_argument(
        "--seeds", nargs="+", type=int, default=list(SEEDS), metavar="N"
    )
    parser.add_argument("--split", choices=("dev", "test"), default="dev")
    parser.add_argument("--recipe", choices=tuple(iam.RECIPES), default="small")
    parser.add_argument(
        "--bert",
        default="minilm",
        metavar="SOURCE",
        help="the BERT of IAM+BERT (default: minilm)",
    )
    parser.add_argument(
        "--models",
        nargs="+",
        choices=tuple(dict.fromkeys(model for model, _ in CONDITIONS)),
        metavar="NAME",
        help="of the trained models, run these alone",
    )
    every = sorted({change for _, changes in CONDITIONS for change in changes})
    parser.add_argument(
        "--changes",
        nargs="+",
        choices=("none", *every),
        metavar="NAME=VALUE",
        help="of the conditions, run those with one of these changes alone; "
        f"none, {', '.join(every)}",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="change one setting of every run of IAM",
    )
    parser.add_argument(
        "--keep-models",
        action="store_true",
        help="keep models and weights in the run folders",
    )
    arguments = parser.parse_args(argv)
    return run_all(iam.main, runs(arguments), arguments, arguments.keep_models)


if __name__ == "__main__":
    sys.exit(main())
