"""Training on the hardest of K negatives, against the plain computation."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa.batches.negatives import NegativeSampler
from keras_qa.batches.pairs import HardestNegativeBatches
from keras_qa.losses.pairwise import PairwiseHinge
from keras_qa.models import QACNN
from keras_qa.models import AttentiveCNN
from keras_qa.text.packing import next_size
from keras_qa.training.pairwise import HardestNegativeTrainer
from keras_qa.training.pairwise import PairwiseTrainer
from support.layer_checks import QUICKEST
from support.layer_checks import run
from support.numbered_texts import numbered_texts

QUESTIONS, ANSWERS, NEGATIVES, MARGIN = 7, 40, 6, 0.2
TEXTS = QUESTIONS + ANSWERS
NUMBERED = numbered_texts(TEXTS, 12)
TRUE = [[QUESTIONS + 3 * i + j for j in range(1 + i % 2)] for i in range(7)]
BACKEND = keras.backend.backend()
KINDS = {"siamese": QACNN, "attentive": AttentiveCNN}


def _batches(negatives=NEGATIVES, **settings):
    sampler = NegativeSampler(
        range(QUESTIONS),
        [np.array(answers) for answers in TRUE],
        [np.ones(len(answers), int) for answers in TRUE],
        negatives=negatives,
        strategy="random",
        pool="all",
        everything=np.arange(QUESTIONS, TEXTS),
    )
    settings = {"batch_size": 4, "seed": 3, **settings}
    return HardestNegativeBatches(NUMBERED, sampler, **settings)


def _scorer(kind, **settings):
    """A small model whose weights are wide enough for scores to differ."""
    keras.utils.set_random_seed(1)
    scorer = KINDS[kind](TEXTS + 2, 4, filters=5, kernel_size=2, **settings)
    rng = np.random.default_rng(2)
    scorer.set_weights([rng.normal(size=w.shape) for w in scorer.get_weights()])
    return scorer


def _compiled(trainer, loss=None, learning_rate=1.0):
    trainer.compile(
        keras.optimizers.SGD(learning_rate), loss=loss or PairwiseHinge(MARGIN)
    )
    return trainer


def _text(ids):
    """The number of the text that padded word ids show."""
    return ids[..., 0] - 2


def _hinge_of_the_worst(y_true, y_pred):
    worst = ops.max(y_pred[:, 1:], axis=1)
    return ops.relu(MARGIN - y_pred[:, 0] + worst)


@pytest.mark.parametrize(
    ("kind", "shared"), [("siamese", True), ("attentive", False)]
)
def test_a_step_equals_the_plain_computation(kind, shared):
    """Loss and gradient of all scores, of which the worst is taken."""
    scorer = _scorer(kind)
    start = scorer.get_weights()
    batches = _batches(shared=shared)
    mined = _compiled(HardestNegativeTrainer(scorer))
    plain = _compiled(PairwiseTrainer(scorer), _hinge_of_the_worst)
    for index in (0, 2):  # The last batch is smaller.
        inputs, labels = batches[index]
        assert labels.tolist() == [[1, 0]] * len(labels)
        stepped = []
        for trainer in (mined, plain):
            scorer.set_weights(start)
            if trainer is plain:
                inputs = {k: inputs[k] for k in ("question", "answers")}
            loss = trainer.train_on_batch(inputs, labels)
            stepped.append([loss, *scorer.get_weights()])
        assert stepped[0][0] > 0.01
        for found, expected in zip(*stepped, strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    for weight, after in zip(start, stepped[0][1:], strict=True):
        assert np.abs(weight - after).max() > 1e-4


@pytest.mark.parametrize("kind", KINDS)
def test_mined_scores_are_the_scorers_own(kind):
    scorer = _scorer(kind)
    trainer = HardestNegativeTrainer(scorer)
    inputs, _ = _batches()[0]
    found = ops.convert_to_numpy(trainer.mine(inputs))
    expected = run(
        lambda q, a: scorer({"question": q, "answer": a}),
        np.repeat(inputs["question"], NEGATIVES, axis=0),
        np.concatenate(inputs["answers"][:, 1:]),
        mode=QUICKEST,
    )
    np.testing.assert_allclose(found.ravel(), expected[:, 0], atol=1e-6)
    scores = ops.convert_to_numpy(trainer(inputs))
    np.testing.assert_allclose(scores[:, 1], found.max(1), atol=1e-6)


def test_shared_negatives_have_no_targets_of_their_own():
    with pytest.raises(ValueError, match="`features` and `targets` must be"):
        _batches(shared=True, targets=lambda questions, answers: answers)


@pytest.mark.parametrize("shared", [False, True])
def test_no_batch_holds_a_true_answer_as_a_negative(shared):
    batches = _batches(shared=shared)
    for epoch in range(60):
        batches.start_epoch(epoch)
        pairs = []
        for index in range(len(batches)):
            inputs, _ = batches[index]
            answers = _text(inputs["answers"])
            for question, row in zip(
                _text(inputs["question"]), answers, strict=True
            ):
                assert row[0] in TRUE[question]
                assert not set(TRUE[question]) & set(row[1:].tolist())
                pairs.append((question, row[0]))
        expected = [(q, a) for q in range(QUESTIONS) for a in TRUE[q]]
        assert sorted(pairs) == expected


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("batch_size", [1, 4])
def test_parts_hold_each_negative_once(batch_size, shared):
    batches = _batches(24, batch_size=batch_size, shared=shared)
    for index in range(len(batches)):
        inputs, _ = batches[index]
        assert len(inputs["parts"]) == (2 if shared or batch_size == 1 else 8)
        negatives = inputs["answers"][:, 1:]
        found, encoded, longest = [], [], 0
        for part in inputs["parts"]:
            question, row = part["pairs"].T
            texts = part["texts"]
            found += zip(question, _text(texts[row]), strict=True)
            encoded += [t for t in _text(texts) if t >= 0]
            lengths = (texts > 0).sum(1)
            assert lengths.min(initial=99, where=lengths > 0) >= longest
            longest = int(lengths.max())
            assert texts.shape[1] <= next_size(longest + 1)
        for row, choices in enumerate(inputs["choice"]):
            for column, place in enumerate(choices):
                assert found[place] == (row, _text(negatives)[row, column])
        distinct = np.unique(_text(negatives))
        assert np.unique(encoded).tolist() == distinct.tolist()
        # A text whose pairs lie on both sides of a cut stands in both parts.
        assert len(encoded) < len(distinct) + len(inputs["parts"])


def test_shared_negatives_are_few():
    for index in range(2):
        own, shared = (
            _text(_batches(shared=s)[index][0]["answers"][:, 1:])
            for s in (False, True)
        )
        assert len(np.unique(own)) > 2 * NEGATIVES
        # One column may differ where its answer is a question's own.
        different = [len(np.unique(column)) for column in shared.T]
        assert np.median(different) == 1
        assert len(np.unique(shared)) <= sum(different)


def test_own_candidates_cannot_be_shared():
    sampler = NegativeSampler(
        [0], [np.arange(1, 9)], [np.eye(8, dtype=int)[0]], strategy="random"
    )
    with pytest.raises(ValueError, match="Received: pool='own'"):
        HardestNegativeBatches(NUMBERED, sampler, batch_size=1, shared=True)


def test_targets_of_negatives_that_are_chosen_after_them_are_refused():
    def targets(questions, answers):
        return answers.astype(np.float32)

    _, found = _batches(negatives=1, targets=targets)[0]
    assert found.shape == (4, 2) and found.min() >= QUESTIONS
    for settings in ({"negatives": 2}, {"negatives": 1, "shared": True}):
        with pytest.raises(ValueError, match="chosen after them"):
            _batches(targets=targets, **settings)


def test_sizes_suit_the_backend():
    batches = _batches()
    longest = batches.texts.lengths.max()
    seen = set()
    for epoch in range(20):
        batches.start_epoch(epoch)
        for part in batches[0][0]["parts"]:
            rows, width = part["texts"].shape
            assert len(part["pairs"]) == 4 * NEGATIVES // 2
            if BACKEND == "jax":
                assert rows == next_size(rows)
                assert width in (next_size(width), longest)
            else:
                assert width % 2 == 0
            seen.add((rows, width))
    if BACKEND == "jax":
        assert len(seen) < 8


def test_one_negative_needs_no_mining():
    scorer = _scorer("siamese")
    batches = _batches(negatives=1)
    inputs, _ = batches[0]
    assert set(inputs) == {"question", "answers"}
    scores = [
        ops.convert_to_numpy(trainer(scorer)(inputs))
        for trainer in (HardestNegativeTrainer, PairwiseTrainer)
    ]
    np.testing.assert_array_equal(*scores)


def test_mining_sees_no_dropout_and_training_does():
    trainer = HardestNegativeTrainer(_scorer("siamese", dropout=0.5))
    plain = HardestNegativeTrainer(_scorer("siamese"))
    inputs, _ = _batches()[0]
    expected, *found = (
        ops.convert_to_numpy(values)
        for values in (
            plain.mine(inputs),
            trainer.mine(inputs),
            trainer(inputs, training=False)[:, 1],
            trainer(inputs, training=True)[:, 1],
        )
    )
    np.testing.assert_allclose(found[0], expected, atol=1e-6)
    np.testing.assert_allclose(found[1], expected.max(1), atol=1e-6)
    assert np.abs(found[2] - expected.max(1)).max() > 1e-3


def test_mining_keeps_nothing_for_a_gradient():
    if BACKEND != "torch":
        pytest.skip("only PyTorch decides as it runs")
    trainer = HardestNegativeTrainer(_scorer("attentive"))
    inputs, _ = _batches()[0]
    inputs = keras.tree.map_structure(ops.convert_to_tensor, inputs)
    assert trainer(inputs, training=True).requires_grad
    assert not trainer.mine(inputs).requires_grad


def test_the_embedding_gets_gradients_of_its_rows():
    """SGD then changes the rows of the batch, not the whole table."""
    if BACKEND != "tensorflow":
        pytest.skip("only TensorFlow has sparse gradients")
    seen = {}

    class NotingSGD(keras.optimizers.SGD):
        def update_step(self, gradient, variable, learning_rate):
            seen[variable.name.split("/")[-1]] = type(gradient).__name__
            super().update_step(gradient, variable, learning_rate)

    scorer = _scorer("attentive")
    trainer = HardestNegativeTrainer(scorer)
    trainer.compile(NotingSGD(1.0), loss=PairwiseHinge(MARGIN))
    before = scorer.get_weights()[0]
    inputs, labels = _batches(batch_size=1)[0]
    trainer.train_on_batch(inputs, labels)
    assert seen["embeddings:0"] == "IndexedSlices"
    assert seen["kernel:0"].endswith("Tensor")
    changed = np.flatnonzero((scorer.get_weights()[0] != before).any(1))
    assert 2 < len(changed) < TEXTS / 2
    present = {*inputs["question"].ravel(), *inputs["answers"].ravel()}
    assert set(changed) <= present


@pytest.mark.parametrize("shared", [False, True])
def test_what_an_epoch_holds_depends_on_its_number_alone(shared):
    reached, begun = _batches(shared=shared), _batches(shared=shared)
    for epoch in range(3):
        reached.start_epoch(epoch)
    begun.start_epoch(2)
    for index in range(len(begun)):
        keras.tree.map_structure(
            np.testing.assert_array_equal, reached[index], begun[index]
        )


@pytest.mark.compiled
@pytest.mark.once
def test_a_resumed_training_repeats_an_uninterrupted_one():
    scorer = _scorer("siamese")
    start = scorer.get_weights()
    histories = []
    for parts in ([(0, 3)], [(0, 1), (1, 3)]):
        scorer.set_weights(start)
        trainer = _compiled(HardestNegativeTrainer(scorer), learning_rate=0.1)
        losses = []
        for first, last in parts:
            losses += trainer.fit(
                _batches(shared=True),
                initial_epoch=first,
                epochs=last,
                verbose=0,
            ).history["loss"]
        histories.append([losses, *scorer.get_weights()])
    for once, twice in zip(*histories, strict=True):
        np.testing.assert_allclose(once, twice, rtol=1e-5, atol=1e-6)


@pytest.mark.once
def test_the_loss_of_an_epoch_is_the_mean_over_groups():
    """The last batch is smaller, and has parts of its own sizes."""
    trainer = _compiled(
        HardestNegativeTrainer(_scorer("attentive")), learning_rate=0.0
    )
    batches = _batches()
    history = trainer.fit(batches, verbose=0)
    scores = np.concatenate(
        [ops.convert_to_numpy(trainer(batches[i][0])) for i in range(3)]
    )
    assert scores.shape == (10, 2)
    losses = np.maximum(0, MARGIN - scores[:, 0] + scores[:, 1])
    np.testing.assert_allclose(
        history.history["loss"], losses.mean(), rtol=1e-5
    )


@pytest.mark.once
def test_texts_are_not_packed():
    assert not HardestNegativeTrainer(_scorer("siamese")).supports_packing
