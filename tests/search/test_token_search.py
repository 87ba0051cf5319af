"""Late interaction over stored vectors, against loops in NumPy."""

import json
import shutil

import keras
import numpy as np
import pytest

from keras_qa import models
from keras_qa.errors import SearchError
from keras_qa.ranker import Ranker
from keras_qa.search.answers import Answer
from keras_qa.search.build import build_index
from keras_qa.search.index import AnswerIndex
from keras_qa.search.shards.tokens import TokenShards
from keras_qa.search.token_search import TokenSearch
from keras_qa.search.token_search import TokenSpace
from keras_qa.text.reading import TextReading
from support.run_folders import write_run
from support.search_runs import ANSWERS
from support.search_runs import QUESTION
from support.search_runs import SIZE
from support.search_runs import VOCABULARY
from support.search_runs import command

DIM = 16


def unit(rng, *shape):
    x = rng.normal(size=shape)
    return (x / np.linalg.norm(x, axis=-1, keepdims=True)).astype(np.float32)


def best_matches(question, answer):
    """Equation 3, one pair of tokens at a time."""
    total = 0.0
    for q in question.astype(np.float64):
        total += max(float(q @ a) for a in answer.astype(np.float64))
    return total


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """Shards of 90 answers of which every tenth repeats the one before."""
    rng = np.random.default_rng(0)
    texts = [unit(rng, n, DIM) for n in rng.integers(1, 6, 90)]
    texts[9::10] = texts[8::10]
    shards = TokenShards(tmp_path_factory.mktemp("tokens"), 40)
    for number, start in enumerate(range(0, 90, 40)):
        part = texts[start : start + 40]
        answers = [Answer(str(start + i), "a") for i in range(len(part))]
        lengths = np.array(list(map(len, part)))
        shards.write_tokens(number, answers, np.concatenate(part), lengths)
    return shards, texts


@pytest.mark.parametrize("top", [1, 7, 100])
def test_exact_search_gives_the_order_of_all(stored, tmp_path, top):
    shards, texts = stored
    readable = np.delete(np.arange(90), [3, 50])
    question = unit(np.random.default_rng(1), 4, DIM)
    search = TokenSearch(
        TokenSpace(2.0, 1.0, "mean"), shards, readable, 1.0, "flat", tmp_path
    )
    places, keys = search.find(question, top)
    wanted = np.array([best_matches(question, texts[i]) for i in readable])
    # Equal answers in the order of the file.
    order = np.lexsort([np.arange(88), -wanted.round(12)])[:top]
    np.testing.assert_array_equal(places, order)
    np.testing.assert_allclose(keys, wanted[order], rtol=1e-12)
    np.testing.assert_allclose(
        search.space.scores(question, keys), wanted[order] / 2 + 1
    )


def test_what_float32_confuses_is_compared_in_float64(tmp_path):
    rng = np.random.default_rng(2)
    # Answers that differ in the last digits of float32.
    answers = np.repeat(unit(rng, 1, DIM), 50, axis=0)
    answers *= (1 - 1e-7 * rng.permutation(50))[:, None].astype(np.float32)
    shards = TokenShards(tmp_path, 50)
    given = [Answer(str(i), "a") for i in range(50)]
    shards.write_tokens(0, given, answers, np.ones(50, int))
    question = unit(rng, 5, DIM)
    search = TokenSearch(
        TokenSpace(1.0), shards, np.arange(50), 1.0, "flat", tmp_path
    )
    wanted = [best_matches(question, answer[None]) for answer in answers]
    _, keys = search.find(question, 3)
    np.testing.assert_allclose(keys, np.sort(wanted)[::-1][:3], rtol=1e-13)


def test_a_missing_shard(stored, tmp_path):
    folder = shutil.copytree(stored[0].folder, tmp_path / "shards")
    shutil.rmtree(folder / "000002")
    search = TokenSearch(
        *(TokenSpace(1.0), TokenShards(folder, 40), np.arange(90)),
        *(1.0, "flat", tmp_path),
    )
    with pytest.raises(SearchError, match=r"answer 89. Received: 80 answers"):
        search.find(unit(np.random.default_rng(0), 1, DIM), 3)


def test_damaged_shards(stored, tmp_path):
    folder = shutil.copytree(stored[0].folder, tmp_path / "shards")
    vectors = np.load(folder / "000001/vectors.npy")
    np.save(folder / "000001/vectors.npy", vectors * np.nan)
    search = TokenSearch(
        *(TokenSpace(1.0), TokenShards(folder, 40), np.arange(90)),
        *(1.0, "flat", tmp_path),
    )
    with pytest.raises(SearchError, match="finite vectors"):
        search.find(np.ones((2, DIM), np.float32), 1)
    np.save(folder / "000001/tokens.npy", np.array([0, 4]))
    with pytest.raises(SearchError, match=r"tokens\.npy: expected tokens of"):
        TokenShards(folder, 40).shard(1)
    with pytest.raises(SearchError, match=r"answer 10\. Received: 10 answers"):
        TokenShards(folder, 40).tokens(np.array([0, 90]))
    for question in (np.ones(DIM), np.ones((2, DIM + 1)), np.ones((0, DIM))):
        with pytest.raises(SearchError, match=r"the shape \(tokens, 16\)"):
            search.check(question)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    pytest.importorskip("keras_hub")
    keras.utils.set_random_seed(0)
    model = models.LateInteraction(
        *(SIZE, 1, 2, 8, 8, 16),
        cls_id=2,
        sep_id=3,
        projection_dim=DIM,
        scale=2.0,
    )
    return write_run(tmp_path_factory.mktemp("late") / "run", model, VOCABULARY)


@pytest.mark.parametrize("half", [False, True])
def test_an_index_ranks_as_the_model_does(run, answer_file, tmp_path, half):
    ranker, folder = Ranker.load(run), tmp_path / "index"
    pytest.importorskip("faiss")
    for kind in ("hnsw", "flat"):
        given = {"shard_size": 16, "half": half, "show_progress": False}
        assert build_index(ranker, answer_file, folder, kind, **given) == 100
    index = AnswerIndex(folder)
    assert index.kind == "flat" and not (folder / "flat.faiss").exists()
    wanted = ranker.scores(QUESTION, ANSWERS)
    question = index.encode(QUESTION)
    # Three words, [CLS] and [SEP].
    assert question.shape == (5, DIM)
    rows, scores = index.search(question, 100)
    assert sorted(rows) == list(range(100))
    tolerance = 1e-2 if half else 1e-5
    np.testing.assert_allclose(scores, wanted[rows], atol=tolerance)
    assert (np.diff(scores) <= 0).all()
    found = AnswerIndex(folder, "hnsw").search(question, 10, effort=1000)
    np.testing.assert_array_equal(found[0], rows[:10])
    np.testing.assert_array_equal(found[1], scores[:10])
    stored = np.load(folder / "shards/000000/vectors.npy")
    assert stored.dtype == (np.float16 if half else np.float32)
    with pytest.raises(SearchError, match="`half` was"):
        build_index(
            *(ranker, answer_file, folder), shard_size=16, half=not half
        )


@pytest.mark.once
def test_the_commands(run, tmp_path, capsys):
    pytest.importorskip("faiss")
    texts = ["w1 w2", "the news", "w7 emma", "?", "w1 w7 Emma?", "w3"]
    (tmp_path / "answers.txt").write_text("\n".join(texts))
    expected = Ranker.load(run).rank(QUESTION, texts)
    given = ("--answers", tmp_path / "answers.txt", "--kind", "hnsw")
    assert command("index", run, *given, "--output", tmp_path / "index") == 0
    assert "a vector for each token" in capsys.readouterr().err
    asked = ("ask", tmp_path / "index", "--question", QUESTION)
    for kind in ("flat", "hnsw"):
        assert command(*asked, "--kind", kind, "--format", "jsonl") == 0
        rows = map(json.loads, capsys.readouterr().out.splitlines())
        found = [(texts.index(row["answer"]), row["score"]) for row in rows]
        assert [place for place, _ in found] == [i for i, _ in expected]
        np.testing.assert_allclose(
            [x for _, x in found], [x for _, x in expected], rtol=1e-5
        )


def test_half_precision_is_of_tokens(answer_file, tmp_path):
    ranker = Ranker(models.CosineQA(SIZE, 6, 5), TextReading(VOCABULARY))
    with pytest.raises(SearchError, match=r"`half` goes with .*: CosineQA"):
        build_index(ranker, answer_file, tmp_path / "index", half=True)
    assert not (tmp_path / "index").exists()
