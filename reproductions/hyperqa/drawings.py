"""The pictures of the HyperQA paper, drawn from arrays."""

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from reproductions.records.paper_figures import model_names
from reproductions.records.seed_groups import Statistic
from reproductions.report.plots import COLORS
from reproductions.report.plots import GREY
from reproductions.report.plots import legend_above
from reproductions.report.plots import line_style
from reproductions.report.plots import new_figure
from reproductions.report.plots import require
from reproductions.report.plots import save

QUESTION, ANSWER = COLORS[0], COLORS[1]


@dataclass(frozen=True)
class LinkedVectors:
    """Vectors of questions and answers, and links between them.

    Attributes:
        questions: float array `(questions, dim)`.
        answers: float array `(answers, dim)`.
        links: int array `(links, 2)`: indices of a question and an answer.
    """

    questions: np.ndarray
    answers: np.ndarray
    links: np.ndarray


def embedding_size_curve(
    curves: Mapping[str, Mapping[int, Sequence[float]]],
    path: Path | str,
    references: Mapping[str, float] | None = None,
    metric: str = "MAP",
    title: str = "",
) -> None:
    """Draws the size of the vectors against a metric (Figure 3).

    Args:
        curves: model to size to the metric of each seed; the mean is drawn,
            with the sample standard deviation as a bar.
        path: the PNG file to write.
        references: names and values of horizontal lines, for example of
            other models that the paper reports.
        metric: name of the metric.
        title: what the figures were measured on.
    """
    figure = new_figure(6.4, 4)
    axes = figure.subplots()
    names = model_names()
    for i, (model, sizes) in enumerate(curves.items()):
        statistics = [
            Statistic.of(values) for _, values in sorted(sizes.items())
        ]
        axes.errorbar(
            sorted(sizes),
            [statistic.mean for statistic in statistics],
            yerr=[statistic.deviation or 0 for statistic in statistics],
            capsize=3,
            label=names.get(model, model),
            **line_style(i),
        )
    for name, value in (references or {}).items():
        axes.axhline(value, color=GREY, linestyle="--", linewidth=1, zorder=1)
        axes.annotate(
            name,
            (1, value),
            xycoords=("axes fraction", "data"),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            fontsize=8,
            color=GREY,
        )
    axes.set_xticks(
        sorted({size for sizes in curves.values() for size in sizes})
    )
    axes.set_xlabel("embedding size d")
    axes.set_ylabel(metric)
    axes.margins(x=0.06, y=0.1)
    legend_above(axes, title)
    save(figure, path)


def tsne_links(
    panels: Mapping[str, LinkedVectors],
    path: Path | str,
    seed: int = 0,
    perplexity: float = 30.0,
) -> None:
    """Draws vectors in three dimensions, with links (Figure 4).

    t-SNE projects the questions and answers of a panel together; lines join
    linked questions and answers.

    Args:
        panels: title to vectors, drawn side by side.
        path: the PNG file to write.
        seed: seed of t-SNE.
        perplexity: t-SNE's number of effective neighbours, lowered if there
            are too few points.

    Raises:
        ImportError: if scikit-learn is not installed.
    """
    manifold = require("sklearn.manifold", "scikit-learn")
    threads = require("threadpoolctl", "scikit-learn")
    art3d = require("mpl_toolkits.mplot3d.art3d", "matplotlib")
    figure = new_figure(5.2 * len(panels), 5)
    for i, (title, vectors) in enumerate(panels.items(), start=1):
        together = np.concatenate([vectors.questions, vectors.answers])
        tsne = manifold.TSNE(
            n_components=3,
            perplexity=min(perplexity, (len(together) - 1) / 3),
            init="pca",
            random_state=seed,
        )
        # For few points more threads are slower, and not reproducible.
        with threads.threadpool_limits(1):
            points = tsne.fit_transform(together.astype(np.float32))
        questions, answers = np.split(points, [len(vectors.questions)])
        axes = figure.add_subplot(1, len(panels), i, projection="3d")
        if len(vectors.links):
            lines = np.stack(
                [
                    questions[vectors.links[:, 0]],
                    answers[vectors.links[:, 1]],
                ],
                axis=1,
            )
            axes.add_collection3d(
                art3d.Line3DCollection(
                    lines, colors=QUESTION, linewidths=0.5, alpha=0.35
                )
            )
        for cloud, color, size, label in (
            (answers, ANSWER, 5, "answers"),
            (questions, QUESTION, 14, "questions"),
        ):
            axes.scatter(
                *cloud.T,
                s=size,
                c=color,
                linewidths=0,
                alpha=0.8,
                label=label,
                depthshade=False,
            )
        axes.set_title(title)
        axes.set_box_aspect((1, 1, 1), zoom=1.15)
        for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
            axis.set_ticklabels([])
            axis.set_pane_color("white")
            axis.line.set_color("#BBBBBB")
            axis._axinfo["grid"]["color"] = "#EEEEEE"
        if i == 1:
            axes.legend(loc="upper left", markerscale=2, frameon=False)
    save(figure, path)


def norm_histograms(
    question_norms: np.ndarray,
    answer_norms: np.ndarray,
    word_norms: np.ndarray,
    path: Path | str,
    title: str = "",
) -> None:
    """Draws how norms are distributed (Figure 5).

    Args:
        question_norms: norms of the questions' vectors before they are
            constrained to the ball, float array `(questions,)`.
        answer_norms: the same of the answers, `(answers,)`.
        word_norms: norms of the projected vectors of words, `(words,)`.
        path: the PNG file to write.
        title: what the norms are of.
    """
    figure = new_figure(9, 3.6)
    texts, words = figure.subplots(1, 2)
    both = np.concatenate([question_norms, answer_norms])
    bins = np.linspace(0, both.max(), 51)
    for norms, color, label in (
        (question_norms, QUESTION, "questions"),
        (answer_norms, ANSWER, "answers"),
    ):
        # Shares, because there are many more answers than questions.
        texts.hist(
            norms,
            bins,
            weights=np.full(len(norms), 1 / max(len(norms), 1)),
            color=color,
            alpha=0.6,
            label=label,
        )
    texts.set_xlabel("norm of the text's vector, before the constraint")
    legend_above(texts)
    bins = np.linspace(0, word_norms.max(), 51)
    words.hist(
        word_norms,
        bins,
        weights=np.full(len(word_norms), 1 / max(len(word_norms), 1)),
        color=COLORS[2],
        alpha=0.8,
        label="words",
    )
    words.set_xlabel("norm of the word's projected vector")
    legend_above(words)
    texts.set_ylabel("share")
    if title:
        figure.suptitle(title)
    save(figure, path)


def radius_histograms(
    panels: Mapping[str, tuple[np.ndarray, np.ndarray]], path: Path | str
) -> None:
    """Draws how far from the origin questions and answers lie.

    Args:
        panels: title to the hyperbolic radii of questions and of answers,
            float arrays, drawn side by side.
        path: the PNG file to write.
    """
    figure = new_figure(3.2 * len(panels), 3.2)
    for i, (title, sides) in enumerate(panels.items(), start=1):
        axes = figure.add_subplot(1, len(panels), i)
        # At least one wide: the radii of a sphere differ by rounding.
        low, high = np.percentile(np.concatenate(sides), [0, 100])
        spread = max(high - low, 1.0)
        middle = (low + high) / 2
        bins = np.linspace(middle - spread / 2, middle + spread / 2, 41)
        for radii, color, label in zip(
            sides, (QUESTION, ANSWER), ("questions", "answers"), strict=True
        ):
            axes.hist(
                radii,
                bins,
                weights=np.full(len(radii), 1 / max(len(radii), 1)),
                color=color,
                alpha=0.6,
                label=label,
            )
        axes.set_xlabel("hyperbolic radius")
        axes.set_title(title)
        if i == 1:
            axes.set_ylabel("share")
            axes.legend(frameon=False)
    save(figure, path)
