"""A metric of each question of the recorded runs: `question_values.jsonl`.

Paired tests and intervals need a run's metric of each question, which its
record does not have. `python -m reproductions.significance` keeps them here, so
that later runs are compared with these when their folders are gone.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from reproductions.records.json_lines import read_lines

PATH = Path(__file__).with_name("question_values.jsonl")
# Enough for the mean to be that of the record to nine digits.
DIGITS = 10


@dataclass(frozen=True)
class QuestionValues:
    """A metric of each question that a run scored.

    Attributes:
        run_sha256: the checksum of the run's ranking, which names the run.
        metric: name of the metric.
        questions: digest of the questions' ids, sorted.
        values: the metric of each question, in the order of the sorted ids.
    """

    run_sha256: str
    metric: str
    questions: str
    values: list[float]

    @classmethod
    def of(
        cls, run_sha256: str, metric: str, by_question: Mapping[str, float]
    ) -> "QuestionValues":
        """The values of questions by their ids."""
        names = sorted(by_question)
        digest = hashlib.blake2b("\n".join(names).encode(), digest_size=8)
        values = [round(by_question[name], DIGITS) for name in names]
        return cls(run_sha256, metric, digest.hexdigest(), values)

    @property
    def identity(self) -> tuple[str, str]:
        """The same for the same metric of the same ranking."""
        return self.run_sha256, self.metric


def read_question_values(
    path: Path | str = PATH,
) -> dict[tuple[str, str], QuestionValues]:
    """Reads all values, by `identity`; none if the file does not exist.

    Raises:
        RecordError: if a line is not of a `QuestionValues`.
    """
    return {v.identity: v for v in read_lines(path, QuestionValues)}
