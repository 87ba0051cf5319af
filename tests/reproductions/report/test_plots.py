import sys

import numpy as np
import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("sklearn")

from matplotlib.image import imread

from reproductions.hyperqa.norm_levels import norm_edges
from reproductions.hyperqa.norm_levels import norm_level
from reproductions.hyperqa.norm_levels import pair_by_norm_level
from reproductions.hyperqa.norm_levels import words_by_norm
from reproductions.report.plots import LinkedVectors
from reproductions.report.plots import embedding_size_curve
from reproductions.report.plots import norm_histograms
from reproductions.report.plots import results_bars
from reproductions.report.plots import tsne_links

BLUE = (0x44 / 255, 0x77 / 255, 0xAA / 255)
RED = (0xEE / 255, 0x66 / 255, 0x77 / 255)
GREEN = (0x22 / 255, 0x88 / 255, 0x33 / 255)


def pixels(path, color):
    """Rows and columns of the pixels that have a color, as two arrays."""
    image = imread(path)[..., :3]
    return np.nonzero(np.abs(image - np.array(color)).max(axis=-1) < 0.02)


@pytest.fixture
def vectors():
    rng = np.random.default_rng(0)
    links = np.stack([np.arange(6), 2 * np.arange(6)], axis=1)
    return LinkedVectors(
        rng.normal(size=(6, 4)), rng.normal(size=(14, 4)), links
    )


def test_bars_are_as_high_as_the_metrics(tmp_path):
    path = tmp_path / "folder" / "bars.png"
    results_bars({"hyperqa": {"MAP": 0.8}, "bm25": {"MAP": 0.4}}, path)
    heights = []
    for color in (BLUE, RED):
        rows, columns = pixels(path, color)
        # The legend's patch is wider than high and stands above the bars.
        bottom = columns[rows == rows.max()]
        column = int(np.median(bottom))
        heights.append(np.sum(columns == column))
    assert heights[0] / heights[1] == pytest.approx(2, rel=0.05)
    assert list(path.parent.iterdir()) == [path]


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


@pytest.mark.parametrize(
    ("module", "draw"),
    [
        ("matplotlib.figure", lambda v, p: results_bars({"a": {"MAP": 1}}, p)),
        ("sklearn.manifold", lambda v, p: tsne_links({"a": v}, p)),
    ],
)
def test_missing_package_names_the_command(
    monkeypatch, tmp_path, vectors, module, draw
):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=r"pip install 'keras-qa\[plots\]'"):
        draw(vectors, tmp_path / "a.png")
    assert list(tmp_path.iterdir()) == []


def test_edges_are_equally_wide():
    # The 99th percentile of 0, 1, ..., 100 is 99.
    edges = norm_edges(np.arange(101.0), 3)
    np.testing.assert_allclose(edges, [0, 33, 66, 99])
    np.testing.assert_array_equal(
        norm_level(np.array([0, 32.9, 33, 66, 99, 1000]), edges),
        [0, 0, 1, 2, 2, 2],
    )


def test_words_stand_in_their_interval():
    table = words_by_norm(
        ["the", "of", "put", "ebay", "to"],
        np.array([0.1, 0.9, 1.5, 7.0, 0.5]),
        np.array([0.0, 1.0, 2.0]),
        words_per_interval=2,
    )
    assert table.splitlines()[2:] == [
        "| 0.00-1.00 | 3 | the, of |",
        "| 1.00 and more | 2 | put, ebay |",
    ]


def test_pair_is_split_by_level():
    table = pair_by_norm_level(
        ["who", "is", "the", "founder", "of", "the", "site"],
        np.array([1.5, 0.1, 0.2, 2.5, 0.3, 0.2, 2.1]),
        ["the", "founder", "sold", "it"],
        np.array([0.2, 2.5, 1.1, 0.4]),
        np.array([0.0, 1.0, 2.0, 3.0, 4.0]),
    )
    assert table.splitlines() == [
        "|  | H1 | H2 | H3 | H4 |",
        "| --- | --- | --- | --- | --- |",
        "| Q | is, **the**, of | who | **founder**, site | - |",
        "| A | **the**, it | sold | **founder** | - |",
    ]
