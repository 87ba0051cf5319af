"""Figure 5 of QA-LSTM: accuracy by the length of the correct answers.

    python -m reproductions.qa_lstm.figure5 --run RUN [--run RUN ...] \
        --data-dir DIR --output-dir pictures

A RUN is the output folder of `reproductions.qa_lstm`; the paper draws rows 3C,
3E and 3L. Several runs of one row are averaged. The questions of a split are
grouped by the average length of their correct answers; Test1 and Test2 have
separate panels. Neighbouring buckets are pooled until each has enough questions
(`--least`) to say something, and each accuracy has its 95% interval, for which
questions and seeds are drawn together. The script writes a Markdown table and a
picture, in seconds.
"""

import argparse
import sys
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from keras_qa.attention.figure import new_figure
from keras_qa.attention.figure import save_figure
from keras_qa.cli.options.whole_numbers import positive
from keras_qa.datasets.dataset import Dataset
from keras_qa.datasets.dataset import Question
from keras_qa.files.whole import write_text
from keras_qa.ranking.intervals import seeds_interval
from keras_qa.text.tokenizer import tokenize
from reproductions.by_question import question_metric
from reproductions.harness.command import add_data_dir
from reproductions.harness.command import add_run_option
from reproductions.harness.command import print_written
from reproductions.harness.command import with_messages
from reproductions.harness.errors import FigureError
from reproductions.harness.questions import SPLIT_PARTS
from reproductions.harness.questions import open_for
from reproductions.records.paper_figures import model_names
from reproductions.records.runs import read_metrics
from reproductions.report import markdown
from reproductions.report.plots import legend_above
from reproductions.report.plots import line_style

# Upper ends of the figure's eleven buckets but the last; the text names three.
EDGES = (50, 55, 60, 65, 70, 80, 90, 100, 120, 160)
METRIC = "P@1"
# Of fewer questions an interval is wider than any difference that models have.
LEAST = 30


@dataclass(frozen=True)
class Buckets:
    """Questions by the average length of their correct answers.

    Attributes:
        labels: names of the buckets, from short to long.
        questions: number of questions in each, `(buckets,)`.
        accuracy: for each curve its accuracy in each bucket, `(buckets,)`; NaN
            for a bucket without a question.
        ends: for each curve the ends of the 95% interval in each bucket,
            `(buckets, 2)`.
        seeds: number of runs of each curve.
    """

    labels: tuple[str, ...]
    questions: np.ndarray
    accuracy: dict[str, np.ndarray]
    ends: dict[str, np.ndarray]
    seeds: dict[str, int]


def pooled_edges(
    lengths: Iterable[float], edges: Sequence[float], least: int
) -> tuple[float, ...]:
    """The edges that are left when buckets of few questions are pooled.

    A bucket with fewer questions than `least` is joined with the next one, the
    last with the one before.

    Args:
        lengths: the length of each question's answers.
        edges: inclusive upper ends of all buckets but the last, rising.
        least: number of questions that each bucket should have.
    """
    ordered = np.sort(np.fromiter(lengths, float))
    kept: list[float] = []
    before = 0
    for edge in edges:
        inside = int(np.searchsorted(ordered, edge, "right"))
        if inside - before >= least:
            kept.append(edge)
            before = inside
    if kept and len(ordered) - before < least:
        kept.pop()
    return tuple(kept)


def answer_length(question: Question, tokenizer: str) -> float:
    """The average number of tokens of a question's untruncated answers."""
    lengths = [len(tokenize(c.text, tokenizer)) for c in question.positives]
    return float(np.mean(lengths))


def divide(
    lengths: Mapping[str, float],
    curves: Mapping[str, Sequence[Mapping[str, float]]],
    edges: Sequence[float] = EDGES,
) -> Buckets:
    """Averages the accuracy in buckets of questions.

    Args:
        lengths: average length of the correct answers by question.
        curves: for each curve the accuracy by question of each of its runs;
            questions that have no length are left out.
        edges: inclusive upper ends of all buckets but the last, rising.

    Raises:
        FigureError: if `edges` do not rise, or a run lacks a question.
    """
    if list(edges) != sorted(set(edges)):
        raise FigureError(
            f"`edges` must be rising numbers. Received: edges={edges}"
        )
    names = sorted(lengths)
    places = np.searchsorted(edges, [lengths[name] for name in names])
    buckets = len(edges) + 1
    count = np.bincount(places, minlength=buckets)
    accuracy, ends = {}, {}
    for curve, runs in curves.items():
        for run in runs:
            if missing := lengths.keys() - run.keys():
                raise FigureError(
                    f"{curve}: expected the scores of {len(lengths)} "
                    f"questions. Received: none of {min(missing)!r} and "
                    f"{len(missing) - 1} others"
                )
        values = np.array([[run[name] for name in names] for run in runs])
        own = [values[:, places == bucket] for bucket in range(buckets)]
        accuracy[curve] = np.array(
            [part.mean() if part.size else np.nan for part in own]
        )
        ends[curve] = np.array(
            [
                seeds_interval(part) if part.size else (np.nan, np.nan)
                for part in own
            ]
        )
    seeds = {curve: len(runs) for curve, runs in curves.items()}
    return Buckets(_labels(edges), count, accuracy, ends, seeds)


def _labels(edges: Sequence[float]) -> tuple[str, ...]:
    if not edges:
        return ("all",)
    between = [f"{low:g}-{high:g}" for low, high in pairwise(edges)]
    return (f"≤{edges[0]:g}", *between, f">{edges[-1]:g}")


def table(buckets: Buckets) -> str:
    """The buckets as a Markdown table, accuracy in percent."""
    rows = [
        [
            label,
            str(count),
            *(
                ""
                if np.isnan(values[i])
                else f"{100 * values[i]:.1f} [{{:.1f}}, {{:.1f}}]".format(
                    *100 * buckets.ends[curve][i]
                )
                for curve, values in buckets.accuracy.items()
            ),
        ]
        for i, (label, count) in enumerate(
            zip(buckets.labels, buckets.questions, strict=True)
        )
    ]
    columns = ["Length of the answers", "Questions", *buckets.accuracy]
    return markdown.table(columns, rows)


def read_curves(
    folders: Sequence[Path],
) -> tuple[dict[str, Any], dict[str, list[dict[str, float]]]]:
    """Reads finished runs.

    Args:
        folders: their folders.

    Returns:
        The content of the first `metrics.json`, and for each curve the
        accuracy by question of its runs.

    Raises:
        FileNotFoundError: if a folder contains no finished run.
        RecordError: if the metrics of one are malformed.
        FigureError: if the runs are not of one split of one data set, or
            runs of one curve differ in their settings.
    """
    names = model_names()
    first: dict[str, Any] = {}
    curves: dict[str, list[dict[str, float]]] = {}
    settings: dict[str, Any] = {}
    for folder in folders:
        metrics = read_metrics(folder, "settings")
        first = first or metrics
        for name in ("dataset", "split"):
            if metrics[name] != first[name]:
                raise FigureError(
                    f"{folder}: expected a run on {first['dataset']} "
                    f"{first['split']}. Received: {name}={metrics[name]!r}"
                )
        curve = names.get(metrics["model"], metrics["model"])
        if "row" in metrics:
            curve = f"{metrics['row'][1:]}: {curve}"
        named = {name: metrics.get(name) for name in ("recipe", "vectors")}
        own = {**named, **metrics["settings"]}
        expected = settings.setdefault(curve, own)
        for name in {**expected, **own}:
            value = own.get(name)
            if value != expected.get(name):
                raise FigureError(
                    f"{folder}: expected the settings of the other runs of "
                    f"{curve}, {name}={expected.get(name)!r}. "
                    f"Received: {name}={value!r}"
                )
        curves.setdefault(curve, []).append(question_metric(folder, METRIC))
    return first, curves


def draw(
    folders: Sequence[Path],
    data_dir: Path | None,
    output_dir: Path,
    edges: Sequence[float] = EDGES,
    least: int = LEAST,
) -> list[Path]:
    """Draws the figure and writes its table.

    Args:
        folders: folders of runs.
        data_dir: folder of their data set.
        output_dir: where the files go.
        edges: the upper ends of the buckets, in tokens.
        least: number of questions up to which buckets are pooled.

    Returns:
        The files that were written.
    """
    metrics, curves = read_curves(folders)
    settings = metrics["settings"]
    dataset = open_for(metrics["dataset"], data_dir, settings)
    tokenizer = settings["tokenizer"] or dataset.tokenizer
    scored = next(iter(curves.values()))[0]
    panels = {}
    for part in _parts(dataset, metrics["split"]):
        lengths = {
            question.id: answer_length(question, tokenizer)
            for question in dataset.questions(part)
            # A smoke test ranks only some of the questions.
            if question.positives and (question.id in scored)
        }
        if lengths:
            own = pooled_edges(lengths.values(), edges, least)
            found = divide(lengths, curves, own)
            seeds = markdown.span(sorted(set(found.seeds.values())))
            panels[
                f"{dataset.name} {part}, recipe {metrics['recipe']}, "
                f"{len(lengths):,} questions, {seeds} seeds"
            ] = found
    name = f"figure5-{metrics['dataset']}-{metrics['split']}"
    picture, text = output_dir / f"{name}.png", output_dir / f"{name}.md"
    parts = [f"## {title}\n\n{table(b)}" for title, b in panels.items()]
    page = "# Accuracy by the length of the correct answers\n\n"
    page += "\n".join(parts)
    output_dir.mkdir(parents=True, exist_ok=True)
    write_text(text, page)
    bucket_points(panels, picture)
    return [text, picture]


def _parts(dataset: Dataset, split: str) -> Sequence[str]:
    parts = [p for p in SPLIT_PARTS.get(split, ()) if p in dataset.splits]
    return parts or [split]


def bucket_points(panels: Mapping[str, Buckets], path: Path | str) -> None:
    """Draws the accuracy in buckets of questions, with intervals (Figure 5).

    Args:
        panels: title to buckets, drawn one above the other.
        path: the PNG file to write.
    """
    figure = new_figure(7.4, 3.4 * len(panels), "constrained")
    rows = figure.subplots(len(panels), squeeze=False)[:, 0]
    for axes, (title, buckets) in zip(rows, panels.items(), strict=True):
        places = np.arange(len(buckets.labels))
        for i, (name, accuracy) in enumerate(buckets.accuracy.items()):
            low, high = buckets.ends[name].T
            style = line_style(i)
            axes.errorbar(
                # Next to each other: lines between buckets would mean nothing.
                places + 0.12 * (i - (len(buckets.accuracy) - 1) / 2),
                100 * accuracy,
                yerr=100 * np.array([accuracy - low, high - accuracy]),
                label=name,
                capsize=3,
                linestyle="none",
                color=style["color"],
                marker=style["marker"],
            )
        axes.set_xticks(
            places,
            [
                f"{x}\n({n})"
                for x, n in zip(buckets.labels, buckets.questions, strict=True)
            ],
            fontsize=8,
        )
        axes.set_xlim(-0.5, len(places) - 0.5)
        axes.set_xlabel("length of the correct answers (questions)")
        axes.set_ylabel("top-1 accuracy, %, 95% interval")
        legend_above(axes, title)
    save_figure(figure, path)


def main(argv: Sequence[str] | None = None) -> int:
    """Draws the figure; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m reproductions.qa_lstm.figure5",
        description=__doc__.splitlines()[0],
    )
    add_run_option(parser)
    add_data_dir(parser)
    parser.add_argument(
        "--edges",
        type=float,
        nargs="+",
        default=list(EDGES),
        metavar="N",
        help="upper ends of the buckets, in tokens; default: "
        f"{' '.join(map(str, EDGES))}",
    )
    parser.add_argument(
        "--least",
        type=positive,
        default=LEAST,
        metavar="N",
        help="pool neighbouring buckets until each has this many questions "
        f"(default: {LEAST})",
    )
    parser.add_argument("--output-dir", type=Path, required=True, metavar="DIR")
    arguments = parser.parse_args(argv)
    return with_messages(
        lambda: print_written(
            draw(
                arguments.run,
                arguments.data_dir,
                arguments.output_dir,
                arguments.edges,
                arguments.least,
            )
        )
    )


if __name__ == "__main__":
    sys.exit(main())
