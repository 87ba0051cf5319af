"""The types of options that are whole numbers from 0 to a largest one."""

import argparse
from functools import partial


def whole_number(text: str, largest: int) -> int:
    """Returns the number that an option's text is.

    Raises:
        argparse.ArgumentTypeError: if it is none, or too large.
    """
    # More digits than Python converts are no number here, either.
    if text.isdecimal() and len(text) < 99 and int(text) <= largest:
        return int(text)
    raise argparse.ArgumentTypeError(
        f"expected a whole number from 0 to {largest}. Received: {text[:99]}"
    )


# As large as NumPy and Keras take.
seed = partial(whole_number, largest=2**32 - 1)
port = partial(whole_number, largest=2**16 - 1)
