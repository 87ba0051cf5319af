"""Words as ids of characters, as the published ELMos were trained on them.

A word is its bytes in UTF-8, between a mark for its beginning and one for its
end, filled up to a fixed length. A sentence is framed by two words of one
character of their own each. All ids are one larger than in the file of the
weights: 0 is left for what is no word at all.
"""

import numpy as np

BYTES = 256
SENTENCE_START, SENTENCE_END, WORD_START, WORD_END, FILL = range(
    BYTES, BYTES + 5
)
# Rows in the file of the weights.
CHARACTERS = BYTES + 5
# A word of one character.
SHORTEST = 3
START = "<S>"
END = "</S>"
SENTENCE_MARKS = {START: SENTENCE_START, END: SENTENCE_END}


def character_ids(words: list[str], max_characters: int = 50) -> np.ndarray:
    """The characters of words.

    Args:
        words: the words. `<S>` and `</S>` are those that frame a sentence; of
            a word of too many bytes the first are read.
        max_characters: ids of a word, its two marks included.

    Returns:
        int32 `(words, max_characters)`, between 1 and 261.
    """
    ids = np.full((len(words), max_characters), FILL, np.int32)
    for row, word in zip(ids, words, strict=True):
        mark = SENTENCE_MARKS.get(word)
        inner = word.encode("utf-8", "ignore") if mark is None else [mark]
        framed = [WORD_START, *inner[: max_characters - 2], WORD_END]
        row[: len(framed)] = framed
    return ids + 1
