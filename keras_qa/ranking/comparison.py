"""A table of rankers on the same questions, each with its interval."""

from collections.abc import Collection
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import asdict
from dataclasses import dataclass
from typing import Any

import numpy as np

from keras_qa.datasets.dataset import Question
from keras_qa.datasets.ids import no_blanks
from keras_qa.progress import counted
from keras_qa.ranking.evaluation import MEASURES
from keras_qa.ranking.evaluation import Evaluation
from keras_qa.ranking.evaluation import evaluate
from keras_qa.ranking.evaluation import named_measures
from keras_qa.ranking.intervals import at_a_time
from keras_qa.ranking.intervals import mean_interval
from keras_qa.ranking.intervals import paired_difference

METRIC = "MAP"
# The one measure that reads grades. Without them it is left out: it would say
# little that MAP does not, and widen the table.
GRADED = "nDCG@10"

Interval = tuple[float, float]


@dataclass(frozen=True)
class Row:
    """The line of a ranker.

    Attributes:
        name: the name of the ranker.
        metrics: MAP, MRR and P@1, and nDCG@10 where the labels are graded.
        interval: the 95% interval of MAP over questions.
        difference: MAP of the first ranker less that of this one, question by
            question; None for the first.
        difference_interval: its interval.
    """

    name: str
    metrics: dict[str, float]
    interval: Interval
    difference: float | None = None
    difference_interval: Interval | None = None


@dataclass(frozen=True)
class Comparison:
    """A ranker and others on the same questions.

    Attributes:
        rows: the ranker, and those that it is compared with.
        floors: the names of those that are floors.
        questions: number of questions with a right answer, which all figures
            are means over.
        right_only: number of them that have no wrong candidate.
        mixed: MAP of each ranker on the others, by name; empty if there are
            none, or all are.
        evaluations: those of all rankers, by name.
    """

    rows: list[Row]
    floors: list[str]
    questions: int
    unanswered: int
    right_only: int
    mixed: dict[str, float]
    evaluations: dict[str, Evaluation]

    @property
    def evaluation(self) -> Evaluation:
        """The first ranker's, for its files."""
        return self.evaluations[self.rows[0].name]

    def values(self, name: str) -> np.ndarray:
        """The average precision of each scored question, by their ids."""
        rows = self.evaluations[name].per_question
        return np.array([rows[i][METRIC] for i in sorted(rows)])

    @property
    def measures(self) -> list[str]:
        """The names of the measures."""
        return [*self.rows[0].metrics]

    @property
    def best_floor(self) -> Row | None:
        """The floor of the highest MAP."""
        rows = [row for row in self.rows if row.name in self.floors]
        return max(rows, key=lambda row: row.metrics[METRIC], default=None)

    @property
    def verdict(self) -> str:
        """`"above"` or `"below"` the best floor, or `"even"`.

        It is even where the interval of the difference contains 0.
        """
        floor = self.best_floor
        if floor is None or floor.difference_interval is None:
            return "even"
        low, high = floor.difference_interval
        return "above" if low > 0 else "below" if high < 0 else "even"

    def lines(self) -> list[str]:
        """The table in Markdown."""
        others = [name for name in self.measures if name != METRIC]
        first = self.rows[0].name
        header = ["Ranker", METRIC, "95% interval", *others, f"{first} less it"]
        lines = [_line(header), _line(["---"] * len(header))]
        best = self.best_floor
        for row in self.rows:
            low, high = row.interval
            difference = ""
            if row.difference is not None and row.difference_interval:
                ends = row.difference_interval
                difference = (
                    f"{row.difference:+.3f} [{ends[0]:+.3f}, {ends[1]:+.3f}]"
                )
            name = f"{row.name} (best floor)" if row is best else row.name
            cells = [name, f"{row.metrics[METRIC]:.3f}"]
            cells += [f"{low:.3f} to {high:.3f}"]
            cells += [f"{row.metrics[other]:.3f}" for other in others]
            lines.append(_line([*cells, difference]))
        return lines

    def notes(self) -> list[str]:
        """What must be known to read the table."""
        notes = [
            f"{counted(self.questions, 'question')} with a right answer; "
            "intervals are bootstraps over questions, wider where these are "
            "few."
        ]
        if GRADED in self.measures:
            notes.append(
                f"{GRADED} takes the grades; to the others all above 0 are "
                "right."
            )
        if self.unanswered:
            notes.append(
                f"No figure counts {counted(self.unanswered, 'question')} "
                "without a right answer."
            )
        if self.right_only:
            figures = ", ".join(f"{n} {v:.3f}" for n, v in self.mixed.items())
            notes.append(
                f"Warning: {self.right_only:,} of them have right candidates "
                "only, which any ranker ranks perfectly. MAP without them: "
                f"{figures or 'no question is left'}."
            )
        return notes

    def to_json(self) -> dict[str, Any]:
        """The figures as JSON values."""
        best = self.best_floor
        return {
            "metrics": self.measures,
            "rows": [asdict(row) for row in self.rows],
            "floors": self.floors,
            "best_floor": None if best is None else best.name,
            "verdict": self.verdict,
            "questions": self.questions,
            "unanswered": self.unanswered,
            "right_only": self.right_only,
            "mixed": self.mixed,
        }


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def compare(
    questions: Sequence[Question],
    scores: Mapping[str, Sequence[np.ndarray]],
    floors: Collection[str] = (),
    seed: int = 0,
) -> Comparison:
    """Evaluates rankers on the same questions.

    The measures are MAP, MRR and P@1, and nDCG@10 where a label is a grade
    above 1.

    Args:
        questions: the questions with their candidates and labels.
        scores: by the name of each ranker, for each question the scores of
            its candidates; the first ranker is compared with the others.
        floors: the names of those that are floors.
        seed: of the order of equal scores.

    Raises:
        ValueError: see `evaluate`.
    """
    graded = any(c.label > 1 for q in questions for c in q.candidates)
    measures = MEASURES | (named_measures(GRADED) if graded else {})
    found = {
        name: evaluate(questions, of_one, seed, measures)
        for name, of_one in scores.items()
    }
    scored = [q for q in questions if q.positives or q.missed]
    ids = [no_blanks(question.id) for question in scored]
    values = {
        name: np.array([evaluation.per_question[i][METRIC] for i in ids])
        for name, evaluation in found.items()
    }
    first, *_ = found
    rows = []
    for name, evaluation in found.items():
        row = Row(name, evaluation.metrics, _within(0, values[name]))
        if name != first:
            less = values[first] - values[name]
            row = Row(
                name,
                evaluation.metrics,
                row.interval,
                float(less.mean()),
                _within(-1, less),
            )
        rows.append(row)
    mixed = np.array([bool(q.negatives) or q.missed > 0 for q in scored])
    without: dict[str, float] = {}
    if mixed.any() and not mixed.all():
        without = {n: float(v[mixed].mean()) for n, v in values.items()}
    return Comparison(
        rows,
        [name for name in found if name in floors],
        len(scored),
        len(questions) - len(scored),
        int((~mixed).sum()),
        without,
        found,
    )


def _within(least: float, values: np.ndarray) -> Interval:
    """The interval of a mean of values from `least` to 1, within these."""
    low, high = mean_interval(values)
    return max(low, least), min(high, 1.0)


def paired_test(comparison: Comparison, name: str) -> str:
    """The permutation test of the first ranker with another, in words.

    Args:
        comparison: the comparison.
        name: the other ranker.
    """
    first = comparison.rows[0].name
    values = comparison.values(first), comparison.values(name)
    batch = at_a_time(len(values[0]), 1000)
    difference, p_value = paired_difference(*values, batch=batch)
    low, high = _within(-1, values[0] - values[1])
    return (
        f"{first} less {name}: MAP {difference:+.4f} [{low:+.4f}, "
        f"{high:+.4f}], p {p_value:.4f} (permutation test over questions)"
    )
