"""Training on several devices and hosts, with Keras on JAX.

JAX divides a CPU into virtual devices at its start: what trains runs in other
processes.
"""

import json
import os
import socket
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import keras
import numpy as np
import pytest

from benchmarks import device_losses
from keras_qa import devices
from keras_qa import hosts
from keras_qa.cli.main import main
from keras_qa.devices import use_devices
from keras_qa.errors import DevicesError
from keras_qa.hosts import PROCESS_ID
from keras_qa.hosts import Hosts
from keras_qa.hosts import join_hosts
from keras_qa.hosts import read_hosts
from keras_qa.training.run_folder import RunFolder

pytestmark = pytest.mark.once

ROOT = Path(__file__).parents[2]
# Sums in another order differ by less; a wrong mean of uneven parts by 1e-2.
ROUNDING = 3e-6


# Nearly all of the time is that of optimising programs that run once.
QUICK = (
    "--xla_backend_optimization_level=0",
    "--xla_llvm_disable_expensive_passes=true",
    "--xla_cpu_use_fusion_emitters=false",
)


def _start(count, *options, **variables):
    flags = (*QUICK, f"--xla_force_host_platform_device_count={count}")
    return subprocess.Popen(
        [sys.executable, "-m", "benchmarks.device_losses", *options],
        cwd=ROOT,
        env={
            **os.environ,
            "KERAS_BACKEND": "jax",
            "XLA_FLAGS": " ".join(flags),
            **variables,
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _rows(process):
    output, errors = process.communicate(timeout=300)
    assert not process.returncode, errors
    lines = output.splitlines()
    return [json.loads(line) for line in lines if line.startswith("{")]


def _free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def _losses(*trainers, devices=(1, 4)):
    """The losses of the first, after a check that all devices have the same."""
    counts = [str(count) for count in devices]
    rows = _rows(_start(4, "--devices", *counts, "--trainers", *trainers))
    names = [row["trainer"] for row in rows]
    assert names == np.repeat(trainers, len(devices)).tolist()
    for row in rows:
        assert np.isfinite(row["loss"]).all()
        assert row["loss"][0] != row["loss"][1]
        assert row["difference"] < ROUNDING, row
    return rows[0]["loss"]


@pytest.mark.slow
def test_four_devices_have_the_losses_of_one():
    _losses("packed")


@pytest.mark.large
def test_all_trainers_and_hosts_have_the_losses_of_one_device(tmp_path):
    trainers = ["hardest", "triplets", "language_model", "split"]
    losses = _losses("packed", *trainers, devices=(1, 2, 4))
    file = tmp_path / "hosts.toml"
    file.write_text(
        f'coordinator = "127.0.0.1:{_free_port()}"\nprocesses = 2\n'
    )
    options = ("--devices", "2", "--trainers", "packed", "--hosts", str(file))
    both = [_start(2, *options, **{PROCESS_ID: str(i)}) for i in range(2)]
    for (row,) in map(_rows, both):
        np.testing.assert_allclose(row["loss"], losses, ROUNDING)


def test_other_backends_are_refused_before_files_are_read(tmp_path, capsys):
    with (
        pytest.raises(DevicesError, match=r"KERAS_BACKEND=jax.*2 devices on"),
        use_devices(2),
    ):
        pass
    run = ["train", "missing.csv", "--output", str(tmp_path / "run")]
    assert main([*run, "--devices", "2"]) == 2
    assert "keras-qa[jax]" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_fewer_devices_than_asked_for_are_an_error(monkeypatch):
    monkeypatch.setattr(devices, "check_jax", lambda count: None)
    with (
        pytest.raises(DevicesError, match=r"device_count=99\. Received: \d"),
        use_devices(99),
    ):
        pass
    with pytest.raises(ValueError, match="count"), use_devices(0):
        pass


def test_tables_that_cannot_be_split_are_an_error():
    mesh = keras.distribution.DeviceMesh((4,), ["batch"], list(range(4)))
    tables = keras.distribution.LayoutMap(mesh)
    tables[devices._TABLES] = (None, "batch")
    split = devices._SplitTables(layout_map=tables, auto_shard_dataset=False)

    def axes(*shape):
        table = keras.layers.Embedding(*shape)
        table.build(())
        return split.get_variable_layout(table.embeddings).axes

    assert list(axes(10, 8)) == [None, "batch"]
    assert list(axes(12, 9)) == ["batch", None]
    with pytest.raises(DevicesError, match=r"multiple of 4 .*\(10, 9\)"):
        axes(10, 9)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("coordinator = 'here'\nprocesses = 2", "an address and a port"),
        ("coordinator = 'here:1'\nprocesses = 0", "positive"),
        ("coordinator = 'here:1'\nprocesses = 2\nprocess = 2", "from 0 to 1"),
        ("coordinator = 'here:1'\nprocesses = 2", PROCESS_ID),
        ("coordinator = 'here:1'", "processes"),
        ("coordinator", "TOML"),
        (None, "a file of hosts"),
    ],
)
def test_bad_files_of_hosts_are_errors(tmp_path, text, message):
    file = tmp_path / "hosts.toml"
    if text:
        file.write_text(text)
    with pytest.raises(DevicesError, match=message):
        read_hosts(file)


def test_a_process_joins_once(monkeypatch):
    joined = Hosts("here:1", 2, 1)
    monkeypatch.setattr(hosts, "_joined", joined)
    join_hosts(joined)
    with pytest.raises(DevicesError, match="once"):
        join_hosts(Hosts("here:1", 3, 1))


def test_only_the_first_process_writes_a_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(hosts, "_joined", Hosts("here:1", 2, 1))
    waited, saved = [], []
    monkeypatch.setattr(hosts, "wait_for_all", lambda: waited.append(1))
    folder = RunFolder(tmp_path / "run", {"seed": 1})
    with folder.claim():
        folder.write("weights", lambda path: saved.append(path.name))
        folder.write_json("metrics.json", {})
    assert saved == ["weights"]
    assert len(waited) == 4
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("options", "written"),
    [
        ((), True),
        (("--trainers", "packed"), False),
        (("--devices", "1"), False),
    ],
)
def test_a_part_does_not_replace_the_record(options, written, monkeypatch):
    files = []
    for name, value in {
        "train": lambda trainer: [2.0, 1.0],
        "use_devices": lambda *count, **options: nullcontext(),
        "write_text": lambda path, text: files.append(path.name),
    }.items():
        monkeypatch.setattr(device_losses, name, value)
    assert device_losses.main(options) == 0
    assert files == ["device_losses.json"] * written
