"""IAM's Tables 2 to 4: top answers, words that weigh most, extreme jumps.

    python -m reproductions.iam.tables --run RUN --attention-run OTHER \
        --bert-run THIRD --data-dir DIR --output tables.md

RUN is the output folder of a run of `reproductions.iam` that kept its model and
has the jump; OTHER is that of an attentive LSTM on the same data set, for
comparison in Table 3, and THIRD that of a cross-encoder, without which there is
no Table 2. `--question ID` chooses a question of the runs' split,
and may be given several times; by default the script takes the first questions
that have both a correct and an incorrect candidate. Tables 3 and 4 show the
first correct and the first incorrect candidate of each.
"""

import argparse
import sys
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from keras_qa.cli.options.whole_numbers import positive
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.ids import no_blanks
from keras_qa.files.whole import write_text
from keras_qa.ranker import Ranker
from keras_qa.text.reading import TextReading
from reproductions.harness.command import add_data_dir
from reproductions.harness.command import add_run_option
from reproductions.harness.command import with_messages
from reproductions.harness.errors import FigureError
from reproductions.harness.example_pairs import ranked_ids
from reproductions.harness.questions import open_for
from reproductions.records.paper_figures import load_papers
from reproductions.records.paper_figures import model_names
from reproductions.records.runs import read_metrics
from reproductions.report import markdown

TOP = 3
SALIENT = 3
EXTREME = 2
NONE: Mapping[str, Mapping[str, Sequence[str]]] = MappingProxyType({})


@dataclass(frozen=True)
class Reader:
    """A run's model and how it reads text.

    Attributes:
        folder: the run's folder.
        metrics: the content of its `metrics.json`.
        model: the run's model.
        reading: how the model reads text.
    """

    folder: Path
    metrics: dict[str, Any]
    model: Any
    reading: TextReading

    @classmethod
    def of(cls, folder: Path) -> "Reader":
        """Reads the folder of a finished run.

        Raises:
            ModelFileError: if the model cannot be loaded.
            RankerError: if the folder lacks the model, or cannot be read.
            RecordError: if the metrics are malformed.
        """
        ranker = Ranker.load(folder)
        metrics = read_metrics(folder, "settings")
        return cls(folder, metrics, ranker.model, ranker.reading)

    def salient(self, question: str, answer: str) -> str:
        """An answer as Markdown, the words of the largest weights marked."""
        from keras_qa.attention.weights import attention_weights

        seen = attention_weights(self.model, self.reading, question, answer)
        weights = np.array([word.weight for word in seen.answer])
        chosen = np.argsort(-weights, kind="stable")[:SALIENT]
        return marked(
            [word.word for word in seen.answer],
            {i: f"**{{}}** ({weights[i]:.3f})" for i in chosen.tolist()},
        )

    def extremes(self, answer: str) -> str:
        """An answer as Markdown, the words before extreme jumps marked.

        Raises:
            FigureError: if the model has no jumps.
        """
        import keras

        if getattr(self.model, "jumps", None) is None:
            raise FigureError(
                f"{self.folder}: expected a model with the term of the jump. "
                f"Received: {type(self.model).__name__} without `jumps`"
            )
        words = self.reading.tokens("answer", answer)
        ids = self.reading.vocabulary.encode(words)[None]
        jumps = keras.ops.convert_to_numpy(self.model.jumps(ids))[0]
        return marked(words, extreme_marks(jumps[: len(words)]))


def extreme_marks(jumps: np.ndarray) -> dict[int, str]:
    """Marks the two largest and the two smallest of some values.

    Args:
        jumps: float array `(length,)`, one value for each word.

    Returns:
        By index of a word, a pattern with `{}` for the word: `T@1` marks the
        largest value, `B@1` the smallest. No word has two marks.
    """
    order = np.argsort(-jumps, kind="stable").tolist()
    top, rest = order[:EXTREME], order[EXTREME:]
    marks = {i: f"**{{}}** (T@{k})" for k, i in enumerate(top, start=1)}
    for k, i in enumerate(reversed(rest[-EXTREME:]), start=1):
        marks[i] = f"<u>{{}}</u> (B@{k})"
    return marks


def marked(words: Iterable[str], marks: Mapping[int, str]) -> str:
    """Words as a line of Markdown, with the patterns of marked words."""
    return " ".join(
        marks.get(i, "{}").replace("{}", _literal(word))
        for i, word in enumerate(words)
    )


def _literal(word: str) -> str:
    """A word with Markdown's special characters escaped."""
    return "".join(f"\\{c}" if c in "\\`*_<>[]" else c for c in word)


def choose(
    questions: Sequence[Question], ids: Sequence[str], count: int
) -> list[Question]:
    """The questions to show.

    Args:
        questions: the questions of the split.
        ids: ids of questions; if empty, the first questions with a correct and
            an incorrect candidate are chosen.
        count: number of questions to choose if `ids` is empty.

    Raises:
        FigureError: if a question does not exist, or lacks a correct or an
            incorrect candidate.
    """
    fit = {
        question.id: question
        for question in questions
        if question.positives and question.negatives
    }
    missing = [name for name in ids if name not in fit]
    if missing or not fit:
        raise FigureError(
            "`--question` must name questions of the split that have correct "
            f"and incorrect candidates, such as {list(fit)[:3]}. "
            f"Received: {', '.join(missing) or 'a split without any'}"
        )
    return [fit[name] for name in ids or list(fit)[:count]]


def top_answers(question: Question, ranking: Sequence[str]) -> str:
    """The best candidates of a question as Markdown, correct ones bold.

    Args:
        question: the question.
        ranking: the ids of its candidates, best first, as `ranked_ids` has
            them.
    """
    found = {no_blanks(c.id): c for c in question.candidates}
    best = [found[id] for id in ranking[:TOP]]
    return "<br>".join(
        f"No.{place}: "
        + ("**{}**" if c.label else "{}").replace("{}", _literal(c.text))
        for place, c in enumerate(best, start=1)
    )


def tables(
    questions: Sequence[Question],
    reader: Reader,
    other: Reader | None,
    rankings: Mapping[str, Mapping[str, Sequence[str]]] = NONE,
) -> str:
    """Tables 2 to 4 as Markdown.

    Args:
        questions: the questions to show.
        reader: the run of IAM.
        other: the run that Table 3 compares it with, if any.
        rankings: by model, the ids of each question's candidates, best first,
            for Table 2; without any there is none.
    """
    names = model_names()
    readers = [reader, *([other] if other else [])]
    top, salient, extreme = [], [], []
    for question in questions:
        correct = question.positives[0].text
        wrong = question.negatives[0].text
        asked = _literal(question.text)
        top.append(
            [
                asked,
                *(
                    top_answers(
                        question, ranked.get(no_blanks(question.id), [])
                    )
                    for ranked in rankings.values()
                ),
            ]
        )
        salient.append(
            [asked, *(r.salient(question.text, correct) for r in readers)]
        )
        extreme.append(
            [asked, reader.extremes(correct), reader.extremes(wrong)]
        )
    models = [r.metrics["model"] for r in readers]
    paper = load_papers()["iam"]
    where = f"`{reader.metrics['dataset']}` {reader.metrics['split']}"
    parts = []
    for number, columns, rows in (
        ("Table 2", [names.get(m, m) for m in rankings], top),
        ("Table 3", [names.get(m, m) for m in models], salient),
        ("Table 4", ["Correct answer", "Incorrect answer"], extreme),
    ):
        if not columns:
            continue
        parts.append(
            f"## {number}, on {where}\n\n{paper.table(number).caption}\n\n"
            + markdown.table(["Question", *columns], rows)
        )
    return "\n".join(parts)


def main(argv: Sequence[str] | None = None) -> int:
    """Writes the tables; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m reproductions.iam.tables",
        description=__doc__.splitlines()[0],
    )
    add_run_option(parser, several=False)
    parser.add_argument("--attention-run", type=Path, metavar="DIR")
    parser.add_argument("--bert-run", type=Path, metavar="DIR")
    add_data_dir(parser)
    parser.add_argument("--question", action="append", default=[], metavar="ID")
    parser.add_argument(
        "--examples",
        type=positive,
        default=2,
        metavar="N",
        help="number of questions, if none is named",
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="a Markdown file; without it the tables are printed alone",
    )
    arguments = parser.parse_args(argv)
    return with_messages(lambda: _write(arguments))


def _write(arguments: argparse.Namespace) -> None:
    reader = Reader.of(arguments.run)
    other, rankings = None, {}
    if arguments.attention_run:
        other = Reader.of(arguments.attention_run)
        _check_questions(reader, other.folder, other.metrics)
    if arguments.bert_run:
        metrics = read_metrics(arguments.bert_run, "settings")
        _check_questions(reader, arguments.bert_run, metrics)
        rankings = {
            reader.metrics["model"]: ranked_ids(reader.folder),
            metrics["model"]: ranked_ids(arguments.bert_run),
        }
    dataset = open_for(
        reader.metrics["dataset"],
        arguments.data_dir,
        reader.metrics["settings"],
    )
    questions = choose(
        dataset.questions(reader.metrics["split"]),
        arguments.question,
        arguments.examples,
    )
    text = tables(questions, reader, other, rankings)
    print(text)
    if arguments.output:
        write_text(arguments.output, text)
        print(arguments.output)


def _check_questions(
    reader: Reader, folder: Path, metrics: Mapping[str, Any]
) -> None:
    """Raises FigureError if another run ranked other questions."""
    for name in ("dataset", "split"):
        if reader.metrics[name] != metrics[name]:
            raise FigureError(
                f"{folder}: expected a run on {name}={reader.metrics[name]!r}. "
                f"Received: {metrics[name]!r}"
            )


if __name__ == "__main__":
    sys.exit(main())
