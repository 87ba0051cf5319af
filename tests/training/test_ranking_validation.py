"""Ranking measures in the logs of `keras.Model.fit`."""

from types import SimpleNamespace

import keras
import numpy as np

from keras_qa.training.ranking_validation import RankingValidation


def test_other_callbacks_find_the_measures(tmp_path):
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile("sgd", loss="mse", run_eagerly=True)
    values = iter([0.5, 0.7, 0.6, 0.6, 0.9])

    def measure():
        value = next(values)
        return SimpleNamespace(metrics={"MAP": value, "nDCG@10": 1 - value})

    stop = keras.callbacks.EarlyStopping(
        "val_map", mode="max", patience=2, restore_best_weights=True
    )
    save = keras.callbacks.ModelCheckpoint(
        tmp_path / "{epoch}-{val_map:.1f}.keras",
        monitor="val_map",
        mode="max",
        save_best_only=True,
    )
    history = model.fit(
        np.ones((4, 2)),
        np.ones((4, 1)),
        epochs=9,
        verbose=0,
        callbacks=[RankingValidation(measure), stop, save],
    ).history
    assert history["val_map"] == [0.5, 0.7, 0.6, 0.6]
    assert history["val_ndcg@10"][0] == 0.5
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["1-0.5.keras", "2-0.7.keras"]
