import importlib.util
import sys

import pytest

from keras_qa.embeddings import bert_word_vectors
from keras_qa.embeddings.bert.source import directory_digest
from keras_qa.embeddings.bert.source import find_bert
from keras_qa.errors import VectorsError


def make(folder, *names):
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(name)
    return folder


@pytest.mark.parametrize(
    "weights", ["model.safetensors", "model.safetensors.index.json"]
)
def test_directories(tmp_path, weights):
    folder = make(tmp_path / "bert", "config.json", weights)
    assert find_bert(folder) == find_bert(str(folder)) == folder


@pytest.mark.parametrize(
    "names", [(), ("config.json", "pytorch_model.bin"), ("model.safetensors",)]
)
def test_directories_without_a_model(tmp_path, names):
    folder = make(tmp_path / "bert", *names)
    expected = "config.json and one of model.safetensors"
    received = ", ".join(names) or "an empty directory"
    with pytest.raises(VectorsError, match=rf"{expected}.*: {received}$"):
        find_bert(folder)


def test_presets_and_missing_directories(tmp_path):
    for name in ("bert_base_en_uncased", "kaggle://keras/bert/keras/x/2"):
        assert find_bert(name) == name
    for path in (tmp_path / "no", str(tmp_path / "no"), "./no", "some/no"):
        with pytest.raises(VectorsError, match="no: expected the directory"):
            find_bert(path)


def test_missing_packages_are_named(tmp_path, monkeypatch):
    folder = make(tmp_path / "bert", "config.json", "model.safetensors")
    monkeypatch.setitem(sys.modules, "keras_hub", None)
    command = r"pip install 'keras-qa\[bert\]'"
    with pytest.raises(ImportError, match=f"{command}.*keras_hub"):
        bert_word_vectors(["a"], folder, cache_dir=tmp_path / "cache")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=f"source='minilm'.*{command}"):
        find_bert("minilm")


def test_digests(tmp_path):
    names = ("config.json", "model.safetensors", "assets/vocabulary.txt")
    one = make(tmp_path / "one", *names)
    two = make(tmp_path / "two", *names, "README.md")
    assert directory_digest(one) == directory_digest(two)
    digests = {directory_digest(one)}
    for name in names:
        (two / name).write_text("changed")
        digests.add(directory_digest(two))
    (two / "config.json").rename(two / "other.json")
    digests.add(directory_digest(two))
    assert len(digests) == 5
