"""What `fit` reads of batches that are drawn for each epoch."""

import keras
import numpy as np
import pytest

from keras_qa.batches.pairs import PointwiseBatches
from keras_qa.text.packing import RaggedTexts
from support.one_weight import one_weight_model

TEXTS = RaggedTexts.from_sequences([np.arange(1, 2 + i % 4) for i in range(10)])
NUMBERS = np.arange(10)


def batches_of(**arguments):
    labels = (NUMBERS % 2).astype(np.float32)
    return PointwiseBatches(TEXTS, NUMBERS, NUMBERS, labels, 4, **arguments)


def losses(read):
    """The losses of a model of one weight that reads what `read` returns."""
    batches = batches_of(seed=3)
    arguments = batches.fit_arguments(epochs=3, verbose=0)
    return one_weight_model().fit(read(batches), **arguments).history["loss"]


def test_feeding_trains_as_the_batches_do():
    fed = losses(lambda batches: batches.feed())
    assert fed == losses(lambda batches: batches)
    assert len(set(fed)) == 3


def test_workers_make_batches_as_keras_does():
    for arguments in ({"workers": 2}, {"use_multiprocessing": True}):
        batches = batches_of(**arguments)
        assert batches.feed() is batches


@pytest.mark.skipif(
    keras.backend.backend() == "tensorflow", reason="TensorFlow has a dataset"
)
def test_other_backends_read_the_batches():
    batches = batches_of()
    assert batches.feed() is batches


@pytest.mark.skipif(
    keras.backend.backend() != "tensorflow", reason="needs TensorFlow"
)
def test_tensorflow_reads_a_dataset_that_it_does_not_tune():
    batches = batches_of()
    dataset = batches.feed()
    assert dataset.options().autotune.enabled is False
    assert dataset.cardinality().numpy() == len(batches) == 3
    for epoch in (0, 1):
        batches.start_epoch(epoch)
        read = list(dataset.as_numpy_iterator())
        assert len(read) == len(batches)
        for i in range(len(batches)):
            keras.tree.map_structure(
                np.testing.assert_array_equal, read[i], batches[i]
            )
