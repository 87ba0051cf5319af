"""Encode a collection of answers and index it, for `keras-qa ask`.

The model's score must compare one vector of each text, as in HyperQA, CosineQA,
QA-LSTM and similar models without attention, or one of each token, as in
LateInteraction. After an interruption, the same
command continues; with another --kind it reuses the encoded answers.
"""

import argparse
import sys
from pathlib import Path

from keras_qa.cli.models import add_model
from keras_qa.cli.models import load_model
from keras_qa.cli.models import print_report
from keras_qa.export.forms import check_form
from keras_qa.search.answers import read_answers
from keras_qa.search.faiss_index import KINDS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `keras-qa index`."""
    add_model(parser)
    parser.add_argument(
        "--answers",
        type=Path,
        required=True,
        metavar="FILE",
        help="one answer a line, or, in a .tsv, id, tab and answer; plain or "
        ".gz",
    )
    parser.add_argument(
        "--output",
        type=Path,
        required=True,
        metavar="DIR",
        help="folder of the index; it contains a copy of the model",
    )
    parser.add_argument(
        "--kind",
        choices=KINDS,
        default="flat",
        help="flat: exact; hnsw: a graph, fast, slow to make; default: "
        "%(default)s",
    )
    parser.add_argument(
        "--half",
        action="store_true",
        help="of a model with a vector for each token: store them in half "
        "precision, in half the space",
    )


def run(arguments: argparse.Namespace) -> int:
    """Writes the index; returns the exit code.

    Raises:
        ImportError: if FAISS is not installed.
        DatasetError: if the file of answers is missing or bad.
        OwnedError: if another process writes to the output.
        RankerError: if there is no Keras model that takes text.
        SearchError: see `build_index`.
    """
    # A wrong folder or first answer is reported before Keras is imported.
    check_form(arguments.model)
    next(read_answers(arguments.answers), None)
    from keras_qa.search.build import add_question_encoder
    from keras_qa.search.build import build_index

    ranker = load_model(arguments)
    total = build_index(
        ranker,
        arguments.answers,
        arguments.output,
        arguments.kind,
        half=arguments.half,
    )
    if not add_question_encoder(arguments.output):
        print(
            "keras-qa: without the extra `onnx`, or with a vector for each "
            "token, `keras-qa ask` starts with Keras, which takes seconds",
            file=sys.stderr,
        )
    print_report(ranker)
    print(f"{arguments.output}: {total:,} answers, {arguments.kind}")
    return 0
