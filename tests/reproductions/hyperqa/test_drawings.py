import numpy as np
import pytest

pytest.importorskip("matplotlib")

from matplotlib.image import imread

from reproductions.hyperqa.drawings import embedding_size_curve
from reproductions.hyperqa.drawings import norm_curves
from reproductions.hyperqa.drawings import norm_histograms
from support.pictures import BLUE
from support.pictures import GREEN
from support.pictures import RED
from support.pictures import pixels


def test_curve_rises_with_the_metric(tmp_path):
    path = tmp_path / "sizes.png"
    embedding_size_curve(
        {
            "hyperqa": {300: [0.7, 0.72], 100: [0.6, 0.62]},
            "cosineqa": {100: [0.65], 300: [0.65]},
        },
        path,
        "MAP",
        title="dev",
    )
    rows, columns = pixels(path, BLUE)
    plot = rows > imread(path).shape[0] / 6  # below the legend
    rows, columns = rows[plot], columns[plot]
    left = rows[columns < columns.min() + 5].mean()
    right = rows[columns > columns.max() - 5].mean()
    assert right < left  # rows count from the top
    assert len(pixels(path, RED)[0])


def test_histograms_show_words(tmp_path):
    path = tmp_path / "norms.png"
    rng = np.random.default_rng(0)
    norm_histograms(
        rng.gamma(5, 1, 50),
        rng.gamma(9, 1, 500),
        np.array([1.0, 1.0, 1.0, 3.0]),
        path,
        "HyperQA",
    )
    green = (0.2 + 0.8 * GREEN[0], 0.2 + 0.8 * GREEN[1], 0.2 + 0.8 * GREEN[2])
    rows, columns = pixels(path, green)
    plot = rows > imread(path).shape[0] / 6  # below the legend
    rows, columns = rows[plot], columns[plot]
    # Two bars: three quarters of the words at norm 1, a quarter at norm 3.
    middle = (columns.min() + columns.max()) / 2
    heights = [
        np.ptp(rows[columns < middle]) + 1,
        np.ptp(rows[columns > middle]) + 1,
    ]
    assert heights[0] / heights[1] == pytest.approx(3, rel=0.05)


def test_same_data_same_file(tmp_path):
    rng = np.random.default_rng(0)
    panels = {name: (rng.random(6), rng.random(14)) for name in "ab"}
    for name in ("a.png", "b.png"):
        norm_curves(panels, tmp_path / name, "wikiqa dev")
    a, b = ((tmp_path / n).read_bytes() for n in ("a.png", "b.png"))
    assert a == b
    height, width, _ = imread(tmp_path / "a.png").shape
    assert width > 1.5 * height  # two panels side by side
    assert len(pixels(tmp_path / "a.png", RED)[0])
