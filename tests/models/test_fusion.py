"""FusionRanker and BoostedRanker: scores by those of models of any inputs."""

import keras
import numpy as np
import pytest

from keras_qa.export.keras_file import load_model
from keras_qa.models import BM25Ranker
from keras_qa.models import BoostedRanker
from keras_qa.models import CNNRanker
from keras_qa.models import CosineQA
from keras_qa.models import FusionRanker
from keras_qa.models import IdfOverlapRanker
from keras_qa.ranking.logistic import logistic_regression
from keras_qa.ranking.scoring import score_pairs
from keras_qa.ranking.stacking.boosting import boosted_trees
from keras_qa.ranking.stacking.combining import fit_stacker
from keras_qa.text.packing import RaggedTexts
from support.all_models import ANSWER
from support.all_models import QUESTION

# What differs between backends, one forward pass, is in test_backends.py.
pytestmark = pytest.mark.once

SIZE = 30


class Indexed:
    """What is asked of indexed questions."""

    question_texts = np.array([0, 1, 2])
    candidate_texts = [np.array([3, 4]), np.array([4, 5]), np.array([5, 6])]
    labels = [np.array([1, 0]), np.array([0, 1]), np.array([1, 0])]

    def pairs(self):
        return (
            np.repeat(self.question_texts, 2),
            np.concatenate(self.candidate_texts),
        )


TEXTS = RaggedTexts.from_sequences([*QUESTION[:3], *ANSWER])


def rankers():
    keras.utils.set_random_seed(1)
    return [CosineQA(SIZE, 6, 5), BM25Ranker(SIZE), IdfOverlapRanker(SIZE)]


def scores_by(models):
    pairs = Indexed().pairs()
    return np.stack([score_pairs(m, TEXTS, *pairs) for m in models], axis=1)


def test_given_weights():
    parts = rankers()
    model = FusionRanker(parts, weights=[1.0, 0.5, 2.0])
    z = model.standardize(TEXTS, Indexed())
    x = scores_by(parts)
    np.testing.assert_allclose(z, (x - x.mean(0)) / x.std(0), atol=1e-4)
    found = score_pairs(model, TEXTS, *Indexed().pairs())
    np.testing.assert_allclose(found, z @ [1.0, 0.5, 2.0], atol=1e-4)


def test_fitted_weights():
    model = FusionRanker(rankers())
    fitted = model.fit_questions(TEXTS, Indexed(), l2=2.0)
    x = scores_by(model.rankers)
    x = (x - x.mean(0)) / x.std(0)
    labels = np.concatenate(Indexed.labels)
    weights, bias = logistic_regression(x, labels, 2.0)
    np.testing.assert_allclose(fitted["weights"], weights, atol=1e-4)
    found = score_pairs(model, TEXTS, *Indexed().pairs())
    np.testing.assert_allclose(found, x @ weights + bias, atol=1e-4)


def test_assigned_weights():
    model = FusionRanker(rankers())
    labels = np.concatenate(Indexed.labels)
    fitted = fit_stacker(scores_by(model.rankers), labels)
    model.assign(fitted)
    found = score_pairs(model, TEXTS, *Indexed().pairs())
    expected = fitted.scores(scores_by(model.rankers))
    np.testing.assert_allclose(found, expected, atol=1e-4)
    two = fit_stacker(scores_by(model.rankers)[:, :2], labels)
    with pytest.raises(ValueError, match="`fitted` must be of 3 numbers"):
        model.assign(two)


def test_boosted_trees(tmp_path):
    """Until trees are grown all scores are 0; they are saved."""
    model = BoostedRanker(rankers(), trees=5, depth=2)
    pairs, labels = Indexed().pairs(), np.concatenate(Indexed.labels)
    np.testing.assert_array_equal(score_pairs(model, TEXTS, *pairs), 0)
    fitted = model.fit_questions(TEXTS, Indexed(), learning_rate=0.3, seed=1)
    assert fitted == {"learning_rate": 0.3, "seed": 1}
    x = model.numbers(TEXTS, *pairs)
    np.testing.assert_allclose(x, scores_by(model.rankers), atol=1e-5)
    trees = boosted_trees(x, labels, 5, 2, 0.3, 1)
    found = score_pairs(model, TEXTS, *pairs)
    np.testing.assert_allclose(found, trees.scores(x), atol=1e-6)
    assert len(np.unique(found)) > 1
    model.save(tmp_path / "model.keras")
    loaded = load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(score_pairs(loaded, TEXTS, *pairs), found)


def test_saved_with_its_rankers(tmp_path):
    """Two of one name among them, one with another input."""
    keras.utils.set_random_seed(2)
    cnn = {"projection_dim": 4, "units": 3, "hidden_units": 2}
    parts = [
        BM25Ranker(SIZE, 1.0, name="one"),
        BM25Ranker(SIZE, 2.0, name="one"),
        CNNRanker(SIZE, 6, **cnn, overlap_features=2, question_length=7),
    ]
    model = FusionRanker(parts)
    assert model.input["question"].shape == (None, 7)
    assert (model.vocabulary_size, set(model.input)) == (
        SIZE,
        {"question", "answer", "overlap"},
    )
    overlap = np.arange(12.0, dtype="float32").reshape(6, 2)
    model.fit_questions(TEXTS, Indexed(), features={"overlap": overlap})
    model.save(tmp_path / "model.keras")
    loaded = load_model(tmp_path / "model.keras")
    pairs, features = Indexed().pairs(), {"overlap": overlap}
    np.testing.assert_allclose(
        score_pairs(loaded, TEXTS, *pairs, features),
        score_pairs(model, TEXTS, *pairs, features),
        atol=1e-6,
    )


@pytest.mark.parametrize(
    ("models", "weights", "message"),
    [
        ([], None, "`rankers` must hold at least one model"),
        ([BM25Ranker, SIZE, SIZE + 1], None, r"of \[30, 31\] words"),
        ([BM25Ranker, SIZE, SIZE], [1.0], "`weights` must be 2 finite"),
    ],
)
def test_errors(models, weights, message):
    made = [models[0](size) for size in models[1:]]
    with pytest.raises(ValueError, match=message):
        FusionRanker(made, weights)


def test_inputs_of_other_shapes_are_refused():
    sizes = {"projection_dim": 4, "units": 3, "hidden_units": 2}
    made = [
        CNNRanker(SIZE, 6, **sizes, question_length=length) for length in (7, 8)
    ]
    with pytest.raises(ValueError, match="shape of the input 'question'"):
        FusionRanker(made)
    plain = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    with pytest.raises(ValueError, match="a dict of inputs"):
        FusionRanker([plain])


def test_a_ranker_comes_once():
    parts = rankers()[:2]
    with pytest.raises(ValueError, match=r"must be different .*bm25"):
        FusionRanker([*parts, parts[1]])
