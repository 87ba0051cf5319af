"""The options that the benchmarks share."""

import argparse
from collections.abc import Sequence
from pathlib import Path

_ROOT = Path(__file__).parents[1]


def option_parser(
    script: str, description: str, settings: object, numbers: Sequence[str]
) -> argparse.ArgumentParser:
    """A parser with `--smoke`, `--json` and an option for each number.

    Args:
        script: the script's `__file__`.
        description: what the script does.
        settings: has the defaults; a dataclass or an instance of it.
        numbers: names of integers among the settings.
    """
    path = Path(script)
    module = ".".join(path.with_suffix("").relative_to(_ROOT).parts)
    parser = argparse.ArgumentParser(
        prog=f"python -m {module}", description=description
    )
    for name in numbers:
        parser.add_argument(
            f"--{name}", type=int, default=getattr(settings, name)
        )
    parser.add_argument(
        "--smoke", action="store_true", help="tiny sizes, to test the script"
    )
    parser.add_argument(
        "--json",
        type=Path,
        metavar="FILE",
        default=path.with_suffix(".json"),
        help="for the figures (default: next to this script)",
    )
    return parser
