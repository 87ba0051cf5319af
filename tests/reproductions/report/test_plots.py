import sys

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from reproductions.report.plots import measured_on
from reproductions.report.plots import results_bars
from support.pictures import BLUE
from support.pictures import RED
from support.pictures import pixels


def test_bars_are_as_high_as_the_metrics(tmp_path):
    path = tmp_path / "folder" / "bars.png"
    results_bars({"hyperqa": {"MAP": 0.8}, "bm25": {"MAP": 0.4}}, path, "dev")
    heights = []
    for color in (BLUE, RED):
        rows, columns = pixels(path, color)
        # The legend's patch is wider than high and stands above the bars.
        bottom = columns[rows == rows.max()]
        column = int(np.median(bottom))
        heights.append(np.sum(columns == column))
    assert heights[0] / heights[1] == pytest.approx(2, rel=0.05)
    assert list(path.parent.iterdir()) == [path]


def test_titles_say_what_was_measured():
    assert measured_on("wikiqa", "dev", 1126, [1, 2], "bars", "\nv.bin") == (
        "wikiqa dev; 1,126 questions; seeds 1, 2; bars\nv.bin"
    )
    assert measured_on("sample", "test", None, [3]) == "sample test; seed 3"


def test_a_missing_package_names_the_command(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"pip install 'keras-qa\[plots\]'"):
        results_bars({"a": {"MAP": 1}}, tmp_path / "a.png", "dev")
    assert list(tmp_path.iterdir()) == []
