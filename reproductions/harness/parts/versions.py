"""What a figure was computed with: packages, backend, processor and commit."""

import os
import platform
import re
import subprocess
import sys
from functools import cache
from importlib import import_module
from importlib import metadata
from pathlib import Path
from typing import Any

import keras_qa

PACKAGES = ("keras", "numpy", "gensim", "ir-measures")
CPU_INFO = Path("/proc/cpuinfo")


def versions() -> dict[str, str]:
    """Versions of Python and packages, backend, machine and commit."""
    found = {
        "python": platform.python_version(),
        "keras-qa": keras_qa.__version__,
    }
    found |= {name: metadata.version(name) for name in PACKAGES}
    backend = os.environ.get("KERAS_BACKEND", "tensorflow")
    devices = ""
    if "keras" in sys.modules:
        keras = sys.modules["keras"]
        backend = keras.backend.backend()
        distribution = keras.distribution.distribution()
        if distribution is not None:
            devices = f", {distribution.device_mesh.devices.size} devices"
    try:
        version = metadata.version(backend)
    except metadata.PackageNotFoundError:
        # TensorFlow has packages of several names.
        version = import_module(backend).__version__
    found["backend"] = f"{backend} {version}"
    machine = f"{platform.machine()}, {os.cpu_count()} cores"
    found["machine"] = f"{machine}{accelerator(backend)}{devices}"
    found["processor"] = processor()
    if at := commit():
        found["commit"] = at
    return found


def accelerator(backend: str) -> str:
    """What the backend computes on if not on the CPU, `, NVIDIA H100`.

    Args:
        backend: name of Keras's backend.

    Returns:
        The name of the first device; empty for a CPU, and where the backend
        was not imported, as of a ranking without a network.
    """
    module: Any = sys.modules.get(backend)
    name = ""
    if module is None:
        return name
    if backend == "torch" and module.cuda.is_available():
        name = module.cuda.get_device_name()
    elif backend == "jax" and module.default_backend() != "cpu":
        name = module.devices()[0].device_kind
    elif backend == "tensorflow":
        config = module.config
        for gpu in config.list_physical_devices("GPU")[:1]:
            details = config.experimental.get_device_details(gpu)
            name = details.get("device_name", gpu.name)
    return f", {name}" if name else ""


def processor(info: Path = CPU_INFO) -> str:
    """Name, family and model of the processor, where Linux tells them.

    The backends choose their kernels by it, and these sum in different orders,
    so that the figures of one seed move. The name alone, "AMD EPYC" in a
    virtual machine, does not tell two processors apart.

    Args:
        info: the file in which Linux describes its processors.
    """
    try:
        text = info.read_text()
    except OSError:
        text = ""
    found = dict(re.findall(r"^(\S[^\t\n]*?)\s*: *(.*)$", text, re.MULTILINE))
    if "model name" not in found:
        return platform.processor() or platform.machine()
    numbers = (f"{name} {found.get(name)}" for name in ("cpu family", "model"))
    return ", ".join((found["model name"], *numbers))


@cache
def commit() -> str:
    """The commit of the code; empty for a copy that belongs to none.

    Read once, so call it before anything slow: a later commit is not of the
    code that runs, and a command that writes records would see its own.
    """
    # A copy installed from a wheel belongs to no commit of the project.
    if not _git("ls-files", __file__):
        return ""
    return _git("describe", "--always", "--dirty")


def _git(*arguments: str) -> str:
    """What a git command prints; empty if it fails."""
    try:
        return subprocess.run(
            ["git", *arguments],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            check=False,
        ).stdout.strip()
    except OSError:
        return ""
