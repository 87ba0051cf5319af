"""TensorFlow's notes at its start do not reach the users of commands."""

import logging
import os
import subprocess
import sys

import pytest

from keras_qa.quiet import silence_tensorflow

IMPORT = """
import sys
from keras_qa.quiet import silence_tensorflow
silence_tensorflow()
silence_tensorflow()
import importlib.util
importlib.util.find_spec("tensorflow")
import tensorflow
tensorflow.constant(1)
assert tensorflow.__spec__.loader is tensorflow.__loader__
print("a word", file=sys.stderr)
"""
# A module in TensorFlow's place, which writes as its C++ log does.
STAND_IN = """
import os, sys
os.write(2, b"WARNING: All log messages before absl::InitializeLog() is c\\n")
os.write(2, b"I0000 00:00:1795.225047  5 port.cc:153] oneDNN is on.\\n")
os.write(2, b"I0000 is not the form of a note\\n")
print("Traceback", file=sys.stderr)
if os.environ.get("FAILS"):
    raise ImportError("no such library")
constant = int
"""


def stderr_of(code, path="", **environment):
    environment = {"PYTHONPATH": os.pathsep.join([path, *sys.path])} | {
        name: value
        for name, value in (os.environ | environment).items()
        if value and name != "PYTHONPATH"
    }
    return subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
    ).stderr


@pytest.mark.slow
def test_tensorflow_starts_without_notes():
    pytest.importorskip("tensorflow")
    assert stderr_of(IMPORT, TF_CPP_MIN_LOG_LEVEL="") == "a word\n"


def test_tensorflow_does_not_warn_of_new_shapes(monkeypatch):
    """By the logger's filters: its level and handlers are TensorFlow's."""
    monkeypatch.setenv("TF_CPP_MIN_LOG_LEVEL", "3")
    silence_tensorflow()
    texts = ("5 out of 5 calls triggered tf.function retracing.", "another")
    records = [logging.makeLogRecord({"msg": text}) for text in texts]
    logger = logging.getLogger("tensorflow")
    assert [bool(logger.filter(record)) for record in records] == [False, True]


def test_what_is_no_note_stays(tmp_path):
    (tmp_path / "tensorflow.py").write_text(STAND_IN)
    path = str(tmp_path)
    shown = stderr_of(IMPORT, path, TF_CPP_MIN_LOG_LEVEL="")
    assert shown.splitlines() == [
        "I0000 is not the form of a note",
        "Traceback",
        "a word",
    ]
    assert "oneDNN" in stderr_of(IMPORT, path, TF_CPP_MIN_LOG_LEVEL="0")
    failed = stderr_of(IMPORT, path, TF_CPP_MIN_LOG_LEVEL="", FAILS="1")
    assert "oneDNN" in failed and "no such library" in failed
