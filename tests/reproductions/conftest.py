"""Fixtures of the scripts' tests."""

import pytest

from reproductions.harness import fitting
from support.study_runs import note_runs


@pytest.fixture
def calls(monkeypatch):
    """The runs that a study asks for."""
    return note_runs(monkeypatch)


@pytest.fixture
def without_export(monkeypatch):
    """For tests of what comes before: the export takes most of a short run."""
    monkeypatch.setattr(fitting, "export_run", lambda run, scorer: None)
