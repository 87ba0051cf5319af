"""The pictures of the HyperQA paper, drawn from arrays."""

from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from keras_qa.attention.figure import new_figure
from keras_qa.attention.figure import save_figure
from reproductions.records.paper_figures import model_names
from reproductions.records.seed_groups import Statistic
from reproductions.report.plots import COLORS
from reproductions.report.plots import legend_above
from reproductions.report.plots import line_style

QUESTION, ANSWER = COLORS[0], COLORS[1]


def embedding_size_curve(
    curves: Mapping[str, Mapping[int, Sequence[float]]],
    path: Path | str,
    metric: str,
    title: str = "",
) -> None:
    """Draws the size of the vectors against a metric (Figure 3).

    Figures that others report on test are not drawn: ours are of dev.

    Args:
        curves: model to size to the metric of each seed; the mean is drawn,
            with its 95% interval over seeds as a bar.
        path: the PNG file to write.
        metric: name of the metric.
        title: what the figures were measured on.
    """
    figure = new_figure(6.4, 4, "constrained")
    axes = figure.subplots()
    names = model_names()
    for i, (model, sizes) in enumerate(curves.items()):
        statistics = [
            Statistic.of(values) for _, values in sorted(sizes.items())
        ]
        axes.errorbar(
            sorted(sizes),
            [statistic.mean for statistic in statistics],
            yerr=[_half_interval(statistic) for statistic in statistics],
            capsize=3,
            label=names.get(model, model),
            **line_style(i),
        )
    axes.set_xticks(
        sorted({size for sizes in curves.values() for size in sizes})
    )
    axes.set_xlabel("embedding size d")
    axes.set_ylabel(metric)
    axes.margins(x=0.06, y=0.1)
    legend_above(axes, title)
    save_figure(figure, path)


def _half_interval(statistic: Statistic) -> float:
    """Half of the 95% interval of a mean over seeds; 0 for one seed."""
    if statistic.deviation is None:
        return 0.0
    # Imported here because the import takes a second.
    from scipy import stats

    quantile = float(stats.t.ppf(0.975, statistic.count - 1))
    return quantile * statistic.deviation / statistic.count**0.5


def norm_curves(
    panels: Mapping[str, tuple[np.ndarray, np.ndarray]],
    path: Path | str,
    title: str = "",
) -> None:
    """Draws the share of questions and of answers within each norm.

    In place of Figure 4, whose t-SNE keeps no distances: if questions formed a
    sphere around the answers, their curve would begin where that of the
    answers ends.

    Args:
        panels: title to the norms of questions and of answers, float arrays,
            drawn side by side.
        path: the PNG file to write.
        title: what the norms are of.
    """
    figure = new_figure(4.2 * len(panels), 3.8, "constrained")
    row = figure.subplots(1, len(panels), squeeze=False)[0]
    for axes, (name, sides) in zip(row, panels.items(), strict=True):
        for norms, color, label in zip(
            sides, (QUESTION, ANSWER), ("questions", "answers"), strict=True
        ):
            axes.step(
                np.sort(norms),
                np.arange(1, len(norms) + 1) / len(norms),
                where="post",
                color=color,
                label=f"{label} ({len(norms):,})",
            )
        axes.set_xlabel("norm of the text's vector, before the constraint")
        axes.set_ylabel("share with at most this norm")
        legend_above(axes, name)
    if title:
        figure.suptitle(title)
    save_figure(figure, path)


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
    figure = new_figure(9, 3.6, "constrained")
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
            label=f"{label} ({len(norms):,})",
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
        label=f"words ({len(word_norms):,})",
    )
    words.set_xlabel("norm of the word's projected vector")
    legend_above(words)
    texts.set_ylabel("share")
    if title:
        figure.suptitle(title)
    save_figure(figure, path)


def radius_histograms(
    panels: Mapping[str, tuple[np.ndarray, np.ndarray]],
    path: Path | str,
    title: str,
) -> None:
    """Draws how far from the origin questions and answers lie.

    Args:
        panels: name to the hyperbolic radii of questions and of answers,
            float arrays, drawn side by side.
        path: the PNG file to write.
        title: what the texts are.
    """
    figure = new_figure(3.2 * len(panels), 3.2, "constrained")
    for i, (name, sides) in enumerate(panels.items(), start=1):
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
        axes.set_title(name)
        if i == 1:
            axes.set_ylabel("share")
            axes.legend(frameon=False)
    figure.suptitle(title, fontsize=10)
    save_figure(figure, path)
