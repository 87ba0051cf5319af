"""Progress bars in a terminal, single lines elsewhere."""

import sys
from typing import Any

from tqdm import tqdm


def in_terminal() -> bool:
    """Returns True if what is said about progress goes to a terminal."""
    return sys.stderr.isatty()


class ProgressBar(tqdm):
    """A bar on standard error; where that is no terminal, a line at the end.

    A bar is drawn by updates, which fill a log with copies of it. The line
    says how much was done and in how many seconds.

    Args:
        *args: the arguments of `tqdm.tqdm`.
        **options: the same.
    """

    def __init__(self, *args: Any, **options: Any):
        self._line = not in_terminal()
        if self._line:
            # It is never drawn, but counts.
            options["delay"] = float("inf")
        super().__init__(*args, **options)

    def close(self) -> None:
        """Closes the bar, or prints the line."""
        open_until_now = not self.disable
        super().close()
        if open_until_now and self._line:
            unit = self.unit.strip().removesuffix("s") + "s" * (self.n != 1)
            seconds = self.format_dict["elapsed"]
            title = self.desc and f"{self.desc.removesuffix(': ')}: "
            print(
                f"{title}{self.n:,} {unit} in {seconds:.1f} s", file=sys.stderr
            )
