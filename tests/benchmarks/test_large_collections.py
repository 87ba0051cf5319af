"""The benchmark of large collections, with a small one."""

import numpy as np
import pytest

from benchmarks import large_collections
from keras_qa.ranker import Ranker
from keras_qa.search import ivf_pq
from keras_qa.search.answers import Answer
from keras_qa.search.shards.answers import AnswerShards
from keras_qa.search.spaces import PoincareSpace
from support.search_runs import make_texts

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def small(monkeypatch):
    texts = make_texts(300)
    monkeypatch.setattr(
        large_collections, "read_texts", lambda folder: (texts, texts[:3])
    )


def test_the_exact_pass_finds_what_sorting_finds(tmp_path):
    vectors = np.random.default_rng(0).normal(size=(205, 4))
    vectors /= 1.1 * np.linalg.norm(vectors, axis=1, keepdims=True)
    questions, answers = np.split(vectors.astype(np.float32), [5])
    shards = AnswerShards(tmp_path, 90)
    for number, block in enumerate(np.split(answers, [90, 180])):
        shards.write(number, [Answer("1", "a")] * len(block), block)
    space = PoincareSpace(-1.0, epsilon=1e-5, center=answers.mean(0))
    found = large_collections.exact_best(space, shards, questions, 10)
    for question, rows in zip(questions, found, strict=True):
        apart = ((question - answers.astype(np.float64)) ** 2).sum(1)
        distances = apart / (1 - (answers.astype(np.float64) ** 2).sum(1))
        np.testing.assert_array_equal(rows, np.argsort(distances)[:10])


def test_halves_are_encoded_as_their_texts_are(runs):
    ranker = Ranker.load(runs["hyperqa"])
    settings = large_collections.Settings(answers=7000, questions=2)
    made = large_collections.Collection(ranker, None, settings)
    texts, vectors = zip(*made.blocks(4000), strict=True)
    assert [len(block) for block in vectors] == [4000, 3000]
    texts = [text for block in texts for text in block]
    assert len(set(texts)) == 7000
    np.testing.assert_allclose(
        np.concatenate(vectors)[::500], ranker.encode(texts[::500]), atol=1e-6
    )


def test_a_small_collection(runs, tmp_path, monkeypatch, capsys):
    pytest.importorskip("faiss")
    monkeypatch.setattr(ivf_pq, "FEWEST", 600)
    monkeypatch.setattr(ivf_pq, "CODE_BYTES", 1)
    settings = large_collections.Settings(answers=600, questions=3, encoded=10)
    found = large_collections.measure(
        settings, runs["hyperqa"], None, tmp_path / "work"
    )
    assert found["flat"]["recall"] == 1
    recalls = [row["recall"] for row in found["searches"]]
    assert recalls == sorted(recalls) and recalls[-1] > 0.9
    text = large_collections.table({"collections": [found]})
    assert "| 600 | ivf-pq | 256 |" in text
    row = large_collections.plan({"collections": [found]}).splitlines()[2]
    gigabytes = found["bytes"]["shards"] / 600 / 10
    assert row.split(" | ")[2] == f"{gigabytes:,.0f}"


def test_a_folder_of_another_run_stays(tmp_path, capsys):
    kept = tmp_path / "collection-12000" / "kept"
    kept.parent.mkdir()
    kept.touch()
    given = [x for name in ("ranker", "data-dir") for x in (f"--{name}", "x")]
    with pytest.raises(SystemExit):
        large_collections.main(["--smoke", *given, "--work-dir", str(tmp_path)])
    assert kept.exists()
    assert "expected no" in capsys.readouterr().err
