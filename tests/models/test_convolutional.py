"""MP-CNN, Severyn and Moschitti's ranker and the bigram model in NumPy."""

import numpy as np
import pytest

from keras_qa import HardestNegativeTrainer
from keras_qa import NegativeSampler
from keras_qa import PairwiseBatches
from keras_qa import PairwiseHinge
from keras_qa import PairwiseTrainer
from keras_qa.batches.pairs import HardestNegativeBatches
from keras_qa.models import MPCNN
from keras_qa.models import BigramCNN
from keras_qa.models import SeverynMoschitti
from keras_qa.text.packing import RaggedTexts
from support.all_models import scores_of
from support.convolutional_reference import REFERENCES
from support.convolutional_reference import make_model
from support.layer_checks import COMPILED
from support.layer_checks import QUICKEST
from support.model_checks import check_features
from support.model_checks import check_parts

# Texts of all lengths from 5 to 0, so also of fewer words than a filter has.
QUESTION = np.array(
    [[3, 7, 7, 2, 9], [9, 4, 0, 0, 0], [4, 0, 0, 0, 0], [0] * 5], "int32"
)
ANSWER = np.array([[8, 3, 1], [5, 0, 0], [4, 5, 0], [0, 0, 0]], "int32")
WITH_WORDS = range(3)
SMALL = {"max_width": 2, "per_dimension_filters": 2, "hidden_units": 4}
SETTINGS = [
    # Compiled, it takes seconds; the tests of its layers compile them.
    (MPCNN, SMALL, QUICKEST),
    (MPCNN, {**SMALL, "max_width": 1, "hidden_units": None}, QUICKEST),
    (SeverynMoschitti, {"filters": 4}, COMPILED[-1]),
    (SeverynMoschitti, {"filters": 4, "kernel_size": 2}, QUICKEST),
    (BigramCNN, {}, COMPILED[-1]),
    (BigramCNN, {"ngram": 1}, QUICKEST),
]
SMALLEST = [(MPCNN, SMALL), (SeverynMoschitti, {"filters": 4}), (BigramCNN, {})]


@pytest.mark.once
@pytest.mark.parametrize(("model_class", "settings", "mode"), SETTINGS)
def test_the_equations(model_class, settings, mode):
    model = make_model(model_class, **settings)
    scores = scores_of(model, QUESTION, ANSWER, mode)
    for row in WITH_WORDS:
        expected = REFERENCES[model_class](model, QUESTION[row], ANSWER[row])
        assert scores[row] == pytest.approx(expected, abs=1e-4), row


@pytest.mark.once
def test_features_are_standardised_and_joined():
    model = make_model(SeverynMoschitti, filters=4, overlap_features=2)
    reference = REFERENCES[SeverynMoschitti]
    check_features(model, reference, QUESTION, ANSWER)


@pytest.mark.once
@pytest.mark.parametrize(("model_class", "settings"), SMALLEST)
def test_padding_changes_nothing_and_parts_give_the_scores(
    model_class, settings
):
    model = make_model(model_class, **settings)
    check_parts(model, QUESTION, ANSWER)
    shared = model.question_encoder is model.answer_encoder
    assert shared == (model_class is not SeverynMoschitti)


@pytest.mark.once
def test_the_sizes_are_those_of_a_pencil():
    # d dimensions, n widths, m filters of each dimension, h hidden units.
    d, n, m, h = 300, 3, 20, 150
    horizontal = 3 * d * 2
    vertical = 3 * (n + 1) ** 2 * (2 + d) + 2 * n * m * (2 + d)
    numbers = horizontal + vertical
    assert numbers == 52_536
    block_a = 3 * sum(k * d * d + d for k in (1, 2, 3))
    block_b = 2 * sum((k + 1) * d * m for k in (1, 2, 3))
    ours = block_a + block_b + (numbers + 1) * h + h + 1
    assert MPCNN(9).core_parameters == ours == 9_611_401
    ranking = MPCNN(9, hidden_units=None).core_parameters
    assert ranking == block_a + block_b + numbers + 1 == 1_783_237
    # He et al.'s released code: a layer of d units before the wider filters,
    # filters that all dimensions share, two outputs. HyperQA prints 10.0M.
    before = 3 * (n - 1) * (d * d + d)
    shared = 2 * sum((k + 1) * m for k in (1, 2, 3))
    released = block_a + before + shared + (numbers + 1) * h + 2 * (h + 1)
    assert released == 10_045_712

    c, k, e = 100, 5, 50
    for features, size in ((0, 101_004), (4, 102_636)):
        j = 2 * c + 1 + features
        pencil = 2 * (k * e * c + c) + c * c + j * j + j + j + 1
        model = SeverynMoschitti(9, overlap_features=features)
        assert model.core_parameters == pencil == size
    assert BigramCNN(9).core_parameters == 3 * e * e + e + 1 == 7_551
    assert BigramCNN(9, ngram=1).core_parameters == e * e + 1 == 2_501


@pytest.mark.once
@pytest.mark.parametrize(
    "trainer_class", [PairwiseTrainer, HardestNegativeTrainer]
)
def test_rao_et_al_train_on_the_hardest_wrong_answers(trainer_class):
    # Question 1, its right answer 2, its wrong ones 3 to 5.
    texts = RaggedTexts.from_sequences(
        [[], [3, 7, 2], [8, 3], [4], [9, 5], [6]]
    )
    ids = np.array([[2, 3, 4, 5]])
    hardest = trainer_class is HardestNegativeTrainer
    strategy = "random" if hardest else "max"
    sampler = NegativeSampler([1], ids, [[1, 0, 0, 0]], 3, strategy)
    model = make_model(MPCNN, **{**SMALL, "max_width": 1})

    def score(questions, answers):
        pair = [texts.padded(x) for x in (questions, answers)]
        return scores_of(model, *pair, QUICKEST)

    (question,), (right,), (negatives,) = sampler.sample(0, score)
    assert (question, right) == (1, 2)
    scores = score(np.full(3, 1), negatives)
    assert sorted(negatives) == [3, 4, 5]
    assert hardest or (np.diff(scores) <= 0).all()

    trainer = trainer_class(model)
    eagerly = QUICKEST == "eager"
    trainer.compile("sgd", PairwiseHinge(1.0), run_eagerly=eagerly)
    if hardest:
        batches = HardestNegativeBatches(texts, sampler, 1)
    else:
        batches = PairwiseBatches(
            texts, lambda epoch: sampler.sample(epoch, score), 1, packed=False
        )
    before = score(np.array([1]), np.array([2]))
    losses = np.maximum(0, 1 - before + scores)
    expected = losses.max() if hardest else losses.sum()
    history = trainer.fit(batches, verbose=0)
    assert history.history["loss"][0] == pytest.approx(expected, rel=1e-3)


@pytest.mark.once
@pytest.mark.parametrize(
    ("model_class", "settings", "message"),
    [
        (MPCNN, {"per_dimension_filters": 0}, "`per_dimension_filters` must"),
        (MPCNN, {"max_width": 1.5}, "`max_width` must be a positive integer"),
        (BigramCNN, {"ngram": 3}, r"`ngram` must be one of \(1, 2\)"),
        (SeverynMoschitti, {"overlap_features": -1}, "`overlap_features` must"),
    ],
)
def test_wrong_arguments(model_class, settings, message):
    with pytest.raises(ValueError, match=message):
        model_class(9, **settings)
