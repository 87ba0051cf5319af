"""The pictures of the HyperQA paper, from finished runs.

    python -m reproductions.hyperqa.figures --run RUN [--run RUN ...] \
        --runs reproductions/records/runs.jsonl --data-dir DIR \
        --output-dir pictures

A RUN is the output folder of `reproductions.hyperqa`. The first run of each
model gives, in place of Figure 4 (t-SNE, which keeps no distances), how far
from the origin questions and answers lie, with the numbers in a file; that of
HyperQA also Figure 5 (norms) and Tables 8 and 9 (words by norm), on the split
that the run reported on. All runs, and those in the file of runs, give Figure 3
(embedding size), if several sizes were trained.
"""

import argparse
import sys
from collections.abc import Iterable
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Any

import numpy as np

from keras_qa.cli.options.whole_numbers import positive
from keras_qa.datasets.dataset import Question
from keras_qa.errors import ModelFileError
from keras_qa.export.keras_folder import run_reading
from keras_qa.files.whole import write_text
from keras_qa.ranking.intervals import mean_interval
from keras_qa.text.vocabulary import Vocabulary
from keras_qa.text.vocabulary import pad
from reproductions.harness.command import add_data_dir
from reproductions.harness.command import add_run_option
from reproductions.harness.command import with_messages
from reproductions.harness.errors import FigureError
from reproductions.harness.questions import open_for
from reproductions.hyperqa.drawings import embedding_size_curve
from reproductions.hyperqa.drawings import norm_curves
from reproductions.hyperqa.drawings import norm_histograms
from reproductions.hyperqa.norm_levels import norm_edges
from reproductions.hyperqa.norm_levels import pair_by_norm_level
from reproductions.hyperqa.norm_levels import words_by_norm
from reproductions.records.paper_figures import load_papers
from reproductions.records.paper_figures import model_names
from reproductions.records.runs import read_metrics
from reproductions.records.runs import read_runs
from reproductions.records.seed_groups import Group
from reproductions.records.seed_groups import group_runs
from reproductions.records.seed_groups import one_setting_apart
from reproductions.report import markdown

if TYPE_CHECKING:
    from keras_qa.models.bag_of_words import BagOfWordsRanker

BATCH_SIZE = 256
LEVELS = 5  # H1 to H5 of Table 8
PAIRS = 3  # of Table 8
INTERVALS = 6  # rows of Table 9
KNOWN = "HyperQA, CosineQA or LogCosineQA"


@dataclass(frozen=True)
class EncodedRun:
    """A run's model, applied to the split that the run reported on.

    Attributes:
        metrics: content of the run's `metrics.json`.
        questions: the questions.
        answers: the distinct texts of their candidates.
        tokens: the tokens of each text.
        question_vectors: float array `(questions, projection_dim)`, before the
            vectors are constrained to the ball (footnote 2).
        answer_vectors: the same, `(answers, projection_dim)`.
        words: the words of the vocabulary, most frequent first.
        word_norms: norms of their projected vectors, `(words,)`.
    """

    metrics: dict[str, Any]
    questions: list[Question]
    answers: list[str]
    tokens: dict[str, list[str]]
    question_vectors: np.ndarray
    answer_vectors: np.ndarray
    words: list[str]
    word_norms: np.ndarray

    @property
    def title(self) -> str:
        """The model's name, the data set, the split and the seed."""
        return f"{self.name}, {self.place}, seed {self.metrics['seed']}"

    @property
    def name(self) -> str:
        """The model's name."""
        return model_names()[self.metrics["model"]]

    @property
    def place(self) -> str:
        """The data set and the split."""
        return f"{self.metrics['dataset']} {self.metrics['split']}"

    @property
    def norms(self) -> tuple[np.ndarray, np.ndarray]:
        """The norms of the questions' and of the answers' vectors."""
        return (
            np.linalg.norm(self.question_vectors, axis=1),
            np.linalg.norm(self.answer_vectors, axis=1),
        )

    def norms_of(self, tokens: Sequence[str]) -> np.ndarray:
        """The norms of the vectors of some tokens."""
        index = {word: i for i, word in enumerate(self.words)}
        return np.array([self.word_norms[index[token]] for token in tokens])


def encode_run(
    run: Path, data_dir: Path | None, limit: int | None = None
) -> EncodedRun:
    """Loads a run's model and encodes the questions it reported on.

    Args:
        run: output folder of `reproductions.hyperqa`.
        data_dir: folder of the data set; not needed for the bundled one.
        limit: number of questions, the first ones; None for all.

    Raises:
        FileNotFoundError: if the folder does not contain a finished run of a
            trained model.
        ModelFileError: if the model is damaged, or of another class.
        RecordError: if the metrics are malformed.
    """
    from keras_qa.export.keras_file import load_model
    from keras_qa.models.bag_of_words import BagOfWordsRanker

    for name in ("metrics.json", "model.keras", "vocabulary.txt"):
        if not (run / name).exists():
            raise FileNotFoundError(
                f"`--run` must be the folder of a finished run of {KNOWN}. "
                f"Received: {run}, which has no {name}"
            )
    metrics = read_metrics(run, "settings")
    model = load_model(run / "model.keras")
    if not isinstance(model, BagOfWordsRanker):
        raise ModelFileError(
            f"{run / 'model.keras'}: expected {KNOWN}. "
            f"Received: {type(model).__name__}"
        )
    reading = run_reading(run)
    dataset = open_for(metrics["dataset"], data_dir, metrics["settings"])
    questions = dataset.questions(metrics["split"])[:limit]
    answers = list(
        dict.fromkeys(c.text for q in questions for c in q.candidates)
    )
    tokens = {text: reading.tokens("answer", text) for text in answers}
    for question in questions:
        tokens[question.text] = reading.tokens("question", question.text)
    vocabulary = reading.vocabulary
    return EncodedRun(
        metrics,
        questions,
        answers,
        tokens,
        _vectors(model, vocabulary, [tokens[q.text] for q in questions]),
        _vectors(model, vocabulary, [tokens[text] for text in answers]),
        vocabulary.words[2:],
        _word_norms(model, vocabulary),
    )


def draw(runs: Iterable[EncodedRun], output_dir: Path) -> list[Path]:
    """Draws what replaces Figure 4, Figure 5, and writes Tables 8 and 9.

    Args:
        runs: at most one run of each model; Figure 5 and the tables are made
            only of HyperQA's run.
        output_dir: where the files go.

    Returns:
        The files that were written.
    """
    runs = list(runs)
    written = [
        output_dir / "figure4-norms.png",
        output_dir / "figure4-norms.txt",
    ]
    write_text(written[1], norm_table(runs))
    places = dict.fromkeys(
        f"{run.place}, recipe {run.metrics['recipe']}, "
        f"seed {run.metrics['seed']}"
        for run in runs
    )
    norm_curves(
        {run.name: run.norms for run in runs}, written[0], "; ".join(places)
    )
    for run in runs:
        if run.metrics["model"] != "hyperqa":
            continue
        written.append(output_dir / "figure5-norms.png")
        norm_histograms(
            *run.norms,
            run.word_norms,
            written[-1],
            run.title,
        )
        written.append(output_dir / "tables.md")
        write_text(
            written[-1],
            "# HyperQA's Tables 8 and 9, ours\n\n"
            f"Of {run.title}, recipe `{run.metrics['recipe']}`.\n\n"
            f"{table_8(run)}\n{table_9(run)}",
        )
    return written


def norm_table(runs: Iterable[EncodedRun]) -> str:
    """How far from the origin questions and answers lie, in numbers.

    Args:
        runs: the encoded runs.

    Returns:
        A page with quantiles of the norms, and the probability that a question
        lies farther out than an answer, 1 for a sphere around the answers, with
        its bootstrap interval over questions.
    """
    shares = (5, 25, 50, 75, 95)
    rows = []
    for run in runs:
        questions, answers = run.norms
        farther = farther_out(questions, answers)
        low, high = mean_interval(farther)
        for label, norms in (("questions", questions), ("answers", answers)):
            quantiles = np.percentile(norms, shares)
            rows.append(
                [
                    run.title,
                    label,
                    f"{len(norms):,}",
                    *(f"{value:.3f}" for value in quantiles),
                    f"{farther.mean():.3f} [{low:.3f}, {high:.3f}]"
                    if label == "questions"
                    else "",
                ]
            )
    columns = ["Run", "Texts", "Number", *(f"{share}%" for share in shares)]
    columns.append("Farther out than an answer")
    return (
        "# Norms before the constraint\n\n"
        + markdown.table(columns, rows)
        + "\nQuantiles of the norms. The last column is the probability that a "
        "question's norm exceeds an answer's, with its 95% interval over "
        "questions.\n"
    )


def farther_out(questions: np.ndarray, answers: np.ndarray) -> np.ndarray:
    """For each question the share of answers of a smaller norm.

    Args:
        questions: norms of the questions, `(questions,)`.
        answers: norms of the answers, `(answers,)`; equal ones count half.

    Returns:
        The shares, `(questions,)`.
    """
    ordered = np.sort(answers)
    smaller = np.searchsorted(ordered, questions, "left")
    at_most = np.searchsorted(ordered, questions, "right")
    shares: np.ndarray = (smaller + at_most) / (2 * len(answers))
    return shares


def table_8(run: EncodedRun) -> str:
    """Splits question-answer pairs into levels by the norm of their words.

    Taken are the first questions that share a word above the lowest level with
    a correct answer.
    """
    edges = norm_edges(run.word_norms, LEVELS)
    above = dict(zip(run.words, run.word_norms >= edges[1], strict=True))
    parts = ["## Table 8: pairs by norm level\n"]
    for question in run.questions:
        own = [t for t in run.tokens[question.text] if t in above]
        for candidate in question.positives:
            answer = [t for t in run.tokens[candidate.text] if t in above]
            if not any(above[token] for token in set(own) & set(answer)):
                continue
            parts.append(f"{question.text}\n\n> {candidate.text}\n")
            parts.append(
                pair_by_norm_level(
                    own, run.norms_of(own), answer, run.norms_of(answer), edges
                )
            )
            break
        if len(parts) == 1 + 2 * PAIRS:
            break
    return "\n".join(parts)


def table_9(run: EncodedRun) -> str:
    """Lists words in intervals of the norm of their vectors."""
    edges = norm_edges(run.word_norms, INTERVALS)
    words = words_by_norm(run.words, run.word_norms, edges)
    return f"## Table 9: words by norm\n\n{words}"


def draw_figure_3(groups: Sequence[Group], output_dir: Path) -> list[Path]:
    """Draws MAP by embedding size (Figure 3).

    Args:
        groups: measured runs.
        output_dir: where the files go.

    Returns:
        The files that were written: one for each data set, split, recipe and
        choice of vectors for which a model was trained with several sizes.
    """
    figure = load_papers()["hyperqa"].figure("Figure 3").drawing
    sizes = one_setting_apart(
        [g for g in groups if g.model in figure["models"]]
    )
    curves: dict[tuple[str, ...], dict[str, list[Group]]] = {}
    for members in sizes.get(figure["setting"], []):
        first = members[0]
        key = (first.dataset, first.split, first.recipe, *first.vectors)
        models = curves.setdefault(key, {})
        # If there are several choices of other settings: that with most sizes.
        if len(members) > len(models.get(first.model, [])):
            models[first.model] = members
    written = []
    for key, models in sorted(curves.items()):
        dataset, split, recipe, *vectors = key
        members = [group for model in models.values() for group in model]
        asked = {n for g in members for n in g.values("questions_scored")}
        seeds = {len(group.runs) for group in members}
        written.append(output_dir / f"figure3-{'-'.join(key)}.png")
        embedding_size_curve(
            {
                model: {
                    group.settings[figure["setting"]]: [
                        run["metrics"][figure["metric"]] for run in group.runs
                    ]
                    for group in models[model]
                }
                for model in figure["models"]
                if model in models
            },
            written[-1],
            figure["metric"],
            title=f"{dataset} {split}, recipe {recipe}, {' + '.join(vectors)}\n"
            f"{markdown.span(sorted(asked)) or 'some'} questions, "
            f"{markdown.span(sorted(seeds))} seeds, 95% intervals over seeds",
        )
    return written


def main(arguments: Sequence[str] | None = None) -> int:
    """Draws all pictures of the given runs; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m reproductions.hyperqa.figures",
        description="Draws the pictures of the HyperQA paper from runs.",
    )
    add_run_option(parser, required=False)
    add_data_dir(parser)
    parser.add_argument(
        "--runs",
        type=Path,
        metavar="FILE",
        help="file of recorded runs, for Figure 3",
    )
    parser.add_argument(
        "--questions",
        type=positive,
        metavar="N",
        help="take only the first N questions of the split",
    )
    parser.add_argument("--output-dir", type=Path, required=True, metavar="DIR")
    options = parser.parse_args(arguments)
    if not options.run and not options.runs:
        parser.error("give --run or --runs")

    def show() -> None:
        for path in _draw_all(options):
            print(path)

    return with_messages(show)


def _draw_all(options: argparse.Namespace) -> list[Path]:
    records = read_runs(options.runs) if options.runs else []
    encoded: dict[str, EncodedRun] = {}
    for folder in options.run:
        run = encode_run(folder, options.data_dir, options.questions)
        records.append(run.metrics)
        model = run.metrics["model"]
        if encoded.setdefault(model, run) is not run:
            raise FigureError(
                f"{folder}: expected one run of {model} to draw. "
                "Received: a second one"
            )
    written = draw_figure_3(group_runs(records), options.output_dir)
    if not written:
        print("No Figure 3: no runs that differ only in `projection_dim`.")
    if encoded:
        written += draw(encoded.values(), options.output_dir)
    return written


def _vectors(
    model: "BagOfWordsRanker",
    vocabulary: Vocabulary,
    texts: Sequence[Sequence[str]],
) -> np.ndarray:
    ids = [vocabulary.encode(tokens) for tokens in texts]
    return np.concatenate(
        [
            model.text_encoder.predict_on_batch(
                pad(ids[start : start + BATCH_SIZE])
            )
            for start in range(0, len(ids), BATCH_SIZE)
        ]
    )


def _word_norms(
    model: "BagOfWordsRanker", vocabulary: Vocabulary
) -> np.ndarray:
    import keras

    matrix = keras.ops.convert_to_numpy(model.embedding.embeddings)
    projected = [
        keras.ops.convert_to_numpy(
            model.word_projection(matrix[start : start + BATCH_SIZE])
        )
        for start in range(2, len(vocabulary), BATCH_SIZE)
    ]
    return np.linalg.norm(np.concatenate(projected), axis=1)


if __name__ == "__main__":
    sys.exit(main())
