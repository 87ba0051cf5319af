"""Write a trained model in a form that others can use.

It needs the folder of a run of the reproduction scripts that kept its model.
docs/exports.md says what each form takes and needs.
"""

import argparse
import os
from pathlib import Path

from keras_qa.cli.attention import FILES
from keras_qa.cli.attention import run_model
from keras_qa.cli.attention import run_reading
from keras_qa.errors import ExportError
from keras_qa.search.trained import OVERLAP
from keras_qa.text.overlap import OverlapFeatures
from keras_qa.text.tokenizer import TOKENIZERS
from keras_qa.text.vocabulary import Vocabulary

FORMATS = ("keras", "saved_model", "onnx", "tflite")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `keras-qa export`."""
    parser.add_argument(
        "run_folder",
        type=Path,
        metavar="RUN_FOLDER",
        help=f"output folder of a run, with {', '.join(FILES)}",
    )
    parser.add_argument("--format", choices=FORMATS, required=True)
    parser.add_argument(
        "--output",
        type=Path,
        required=True,
        metavar="PATH",
        help="the file ending in .keras, or the folder of another form",
    )
    parser.add_argument(
        "--overwrite",
        action="store_true",
        help="replace what an export has written there",
    )
    parser.add_argument(
        "--tokenizer",
        choices=TOKENIZERS,
        help="instead of the one that the run notes",
    )
    for side, length in (("question", 40), ("answer", 100)):
        parser.add_argument(
            f"--max-{side}-length",
            type=int,
            metavar="TOKENS",
            help=f"instead of the run's; tflite pads to it (if neither says, "
            f"to {length})",
        )
    parser.add_argument(
        "--pairs",
        type=int,
        default=1,
        metavar="N",
        help="pairs that tflite scores at once; default: %(default)s",
    )


def run(arguments: argparse.Namespace) -> int:
    """Writes what the arguments ask for; returns the exit code.

    Raises:
        AttentionError: if the folder holds no run with a model.
        DatasetError: if what it holds of a run's text is bad.
        ExportError: if the model cannot be written in that form, or an
            argument is out of range.
        ImportError: if the form needs a package that is not there.
        OSError: if something is in the way of the output.
    """
    folder, output = arguments.run_folder, arguments.output
    reading = run_reading(folder, arguments.tokenizer)
    for side in ("question", "answer"):
        chosen = getattr(arguments, f"max_{side}_length")
        if chosen is not None:
            reading[f"max_{side}_length"] = chosen
    if output.exists() and not arguments.overwrite:
        raise FileExistsError(
            f"`--output` must not exist, unless `--overwrite` is given. "
            f"Received: {output}"
        )
    if arguments.format != "keras":
        # Only TensorFlow's models can be converted; a file fits any backend.
        os.environ["KERAS_BACKEND"] = "tensorflow"
    words = Vocabulary.load(folder / "vocabulary.txt").words
    overlap = None
    if (folder / OVERLAP).is_file():
        overlap = OverlapFeatures.load(folder / OVERLAP)
    model = run_model(folder)
    from keras_qa.export.onnx import export_onnx
    from keras_qa.export.saved_model import export_keras
    from keras_qa.export.saved_model import export_saved_model
    from keras_qa.export.tflite import export_lite

    replace = arguments.overwrite
    try:
        if arguments.format == "keras":
            export_keras(model, output)
        elif arguments.format == "saved_model":
            export_saved_model(
                model,
                words,
                output,
                **reading,
                overlap=overlap,
                overwrite=replace,
            )
        elif arguments.format == "onnx":
            export_onnx(model, words, output, **reading, overwrite=replace)
        else:
            given = {k: v for k, v in reading.items() if v is not None}
            export_lite(
                model,
                words,
                output,
                **given,
                pairs=arguments.pairs,
                overwrite=replace,
            )
    except ValueError as error:
        raise ExportError(f"{folder}: {error}") from error
    print(f"{type(model).__name__} in {output}")
    return 0
