"""Adds up the scores of finished runs, and measures the ranking.

    python -m reproductions.fusion --run runs/one --run runs/other

The scores of each run are standardised question by question
(`keras_qa.ranking.fusion.fuse_scores`); `--weights` has one number for each
run, all 1 without it. The runs are of one split of one data set, of any models,
papers and seeds. A second.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from keras_qa.errors import KerasQAError
from reproductions.harness.command import add_run_option
from reproductions.harness.command import with_messages

# Before the id of a candidate stands its place in a shuffle, by the run's seed.
SHUFFLED = len("00000-")


class FusionError(KerasQAError, ValueError):
    """The given runs cannot be fused."""


def fuse_runs(
    folders: Sequence[Path], weights: Sequence[float] | None = None
) -> dict[str, float]:
    """The measures of the fusion of runs.

    Args:
        folders: folders of runs, with `run.trec`; of the first, `qrels.trec`
            and the order of equal scores.
        weights: one for each run; 1 each without them.

    Returns:
        MAP, MRR and P@1, each over the questions with a right answer.

    Raises:
        DatasetError: if a file is missing or bad.
        FusionError: if the runs rank different candidates.
        ValueError: if there are not as many weights as runs.
    """
    import ir_measures

    from keras_qa.files.trec_files import read_labels
    from keras_qa.files.trec_files import read_ranking
    from keras_qa.ranking.evaluation import MEASURES
    from keras_qa.ranking.evaluation import measure_questions
    from keras_qa.ranking.fusion import fuse_scores

    runs = [read_ranking(folder / "run.trec") for folder in folders]
    scores = [
        {(d.query_id, d.doc_id[SHUFFLED:]): d.score for d in run}
        for run in runs
    ]
    for folder, found in zip(folders, scores, strict=True):
        if found.keys() != scores[0].keys():
            raise FusionError(
                f"{folder}: expected the questions and candidates of "
                f"{folders[0]}. Received: {len(found.keys() ^ scores[0])} of "
                "them in one of both alone"
            )
    documents: dict[str, list[str]] = {}
    for d in runs[0]:
        documents.setdefault(d.query_id, []).append(d.doc_id)
    fused = fuse_scores(
        [
            [
                np.array([of[question, id[SHUFFLED:]] for id in ids])
                for question, ids in documents.items()
            ]
            for of in scores
        ],
        weights,
    )
    run = [
        ir_measures.ScoredDoc(question, id, float(score))
        for (question, ids), values in zip(
            documents.items(), fused, strict=True
        )
        for id, score in zip(ids, values, strict=True)
    ]
    qrels = read_labels(folders[0] / "qrels.trec")
    rows = measure_questions(qrels, run).values()
    return {name: float(np.mean([r[name] for r in rows])) for name in MEASURES}


def main(argv: Sequence[str] | None = None) -> int:
    """Prints the measures of each run and of their fusion."""
    parser = argparse.ArgumentParser(
        prog="python -m reproductions.fusion",
        description=(__doc__ or "").split("\n")[0],
    )
    add_run_option(parser)
    parser.add_argument("--weights", type=float, nargs="+", metavar="WEIGHT")
    arguments = parser.parse_args(argv)

    def show() -> None:
        for folder in arguments.run:
            print(f"{folder}: {_line(fuse_runs([folder]))}")
        found = fuse_runs(arguments.run, arguments.weights)
        print(f"all: {_line(found)}")

    return with_messages(show)


def _line(measures: dict[str, float]) -> str:
    return "  ".join(f"{name} {x:.4f}" for name, x in measures.items())


if __name__ == "__main__":
    sys.exit(main())
