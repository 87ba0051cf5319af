"""Fixtures of the whole suite."""

import gc
import os
from pathlib import Path

import pytest

from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.quiet import silence_tensorflow

silence_tensorflow()


def pytest_collection_finish() -> None:
    """Spares the garbage collector what stays: modules and the tests.

    To trace a model takes many small objects, after every few of which it
    would look through all that the backends have.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)


# Fixtures of the commands and of the search.
pytest_plugins = ["support.search_fixtures"]


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Leaves out, on JAX and PyTorch, what cannot differ from TensorFlow."""
    if os.environ.get("KERAS_BACKEND", "tensorflow") == "tensorflow":
        return
    once = [item for item in items if item.get_closest_marker("once")]
    config.hook.pytest_deselected(items=once)
    items[:] = [item for item in items if not item.get_closest_marker("once")]


@pytest.fixture(scope="module", autouse=True)
def training_of_module(request: pytest.FixtureRequest) -> None:
    """Runs eagerly on TensorFlow, in modules that are not `compiled`."""
    _train(request.node)


@pytest.fixture(autouse=True)
def training_of_test(request: pytest.FixtureRequest) -> None:
    """Runs eagerly on TensorFlow, in tests that are not `compiled`."""
    _train(request.node)


def _train(node: pytest.Item) -> None:
    # Imports Keras, which the process that starts the workers does not need.
    from support.eager_training import train_eagerly

    train_eagerly(not node.get_closest_marker("compiled"))


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder with the real data sets, named by KERAS_QA_DATA."""
    folder = os.environ.get("KERAS_QA_DATA")
    if not folder:
        pytest.skip("set KERAS_QA_DATA to a folder with the real data sets")
    return Path(folder)


@pytest.fixture
def capital_questions() -> list[Question]:
    """Three questions: one ordinary, one with two positives, one with none."""
    return [
        Question(
            "1.1",
            "What is the capital of France ?",
            (
                Candidate("a", "Paris is the capital of France .", 1),
                Candidate("b", "France lies in western Europe .", 0),
                Candidate("c", "The capital of Spain is Madrid .", 0),
            ),
        ),
        Question(
            "1.2",
            "Who wrote Emma ?",
            (
                Candidate("a", "Emma is a novel by Jane Austen .", 1),
                Candidate("b", "Jane Austen wrote Emma in 1815 .", 1),
                Candidate("c", "Emma is a common given name .", 0),
            ),
        ),
        Question(
            "1.3",
            "Why ?",
            (Candidate("a", "France lies in western Europe .", 0),),
        ),
    ]
