"""Export a trained model as a `.keras` file, SavedModel, ONNX or TFLite.

The forms tf_serving and triton are a SavedModel and ONNX in the folders of the
model servers TensorFlow Serving and NVIDIA Triton.

docs/exports.md describes the inputs and the requirements of each format.
"""

import argparse
import os
from pathlib import Path

from keras_qa.cli.options.models import add_model
from keras_qa.cli.options.models import load_model
from keras_qa.cli.options.tables import refuse_idle
from keras_qa.errors import ExportError
from keras_qa.export.forms import FORMATS
from keras_qa.export.forms import check_form
from keras_qa.export.onnx_beside import add_onnx
from keras_qa.export.onnx_model import BESIDE
from keras_qa.export.onnx_model import find_beside
from keras_qa.export.target import MODEL
from keras_qa.export.target import ONNX
from keras_qa.files.whole import check_writable
from keras_qa.ranker import Ranker

# The forms that an option has an effect on.
_FORMS_OF = {
    "pairs": ("tflite",),
    "name": ("tf_serving", "triton"),
    # A `.keras` file contains no reading.
    **dict.fromkeys(
        ("max_question_length", "max_answer_length", "readable", "tokenizer"),
        FORMATS[1:],
    ),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `keras-qa export`."""
    add_model(parser, onnx=False)
    parser.add_argument("--format", choices=FORMATS, required=True)
    parser.add_argument(
        "--output",
        type=Path,
        metavar="PATH",
        help="the file ending in .keras, or the folder of another form; "
        "default, for onnx only: the folder `onnx` in RANKER, by which all "
        "commands that rank with RANKER then start fast",
    )
    parser.add_argument(
        "--overwrite",
        action="store_true",
        help="replace an older export of the same form, if nothing else is "
        "in its folder",
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
        metavar="N",
        help="pairs that tflite scores at once; default: 1",
    )
    parser.add_argument(
        "--name",
        help="of the model in requests, for tf_serving and triton; "
        "default: ranker",
    )


def run(arguments: argparse.Namespace) -> int:
    """Writes what the arguments ask for; returns the exit code.

    Raises:
        DatasetError: if the vocabulary or the counts of words are bad.
        ExportError: if the model cannot be written in that format, or an
            argument is out of range.
        ImportError: if the format needs a package that is not installed.
        OSError: if the output exists and may not be replaced, or cannot be
            written to its place.
        RankerError: if there is no Keras model that takes text.
    """
    for option, forms in _FORMS_OF.items():
        if arguments.format not in forms:
            other, given = " or ".join(forms), f"--format {arguments.format}"
            refuse_idle(
                arguments, (option,), f"--format {other}", given, ExportError
            )
    lengths = {
        "question": arguments.max_question_length,
        "answer": arguments.max_answer_length,
    }
    lengths = {side: n for side, n in lengths.items() if n is not None}
    # What is in RANKER's folder must rank as RANKER does.
    differs = lengths or arguments.readable or arguments.tokenizer
    if arguments.output is None and (arguments.format != "onnx" or differs):
        raise ExportError(
            "--output must be given, except for --format onnx without "
            "lengths, --readable and --tokenizer. "
            f"Received: --format {arguments.format}"
        )
    output = arguments.output or arguments.model / BESIDE
    if arguments.format == "keras" and output.suffix != ".keras":
        raise ExportError(f"`--output` must end in .keras. Received: {output}")
    if output.exists() and not arguments.overwrite:
        beside = (
            {} if arguments.output else find_beside(arguments.model / MODEL)
        )
        if ONNX in beside:
            print(f"ONNX of this model is in {output}")
            return 0
        raise FileExistsError(
            f"`--output` must not exist, unless `--overwrite` is given. "
            f"Received: {output}"
        )
    check_form(arguments.model)
    check_writable(output)
    if arguments.format != "keras":
        # Converters need TensorFlow; a `.keras` file loads on any backend.
        os.environ["KERAS_BACKEND"] = "tensorflow"
    if arguments.output is None:
        add_onnx(arguments.model, overwrite=arguments.overwrite)
        print(f"ONNX in {output}")
        return 0
    chosen = {
        name: value
        for name in ("pairs", "name")
        if (value := getattr(arguments, name)) is not None
    }
    ranker = load_model(arguments)
    model, reading = ranker.model, ranker.reading
    try:
        Ranker(model, reading.cut_to(lengths)).export(
            output,
            arguments.format,
            **chosen,
            overwrite=arguments.overwrite,
        )
    except ValueError as error:
        raise ExportError(f"{arguments.model}: {error}") from error
    print(f"{type(model).__name__} in {output}")
    return 0
