"""Locks between real processes, of which some are killed."""

import errno
import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from keras_qa.errors import OwnedError
from keras_qa.errors import RunFolderError
from keras_qa.files.locks import OwnerFile
from keras_qa.files.locks import locked
from keras_qa.files.locks import read_locked
from keras_qa.training.run_folder import RunFolder
from reproductions.records.paired_tests import read_paired_tests
from reproductions.records.runs import read_runs

ROOT = Path(__file__).parents[2]

HOLD = """
import sys
from pathlib import Path
from keras_qa.training.run_folder import RunFolder

with RunFolder(Path(sys.argv[1]), {}, resume=True).claim() as folder:
    print("claimed", flush=True)
    sys.stdin.read()
    folder.write_json("progress.json", [])
"""

# Writes some records; the process named `killed` dies in its last.
APPEND = """
import os, signal, sys
from reproductions.records.runs import append_run

path, name, write = sys.argv[1], sys.argv[2], os.write
record = {"paper": "p", "model": "m", "dataset": "d", "split": "dev", "seed": 1}
record |= {"recipe": "paper", "metrics": {}, "filler": "x" * 5000}

def write_half(descriptor, data):
    write(descriptor, data[: len(data) // 2])
    os.kill(os.getpid(), signal.SIGKILL)

for index in range(15):
    if name == "killed" and index == 14:
        os.write = write_half
    append_run(path, record | {"name": name, "index": index})
"""

COMPARE = """
import os, signal, sys
from pathlib import Path
from reproductions.records.json_lines import write_records
from reproductions.records.paired_tests import PairedTest, Condition

path, name, write_text = sys.argv[1], sys.argv[2], Path.write_text

def write_half(file, text, *more):
    write_text(file, text[: len(text) // 2], *more)
    os.kill(os.getpid(), signal.SIGKILL)

for index in range(15):
    if name == "killed" and index == 14:
        Path.write_text = write_half
    one, other = (
        Condition(name, "paper", [], str(index), {}, [seed], 0.5, None)
        for seed in (1, 2)
    )
    figures = "p", "d", "dev", "MAP", 9, one, other, 0.1, (0.0, 0.2), 0.95
    write_records(path, PairedTest, [PairedTest(*figures, 0.3, 99, {})])
"""


def start(code, *arguments):
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def owner(tmp_path):
    """A process that writes to a folder, and the folder."""
    process = start(HOLD, tmp_path / "run")
    assert process.stdout.readline() == "claimed\n"
    yield process, tmp_path / "run"
    process.kill()
    process.communicate()


def test_a_second_process_is_told_of_the_first(owner):
    first, path = owner
    second = start(HOLD, path)
    _, error = second.communicate("")
    assert second.returncode == 1
    described = json.loads((path / "running.json").read_text())
    assert described["host"] == socket.gethostname()
    assert described["pid"] == first.pid
    assert described["started"][:2] == "20"
    assert f"{path} is being written to." in error
    assert f"process {first.pid} on {socket.gethostname()} since 20" in error
    assert described["command"] in error
    assert str(path) in described["command"]
    # The first one is not disturbed.
    first.communicate("")
    assert first.returncode == 0
    assert (path / "progress.json").exists()
    assert not (path / "running.json").exists()


def test_a_killed_process_keeps_nobody_out(owner):
    first, path = owner
    with pytest.raises(RunFolderError, match=f"Received: process {first.pid}"):
        RunFolder(path, {}, resume=True)
    first.kill()
    first.communicate()
    # What it said about itself is still there.
    assert (path / "running.json").exists()
    with RunFolder(path, {}).claim():
        described = json.loads((path / "running.json").read_text())
    assert described["pid"] == os.getpid()


def test_an_owner_that_leaves_takes_no_lock_along(tmp_path, monkeypatch):
    """The file vanishes after it was opened and before it is locked."""
    path = tmp_path / "running.json"
    flock = fcntl.flock
    locked = []

    def remove_then_lock(descriptor, kind):
        if not locked:
            path.unlink()
        locked.append(descriptor)
        flock(descriptor, kind)

    monkeypatch.setattr("fcntl.flock", remove_then_lock)
    owner = OwnerFile(path)
    owner.take()
    with pytest.raises(OwnedError, match=f"process {os.getpid()} on "):
        OwnerFile(path).check()
    owner.release()
    assert not path.exists()


def test_an_owner_without_locks_is_warned(tmp_path, monkeypatch):
    def flock(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", flock)
    owner = OwnerFile(tmp_path / "running.json")
    with pytest.warns(UserWarning, match=r"running\.json: .* has no locks"):
        owner.take()
    assert json.loads(owner.path.read_text())["pid"] == os.getpid()
    owner.release()
    assert not owner.path.exists()


def test_a_link_is_locked_as_its_file_is(tmp_path):
    (link := tmp_path / "link").symlink_to(tmp_path / "file")
    with locked(link) as descriptor:
        os.write(descriptor, b"x")
    assert read_locked(link) == read_locked(tmp_path / "file") == b"x"


def test_what_cannot_be_locked_is_read(tmp_path, monkeypatch):
    path = tmp_path / "ledger.jsonl"
    with pytest.raises(FileNotFoundError):
        read_locked(path)
    assert not path.exists()
    path.write_bytes(b"a\n")
    (tmp_path / "running.json").touch()

    def refuse(*_, **__):
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr("keras_qa.files.locks.FileLock.acquire", refuse)
    assert read_locked(path) == b"a\n"
    OwnerFile(tmp_path / "running.json").check()
    with pytest.raises(OSError, match="Read-only"):
        OwnerFile(tmp_path / "running.json").take()


@pytest.mark.filterwarnings("ignore:Torn last line")
@pytest.mark.parametrize(
    ("code", "read", "name_of", "index_of"),
    [
        (APPEND, read_runs, lambda r: r["name"], lambda r: r["index"]),
        (
            COMPARE,
            read_paired_tests,
            lambda c: c.first.model,
            lambda c: int(c.first.training_set),
        ),
    ],
    ids=["runs", "comparisons"],
)
def test_two_writers_and_one_that_is_killed_lose_nothing(
    tmp_path, code, read, name_of, index_of
):
    path = tmp_path / "ledger.jsonl"
    names = ("first", "killed", "second")
    writers = {name: start(code, path, name) for name in names}
    for name, writer in writers.items():
        _, error = writer.communicate()
        killed = -signal.SIGKILL if name == "killed" else 0
        assert writer.returncode == killed, error
    found = read(path)
    for name in names:
        indices = [index_of(row) for row in found if name_of(row) == name]
        assert indices == list(range(14 if name == "killed" else 15))
