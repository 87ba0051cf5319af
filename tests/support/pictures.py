"""Finds what is drawn in a picture by its colors."""

import numpy as np
from matplotlib.image import imread

BLUE = (0x44 / 255, 0x77 / 255, 0xAA / 255)
RED = (0xEE / 255, 0x66 / 255, 0x77 / 255)
GREEN = (0x22 / 255, 0x88 / 255, 0x33 / 255)


def pixels(path, color):
    """Rows and columns of the pixels that have a color, as two arrays."""
    image = imread(path)[..., :3]
    return np.nonzero(np.abs(image - np.array(color)).max(axis=-1) < 0.02)
