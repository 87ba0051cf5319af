"""Files and folders are whole or absent."""

import pytest

from keras_qa.atomic import write_whole


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "new" / "out.txt"
    write_whole(path, lambda scratch: scratch.write_text("old"))

    def fail(scratch):
        scratch.write_text("half")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write_whole(path, fail)
    assert path.read_text() == "old"
    assert list(path.parent.iterdir()) == [path]


def test_the_old_file_stays_until_the_new_one_is_complete(tmp_path):
    path = tmp_path / "out.txt"
    path.write_text("old")

    def save(scratch):
        scratch.write_text("new")
        assert path.read_text() == "old"

    write_whole(path, save)
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_folders_are_replaced(tmp_path):
    for name in ("old", "new"):

        def save(scratch, name=name):
            scratch.mkdir()
            (scratch / name).touch()

        write_whole(tmp_path / "model", save)
    assert [p.name for p in (tmp_path / "model").iterdir()] == ["new"]
    assert [p.name for p in tmp_path.iterdir()] == ["model"]
