"""Batches of questions with lists of their candidates."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa.batches.listwise import ListwiseBatches
from keras_qa.losses.listwise import ListwiseSoftmax
from keras_qa.models import HyperQA
from keras_qa.text.packing import RaggedTexts
from keras_qa.training.pairwise import PairwiseTrainer
from support.layer_checks import quick_call
from support.numbered_texts import numbered_texts

QUESTIONS, ANSWERS = 13, 40
TEXTS = QUESTIONS + ANSWERS
NUMBERED = numbered_texts(TEXTS, 12)


def _groups():
    """2 to 13 candidates, 0 to 4 of them right; the last question is the first.

    Question 11 has no wrong candidate.
    """
    rng = np.random.default_rng(1)
    candidates, labels = [], []
    for i in range(QUESTIONS + 1):
        size = 2 + i % QUESTIONS
        candidates.append(
            rng.choice(np.arange(QUESTIONS, TEXTS), size, replace=False)
        )
        labels.append((np.arange(size) < i % 5).astype(int))
    labels[11][:] = 1
    return np.array([*range(QUESTIONS), 0]), candidates, labels


def _sides():
    """The right and the wrong candidates of each question text."""
    right, wrong = {}, {}
    for question, texts, label in zip(*_groups(), strict=True):
        right.setdefault(int(question), set()).update(texts[label > 0].tolist())
        wrong.setdefault(int(question), set()).update(texts[label < 1].tolist())
    return right, {q: texts - right[q] for q, texts in wrong.items()}


def _batches(**settings):
    settings = {"batch_size": 3, "seed": 3, "packed": False, **settings}
    return ListwiseBatches(NUMBERED, *_groups(), **settings)


def _named(batch):
    """For each question its answers by label, told by their first words."""
    inputs, labels = batch
    assert labels.dtype == np.float32
    assert labels.shape == inputs["answers"].shape[:2]
    found = {}
    for question, answers, row in zip(
        inputs["question"][:, 0] - 2,
        inputs["answers"][..., 0] - 2,
        labels,
        strict=True,
    ):
        found[int(question)] = {
            label: answers[row == label].tolist() for label in (1, 0, -1)
        }
    return found


def _epoch(batches, epoch):
    batches.start_epoch(epoch)
    found = {}
    for index in range(len(batches)):
        found |= _named(batches[index])
    return found


@pytest.mark.once
def test_a_group_has_all_candidates_where_these_are_few():
    right, wrong = _sides()
    found = _epoch(_batches(group_size=30), 2)
    assert found.keys() == {q for q in right if right[q] and wrong[q]}
    for question, answers in found.items():
        assert sorted(answers[1]) == sorted(right[question])
        assert sorted(answers[0]) == sorted(wrong[question])
        assert set(answers[-1]) <= right[question] | wrong[question]


@pytest.mark.once
def test_a_group_is_drawn_anew_from_many():
    right, wrong = _sides()
    batches = _batches(group_size=5)
    first, second = _epoch(batches, 0), _epoch(batches, 1)
    assert first != second
    assert _epoch(batches, 0) == first == _epoch(_batches(group_size=5), 0)
    for question, answers in first.items():
        assert len(answers[1]) == min(len(right[question]), 2)
        assert set(answers[1]) <= right[question]
        assert set(answers[0]) <= wrong[question]
        assert len(set(answers[0])) == min(
            len(wrong[question]), 5 - len(answers[1])
        )


@pytest.mark.once
def test_answers_from_everywhere():
    right, _ = _sides()
    space = np.arange(QUESTIONS, TEXTS)
    found = _epoch(_batches(pool="all", group_size=20, everything=space), 0)
    assert found.keys() == {q for q in right if right[q]}
    for question, answers in found.items():
        assert len(set(answers[0])) == 20 - len(answers[1])
        assert not set(answers[0]) & right[question]
    # Those of a small space are shuffled, too, and then all there.
    few = _batches(pool="all", group_size=20, everything=space[:6])
    for question, answers in _epoch(few, 0).items():
        assert set(answers[0]) == set(space[:6].tolist()) - right[question]


@pytest.mark.once
@pytest.mark.parametrize("size", [2, 3, 30])
def test_targets_need_no_wrong_answers(size):
    """Question 11 has 13 right ones, and none is left out that fits."""
    batches = _batches(
        group_size=size, targets=lambda question, answer: answer * 1.0
    )
    for index in range(len(batches)):
        inputs, targets = batches[index]
        for question, row in zip(inputs["question"], targets, strict=True):
            if question[0] - 2 == 11:
                assert np.isfinite(row).sum() == min(size, 13)


@pytest.mark.once
def test_a_question_to_which_everything_is_right_has_no_group():
    texts = RaggedTexts.from_sequences([[2]] * 5)
    # Its answers are given twice.
    candidates = [np.array([2, 3, 2, 3]), np.array([2])]
    labels = [np.ones(4), np.ones(1)]
    batches = ListwiseBatches(
        texts, [0, 1], candidates, labels, batch_size=2, pool="all"
    )
    assert batches._groups[0][0] == 1 and len(batches._groups) == 1


def _padding(batches):
    return sum((batches[i][1] == -1).sum() for i in range(len(batches)))


@pytest.mark.once
def test_questions_of_like_size_share_a_batch():
    assert _padding(_batches(batch_size=2)) < _padding(
        _batches(batch_size=2, window=1)
    )


@pytest.mark.skipif(
    keras.backend.backend() == "jax", reason="shapes are rounded up for JAX"
)
def test_no_axis_looks_constant():
    """Keras takes one that is equal in the first two batches for constant."""
    batches = _batches()
    widths = [batches[index][1].shape[1] for index in range(len(batches))]
    assert [width % 2 for width in widths] == [i % 2 for i in range(4)]


def test_features_belong_to_their_pairs():
    def features(questions, answers):
        return {"overlap": np.stack([questions, answers], axis=1) + 2.0}

    batches = _batches(features=features)
    for index in range(len(batches)):
        inputs, labels = batches[index]
        assert inputs["overlap"].shape == (*labels.shape, 2)
        np.testing.assert_array_equal(
            inputs["overlap"][..., 0],
            np.broadcast_to(inputs["question"][:, :1], labels.shape),
        )
        np.testing.assert_array_equal(
            inputs["overlap"][..., 1], inputs["answers"][..., 0]
        )


def test_packed_and_padded_lists_train_alike():
    keras.utils.set_random_seed(1)
    model = HyperQA(TEXTS + 2, 6, 5)
    start, steps = model.get_weights(), []
    for packed in (True, False):
        model.set_weights(start)
        trainer = PairwiseTrainer(model)
        trainer.compile(keras.optimizers.SGD(0.1), loss=ListwiseSoftmax())
        trainer.fit(_batches(packed=packed), epochs=1, verbose=0)
        steps.append(model.get_weights())
    moved = []
    for before, a, b in zip(start, *steps, strict=True):
        moved.append(np.abs(a - before).max())
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4)
    assert max(moved) > 1e-3


def test_the_loss_of_a_batch_is_that_of_its_scores():
    keras.utils.set_random_seed(1)
    trainer = PairwiseTrainer(HyperQA(TEXTS + 2, 6, 5))
    inputs, labels = _batches()[0]
    scores = ops.convert_to_numpy(quick_call(trainer, inputs))
    losses = []
    for row, label in zip(scores, labels, strict=True):
        real = row[label >= 0]
        chances = np.exp(real) / np.exp(real).sum()
        losses.append(-np.log(chances[label[label >= 0] == 1]).mean())
    np.testing.assert_allclose(
        float(ListwiseSoftmax()(labels, scores)), np.mean(losses), rtol=1e-5
    )


@pytest.mark.once
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"batch_size": 0}, "`batch_size` must be a positive int"),
        ({"group_size": 1}, "`group_size` must be at least 2. .*group_size=1"),
        ({"group_size": 2.5}, "`group_size` must be a positive integer"),
        ({"window": 0}, "`window` must be a positive integer"),
        ({"pool": "some"}, "`pool` must be one of"),
    ],
)
def test_errors(settings, message):
    with pytest.raises(ValueError, match=message):
        _batches(**settings)


@pytest.mark.once
def test_nothing_to_rank():
    questions, candidates, labels = _groups()
    with pytest.raises(ValueError, match="must hold a wrong answer for some"):
        ListwiseBatches(
            *(NUMBERED, questions, candidates),
            [np.ones_like(label) for label in labels],
            batch_size=3,
        )
