"""The systems without a network, on the bundled questions."""

import pytest

from reproductions.harness.command import run_command
from reproductions.systems.experiment import SystemsExperiment
from support.script_runs import metrics_of


@pytest.mark.parametrize("model", ["weighted-word-count", "pv"])
def test_they_rank_without_word_vectors(tmp_path, model):
    options = ["--smoke", "--model", model, "--output-dir", str(tmp_path)]
    assert run_command(SystemsExperiment(), options) == 0
    found = metrics_of(tmp_path)
    assert found["recipe"] == "untrained"
    assert found["vectors"] == []
    assert 0 < found["metrics"]["MAP"] < 1
    assert 0 < found["selection"]["MAP"] < 1
