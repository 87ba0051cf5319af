"""Training on all pairs of the questions and answers of a batch."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa.batches.triplets import TripletBatches
from keras_qa.losses.in_batch import InBatchSoftmax
from keras_qa.models import IARNN
from keras_qa.models import AttentiveLSTM
from keras_qa.models import CosineQA
from keras_qa.models import HyperQA
from keras_qa.text.packing import RaggedTexts
from keras_qa.training.in_batch import InBatchTrainer
from support.layer_checks import quick_call

TEXTS = RaggedTexts.from_sequences(
    [[2, 3], [4], [5, 6, 7], [2, 8], [9, 3, 4], [6], [7, 2, 2, 3], [5]]
)
# Two questions share a right answer, which is no negative of either.
QUESTIONS = [0, 1, 2]
CANDIDATES = [np.array([3, 4, 5]), np.array([3, 6]), np.array([7, 5])]
LABELS = [np.array([1, 0, 0]), np.array([1, 0]), np.array([1, 0])]
ONCE = pytest.mark.once


def batches(**settings):
    given = {"batch_size": 3, "negatives": 1, **settings}
    return TripletBatches(TEXTS, QUESTIONS, CANDIDATES, LABELS, **given)


@pytest.mark.parametrize("chunk", [pytest.param(None, marks=ONCE), 2])
@pytest.mark.parametrize("model_class", [HyperQA, AttentiveLSTM])
def test_scores_are_those_of_all_pairs(model_class, chunk):
    """Of encodings that are vectors, and of ones that are structures."""
    model = model_class(10, 4, 3)
    inputs, labels = batches(chunk=chunk)[0]
    scores = ops.convert_to_numpy(quick_call(InBatchTrainer(model), inputs))
    assert scores.shape == labels.shape
    row = 0
    for questions in inputs["question"]:
        for question in questions:
            column = 0
            for texts in inputs["texts"]:
                pairs = {
                    "question": np.repeat(question[None], len(texts), axis=0),
                    "answer": texts,
                }
                wanted = ops.convert_to_numpy(quick_call(model, pairs))[:, 0]
                found = scores[row, column : column + len(texts)]
                np.testing.assert_allclose(found, wanted, atol=1e-5)
                column += len(texts)
            row += 1


def test_training_ranks_the_right_answers_first():
    keras.utils.set_random_seed(1)
    model = CosineQA(10, 8, 8, trainable_embeddings=True, score_scale=5.0)
    trainer = InBatchTrainer(model)
    trainer.compile(keras.optimizers.Adam(0.05), loss=InBatchSoftmax())
    history = trainer.fit(batches(), epochs=12, verbose=0).history["loss"]
    assert history[-1] < history[0] / 2
    config = keras.saving.serialize_keras_object(trainer)
    assert isinstance(
        keras.saving.deserialize_keras_object(config), InBatchTrainer
    )


@pytest.mark.once
def test_a_scorer_with_losses_of_its_own_reads_whole_batches():
    """In parts each would add a mean over its pairs."""
    trainer = InBatchTrainer(IARNN(10, 4, 3, inner_attention="word", occam=0.1))
    trainer(batches()[0][0], training=True)
    with pytest.raises(ValueError, match=r"`chunk` .* None .*: 2 and 3 parts"):
        trainer(batches(chunk=2)[0][0], training=True)
