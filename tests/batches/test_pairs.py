"""Batches of labelled pairs, and what they share with batches of groups."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa.batches.pairs import PairwiseBatches
from keras_qa.batches.pairs import PointwiseBatches
from keras_qa.losses.pairwise import PairwiseHinge
from keras_qa.text.packing import next_size
from keras_qa.training.pairwise import PairwiseTrainer
from support.numbered_texts import numbered_texts

pytestmark = pytest.mark.compiled

TEXTS, PAIRS = 40, 103
NUMBERED = numbered_texts(TEXTS, 30)
JAX = keras.backend.backend() == "jax"


def _pairs():
    """Distinct pairs with their labels and features."""
    rng = np.random.default_rng(1)
    chosen = rng.permutation(TEXTS * TEXTS)[:PAIRS]
    questions, answers = np.divmod(chosen, TEXTS)
    labels = rng.integers(0, 2, PAIRS)
    return questions, answers, labels, rng.normal(size=(PAIRS, 4))


def _batches(**settings):
    questions, answers, labels, overlap = _pairs()
    arguments = {
        "batch_size": 8,
        "seed": 3,
        "features": {"overlap": overlap},
        **settings,
    }
    return PointwiseBatches(NUMBERED, questions, answers, labels, **arguments)


def _scorer():
    """The mean of the question's, the answer's and the features' scores."""
    keras.utils.set_random_seed(1)
    inputs = {
        "question": keras.Input((None,), dtype="int32", name="question"),
        "answer": keras.Input((None,), dtype="int32", name="answer"),
        "overlap": keras.Input((4,), name="overlap"),
    }
    embedding = keras.layers.Embedding(TEXTS + 2, 3, mask_zero=True)
    pooling = keras.layers.GlobalAveragePooling1D()
    vectors = [
        pooling(embedding(inputs["question"])),
        pooling(embedding(inputs["answer"])),
        inputs["overlap"],
    ]
    score = keras.layers.Dense(1)(keras.layers.Concatenate()(vectors))
    model = keras.Model(inputs, score)
    model.compile(
        keras.optimizers.SGD(0.5),
        loss=keras.losses.BinaryCrossentropy(from_logits=True),
    )
    return model


def _epoch(batches, epoch):
    """The pairs of an epoch, batch by batch, told by their first words."""
    batches.start_epoch(epoch)
    found = []
    for index in range(len(batches)):
        inputs, _ = batches[index]
        firsts = inputs["question"][:, 0] - 2, inputs["answer"][:, 0] - 2
        found.append(list(zip(*(f.tolist() for f in firsts), strict=True)))
    return found


@pytest.mark.once
@pytest.mark.parametrize("window", [1, 2, 16])
def test_an_epoch_holds_every_pair_once_with_what_belongs_to_it(window):
    questions, answers, labels, overlap = _pairs()
    number = {
        pair: i for i, pair in enumerate(zip(questions, answers, strict=True))
    }
    batches = _batches(window=window)
    sizes, seen = [], []
    for index, pairs in enumerate(_epoch(batches, 5)):
        inputs, found = batches[index]
        sizes.append(len(pairs))
        rows = [number[pair] for pair in pairs]
        seen += rows
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found[:, 0], labels[rows])
        np.testing.assert_array_equal(inputs["overlap"], overlap[rows])
        for side, indices in (("question", questions), ("answer", answers)):
            width = inputs[side].shape[1]
            np.testing.assert_array_equal(
                inputs[side], NUMBERED.padded(indices[rows], width)
            )
            assert width >= NUMBERED.lengths[indices[rows]].max()
    assert sorted(seen) == list(range(PAIRS))
    assert sorted(sizes) == [PAIRS % 8, *[8] * (PAIRS // 8)]


@pytest.mark.once
def test_order_depends_on_seed_and_epoch_alone():
    batches = _batches()
    first = _epoch(batches, 0)
    assert _epoch(batches, 1) != first
    assert _epoch(batches, 0) == first == _epoch(_batches(), 0)
    assert _epoch(_batches(seed=4), 0) != first
    # Without any call, the epoch is the first.
    inputs, _ = _batches()[0]
    assert (inputs["question"][:, 0] - 2).tolist() == [q for q, _ in first[0]]


@pytest.mark.once
def test_like_lengths_share_a_batch_and_the_batches_are_shuffled():

    def widest(window):
        batches = _batches(window=window)
        return [
            max(NUMBERED.lengths[answer] for _, answer in pairs)
            for pairs in _epoch(batches, 0)
        ]

    assert sum(widest(16)) < 0.75 * sum(widest(1))
    assert widest(16) != sorted(widest(16))


@pytest.mark.once
def test_each_epoch_of_a_fit_has_its_order():
    model = _scorer()
    batches = _batches()
    seen = []
    note = keras.callbacks.LambdaCallback(
        on_epoch_begin=lambda epoch, logs: seen.append(
            batches[0][0]["question"].tolist()
        )
    )
    arguments = batches.fit_arguments(
        initial_epoch=2, epochs=4, callbacks=[note], verbose=0
    )
    assert not arguments["shuffle"]
    model.fit(batches, **arguments)
    expected = []
    for epoch in (2, 3):
        batches = _batches()
        batches.start_epoch(epoch)
        expected.append(batches[0][0]["question"].tolist())
    assert seen == expected


@pytest.mark.once
def test_a_resumed_training_repeats_an_uninterrupted_one():
    weights = []
    for parts in ([(0, 3)], [(0, 1), (1, 3)]):
        model = _scorer()
        for first, last in parts:
            batches = _batches()
            model.fit(
                batches,
                **batches.fit_arguments(
                    initial_epoch=first, epochs=last, verbose=0
                ),
            )
        weights.append(model.get_weights())
    for once, twice in zip(*weights, strict=True):
        np.testing.assert_allclose(once, twice, rtol=1e-5, atol=1e-6)


@pytest.mark.once
def test_the_loss_is_the_mean_cross_entropy_of_all_pairs():
    """Equation 3 of CTRN: y log s + (1 - y) log(1 - s), of scores as logits."""
    model = _scorer()
    model.optimizer.learning_rate = 0.0
    batches = _batches()
    found = model.fit(batches, **batches.fit_arguments(verbose=0))
    losses = []
    for index in range(len(batches)):
        inputs, labels = batches[index]
        scores = ops.convert_to_numpy(model(inputs)).astype(np.float64)
        share = 1 / (1 + np.exp(-scores))
        losses += (
            -(labels * np.log(share) + (1 - labels) * np.log(1 - share))
        ).tolist()
    np.testing.assert_allclose(
        found.history["loss"], np.mean(losses), rtol=1e-4
    )


@pytest.mark.once
def test_widths_suit_the_backend():
    batches = _batches()
    for index in range(len(batches)):
        inputs, _ = batches[index]
        for side in ("question", "answer"):
            width = inputs[side].shape[1]
            if JAX:
                assert width in (next_size(width), batches.texts.lengths.max())
            else:
                assert width % 2 == index % 2


@pytest.mark.once
def test_a_width_that_is_given_is_kept():
    batches = _batches(widths={"question": 5, "answer": None})
    widths = set()
    for index in range(len(batches)):
        inputs, _ = batches[index]
        assert inputs["question"].shape[1] == 5
        widths.add(inputs["answer"].shape[1])
    assert len(widths) > 1


@pytest.mark.once
def test_an_only_batch_keeps_its_width_whatever_is_drawn():
    """Keras refuses later epochs with a width other than the first's."""
    by_length = np.argsort(NUMBERED.lengths)
    questions, positives = np.arange(3), np.arange(3, 6)

    def sampler(epoch):
        """Short negatives first, long ones then."""
        chosen = by_length[:6] if epoch == 0 else by_length[-6:]
        return questions, positives, chosen.reshape(3, 2)

    scorer = _scorer()
    pair = {side: scorer.input[side] for side in ("question", "answer")}
    zeros = keras.layers.Lambda(lambda q: ops.zeros((ops.shape(q)[0], 4)))
    features = {"overlap": zeros(pair["question"])}
    trainer = PairwiseTrainer(keras.Model(pair, scorer({**pair, **features})))
    trainer.compile("sgd", loss=PairwiseHinge())
    batches = PairwiseBatches(NUMBERED, sampler, 8, packed=False)
    assert len(batches) == 1
    history = trainer.fit(batches, epochs=3, verbose=0)
    assert np.isfinite(history.history["loss"]).all()


@pytest.mark.once
def test_every_epoch_has_as_many_groups():
    def sampler(epoch):
        texts = np.arange(6 - epoch)
        return texts, texts + 1, texts[:, None] + 2

    batches = PairwiseBatches(NUMBERED, sampler, 4, packed=False)
    batches.start_epoch(0)
    with pytest.raises(ValueError, match=r"Received: 5 in epoch 1, 6 before"):
        batches.start_epoch(1)


@pytest.mark.once
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"batch_size": 0}, "`batch_size` must be a positive int"),
        (
            {"window": 0},
            "`window` must be a positive int",
        ),
        (
            {"labels": np.zeros(2)},
            "`labels` must have 3 rows, one per pair. Received: 2 rows",
        ),
        (
            {"features": {"overlap": np.zeros((4, 4))}},
            "`overlap` must have 3 rows, one per pair. Received: 4 rows",
        ),
        ({"questions": []}, "`questions` must hold at least one. Received"),
    ],
)
def test_errors(settings, message):
    arguments = {
        "questions": np.arange(3),
        "answers": np.arange(3),
        "labels": np.zeros(3),
        "batch_size": 2,
        **settings,
    }
    with pytest.raises(ValueError, match=message):
        PointwiseBatches(NUMBERED, **arguments)
