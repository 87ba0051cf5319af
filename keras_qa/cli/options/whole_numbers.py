"""The types of options that are whole numbers."""

import argparse
from functools import partial

from keras_qa.arguments import MOST_SEED


def whole_number(
    text: str, smallest: int = 0, largest: int | None = None
) -> int:
    """Returns the number that an option's text is.

    Raises:
        argparse.ArgumentTypeError: if it is none, too small or too large.
    """
    # More digits than Python converts are no number here, either.
    if text.isdecimal() and len(text) < 99:
        number = int(text)
        if smallest <= number and (largest is None or number <= largest):
            return number
    bounds = f"from {smallest}" + ("" if largest is None else f" to {largest}")
    raise argparse.ArgumentTypeError(
        f"expected a whole number {bounds}. Received: {text[:99]}"
    )


positive = partial(whole_number, smallest=1)
seed = partial(whole_number, largest=MOST_SEED)
port = partial(whole_number, largest=2**16 - 1)
