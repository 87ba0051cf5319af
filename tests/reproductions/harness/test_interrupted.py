"""Runs of every paper that are really killed, and then go on."""

import random
import shutil
import signal
import time

import pytest

from support.interrupted_runs import SCRIPTS
from support.interrupted_runs import accesses
from support.interrupted_runs import printed
from support.interrupted_runs import result
from support.interrupted_runs import run
from support.interrupted_runs import start

KILLS = 10
# CTRN itself takes a minute to compile, again in each process.


def moments(paper, count):
    """Random shares of a run, spread over all of it."""
    rng = random.Random(paper)
    return [(i + rng.random()) / count for i in range(count)]


@pytest.mark.slow
@pytest.mark.parametrize("paper", ["hyperqa", "iam"])
def test_killed_twice_and_resumed_is_the_same(paper, tmp_path):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert run(paper, whole, export=False) == 0, printed(whole)
    total = accesses(whole)
    for share in moments(paper, 2):
        # A resumed run needs fewer accesses: it may end before.
        kill_at = int(share * total)
        status = run(paper, parts, kill_at=kill_at, export=False)
        assert status in (-signal.SIGKILL, 0), printed(parts)
    assert run(paper, parts, export=False) == 0, printed(parts)
    assert result(parts) == result(whole)


@pytest.mark.large
@pytest.mark.parametrize("paper", ["hyperqa", "iam"])
def test_killed_in_folds_and_resumed_is_the_same(paper, tmp_path):
    """IAM's stages are shared by the folds that read the same texts."""
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert run(paper, whole, "--set=folds=2", export=False) == 0, printed(whole)
    total = accesses(whole)
    for share in moments(paper, 4):
        kill_at = int(share * total / 2)
        run(paper, parts, "--set=folds=2", kill_at=kill_at, export=False)
    status = run(paper, parts, "--set=folds=2", export=False)
    assert status == 0, printed(parts)
    assert result(parts) == result(whole)


@pytest.mark.large
@pytest.mark.parametrize("paper", sorted(SCRIPTS))
def test_killed_at_ten_moments_and_resumed_is_the_same(paper, tmp_path):
    """By turns before an access to a file, and after a share of the time."""

    whole, started = tmp_path / "whole", time.perf_counter()
    assert run(paper, whole, recorded(whole)) == 0, printed(whole)
    seconds = time.perf_counter() - started
    expected, total = result(whole), accesses(whole)
    for number, share in enumerate(moments(paper, KILLS)):
        folder = tmp_path / f"run-{number}"
        if number % 2:
            while not killed_after(share * seconds, paper, folder):
                share *= 0.8
        else:
            kill = {"kill_at": int(share * total)}
            status = run(paper, folder, recorded(folder), **kill)
            assert status == -signal.SIGKILL, printed(folder)
        assert run(paper, folder, recorded(folder)) == 0, printed(folder)
        assert result(folder) == expected
        record = folder.with_suffix(".jsonl").read_text()
        assert len(record.splitlines()) == 1
        shutil.rmtree(folder)


def recorded(folder):
    return f"--record={folder.with_suffix('.jsonl')}"


def killed_after(seconds, paper, folder):
    """Kills a run after some time; if it ended before, as if it never was."""
    process = start(paper, folder, recorded(folder))
    time.sleep(seconds)
    process.kill()
    process.join()
    if process.exitcode != -signal.SIGKILL:
        for path in folder.parent.glob(f"{folder.name}*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        return False
    return True


@pytest.mark.slow
def test_a_run_that_is_written_to_refuses_a_second(tmp_path):
    folder = tmp_path / "run"
    first = start("hyperqa", folder, export=False)
    while not (folder / "running.json").exists():
        assert first.is_alive(), printed(folder)
        time.sleep(0.01)
    second = start("hyperqa", folder, export=False)
    second.join()
    first.join()
    assert (first.exitcode, second.exitcode) == (0, 2)
    assert f"Received: process {first.pid} on " in printed(folder)
    assert "running.json" not in result(folder)["names"]
