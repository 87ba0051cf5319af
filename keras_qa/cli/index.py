"""Encode a collection of answers and index it, for `keras-qa ask`.

The model's score must compare one vector of each text, as in HyperQA, CosineQA,
QA-LSTM and similar models without attention, or one of each token, as in
LateInteraction. After an interruption, the same
command continues; with another --kind it reuses the encoded answers.
"""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from keras_qa.cli.models import add_model
from keras_qa.cli.models import load_model
from keras_qa.cli.models import print_report
from keras_qa.errors import SearchError
from keras_qa.export.forms import check_form
from keras_qa.search.answers import read_answers
from keras_qa.search.faiss_index import KINDS

if TYPE_CHECKING:
    from keras_qa.search.encoding import Part


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
    add_kind(parser)
    parser.add_argument(
        "--half",
        action="store_true",
        help="of a model with a vector for each token: store them in half "
        "precision, in half the space",
    )

    parser.add_argument(
        "--shards",
        type=int,
        metavar="K",
        help="encode a part of the answers alone, one of K; `keras-qa index "
        "merge` joins them",
    )
    parser.add_argument(
        "--shard", type=int, metavar="I", help="which of K parts, from 0"
    )


def add_kind(parser: argparse.ArgumentParser) -> None:
    """Adds the option that chooses the kind of index."""
    parser.add_argument(
        "--kind",
        choices=KINDS,
        default="flat",
        help="flat: exact; hnsw: a graph, fast, slow to make; ivf-pq: "
        "compressed, on disk, for many millions; default: %(default)s",
    )


def run(arguments: argparse.Namespace) -> int:
    """Writes the index; returns the exit code.

    Raises:
        ImportError: if FAISS is not installed.
        DatasetError: if the file of answers is missing or bad.
        OwnedError: if another process writes to the output.
        RankerError: if there is no Keras model that takes text.
        SearchError: see `build_index` and `encode_part`.
    """
    # What is wrong is reported before Keras is imported.
    part = _part(arguments.shards, arguments.shard)
    check_form(arguments.model)
    next(read_answers(arguments.answers), None)
    from keras_qa.search.build import build_index
    from keras_qa.search.parts import encode_part

    ranker = load_model(arguments)
    given = ranker, arguments.answers, arguments.output
    if part is not None:
        total = encode_part(*given, part, half=arguments.half)
        print_report(ranker)
        print(
            f"{arguments.output}: part {part.number} of {part.count}, of "
            f"{total:,} answers"
        )
        return 0
    total = build_index(*given, arguments.kind, half=arguments.half)
    print_report(ranker)
    print_index(arguments.output, total, arguments.kind)
    return 0


def print_index(folder: Path, total: int, kind: str) -> None:
    """Adds what lets `keras-qa ask` start fast; prints what there is."""
    from keras_qa.search.build import add_question_encoder

    if not add_question_encoder(folder):
        print(
            "keras-qa: without the extra `onnx`, or with a vector for each "
            "token, `keras-qa ask` starts with Keras, which takes seconds",
            file=sys.stderr,
        )
    print(f"{folder}: {total:,} answers, {kind}")


def _part(count: int | None, number: int | None) -> "Part | None":
    """The part that is to be encoded; None for all answers.

    Raises:
        SearchError: if the numbers do not go together.
    """
    if count is None and number is None:
        return None
    if count is None or number is None or not 0 <= number < count:
        raise SearchError(
            "--shards K and --shard I go together, I from 0 to K - 1. "
            f"Received: --shards {count} --shard {number}"
        )
    from keras_qa.search.encoding import Part

    return Part(number, count)
