"""Rank candidate answers with a trained model.

The candidates of a --question follow --candidates, or are read from a file or
standard input, one per line (in a .tsv file: id, tab, text). Without
--question, the input is a file of pairs (CSV, TSV, JSON lines or Parquet
with the columns `question` and `answer`), or lines `question<TAB>answer` of
standard input; the pairs of a question must be consecutive.
"""

import argparse
import itertools
import sys
from collections.abc import Iterator
from pathlib import Path

from tqdm import tqdm

from keras_qa.cli.options.models import add_model
from keras_qa.cli.options.models import load_model
from keras_qa.cli.options.models import print_report
from keras_qa.cli.options.tables import TABLE_OPTIONS
from keras_qa.cli.options.tables import add_table_options
from keras_qa.cli.options.tables import answer_options
from keras_qa.cli.options.tables import refuse_idle
from keras_qa.cli.options.tables import table_options
from keras_qa.cli.options.whole_numbers import positive
from keras_qa.datasets.questions_of_rows import Row
from keras_qa.datasets.questions_of_rows import group_rows
from keras_qa.errors import DatasetError
from keras_qa.errors import SearchError
from keras_qa.progress import in_terminal
from keras_qa.search.answers import Answer
from keras_qa.search.answers import check_answers
from keras_qa.search.answers import read_answers
from keras_qa.search.rankings import FORMATS
from keras_qa.search.rankings import Ranking
from keras_qa.search.rankings import header
from keras_qa.search.rankings import ranking_lines
from keras_qa.text.tokenizer import well_formed

TAG = "keras-qa"
Asked = tuple[str, str, list[Answer]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `keras-qa rank`."""
    add_model(parser)
    parser.add_argument(
        "--question",
        metavar="TEXT",
        help="the one question; without it, pairs are ranked",
    )
    parser.add_argument(
        "--candidates",
        nargs="+",
        metavar="TEXT",
        help="its candidates, each quoted, with a space before one that begins "
        "with a hyphen; default: those of --file",
    )
    parser.add_argument(
        "--file",
        type=Path,
        help="of candidates, or of pairs, plain or .gz; default: standard "
        "input",
    )
    add_table_options(
        parser, ("question", "answer", "question_id", "answer_id")
    )
    parser.add_argument(
        "--top",
        type=positive,
        metavar="N",
        help="print only the best N; default: all",
    )
    add_format(parser)


def add_format(parser: argparse.ArgumentParser) -> None:
    """Adds the options `--format` and `--tag`."""
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default="table",
        help="what to print: a table; tab-separated values or JSON lines, one "
        "answer a line; a TREC run; default: %(default)s",
    )
    parser.add_argument(
        "--tag",
        help=f"name of a TREC run; default: {TAG}",
    )


def check_question(arguments: argparse.Namespace) -> None:
    """Checks that `--question`, if it is given, is not empty.

    Raises:
        SearchError: if it is.
    """
    if arguments.question is not None and not arguments.question.strip():
        raise SearchError(
            "--question must be a text that is not empty. "
            f"Received: {arguments.question!r}"
        )


def check_format(arguments: argparse.Namespace) -> None:
    """Checks that `--tag` goes with `--format`, and puts its default in.

    Raises:
        DatasetError: if it does not.
    """
    if arguments.format != "trec":
        given = f"--format {arguments.format}"
        refuse_idle(arguments, ("tag",), "--format trec", given)
    if arguments.tag is None:
        arguments.tag = TAG


def run(arguments: argparse.Namespace) -> int:
    """Prints the candidates, best first; returns the exit code.

    Raises:
        DatasetError: if a file is missing or bad, or an option has no effect.
        RankerError: if there is no model that takes text.
        SearchError: if arguments contradict each other, or there is nothing to
            rank.
    """
    _check(arguments)
    # A bad row is reported before the model is loaded; of a stream, only one
    # among the first.
    if arguments.question is None and _can_be_read_twice(arguments.file):
        for _ in _asked(arguments):
            pass
    asked = _asked(arguments)
    first = next(asked, None)
    if first is None:
        raise SearchError("Expected candidates to rank. Received: none")
    ranker = load_model(arguments)
    for line in header(arguments.format):
        print(line)
    for question_id, question, candidates in tqdm(
        itertools.chain([first], asked),
        "Rank",
        unit="question",
        disable=arguments.question is not None or not in_terminal(),
    ):
        ranking = Ranking.of_candidates(
            question_id,
            question,
            candidates,
            ranker.scores(question, [c.text for c in candidates]),
            arguments.top,
            ranker.reading,
        )
        for line in ranking_lines(ranking, arguments.format, arguments.tag):
            print(line)
    print_report(ranker)
    return 0


def _check(arguments: argparse.Namespace) -> None:
    check_format(arguments)
    if arguments.question is None:
        refuse_idle(arguments, ("candidates",), "--question")
    check_question(arguments)
    if arguments.candidates and arguments.file is not None:
        raise SearchError(
            "Expected either --candidates or --file. Received: both"
        )
    if arguments.file is None:
        refuse_idle(arguments, TABLE_OPTIONS, "--file")
    if arguments.question is not None:
        idle = ("question_column", "question_id_column", "group")
        refuse_idle(arguments, idle, "a file of pairs", "--question")


def _can_be_read_twice(file: Path | None) -> bool:
    return file is not None and not file.is_fifo()


def _asked(arguments: argparse.Namespace) -> Iterator[Asked]:
    """Yields ids, questions and their candidates."""
    if arguments.question is None:
        yield from _pairs(arguments)
        return
    if arguments.candidates:
        candidates = [
            Answer(str(number), well_formed(text))
            for number, text in enumerate(arguments.candidates, start=1)
        ]
    elif arguments.file is not None:
        options = answer_options(arguments)
        candidates = list(read_answers(arguments.file, **options))
        repeated = len({c.id for c in candidates}) < len(candidates)
        if repeated and arguments.format == "trec":
            check_answers(arguments.file, **options)
    else:
        candidates = [
            Answer(str(number), line)
            for number, line in input_lines()
            if line.strip()
        ]
    if candidates:
        yield "1", well_formed(arguments.question), candidates


def _pairs(arguments: argparse.Namespace) -> Iterator[Asked]:
    if arguments.file is not None:
        from keras_qa.datasets.tabular import read_tabular

        options = table_options(arguments)
        for question in read_tabular(arguments.file, **options):
            candidates = [Answer(c.id, c.text) for c in question.candidates]
            yield question.id, question.text, candidates
        return
    remedy = ", or a --file with --group"
    for question in group_rows(Path("<stdin>"), _input_rows(), remedy=remedy):
        texts = enumerate((c.text for c in question.candidates), start=1)
        yield question.id, question.text, [Answer(str(i), t) for i, t in texts]


def _input_rows() -> Iterator[Row]:
    for number, line in input_lines():
        question, tab, answer = line.partition("\t")
        if line.strip() and not tab:
            raise DatasetError(
                f"<stdin>:{number}: expected question<TAB>answer. "
                f"Received: {line[:90]!r}"
            )
        if tab:
            yield Row(number, None, question, None, answer, 0)


def input_lines() -> Iterator[tuple[int, str]]:
    """Streams the lines of standard input, numbered from 1.

    A byte order mark before the first line is skipped.

    Raises:
        DatasetError: if a line is not UTF-8.
    """
    for number, raw in enumerate(sys.stdin.buffer, start=1):
        try:
            line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
            yield number, line.rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise DatasetError(
                f"<stdin>:{number}: expected UTF-8 text. Received: {error}"
            ) from None
