"""Make a ranking data set from questions and their right answers.

BM25 finds candidates among all answers; the right answers are always added. A
trained model (--ranker) can order what BM25 found, which gives harder ones. The
source is a file of your own, with one question and answer per row, or `yahoo`:
Yahoo! Answers (Webscope L6), of which some questions are drawn. The output is
read like a file of your own, or, for `yahoo`, with --dataset yahoo.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import nullcontext
from math import inf
from pathlib import Path

from keras_qa.cli.options.models import print_report
from keras_qa.cli.options.tables import TABLE_OPTIONS
from keras_qa.cli.options.tables import add_table_options
from keras_qa.cli.options.tables import refuse_idle
from keras_qa.cli.options.tables import table_options
from keras_qa.cli.options.whole_numbers import positive
from keras_qa.cli.options.whole_numbers import seed
from keras_qa.datasets.collection import SPLITS
from keras_qa.datasets.collections.yahoo_answers import find_yahoo_answers
from keras_qa.datasets.collections.yahoo_answers import read_yahoo_answers
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.mined import check_output
from keras_qa.datasets.mined import write_candidates
from keras_qa.datasets.registry import data_folder
from keras_qa.datasets.splitting import sample
from keras_qa.datasets.splitting import split_questions
from keras_qa.errors import DatasetError
from keras_qa.files.locks import owned_folder
from keras_qa.files.text_files import find_file
from keras_qa.files.whole import check_writable
from keras_qa.files.whole import remove_scratch
from keras_qa.files.whole import write_whole
from keras_qa.own_data.questions import read_questions
from keras_qa.progress import ProgressBar
from keras_qa.ranking.duplicates import DuplicateReport
from keras_qa.ranking.mining import DEPTH
from keras_qa.ranking.mining import CandidateMiner
from keras_qa.text.tokenizer import TOKENIZERS

YAHOO = "yahoo"
YAHOO_QUESTIONS = 10_000
SHARES = (8, 1, 1)

# Of a folder: the options that it was made with.
NOTED = "mining.json"

_OF_YAHOO = ("data_dir", "content", "category", "language")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `keras-qa mine`."""
    parser.add_argument(
        "source",
        metavar="SOURCE",
        help=f"`{YAHOO}`, or a CSV, TSV, JSON lines or Parquet file of pairs",
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="PATH",
        help="a file (.tsv, .csv, .jsonl, perhaps with .gz, or .parquet) for "
        "all questions, or a folder for train, dev and test; default for "
        f"`{YAHOO}`: the folder of the corpus",
    )
    parser.add_argument(
        "--overwrite",
        action="store_true",
        help="replace files that exist; a folder of the same options is made "
        "again without it",
    )
    parser.add_argument(
        "--candidates",
        type=positive,
        default=100,
        metavar="N",
        help="of each question; default: %(default)s",
    )
    parser.add_argument(
        "--questions",
        type=positive,
        metavar="N",
        help="draw N, whose answers are the collection; default: all "
        f"of a file, {YAHOO_QUESTIONS} of `{YAHOO}`",
    )
    parser.add_argument(
        "--split",
        type=float,
        nargs=3,
        metavar=("TRAIN", "DEV", "TEST"),
        help="shares of the questions in a folder; default: 8 1 1",
    )
    parser.add_argument(
        "--seed",
        type=seed,
        default=0,
        help="of the questions drawn and of the split; default: %(default)s",
    )
    parser.add_argument(
        "--tokenizer",
        choices=TOKENIZERS,
        default="word",
        help="what BM25 takes for a word; default: %(default)s",
    )
    limits = parser.add_argument_group(
        "options against false negatives, and for hard ones"
    )
    limits.add_argument(
        "--skip",
        type=int,
        default=0,
        metavar="N",
        help="leave out the N best wrong answers of each question; with "
        "--candidates a range of ranks; default: %(default)s",
    )
    limits.add_argument(
        "--margin",
        type=float,
        metavar="M",
        help="leave out answers that score more than the right one's score "
        "minus M",
    )
    limits.add_argument(
        "--share",
        type=float,
        metavar="P",
        help="leave out answers that score more than P times the right one's "
        "score, such as 0.95",
    )
    limits.add_argument(
        "--ranker",
        type=Path,
        metavar="RANKER",
        help="a trained model, whose scores replace those of BM25; any form "
        "that takes text",
    )
    limits.add_argument(
        "--depth",
        type=int,
        metavar="N",
        help="answers of BM25 that --ranker scores for a question; 0: the "
        f"complete collection; default: {DEPTH}",
    )
    limits.add_argument(
        "--duplicates",
        type=Path,
        metavar="FILE.tsv",
        help="report pairs of answers with nearly the same words, and the "
        "questions where one is right and the other a wrong candidate; an "
        "existing one needs --overwrite",
    )
    yahoo = parser.add_argument_group(f"options of `{YAHOO}`")
    yahoo.add_argument(
        "--data-dir", type=Path, help="its folder, or the parent of that"
    )
    yahoo.add_argument(
        "--content",
        action="store_true",
        help="put the asker's details behind the question",
    )
    yahoo.add_argument(
        "--category",
        action="append",
        metavar="NAME",
        help="draw from this main category, and from others so named",
    )
    yahoo.add_argument(
        "--language",
        action="append",
        metavar="CODE",
        help="draw from questions in this language, as `en`",
    )
    add_table_options(parser, ("question", "answer", "label", "question_id"))


def run(arguments: argparse.Namespace) -> int:
    """Writes the files that the arguments ask for; returns the exit code.

    Raises:
        DatasetError: if the arguments contradict each other or are out of
            range, or a file is missing or bad, or cannot be written.
        ImportError: if a Parquet file is read or written without pyarrow.
        OSError: if an output cannot be written to its place.
        OwnedError: if another process writes to the output folder.
    """
    _check(arguments)
    output = arguments.output
    if arguments.source == YAHOO:
        output = output or data_folder(YAHOO, arguments.data_dir)
    # Reversed, so that no training data exists without dev and test.
    names = [f"{name}.tsv.gz" for name in reversed(SPLITS)]
    is_table = check_output(output)
    paths = [output] if is_table else [output / name for name in names]
    noted = None if is_table else output / NOTED
    _check_written(arguments, paths, noted)
    questions = _questions(arguments)
    split = [questions]
    if not is_table:
        split = split_questions(questions, arguments.split, arguments.seed)
    parts = dict(zip(paths, reversed(split), strict=True))
    ranker = None
    if arguments.ranker is not None:
        # Imported here, so that mining without it starts without Keras.
        from keras_qa.ranker import Ranker

        ranker = Ranker.load(arguments.ranker)
    miner = CandidateMiner(
        (c.text for q in questions for c in q.candidates),
        tokenizer=arguments.tokenizer,
    )
    report = None
    if arguments.duplicates is not None:
        report = DuplicateReport(miner.texts, tokenizer=arguments.tokenizer)
    # A single file is written atomically; a folder's files need a lock.
    with nullcontext() if is_table else owned_folder(output):
        if not is_table:
            remove_scratch(output)
        if noted:
            # First, so that a killed command can be given again.
            options = _options(arguments).encode()
            write_whole(noted, lambda path: path.write_bytes(options))
        for path, part in parts.items():
            found = Counter[str]()
            mined = miner.mine(
                part,
                arguments.candidates,
                skip=arguments.skip,
                margin=arguments.margin,
                share=arguments.share,
                scorer=None if ranker is None else ranker.scores,
                depth=DEPTH if arguments.depth is None else arguments.depth,
            )
            if report is not None:
                mined = report.watch(mined)
            write_candidates(path, _counted(mined, found))
            print(
                f"{path}: {found['questions']:,} questions, "
                f"{found['candidates']:,} candidates"
                + f", {found['alone']:,} questions without a wrong one"
                * bool(found["alone"])
            )
    if miner.left_out:
        print(f"{miner.left_out:,} answers left out as perhaps right")
    if report is not None:
        report.write(arguments.duplicates)
        print(
            f"{arguments.duplicates}: {len(report.pairs):,} pairs of nearly "
            f"equal answers, {len(report.questions):,} of them a right and a "
            "wrong candidate of a question"
        )
    if ranker is not None:
        print_report(ranker)
    return 0


def _options(arguments: argparse.Namespace) -> str:
    """The options that determine a folder's questions and candidates."""
    options = {
        name: str(value) if isinstance(value, Path) else value
        for name, value in vars(arguments).items()
        if name not in ("run", "output", "overwrite", "data_dir", "duplicates")
    }
    if arguments.source == YAHOO and arguments.questions is None:
        options["questions"] = YAHOO_QUESTIONS
    return f"{json.dumps(options, indent=2)}\n"


def _check_written(
    arguments: argparse.Namespace,
    paths: Sequence[Path],
    noted: Path | None,
) -> None:
    """Checks that nothing is replaced but what is asked for.

    Args:
        arguments: the parsed options.
        paths: the files of --output with candidates.
        noted: the file with the options of a folder.
    """
    if arguments.source == YAHOO:
        folder = data_folder(YAHOO, arguments.data_dir)
        sources = find_yahoo_answers(folder)
    else:
        sources = [_source(arguments)]
    outputs = [*paths, *([noted] if noted else [])]
    report = [arguments.duplicates] if arguments.duplicates else []
    for option, path in (
        *(("--output", path) for path in outputs),
        *(("--duplicates", path) for path in report),
    ):
        if path.is_dir():
            raise DatasetError(
                f"{option} must write a file. Received: {path}, a folder"
            )
        check_writable(path, option)
        for source in sources:
            if path.exists() and path.samefile(source):
                raise DatasetError(
                    f"{option} must be another file than the source, {source}, "
                    f"which it would replace. Received: {path}"
                )
    if report and report[0].resolve() in [path.resolve() for path in outputs]:
        raise DatasetError(
            "--duplicates must be another file than --output. "
            f"Received: {report[0]}"
        )
    if noted and noted.is_file():
        same = noted.read_bytes() == _options(arguments).encode()
        outputs = [] if same else outputs
    for path in [] if arguments.overwrite else [*outputs, *report]:
        if path.exists():
            raise DatasetError(
                "An output must not exist, unless --overwrite is given. "
                f"Received: {path}"
            )


def _check(arguments: argparse.Namespace) -> None:
    """Checks the options, and puts the default of --split in."""
    is_yahoo = arguments.source == YAHOO
    if is_yahoo:
        refuse_idle(arguments, TABLE_OPTIONS, "a file of your own", YAHOO)
    else:
        refuse_idle(arguments, _OF_YAHOO, f"`{YAHOO}`", arguments.source)
        table_options(arguments)
    if arguments.output is not None:
        if check_output(arguments.output):
            folder = "a folder as --output"
            refuse_idle(arguments, ("split",), folder, f"{arguments.output}")
    elif not is_yahoo:
        raise DatasetError(
            "Expected --output, the file or folder to write. Received: none"
        )
    if arguments.ranker is None:
        refuse_idle(arguments, ("depth",), "--ranker")
    for name, most in (
        ("skip", inf),
        ("depth", inf),
        ("margin", inf),
        ("share", 1),
    ):
        value = getattr(arguments, name)
        if value is not None and not 0 <= value <= most:
            bounds = "at least 0" if most == inf else f"from 0 to {most}"
            raise DatasetError(
                f"--{name} must be {bounds}. Received: {name}={value}"
            )
    arguments.split = arguments.split or SHARES
    if not (min(arguments.split) >= 0 and 0 < sum(arguments.split) < inf):
        raise DatasetError(
            "--split must be three numbers of at least 0, not all 0. "
            f"Received: {arguments.split}"
        )


def _questions(arguments: argparse.Namespace) -> list[Question]:
    """The questions of the source, at least one of them with a right answer."""
    is_yahoo = arguments.source == YAHOO
    questions = (_yahoo_questions if is_yahoo else _pairs)(arguments)
    if not questions:
        raise DatasetError(
            f"{arguments.source}: expected at least one question that fits "
            "the options. Received: none"
        )
    if not any(c.label for q in questions for c in q.candidates):
        raise DatasetError(
            f"{arguments.source}: expected a right answer, to which wrong ones "
            "are found (--no-labels if all are right). Received: "
            f"{len(questions):,} questions with wrong answers alone"
        )
    return questions


def _yahoo_questions(arguments: argparse.Namespace) -> list[Question]:
    parts = find_yahoo_answers(data_folder(YAHOO, arguments.data_dir))
    stream = read_yahoo_answers(
        *parts,
        content=arguments.content,
        categories=arguments.category,
        languages=arguments.language,
    )
    drawn = sample(
        ProgressBar(stream, "Yahoo! Answers", unit="question"),
        arguments.questions or YAHOO_QUESTIONS,
        arguments.seed,
    )
    # The reader does not check its millions of ids for repetitions.
    return list({question.id: question for question in drawn}.values())


def _source(arguments: argparse.Namespace) -> Path:
    """The file with the pairs."""
    path = Path(arguments.source)
    found = find_file(path.parent, path.name)
    if found is None:
        raise DatasetError(
            f"SOURCE must be {YAHOO!r} or a file. Received: {path}"
        )
    return found


def _pairs(arguments: argparse.Namespace) -> list[Question]:
    questions = read_questions(_source(arguments), table_options(arguments))
    if arguments.questions is None:
        return questions
    return sample(questions, arguments.questions, arguments.seed)


def _counted(
    questions: Iterable[Question], found: Counter[str]
) -> Iterator[Question]:
    for question in questions:
        if question.candidates:
            alone = not question.negatives
            found.update(
                questions=1, candidates=len(question.candidates), alone=alone
            )
        yield question
