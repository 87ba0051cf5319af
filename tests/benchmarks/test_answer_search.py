"""The benchmark of search runs, and its bounds are what it measured."""

import json

import numpy as np
import pytest

from benchmarks import answer_search
from benchmarks.answer_vectors import RADIUS
from benchmarks.answer_vectors import make_collection


def test_smoke(tmp_path, capsys):
    pytest.importorskip("faiss")
    path = tmp_path / "figures.json"
    options = ["--smoke", "--cores", "1", "--json", str(path)]
    assert answer_search.main(options) == 0
    printed = capsys.readouterr().out
    result = json.loads(path.read_text())
    for name in ("texts", "noise"):
        rows = result["measured"][name]["contenders"]
        assert {row["contender"] for row in rows} == {
            "numpy",
            "exact",
            "hnsw",
        }
        by_name = {row["contender"]: row for row in rows}
        assert by_name["exact"]["recall"] == 1
        assert by_name["numpy"]["recall"] > 0.9
        # The last row of a kind is that of the highest effort.
        assert by_name["hnsw"]["recall"] > 0.9
        assert f"{name}: " in printed
    bounds = result["summary"]["bounds"]
    assert bounds["exact, ms"]["reached"]
    assert bounds["approximate, recall@10"]["ratio"] >= 0.9
    assert "approximate: " in printed
    # A row for each, below two lines of the header.
    lines = answer_search.table(result).splitlines()
    assert len(lines) == 2 + len(result["measured"]["texts"]["contenders"])
    (default,) = [line for line in lines if "(default)" in line]
    assert default.startswith("| `hnsw` | 256 (default) | ")


def test_vectors_are_clipped_and_those_of_texts_have_neighbours():
    settings = answer_search.Settings(
        answers=2000, questions=20, dim=40, words=500, topics=20
    )
    contrasts = {}
    for name in ("texts", "noise"):
        answers, questions = make_collection(settings, name)
        assert (answers.shape, questions.shape) == ((2000, 40), (20, 40))
        norms = np.linalg.norm(np.float64(answers), axis=1)
        assert norms == pytest.approx(RADIUS, abs=1e-6)
        apart = [np.linalg.norm(answers - q, axis=1) for q in questions]
        contrasts[name] = np.median(
            [d.mean() / np.partition(d, 9)[9] for d in apart]
        )
    assert contrasts["texts"] > contrasts["noise"] > 1
