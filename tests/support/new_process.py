"""Code in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run_code(code, *arguments, without=(), **environment):
    """What code prints; it must import none of the packages `without`."""
    code += (
        f"\nimport sys\nfound = {set(without)} & set(sys.modules)"
        "\nassert not found, found"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        env={**os.environ, **environment},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
