"""The benchmark of the server loses no request at overload."""

import shutil

import keras
import pytest

from benchmarks import serving
from keras_qa.export.onnx_beside import add_onnx


@pytest.mark.once
@pytest.mark.slow
@pytest.mark.skipif(
    keras.backend.backend() != "tensorflow", reason="TensorFlow writes ONNX"
)
def test_what_it_measures(runs, tmp_path, capsys):
    for name in ("uvicorn", "starlette", "tf2onnx", "onnxruntime"):
        pytest.importorskip(name)
    folder = shutil.copytree(runs["hyperqa"], tmp_path / "ranker")
    add_onnx(folder)
    settings = serving.Settings(
        (1, 4), seconds=0.2, documents=3, words=30, overload=24, waiting=2
    )
    measured = serving.measure(settings, folder)
    rows = [(row["contender"], row["clients"]) for row in measured["load"]]
    contenders = ("serve", "serve --workers 2", "loop")
    assert rows == [(name, n) for name in contenders for n in (1, 4)]
    assert all(row["200"] == row["sent"] > 0 for row in measured["load"])
    summary = serving.summarise(settings, measured)
    bounds = summary["bounds"]
    assert bounds["lost or failed at overload"]["reached"]
    assert bounds["answered after overload"]["reached"]
    serving.report(settings, measured, summary)
    assert "requests/s" in capsys.readouterr().out


def test_a_server_that_does_not_start_is_quoted():
    lines = [
        "a warning\n",
        "127.0.0.1: serving http://127.0.0.1:81/x\n",
        "later",
    ]
    assert serving._port(lines) == 81
    with pytest.raises(SystemExit, match="a warning\nno starlette"):
        serving._port(["a warning\n", "no starlette\n"])
