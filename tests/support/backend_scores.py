"""Outputs of all models on one backend, for `test_backends`.

KERAS_BACKEND=jax python -m support.backend_scores OUTPUT.npz forward
"""

import inspect
import sys

import keras
import numpy as np
from tqdm import tqdm

from support.all_models import MODELS
from support.all_models import build
from support.all_models import inputs_for
from support.layer_checks import QUICKEST
from support.layer_checks import run

STEPS, LEARNING_RATE = 5, 0.1
LABELS = np.array([[1], [0], [1], [0]], "float32")
COMPILED = keras.backend.backend() == "jax"
# The floors and the fusion of rankers have no dropout.
TRAINED = sorted(
    name
    for name, model in MODELS.items()
    if "dropout" in inspect.signature(model.args[0]).parameters
)


def forward(name):
    """The outputs of a model."""
    model = build(name)
    inputs = inputs_for(model)
    if not isinstance(inputs, dict):
        return run(model, inputs, mode=QUICKEST)
    names = sorted(inputs)
    return run(
        lambda *arrays: model(dict(zip(names, arrays, strict=True))),
        *(inputs[n] for n in names),
        mode=QUICKEST,
    )


def training(name, **settings):
    """The losses of some steps and the outputs after them, in one array."""
    keras.utils.set_random_seed(1)
    model = build(name, **settings)
    inputs = inputs_for(model)
    scores = isinstance(inputs, dict)
    model.compile(
        keras.optimizers.SGD(LEARNING_RATE),
        keras.losses.BinaryCrossentropy(from_logits=True) if scores else None,
        run_eagerly=not COMPILED,
    )
    batch = (inputs, LABELS) if scores else (inputs,)
    losses = [model.train_on_batch(*batch) for _ in range(STEPS)]
    return np.append(losses, model.predict_on_batch(inputs))


def main(output, what):
    """Writes one or more arrays for each model."""
    found = {}
    names = sorted(MODELS) if what == "forward" else TRAINED
    for name in tqdm(names):
        if what == "forward":
            found[name] = forward(name)
        else:
            found[name] = training(name, dropout=0.0)
            for i in range(2):
                found[f"{name}, seed, {i}"] = training(name, dropout=0.3)
        keras.backend.clear_session()
    np.savez(output, **found)


if __name__ == "__main__":
    main(*sys.argv[1:])
