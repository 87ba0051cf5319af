"""What all models of the kit do with `keras.Model.fit`."""

import itertools
import json

import keras
import numpy as np
import pytest

from keras_qa.batches.pairs import PointwiseBatches
from keras_qa.models import CosineQA
from keras_qa.text.packing import RaggedTexts
from keras_qa.training.pairwise import PairwiseTrainer
from support.all_models import build

pytestmark = pytest.mark.once


class Recorded(PointwiseBatches):
    """Batches that note which labels they gave."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.given = []

    def __getitem__(self, index):
        inputs, labels = super().__getitem__(index)
        self.given.append(labels[:, 0].tolist())
        return inputs, labels


def labels_of_fit(seed, **options):
    """The labels of each batch that `fit` read, each its pair's number."""
    keras.utils.set_random_seed(seed)
    texts = RaggedTexts.from_sequences([[2, 3]] * 9)
    rows = np.arange(9)
    batches = Recorded(texts, rows, rows, rows, 2, window=1)
    model = CosineQA(4, 3, 3)
    model.compile("sgd", "mse")
    model.fit(batches, verbose=0, **options)
    # Before the first epoch, Keras reads some for their shapes.
    return batches.given


def test_fit_draws_each_epoch_and_repeats_it():
    given = labels_of_fit(1, epochs=3)[-15:]
    epochs = [given[:5], given[5:10], given[10:]]
    for epoch in epochs:
        assert sorted(itertools.chain(*epoch)) == list(range(9))
    contents = [{frozenset(batch) for batch in epoch} for epoch in epochs]
    assert contents[0] != contents[1] != contents[2]
    # The batches' own seed decides, and no other.
    assert labels_of_fit(2, epochs=3)[-15:] == given
    # A resumed training goes on with its epoch.
    assert labels_of_fit(3, epochs=3, initial_epoch=2)[-5:] == epochs[2]


@pytest.mark.parametrize("trainer", [lambda model: model, PairwiseTrainer])
def test_float16_as_an_argument_scales_the_loss(trainer):
    for dtype, scaled in ("mixed_float16", True), ("float32", False):
        model = trainer(CosineQA(4, 3, 3, dtype=dtype))
        model.compile("sgd", "mse")
        assert scaled == isinstance(
            model.optimizer, keras.optimizers.LossScaleOptimizer
        )


def test_fit_takes_arrays_as_keras_does():
    model = CosineQA(4, 3, 3)
    model.compile("sgd", "mse")
    ids = np.ones((4, 2), np.int32)
    inputs = {"question": ids, "answer": ids}
    history = model.fit(inputs, np.ones((4, 1)), 2, 3, 0).history
    assert len(history["loss"]) == 3


def test_quantization_is_refused():
    """Its file could not be loaded, which one would see when it is too late."""
    with pytest.raises(NotImplementedError, match="CosineQA cannot be quant"):
        CosineQA(4, 3, 3).quantize("int8")


@pytest.mark.parametrize("name", ["APBiLSTM", "FusionRanker", "HyperQA", "IAM"])
@pytest.mark.parametrize("step", [2, 3])
def test_what_was_frozen_stays_frozen(name, step):
    """Whichever layer it is, inside others or shared by them."""
    model = build(name)
    model.added = keras.layers.Dense(2)
    assert "trainable_layers" not in model.get_config()
    for layer in list(model._flatten_layers(False))[::step]:
        layer.trainable = not layer.trainable
    config = json.loads(json.dumps(model.get_config()))
    again = type(model).from_config(config)
    for kind in "trainable_weights", "non_trainable_weights":
        shapes = [weight.shape for weight in getattr(model, kind)]
        assert [weight.shape for weight in getattr(again, kind)] == shapes
    assert again.get_config() == config
