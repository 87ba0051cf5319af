"""The counts of an audit of a data set."""

from dataclasses import dataclass
from typing import Any

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
    """The faults of the pools of a split whose file lists answers by id.

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
        pools: split name to the faults of its pools.
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
