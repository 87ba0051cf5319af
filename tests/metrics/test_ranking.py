"""Metrics of rankings against trec_eval, and in `keras.Model.fit`."""

import keras
import numpy as np
import pytest

from keras_qa import metrics
from keras_qa.batches.listwise import ListwiseBatches
from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.losses.listwise import ListwiseSoftmax
from keras_qa.models import CosineQA
from keras_qa.ranking.evaluation import evaluate
from keras_qa.ranking.evaluation import named_measures
from keras_qa.text.packing import RaggedTexts
from keras_qa.training.pairwise import PairwiseTrainer

MEASURES = {
    "MAP": metrics.MeanAveragePrecision(),
    "MRR": metrics.MeanReciprocalRank(),
    "P@1": metrics.PrecisionAt(),
    "P@4": metrics.PrecisionAt(4),
    "Recall@2": metrics.RecallAt(2),
    "nDCG@3": metrics.NDCG(3),
    "nDCG@20": metrics.NDCG(20),
}


def _drawn():
    """Grades and scores of 40 questions, some of them without right ones."""
    rng = np.random.default_rng(0)
    grades = rng.choice([-1, -1, 0, 0, 0, 1, 2, 3], size=(40, 9))
    grades[0], grades[1], grades[2] = 0, -1, 3
    return grades, rng.normal(size=grades.shape).astype(np.float32)


def _by_trec_eval(grades, scores, name):
    questions, kept = [], []
    for i, (labels, values) in enumerate(zip(grades, scores, strict=True)):
        real = np.flatnonzero(labels >= 0)
        candidates = [Candidate(str(j), "", int(labels[j])) for j in real]
        questions.append(Question(str(i), "", tuple(candidates)))
        kept.append(values[real])
    return evaluate(questions, kept, measures=named_measures(name))


@pytest.mark.parametrize("name", MEASURES)
def test_trec_eval_says_the_same(name):
    grades, scores = _drawn()
    expected = _by_trec_eval(grades, scores, name)
    assert expected.questions_scored < 40
    metric = MEASURES[name].from_config(MEASURES[name].get_config())
    assert metric.name == name.lower()
    for part in (slice(0, 25), slice(25, 40)):
        metric.update_state(grades[part], scores[part])
    assert float(metric.result()) == pytest.approx(expected.metrics[name])
    metric.reset_state()
    weights = np.arange(40.0)
    metric.update_state(grades, scores, weights)
    rows = {int(i): row[name] for i, row in expected.per_question.items()}
    mean = np.average([*rows.values()], weights=weights[[*rows]])
    assert float(metric.result()) == pytest.approx(mean)


def test_a_constant_score_puts_the_right_one_last():
    metric = metrics.MeanReciprocalRank()
    metric.update_state([[0, 1, 0, -1]], np.zeros((1, 4)))
    assert float(metric.result()) == pytest.approx(1 / 3)
    metric = metrics.MeanReciprocalRank()
    metric.update_state([[1, 0]], [[-np.inf, 0.0]])
    assert float(metric.result()) == 0.5


@pytest.mark.once
@pytest.mark.parametrize("name", MEASURES)
def test_double_precision(name):
    config = {**MEASURES[name].get_config(), "dtype": "float64"}
    metric = type(MEASURES[name]).from_config(config)
    metric.update_state([[1, 0]], [[2.0, 1.0]])
    assert float(metric.result()) == pytest.approx(0.25 if name == "P@4" else 1)


def test_scores_of_pairs_are_refused():
    with pytest.raises(ValueError, match=r"the callback `RankingV.*\(3, 1\)"):
        metrics.NDCG()(np.ones((3, 1)), np.ones((3, 1)))
    with pytest.raises(ValueError, match="`k` must be a positive integer"):
        metrics.PrecisionAt(0)


@pytest.mark.compiled
def test_weights_are_of_questions():
    weights = {"sample_weight": [[1.0, 1.0, 0.0]] * 2}
    with pytest.raises(ValueError, match="one weight for each question"):
        metrics.MeanAveragePrecision().update_state(
            [[1, 0, 1]] * 2, [[3.0, 2.0, 1.0]] * 2, **weights
        )
    metric = metrics.MeanAveragePrecision()
    labels, scores = [[1, 0], [0, 1]], [[2.0, 1.0]] * 2
    metric.update_state(labels, scores, sample_weight=[[3.0], [1.0]])
    assert float(metric.result()) == pytest.approx((3 * 1 + 0.5) / 4)


def test_callbacks_of_keras_find_the_best_epoch(tmp_path):
    rng = np.random.default_rng(0)
    texts = RaggedTexts.from_sequences(
        [rng.integers(2, 30, 4).tolist() for _ in range(30)]
    )
    candidates = [rng.choice(np.arange(8, 30), 5, False) for _ in range(8)]
    groups = np.arange(8), candidates, [np.array([0, 1, 0, 0, 1])] * 8
    keras.utils.set_random_seed(0)
    model = CosineQA(30, 4)
    trainer = PairwiseTrainer(model)
    trainer.compile(
        keras.optimizers.SGD(0.0),
        loss=ListwiseSoftmax(),
        metrics=[metrics.MeanAveragePrecision(), metrics.NDCG(3)],
    )
    # Twice the candidates, so that all right ones are kept.
    dev = ListwiseBatches(texts, *groups, batch_size=3, group_size=10)
    history = trainer.fit(
        ListwiseBatches(texts, *groups, batch_size=4),
        validation_data=dev,
        epochs=5,
        verbose=0,
        callbacks=[
            keras.callbacks.EarlyStopping(monitor="val_map", patience=2),
            keras.callbacks.ModelCheckpoint(
                tmp_path / "{epoch}.weights.h5",
                monitor="val_ndcg@3",
                mode="max",
                save_best_only=True,
                save_weights_only=True,
            ),
        ],
    ).history
    # Nothing is learned at a rate of 0: the first epoch stays the best.
    assert len(history["val_map"]) == 3
    assert [path.name for path in tmp_path.iterdir()] == ["1.weights.h5"]
    assert 0 < history["val_map"][0] == history["val_map"][-1] < 1


@pytest.mark.parametrize("lowest", [-np.inf, np.nan])
def test_padding_is_behind_any_score(lowest):
    metric = metrics.MeanAveragePrecision()
    metric.update_state([[1, 0, -1]], np.array([[lowest, 0, 5]], "float32"))
    assert float(metric.result()) == 0.5
