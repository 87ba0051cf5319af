"""IAM's Table 1 with its ablations, one run after the other.

    python -m reproductions.study iam --data-dir DIR --output-dir DIR \
        --embeddings glove.6B.100d.bin --record reproductions/records/runs.jsonl
    python -m reproductions.significance DIR

Three seeds of each condition on `--split dev`: the epoch of each run is chosen
on a fold held out of train, dev is ranked once. All conditions have their first
seed before any has its second; all runs share the stages before the matcher, in
the folder `stages`. The recipe is `small`; `--recipe paper` takes days.

IAM runs with the vectors of a BERT and with those of `--embeddings`, with and
without the jump. With BERT it also runs without each other term of equation 8,
and with the other reading of its question term. The baselines QA-LSTM,
attentive LSTM and AP-CNN read `--embeddings`.
"""

import argparse
from collections.abc import Iterator

from reproductions.harness.parts.floor_names import FLOORS
from reproductions.harness.studies.plans import PlannedRun
from reproductions.harness.studies.plans import plan_run
from reproductions.harness.studies.plans import study_parser
from reproductions.iam.experiment import EXPERIMENT
from reproductions.iam.experiment import OWN
from reproductions.iam.settings import TERMS

SEEDS = (1, 2, 3)
DATASETS = ("wikiqa", "trecqa-clean")
# In order of importance, so that an interrupted study has the first of them.
CONDITIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("iam-bert", ()),
    ("iam-bert", ("jump=false",)),
    ("iam", ()),
    ("iam", ("jump=false",)),
    ("qa-lstm", ()),
    ("attentive-lstm", ()),
    ("iam-bert-contextual", ()),
    ("ap-cnn", ()),
    *(("iam-bert", (f"{name}=false",)) for name in TERMS if name != "jump"),
    ("iam-bert", ("question_term=final",)),
)


def runs(arguments: argparse.Namespace) -> Iterator[PlannedRun]:
    """The runs, in order."""
    for seed in arguments.seeds:
        for dataset in arguments.datasets:
            if seed == arguments.seeds[0]:
                for model in FLOORS:
                    yield _run(arguments, dataset, model, seed)
            for model, changes in CONDITIONS:
                if arguments.models and model not in arguments.models:
                    continue
                if arguments.changes and not _asked(arguments, changes):
                    continue
                # The other papers' models have other settings.
                own = arguments.set if model in OWN else []
                yield _run(arguments, dataset, model, seed, *changes, *own)


def _asked(arguments: argparse.Namespace, changes: tuple[str, ...]) -> bool:
    return (changes or ("none",))[0] in arguments.changes


def _run(
    arguments: argparse.Namespace,
    dataset: str,
    model: str,
    seed: int,
    *settings: str,
) -> PlannedRun:
    recipe = arguments.recipe
    return plan_run(
        dataset,
        model,
        recipe,
        seed,
        arguments.embeddings,
        settings,
        parts=(dataset, arguments.split, model, recipe, f"seed{seed}"),
        stage_dir=arguments.output_dir / "stages",
        bert=arguments.bert,
    )


def parser() -> argparse.ArgumentParser:
    """The options that choose among the runs."""
    parser = study_parser(
        EXPERIMENT,
        __doc__,
        "runs/iam-study",
        datasets=DATASETS,
        seeds=SEEDS,
        recipe="small",
        changed="run of IAM",
    )
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
    return parser
