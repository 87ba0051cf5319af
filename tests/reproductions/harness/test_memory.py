"""Commands of many runs do not keep the batches of earlier ones."""

import gc
import weakref

import keras
import numpy as np

from reproductions.harness.memory import forget_models


class Batches(keras.utils.PyDataset):
    def __len__(self):
        return 1

    def __getitem__(self, index):
        return np.ones((2, 3)), np.ones((2, 1))


def test_batches_of_an_earlier_fit_are_freed():
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile(loss="mse")
    batches = Batches()
    model.fit(batches, verbose=0)
    kept = weakref.ref(batches)
    del batches, model
    forget_models()
    gc.collect()
    assert kept() is None
