"""Indexes whose answers are encoded in parts."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from keras_qa.errors import OwnedError
from keras_qa.errors import SearchError
from keras_qa.files.locks import owned_folder
from keras_qa.ranker import Ranker
from keras_qa.search import encoding
from keras_qa.search.encoding import Part
from keras_qa.search.index import AnswerIndex
from keras_qa.search.parts.encode import encode_part
from keras_qa.search.parts.merge import merge_parts
from support.search_runs import ANSWERS
from support.search_runs import QUESTION
from support.search_runs import build
from support.search_runs import command

pytest.importorskip("faiss")


def encode(run, answers, folder, number, count=3):
    return encode_part(
        Ranker.load(run),
        str(answers),
        str(folder),
        Part(number, count),
        shard_size=16,
        show_progress=False,
    )


def merge(folder, kind="flat"):
    return merge_parts(str(folder), kind, show_progress=False)


@pytest.fixture(scope="module")
def parts(runs, answer_file, tmp_path_factory):
    """100 answers in seven shards, those of three parts."""
    folder = tmp_path_factory.mktemp("parts") / "index"
    for number in (2, 0, 1):
        assert encode(runs["hyperqa"], answer_file, folder, number) == 100
    return folder


@pytest.fixture
def index(parts, tmp_path):
    return Path(shutil.copytree(parts, tmp_path / "index"))


def content(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "parts" not in path.relative_to(folder).parts
    }


def test_the_parts_make_the_same_index_as_one_call(
    index, runs, answer_file, tmp_path
):
    build(runs["hyperqa"], answer_file, tmp_path / "whole")
    assert merge(index) == 100
    whole, merged = content(tmp_path / "whole"), content(index)
    model = "model/model.keras"  # a zip file, with the time in it
    assert whole.pop(model)[:2] == merged.pop(model)[:2] == b"PK"
    assert whole == merged
    assert merge(index, "hnsw") == 100
    assert AnswerIndex(index, "hnsw").kind == "hnsw"


def test_parts_of_several_disks_are_copied_together(
    runs, answer_file, tmp_path
):
    for number in range(2):
        encode(runs["hyperqa"], answer_file, tmp_path / f"{number}", number, 2)
    shutil.copytree(tmp_path / "1", tmp_path / "0", dirs_exist_ok=True)
    assert merge(tmp_path / "0") == len(ANSWERS)
    found = AnswerIndex(tmp_path / "0")
    assert list(found.texts()) == ANSWERS


def test_a_killed_part_goes_on(runs, answer_file, tmp_path, monkeypatch):
    folder = tmp_path / "index"
    encoded = []

    def killed(model, kind, texts):
        if len(encoded) == 2:
            raise KeyboardInterrupt
        encoded.append(len(texts))
        return encode_texts(model, kind, texts)

    encode_texts = encoding.encode_texts
    with monkeypatch.context() as patch:
        patch.setattr(encoding, "encode_texts", killed)
        with pytest.raises(KeyboardInterrupt):
            encode(runs["hyperqa"], answer_file, folder, 0, 2)
    with pytest.raises(SearchError, match="Received: no manifest"):
        merge(folder)
    before = encoded.copy()
    monkeypatch.setattr(
        encoding,
        "encode_texts",
        lambda m, k, t: encoded.append(len(t)) or encode_texts(m, k, t),
    )
    encode(runs["hyperqa"], answer_file, folder, 0, 2)
    # Shards 0, 2, 4 and 6 of 16 answers, the last with four.
    assert (before, encoded[2:]) == ([16, 16], [16, 4])
    encode(runs["hyperqa"], answer_file, folder, 1, 2)
    assert merge(folder) == 100


def test_what_is_missing_or_damaged_is_named(index):
    shutil.rmtree(index / "parts/00001-of-00003")
    with pytest.raises(SearchError) as caught:
        merge(index)
    assert f"--output {index} --shards 3 --shard 1" in str(caught.value)
    assert "--shard 0" not in str(caught.value)


@pytest.mark.parametrize("name", ["vectors.npy", "answers.jsonl"])
def test_a_damaged_file_is_named(index, name):
    path = index / "shards/000005" / name
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    with pytest.raises(SearchError) as caught:
        merge(index)
    assert str(caught.value).startswith(f"{path}: expected")
    assert "--shards 3 --shard 2" in str(caught.value)
    assert not (index / "answers.json").exists()


@pytest.mark.parametrize(
    "name, value",
    [
        ("answers_sha256", "0"),
        ("answers", 99),
        ("shards", 4),
        ("readable", "any"),
    ],
)
def test_a_part_of_other_answers_is_refused(index, name, value):
    path = index / "parts/00001-of-00003/manifest.json"
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps({**manifest, name: value}))
    with pytest.raises(SearchError, match=f"`{name}`"):
        merge(index)


def test_other_models_and_writers_are_refused(
    index, runs, answer_file, tmp_path
):
    with pytest.raises(SearchError, match="another model"):
        encode(runs["cosineqa"], answer_file, index, 1)
    with owned_folder(index / "parts/00001-of-00003"):
        with pytest.raises(OwnedError):
            encode(runs["hyperqa"], answer_file, index, 1)
        with pytest.raises(OwnedError):
            build(runs["hyperqa"], answer_file, index)
        with pytest.raises(OwnedError):
            merge(index)
    merge(index)
    with pytest.raises(SearchError, match="not finished"):
        encode(runs["hyperqa"], answer_file, index, 1)


def test_the_commands(runs, answer_file, tmp_path, capsys):
    folder = tmp_path / "index"
    given = "index", runs["hyperqa"], "--answers", answer_file, "--output"
    for number in range(2):
        shard = "--shards", 2, "--shard", number
        assert command(*given, folder, *shard) == 0
    assert "part 1 of 2, of 100 answers" in capsys.readouterr().out
    assert command("index", "merge", folder) == 0
    assert f"{folder}: 100 answers, flat" in capsys.readouterr().out
    assert command("ask", folder, "--question", QUESTION) == 0
    for wrong, message in (
        (("--shards", 2), "--shards K goes with either"),
        (("--shard", 0), "--shards K goes with either"),
        (("--shards", 2, "--shard", 2), "from 0 to K - 1"),
    ):
        assert command(*given, tmp_path / "other", *wrong) == 2
        assert message in capsys.readouterr().err
    assert not (tmp_path / "other").exists()


def test_the_numbers_of_parts_are_those_of_the_whole(index):
    merge(index)
    description = json.loads((index / "answers.json").read_text())
    assert description["words"] == sum(len(a.split()) for a in ANSWERS)
    np.testing.assert_array_equal(AnswerIndex(index).unread, [])
