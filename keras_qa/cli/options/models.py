"""The arguments of all commands that use a trained model."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from keras_qa.text.readable import READABLE
from keras_qa.text.tokenizer import TOKENIZERS

if TYPE_CHECKING:
    from keras_qa.ranker import Ranker


def add_model(parser: argparse.ArgumentParser, *, onnx: bool = True) -> None:
    """Adds the arguments `RANKER`, `--tokenizer` and `--readable`.

    Args:
        parser: the command's parser.
        onnx: False if the command needs the Keras model, which an ONNX folder
            lacks.
    """
    forms = "ONNX folder, " if onnx else ""
    note = "; all but ONNX contain the Keras model" if onnx else ""
    parser.add_argument(
        "model",
        type=Path,
        metavar="RANKER",
        help=f"output folder of a run, SavedModel, {forms}or folder that "
        f"Ranker.save wrote{note}",
    )
    parser.add_argument(
        "--tokenizer",
        choices=TOKENIZERS,
        help="instead of the one that the run notes",
    )
    parser.add_argument(
        "--readable",
        choices=READABLE,
        help="what an answer must contain for the model to score it; others "
        "come last: content (the default of runs), a word of the vocabulary "
        "that is no stop word; known, a word of the vocabulary; any, nothing",
    )


def load_model(arguments: argparse.Namespace) -> "Ranker":
    """Loads the model that the arguments name.

    Raises:
        DatasetError: if the vocabulary or the counts of words are bad.
        ImportError: if a package that the model's format needs is missing.
        ModelFileError: if a Keras model cannot be loaded.
        RankerError: if there is no model that takes text.
    """
    # Imported here, so that other commands start without Keras.
    from keras_qa.ranker import Ranker

    return Ranker.load(arguments.model, arguments.tokenizer, arguments.readable)


def print_report(ranker: "Ranker") -> None:
    """Prints to standard error what text the model could not read, if any."""
    summary = ranker.report.summary()
    if summary:
        print(f"keras-qa: {summary}", file=sys.stderr)
