"""Fuzzes one parser guided by the coverage of its code, with atheris.

`python -m devtools.fuzz` starts `python -m devtools.fuzz.guided TARGET RUNS
FOLDER` for each target with `guided`, if atheris is installed.
"""

import importlib.util
import re
import subprocess
import sys
import tempfile
from pathlib import Path

INSTALL = "pip install 'keras-qa[fuzz]'"
_DONE = re.compile(rb"Done (\d+) runs in")


def available() -> bool:
    """Returns True if atheris is installed."""
    return importlib.util.find_spec("atheris") is not None


def start(name: str, runs: int, folder: Path) -> tuple[int, str]:
    """Fuzzes a target in a separate process.

    Args:
        name: the target's name.
        runs: number of inputs.
        folder: where an input with a finding is kept.

    Returns:
        The number of inputs that were tried, 0 after a finding, and the
        finding, empty if there is none.
    """
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "devtools.fuzz.guided",
            name,
            str(runs),
            str(folder),
        ],
        capture_output=True,
        check=False,
    )
    found = _DONE.search(done.stderr)
    if done.returncode == 0 and found:
        return int(found[1]), ""
    return 0, done.stderr[-2000:].decode("utf-8", "replace")


def main(arguments: list[str]) -> None:
    """Fuzzes; ends the process instead of returning."""
    import atheris

    name, runs, kept = arguments
    with atheris.instrument_imports(
        include=["keras_qa.datasets", "embeddings", "reproductions"],
        enable_loader_override=False,
    ):
        from devtools.fuzz.cases import all_targets
    from devtools.fuzz.running import limit_addresses
    from devtools.fuzz.running import outcome

    target = all_targets()[name]
    valid = target.case()
    scratch = Path(tempfile.mkdtemp())
    seeds = Path(tempfile.mkdtemp())
    (seeds / "valid").write_bytes(valid[target.guided])

    def try_one(data: bytes) -> None:
        found = outcome(target, valid | {target.guided: data}, scratch)
        if found not in ("data", "error"):
            raise RuntimeError(found)

    limit_addresses()
    atheris.Setup(
        [
            *("fuzz", str(seeds), f"-runs={runs}", "-seed=1", "-timeout=60"),
            *(f"-artifact_prefix={kept}/", "-max_len=8192", "-verbosity=1"),
        ],
        try_one,
    )
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1:])
