"""A new figure of matplotlib, and its file: for all pictures of attention."""

from pathlib import Path
from typing import Any

from keras_qa.errors import AttentionError
from keras_qa.files.whole import write_whole

# Blue, the strongest weight.
COLOR = "#4477AA"

# Matplotlib ships this font. The width of a character, in font sizes.
FONT = "DejaVu Sans Mono"
CHARACTER_WIDTH = 0.602

DPI = 150
# Matplotlib draws up to 2^16 pixels in each direction.
LONGEST = 65_535 / DPI


def new_figure(width: float, height: float) -> Any:
    """An empty figure of matplotlib.

    Args:
        width: inches.
        height: inches.

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
    return Figure((width, height), dpi=DPI)


def save_figure(figure: Any, path: Path | str) -> None:
    """Writes a figure, whole or not at all.

    Args:
        figure: a figure of matplotlib.
        path: the picture to write, such as a PNG, SVG or PDF file.

    Raises:
        AttentionError: if matplotlib does not write files of that ending.
    """
    known = figure.canvas.get_supported_filetypes()
    ending = Path(path).suffix[1:].lower()
    if ending not in known:
        raise AttentionError(
            f"`path` must end in one of {', '.join(sorted(known))}. "
            f"Received: path={path}"
        )
    # Without the program's version the same data give the same file.
    metadata = {"Software": None} if ending == "png" else None
    write_whole(
        path, lambda scratch: figure.savefig(scratch, metadata=metadata)
    )
