"""PackedTexts: the frame of one and of two texts, cutting, errors."""

import numpy as np
import pytest

from keras_qa.layers import PackedTexts
from support.layer_checks import by_turns
from support.layer_checks import check_layer
from support.layer_checks import run

CLS, SEP = 2, 3
FIRST = np.array([[5, 7, 0], [0, 0, 0], [8, 6, 4], [9, 0, 5]], "int32")
SECOND = np.array([[9, 0], [0, 0], [4, 7], [0, 8]], "int32")
NAMES = ("token_ids", "segment_ids", "padding_mask")


def packed(texts, max_length):
    """The rows of the three outputs, token by token."""
    rows = []
    for parts in zip(*texts, strict=True):
        tokens = [(CLS, 0)]
        room = max_length - 1 - len(parts)
        for segment, part in enumerate(parts):
            words = [word for word in part.tolist() if word][:room]
            room -= len(words)
            tokens += [(word, segment) for word in [*words, SEP]]
        rows.append(tokens)
    width = sum(text.shape[1] for text in texts) + len(texts) + 1
    found = np.zeros((3, len(rows), min(width, max_length)), "int32")
    for i, tokens in enumerate(rows):
        for j, (word, segment) in enumerate(tokens):
            found[:, i, j] = word, segment, 1
    return dict(zip(NAMES, found, strict=True))


@pytest.mark.parametrize(
    ("texts", "max_length", "mode"),
    by_turns(
        (texts, length)
        for length in (3, 4, 6, 7, 512)
        for texts in ([FIRST], [FIRST, SECOND])
    ),
)
def test_texts_are_framed(texts, max_length, mode):
    layer = PackedTexts(CLS, SEP, max_length)
    found = run(lambda *given: layer(list(given)), *texts, mode=mode)
    for name, expected in packed(texts, max_length).items():
        np.testing.assert_array_equal(found[name], expected, name)


def test_layer_contract():
    arguments = {"cls_id": CLS, "sep_id": SEP, "max_length": 512}
    shapes = dict.fromkeys(NAMES, (4, 8))
    check_layer(
        PackedTexts,
        arguments,
        [FIRST, SECOND],
        shapes,
        mixed_precision_tolerance=None,
    )
    shapes = dict.fromkeys(NAMES, (4, 5))
    check_layer(
        PackedTexts, arguments, FIRST, shapes, mixed_precision_tolerance=None
    )


@pytest.mark.once
def test_errors():
    with pytest.raises(ValueError, match=r"`max_length` must.*max_length=2"):
        PackedTexts(CLS, SEP, 2)
    layer = PackedTexts(CLS, SEP, 9)
    for wrong in ([FIRST] * 3, [], FIRST[0]):
        with pytest.raises(ValueError, match=r"`inputs` must be one or two"):
            layer(wrong)
