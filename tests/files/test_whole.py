"""Files and folders are whole or absent."""

import errno
import os

import pytest

from keras_qa.files import whole as atomic
from keras_qa.files.whole import check_writable
from keras_qa.files.whole import refuse_existing
from keras_qa.files.whole import remove_scratch
from keras_qa.files.whole import write_whole


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


def test_a_full_disk_is_named_with_the_output(tmp_path):
    def save(path):
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match=r"No space left on device: '.*/a\.csv'"):
        write_whole(tmp_path / "a.csv", save)
    assert list(tmp_path.iterdir()) == []


def test_the_old_file_stays_until_the_new_one_is_complete(tmp_path):
    path = tmp_path / "out.txt"
    path.write_text("old")

    def save(scratch):
        scratch.write_text("new")
        assert path.read_text() == "old"

    write_whole(path, save)
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("exists", [True, False])
def test_a_symbolic_link_stays(tmp_path, exists):
    disk, link = tmp_path / "disk", tmp_path / "out"
    link.symlink_to(disk / "index")
    if exists:
        (disk / "index").mkdir(parents=True)
    check_writable(link)
    write_whole(link, lambda scratch: scratch.mkdir())
    assert link.is_symlink()
    assert list(disk.iterdir()) == [disk / "index"]


def test_folders_are_replaced(tmp_path):
    for name in ("old", "new"):

        def save(scratch, name=name):
            scratch.mkdir()
            (scratch / name).touch()

        write_whole(tmp_path / "model", save)
    assert [p.name for p in (tmp_path / "model").iterdir()] == ["new"]
    assert [p.name for p in tmp_path.iterdir()] == ["model"]


def test_a_folder_that_a_killed_process_left_out_of_its_place(
    tmp_path, monkeypatch
):
    path = tmp_path / "folder"

    def save(scratch):
        scratch.mkdir()
        (scratch / "new").touch()

    write_whole(path, save)
    (path / "new").rename(path / "old")
    replace = atomic.os.replace

    def killed_before_the_second(source, target):
        if target == path:
            raise KeyboardInterrupt
        replace(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(atomic.os, "replace", killed_before_the_second)
        patch.setattr(atomic.shutil, "rmtree", lambda *_, **__: None)
        with pytest.raises(KeyboardInterrupt):
            write_whole(path, save)
    assert not path.exists()
    remove_scratch(tmp_path)
    assert [file.name for file in path.iterdir()] == ["new"]
    assert list(tmp_path.iterdir()) == [path]


def test_an_interruption_loses_no_folder(tmp_path, monkeypatch):
    (folder := tmp_path / "a").mkdir()
    (folder / "old").touch()
    replace, calls = os.replace, []

    def interrupt(source, target):
        calls.append(source)
        if len(calls) == 2:
            raise KeyboardInterrupt
        replace(source, target)

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_whole(folder, lambda path: path.mkdir())
    assert (folder / "old").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_an_older_folder_alone_is_removed(tmp_path):
    """As of a process that was killed while it removed its scratch folder."""
    (tmp_path / ".writing-x/old-folder").mkdir(parents=True)
    remove_scratch(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_file_does_not_replace_a_folder(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "kept.txt").write_text("kept")
    with pytest.raises(IsADirectoryError, match=f"Received: {folder}"):
        write_whole(folder, lambda scratch: scratch.write_text("x"))
    assert (folder / "kept.txt").read_text() == "kept"
    assert list(tmp_path.iterdir()) == [folder]


def test_outputs_that_exist_are_refused(tmp_path):
    refuse_existing(tmp_path / "ranker", str(tmp_path / "saved_model"))
    assert not list(tmp_path.iterdir())
    (tmp_path / "saved_model").mkdir()
    with pytest.raises(FileExistsError, match=r"exist yet; .*: .*saved_model$"):
        refuse_existing(tmp_path / "ranker", tmp_path / "saved_model")


def test_an_output_that_has_no_place(tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.touch()
    check_writable(file)
    check_writable(tmp_path / "new" / "folder", inside=True)
    with pytest.raises(OSError, match=r"^--x must be in a folder.*/file is a"):
        check_writable(file / "new" / "folder", "--x")
    with pytest.raises(OSError, match=r"^--output must be a folder.*is a file"):
        check_writable(file, inside=True)
    assert list(tmp_path.iterdir()) == [file]
    monkeypatch.setattr(os, "access", lambda path, mode: path != tmp_path)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OSError, match=r": new, but /.* cannot be written to$"):
        check_writable("new")
