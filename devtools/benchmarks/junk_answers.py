r"""How often do trained models prefer junk to a right answer?

For each question of a dev split with a right answer, the best right answer is
compared with an empty answer, a word that the vocabulary lacks, each lone stop
word (`keras_qa.text.readable.LONE_STOP_WORDS`) and the question itself; junk
wins if its score is at least that of the right answer. Runs are measured twice:
as in the papers (`readable="any"`) and as by default (`"content"`).

The effect of length is measured twice, too: by Spearman's correlation of the
scores and the numbers of words of a question's wrong answers, averaged over
questions, and by how often the first three words of a right answer win against
all of it.

    python -m devtools.benchmarks.junk_answers RUN... \
        --dataset wikiqa --data-dir DIR --record junk_answers.jsonl
    python -m devtools.benchmarks.junk_answers --table junk_answers.jsonl

The first command measures the models of output folders of runs, and adds a line
for each to the record; the second prints the table of docs/rank-and-ask.md.
"""

import argparse
import json
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from keras_qa.datasets.dataset import Question
from keras_qa.errors import TextWarning
from keras_qa.text.readable import LONE_STOP_WORDS

RECORD = Path(__file__).with_suffix(".jsonl")
NEVER_SEEN = "qxzzyxq"
LEADING_WORDS = 3
COLUMNS = (
    "model",
    "empty",
    "unknown word",
    "a stop word",
    "any stop word",
    "by default",
    "question",
    "first 3 words",
    "correlation with length",
    "MAP",
    "MAP by default",
)


def measure(ranker: Any, questions: Sequence[Question]) -> dict[str, float]:
    """The shares of questions at which junk wins, MAP and effects of length.

    Args:
        ranker: a `keras_qa.Ranker`.
        questions: questions with a right answer and a wrong one.
    """
    from keras_qa.ranking.evaluation import evaluate

    stop_words = sorted(LONE_STOP_WORDS)
    junk = ["", NEVER_SEEN, *stop_words]
    asked, answers = [], []
    for question in questions:
        right = [c.text for c in question.candidates if c.label]
        texts = [
            *(candidate.text for candidate in question.candidates),
            *junk,
            question.text,
            *(_leading(text) for text in right),
        ]
        asked += [question.text] * len(texts)
        answers += texts
    scores = iter(ranker.scores(asked, answers))

    def take(count: int) -> np.ndarray:
        return np.array([next(scores) for _ in range(count)])

    rows, leading, correlations, ranked = [], [], [], []
    for question in questions:
        labels = np.array([c.label for c in question.candidates], bool)
        found = take(len(labels))
        ranked.append(found)
        best = found[labels].max()
        rows.append(take(len(junk) + 1) >= best)
        leading.extend(take(int(labels.sum())) >= found[labels])
        lengths = [len(c.text.split()) for c in question.candidates]
        correlations.append(_rank_correlation(found, np.array(lengths), labels))
    wins = np.array(rows)
    lone = wins[:, 2:-1]
    return {
        "questions": len(questions),
        "empty": wins[:, 0].mean(),
        "unknown word": wins[:, 1].mean(),
        "a stop word": lone.mean(),
        "any stop word": lone.any(axis=1).mean(),
        "question": wins[:, -1].mean(),
        "first 3 words": np.mean(leading),
        "correlation with length": np.nanmean(correlations),
        "MAP": evaluate(questions, ranked).metrics["MAP"],
    }


def measure_run(folder: Path, questions: Sequence[Question]) -> dict[str, Any]:
    """The measures of a run's model, as in the papers and by default."""
    from keras_qa.ranker import Ranker

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TextWarning)
        rankers = {
            readable: Ranker.load(folder, readable=readable)
            for readable in ("any", "content")
        }
        found = {
            readable: measure(ranker, questions)
            for readable, ranker in rankers.items()
        }
    settings = json.loads((folder / "settings.json").read_text("utf-8"))
    return {
        "model": type(rankers["any"].model).__name__,
        "dataset": settings["dataset"],
        **{
            readable: {name: round(float(x), 4) for name, x in values.items()}
            for readable, values in found.items()
        },
    }


def table(records: Sequence[dict[str, Any]]) -> str:
    """The Markdown table of the page, a row for each record."""
    lines = [
        "|".join(["", *(f" {name} " for name in COLUMNS), ""]),
        "|".join(["", *["---"] * len(COLUMNS), ""]),
    ]
    for record in records:
        raw, default = record["any"], record["content"]
        junk = max(
            default[name] for name in ("empty", "unknown word", "any stop word")
        )
        shares = [
            *(raw[name] for name in COLUMNS[1:5]),
            junk,
            raw["question"],
            raw["first 3 words"],
        ]
        cells = [
            record["model"],
            *(f"{share:.1%}" for share in shares),
            f"{raw['correlation with length']:.2f}",
            *(f"{part['MAP']:.3f}" for part in (raw, default)),
        ]
        lines.append("|".join(["", *(f" {cell} " for cell in cells), ""]))
    return "\n".join(lines)


def read_record(path: Path = RECORD) -> list[dict[str, Any]]:
    """The lines of a record."""
    lines = path.read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def _leading(text: str) -> str:
    return " ".join(text.split()[:LEADING_WORDS])


def _rank_correlation(
    scores: np.ndarray, lengths: np.ndarray, labels: np.ndarray
) -> float:
    """Spearman's correlation over wrong answers; NaN if there are too few."""
    from scipy.stats import spearmanr

    wrong = ~labels
    if wrong.sum() < 3 or len(set(lengths[wrong])) < 2:
        return float("nan")
    return float(spearmanr(scores[wrong], lengths[wrong]).statistic)


def main(argv: Sequence[str] | None = None) -> int:
    """Measures runs, or prints the table of a record."""
    parser = argparse.ArgumentParser(
        prog="python -m devtools.benchmarks.junk_answers",
        description=__doc__.split("\n")[0],
    )
    parser.add_argument("runs", nargs="*", type=Path, metavar="RUN")
    parser.add_argument("--dataset", default="wikiqa")
    parser.add_argument("--data-dir", type=Path, metavar="DIR")
    parser.add_argument("--record", type=Path, default=RECORD, metavar="FILE")
    parser.add_argument("--table", type=Path, metavar="FILE")
    arguments = parser.parse_args(argv)
    if arguments.table is not None:
        print(table(read_record(arguments.table)))
        return 0
    from keras_qa.datasets.registry import open_dataset

    questions = [
        question
        for question in open_dataset(
            arguments.dataset, arguments.data_dir
        ).questions("dev")
        if any(c.label for c in question.candidates)
    ]
    for folder in arguments.runs:
        record = measure_run(folder, questions)
        line = json.dumps(record)
        print(line, flush=True)
        with arguments.record.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
