"""The folder of a model of ids: the model, its words, and how to read text.

Whoever has no keras_qa finds in it what makes ids of a text.
"""

import json
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import keras

from keras_qa.files.whole import write_whole
from keras_qa.text import tokenizer as tokenizers
from keras_qa.text.vocabulary import PADDING_ID
from keras_qa.text.vocabulary import UNKNOWN_ID
from keras_qa.text.vocabulary import Vocabulary
from keras_qa.version import __version__

READING = "reading.json"
VOCABULARY = "vocabulary.txt"


def check_folder(
    model: keras.Model,
    vocabulary: Sequence[str] | None,
    path: str | Path,
    tokenizer: str,
    max_length: Mapping[str, int | None],
    overwrite: bool,
) -> None:
    """Refuses, before the work, what `write_folder` could not write.

    Args:
        model: the model.
        vocabulary: its words by their ids; None for a model of vectors.
        path: the folder.
        tokenizer: one of `tokenizer.TOKENIZERS`.
        max_length: of each side of a pair, the tokens that are read.
        overwrite: whether a folder of this kind may be replaced.

    Raises:
        FileExistsError: if there is something at `path` and `overwrite` is
            false, or it is not such a folder.
        ValueError: if Keras runs on another backend than TensorFlow, the
            vocabulary is not that of the model, or an argument is out of
            range.
    """
    path = Path(path)
    if keras.backend.backend() != "tensorflow":
        raise ValueError(
            "Models are converted with the TensorFlow backend only. Write the "
            "model with `export_keras`, set KERAS_BACKEND=tensorflow, load "
            "the file in a new process and export it there. "
            f"Received: keras.backend.backend()={keras.backend.backend()!r}"
        )
    if path.exists() and not (overwrite and (path / READING).is_file()):
        raise FileExistsError(
            "`path` must not exist, unless `overwrite=True` and it is a "
            f"folder with {READING}. Received: path={path}"
        )
    if tokenizer not in tokenizers.TOKENIZERS:
        raise ValueError(
            f"`tokenizer` must be one of {tokenizers.TOKENIZERS}. "
            f"Received: tokenizer={tokenizer!r}"
        )
    for side, length in max_length.items():
        if length is not None and length < 1:
            raise ValueError(
                f"`max_{side}_length` must be at least 1. "
                f"Received: max_{side}_length={length}"
            )
    words = None if vocabulary is None else len(vocabulary)
    size = getattr(model, "vocabulary_size", words)
    if size != words:
        expected = "None" if size is None else f"the {size} words of the model"
        received = "None" if words is None else f"{words} words"
        raise ValueError(
            f"`vocabulary` must be {expected}. Received: {received}"
        )


def write_folder(
    path: str | Path,
    model_file: str,
    data: bytes,
    vocabulary: Sequence[str] | None,
    tokenizer: str,
    max_length: Mapping[str, int | None],
    inputs: Mapping[str, tuple[Sequence[int | None], str]],
) -> None:
    """Writes the model, `vocabulary.txt` and `reading.json`.

    `vocabulary.txt` has a word in each line; the first has the id
    `first_word_id`. `reading.json` has what else makes ids of a text: split
    the lower-case text into what `pattern` finds, put `number` in place of
    the tokens that `number_pattern` matches whole (where it is not null), cut
    them to `max_length` of the side, look them up, take `unknown_id` for
    those that are not there, and fill up with `padding_id`. `inputs` has the
    dtype of each input and its shape, with null for sizes that vary.

    Args:
        path: the folder, which is whole or absent; one that is there is
            replaced.
        model_file: name of the model in it.
        data: the model.
        vocabulary: the words by their ids, or None.
        tokenizer: one of `tokenizer.TOKENIZERS`.
        max_length: of each side of a pair, the tokens that are read.
        inputs: shape and dtype of each input of the model.
    """
    splitter, _, numbers = tokenizer.partition("-")
    reading: dict[str, Any] = {
        "keras_qa": __version__,
        "model": model_file,
        "inputs": {
            name: {"dtype": dtype, "shape": list(shape)}
            for name, (shape, dtype) in inputs.items()
        },
    }
    if vocabulary is not None:
        word = tokenizers.WORD.pattern
        reading |= {
            "tokenizer": tokenizer,
            "pattern": word if splitter == "word" else r"\S+",
            "number_pattern": (
                tokenizers.NUMBER_TOKEN.pattern if numbers else None
            ),
            "number": tokenizers.NUMBER,
            "max_length": dict(max_length),
            "padding_id": PADDING_ID,
            "unknown_id": UNKNOWN_ID,
            "first_word_id": UNKNOWN_ID + 1,
        }

    def save(folder: Path) -> None:
        folder.mkdir()
        (folder / model_file).write_bytes(data)
        text = json.dumps(reading, ensure_ascii=False, indent=2)
        (folder / READING).write_text(f"{text}\n", "utf-8")
        if vocabulary is not None:
            Vocabulary(vocabulary[2:]).save(folder / VOCABULARY)

    write_whole(path, save)
