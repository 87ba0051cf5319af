"""What a record says of the machine that it was measured on."""

import platform
import sys
from types import SimpleNamespace

import pytest

from reproductions.harness import run
from reproductions.harness.command import run_command
from reproductions.harness.parts import versions as parts
from reproductions.harness.parts.versions import accelerator
from reproductions.harness.parts.versions import processor
from reproductions.harness.parts.versions import versions
from reproductions.hyperqa.experiment import HyperQAExperiment
from support.script_runs import metrics_of

CPU_INFO = """\
processor\t: 0
vendor_id\t: AuthenticAMD
cpu family\t: 25
model\t\t: 17
model name\t: AMD EPYC
stepping\t: 1

processor\t: 1
"""


def test_processors_of_one_name_are_told_apart(tmp_path):
    info = tmp_path / "cpuinfo"
    info.write_text(CPU_INFO)
    assert processor(info) == "AMD EPYC, cpu family 25, model 17"
    info.write_text(CPU_INFO.replace("17", "1"))
    assert processor(info) == "AMD EPYC, cpu family 25, model 1"


def test_without_the_file_of_linux_the_platform_is_asked(tmp_path):
    expected = platform.processor() or platform.machine()
    assert processor(tmp_path / "missing") == expected
    empty = tmp_path / "empty"
    empty.write_text("")
    assert processor(empty) == expected


def test_a_run_names_its_processor():
    assert versions()["processor"] == processor()


class _Torch:
    """What of PyTorch tells its device."""

    def __init__(self, gpus):
        self.cuda = SimpleNamespace(
            is_available=lambda: bool(gpus), get_device_name=lambda: gpus[0]
        )


class _Jax:
    """What of JAX tells its devices."""

    def __init__(self, platform, kind):
        self.default_backend = lambda: platform
        self.devices = lambda: [SimpleNamespace(device_kind=kind)]


class _TensorFlow:
    """What of TensorFlow tells its devices."""

    def __init__(self, gpus, details):
        self.config = SimpleNamespace(
            list_physical_devices=lambda kind: gpus if kind == "GPU" else [],
            experimental=SimpleNamespace(
                get_device_details=lambda gpu: details
            ),
        )


GPU = SimpleNamespace(name="/physical_device:GPU:0")


@pytest.mark.parametrize(
    ("backend", "module", "expected"),
    [
        ("torch", _Torch(["NVIDIA H100"]), ", NVIDIA H100"),
        ("torch", _Torch([]), ""),
        ("jax", _Jax("gpu", "NVIDIA H100"), ", NVIDIA H100"),
        ("jax", _Jax("cpu", "cpu"), ""),
        ("tensorflow", _TensorFlow([GPU], {"device_name": "A"}), ", A"),
        ("tensorflow", _TensorFlow([GPU], {}), f", {GPU.name}"),
        ("tensorflow", _TensorFlow([], {}), ""),
        ("tensorflow", None, ""),
    ],
)
def test_a_run_names_its_accelerator(monkeypatch, backend, module, expected):
    monkeypatch.setitem(sys.modules, backend, module)
    assert accelerator(backend) == expected


def test_a_commit_is_read_once(monkeypatch):
    first = versions().get("commit")
    monkeypatch.setattr(parts, "_git", lambda *arguments: "1234567-dirty")
    assert versions().get("commit") == first


def test_a_run_names_the_commit_that_it_began_with(tmp_path, monkeypatch):
    at = ["before"]
    outcome = run._outcome

    def committed(*arguments):
        at[0] = "after"
        return outcome(*arguments)

    monkeypatch.setattr(parts, "_git", lambda *_: at[0])
    monkeypatch.setattr(run, "_outcome", committed)
    parts.commit.cache_clear()
    options = ["--smoke", "--model", "cosine", "--output-dir", str(tmp_path)]
    try:
        assert run_command(HyperQAExperiment(), options) == 0
    finally:
        parts.commit.cache_clear()
    assert metrics_of(tmp_path)["versions"]["commit"] == "before"
