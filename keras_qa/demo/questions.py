"""The questions of a page, with their answers."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from keras_qa.datasets.corpus import Corpus
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.registry import open_dataset
from keras_qa.errors import DatasetError
from keras_qa.own_data.questions import find_table
from keras_qa.own_data.questions import read_questions
from keras_qa.text.tokenizer import well_formed

CANDIDATES = 20
"""How many answers BM25 finds for a question of pairs alone."""


@dataclass(frozen=True)
class Shown:
    """Questions and where they are from.

    Attributes:
        questions: all of them, each with candidates.
        dataset: name of the data set or file.
        split: name of its part.
        labelled: False if candidates were found by BM25, so that right ones
            may be among them.
    """

    questions: list[Question]
    dataset: str
    split: str
    labelled: bool = True

    def corpus(self) -> Corpus:
        """The texts of all questions and answers, and their words."""
        return Corpus(self.questions)

    def to_json(self, limit: int) -> list[dict[str, Any]]:
        """The entries of `site.json`.

        Args:
            limit: the most questions, evenly spread over all.
        """
        every = len(self.questions)
        count = min(limit, every)
        wrong = False if self.labelled else None
        return [
            {
                "question": well_formed(question.text),
                "answers": [
                    {
                        "text": well_formed(candidate.text),
                        "right": True if candidate.label else wrong,
                    }
                    for candidate in question.candidates
                ],
            }
            for question in (
                self.questions[i * every // count] for i in range(count)
            )
        ]


def read_shown(
    path: Path | None = None, table: Mapping[str, Any] | None = None
) -> Shown:
    """Reads the questions of a table; without one, the bundled ones.

    Of pairs without labels, every answer is right, and BM25 finds further
    candidates among the answers to the other questions.

    Args:
        path: the table.
        table: the arguments of `keras_qa.datasets.tabular.read_tabular`.

    Raises:
        DatasetError: if the file is missing or malformed, or has no question
            with an answer.
    """
    if path is None:
        return Shown(open_dataset("sample").questions("dev"), "sample", "dev")
    path = find_table(path)
    questions = [q for q in read_questions(path, table) if q.candidates]
    if not questions:
        raise DatasetError(
            f"{path}: expected a question with an answer. Received: none"
        )
    labelled = any(q.negatives for q in questions)
    if not labelled:
        from keras_qa.ranking.mining import CandidateMiner

        miner = CandidateMiner(
            (c.text for q in questions for c in q.candidates),
            show_progress=False,
        )
        questions = list(miner.mine(questions, CANDIDATES))
    any_right = any(q.positives for q in questions)
    return Shown(questions, path.name, "all", labelled and any_right)
