"""How much of labelled questions a ranker cannot read."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from keras_qa.datasets.dataset import Question
from keras_qa.text.packing import RaggedTexts
from keras_qa.text.reading import TextReading

# The least share that is not shown as 0.0%.
SHOWN = 0.0005


@dataclass(frozen=True)
class UnreadCounts:
    """What a ranker cannot read of questions and their candidates.

    Attributes:
        readable: what an answer must contain to be scored; see `TextReading`.
        candidates: number of candidates of all questions.
        unread: number of those that are not readable.
        right: number of right candidates.
        right_unread: number of those that are not readable.
        unknown_in_answers: share of unknown words in the distinct answers,
            cut as the ranker reads them.
        unknown_in_questions: the same of the questions.
        cut: number of candidates that are longer than the ranker reads.
        right_cut: number of right ones.
        length: number of tokens of an answer that are read; None for all.
    """

    readable: str
    candidates: int
    unread: int
    right: int
    right_unread: int
    unknown_in_answers: float
    unknown_in_questions: float
    cut: int
    right_cut: int
    length: int | None

    def lines(self, name: str, *, fixed: bool = False) -> list[str]:
        """What there is to say, a line each.

        Args:
            name: of the ranker.
            fixed: True if no option changes what it scores.
        """
        lines = []
        advice = "" if fixed else " (--readable any scores them)"
        if self.unread:
            stop = " (stop words do not count)" * (self.readable == "content")
            lines.append(
                f"{self.unread:,} of {self.candidates:,} candidates, "
                f"{self.right_unread:,} of {self.right:,} right ones, have no "
                f"word that {name} knows{stop}: it ranks them last{advice}."
            )
        if self.cut:
            lines.append(
                f"{self.cut:,} of {self.candidates:,} candidates, "
                f"{self.right_cut:,} of {self.right:,} right ones, are longer "
                f"than the {self.length:,} tokens that {name} reads: it does "
                "not see what follows (`train --max-answer-length`)."
            )
        if max(self.unknown_in_answers, self.unknown_in_questions) >= SHOWN:
            lines.append(
                f"{self.unknown_in_answers:.1%} of the words of the answers "
                f"and {self.unknown_in_questions:.1%} of those of the "
                f"questions are unknown to {name}."
            )
        return lines


def count_unread(
    reading: TextReading, questions: Sequence[Question]
) -> UnreadCounts:
    """Counts what a ranker cannot read.

    Args:
        reading: how the ranker reads text; its report is left as it is.
        questions: the questions.
    """
    pairs = [(c.text, c.label > 0) for q in questions for c in q.candidates]
    answers = list(dict.fromkeys(text for text, _ in pairs))
    most = reading.max_answer_length
    uncut = [reading.uncut(text) for text in answers]
    answer_ids = reading.ids([tokens[:most] for tokens in uncut])
    kept = dict(
        zip(answers, reading.are_readable(answer_ids).tolist(), strict=True)
    )
    cut = {
        text
        for text, tokens in zip(answers, uncut, strict=True)
        if len(tokens) > (most or math.inf)
    }
    distinct = dict.fromkeys(question.text for question in questions)
    asked = reading.ids([reading.tokens("question", text) for text in distinct])
    return UnreadCounts(
        reading.readable,
        len(pairs),
        sum(not kept[text] for text, _ in pairs),
        sum(right for _, right in pairs),
        sum(right and not kept[text] for text, right in pairs),
        _unknown_share(reading, answer_ids),
        _unknown_share(reading, asked),
        sum(text in cut for text, _ in pairs),
        sum(right and text in cut for text, right in pairs),
        reading.max_answer_length,
    )


def _unknown_share(reading: TextReading, texts: RaggedTexts) -> float:
    unknown = np.count_nonzero(~reading.vocabulary.known[texts.ids])
    return float(unknown / max(1, len(texts.ids)))
