"""The counts of an audit of a data set."""

from dataclasses import dataclass
from dataclasses import field
from typing import Any

from keras_qa.progress import counted

PERCENTILES = (0, 25, 50, 75, 90, 95, 99, 100)


@dataclass(frozen=True)
class SplitAudit:
    """The counts of one split.

    Attributes:
        questions: number of questions, including those without candidates.
        candidates: number of question-answer pairs.
        positives: number of pairs labelled 1 or higher.
        pool_sizes: minimum, median and maximum number of candidates of a
            question.
        without_candidates: number of questions without any candidate.
        negatives_only: number of questions with wrong candidates only.
        positives_only: number of questions with correct candidates only.
        duplicates: number of candidates with the text of an earlier candidate
            of the same question.
        conflicts: number of `duplicates` with another label than the first.
        question_lengths: tokens per question at `PERCENTILES`.
        answer_lengths: tokens per candidate at `PERCENTILES`.
        empty_questions: number of questions without a token.
        empty_answers: number of candidates without a token.
        marked_up: number of questions and candidates with a tag or an entity
            of HTML.
        grades: number of pairs by label, if a label is above 1.
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
    empty_questions: int = 0
    empty_answers: int = 0
    marked_up: int = 0
    grades: dict[int, int] = field(default_factory=dict)

    @property
    def _of_one_word(self) -> bool:
        """True if most questions, and most answers, are a single token."""
        median = PERCENTILES.index(50)
        lengths = self.question_lengths, self.answer_lengths
        return all(found and found[median] == 1 for found in lengths)

    @property
    def problems(self) -> list[str]:
        """What makes training on the split, or its measures, meaningless."""
        wrong = self.candidates - self.positives
        unanswered = self.without_candidates + self.negatives_only
        counts = {
            "no questions": not self.questions,
            "one question only": self.questions == 1,
            "no right answers": self.questions and not self.positives,
            f"no wrong answers: 0 is wrong, and the lowest grade is "
            f"{min(self.grades, default=0)}": self.grades and not wrong,
            "no wrong answers, so that any ranking is perfect; `keras-qa mine`"
            " finds some": self.candidates and not wrong and not self.grades,
            f"{counted(self.positives_only, 'question')} without a wrong "
            "answer, from which nothing is learnt": wrong
            and 2 * self.positives_only > self.questions,
            "mostly texts of one word: if words have no spaces between them, "
            "separate them first": self._of_one_word,
            f"{counted(unanswered, 'question')} without a right answer": (
                self.positives and unanswered
            ),
            f"{counted(self.duplicates, 'answer')} twice for one question": (
                self.duplicates
            ),
            counted(self.empty_questions, "empty question"): (
                self.empty_questions
            ),
            counted(self.empty_answers, "empty answer"): (self.empty_answers),
            f"{counted(self.conflicts, 'answer')} with two labels for one "
            "question": (self.conflicts),
            f"{counted(self.marked_up, 'text')} with tags or entities of HTML, "
            "such as <b> or &amp;, which count as words": (
                100 * self.marked_up > self.questions + self.candidates
            ),
        }
        return [problem for problem, count in counts.items() if count]


@dataclass(frozen=True)
class PoolAudit:
    """The errors in pools of a split whose file lists answers by id.

    Attributes:
        pools: number of questions with a pool.
        other_size: number of pools that list another number of ids than
            `Audit.pool_size`.
        without_gold: number of pools that list no correct answer.
        golds_outside: number of correct answers that their pools do not list.
        repeated: number of ids that repeat an earlier one of their pool; they
            are read once.
        unknown: number of ids that the file of answers lacks.
        golds_unknown: number of `unknown` ids of correct answers.
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
    """Numbers of distinct texts in both of two splits.

    Questions are equal that differ in no letter or digit, as where files are
    split, and answers that differ only in case and white space.

    Attributes:
        first: name of one split.
        second: name of the other split.
        questions: number of question texts.
        answers: number of candidate texts.
        pairs: number of pairs of question and candidate text.
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
        tokenizer: the tokeniser by which lengths are counted.
        splits: the counts of each split, by name.
        overlaps: one entry per pair of splits.
        pool_size: number of ids that a pool should list, if files list ids.
        pools: the errors of the pools of each split, by name.
        published: the counts in a paper, if any; see `published_counts`.
    """

    name: str
    tokenizer: str
    splits: dict[str, SplitAudit]
    overlaps: list[Overlap]
    pool_size: int | None
    pools: dict[str, PoolAudit]
    published: dict[str, Any] | None

    @property
    def problems(self) -> list[str]:
        """What makes training, or its measures, meaningless, as sentences."""
        found = [
            f"{name} has {problem}."
            for name, split in self.splits.items()
            for problem in split.problems
        ]
        return found + [
            f"{both.first} and {both.second} share "
            f"{counted(both.questions, 'question')}, so that figures are too "
            "high."
            for both in self.overlaps
            if both.questions
        ]
