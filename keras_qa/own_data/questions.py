"""A user's questions, divided into those to train on and those to report."""

import re
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace
from itertools import chain
from itertools import compress
from pathlib import Path
from typing import Any

from keras_qa.datasets.columns import Columns
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.ids import check_ids
from keras_qa.datasets.splitting import split_questions
from keras_qa.datasets.table_records import is_parquet
from keras_qa.datasets.table_records import table_delimiter
from keras_qa.datasets.table_records import table_records
from keras_qa.datasets.tabular import read_tabular
from keras_qa.errors import DatasetError
from keras_qa.errors import MissingColumnError
from keras_qa.files.json_stream import read_records
from keras_qa.files.text_files import error_at
from keras_qa.files.text_files import find_file
from keras_qa.own_data.settings import TrainSettings
from keras_qa.text.normal_forms import normal_text
from keras_qa.text.normal_forms import words_of

Source = Path | str | Sequence[Question]

# `id`, `qid`, `doc_id`, `docId`; not `valid`, which may hold the labels.
_ID = re.compile(r"(?i:(?:.*[_\- ]|q|doc)?id)|.*[a-z0-9]I[dD]")
# `label_id`, `gradeId`: with 1 and 0, a label.
_LABEL = re.compile(r"(?i)label|class|grade|relev|correct|right|gold|target")


@dataclass(frozen=True)
class Parts:
    """Questions by what they are for; equal texts are in one part.

    Attributes:
        fit: those that networks and floors are trained on.
        held_out: those that choose the epoch and fit the weights of a sum.
        dev: those that the figures are of, and nothing else.
        mined: `"train"` and `"dev"`, if BM25 found the candidates: those of
            `fit` among its answers, those of `held_out` among these and its
            own, and those of `dev` among all. So no answer of a part that
            measures is known to what is measured.
        shared: number of questions of a file of dev that are in train, too.
        unanswered: number of questions to train on without a right answer,
            which are in no part.
        repeated: number of wrong answers to train on with the text of a right
            one of their question, which are in no part.
        without_candidates: number of questions of dev without a candidate,
            which are in no part.
    """

    fit: list[Question]
    held_out: list[Question]
    dev: list[Question]
    mined: tuple[str, ...]
    shared: int
    unanswered: int
    repeated: int
    without_candidates: int

    def counts(self) -> dict[str, dict[str, int]]:
        """Numbers of questions, candidates and right answers of each part.

        And of questions with right and wrong ones, the only ones that teach.
        """
        return {
            name: {
                "questions": len(part),
                "candidates": _candidates(part),
                "right": sum(len(q.positives) for q in part),
                "mixed": len(mixed(part)),
            }
            for name, part in (
                ("fit", self.fit),
                ("held_out", self.held_out),
                ("dev", self.dev),
            )
        }

    def described(self) -> dict[str, Any]:
        """What `metrics.json` says of the questions."""
        return {
            "parts": self.counts(),
            "mined": list(self.mined),
            "shared": self.shared,
            "unanswered": self.unanswered,
            "repeated": self.repeated,
            "without_candidates": self.without_candidates,
        }


def read_questions(
    source: Source, table: Mapping[str, Any] | None = None
) -> list[Question]:
    """Reads labelled candidates, or question-answer pairs alone.

    A file of nothing but questions, answers and ids has pairs alone: all of
    its answers are right. With other columns, one of which may hold the labels,
    the table's options must say which, or that there is none. Each record of
    JSON lines is checked for these.

    Args:
        source: a file, or questions.
        table: the arguments of `read_tabular`.

    Raises:
        DatasetError: if the file is missing or malformed, or has neither the
            column of labels nor pairs alone.
    """
    if not isinstance(source, Path | str):
        questions = list(source)
        for question in questions:
            if not isinstance(question, Question):
                raise DatasetError(
                    "Expected a file, or a list of `keras_qa.Question`. "
                    f"Received: {type(question).__name__} {question!r:.60}"
                )
        return questions
    path, options = find_table(source), dict(table or {})
    columns = options.pop("columns", None) or Columns()
    if columns.label == Columns().label and not _has_labels(
        path, columns, options
    ):
        columns = replace(columns, label=None)
    return list(read_tabular(path, columns, **options))


def find_table(source: Path | str) -> Path:
    """The file of a name, or its `.gz` sibling.

    Raises:
        DatasetError: if there is none.
    """
    path = Path(source)
    found = find_file(path.parent, path.name)
    if found is None:
        what = "is a folder" if path.is_dir() else "does not exist"
        raise DatasetError(
            f"Expected a file of questions and answers. Received: {path}, "
            f"which {what}"
        )
    return found


def _has_labels(
    path: Path, columns: Columns, options: Mapping[str, Any]
) -> bool:
    """Returns False if a file has questions, answers and ids alone."""
    records = {
        name: options[name]
        for name in ("quoted", "delimiter", "encoding")
        if name in options
    }
    try:
        next(table_records(path, columns, **records), None)
    except MissingColumnError as error:
        known = replace(columns, label=None)
        if not all(known.match(error.columns).values()):
            # It lacks something else, too, which the reader will tell.
            return True
        if _others(error.columns, known):
            raise
        _check_records(path, known, options)
        return False
    except DatasetError:
        # The reader will tell.
        return True
    return True


def _others(names: Iterable[str], columns: Columns) -> list[str]:
    """The names that are neither of `columns` nor of ids."""
    names = list(names)
    known = {*chain(*columns.match(names).values())}
    return [
        name
        for name in names
        if name not in known
        and (_LABEL.search(name) or not _ID.fullmatch(name.strip()))
    ]


def _check_records(
    path: Path, columns: Columns, options: Mapping[str, Any]
) -> None:
    """Checks that no JSON record has what may be a label."""
    if is_parquet(path) or table_delimiter(path) is not None:
        return
    for number, record in read_records(path, options.get("encoding", "utf-8")):
        if others := _others(record, columns):
            raise error_at(
                path,
                number,
                "no keys but those of questions, answers and ids, as in the "
                "first record, or a label in each, or `Columns(label=None)`, "
                "--no-labels",
                others,
            )


def divide(
    train: Sequence[Question],
    dev: Sequence[Question] | None,
    settings: TrainSettings,
    seed: int,
) -> Parts:
    """Divides questions, and finds candidates for those with right ones only.

    Args:
        train: the questions to train on.
        dev: the questions to report; None takes some of `train`.
        settings: the settings.
        seed: of the divisions.

    Raises:
        DatasetError: if questions of one source have the same id, or their
            labels are several grades, none of them 0, or a part is left
            without a question that has a right and a wrong answer.
    """
    check_ids(train)
    check_ids(dev or ())
    given = [q for q in train if q.positives]
    unanswered = len(train) - len(given)
    train = list(map(_without_contradictions, given))
    repeated = _candidates(given) - _candidates(train)
    if not train:
        raise DatasetError(
            "Expected an answer to train on that is labelled right. Received: "
            "none (another column of labels: --label-column; other "
            "labels: --right; no labels: --no-labels)"
        )
    ranked = [q for q in dev or () if q.candidates]
    without_candidates = len(dev or ()) - len(ranked)
    texts = {words_of(q.text) for q in train}
    shared = sum(words_of(q.text) in texts for q in ranked)
    _check_grades("train", train)
    _check_grades("dev", [*train, *ranked])
    pairs = [not any(q.negatives for q in part) for part in (train, ranked)]
    if dev is None:
        # What a file lacks, its parts lack; not what one part lacks by chance.
        pairs[1] = pairs[0]
        train, ranked = _held_out(train, settings.dev_share, settings, seed)
    mined = tuple(compress(("train", "dev"), pairs))
    # Other draws than those of dev.
    fit, held_out = _held_out(train, settings.held_out, settings, seed + 1)
    if mined:
        fit, held_out, ranked = _mined(
            (fit, held_out, ranked), (pairs[0], *pairs), settings
        )
    parts = Parts(
        fit,
        held_out,
        ranked,
        mined,
        shared,
        unanswered,
        repeated,
        without_candidates,
    )
    for name, part in (("fit", fit), ("held_out", held_out), ("dev", ranked)):
        if not mixed(part):
            raise DatasetError(
                "Expected enough questions with a right and a wrong answer, "
                "to train on (fit), to choose the epoch with (held_out) and to "
                f"report (dev). Received: {len(train)} to train on and "
                f"{len(ranked)} of dev, of which {len(mixed(train))} and "
                f"{len(mixed(ranked))} have both, and none is in the part "
                f"{name!r}"
                + f"; {repeated} wrong answers are left out, with the text of "
                "a right answer to their question"
                * bool(repeated)
                + " (`keras-qa data audit` counts what a file has; `keras-qa "
                "mine` finds wrong answers)"
            )
    return parts


def mixed(questions: Sequence[Question]) -> list[Question]:
    """The questions with right and wrong candidates."""
    return [q for q in questions if q.positives and q.negatives]


def _check_grades(name: str, questions: Sequence[Question]) -> None:
    """Checks that the lowest of several grades is that of wrong answers.

    Labels of one grade are taken for right answers alone.
    """
    grades = sorted({c.label for q in questions for c in q.candidates})
    if len(grades) > 1 and grades[0] > 0:
        right = " ".join(map(str, grades[1:]))
        raise DatasetError(
            f"Expected a label of wrong answers, 0, in {name}. Received: "
            f"labels from {grades[0]} to {grades[-1]} (if {grades[0]} is "
            f"wrong: --right {right}; if all are right: --no-labels)"
        )


def _candidates(questions: Sequence[Question]) -> int:
    return sum(len(question.candidates) for question in questions)


def _without_contradictions(question: Question) -> Question:
    """The question less wrong answers whose text is a right one's, too."""
    right = {normal_text(candidate.text) for candidate in question.positives}
    kept = [
        candidate
        for candidate in question.candidates
        if candidate.label or normal_text(candidate.text) not in right
    ]
    if len(kept) == len(question.candidates):
        return question
    return replace(question, candidates=tuple(kept))


def _held_out(
    questions: Sequence[Question],
    share: float,
    settings: TrainSettings,
    seed: int,
) -> tuple[list[Question], list[Question]]:
    """A random part of the questions behind the others."""
    count = max(1, len(questions))
    share = min(max(share, 1 / count), settings.most_held_out / count)
    kept, taken = split_questions(questions, (1 - share, share), seed)
    return kept, taken


def _mined(
    parts: Sequence[Sequence[Question]],
    wanted: Sequence[bool],
    settings: TrainSettings,
) -> Iterator[list[Question]]:
    """The parts; where wanted, with candidates of their answers so far."""
    from keras_qa.ranking.mining import CandidateMiner

    answers: list[str] = []
    for part, mine in zip(parts, wanted, strict=True):
        answers += [c.text for q in part for c in q.candidates]
        if mine and part:
            miner = CandidateMiner(answers, tokenizer=settings.tokenizer)
            yield list(miner.mine(part, settings.candidates))
        else:
            yield list(part)
