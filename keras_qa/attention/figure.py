"""Making and saving figures of matplotlib."""

from pathlib import Path
from typing import Any
from typing import Literal

from keras_qa.errors import AttentionError
from keras_qa.files.whole import write_whole

# Blue, the colour of the largest weight.
COLOR = "#4477AA"

# A font that matplotlib ships, and the width of its characters in font sizes.
FONT = "DejaVu Sans Mono"
CHARACTER_WIDTH = 0.602

DPI = 150
# Inches: matplotlib draws fewer than 2^16 pixels in each direction.
LONGEST = 65_535 / DPI


def new_figure(
    width: float, height: float, layout: Literal["constrained"] | None = None
) -> Any:
    """An empty figure of matplotlib.

    Args:
        width: inches.
        height: inches.
        layout: matplotlib's layout engine; None for axes that are placed by
            hand.

    Raises:
        ImportError: if matplotlib is not installed.
        AttentionError: if the figure is larger than matplotlib draws.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(
            "Drawing needs matplotlib: pip install 'keras-qa[plots]'"
        ) from error
    if max(width, height) > LONGEST:
        raise AttentionError(
            f"a picture must be at most {LONGEST:.0f} inches long: cut the "
            f"texts. Received: {width:.0f} by {height:.0f}"
        )
    return Figure((width, height), dpi=DPI, layout=layout)


def save_figure(figure: Any, path: Path | str) -> None:
    """Writes a figure atomically.

    Args:
        figure: a figure of matplotlib.
        path: the picture to write, such as a PNG, SVG or PDF file.

    Raises:
        AttentionError: if matplotlib does not write files with that suffix.
    """
    known = figure.canvas.get_supported_filetypes()
    ending = Path(path).suffix[1:].lower()
    if ending not in known:
        raise AttentionError(
            f"`path` must end in one of {', '.join(sorted(known))}. "
            f"Received: path={path}"
        )
    # Without matplotlib's version, the same data give the same file.
    options = {"metadata": {"Software": None}} if ending == "png" else {}
    write_whole(path, lambda scratch: figure.savefig(scratch, **options))
