"""Training on the distances of all texts of a batch."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa.batches.triplets import TripletBatches
from keras_qa.losses.triplet import MINING
from keras_qa.losses.triplet import TripletLoss
from keras_qa.models import MRNN
from keras_qa.training.triplets import TripletTrainer
from support.layer_checks import quick_call
from support.numbered_texts import numbered_texts

QUESTIONS, DOCUMENTS = 7, 20
TEXTS = QUESTIONS + DOCUMENTS


class MeanDistance(keras.Model):
    """The distance of the mean word vectors of two texts, times a weight.

    What the encoder gives is a structure, as that of MRNN.
    """

    def __init__(self):
        super().__init__()
        keras.utils.set_random_seed(1)
        ids = keras.Input((None,), dtype="int32")
        vectors = keras.layers.Embedding(TEXTS + 2, 3, "normal")(ids)
        encoded = {
            "mask": ops.not_equal(ids, 0),
            "vectors": keras.layers.Dense(4, use_bias=False)(vectors),
        }
        self.question_encoder = keras.Model(ids, encoded)
        self.answer_encoder = self.question_encoder
        self.weight = self.add_weight(shape=(), initializer="ones")
        self.built = True

    def encoded_distances(self, question, answer):
        question, answer = map(_mean, (question, answer))
        differences = question[:, None] - answer
        squares = ops.sum(ops.square(differences), axis=-1)
        return self.weight * ops.sqrt(squares + 1e-6)


def _mean(encoded):
    mask = ops.cast(encoded["mask"], "float32")[:, :, None]
    total = ops.sum(encoded["vectors"] * mask, axis=1)
    return total / ops.maximum(ops.sum(mask, axis=1), 1)


def _batches(**settings):
    """Questions with one to three relevant documents, none in common."""
    own = np.split(QUESTIONS + np.arange(DOCUMENTS), range(3, 21, 3))
    counts = [1 + i % 3 for i in range(QUESTIONS)]
    candidates = [documents[:n] for documents, n in zip(own, counts, strict=1)]
    return TripletBatches(
        numbered_texts(TEXTS, 9),
        range(QUESTIONS),
        candidates,
        [np.ones(len(texts), int) for texts in candidates],
        **{"batch_size": 3, "seed": 3, **settings},
    )


def _compiled(scorer, loss=None, learning_rate=0.3):
    trainer = TripletTrainer(scorer)
    loss = loss or TripletLoss(1.0)
    trainer.compile(keras.optimizers.SGD(learning_rate), loss=loss)
    return trainer


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("chunk", [None, 2])
def test_distances_are_those_of_every_question_and_document(chunk, training):
    scorer = MeanDistance()
    inputs, labels = _batches(chunk=chunk)[0]
    assert len(inputs["texts"]) == (1 if chunk is None else 4)
    found = quick_call(TripletTrainer(scorer), inputs, training=training)
    assert tuple(found.shape) == labels.shape
    table, kernel = scorer.question_encoder.get_weights()
    sides = [
        [
            (table[ids[ids > 0]] @ kernel).mean(0)
            for part in inputs[side]
            for ids in part
        ]
        for side in ("question", "texts")
    ]
    expected = [[np.linalg.norm(q - d) for d in sides[1]] for q in sides[0]]
    np.testing.assert_allclose(
        ops.convert_to_numpy(found), expected, rtol=1e-3, atol=1e-2
    )


@pytest.mark.compiled
@pytest.mark.parametrize("mining", MINING)
def test_a_step_in_chunks_equals_a_step_at_once(mining):
    """Each question chooses among the documents of the whole batch."""
    stepped = []
    for chunk in (None, 2):
        scorer = MeanDistance()
        start = scorer.get_weights()
        trainer = _compiled(scorer, TripletLoss(1.0, mining))
        loss = trainer.train_on_batch(*_batches(chunk=chunk)[0])
        stepped.append([loss, *scorer.get_weights()])
    assert stepped[0][0] > 0.1
    for once, in_chunks in zip(*stepped, strict=True):
        np.testing.assert_allclose(in_chunks, once, rtol=1e-5, atol=1e-6)
    for weight, after in zip(start, stepped[0][1:], strict=True):
        assert np.abs(weight - after).max() > 1e-4


@pytest.mark.compiled
@pytest.mark.once
def test_a_resumed_training_repeats_an_uninterrupted_one():
    histories = []
    for parts in ([(0, 2)], [(0, 1), (1, 2)]):
        scorer = MeanDistance()
        trainer = _compiled(scorer)
        losses = []
        for first, last in parts:
            losses += trainer.fit(
                _batches(positives=1, chunk=3, batch_size=5),
                initial_epoch=first,
                epochs=last,
                verbose=0,
            ).history["loss"]
        histories.append([losses, *scorer.get_weights()])
    for once, twice in zip(*histories, strict=True):
        np.testing.assert_allclose(once, twice, rtol=1e-5, atol=1e-6)


@pytest.mark.once
def test_mrnn_learns_which_document_is_whose():
    keras.utils.set_random_seed(0)
    scorer = MRNN(
        TEXTS + 2,
        8,
        filters=8,
        blocks=2,
        max_document_length=12,
        momentum=0.5,
        trainable_embeddings=True,
    )
    trainer = TripletTrainer(scorer)
    trainer.compile(
        keras.optimizers.AdamW(0.02, weight_decay=1e-3),
        loss=TripletLoss(0.5),
    )
    batches = _batches(batch_size=QUESTIONS, chunk=7)
    losses = trainer.fit(batches, epochs=6, verbose=0).history["loss"]
    assert losses[-1] < 0.7 * losses[0]
    assert np.isfinite(losses).all()
    revived = TripletTrainer.from_config(trainer.get_config())
    revived.scorer.set_weights(scorer.get_weights())
    inputs, _ = batches[0]
    np.testing.assert_allclose(
        *(ops.convert_to_numpy(t(inputs)) for t in (trainer, revived)),
        rtol=1e-5,
        atol=1e-5,
    )


@pytest.mark.once
def test_texts_are_not_packed():
    assert not TripletTrainer(MeanDistance()).supports_packing
