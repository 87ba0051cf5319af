"""Progress bars in a terminal, single lines elsewhere."""

import sys
from typing import Any

from tqdm import tqdm


def in_terminal() -> bool:
    """Returns True if standard error is a terminal."""
    return sys.stderr.isatty()


class ProgressBar(tqdm):
    """A bar on standard error, or one line at the end if it is no terminal.

    Each update of a bar would be a line in a log file. The single line has the
    count and the seconds.

    Args:
        *args: positional arguments of `tqdm.tqdm`.
        **options: keyword arguments of `tqdm.tqdm`.
    """

    def __init__(self, *args: Any, **options: Any):
        self._line = not in_terminal()
        if self._line:
            # The bar is never drawn, but counts.
            options["delay"] = float("inf")
        super().__init__(*args, **options)

    def close(self) -> None:
        """Closes the bar, or prints the line."""
        open_until_now = not self.disable
        super().close()
        if open_until_now and self._line:
            seconds = self.format_dict["elapsed"]
            title = self.desc and f"{self.desc.removesuffix(': ')}: "
            print(
                f"{title}{counted(self.n, self.unit)} in {seconds:.1f} s",
                file=sys.stderr,
            )


def counted(number: int, unit: str) -> str:
    """A number of things in words, such as "1 question" and "2 questions".

    Args:
        number: the number.
        unit: the thing, in the singular or the plural.
    """
    unit = unit.strip().removesuffix("s")
    return f"{number:,} {unit}{'s' * (number != 1)}"
