"""Make a ranking data set from questions and their right answers.

BM25 finds candidates among all answers; the right answers are always added. The
source is a file of your own, with one question and answer per row, or `yahoo`:
Yahoo! Answers (Webscope L6), of which some questions are drawn. The output is
read like a file of your own, or, for `yahoo`, with --dataset yahoo.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterable
from collections.abc import Iterator
from contextlib import nullcontext
from math import inf
from pathlib import Path

from keras_qa.datasets.collection import SPLITS
from keras_qa.datasets.collections.yahoo_answers import find_yahoo_answers
from keras_qa.datasets.collections.yahoo_answers import read_yahoo_answers
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.mined import write_candidates
from keras_qa.datasets.registry import data_folder
from keras_qa.datasets.splitting import sample
from keras_qa.datasets.splitting import split_questions
from keras_qa.datasets.tabular import Columns
from keras_qa.datasets.tabular import read_tabular
from keras_qa.datasets.tabular import table_delimiter
from keras_qa.errors import DatasetError
from keras_qa.files.locks import owned_folder
from keras_qa.files.whole import write_whole
from keras_qa.progress import ProgressBar
from keras_qa.ranking.mining import CandidateMiner
from keras_qa.text.tokenizer import TOKENIZERS

YAHOO = "yahoo"
YAHOO_QUESTIONS = 10_000

_OF_YAHOO = ("data_dir", "content", "category", "language")
_COLUMNS = ("question", "answer", "label", "question_id")
_OF_FILES = (
    *(f"{name}_column" for name in _COLUMNS),
    "no_labels",
    "group",
    "no_quotes",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `keras-qa mine`."""
    parser.add_argument(
        "source",
        metavar="SOURCE",
        help=f"`{YAHOO}`, or a CSV, TSV or JSON lines file of pairs",
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="PATH",
        help="a file (.tsv, .csv, .jsonl, perhaps with .gz) for all "
        "questions, or a folder for train, dev and test; default for "
        f"`{YAHOO}`: the folder of the corpus",
    )
    parser.add_argument(
        "--candidates",
        type=int,
        default=100,
        metavar="N",
        help="of each question; default: %(default)s",
    )
    parser.add_argument(
        "--questions",
        type=int,
        metavar="N",
        help="draw N, whose answers are the collection; default: all "
        f"of a file, {YAHOO_QUESTIONS} of `{YAHOO}`",
    )
    parser.add_argument(
        "--split",
        type=float,
        nargs=3,
        default=(8, 1, 1),
        metavar=("TRAIN", "DEV", "TEST"),
        help="shares of the questions in a folder; default: 8 1 1",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=0,
        help="of the questions drawn and of the split; default: %(default)s",
    )
    parser.add_argument(
        "--tokenizer",
        choices=TOKENIZERS,
        default="word",
        help="what BM25 takes for a word; default: %(default)s",
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
    files = parser.add_argument_group("options of a file of pairs")
    for name in _COLUMNS:
        files.add_argument(
            f"--{name.replace('_', '-')}-column",
            metavar="COLUMN",
            help=f"default: {getattr(Columns(), name)}",
        )
    files.add_argument(
        "--no-labels",
        action="store_true",
        help="there is no label column: every answer is a right one",
    )
    files.add_argument(
        "--group",
        action="store_true",
        help="the rows of a question need not be neighbours",
    )
    files.add_argument(
        "--no-quotes",
        action="store_true",
        help="fields of a CSV or TSV are not quoted",
    )


def run(arguments: argparse.Namespace) -> int:
    """Writes the files that the arguments ask for; returns the exit code.

    Raises:
        DatasetError: if the arguments contradict each other or are out of
            range, or a file is missing or bad.
        OwnedError: if another process writes to the output folder.
    """
    _check(arguments)
    output = arguments.output
    if arguments.source == YAHOO:
        questions = _yahoo_questions(arguments)
        output = output or data_folder(YAHOO, arguments.data_dir)
    else:
        questions = _pairs(arguments)
    if not questions:
        raise DatasetError(
            f"{arguments.source}: expected at least one question that fits "
            "the options. Received: none"
        )
    if _is_table(output):
        parts = {output: questions}
    else:
        split = split_questions(questions, arguments.split, arguments.seed)
        of_split = dict(zip(SPLITS, split, strict=True))
        # Reversed, so that no training data exists without dev and test.
        parts = {
            output / f"{name}.tsv.gz": of_split[name]
            for name in reversed(SPLITS)
        }
    miner = CandidateMiner(
        (c.text for q in questions for c in q.candidates),
        tokenizer=arguments.tokenizer,
    )
    # A single file is written atomically; a folder's files need a lock.
    with nullcontext() if _is_table(output) else owned_folder(output):
        for path, part in parts.items():
            found = Counter[str]()
            mined = miner.mine(part, arguments.candidates)
            write_candidates(path, _counted(mined, found))
            print(
                f"{path}: {found['questions']:,} questions, "
                f"{found['candidates']:,} candidates"
            )
        if not _is_table(output):
            _note_options(output / "mining.json", arguments)
    return 0


def _note_options(path: Path, arguments: argparse.Namespace) -> None:
    """Writes the options that determine a folder's questions and candidates."""
    options = {
        name: value
        for name, value in vars(arguments).items()
        if name not in ("run", "output", "data_dir")
    }
    if arguments.source == YAHOO and arguments.questions is None:
        options["questions"] = YAHOO_QUESTIONS
    text = json.dumps(options, indent=2)
    write_whole(path, lambda scratch: scratch.write_text(f"{text}\n", "utf-8"))


def _check(arguments: argparse.Namespace) -> None:
    is_yahoo = arguments.source == YAHOO
    idle = _OF_FILES if is_yahoo else _OF_YAHOO
    given = [n for n in idle if getattr(arguments, n) not in (None, False)]
    if given:
        options = ", ".join(f"--{name.replace('_', '-')}" for name in given)
        raise DatasetError(
            f"Expected options that go with the source; see --help. Received: "
            f"{arguments.source} with {options}"
        )
    if arguments.no_labels and arguments.label_column is not None:
        raise DatasetError(
            "Expected either --no-labels or --label-column. Received: both"
        )
    if not is_yahoo and arguments.output is None:
        raise DatasetError(
            "Expected --output, the file or folder to write. Received: none"
        )
    for name in ("candidates", "questions"):
        value = getattr(arguments, name)
        if value is not None and value < 1:
            raise DatasetError(
                f"--{name} must be positive. Received: {name}={value}"
            )
    if not (min(arguments.split) >= 0 and 0 < sum(arguments.split) < inf):
        raise DatasetError(
            "--split must be three numbers of at least 0, not all 0. "
            f"Received: {arguments.split}"
        )


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


def _pairs(arguments: argparse.Namespace) -> list[Question]:
    chosen = {
        name: column
        for name in _COLUMNS
        if (column := getattr(arguments, f"{name}_column")) is not None
    }
    if arguments.no_labels:
        chosen["label"] = None
    path = Path(arguments.source)
    if not path.is_file():
        raise DatasetError(
            f"SOURCE must be {YAHOO!r} or a file. Received: {path}"
        )
    questions = list(
        read_tabular(
            path,
            Columns(**chosen),
            group=arguments.group,
            quoted=not arguments.no_quotes,
        )
    )
    if arguments.questions is None:
        return questions
    return sample(questions, arguments.questions, arguments.seed)


def _is_table(path: Path) -> bool:
    try:
        table_delimiter(path)
    except DatasetError:
        return False
    return True


def _counted(
    questions: Iterable[Question], found: Counter[str]
) -> Iterator[Question]:
    for question in questions:
        found.update(questions=1, candidates=len(question.candidates))
        yield question
