"""Fixtures of the scripts' tests."""

import pytest

from reproductions.harness import fitting


@pytest.fixture
def without_export(monkeypatch):
    """For tests of what comes before: the export takes most of a short run."""
    monkeypatch.setattr(fitting, "export_run", lambda run, scorer: None)
