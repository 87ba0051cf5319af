import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from reproductions.records.json_lines import RecordError
from reproductions.records.runs import append_run
from reproductions.records.runs import read_all_runs
from reproductions.records.runs import read_runs


def run(**fields):
    return {
        "paper": "hyperqa",
        "model": "hyperqa",
        "dataset": "wikiqa",
        "split": "dev",
        "seed": 1,
        "recipe": "paper",
        "metrics": {"MAP": 0.7},
        **fields,
    }


ROOT = Path(__file__).parents[3]

APPEND_MANY = """
import sys
from reproductions.records.runs import append_run

path, seed = sys.argv[1], int(sys.argv[2])
record = {"paper": "p", "model": "m", "dataset": "d", "split": "dev"}
record |= {"recipe": "paper", "metrics": {}, "filler": "x" * 5000}
for index in range(25):
    append_run(path, record | {"seed": seed, "index": index})
"""


def test_reads_what_was_appended_in_order(tmp_path):
    path = tmp_path / "folder" / "runs.jsonl"
    append_run(path, run(seed=2, name="Müller"))
    append_run(path, run(seed=1))
    assert read_runs(path) == [run(seed=2, name="Müller"), run(seed=1)]
    assert path.read_bytes().count(b"\n") == 2


def test_no_file_is_no_runs(tmp_path):
    assert read_runs(tmp_path / "runs.jsonl") == []


def test_runs_made_apart_are_on_test_and_name_their_commit(tmp_path):
    apart = run(split="test", versions={"commit": "abc1234"})
    append_run(tmp_path / "test_runs.jsonl", apart)
    append_run(tmp_path / "runs.jsonl", run())
    assert read_all_runs(tmp_path) == [apart | {"once": True}, run()]
    append_run(tmp_path / "test_runs.jsonl", run(split="test"))
    message = r"test_runs\.jsonl:2: expected a run on test that names its comm"
    with pytest.raises(RecordError, match=message):
        read_all_runs(tmp_path)


def test_processes_append_at_once(tmp_path):
    path = tmp_path / "runs.jsonl"
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", APPEND_MANY, path, str(seed)], cwd=ROOT
        )
        for seed in range(4)
    ]
    assert [worker.wait() for worker in workers] == [0, 0, 0, 0]
    records = read_runs(path)
    assert len(records) == 100
    for seed in range(4):
        indices = [r["index"] for r in records if r["seed"] == seed]
        assert indices == list(range(25))


def test_torn_last_line_is_left_out_then_removed(tmp_path):
    path = tmp_path / "runs.jsonl"
    append_run(path, run(seed=1))
    with path.open("a") as file:
        file.write(json.dumps(run(seed=2))[:50])
    with pytest.warns(UserWarning, match=r"left out.*runs\.jsonl:2: expected"):
        assert read_runs(path) == [run(seed=1)]
    with pytest.warns(UserWarning, match=r"removed.*runs\.jsonl:2: expected"):
        append_run(path, run(seed=3))
    assert read_runs(path) == [run(seed=1), run(seed=3)]


def test_last_line_that_lacks_only_its_end_is_kept(tmp_path):
    path = tmp_path / "runs.jsonl"
    path.write_text(json.dumps(run(seed=1)))
    assert read_runs(path) == [run(seed=1)]
    append_run(path, run(seed=2))
    assert read_runs(path) == [run(seed=1), run(seed=2)]


def test_broken_line_in_the_middle_is_named(tmp_path):
    path = tmp_path / "runs.jsonl"
    line = json.dumps(run())
    path.write_text(f"{line}\n{line[:30]}\n{line}\n")
    with pytest.raises(
        RecordError, match=r"runs\.jsonl:2: expected JSON\. Rec"
    ):
        read_runs(path)
    path.write_text(f"{line}\n[1]\n")
    with pytest.raises(RecordError, match=r"runs\.jsonl:2: .*Received: \[1\]"):
        read_runs(path)
    path.write_text('{"paper": "hyperqa"}\n')
    with pytest.raises(
        RecordError, match=r":1: expected paper.*no model, dataset"
    ):
        read_runs(path)


def test_failed_write_leaves_the_file_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "runs.jsonl"
    append_run(path, run(seed=1))
    before = path.read_bytes()
    write = os.write

    def fail_after_ten_bytes(descriptor, data):
        if len(data) <= 10:
            return write(descriptor, data)
        write(descriptor, data[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", fail_after_ten_bytes)
    with pytest.raises(OSError, match="No space left"):
        append_run(path, run(seed=2))
    assert path.read_bytes() == before


def test_a_file_system_without_locks_is_a_warning(tmp_path, monkeypatch):
    def flock(*_):
        raise OSError(errno.ENOSYS, "Function not implemented")

    monkeypatch.setattr("fcntl.flock", flock)
    path = tmp_path / "runs.jsonl"
    with pytest.warns(UserWarning, match=r"runs\.jsonl: .* has no locks"):
        append_run(path, run())
    with pytest.warns(UserWarning, match="has no locks"):
        assert read_runs(path) == [run()]


def test_text_that_is_no_utf8_is_refused(tmp_path):
    path = tmp_path / "runs.jsonl"
    with pytest.raises(RecordError, match=r"`record` must hold .*surrogates"):
        append_run(path, run(settings={"name": "\udcff"}))
    assert not path.exists()


def test_bad_records_are_refused(tmp_path):
    path = tmp_path / "runs.jsonl"
    incomplete = run()
    del incomplete["seed"]
    with pytest.raises(RecordError, match=r"`record`.*Received: no seed"):
        append_run(path, incomplete)
    with pytest.raises(
        RecordError, match=r"`metrics` must be of type dict.*: 0\.7"
    ):
        append_run(path, run(metrics=0.7))
    with pytest.raises(RecordError, match="without NaN or infinity"):
        append_run(path, run(metrics={"MAP": float("nan")}))
    with pytest.raises(RecordError, match="only JSON values"):
        append_run(path, run(settings=object()))
    assert not path.exists()
