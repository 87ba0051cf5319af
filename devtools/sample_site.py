"""Writes the page of the documents, on which two models and BM25 rank.

    python -m devtools.sample_site --output build/docs/sample-site

The models are trained on the bundled questions with their figures on dev, for
half a minute on two cores, so that no weights are kept in the repository. What
is trained stays in the folder of --runs, and is not trained again.
"""

import argparse
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from keras_qa.cli import main as cli
from reproductions.ctrn import experiment as ctrn
from reproductions.hyperqa import experiment as hyperqa

RUNS = (
    ("hyperqa", hyperqa.main, ("--recipe", "best")),
    # The published rate and margin need more epochs than a page is worth.
    (
        "ap-cnn",
        ctrn.main,
        (
            *("--model", "ap-cnn", "--recipe", "small", "--epochs", "8"),
            *("--set", "objective=listwise", "--set", "temperature=0.1"),
        ),
    ),
)
TITLE = "Three rankers of the bundled questions"


def main(argv: Sequence[str] | None = None) -> int:
    """Trains what is not trained, and writes the page."""
    parser = argparse.ArgumentParser(
        prog="python -m devtools.sample_site",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--output", type=Path, required=True, metavar="SITE")
    parser.add_argument(
        "--runs", type=Path, default=Path("build/sample-runs"), metavar="DIR"
    )
    arguments = parser.parse_args(argv)
    folders = []
    for name, run, words in RUNS:
        folders.append(str(arguments.runs / name))
        status = run(
            [*words, "--split", "dev", "--output-dir", folders[-1], "--resume"]
        )
        if status:
            return status
    # Of what a trained model has and an exported one has not.
    logging.getLogger("tensorflow").setLevel(logging.ERROR)
    rankers = [*folders, "bm25", "--title", TITLE]
    return cli.main(
        ["demo", *rankers, "--output", str(arguments.output), "--overwrite"]
    )


if __name__ == "__main__":
    sys.exit(main())
