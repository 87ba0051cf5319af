"""Indexes of compressed vectors in lists on disk."""

import numpy as np
import pytest

from keras_qa.errors import SearchError
from keras_qa.search import ivf_pq
from keras_qa.search.answers import Answer
from keras_qa.search.build import check_kind
from keras_qa.search.ivf_pq import build_ivf_pq
from keras_qa.search.shards.answers import AnswerShards
from keras_qa.search.spaces import PoincareSpace
from keras_qa.search.token_search import TokenSpace
from keras_qa.search.vector_search import VectorSearch

DIM = 8
COUNT = 2000


@pytest.fixture(scope="module")
def points():
    """Points near the boundary of the ball, as HyperQA's, around centres."""
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(100, DIM))
    found = centres[rng.integers(0, 100, COUNT + 16)]
    found = found + 0.5 * rng.normal(size=found.shape)
    norms = np.linalg.norm(found, axis=1, keepdims=True)
    return (found / norms * (1 - 1e-3)).astype(np.float32)


def test_it_finds_what_an_exact_search_finds(
    points, tmp_path, monkeypatch, capfd
):
    faiss = pytest.importorskip("faiss")
    # Several rounds, the last with fewer answers.
    monkeypatch.setattr(ivf_pq, "ROUND", 800)
    # FAISS warns of so few, and trains.
    monkeypatch.setattr(ivf_pq, "FEWEST", COUNT)
    answers, questions = points[:-16], points[-16:]
    shards = AnswerShards(tmp_path / "shards", len(answers))
    texts = [Answer(str(i), "text") for i in range(len(answers))]
    shards.write(0, texts, answers)
    space = PoincareSpace(-1.0, epsilon=1e-5, center=answers.mean(0))
    radius = space.longest(answers)
    places = space.answer_places(answers, radius)
    path = tmp_path / "ivf-pq.faiss"
    # Wide codes take longer to train than all else takes.
    monkeypatch.setattr(ivf_pq, "CODE_BYTES", 2)
    blocks = np.array_split(places, 7)
    build_ivf_pq(path, lambda: blocks, len(places), False)
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        *("ivf-pq.faiss", "ivf-pq.lists", "shards")
    ]
    moved = path.rename(tmp_path / "shards" / path.name)
    path.with_suffix(".lists").rename(tmp_path / "shards/ivf-pq.lists")
    search = VectorSearch(
        *(space, shards, np.arange(len(answers)), radius, "ivf-pq"),
        moved.parent,
    )
    # Standard output is for results.
    assert capfd.readouterr().out == ""
    lists = faiss.extract_index_ivf(search._index).invlists
    assert isinstance(
        faiss.downcast_InvertedLists(lists), faiss.OnDiskInvertedLists
    )
    found = 0
    for question in questions:
        exact = space.keys(question, answers)
        best = np.argsort(-exact, kind="stable")[:10]
        rows, keys = search.find(question, 10)
        np.testing.assert_array_equal(keys, exact[rows])
        found += len({*rows} & {*best})
        few, _ = search.find(question, 10, effort=1)
        assert len({*few} & {*best}) <= len({*rows} & {*best})
    assert found / 160 > 0.9


def test_what_is_too_small_or_of_tokens_is_refused(tmp_path):
    with pytest.raises(SearchError, match="at least 9,984 readable answers"):
        build_ivf_pq(tmp_path / "x.faiss", lambda: [], 9983, False)
    with pytest.raises(SearchError, match="use flat or hnsw"):
        check_kind("ivf-pq", TokenSpace(1.0, 0.0, "sum"))
    assert not list(tmp_path.iterdir())
