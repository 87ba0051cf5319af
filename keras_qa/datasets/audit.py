"""What is in a data set: counts, gaps, repetitions, overlap, lengths.

Run it as `keras-qa data audit NAME` or `python -m keras_qa.datasets.audit`.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import asdict
from dataclasses import dataclass
from dataclasses import fields
from importlib import resources
from itertools import chain
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from keras_qa.datasets.base import Dataset
from keras_qa.datasets.base import DatasetError
from keras_qa.datasets.base import Pool
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
class PoolAudit:
    """What is off about the pools of a split whose file lists answers by id.

    Attributes:
        pools: number of questions with a pool.
        other_size: of these, those that list another number of ids than they
            should.
        without_gold: of these, those that list no correct answer.
        golds_outside: correct answers that their pools do not list.
        repeated: ids that repeat an earlier one of their pool; they are read
            once.
        unknown: ids that the file of answers lacks.
        golds_unknown: of these, those of correct answers.
    """

    pools: int
    other_size: int
    without_gold: int
    golds_outside: int
    repeated: int
    unknown: int
    golds_unknown: int


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
        pool_size: number of ids that a pool should list, if files list them.
        pools: split name to what is off about its pools.
        published: the counts of the paper's table, if it has this data set;
            see `published.json`.
    """

    name: str
    tokenizer: str
    splits: dict[str, SplitAudit]
    overlaps: list[Overlap]
    pool_size: int | None
    pools: dict[str, PoolAudit]
    published: dict[str, Any] | None


class _Answers:
    """Of each text its number as an answer and its length in tokens.

    Texts that differ in case and white space only have one number. Pools
    repeat texts many times, so both are worked out once.
    """

    def __init__(self, tokenizer: str):
        self._tokenizer = tokenizer
        self._texts: dict[str, tuple[int, int]] = {}
        self._numbers: dict[str, int] = {}

    def __getitem__(self, text: str) -> tuple[int, int]:
        if text not in self._texts:
            normal = _normal(text)
            number = self._numbers.setdefault(normal, len(self._numbers))
            length = len(tokenize(text, self._tokenizer))
            self._texts[text] = number, length
        return self._texts[text]


# Question text to the numbers of its answers, as arrays to save memory: pools
# of 1,500 make many millions of pairs.
_Pairs = dict[str, list[np.ndarray]]


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
    answers = _Answers(dataset.tokenizer)
    splits: dict[str, SplitAudit] = {}
    pairs: dict[str, _Pairs] = {}
    pools: dict[str, PoolAudit] = {}
    for split, stream in dataset.splits.items():
        if split in dataset.unions:
            continue
        pairs[split] = {}
        questions = stream()
        if split in dataset.pools:
            # The same questions, but ids without a text are no error.
            checks = _PoolChecks(dataset.pool_size)
            questions = checks.watch(dataset.pools[split]())
        splits[split] = _audit_split(
            questions, dataset.tokenizer, answers, pairs[split]
        )
        if split in dataset.pools:
            pools[split] = checks.result()
    overlaps = [
        _overlap(first, second, pairs[first], pairs[second])
        for first, second in combinations(splits, 2)
    ]
    return Audit(
        dataset.name,
        dataset.tokenizer,
        splits,
        overlaps,
        dataset.pool_size,
        pools,
        published_counts(dataset.name),
    )


class _PoolChecks:
    """Counts what is off about pools, while their questions are read."""

    def __init__(self, size: int | None):
        self._size = size
        self._counts: Counter[str] = Counter()

    def watch(self, pools: Iterable[Pool]) -> Iterator[Question]:
        for pool in pools:
            self._counts.update(
                repeated=pool.repeated,
                unknown=pool.unknown,
                golds_unknown=pool.golds_unknown,
                golds_outside=pool.golds_outside,
            )
            if pool.listed is not None:
                self._counts.update(
                    pools=1,
                    other_size=pool.listed != self._size,
                    without_gold=pool.golds == pool.golds_outside,
                )
            yield pool.question

    def result(self) -> PoolAudit:
        return PoolAudit(**{f.name: self._counts[f.name] for f in _POOL_FIELDS})


_POOL_FIELDS = fields(PoolAudit)


def _overlap(
    first: str, second: str, of_first: _Pairs, of_second: _Pairs
) -> Overlap:
    questions = of_first.keys() & of_second.keys()
    answers, more_answers = (
        np.unique(_joined(chain.from_iterable(pairs.values())))
        for pairs in (of_first, of_second)
    )
    return Overlap(
        first,
        second,
        len(questions),
        len(np.intersect1d(answers, more_answers, assume_unique=True)),
        sum(
            len(np.intersect1d(_joined(of_first[q]), _joined(of_second[q])))
            for q in questions
        ),
    )


def _joined(numbers: Iterable[np.ndarray]) -> np.ndarray:
    return np.concatenate([np.zeros(0, np.int32), *numbers])


def published_counts(
    name: str, paper: str | None = None
) -> dict[str, Any] | None:
    """The counts that a paper prints for a data set, as printed.

    Args:
        name: the data set's name.
        paper: the paper's name; None takes the first that has the data set.

    Returns:
        A dictionary with `source`, `column`, a dictionary with `questions`
        and perhaps `pairs` or `positives` for each split, and perhaps a
        `note`; None
        if the paper does not use the data set.
    """
    file = resources.files("keras_qa.datasets").joinpath("published.json")
    tables = json.loads(file.read_text("utf-8"))
    for table in tables.values() if paper is None else [tables[paper]]:
        if name in table["columns"]:
            return {"source": table["source"], **table["columns"][name]}
    return None


def _audit_split(
    questions: Iterable[Question],
    tokenizer: str,
    answers: _Answers,
    pairs: _Pairs,
) -> SplitAudit:
    pools: list[int] = []
    question_lengths: Counter[int] = Counter()
    answer_lengths: Counter[int] = Counter()
    positives = negatives_only = positives_only = duplicates = conflicts = 0
    for question in questions:
        size, correct = len(question.candidates), len(question.positives)
        pools.append(size)
        positives += correct
        negatives_only += size > 0 and correct == 0
        positives_only += size > 0 and correct == size
        question_lengths[len(tokenize(question.text, tokenizer))] += 1
        labels: dict[int, int] = {}
        for candidate in question.candidates:
            number, length = answers[candidate.text]
            answer_lengths[length] += 1
            duplicates += number in labels
            conflicts += labels.setdefault(number, candidate.label) != (
                candidate.label
            )
        numbers = np.fromiter(labels, np.int32)
        pairs.setdefault(_normal(question.text), []).append(numbers)
    return SplitAudit(
        questions=len(pools),
        candidates=sum(pools),
        positives=positives,
        pool_sizes=_percentiles(Counter(pools), (0, 50, 100)),
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


def _percentiles(counts: Counter[int], at: tuple[int, ...]) -> list[int]:
    if not counts:
        return [0] * len(at)
    values = np.repeat(list(counts), list(counts.values()))
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
_POOL_COUNTS = {
    "pools": "pools",
    "pools of another size": "other_size",
    "pools without a correct answer": "without_gold",
    "correct answers outside of their pools": "golds_outside",
    "repeated ids within a pool": "repeated",
    "ids without an answer": "unknown",
    "... of correct answers": "golds_unknown",
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
    if audit.pools:
        yield ""
        yield from _pool_lines(audit)
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


_PUBLISHED = {
    "questions": "questions",
    "pairs": "candidates",
    "positives": "positives",
}


def _pool_lines(audit: Audit) -> Iterator[str]:
    pools = audit.pools
    yield from _table(
        f"pools of {audit.pool_size} by id",
        list(pools),
        {
            name: [getattr(pool, count) for pool in pools.values()]
            for name, count in _POOL_COUNTS.items()
        },
    )
    names = [name for name, count in _POOL_COUNTS.items() if count != "pools"]
    off = [
        name
        for name in names
        if any(getattr(p, _POOL_COUNTS[name]) for p in pools.values())
    ]
    if off:
        yield f"Attention: there are {', '.join(off)}."
    else:
        yield "Every pool has its size and holds its correct answers, once."


def _published_lines(audit: Audit) -> Iterator[str]:
    published = audit.published
    if published is None:
        yield "The papers have no counts for this data set."
        return
    splits = [s for s, v in published.items() if isinstance(v, dict)]
    printed = [name for name in _PUBLISHED if name in published[splits[0]]]
    yield from _table(
        f"{published['source']}, column {published['column']}",
        [title for name in printed for title in (f"{name}: paper", "here")],
        {
            split: [
                cell
                for name in printed
                for cell in (
                    published[split][name],
                    getattr(counts, _PUBLISHED[name]) if counts else "-",
                )
            ]
            for split in splits
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
    parser.add_argument(
        "--pool-size",
        type=int,
        help="candidates per question of InsuranceQA; default: 500",
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
    idle = ("data_dir", "pool_size") if own_files else _OF_OWN_FILES
    given = [n for n in idle if getattr(arguments, n) not in (None, False)]
    if given:
        options = ", ".join(f"--{name.replace('_', '-')}" for name in given)
        raise DatasetError(
            "--data-dir and --pool-size go with the NAME of a data set, the "
            "options on columns, rows, quotes and tokens with files of your "
            "own. "
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
            arguments.name,
            arguments.data_dir,
            prefer_original=True,
            pool_size=500
            if arguments.pool_size is None
            else arguments.pool_size,
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
