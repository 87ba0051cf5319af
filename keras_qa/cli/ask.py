"""Answer questions from a collection that `keras-qa index` has encoded.

The first stage searches the index, or the same answers by BM25 (--first bm25);
with --rerank, another model, of any kind, ranks the answers it found.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from keras_qa.cli.options.models import print_report
from keras_qa.cli.options.tables import refuse_idle
from keras_qa.cli.options.whole_numbers import positive
from keras_qa.cli.rank import add_format
from keras_qa.cli.rank import check_format
from keras_qa.cli.rank import check_question
from keras_qa.cli.rank import input_lines
from keras_qa.errors import SearchError
from keras_qa.search.faiss_index import EFFORTS
from keras_qa.search.faiss_index import KINDS
from keras_qa.search.rankings import header
from keras_qa.search.rankings import ranking_lines
from keras_qa.text.tokenizer import well_formed
from keras_qa.text.word_pieces import word_tokenizer

if TYPE_CHECKING:
    from keras_qa.search.index import AnswerIndex
    from keras_qa.search.two_stages import FirstStage

# Answers that a second model orders.
DEPTH = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `keras-qa ask`."""
    parser.add_argument(
        "index", type=Path, metavar="INDEX", help="folder of the index"
    )
    parser.add_argument("--question", metavar="TEXT", help="one question")
    parser.add_argument(
        "--interactive",
        action="store_true",
        help="read questions from standard input, one a line",
    )
    parser.add_argument(
        "--top",
        type=positive,
        default=10,
        metavar="K",
        help="number of answers; default: %(default)s",
    )
    parser.add_argument(
        "--kind",
        choices=KINDS,
        help="of several indexes in the folder; default: flat, which is "
        "exact, or else what is there",
    )
    parser.add_argument(
        "--effort",
        type=int,
        metavar="N",
        help="nodes of the graph (hnsw), or lists (ivf-pq), to look at: more "
        "find more and take longer; default: "
        + ", ".join(f"{kind} {effort}" for kind, effort in EFFORTS.items()),
    )
    parser.add_argument(
        "--first",
        choices=("index", "bm25"),
        default="index",
        help="what finds answers: the model of the index, or BM25, which "
        "finds those that share a word with the question; default: "
        "%(default)s",
    )
    parser.add_argument(
        "--rerank",
        type=Path,
        metavar="RANKER",
        help="a model that orders them again, in any form that takes text",
    )
    parser.add_argument(
        "--depth",
        type=positive,
        metavar="N",
        help="number of answers that --rerank orders, at least --top; "
        f"default: {DEPTH}",
    )
    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    """Prints the best answers; returns the exit code.

    Raises:
        DatasetError: if a line of standard input is not UTF-8, or an option
            has no effect.
        ImportError: if FAISS is not installed.
        SearchError: if arguments are out of range or contradict each other, or
            the folder contains no index.
        RankerError: if the model of --rerank cannot be used.
    """
    _check(arguments)
    # Imported here, so that wrong arguments are reported at once.
    from keras_qa.export.forms import check_form
    from keras_qa.ranker import Ranker
    from keras_qa.search.index import AnswerIndex
    from keras_qa.search.two_stages import answer_question

    if arguments.rerank is not None:
        check_form(arguments.rerank)
    index = AnswerIndex(arguments.index, arguments.kind)
    start = time.perf_counter()
    first = _first_stage(arguments, index)
    # Of BM25, which reads all answers; the index is mapped from its files.
    prepared = time.perf_counter() - start
    second = None
    if arguments.rerank is not None:
        second = Ranker.load(arguments.rerank)
    # The first calls compile, which must not count as a question's time.
    first.find("?", 1)
    if second is not None:
        second.scores("?", ["?"])
    rankers = [index.ranker, *([] if second is None else [second])]
    for ranker in rankers:
        ranker.report.clear()
    if index.summary():
        print(f"keras-qa: {index.summary()}", file=sys.stderr)
    for line in header(arguments.format):
        print(line)
    for number, question in enumerate(_questions(arguments), start=1):
        ranking, times = answer_question(
            index,
            question,
            arguments.top,
            first,
            second,
            arguments.depth or DEPTH,
            question_id=str(number),
        )
        for line in ranking_lines(ranking, arguments.format, arguments.tag):
            print(line)
        took = f"search {times.search:.4f} s"
        if arguments.first == "bm25" and number == 1:
            took = f"prepare {prepared:.4f} s, {took}"
        if second is not None:
            took += f", rerank {times.rerank:.4f} s"
        print(
            f"({len(index):,} answers, {arguments.first}: {took})",
            file=sys.stdout if arguments.format == "table" else sys.stderr,
        )
        sys.stdout.flush()
    for ranker in rankers:
        print_report(ranker)
    return 0


def _check(arguments: argparse.Namespace) -> None:
    """Refuses options that contradict each other, before anything is read."""
    if (arguments.question is not None) == arguments.interactive:
        raise SearchError(
            "Expected either --question or --interactive. Received: "
            + ("both" if arguments.interactive else "neither")
        )
    check_question(arguments)
    check_format(arguments)
    if arguments.rerank is None:
        refuse_idle(arguments, ("depth",), "--rerank")
    if arguments.first == "bm25":
        given = "--first bm25"
        refuse_idle(arguments, ("kind",), "--first index", given, SearchError)


def _first_stage(
    arguments: argparse.Namespace, index: "AnswerIndex"
) -> "FirstStage":
    """What finds the answers of a question."""
    from keras_qa.search.two_stages import BM25Stage
    from keras_qa.search.two_stages import IndexStage

    looks = index.kind if arguments.first == "index" else arguments.first
    if arguments.effort is not None and looks not in EFFORTS:
        raise SearchError(
            f"--effort goes with an index of the kind {' or '.join(EFFORTS)}. "
            f"Received: --effort {arguments.effort} with {looks}"
        )
    if arguments.first == "index":
        return IndexStage(index, arguments.effort)
    return BM25Stage(
        index.texts(),
        word_tokenizer(index.ranker.reading.tokenizer),
        unread=index.unread,
    )


def _questions(arguments: argparse.Namespace) -> Iterator[str]:
    """The question, or those of standard input."""
    if not arguments.interactive:
        yield well_formed(arguments.question)
        return
    lines = input_lines()
    while True:
        if sys.stdin.isatty():
            print("> ", end="", file=sys.stderr, flush=True)
        _, line = next(lines, (0, None))
        if line is None:
            return
        if line.strip():
            yield line.strip()
