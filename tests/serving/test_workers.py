"""Worker processes are replaced, and none outlives the command."""

import http.client
import json
import os
import signal
import subprocess
import sys
import time
import warnings
from contextlib import suppress
from pathlib import Path

import keras
import pytest

from keras_qa.errors import RankerError
from keras_qa.export.onnx_model import THREADS
from keras_qa.export.onnx_model import OnnxModel
from support.search_runs import QUESTION

pytest.importorskip("uvicorn")
pytest.importorskip("starlette")

from keras_qa.serving import workers
from keras_qa.serving.rerank import Limits
from keras_qa.serving.workers import Served

ROOT = Path(__file__).parents[2]
CHILDREN = "/proc/{0}/task/{0}/children"
pytestmark = pytest.mark.once
needs_tensorflow = pytest.mark.skipif(
    keras.backend.backend() != "tensorflow", reason="TensorFlow writes ONNX"
)


@pytest.fixture
def command(folder_with_onnx):
    """`keras-qa serve` with two workers."""
    words = ["serve", str(folder_with_onnx), "--port=0", "--workers=2"]
    process = subprocess.Popen(
        [sys.executable, "-m", "keras_qa.cli", *words],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
    )
    yield process
    process.kill()
    process.wait()
    process.stderr.close()


def children(process):
    """The ids of the workers."""
    listed = Path(CHILDREN.format(process.pid)).read_text().split()
    return {
        int(pid)
        for pid in listed
        if "spawn_main" in Path(f"/proc/{pid}/cmdline").read_text()
    }


def wait_for(found):
    end = time.monotonic() + 60
    while not found():
        assert time.monotonic() < end
        time.sleep(0.05)


@needs_tensorflow
@pytest.mark.skipif(
    not Path(CHILDREN.format(os.getpid())).exists(),
    reason="needs Linux's list of the children of a process",
)
def test_a_killed_worker_is_replaced_and_none_outlives_the_command(command):
    port = int(command.stderr.readline().split(":")[3].split("/")[0])
    body = json.dumps({"query": QUESTION, "documents": ["w1 w2"]})

    def answers():
        # A connection of the killed worker may break.
        with suppress(OSError, http.client.HTTPException):
            one = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            one.request("POST", "/v1/rerank", body)
            status = one.getresponse().status
            one.close()
            return status == 200

    wait_for(answers)
    share = max(1, len(os.sched_getaffinity(0)) // 2)
    for pid in children(command):
        variables = Path(f"/proc/{pid}/environ").read_text().split("\0")
        assert f"{THREADS}={share}" in variables
    killed, kept = sorted(children(command))
    os.kill(killed, signal.SIGKILL)
    wait_for(lambda: len(children(command) - {killed}) == 2)
    assert kept in children(command)
    wait_for(answers)
    command.kill()
    # Not before the last worker has closed it.
    assert command.stderr.read() == ""


def test_a_worker_that_cannot_load_the_model_lets_the_others_go_on(
    tmp_path, monkeypatch, capsys
):
    slept = []
    monkeypatch.setattr(workers.time, "sleep", slept.append)
    monkeypatch.setattr(sys, "setswitchinterval", slept.append)
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    settings = {"model": str(tmp_path), "name": "x", "limits": {"waiting": 3}}
    monkeypatch.setenv("KERAS_QA_SERVE", json.dumps(settings))
    # uvicorn stops all workers if one ends with the code 3.
    with warnings.catch_warnings(), pytest.raises(SystemExit, match="1"):
        workers.make_worker_app()
    assert slept == [workers.SWITCH, 5]
    assert "keras-qa: expected a run's folder" in (
        capsys.readouterr().err.replace(f"{tmp_path}: ", "")
    )


@needs_tensorflow
def test_the_number_of_threads_is_a_number(folder_with_onnx, monkeypatch):
    monkeypatch.setenv(THREADS, "1")
    model = OnnxModel(folder_with_onnx / "onnx/model.onnx")
    assert model._session.get_session_options().intra_op_num_threads == 1
    for wrong in ("many", "3000000000"):
        monkeypatch.setenv(THREADS, wrong)
        with pytest.raises(RankerError, match="must be a number"):
            OnnxModel(folder_with_onnx / "onnx/model.onnx")


def test_a_worker_serves_as_the_command_was_told(tmp_path, monkeypatch):
    limits = Limits(1, 2, 3, 4, 0.5)
    served = Served(tmp_path, "mine", limits, "whitespace", "any")
    given, run = {}, []
    for name in ("KERAS_QA_SERVE", workers.THREADS, "TF_NUM_INTRAOP_THREADS"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setattr(workers, "impatient_protocol", lambda x: ("http", x))
    monkeypatch.setattr(
        workers.uvicorn, "run", lambda *_, **options: given.update(options)
    )
    workers.serve_workers(served, "127.0.0.1", 0, 3)
    assert (given["workers"], given["http"]) == (3, ("http", 0.5))
    monkeypatch.setattr(sys, "setswitchinterval", run.append)
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    monkeypatch.setattr(workers.Ranker, "load", lambda *words: words)
    monkeypatch.setattr(workers, "make_app", lambda *words: words)
    with warnings.catch_warnings():
        ranker, *named = workers.make_worker_app()
    assert ranker == (str(tmp_path), "whitespace", "any")
    assert named == ["mine", limits]
