"""Where the texts of HyperQA's runs lie: the picture of hyperbolic radii.

    python -m reproductions.hyperqa.radii --run RUN [--run RUN ...] \
        --data-dir DIR --output-dir pictures

A RUN is the output folder of a run of HyperQA with its model, such as one of
`reproductions.hyperqa.spaces --keep-models`. `radii.png` has the radii of the
questions and answers of each run, on the split that it reported on; `radii.md`
has the share of texts on the sphere of the clip, and the factor by which
equation 9 multiplies the gradients of the projection.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from keras_qa.errors import ModelFileError
from keras_qa.files.whole import write_text
from reproductions.harness.command import add_data_dir
from reproductions.harness.command import add_run_option
from reproductions.harness.command import with_messages
from reproductions.hyperqa.drawings import radius_histograms
from reproductions.hyperqa.figures import encode_run
from reproductions.report import markdown
from reproductions.report.plots import measured_on

if TYPE_CHECKING:
    from keras_qa.models.hyperqa import HyperQA


@dataclass(frozen=True)
class Radii:
    """The texts of a run in hyperbolic space of curvature -1.

    Attributes:
        title: the projection and the data set.
        questions: distances from the origin, float array `(questions,)`.
        answers: the same, `(answers,)`.
        clipped: share of questions and answers outside the clip's sphere
            before the projection; NaN without a clip.
        factor: the factor of equation 9 for the projection's matrix.
        texts: the split, number of questions and seed.
    """

    title: str
    questions: np.ndarray
    answers: np.ndarray
    clipped: float
    factor: float
    texts: str


def radii_of(model: "HyperQA", vectors: np.ndarray) -> np.ndarray:
    """The distances of texts from the origin, in units of the curvature.

    Args:
        model: the model.
        vectors: what its `text_encoder` returned, `(texts, columns)`.
    """
    import keras

    from keras_qa.layers import HyperbolicDistance

    points = keras.ops.convert_to_numpy(model.to_space(vectors))
    norms = np.linalg.norm(points.astype(np.float64), axis=1)
    distance = model.head.get_layer("distance")
    if isinstance(distance, HyperbolicDistance):
        return norms * float(distance.space()[0]) ** 0.5
    return 2 * np.arctanh(norms)


def conversion_factor(kernel: np.ndarray) -> float:
    """(1 - |W|²)² / 4, equation 9 with the norm of the whole matrix."""
    return float((1 - np.sum(np.square(kernel, dtype=np.float64))) ** 2 / 4)


def measure(run: Path, data_dir: Path | None) -> Radii:
    """Encodes the texts of the split that a run reported on.

    Raises:
        FileNotFoundError: if the folder is not that of a finished run with its
            model.
        ModelFileError: if the model is damaged, or not HyperQA.
    """
    from keras_qa.export.keras_file import load_model
    from keras_qa.models.hyperqa import HyperQA

    encoded = encode_run(run, data_dir)
    model = load_model(run / "model.keras")
    if not isinstance(model, HyperQA):
        raise ModelFileError(
            f"{run / 'model.keras'}: expected HyperQA. "
            f"Received: {type(model).__name__}"
        )
    clipped = float("nan")
    if model.projection == "clip":
        sums = [encoded.question_vectors, encoded.answer_vectors]
        norms = np.linalg.norm(np.concatenate(sums), axis=1)
        clipped = float(np.mean(norms > 1 - model.epsilon))
    kernel = model.word_projection.get_weights()[0]
    return Radii(
        f"{model.projection}, {encoded.metrics['dataset']}",
        radii_of(model, encoded.question_vectors),
        radii_of(model, encoded.answer_vectors),
        clipped,
        conversion_factor(kernel),
        measured_on(
            encoded.metrics["dataset"],
            encoded.metrics["split"],
            len(encoded.questions),
            [encoded.metrics["seed"]],
        ),
    )


def with_folders(runs: Sequence[Radii], folders: Sequence[Path]) -> list[Radii]:
    """The runs, those of one title with their folder in it."""
    counts = Counter(run.title for run in runs)
    return [
        replace(run, title=f"{run.title}, {folder}")
        if counts[run.title] > 1
        else run
        for run, folder in zip(runs, folders, strict=True)
    ]


def table(runs: Sequence[Radii]) -> str:
    """The radii as Markdown: medians, clipped texts, equation 9."""
    heads = ["Run", "Questions", "Answers", "On one sphere", "Equation 9"]
    rows = [
        [
            run.title,
            *(_middle(radii) for radii in (run.questions, run.answers)),
            "–" if np.isnan(run.clipped) else f"{run.clipped:.1%}",
            f"{run.factor:,.0f}",
        ]
        for run in runs
    ]
    return markdown.table(heads, rows)


def _middle(radii: np.ndarray) -> str:
    low, middle, high = np.percentile(radii, [5, 50, 95])
    return f"{middle:.2f} ({low:.2f} to {high:.2f})"


def main(argv: Sequence[str] | None = None) -> int:
    """Draws the picture and writes the table; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m reproductions.hyperqa.radii",
        description=__doc__.splitlines()[0],
    )
    add_run_option(parser)
    add_data_dir(parser)
    parser.add_argument("--output-dir", type=Path, required=True, metavar="DIR")
    options = parser.parse_args(argv)

    def show() -> None:
        runs = with_folders(
            [measure(folder, options.data_dir) for folder in options.run],
            options.run,
        )
        options.output_dir.mkdir(parents=True, exist_ok=True)
        text, picture = (
            options.output_dir / name for name in ("radii.md", "radii.png")
        )
        radius_histograms(
            {run.title: (run.questions, run.answers) for run in runs},
            picture,
            ", ".join(dict.fromkeys(run.texts for run in runs)),
        )
        write_text(text, table(runs))
        print(text)
        print(picture)

    return with_messages(show)


if __name__ == "__main__":
    sys.exit(main())
