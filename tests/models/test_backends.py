"""All models compute the same with TensorFlow, JAX and PyTorch.

So the equations of each are compared under TensorFlow alone.
"""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from support.all_models import MODELS
from support.backend_scores import TRAINED
from support.backend_scores import forward

ROOT = Path(__file__).parents[2]
BACKENDS = ("tensorflow", "jax", "torch")
# What TensorFlow computed:
# python tests/support/backend_scores.py tests/data/forward_passes.npz forward
RECORDED = np.load(ROOT / "tests/data/forward_passes.npz")


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


def close(array, expected, tolerance, message=""):
    np.testing.assert_allclose(
        array, expected, rtol=tolerance, atol=tolerance, err_msg=message
    )


def check(found, tolerance):
    expected = found["tensorflow"]
    for backend, arrays in found.items():
        for name in TRAINED:
            close(arrays[name], expected[name], tolerance, f"{name}, {backend}")


@pytest.mark.parametrize("name", sorted(MODELS))
def test_one_forward_pass_is_that_of_tensorflow(name):
    close(forward(name), RECORDED[name], 1e-5)


@pytest.mark.once
@pytest.mark.large
def test_a_short_training_is_nearly_the_same_and_a_seed_is_all_it_needs(
    tmp_path,
):
    """Five steps of SGD without dropout; and twice those with dropout."""
    if not any(map(importlib.util.find_spec, BACKENDS[1:])):
        pytest.skip("needs JAX or PyTorch")
    found = measured(tmp_path, "training")
    for backend, arrays in found.items():
        for name in TRAINED:
            first, second = (arrays[f"{name}, seed, {i}"] for i in range(2))
            np.testing.assert_array_equal(
                first, second, err_msg=f"{name} with {backend}"
            )
    check(found, 1e-4)
