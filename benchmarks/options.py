"""The options that the benchmarks share."""

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

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
    parser = _Parser(prog=f"python -m {module}", description=description)
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
        help="for the figures (default: next to this script; with --smoke a "
        "temporary file)",
    )
    parser.record = path.with_suffix(".json")
    return parser


class _Parser(argparse.ArgumentParser):
    """A parser that keeps `--smoke` away from the record."""

    record: Path

    def parse_args(self, *arguments: Any, **options: Any) -> Any:
        """Parses as the base does, and chooses the file of the figures."""
        parsed = super().parse_args(*arguments, **options)
        if parsed.json is None:
            place = tempfile.mkdtemp() if parsed.smoke else self.record.parent
            parsed.json = Path(place) / self.record.name
        return parsed
