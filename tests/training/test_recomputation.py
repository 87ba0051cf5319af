"""Recomputed parts: the same values, gradients, dropout and averages."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa.training.recomputation import Recomputation

pytestmark = pytest.mark.compiled

BACKEND = keras.backend.backend()
WORDS, LENGTH, ROWS, PARTS = 20, 6, 4, 3


class Summed(keras.Model):
    """Sums of squares of what a model gives for the parts of a batch."""

    def __init__(self, inner, recomputed):
        super().__init__()
        self.inner = inner
        self.recomputed = recomputed
        self.built = True
        self.calls = 0

    def call(self, inputs, training=None):
        def encode(ids):
            self.calls += 1
            encoded = self.inner(ids, training=training)
            counts = ops.sum(ops.cast(encoded["mask"], "int32"), axis=1)
            return {**encoded, "counts": counts}

        if self.recomputed:
            recompute = Recomputation(self.inner)
            parts = [recompute(encode, part) for part in inputs]
            recompute.update()
        else:
            parts = [encode(part) for part in inputs]
        return sum(map(_mean_square, parts))


def _mean_square(encoded):
    mask = ops.cast(encoded["mask"], "float32")[:, :, None]
    total = ops.sum(ops.square(encoded["vectors"]) * mask, axis=(1, 2))
    return total / ops.cast(encoded["counts"], "float32")


def _inner():
    """A frozen and a trained embedding, batch statistics and dropout."""
    keras.utils.set_random_seed(0)
    ids = keras.Input((None,), dtype="int32")
    frozen = keras.layers.Embedding(WORDS, 3, trainable=False)(ids)
    trained = keras.layers.Embedding(WORDS, 4)(ids)
    x = keras.layers.Dense(5)(keras.layers.Concatenate()([frozen, trained]))
    x = keras.layers.BatchNormalization(momentum=0.5)(x)
    # Without a seed, PyTorch draws from a generator of its own.
    x = keras.layers.Dropout(0.3, seed=3)(x)
    return keras.Model(ids, {"mask": ops.not_equal(ids, 0), "vectors": x})


def _state(model):
    return [ops.convert_to_numpy(v) for v in model.variables]


def _trained(recomputed, steps=2):
    model = Summed(_inner(), recomputed)
    model.compile(keras.optimizers.SGD(0.1), loss=lambda y, y_pred: y_pred)
    rng = np.random.default_rng(0)
    losses = []
    for _ in range(steps):
        ids = rng.integers(0, WORDS, (PARTS, ROWS, LENGTH)).astype("int32")
        ids[:, :, 0] = 1
        losses.append(model.train_on_batch(tuple(ids), np.zeros(ROWS)))
    return [np.array(losses), *_state(model.inner)], model


def test_steps_equal_those_without_recomputation():
    """Losses, weights, moving averages and the state of the dropout."""
    start = _state(_inner())
    plain, _ = _trained(recomputed=False)
    found, _ = _trained(recomputed=True)
    for value, expected in zip(found, plain, strict=True):
        np.testing.assert_allclose(value, expected, rtol=1e-5, atol=1e-6)
    unchanged = [
        np.array_equal(before, after)
        for before, after in zip(start, found[1:], strict=True)
    ]
    # All but the frozen embedding.
    assert sum(unchanged) == 1
    assert unchanged[0]


def test_parts_are_computed_a_second_time():
    calls = [_trained(again, steps=1)[1].calls for again in (False, True)]
    if BACKEND == "jax":  # JAX computes again what it has recorded.
        assert calls[0] == calls[1]
    else:
        assert calls[1] - calls[0] == PARTS


def test_inner_values_are_not_kept():
    if BACKEND != "torch":
        pytest.skip("only PyTorch tells what it keeps")
    import torch

    kept = []
    for recomputed in (False, True):
        model = Summed(_inner(), recomputed)
        sizes = []
        with torch.autograd.graph.saved_tensors_hooks(
            lambda x, sizes=sizes: sizes.append(x.numel()) or x, lambda x: x
        ):
            parts = [torch.ones((50, LENGTH), dtype=torch.int32)] * PARTS
            model(tuple(parts), training=True)
        kept.append(sum(sizes))
    # What comes out of a part, 5 numbers per word, is kept, and its square's.
    words = 50 * LENGTH * PARTS
    assert kept[1] < 20 * words < kept[0]


def test_the_state_moves_on_from_call_to_call():
    inner = _inner()
    recompute = Recomputation(inner)
    ids = ops.ones((ROWS, LENGTH), dtype="int32")

    def vectors(ids):
        return inner(ids, training=True)["vectors"]

    before = _state(inner)
    first, second = (
        ops.convert_to_numpy(recompute(vectors, ids)) for _ in range(2)
    )
    assert ((first == 0) != (second == 0)).any()
    for value, kept in zip(_state(inner), before, strict=True):
        np.testing.assert_array_equal(value, kept)
    recompute.update()
    seeds = [v for v in inner.non_trainable_variables if v.shape == (2,)]
    name = "seed_generator_state"
    (seed,) = (ops.convert_to_numpy(v) for v in seeds if v.name == name)
    (old,) = (
        value
        for v, value in zip(inner.variables, before, strict=True)
        if v.name == name
    )
    assert (seed - old).tolist() == [0, 2]
