"""The right and the wrong answers of each question, by their texts."""

from collections.abc import Sequence

import numpy as np

from keras_qa.arguments import check_equally_many


def check_labels(
    questions: Sequence[int] | np.ndarray,
    candidates: Sequence[np.ndarray],
    labels: Sequence[np.ndarray],
) -> None:
    """Checks that each question has candidates, and as many labels.

    Raises:
        ValueError: naming the first question that has not.
    """
    check_equally_many(
        questions=questions, candidates=candidates, labels=labels
    )
    for i, (texts, label) in enumerate(zip(candidates, labels, strict=True)):
        if len(texts) != len(label):
            raise ValueError(
                "`labels` must hold a label for each candidate. Received: "
                f"question {i} with {len(texts)} candidates and "
                f"{len(label)} labels"
            )


def right_and_wrong(
    questions: Sequence[int] | np.ndarray,
    candidates: Sequence[np.ndarray],
    labels: Sequence[np.ndarray],
    unanswered: bool = False,
) -> tuple[np.ndarray, list[np.ndarray], list[np.ndarray]]:
    """The right and the wrong candidates of questions.

    Texts are named by their index, so that a question that is asked twice has
    the right answers of both, and none of these is wrong.

    Args:
        questions: for each question, the index of its text.
        candidates: for each question, the indices of its candidates' texts.
        labels: for each question, its candidates' labels, 0 or 1.
        unanswered: True keeps questions without a right answer, too.

    Returns:
        The different questions with a right answer, `(n,)`, and for each the
        right and the wrong ones, rising.

    Raises:
        ValueError: if no question is left, or one has not as many labels as
            candidates.
    """
    check_labels(questions, candidates, labels)
    right: dict[int, set[int]] = {}
    wrong: dict[int, set[int]] = {}
    for question, texts, label in zip(
        questions, candidates, labels, strict=True
    ):
        good = np.asarray(label) > 0
        for group, chosen in ((right, good), (wrong, ~good)):
            own = group.setdefault(int(question), set())
            own.update(np.asarray(texts)[chosen].tolist())
    kept = [question for question, own in right.items() if own or unanswered]
    if not kept:
        raise ValueError(
            "`labels` must hold at least one positive. Received: "
            f"{len(questions)} questions without any"
        )
    return (
        np.array(kept),
        [np.array(sorted(right[q]), dtype=np.int64) for q in kept],
        [np.array(sorted(wrong[q] - right[q]), dtype=np.int64) for q in kept],
    )


def some(
    rng: np.random.Generator, texts: np.ndarray, count: int | None
) -> np.ndarray:
    """At most `count` of the texts, at random where there are more."""
    if count is None or count >= len(texts):
        return texts
    return rng.choice(texts, count, replace=False)
