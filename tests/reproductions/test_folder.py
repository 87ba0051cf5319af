"""A run's folder: one run, each file whole or absent."""

import pytest

from reproductions.folder import RunFolder
from reproductions.folder import RunFolderError

IDENTITY = {"seed": 1, "settings": {"margin": 5.0}}


def claimed(path):
    folder = RunFolder(path, IDENTITY)
    folder.claim()
    return folder


def test_new_folder(tmp_path):
    folder = claimed(tmp_path / "a" / "b")
    assert folder.read_json("settings.json") == IDENTITY
    assert not folder.finished


def test_metrics_finish_it(tmp_path):
    folder = claimed(tmp_path)
    folder.write_json("metrics.json", {})
    assert RunFolder(tmp_path, IDENTITY, resume=True).finished


def test_a_run_is_kept(tmp_path):
    claimed(tmp_path)
    with pytest.raises(RunFolderError, match="Add --resume"):
        RunFolder(tmp_path, IDENTITY)
    with pytest.raises(RunFolderError, match=r"`seed` was 1\. Received: 2"):
        RunFolder(tmp_path, {**IDENTITY, "seed": 2}, resume=True)


def test_a_failed_write_leaves_the_old_file(tmp_path):
    folder = claimed(tmp_path)
    folder.write("a.txt", lambda path: path.write_text("old"))

    def fail(path):
        path.write_text("half")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        folder.write("a.txt", fail)
    assert (tmp_path / "a.txt").read_text() == "old"
    assert {p.name for p in tmp_path.iterdir()} == {"a.txt", "settings.json"}


def test_folders_are_replaced_too(tmp_path):
    folder = claimed(tmp_path)
    for text in ("old", "new"):

        def save(path, text=text):
            path.mkdir()
            (path / "file").write_text(text)

        folder.write("model", save)
    assert (tmp_path / "model/file").read_text() == "new"


def test_not_a_number_is_refused(tmp_path):
    folder = claimed(tmp_path)
    with pytest.raises(ValueError, match="not JSON compliant"):
        folder.write_json("metrics.json", {"MAP": float("nan")})
    assert not folder.finished


def test_nothing_is_there_before_the_claim(tmp_path):
    RunFolder(tmp_path / "run", IDENTITY)
    assert not (tmp_path / "run").exists()
