"""What is in a data set: counts, gaps, repetitions, overlap, lengths.

Run it as `keras-qa data audit NAME` or `python -m keras_qa.datasets.audit`.
"""

import argparse
import json
import sys
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import asdict
from dataclasses import dataclass
from dataclasses import field
from importlib import resources
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from keras_qa.datasets.base import Dataset
from keras_qa.datasets.base import DatasetError
from keras_qa.datasets.base import Question
from keras_qa.datasets.registry import FOLDERS
from keras_qa.datasets.registry import open_dataset
from keras_qa.datasets.tabular import Columns
from keras_qa.datasets.tabular import open_tabular
from keras_qa.datasets.tokenizer import tokenize

PERCENTILES = (0, 25, 50, 75, 90, 95, 99, 100)


@dataclass(frozen=True)
class SplitAudit:
    """The counts of one split.

    Attributes:
        questions: number of questions, with those without candidates.
        candidates: number of question-answer pairs.
        positives: number of pairs labelled 1.
        pool_sizes: fewest, median and most candidates of a question.
        without_candidates: questions without any candidate.
        negatives_only: questions with candidates, none of them correct.
        positives_only: questions with candidates, none of them wrong.
        duplicates: candidates with the text of an earlier candidate of the
            same question.
        conflicts: of these, those with another label than the earlier one.
        question_lengths: tokens per question at `PERCENTILES`.
        answer_lengths: tokens per candidate at `PERCENTILES`.
    """

    questions: int
    candidates: int
    positives: int
    pool_sizes: list[int]
    without_candidates: int
    negatives_only: int
    positives_only: int
    duplicates: int
    conflicts: int
    question_lengths: list[int]
    answer_lengths: list[int]


@dataclass(frozen=True)
class Overlap:
    """Different texts that two splits share, lower-cased.

    Attributes:
        first: name of one split.
        second: name of the other.
        questions: question texts in both.
        answers: candidate texts in both.
        pairs: pairs of question and candidate text in both.
    """

    first: str
    second: str
    questions: int
    answers: int
    pairs: int


@dataclass(frozen=True)
class Audit:
    """The audit of a data set.

    Attributes:
        name: the data set's name.
        tokenizer: the tokeniser behind the lengths.
        splits: split name to its counts.
        overlaps: one entry per pair of splits.
        published: the counts of the paper's table, if it has this data set;
            see `published.json`.
    """

    name: str
    tokenizer: str
    splits: dict[str, SplitAudit]
    overlaps: list[Overlap]
    published: dict[str, Any] | None


@dataclass
class _Texts:
    questions: set[str] = field(default_factory=set)
    answers: set[str] = field(default_factory=set)
    pairs: set[tuple[str, str]] = field(default_factory=set)


def audit_dataset(dataset: Dataset) -> Audit:
    """Reads every split of a data set once and counts.

    Args:
        dataset: the data set; its questions are streamed, only the different
            texts are kept.

    Returns:
        The audit.

    Raises:
        DatasetError: if a file is bad.
    """
    texts = {split: _Texts() for split in dataset.splits}
    splits = {
        split: _audit_split(stream(), dataset.tokenizer, texts[split])
        for split, stream in dataset.splits.items()
    }
    overlaps = [
        Overlap(
            first,
            second,
            len(texts[first].questions & texts[second].questions),
            len(texts[first].answers & texts[second].answers),
            len(texts[first].pairs & texts[second].pairs),
        )
        for first, second in combinations(dataset.splits, 2)
    ]
    return Audit(
        dataset.name,
        dataset.tokenizer,
        splits,
        overlaps,
        published_counts(dataset.name),
    )


def published_counts(
    name: str, paper: str = "hyperqa"
) -> dict[str, Any] | None:
    """The counts that a paper prints for a data set, as printed.

    Args:
        name: the data set's name.
        paper: the paper's name.

    Returns:
        A dictionary with `source`, `column`, a dictionary with `questions`
        and `pairs` for each split, and perhaps a `note`; None if the paper
        does not use the data set.
    """
    file = resources.files("keras_qa.datasets").joinpath("published.json")
    table = json.loads(file.read_text("utf-8"))[paper]
    if name not in table["columns"]:
        return None
    return {"source": table["source"], **table["columns"][name]}


def _audit_split(
    questions: Iterable[Question], tokenizer: str, texts: _Texts
) -> SplitAudit:
    pools: list[int] = []
    question_lengths: list[int] = []
    answer_lengths: list[int] = []
    positives = negatives_only = positives_only = duplicates = conflicts = 0
    for question in questions:
        size, correct = len(question.candidates), len(question.positives)
        pools.append(size)
        positives += correct
        negatives_only += size > 0 and correct == 0
        positives_only += size > 0 and correct == size
        question_lengths.append(len(tokenize(question.text, tokenizer)))
        question_text = _normal(question.text)
        texts.questions.add(question_text)
        labels: dict[str, int] = {}
        for candidate in question.candidates:
            answer_lengths.append(len(tokenize(candidate.text, tokenizer)))
            text = _normal(candidate.text)
            texts.answers.add(text)
            texts.pairs.add((question_text, text))
            duplicates += text in labels
            conflicts += labels.setdefault(text, candidate.label) != (
                candidate.label
            )
    return SplitAudit(
        questions=len(pools),
        candidates=sum(pools),
        positives=positives,
        pool_sizes=_percentiles(pools, (0, 50, 100)),
        without_candidates=pools.count(0),
        negatives_only=negatives_only,
        positives_only=positives_only,
        duplicates=duplicates,
        conflicts=conflicts,
        question_lengths=_percentiles(question_lengths, PERCENTILES),
        answer_lengths=_percentiles(answer_lengths, PERCENTILES),
    )


def _normal(text: str) -> str:
    return " ".join(text.lower().split())


def _percentiles(values: list[int], at: tuple[int, ...]) -> list[int]:
    if not values:
        return [0] * len(at)
    # The smallest length that this share of the texts does not exceed.
    return np.percentile(values, at, method="inverted_cdf").tolist()


_COUNTS = {
    "questions": "questions",
    "candidates": "candidates",
    "positives": "positives",
    "candidates per question (min / median / max)": "pool_sizes",
    "questions without candidates": "without_candidates",
    "questions without a positive": "negatives_only",
    "questions with positives only": "positives_only",
    "duplicate candidates within a question": "duplicates",
    "... with the other label": "conflicts",
}


def format_audit(audit: Audit) -> str:
    """The audit as plain text, a few small tables.

    Args:
        audit: the audit.

    Returns:
        Lines, the last one with a line end.
    """
    return "".join(f"{line}\n" for line in _lines(audit))


def _lines(audit: Audit) -> Iterator[str]:
    splits = audit.splits
    yield f"Data set: {audit.name}"
    yield ""
    yield from _table(
        "split",
        list(splits),
        {
            name: [getattr(split, count) for split in splits.values()]
            for name, count in _COUNTS.items()
        },
    )
    if audit.overlaps:
        yield ""
        yield from _table(
            "texts in both splits",
            ["questions", "answers", "pairs"],
            {
                f"{o.first}, {o.second}": [o.questions, o.answers, o.pairs]
                for o in audit.overlaps
            },
        )
    yield ""
    yield from _table(
        f"tokens ({audit.tokenizer}), percentile",
        list(PERCENTILES),
        {
            f"{split}, {kind}": lengths
            for split, s in splits.items()
            for kind, lengths in (
                ("questions", s.question_lengths),
                ("answers", s.answer_lengths),
            )
        },
    )
    yield ""
    yield from _published_lines(audit)


def _published_lines(audit: Audit) -> Iterator[str]:
    published = audit.published
    if published is None:
        yield "The paper has no counts for this data set."
        return
    yield from _table(
        f"{published['source']}, column {published['column']}",
        ["questions: paper", "here", "pairs: paper", "here"],
        {
            split: [
                printed["questions"],
                counts.questions if counts else "-",
                printed["pairs"],
                counts.candidates if counts else "-",
            ]
            for split in ("train", "dev", "test")
            for printed in [published[split]]
            for counts in [audit.splits.get(split)]
        },
    )
    if "note" in published:
        yield f"Note: {published['note']}"


def _table(
    corner: str, header: list[Any], rows: Mapping[str, list[Any]]
) -> Iterator[str]:
    cells = [[corner, *header], *([n, *row] for n, row in rows.items())]
    texts = [[_cell(value) for value in row] for row in cells]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    for first, *others in texts:
        padded = (c.rjust(w) for c, w in zip(others, widths[1:], strict=True))
        yield "  ".join([first.ljust(widths[0]), *padded])


def _cell(value: object) -> str:
    if isinstance(value, list):
        return " / ".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) else str(value)


_COLUMNS = ("question", "answer", "label", "question_id", "answer_id")
_OF_OWN_FILES = (
    *(f"{name}_column" for name in _COLUMNS),
    "group",
    "no_quotes",
    "tokenizer",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `keras-qa data audit`."""
    parser.add_argument("name", nargs="?", choices=FOLDERS, help="data set")
    parser.add_argument(
        "--data-dir", type=Path, help="its folder, or the parent of that"
    )
    for split in ("train", "dev", "test"):
        parser.add_argument(
            f"--{split}",
            type=Path,
            metavar="FILE",
            help="instead of NAME: your own CSV, TSV or JSON lines",
        )
    for name in _COLUMNS:
        parser.add_argument(
            f"--{name.replace('_', '-')}-column",
            metavar="COLUMN",
            help=f"of your own files; default: {getattr(Columns(), name)}",
        )
    parser.add_argument(
        "--group",
        action="store_true",
        help="the rows of a question need not be neighbours",
    )
    parser.add_argument(
        "--no-quotes",
        action="store_true",
        help="fields of a CSV or TSV are not quoted",
    )
    parser.add_argument(
        "--tokenizer",
        choices=("word", "whitespace"),
        help="for your own files; default: word",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Prints the audit that the arguments ask for; returns the exit code.

    Raises:
        DatasetError: if the arguments contradict each other, or a file is
            missing or bad.
    """
    files = (arguments.train, arguments.dev, arguments.test)
    own_files = any(file is not None for file in files)
    if own_files == (arguments.name is not None):
        raise DatasetError(
            "Give either the NAME of a data set or files of your own with "
            f"--train, --dev and --test. Received: {arguments.name}, "
            f"{[str(file) for file in files if file is not None]}"
        )
    idle = ("data_dir",) if own_files else _OF_OWN_FILES
    given = [n for n in idle if getattr(arguments, n) not in (None, False)]
    if given:
        options = ", ".join(f"--{name.replace('_', '-')}" for name in given)
        raise DatasetError(
            "--data-dir goes with the NAME of a data set, and the options on "
            f"columns, rows, quotes and tokens with files of your own. "
            f"Received: {arguments.name or 'files of your own'} with {options}"
        )
    if own_files:
        chosen = {
            name: column
            for name in _COLUMNS
            if (column := getattr(arguments, f"{name}_column")) is not None
        }
        dataset = open_tabular(
            *files,
            columns=Columns(**chosen),
            group=arguments.group,
            quoted=not arguments.no_quotes,
            tokenizer=arguments.tokenizer or "word",
        )
    else:
        # The papers count what only the original files show.
        dataset = open_dataset(
            arguments.name, arguments.data_dir, prefer_original=True
        )
    audit = audit_dataset(dataset)
    if arguments.json:
        print(json.dumps(asdict(audit), ensure_ascii=False, indent=2))
    else:
        print(format_audit(audit), end="")
    return 0


def main(arguments: list[str] | None = None) -> int:
    """Runs the audit as a program; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m keras_qa.datasets.audit", description=__doc__
    )
    add_arguments(parser)
    try:
        return run(parser.parse_args(arguments))
    except DatasetError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
