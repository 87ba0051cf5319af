"""A share of the inputs of `make fuzz`, and tests of the fuzzer."""

import random

import pytest

pytest.importorskip("hypothesis")

from devtools.fuzz import guided
from devtools.fuzz.__main__ import main
from devtools.fuzz.cases import all_targets
from devtools.fuzz.cases import inputs_of
from devtools.fuzz.mutations import MOST_BYTES
from devtools.fuzz.mutations import Mutator
from devtools.fuzz.running import Tally
from devtools.fuzz.running import _run_batch
from devtools.fuzz.running import outcome
from devtools.fuzz.running import run_target
from devtools.fuzz.target import Target

TARGETS = all_targets()


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_damaged_files_are_read_or_refused(name, tmp_path):
    target = TARGETS[name]
    if name == "bert directory":
        pytest.importorskip("keras_hub")
        pytest.importorskip("safetensors")
    if name.startswith("answer "):
        pytest.importorskip("faiss")
    tally = Tally(name)
    count = target.inputs * target.share // 1000
    run_target(target, inputs_of(target, count, 7), tmp_path, tally)
    assert [finding.what for finding in tally.findings] == []
    assert tally.inputs == count
    assert tally.data > 0
    assert tally.errors > 0 or count < 10 or not target.refuses


def test_the_nightly_number():
    assert sum(target.inputs for target in TARGETS.values()) >= 200_000


def test_equal_seeds_give_equal_inputs():
    target = TARGETS["squad"]
    first, again, other = (
        list(inputs_of(target, 60, seed)) for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other
    assert first[0] == target.case()


def test_damage_is_bounded():
    mutator = Mutator(0, donors=[b"x" * 1000])
    data = b"1 2\n" * 10
    seen = set()
    for _ in range(300):
        damaged = mutator.damage(data)
        assert len(damaged) <= MOST_BYTES
        seen.add(damaged)
    assert len(seen) > 200
    assert all(isinstance(mutator.damage(b""), bytes) for _ in range(100))


class KitError(ValueError):
    pass


def bad_message(folder):
    raise KitError(f"{folder}/a: expected more")


def no_file(folder):
    raise KitError("a: expected more. Received: less")


def other_error(folder):
    raise KeyError(folder)


def endless(folder):
    while True:
        random.random()


def memory(folder):
    return bytearray(1 << 27)


def well(folder):
    raise KitError(f"{folder / 'a'}:1: expected more. Received: less")


@pytest.mark.parametrize(
    ("read", "found"),
    [
        (bad_message, "without what was received"),
        (no_file, "a message without file"),
        (other_error, "KeyError"),
        (endless, "took more than 0.2 seconds"),
        (memory, "128 MiB for 1 bytes"),
        (well, ""),
        (len, ""),
    ],
)
def test_what_should_not_be_is_found(read, found, tmp_path, monkeypatch):
    if read is endless:  # The others may take long on a busy machine.
        monkeypatch.setattr("devtools.fuzz.running.SECONDS", 0.2)
    if read is len:
        read = str
    target = Target("a", lambda: {"a": b"x"}, read, (KitError,))
    tally = Tally("a")
    _run_batch(target, [{"a": b"x"}], tmp_path, tally)
    assert len(tally.findings) == bool(found)
    for finding in tally.findings:
        assert found in finding.what
        assert finding.case == {"a": b"x"}
    if not found:
        assert outcome(target, {"b/c": b""}, tmp_path) in ("data", "error")


def test_the_command_prints_a_table(tmp_path, capsys):
    arguments = ["--target", "folds", "--scale", "0.01", "--guided", "0"]
    assert main([*arguments, "--keep", str(tmp_path)]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert rows[0].split()[:2] == ["inputs", "data"]
    assert [row.split()[:2] for row in rows[1:]] == [
        ["folds", "100"],
        ["all", "100"],
    ]


def test_guided_by_coverage(tmp_path):
    if not guided.available():
        pytest.skip("needs atheris")
    assert guided.start("folds", 200, tmp_path) == (200, "")
