"""Show which words of a question and an answer a trained model attends to.

It needs the folder of a run of the reproduction scripts whose model has
attention. Words in brackets are not in the model's vocabulary; it reads them
all as one.
"""

import argparse
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from keras_qa.attention.maps import attention_maps
from keras_qa.attention.maps import draw_attention_maps
from keras_qa.attention.weights import attention_weights
from keras_qa.attention.weights import draw_attention
from keras_qa.attention.weights import format_attention
from keras_qa.errors import AttentionError
from keras_qa.errors import ModelFileError
from keras_qa.export.keras_file import load_model
from keras_qa.files.text_files import shorten
from keras_qa.text.tokenizer import TOKENIZERS
from keras_qa.text.vocabulary import Vocabulary

FILES = ("model.keras", "vocabulary.txt", "metrics.json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `keras-qa attention`."""
    parser.add_argument(
        "run_folder",
        type=Path,
        metavar="RUN_FOLDER",
        help=f"output folder of a run, with {', '.join(FILES)}",
    )
    parser.add_argument("--question", required=True, metavar="TEXT")
    parser.add_argument("--answer", required=True, metavar="TEXT")
    parser.add_argument(
        "--format",
        choices=("text", "json"),
        default="text",
        help="what to print; default: %(default)s",
    )
    parser.add_argument(
        "--picture",
        type=Path,
        metavar="FILE",
        help="draw both texts, too, as PNG, SVG or PDF (needs matplotlib)",
    )
    parser.add_argument(
        "--maps",
        type=Path,
        metavar="FILE",
        help="draw all weights of MRNN, of blocks and of positions, as PNG, "
        "SVG or PDF (needs matplotlib)",
    )
    parser.add_argument(
        "--tokenizer",
        choices=TOKENIZERS,
        help="instead of the one that the run notes",
    )


def run(arguments: argparse.Namespace) -> int:
    """Prints the weights that the arguments ask for; returns the exit code.

    Raises:
        AttentionError: if the folder holds no run, its model no attention or
            none of the maps asked for, or a text no word.
        ImportError: if a picture is asked for without matplotlib.
    """
    folder = arguments.run_folder
    reading = run_reading(folder, arguments.tokenizer)
    pair = (
        run_model(folder),
        Vocabulary.load(folder / "vocabulary.txt"),
        arguments.question,
        arguments.answer,
    )
    attention = attention_weights(*pair, **reading)
    if arguments.maps is not None:
        draw_attention_maps(attention_maps(*pair, **reading), arguments.maps)
    if arguments.picture is not None:
        draw_attention(attention, arguments.picture)
    if arguments.format == "json":
        print(json.dumps(asdict(attention), ensure_ascii=False, indent=2))
    else:
        print(format_attention(attention), end="")
    return 0


def run_reading(folder: Path, tokenizer: str | None = None) -> dict[str, Any]:
    """How the model of a run reads text.

    Args:
        folder: the run's folder.
        tokenizer: instead of the one that the run notes.

    Returns:
        `tokenizer`, `max_question_length` and `max_answer_length`.

    Raises:
        AttentionError: if the folder holds no finished run with its model.
    """
    missing = [name for name in FILES if not (folder / name).is_file()]
    if missing:
        received = f"no {', '.join(missing)} in it"
        raise AttentionError(
            f"{folder}: expected the folder of a finished run whose model was "
            f"kept, with {', '.join(FILES)}. "
            f"Received: {received if folder.is_dir() else 'no such folder'}"
        )
    path = folder / "metrics.json"
    try:
        metrics = json.loads(path.read_text("utf-8"))
        settings = metrics["settings"]
        lengths = {
            f"max_{side}_length": settings[f"max_{side}_length"]
            for side in ("question", "answer")
        }
        # What was used; older runs note it only where it was chosen.
        noted = metrics.get("tokenizer") or settings["tokenizer"]
        check_reading({"tokenizer": noted, **lengths})
    # The last is of JSON that is nested too deep.
    except (
        *(ValueError, KeyError, TypeError, AttributeError),
        RecursionError,
    ) as error:
        raise AttentionError(
            f"{path}: expected the metrics of a run with its settings. "
            f"Received: {type(error).__name__}: {shorten(str(error))}"
        ) from error
    if tokenizer is None and noted is None:
        raise AttentionError(
            f"{path}: expected the `tokenizer` of the run; add --tokenizer "
            "with the one of its data set. Received: none"
        )
    return {"tokenizer": tokenizer or noted, **lengths}


def check_reading(reading: Mapping[str, Any]) -> None:
    """Checks how text is to be read, where a file says it.

    Args:
        reading: `tokenizer`, `max_question_length` and `max_answer_length`,
            each of which may be None.

    Raises:
        ValueError: if one is of another kind.
    """
    for name, value in reading.items():
        known = (
            value in TOKENIZERS
            if name == "tokenizer"
            else type(value) is int and value > 0
        )
        if value is not None and not known:
            raise ValueError(f"{name}={shorten(value)}")


def run_model(folder: Path) -> Any:
    """The model of a run, ready to be called.

    Args:
        folder: the run's folder.

    Raises:
        AttentionError: if this version of the library cannot load it.
    """
    try:
        return load_model(folder / "model.keras")
    except ModelFileError as error:
        raise AttentionError(str(error)) from error
