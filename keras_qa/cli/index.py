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

from keras_qa.cli.options.models import add_model
from keras_qa.cli.options.models import load_model
from keras_qa.cli.options.models import print_report
from keras_qa.cli.options.tables import add_table_options
from keras_qa.cli.options.tables import answer_options
from keras_qa.cli.options.tables import refuse_idle
from keras_qa.cli.options.whole_numbers import positive
from keras_qa.errors import SearchError
from keras_qa.export.forms import check_form
from keras_qa.files.whole import check_writable
from keras_qa.search.answers import check_answers
from keras_qa.search.faiss_index import KINDS

if TYPE_CHECKING:
    from keras_qa.search.encoding import Part

KIND = "flat"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `keras-qa index`."""
    add_model(parser, onnx=False)
    parser.add_argument(
        "--answers",
        type=Path,
        required=True,
        metavar="FILE",
        help="one answer a line; in a .tsv id, tab and answer; or a table of "
        "the kind that `keras-qa train` reads, of which one column is taken",
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
        "--reuse",
        type=Path,
        metavar="INDEX",
        help="an earlier index of the same model: answers that it has are not "
        "encoded again",
    )
    parser.add_argument(
        "--shards",
        type=positive,
        metavar="K",
        help="encode a part of the answers alone, one of K; `keras-qa index "
        "merge` joins them",
    )
    parser.add_argument(
        "--shard", type=int, metavar="I", help="which of K parts, from 0"
    )
    parser.add_argument(
        "--workers",
        type=positive,
        metavar="N",
        help="encode the K parts by N processes of a Ray cluster, or of this "
        "machine, and merge them",
    )
    add_table_options(
        parser,
        ("answer", "answer_id"),
        {"answer_id": "answer_id if it is there, or else lines are counted"},
    )


def add_kind(parser: argparse.ArgumentParser) -> None:
    """Adds the option that chooses the kind of index."""
    parser.add_argument(
        "--kind",
        choices=KINDS,
        help="flat: exact; hnsw: a graph, fast, slow to make; ivf-pq: "
        "compressed, on disk, for many millions; default: " + KIND,
    )


def run(arguments: argparse.Namespace) -> int:
    """Writes the index; returns the exit code.

    Raises:
        ImportError: if FAISS is not installed.
        DatasetError: if the file of answers is missing or bad, or two answers
            have the same id.
        OSError: if the output is no folder that can be written to.
        OwnedError: if another process writes to the output.
        RankerError: if there is no Keras model that takes text.
        SearchError: see `build_index` and `encode_part`.
    """
    # What is wrong is reported before Keras is imported.
    part = _part(arguments)
    arguments.kind = arguments.kind or KIND
    check_form(arguments.model)
    check_writable(arguments.output, inside=True)
    if arguments.reuse is not None and arguments.shards is not None:
        raise SearchError("--reuse does not go with --shards")
    table = answer_options(arguments)
    check_answers(arguments.answers, **table)
    if arguments.workers is not None:
        return _run_workers(arguments)
    from keras_qa.search.build import build_index
    from keras_qa.search.parts.encode import encode_part

    ranker = load_model(arguments)
    given = ranker, arguments.answers, arguments.output
    if part is not None:
        total = encode_part(*given, part, half=arguments.half, table=table)
        print_report(ranker)
        print(
            f"{arguments.output}: part {part.number} of {part.count}, of "
            f"{total:,} answers"
        )
        return 0
    total = build_index(
        *(*given, arguments.kind),
        half=arguments.half,
        reuse=arguments.reuse,
        table=table,
    )
    print_report(ranker)
    print_index(arguments.output, total, arguments.kind)
    return 0


def print_index(folder: Path, total: int, kind: str) -> None:
    """Adds what lets `keras-qa ask` start fast; prints what there is."""
    from keras_qa.search.build import add_question_encoder

    if reason := add_question_encoder(folder):
        print(
            "keras-qa: `keras-qa ask` will start with Keras, which takes "
            f"seconds: {reason}",
            file=sys.stderr,
        )
    print(f"{folder}: {total:,} answers, {kind}")


def _run_workers(arguments: argparse.Namespace) -> int:
    from keras_qa.search.parts.merge import merge_parts
    from keras_qa.search.parts.ray_actors import encode_parts

    encode_parts(
        *(arguments.model, arguments.answers, arguments.output),
        *(arguments.shards, arguments.workers),
        tokenizer=arguments.tokenizer,
        readable=arguments.readable,
        half=arguments.half,
        table=answer_options(arguments),
    )
    total = merge_parts(arguments.output, arguments.kind)
    print_index(arguments.output, total, arguments.kind)
    return 0


def _part(arguments: argparse.Namespace) -> "Part | None":
    """The part that is to be encoded; None for all answers.

    Raises:
        SearchError: if the numbers do not go together.
    """
    count, number = arguments.shards, arguments.shard
    workers = arguments.workers
    given = (number is not None) + (workers is not None)
    if given != (count is not None):
        raise SearchError(
            "--shards K goes with either --shard I or --workers N. "
            f"Received: --shards {count} --shard {number} --workers {workers}"
        )
    if number is not None and not 0 <= number < count:
        raise SearchError(
            "--shard must be from 0 to K - 1 of --shards K. "
            f"Received: --shards {count} --shard {number}"
        )
    if number is None:
        return None
    merge = "`keras-qa index merge`"
    refuse_idle(arguments, ("kind",), merge, f"--shard {number}", SearchError)
    from keras_qa.search.encoding import Part

    return Part(number, count)
