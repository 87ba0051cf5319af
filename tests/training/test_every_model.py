"""One step of each kind of training changes every model, and breaks none.

The batches are those of the data: texts of several lengths, one word and no
word at all, a question with fewer candidates than another. What becomes of the
weights in many steps from hard batches is in `models/test_finite_gradients.py`.
"""

import keras
import numpy as np
import pytest

from keras_qa.batches.listwise import ListwiseBatches
from keras_qa.batches.pairs import PairwiseBatches
from keras_qa.batches.pairs import PointwiseBatches
from keras_qa.losses.listwise import ListwiseSoftmax
from keras_qa.losses.pairwise import PairwiseHinge
from keras_qa.text.packing import RaggedTexts
from keras_qa.text.vector_texts import VectorTexts
from keras_qa.training.pairwise import PairwiseTrainer
from support.all_models import SCORERS
from support.all_models import UNTRAINED
from support.all_models import build
from support.all_models import inputs_for

pytestmark = pytest.mark.once

SIDES = ("question", "answer")
# Some of each family; to train all takes a minute where others work, too.
QUICK = (
    *("AICNN", "ANMM", "APCNN", "ARCI", "ARCII", "AttentiveCNN", "BigramCNN"),
    *("CNNRanker", "CompareAggregate", "CosineQA", "FeatureRanker"),
    *("FusionRanker", "HyperQA", "InferSent", "KeyValueMemory", "LSTMRanker"),
    *("MRNN of vectors", "NTNLSTM", "QACNN", "QALSTM", "RelationNetwork"),
    *("SelfLSTM", "SentenceEncoder", "SeverynMoschitti"),
    "SeverynMoschitti with overlap",
)
# What shifts all logits of a softmax alike, and a penalty that is at its least.
CONSTANT = ("key/bias", "alignment/projection/bias", "penalty_kernel")
# Texts 0 and 1 are questions; text 6 has no word.
WORDS = [
    *([3, 7, 2, 9], [8, 5]),
    *([3, 7, 4], [6, 1, 29, 5], [9], [8, 5, 2], [], [4, 4, 11]),
]
QUESTIONS = np.array([0, 1])
CANDIDATES = [np.array([2, 3, 4]), np.array([5, 6, 7, 4])]
LABELS = [np.array([1, 0, 0]), np.array([0, 0, 1, 0])]


def texts_of(model):
    """The texts as a model reads them: word ids, or the words' vectors."""
    texts = RaggedTexts.from_sequences(WORDS)
    if not keras.backend.is_float_dtype(model.input["question"].dtype):
        return texts
    table = np.random.default_rng(0).normal(size=(30, model.embedding_dim))
    offsets = np.cumsum([0, *map(len, WORDS)])
    rows = [word for words in WORDS for word in words]
    return VectorTexts(table[rows].astype("float32"), offsets)


def features_of(model):
    """The inputs in addition to the texts, of any pairs."""

    def features(questions, answers):
        none = np.zeros((questions.size, 1), "int32")
        found = inputs_for(model, none, none)
        return {
            name: found[name].reshape(*answers.shape, -1)
            for name in model.input
            if name not in SIDES
        }

    return features


def pointwise(model):
    questions = np.repeat(QUESTIONS, [len(texts) for texts in CANDIDATES])
    answers = np.concatenate(CANDIDATES)
    model.compile(
        keras.optimizers.SGD(0.05),
        keras.losses.BinaryCrossentropy(from_logits=True),
    )
    return model, PointwiseBatches(
        texts_of(model),
        questions,
        answers,
        np.concatenate(LABELS),
        batch_size=8,
        features=features_of(model)(questions, answers),
        widths=widths_of(model),
    )


def pairwise(model):
    trainer = PairwiseTrainer(model)
    # No score is so far above another that the loss is 0.
    trainer.compile(keras.optimizers.SGD(0.05), PairwiseHinge(100.0))
    groups = QUESTIONS, np.array([2, 7]), np.array([[3, 4], [5, 6]])
    return trainer, PairwiseBatches(
        texts_of(model), lambda _: groups, batch_size=2, **common(trainer)
    )


def listwise(model):
    trainer = PairwiseTrainer(model)
    trainer.compile(keras.optimizers.SGD(0.05), ListwiseSoftmax())
    return trainer, ListwiseBatches(
        texts_of(model),
        QUESTIONS,
        CANDIDATES,
        LABELS,
        batch_size=2,
        **common(trainer),
    )


def widths_of(model):
    return {side: model.input[side].shape[1] for side in SIDES}


def common(trainer):
    model = trainer.scorer
    return {
        "packed": trainer.supports_packing,
        "features": features_of(model),
        "widths": widths_of(model),
    }


def values_of(weights):
    return [keras.ops.convert_to_numpy(weight).copy() for weight in weights]


def check(name):
    """Trains a model in each way, a step each, one after the other."""
    model = build(name)
    trained = model.trainable_weights
    moved = np.zeros(len(trained), bool)
    for kind in (pointwise, pairwise, listwise):
        trainer, batches = kind(model)
        batches.start_epoch(0)
        before = values_of(trained)
        loss = trainer.train_on_batch(*batches[0])
        assert np.isfinite(loss), kind.__name__
        for weight, value in zip(
            model.weights, values_of(model.weights), strict=True
        ):
            assert np.isfinite(value).all(), (kind.__name__, weight.path)
        changed = [
            (old != new).any()
            for old, new in zip(before, values_of(trained), strict=True)
        ]
        assert any(changed), kind.__name__
        moved |= changed
    still = [w.path for w, yes in zip(trained, moved, strict=True) if not yes]
    assert all(path.endswith(CONSTANT) for path in still), still


@pytest.mark.parametrize("name", QUICK)
def test_a_step_changes_the_weights_and_leaves_them_finite(name):
    check(name)


@pytest.mark.large
@pytest.mark.parametrize("name", sorted({*SCORERS} - {*UNTRAINED, *QUICK}))
def test_a_step_of_the_other_models(name):
    check(name)
