"""Jobs are done once, whatever becomes of the processes that share them."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from reproductions.harness.errors import QueueError
from reproductions.harness.studies import workers
from reproductions.harness.studies.queue import Queue
from support.queued_jobs import make

pytestmark = pytest.mark.once

TESTS = Path(__file__).parents[3]
NAMES = [f"run-{number}" for number in range(6)]


@pytest.fixture(autouse=True)
def _soon(monkeypatch):
    monkeypatch.setattr(workers, "PAUSE", 0.05)


def queued(folder, retries=1, **how):
    """A queue of six jobs, of which some are killed or fail."""
    queue = Queue(folder / "queue", retries)
    record = str(folder / "record")
    jobs = {
        name: {"name": name, "record": record, "how": how.get(name[-1:], "")}
        for name in NAMES
    }
    made = made_in(folder)
    queue.add(jobs, lambda name: name in made)
    return queue


def made_in(folder):
    path = folder / "record"
    return path.read_text().split() if path.exists() else []


def tries_in(folder, name):
    return (folder / f"{name}.begun").read_text().split()


def command(folder):
    program = [sys.executable, "-m", "support.queued_jobs"]
    return [*program, str(folder / "queue")]


@pytest.fixture
def paths(monkeypatch):
    places = [str(TESTS), str(TESTS.parent), os.environ.get("PYTHONPATH")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, places)))


def test_each_run_is_made_once_though_a_worker_is_killed(
    tmp_path, paths, capsys
):
    queue = queued(tmp_path, **{"1": "killed"})
    by_hand = subprocess.Popen(command(tmp_path))
    status = workers.make_all(queue, NAMES, make, 2, command(tmp_path))
    assert by_hand.wait() in (0, -signal.SIGKILL)
    assert sorted(made_in(tmp_path)) == NAMES, capsys.readouterr().err
    assert status == 0
    # Another process has taken it up.
    first, second = tries_in(tmp_path, "run-1")
    assert first != second
    for name in NAMES[:1] + NAMES[2:]:
        assert len(tries_in(tmp_path, name)) == 1
    assert not list((tmp_path / "queue").glob("*-running.json"))
    # Started again, it has nothing to do.
    queue = queued(tmp_path, **{"1": "killed"})
    assert workers.make_all(queue, NAMES, make) == 0
    assert len(made_in(tmp_path)) == 6


def test_failures_are_tried_again_and_then_noted(tmp_path, capsys):
    queue = queued(tmp_path, **{"0": "fails"})
    assert workers.make_all(queue, NAMES, make) == 1
    assert made_in(tmp_path) == NAMES[1:]
    assert len(tries_in(tmp_path, "run-0")) == 2
    log = workers.log_of(queue, "run-0")
    error = capsys.readouterr().err
    assert f"failed: run-0: ValueError: run-0 cannot be made\n  {log}" in error
    assert log.read_text().count("run-0 begins") == 2
    # Whoever gives the command again has done something about it.
    assert workers.make_all(queued(tmp_path), NAMES, make) == 0
    assert made_in(tmp_path) == [*NAMES[1:], "run-0"]


def test_what_all_lack_stops_a_worker(tmp_path, capsys):
    queue = queued(tmp_path, **dict.fromkeys("012345", "fails"))
    assert workers.make_all(queue, NAMES, make) == 1
    assert len(list(tmp_path.glob("*.begun"))) == workers.FAILURES
    error = capsys.readouterr().err
    # They would be tried again, and are named all the same.
    for name in NAMES[: workers.FAILURES]:
        log = workers.log_of(queue, name)
        assert f"failed: {name}: ValueError: {name} cannot" in error
        assert f"\n  {log}\n" in error
    assert error.count("failed: ") == workers.FAILURES
    assert "6 runs are left" in error


def test_an_interruption_counts_as_no_try(tmp_path):
    queue = queued(tmp_path, retries=0)

    def interrupted(job):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        workers.make_all(queue, NAMES, interrupted)
    assert not queue.running() and not queue.given_up()
    assert workers.make_all(queued(tmp_path, retries=0), NAMES, make) == 0
    # It goes on after those that waited.
    assert made_in(tmp_path) == [*NAMES[1:], NAMES[0]]


@pytest.fixture
def ctrl_c():
    """Ctrl-C interrupts, as it does not in what a shell runs behind it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_stops_the_workers_too(tmp_path, paths):
    queue = queued(tmp_path)

    def look():
        if made_in(tmp_path):
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        workers.work_in_processes(command(tmp_path), 1, queue.folder, look)
    assert not queue.running()
    assert "KeyboardInterrupt" in (queue.folder / "workers.log").read_text()


def test_what_has_changed_or_is_lost_is_made_again(tmp_path):
    assert workers.make_all(queued(tmp_path), NAMES, make) == 0
    queued(tmp_path, **{"2": "otherwise"})
    lost = made_in(tmp_path)
    lost.remove("run-4")
    (tmp_path / "record").write_text("\n".join([*lost, ""]))
    queue = queued(tmp_path, **{"2": "otherwise"})
    assert workers.make_all(queue, NAMES, make) == 0
    assert len(tries_in(tmp_path, "run-2")) == 2
    assert len(tries_in(tmp_path, "run-4")) == 2
    assert len(tries_in(tmp_path, "run-3")) == 1


def test_a_broken_journal_is_named(tmp_path):
    queue = queued(tmp_path)
    path = queue.folder / "journal.log"
    with path.open("a") as file:
        file.write('{"op_code": 1\n')
    for _ in range(2):
        with pytest.raises(QueueError, match=r"journal\.log: expected"):
            queued(tmp_path)


def test_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(ImportError, match=r"'keras-qa\[study\]'"):
        Queue(tmp_path)


def test_what_has_changed_before_it_began_is_replaced(tmp_path):
    queue = Queue(tmp_path, retries=1)
    for work in ("old", "new"):
        queue.add({"a": work, "b": "same"}, lambda name: False)
    taken = [queue.take(), queue.take()]
    assert [(job.name, job.work) for job in taken] == [
        ("b", "same"),
        ("a", "new"),
    ]
    for job in taken:
        queue.end(job, True)
    assert queue.take() is None
    assert sorted(queue.done()) == ["a", "b"]
