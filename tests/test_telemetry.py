"""What is done with the kit is reported to nobody."""

import os
import subprocess
import sys

import pytest

from keras_qa.telemetry import switch_off_telemetry

LOAD = """
from pathlib import Path
from keras_qa.errors import RankerError
from keras_qa.export.onnx_model import OnnxModel
try:
    OnnxModel(Path("no.onnx"))
except RankerError:
    print("onnxruntime has been loaded")
"""


@pytest.mark.once
def test_a_value_of_the_user_stays(monkeypatch):
    monkeypatch.setenv("ORT_DISABLE_TELEMETRY", "0")
    monkeypatch.delenv("RAY_USAGE_STATS_ENABLED", raising=False)
    switch_off_telemetry()
    assert os.environ["ORT_DISABLE_TELEMETRY"] == "0"
    assert os.environ.pop("RAY_USAGE_STATS_ENABLED") == "0"


@pytest.mark.once
def test_onnxruntime_leaves_no_id_of_the_machine(tmp_path):
    """From 1.29 its import would, in the cache of the home folder."""
    pytest.importorskip("onnxruntime")
    quiet = ("CI", "ORT_", "XDG_")  # onnxruntime reports nothing in a CI
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(quiet)
    }
    done = subprocess.run(
        [sys.executable, "-c", LOAD],
        env=environment | {"HOME": str(tmp_path)},
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout == "onnxruntime has been loaded\n" and not done.stderr
    assert not list(tmp_path.iterdir())
