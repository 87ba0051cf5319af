"""All models compute the same with TensorFlow, JAX and PyTorch."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import keras
import numpy as np
import pytest

from support.all_models import MODELS

ROOT = Path(__file__).parents[2]
BACKENDS = ("tensorflow", "jax", "torch")

pytestmark = pytest.mark.skipif(
    keras.backend.backend() != "tensorflow",
    reason="it starts a process for each backend itself",
)


def measured(folder, what):
    """For each backend that is installed what `backend_scores` wrote."""
    found = {}
    for backend in BACKENDS:
        if importlib.util.find_spec(backend) is None:
            continue
        output = folder / f"{backend}.npz"
        subprocess.run(
            [sys.executable, "-m", "support.backend_scores", output, what],
            cwd=ROOT,
            check=True,
            env={
                **os.environ,
                "KERAS_BACKEND": backend,
                "PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}",
            },
        )
        found[backend] = dict(np.load(output))
    return found


@pytest.fixture(autouse=True)
def another_backend():
    """With one alone there is nothing to compare."""
    if not any(map(importlib.util.find_spec, BACKENDS[1:])):
        pytest.skip("needs JAX or PyTorch")


def check(found, tolerance):
    expected = found["tensorflow"]
    for backend, arrays in found.items():
        for name in sorted(MODELS):
            np.testing.assert_allclose(
                arrays[name],
                expected[name],
                rtol=tolerance,
                atol=tolerance,
                err_msg=f"{name} with {backend}",
            )


def test_one_forward_pass_is_the_same(tmp_path):
    check(measured(tmp_path, "forward"), 1e-5)


@pytest.mark.large
def test_a_short_training_is_nearly_the_same_and_a_seed_is_all_it_needs(
    tmp_path,
):
    """Five steps of SGD without dropout; and twice those with dropout."""
    found = measured(tmp_path, "training")
    for backend, arrays in found.items():
        for name in sorted(MODELS):
            first, second = (arrays[f"{name}, seed, {i}"] for i in range(2))
            np.testing.assert_array_equal(
                first, second, err_msg=f"{name} with {backend}"
            )
    check(found, 1e-4)
