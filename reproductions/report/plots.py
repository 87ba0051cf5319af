"""The pictures of the papers, drawn from arrays; nothing is trained here."""

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from keras_qa.files.whole import write_whole
from reproductions.records.paper_figures import load_targets
from reproductions.records.seed_groups import Statistic

# Paul Tol's bright scheme: told apart by the colour-blind and in print.
COLORS = ("#4477AA", "#EE6677", "#228833", "#CCBB44", "#66CCEE", "#AA3377")
QUESTION, ANSWER = COLORS[0], COLORS[1]
GREY = "#777777"
MARKERS = "osD^v"


@dataclass(frozen=True)
class LinkedVectors:
    """Vectors of questions and answers, and which belong together.

    Attributes:
        questions: float array `(questions, dim)`.
        answers: float array `(answers, dim)`.
        links: integer array `(links, 2)`: a question and a correct answer.
    """

    questions: np.ndarray
    answers: np.ndarray
    links: np.ndarray


def results_bars(
    results: Mapping[str, Mapping[str, float]], path: Path | str
) -> None:
    """Draws the metrics of some models as bars, with their values.

    Args:
        results: metrics by model.
        path: the PNG file to write.
    """
    models = list(results)
    metrics = list(dict.fromkeys(m for r in results.values() for m in r))
    names = load_targets().models
    figure = _figure(1.8 + 1.5 * len(metrics), 3.4)
    axes = figure.subplots()
    width = 0.8 / len(models)
    for i, model in enumerate(models):
        places = np.arange(len(metrics)) + (i - (len(models) - 1) / 2) * width
        heights = [results[model].get(metric, np.nan) for metric in metrics]
        bars = axes.bar(
            places,
            heights,
            0.92 * width,
            color=COLORS[i % len(COLORS)],
            label=names.get(model, model),
        )
        axes.bar_label(bars, fmt="%.2f", padding=2, fontsize=8)
    axes.set_xticks(np.arange(len(metrics)), metrics)
    axes.set_ylim(0, 1.05)
    axes.set_yticks(np.linspace(0, 1, 6))
    axes.grid(axis="x", visible=False)
    _legend_above(axes)
    _save(figure, path)


def embedding_size_curve(
    curves: Mapping[str, Mapping[int, Sequence[float]]],
    path: Path | str,
    references: Mapping[str, float] | None = None,
    metric: str = "MAP",
    title: str = "",
) -> None:
    """Draws the size of the vectors against a metric (HyperQA, Figure 3).

    Args:
        curves: model to size to the metric of each seed; the mean is drawn,
            with the sample standard deviation as a bar.
        path: the PNG file to write.
        references: names and values of horizontal lines, other models that
            the paper reports.
        metric: name of the metric.
        title: what the figures were measured on.
    """
    figure = _figure(6.4, 4)
    axes = figure.subplots()
    names = load_targets().models
    for i, (model, sizes) in enumerate(curves.items()):
        statistics = [
            Statistic.of(values) for _, values in sorted(sizes.items())
        ]
        axes.errorbar(
            sorted(sizes),
            [statistic.mean for statistic in statistics],
            yerr=[statistic.deviation or 0 for statistic in statistics],
            color=COLORS[i % len(COLORS)],
            marker=MARKERS[i % len(MARKERS)],
            capsize=3,
            linewidth=1.8,
            label=names.get(model, model),
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
    _legend_above(axes, title)
    _save(figure, path)


def tsne_links(
    panels: Mapping[str, LinkedVectors],
    path: Path | str,
    seed: int = 0,
    perplexity: float = 30.0,
) -> None:
    """Draws vectors in three dimensions, with lines (HyperQA, Figure 4).

    Questions and answers of a panel are brought to three dimensions together,
    by t-SNE; a line joins each question with its correct answers.

    Args:
        panels: title to vectors, drawn side by side.
        path: the PNG file to write.
        seed: seed of t-SNE.
        perplexity: t-SNE's number of effective neighbours, lowered where there
            are too few points for it.

    Raises:
        ImportError: if scikit-learn is not installed.
    """
    manifold = _require("sklearn.manifold", "scikit-learn")
    threads = _require("threadpoolctl", "scikit-learn")
    art3d = _require("mpl_toolkits.mplot3d.art3d", "matplotlib")
    figure = _figure(5.2 * len(panels), 5)
    for i, (title, vectors) in enumerate(panels.items(), start=1):
        together = np.concatenate([vectors.questions, vectors.answers])
        tsne = manifold.TSNE(
            n_components=3,
            perplexity=min(perplexity, (len(together) - 1) / 3),
            init="pca",
            random_state=seed,
        )
        # Threads make so few points slower, and their order of sums random.
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
    _save(figure, path)


def norm_histograms(
    question_norms: np.ndarray,
    answer_norms: np.ndarray,
    word_norms: np.ndarray,
    path: Path | str,
    title: str = "",
) -> None:
    """Draws how norms are distributed (HyperQA, Figure 5).

    Args:
        question_norms: norms of the questions' vectors right before they are
            constrained to the ball.
        answer_norms: the same of the answers.
        word_norms: norms of the projected vectors of single words.
        path: the PNG file to write.
        title: what the norms are of.
    """
    figure = _figure(9, 3.6)
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
    _legend_above(texts)
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
    _legend_above(words)
    texts.set_ylabel("share")
    if title:
        figure.suptitle(title)
    _save(figure, path)


def bucket_lines(
    panels: Mapping[
        str, tuple[Sequence[str], Mapping[str, np.ndarray], np.ndarray]
    ],
    path: Path | str,
) -> None:
    """Draws the accuracy in buckets of questions (QA-LSTM, Figure 5).

    Args:
        panels: title to names of the buckets, accuracy by curve with NaN for
            buckets without a question, and numbers of questions; drawn one
            above the other.
        path: the PNG file to write.
    """
    figure = _figure(7.4, 3.4 * len(panels))
    rows = figure.subplots(len(panels), squeeze=False)[:, 0]
    for axes, (title, panel) in zip(rows, panels.items(), strict=True):
        labels, curves, counts = panel
        places = np.arange(len(labels))
        for i, (name, accuracy) in enumerate(curves.items()):
            axes.plot(
                places,
                100 * accuracy,
                color=COLORS[i % len(COLORS)],
                marker=MARKERS[i % len(MARKERS)],
                linewidth=1.8,
                label=name,
            )
        axes.set_xticks(
            places,
            [f"{x}\n({n})" for x, n in zip(labels, counts, strict=True)],
            fontsize=8,
        )
        axes.set_xlabel("length of the correct answers (questions)")
        axes.set_ylabel("top-1 accuracy, %")
        _legend_above(axes, title)
    _save(figure, path)


def epoch_lines(
    curves: Mapping[str, Mapping[str, np.ndarray]], path: Path | str
) -> None:
    """Draws what was measured after each epoch, one panel for each quantity.

    Args:
        curves: by run its quantities, such as `"loss"` and `"MAP"`, each a
            float vector `(epochs,)`.
        path: the PNG file to write.
    """
    quantities = list(dict.fromkeys(q for c in curves.values() for q in c))
    figure = _figure(3.9 * len(quantities), 3.4)
    panels = figure.subplots(1, len(quantities), squeeze=False)[0]
    for axes, quantity in zip(panels, quantities, strict=True):
        for i, (name, values) in enumerate(curves.items()):
            axes.plot(
                np.arange(1, len(values[quantity]) + 1),
                values[quantity],
                color=COLORS[i % len(COLORS)],
                marker=MARKERS[i % len(MARKERS)],
                markersize=4,
                linewidth=1.8,
                label=name,
            )
        axes.set_xlabel("epoch")
        axes.set_ylabel(quantity)
        axes.xaxis.get_major_locator().set_params(integer=True)
        _plain(axes)
    figure.legend(
        *panels[0].get_legend_handles_labels(),
        loc="outside upper left",
        frameon=False,
    )
    _save(figure, path)


def _figure(width: float, height: float) -> Any:
    matplotlib = _require("matplotlib.figure", "matplotlib")
    return matplotlib.Figure((width, height), dpi=150, layout="constrained")


def _plain(axes: Any) -> None:
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.grid(axis="y", color="#DDDDDD", linewidth=0.8)
    axes.set_axisbelow(True)


def _legend_above(axes: Any, title: str = "") -> None:
    _plain(axes)
    axes.legend(
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=3,
        frameon=False,
        borderaxespad=0.2,
        title=title or None,
        alignment="left",
    )


def _save(figure: Any, path: Path | str) -> None:
    # Without the program's version the same data give the same file.
    write_whole(
        path,
        lambda scratch: figure.savefig(scratch, metadata={"Software": None}),
    )


def _require(module: str, package: str) -> Any:
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"Drawing needs {package}: pip install 'keras-qa[plots]'"
        ) from error
