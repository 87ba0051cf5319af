"""Removal of questions that another data set has, too."""

import re
from collections import Counter
from collections.abc import Iterable
from collections.abc import Sequence

from keras_qa.datasets.dataset import Question
from keras_qa.ranking.duplicates import near_duplicates
from keras_qa.text.tokenizer import lower_case

KINDS = ("question", "near_question", "answer")
"""Why a question is removed, in the order in which it is looked for."""

_WORDS = re.compile(r"[^\W_]+")
# Texts of WikiQA are cut at 40 words, so longer ones are compared as far.
_COMPARED = 100


def without_shared(
    questions: Sequence[Question],
    target: Iterable[Question],
    similarity: float = 0.8,
) -> tuple[list[Question], dict[str, int]]:
    """Removes the questions that would tell answers to a target's questions.

    A question is removed if

    - `question`: its text is that of a question of the target;
    - `near_question`: Jaccard's similarity of the words of both is at least
      `similarity`;
    - `answer`: one of its right answers is a candidate of the target.

    Only letters and digits are compared, in lower case, and of answers the
    first 100 of them: tokenised texts and texts that were cut are equal to
    their originals.

    Args:
        questions: the questions to train on.
        target: the questions to measure with, right answers or not.
        similarity: see above; above 0 and at most 1.

    Returns:
        The questions that are left, in order, and how many were removed, by
        the first kind that applies.

    Raises:
        ValueError: if `similarity` is out of range.

    Example:
        >>> wikiqa = open_dataset("wikiqa", folder)
        >>> selqa = open_dataset("selqa", folder).questions("train")
        >>> selqa, removed = without_shared(selqa, wikiqa.questions("dev"))
    """
    target = list(target)
    asked = {_letters(q.text) for q in target} - {""}
    answers = {_start(c.text) for q in target for c in q.candidates} - {""}
    near = _near(questions, target, similarity)
    kept, removed = [], Counter(dict.fromkeys(KINDS, 0))
    for question in questions:
        if _letters(question.text) in asked:
            removed["question"] += 1
        elif question.text in near:
            removed["near_question"] += 1
        elif any(_start(c.text) in answers for c in question.positives):
            removed["answer"] += 1
        else:
            kept.append(question)
    return kept, dict(removed)


def _near(
    questions: Sequence[Question], target: Sequence[Question], similarity: float
) -> set[str]:
    """The texts of questions that are nearly equal to one of the target."""
    own = list(dict.fromkeys(question.text for question in questions))
    other = list(dict.fromkeys(question.text for question in target))
    pairs = near_duplicates([*own, *other], similarity)
    return {own[i] for i, j, _ in pairs if i < len(own) <= j}


def _letters(text: str) -> str:
    return "".join(_WORDS.findall(lower_case(text)))


def _start(text: str) -> str:
    return _letters(text)[:_COMPARED]
