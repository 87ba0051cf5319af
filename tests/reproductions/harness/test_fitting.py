"""What fitting adds to a scorer: features, distinct pairs, patience."""

import keras
import numpy as np
import pytest

from keras_qa.datasets import Corpus
from keras_qa.text.overlap import OverlapFeatures
from keras_qa.training.epoch_selection import EpochSelector
from keras_qa.training.run_folder import RunFolder
from keras_qa.training.run_folder import keep_only
from reproductions.ctrn.experiment import overlap_model
from reproductions.harness.fitting import Ranker


@pytest.fixture
def corpus(capital_questions):
    return Corpus(capital_questions)


@pytest.fixture
def ranker(corpus):
    keras.utils.set_random_seed(1)
    return Ranker(overlap_model(), corpus, OverlapFeatures.fit(corpus.tokens))


def test_features_are_those_of_the_pairs_that_are_scored(
    ranker, corpus, capital_questions
):
    indexed = corpus.index(capital_questions)
    kernel, bias = (
        keras.ops.convert_to_numpy(weight)
        for weight in ranker.scorer.get_layer("score").weights
    )
    ranked = ranker.rank(indexed)
    assert [len(scores) for scores in ranked] == [3, 3, 1]
    for question, scores in zip(capital_questions, ranked, strict=True):
        for candidate, score in zip(question.candidates, scores, strict=True):
            texts = (
                corpus.tokens[corpus.index([question]).question_texts[0]],
                candidate.text.lower().split(),
            )
            features = ranker.overlap.pair(*texts)
            assert score == pytest.approx(
                (features @ kernel + bias).item(), abs=1e-5
            )


def test_a_ranker_without_features_gives_none(corpus):
    one = np.array([0])
    assert Ranker(overlap_model(), corpus).features(one, one) == {}


def test_questions_have_their_numbers_if_the_scorer_wants_them(corpus):
    rows = np.array([0, 4, 7], dtype=np.int32)
    ranker = Ranker(overlap_model(), corpus, question_rows=rows)
    pairs = np.array([2, 1, 2]), np.array([0, 0, 1])
    found = ranker.features(*pairs)
    np.testing.assert_array_equal(found["question_row"], [[7], [4], [7]])
    assert list(found) == ["question_row"]


def test_each_distinct_pair_is_scored_once(ranker, monkeypatch):
    rng = np.random.default_rng(0)
    questions, answers = rng.integers(0, 3, (2, 40))
    expected = ranker.scores(questions, answers)
    asked = []
    scores = Ranker.scores

    def count(self, questions, answers):
        asked.append(len(questions))
        return scores(self, questions, answers)

    monkeypatch.setattr(Ranker, "scores", count)
    found = ranker.distinct_scores(questions, answers)
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert asked == [len(set(zip(questions, answers, strict=True)))]


@pytest.mark.parametrize(
    ("patience", "quality", "ends"),
    [
        (2, [0.1, 0.3, 0.2, 0.1, 0.9], 4),
        # Equal is not better.
        (2, [0.3, 0.3, 0.3, 0.9], 3),
        (1, [0.1, 0.2, 0.3, 0.4], None),
        (0, [0.9, 0.1, 0.1, 0.1], None),
    ],
)
def test_patience(tmp_path, patience, quality, ends):
    selector = EpochSelector(
        RunFolder(tmp_path, {}), lambda: None, patience=patience
    )
    assert not selector.out_of_patience
    for epoch, value in enumerate(quality, start=1):
        selector.history.append({"epoch": epoch, "MAP": value})
        if selector.out_of_patience:
            break
    assert (epoch if selector.out_of_patience else None) == ends


def test_only_the_named_files_stay(tmp_path):
    for name in ("metrics.json", "model.keras"):
        (tmp_path / name).touch()
    (tmp_path / "saved_model/variables").mkdir(parents=True)
    keep_only(tmp_path, {"metrics.json", "run.trec"})
    assert [path.name for path in tmp_path.iterdir()] == ["metrics.json"]
