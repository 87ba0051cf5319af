"""The rankers of a page: which they are, what they are called, how good."""

import re
import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from keras_qa.demo.questions import Shown
from keras_qa.demo.runs import BM25
from keras_qa.demo.runs import check_runs
from keras_qa.demo.runs import distinct_ids
from keras_qa.errors import DatasetError
from keras_qa.errors import RankerError
from keras_qa.export.forms import METRICS
from keras_qa.files.checks import read_json
from keras_qa.files.trec_files import read_labels
from keras_qa.files.trec_files import read_ranking
from keras_qa.models import BM25Ranker
from keras_qa.ranker import Ranker
from keras_qa.ranking.evaluation import evaluate
from keras_qa.ranking.evaluation import measure_questions
from keras_qa.ranking.floors import ids_without_terms
from keras_qa.ranking.intervals import mean_interval
from keras_qa.text.reading import TextReading

MEASURE = "MAP"


@dataclass(frozen=True)
class Figure:
    """A measure of a ranker, with its interval over questions.

    Attributes:
        dataset: name of the data set.
        split: its split.
        measure: name of the measure.
        value: the mean over questions.
        low: the lower end of `mean_interval`.
        high: the upper end.
        questions: number of questions with a right answer.
    """

    dataset: str
    split: str
    measure: str
    value: float
    low: float
    high: float
    questions: int

    @classmethod
    def of(cls, dataset: str, split: str, values: Sequence[float]) -> "Figure":
        """The figure of the average precisions of questions."""
        # A mean of average precisions is between 0 and 1, also that of one
        # question, whose interval has no ends.
        low, high = np.clip(mean_interval(np.array(values)), 0, 1).tolist()
        mean = float(np.mean(values))
        return cls(dataset, split, MEASURE, mean, low, high, len(values))


@dataclass(frozen=True)
class ShownRanker:
    """A ranker of the page.

    Attributes:
        id: letters, digits and hyphens, different for each ranker of a page.
        label: its name for readers.
        ranker: the model and how it reads text.
        figure: what is known of its quality.
        command: the words of a command that ranks by it, with `{question}` and
            `{answers}` in place of the texts, or None if it has no folder but
            that on the page.
    """

    id: str
    label: str
    ranker: Ranker
    figure: Figure | None
    command: str | None

    def to_json(self, folder: str) -> dict[str, Any]:
        """The entry of `site.json`, without the views.

        Args:
            folder: its folder in the site.
        """
        return {
            "id": self.id,
            "label": self.label,
            "folder": folder,
            "dev": None if self.figure is None else asdict(self.figure),
            "command": self.command or _command(folder),
        }


def load_rankers(runs: Sequence[str], shown: Shown) -> list[ShownRanker]:
    """Loads the rankers of a page.

    Args:
        runs: see `keras_qa.demo.runs.check_runs`.
        shown: the questions of the page, of whose answers BM25 is made.

    Raises:
        DatasetError: if a vocabulary, a ranking or labels are bad.
        ModelFileError: if a Keras model cannot be loaded.
        RankerError: see `check_runs`; or if a model takes anything but texts.
    """
    check_runs(runs)
    rankers = [
        _bm25(shown) if run == BM25 else _of_folder(Path(run)) for run in runs
    ]
    ids = distinct_ids(runs)
    labels = Counter(ranker.label for ranker in rankers)
    return [
        ShownRanker(
            id,
            # Of two runs of one model, the folders tell them apart.
            f"{r.label}, {id}" if labels[r.label] > 1 else r.label,
            r.ranker,
            r.figure,
            r.command,
        )
        for id, r in zip(ids, rankers, strict=True)
    ]


def run_figure(folder: Path) -> Figure | None:
    """The mean average precision of a finished run, with its interval.

    Args:
        folder: the output folder of a run.

    Returns:
        The figure of its `run.trec` and `qrels.trec`; None if the folder lacks
        one of them, as those of `Ranker.save` do.

    Raises:
        DatasetError: if a file is bad.
    """
    files = [folder / name for name in ("run.trec", "qrels.trec", METRICS)]
    if not all(file.is_file() for file in files):
        return None
    noted = read_json(files[2], dict[str, Any], DatasetError)
    rows = measure_questions(read_labels(files[1]), read_ranking(files[0]))
    if not rows:
        return None
    # A training on one's own questions names no data set.
    return Figure.of(
        str(noted.get("dataset", "own questions")),
        str(noted.get("split", "dev")),
        [row[MEASURE] for row in rows.values()],
    )


def _of_folder(folder: Path) -> ShownRanker:
    ranker = Ranker.load(folder)
    name = type(ranker.model).__name__
    if (folder / METRICS).is_file():
        noted = read_json(folder / METRICS, dict[str, Any], RankerError)
        model = noted.get("model")
        if isinstance(model, str) and _plain(model) != _plain(name):
            name = model
    return ShownRanker("", name, ranker, run_figure(folder), _command(folder))


def _bm25(shown: Shown) -> ShownRanker:
    """BM25 with the document frequencies of all answers."""
    corpus = shown.corpus()
    words = corpus.vocabulary.words
    model = BM25Ranker(len(words))
    model.adapt(
        [corpus.texts[int(i)] for i in corpus.answer_space],
        ids_without_terms(words),
    )
    ranker = Ranker(model, TextReading(corpus.vocabulary, corpus.tokenizer))
    figure = None
    if shown.labelled:
        from keras_qa.own_data.evaluating import score_questions

        found = evaluate(
            shown.questions, score_questions(ranker, shown.questions)
        )
        values = [row[MEASURE] for row in found.per_question.values()]
        figure = Figure.of(shown.dataset, shown.split, values)
    return ShownRanker("", "BM25", ranker, figure, None)


def _command(folder: Path | str) -> str:
    return (
        f"keras-qa rank {shlex.quote(str(folder))} --question {{question}} "
        "--candidates {answers}"
    )


def _plain(name: str) -> str:
    return re.sub(r"\W|_", "", name.lower())
