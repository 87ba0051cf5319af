"""A ranker to serve."""

import shutil

import pytest

from keras_qa.export.onnx_beside import add_onnx


@pytest.fixture(scope="session")
def folder_with_onnx(runs, tmp_path_factory):
    pytest.importorskip("tf2onnx")
    folder = tmp_path_factory.mktemp("served") / "faq"
    shutil.copytree(runs["cosineqa"], folder)
    add_onnx(folder)
    return folder
