"""Words as character ids, as in the training of the published ELMos.

A word is its bytes in UTF-8, between a mark for its beginning and one for its
end, padded to a fixed length. A sentence is framed by two words, each a special
character. All ids are one larger than in the file of the weights, so that 0
marks rows without a word.
"""

import numpy as np

BYTES = 256
SENTENCE_START, SENTENCE_END, WORD_START, WORD_END, FILL = range(
    BYTES, BYTES + 5
)
# Rows in the file of the weights.
CHARACTERS = BYTES + 5
# The number of ids of a word of one character.
SHORTEST = 3
START = "<S>"
END = "</S>"
SENTENCE_MARKS = {START: SENTENCE_START, END: SENTENCE_END}


def character_ids(words: list[str], max_characters: int = 50) -> np.ndarray:
    """The character ids of words.

    Args:
        words: the words; `<S>` and `</S>` frame a sentence. Words of too many
            bytes are truncated.
        max_characters: number of ids of a word, including its two marks.

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
