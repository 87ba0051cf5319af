"""The type of the option `--seed` of all commands that draw."""

import argparse

LARGEST = 2**32 - 1
"""The largest seed that NumPy and Keras take."""


def seed(text: str) -> int:
    """Returns the seed that an option's text is.

    Raises:
        argparse.ArgumentTypeError: if it is none.
    """
    # More digits than Python converts are no seed, either.
    if text.isdecimal() and len(text) < 99 and int(text) <= LARGEST:
        return int(text)
    raise argparse.ArgumentTypeError(
        f"expected a whole number from 0 to {LARGEST}. Received: {text[:99]}"
    )
