"""Fixtures of the scripts' tests."""

from collections.abc import Iterator

import keras
import pytest

from reproductions.harness import fitting
from support.eager_training import compile_eagerly


@pytest.fixture(scope="module", autouse=True)
def eager_training(request: pytest.FixtureRequest) -> Iterator[None]:
    """Trains eagerly; HyperQA's script is tested as it runs for users."""
    with pytest.MonkeyPatch.context() as patch:
        if "hyperqa" not in str(request.path):
            patch.setattr(keras.Model, "compile", compile_eagerly)
        yield


@pytest.fixture
def without_export(monkeypatch):
    """For tests of what comes before: the export takes most of a short run."""
    monkeypatch.setattr(fitting, "export_run", lambda run, scorer: None)
