"""What the folders of all model servers have: a name, a version, a batch."""

import re

from keras_qa.errors import ExportError

NAME = "ranker"
"""The default name of a model, by which clients ask for it."""

VERSION = "1"
"""The subfolder of the model; servers serve the highest number."""

PAIRS = 1024
"""Pairs that are scored together, and the most of one request."""


def check_name(name: str) -> None:
    """Checks that a name can be a folder and a part of an address.

    Raises:
        ExportError: if it contains other characters than letters, digits, `_`,
            `-` and `.` of ASCII, begins with `-` or `.`, or ends as the names
            of the servers' own files do.
    """
    if (
        not isinstance(name, str)
        or not re.fullmatch(r"\w[\w.-]*", name, re.ASCII)
        or name.endswith(".config")
    ):
        raise ExportError(
            "`name` must consist of letters, digits, `_`, `-` and `.`, begin "
            "with none of the last two and not end in .config. "
            f"Received: name={name!r}"
        )
