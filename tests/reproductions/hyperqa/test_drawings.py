import sys

import numpy as np
import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("sklearn")

from matplotlib.image import imread

from reproductions.hyperqa.drawings import LinkedVectors
from reproductions.hyperqa.drawings import embedding_size_curve
from reproductions.hyperqa.drawings import norm_histograms
from reproductions.hyperqa.drawings import tsne_links
from support.pictures import BLUE
from support.pictures import GREEN
from support.pictures import RED
from support.pictures import pixels


@pytest.fixture
def vectors():
    rng = np.random.default_rng(0)
    links = np.stack([np.arange(6), 2 * np.arange(6)], axis=1)
    return LinkedVectors(
        rng.normal(size=(6, 4)), rng.normal(size=(14, 4)), links
    )


def test_curve_rises_with_the_metric(tmp_path):
    path = tmp_path / "sizes.png"
    embedding_size_curve(
        {
            "hyperqa": {300: [0.7, 0.72], 100: [0.6, 0.62]},
            "cosineqa": {100: [0.65], 300: [0.65]},
        },
        path,
        {"MP-CNN": 0.693},
        title="dev",
    )
    rows, columns = pixels(path, BLUE)
    plot = rows > imread(path).shape[0] / 6  # below the legend
    rows, columns = rows[plot], columns[plot]
    left = rows[columns < columns.min() + 5].mean()
    right = rows[columns > columns.max() - 5].mean()
    assert right < left  # rows count from the top
    assert len(pixels(path, RED)[0])


def test_same_data_same_file(tmp_path, vectors):
    for name in ("a.png", "b.png"):
        tsne_links({"HyperQA": vectors, "CosineQA": vectors}, tmp_path / name)
    a, b = ((tmp_path / n).read_bytes() for n in ("a.png", "b.png"))
    assert a == b
    height, width, _ = imread(tmp_path / "a.png").shape
    assert width > 1.5 * height  # two panels side by side


def test_points_without_links_are_drawn(tmp_path, vectors):
    alone = LinkedVectors(
        vectors.questions, vectors.answers, np.empty((0, 2), int)
    )
    tsne_links({"HyperQA": alone}, tmp_path / "tsne.png")
    assert imread(tmp_path / "tsne.png").std() > 0


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


def test_a_missing_package_names_the_command(monkeypatch, tmp_path, vectors):
    monkeypatch.setitem(sys.modules, "sklearn.manifold", None)
    with pytest.raises(ImportError, match=r"pip install 'keras-qa\[plots\]'"):
        tsne_links({"a": vectors}, tmp_path / "a.png")
    assert list(tmp_path.iterdir()) == []
