"""A run's folder: one run, each file whole or absent."""

import errno
import os
import subprocess

import pytest

from keras_qa.errors import RunFolderError
from keras_qa.training.run_folder import RunFolder
from keras_qa.training.run_folder import keep_only

IDENTITY = {"seed": 1, "settings": {"margin": 5.0}}


def claimed(path):
    """A folder after the process that claimed it."""
    with RunFolder(path, IDENTITY).claim() as folder:
        return folder


def begun(path):
    folder = claimed(path)
    folder.write_json("progress.json", [])
    return folder


@pytest.mark.once
def test_new_folder(tmp_path):
    folder = claimed(tmp_path / "a" / "b")
    assert folder.read_json("settings.json") == IDENTITY
    assert not folder.finished
    assert [path.name for path in folder.path.iterdir()] == ["settings.json"]


@pytest.mark.once
def test_metrics_finish_it(tmp_path):
    folder = claimed(tmp_path)
    folder.write_json("metrics.json", {})
    assert RunFolder(tmp_path, IDENTITY, resume=True).finished


@pytest.mark.once
def test_a_run_is_kept(tmp_path):
    begun(tmp_path)
    with pytest.raises(RunFolderError, match="Add --resume"):
        RunFolder(tmp_path, IDENTITY)
    for resume in (False, True):
        # Only of the same run the error says that it can be resumed.
        with pytest.raises(RunFolderError, match=r"`seed` was 1\. Give .*: 2"):
            RunFolder(tmp_path, {**IDENTITY, "seed": 2}, resume)
    other = {**IDENTITY, "settings": {"margin": 0.5}}
    with pytest.raises(RunFolderError, match=r"`settings.margin` was 5.0\. .*"):
        RunFolder(tmp_path, other)


@pytest.mark.once
def test_a_folder_without_results_is_nobodys(tmp_path):
    """Of a run that found its input bad, the corrected command just works."""
    claimed(tmp_path)
    (tmp_path / "stages").mkdir()
    other = {**IDENTITY, "seed": 2}
    with RunFolder(tmp_path, other).claim() as folder:
        assert folder.read_json("settings.json") == other


@pytest.mark.once
def test_what_a_killed_process_left_is_removed(tmp_path):
    begun(tmp_path)
    (tmp_path / ".writing-abc").mkdir()
    (tmp_path / ".writing-abc/model.keras").touch()
    (tmp_path / "running.json").write_text("half")
    with RunFolder(tmp_path, IDENTITY, resume=True).claim():
        names = {path.name for path in tmp_path.iterdir()}
    assert names == {"progress.json", "running.json", "settings.json"}
    assert not (tmp_path / "running.json").exists()


@pytest.mark.once
def test_what_was_left_at_the_very_end_is_removed(tmp_path):
    folder = begun(tmp_path)
    folder.write_json("metrics.json", {})
    with RunFolder(tmp_path, IDENTITY, resume=True).claim():
        # Not while its owner lives.
        RunFolder(tmp_path, IDENTITY, resume=True).tidy({"metrics.json"})
        assert (tmp_path / "progress.json").exists()
    (tmp_path / ".writing-abc").mkdir()
    (tmp_path / "running.json").touch()
    folder.tidy()
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"metrics.json", "progress.json", "settings.json"}
    folder.tidy({"metrics.json"})
    assert [path.name for path in tmp_path.iterdir()] == ["metrics.json"]


@pytest.mark.once
@pytest.mark.parametrize("content", ["{", "[1]", "\xff"])
def test_broken_settings_are_named(tmp_path, content):
    begun(tmp_path)
    (tmp_path / "settings.json").write_text(content, "latin-1")
    with pytest.raises(RunFolderError, match=r"settings\.json: expected "):
        RunFolder(tmp_path, IDENTITY, resume=True)


@pytest.mark.once
def test_the_second_is_refused_until_the_first_ends(tmp_path):
    with RunFolder(tmp_path, IDENTITY).claim():
        for resume in (False, True):
            with pytest.raises(
                RunFolderError, match=f"Received: process {os.getpid()} on "
            ):
                RunFolder(tmp_path, IDENTITY, resume)
    RunFolder(tmp_path, IDENTITY).claim()


@pytest.mark.once
def test_a_folder_may_be_taken_between_the_look_and_the_claim(tmp_path):
    early, late = (RunFolder(tmp_path, IDENTITY, True) for _ in range(2))
    with early.claim():
        with pytest.raises(RunFolderError, match="is being written to"):
            late.claim()
        early.write_json("metrics.json", {})
    with late.claim():
        assert late.finished
    other = RunFolder(tmp_path / "other", IDENTITY)
    begun(tmp_path / "other")
    with pytest.raises(RunFolderError, match="Add --resume"):
        other.claim()
    assert not (tmp_path / "other/running.json").exists()


@pytest.mark.once
def test_a_failed_write_leaves_the_old_file(tmp_path):
    folder = claimed(tmp_path)
    folder.write("a.txt", lambda path: path.write_text("old"))

    def fail(path):
        path.write_text("half")
        raise OSError(errno.ENOSPC, "No space left on device")

    message = r"a\.txt: expected to be able to write it; .*the same command"
    with pytest.raises(RunFolderError, match=message):
        folder.write("a.txt", fail)
    assert (tmp_path / "a.txt").read_text() == "old"
    assert {p.name for p in tmp_path.iterdir()} == {"a.txt", "settings.json"}


@pytest.fixture
def read_only(tmp_path):
    """A function that lets nobody write to a folder."""
    mounted = []

    def make(path):
        if os.geteuid():
            path.chmod(0o555)
            return
        # An administrator may write whatever the mode.
        bound = ["mount", "--bind", "-o", "ro", str(path), str(path)]
        if subprocess.run(bound, capture_output=True, check=False).returncode:
            pytest.skip("no leave to mount a folder read-only")
        mounted.append(path)

    yield make
    for path in mounted:
        subprocess.run(["umount", str(path)], check=True)


@pytest.mark.once
def test_a_read_only_folder_is_an_error_and_stays(tmp_path, read_only):
    folder = begun(tmp_path)
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    read_only(tmp_path)
    with pytest.raises(RunFolderError, match="expected a folder that can be w"):
        RunFolder(tmp_path, IDENTITY, resume=True).claim()
    with pytest.raises(RunFolderError, match=r"progress\.json: expected to be"):
        folder.write_json("progress.json", [1])
    with pytest.raises(RunFolderError, match="expected a folder that can be w"):
        RunFolder(tmp_path / "new", IDENTITY).claim()
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before


@pytest.mark.once
def test_a_finished_run_may_be_read_where_nothing_can_be_written(
    tmp_path, read_only
):
    begun(tmp_path).write_json("metrics.json", {"MAP": 1})
    read_only(tmp_path)
    folder = RunFolder(tmp_path, IDENTITY, resume=True)
    assert folder.finished and folder.read_json("metrics.json") == {"MAP": 1}


@pytest.mark.once
def test_what_is_wrong_with_the_content_is_no_matter_of_the_disk(tmp_path):
    def fail(path):
        raise ValueError("shapes differ")

    with pytest.raises(ValueError, match=r"^shapes differ$"):
        claimed(tmp_path).write("a.txt", fail)


@pytest.mark.once
def test_folders_are_replaced_too(tmp_path):
    folder = claimed(tmp_path)
    for text in ("old", "new"):

        def save(path, text=text):
            path.mkdir()
            (path / "file").write_text(text)

        folder.write("model", save)
    assert (tmp_path / "model/file").read_text() == "new"


@pytest.mark.once
def test_not_a_number_is_refused(tmp_path):
    folder = claimed(tmp_path)
    with pytest.raises(ValueError, match="not JSON compliant"):
        folder.write_json("metrics.json", {"MAP": float("nan")})
    assert not folder.finished


@pytest.mark.once
def test_nothing_is_there_before_the_claim(tmp_path):
    RunFolder(tmp_path / "run", IDENTITY)
    assert not (tmp_path / "run").exists()


@pytest.mark.once
def test_metrics_are_made_once(tmp_path):
    def make():
        for name in ("history.csv", "epoch-0001.weights.h5"):
            (folder.path / name).touch()
        calls.append(None)
        return {"MAP": 0.5}

    folder, calls = RunFolder(tmp_path / "run", IDENTITY), []
    assert folder.made_once(make, ["history.csv"]) == {"MAP": 0.5}
    (folder.path / "model.keras").touch()
    again = RunFolder(tmp_path / "run", IDENTITY, resume=True)
    assert again.made_once(make, ["history.csv"]) == {"MAP": 0.5}
    assert len(calls) == 1
    assert {path.name for path in folder.path.iterdir()} == {
        "settings.json",
        "metrics.json",
        "history.csv",
    }


@pytest.mark.parametrize("name", ["notes.txt", "metrics.json"])
@pytest.mark.once
def test_files_that_no_run_wrote_are_kept(tmp_path, name):
    (tmp_path / name).write_text("mine")
    (tmp_path / "data").mkdir()
    folder = RunFolder(tmp_path, IDENTITY, resume=True)
    with pytest.raises(RunFolderError, match=r"Move the files.*: data"):
        folder.made_once(dict)
    assert (tmp_path / name).read_text() == "mine"
    assert {path.name for path in tmp_path.iterdir()} == {"data", name}


@pytest.mark.once
def test_only_the_named_files_stay(tmp_path):
    for name in ("metrics.json", "model.keras"):
        (tmp_path / name).touch()
    (tmp_path / "saved_model/variables").mkdir(parents=True)
    keep_only(tmp_path, {"metrics.json", "run.trec"})
    assert [path.name for path in tmp_path.iterdir()] == ["metrics.json"]
