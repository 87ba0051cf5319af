"""Train a ranker on your own questions, and compare it with floors.

FILE has a question, an answer and a label in each row; without labels, every
answer is right, and BM25 finds wrong ones. Some questions train, some choose
the epoch, and those of dev are ranked at the end. RUN gets the model, which all
commands take, on TensorFlow as RUN/saved_model too, as RUN/onnx, by which the
commands start fast, and RUN/README.md, which says how it was made and how good
it is. A killed training goes on when the command is given again.
"""

import argparse
import logging
import sys
from pathlib import Path

from keras_qa.cli.options.devices import add_device_options
from keras_qa.cli.options.devices import on_devices
from keras_qa.cli.options.tables import add_table_options
from keras_qa.cli.options.tables import table_options
from keras_qa.cli.options.whole_numbers import positive
from keras_qa.cli.options.whole_numbers import seed
from keras_qa.own_data.settings import AUTOMATIC
from keras_qa.own_data.settings import BERTS
from keras_qa.own_data.settings import DEFAULT_MODEL
from keras_qa.own_data.settings import FLOORS
from keras_qa.own_data.settings import MINILM
from keras_qa.own_data.settings import NETWORKS
from keras_qa.own_data.settings import RECIPES
from keras_qa.own_data.settings import SKIPGRAM
from keras_qa.own_data.settings import TrainSettings
from keras_qa.own_data.settings import networks_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `keras-qa train`."""
    parser.add_argument(
        "data",
        type=Path,
        metavar="FILE",
        help="CSV, TSV, JSON lines or Parquet",
    )
    parser.add_argument(
        "--output",
        type=Path,
        required=True,
        metavar="RUN",
        help="folder to write: new, or of the same training, to resume it",
    )
    parser.add_argument(
        "--dev",
        type=Path,
        metavar="FILE",
        help="what the figures are of; default: a fifth of FILE's questions",
    )
    parser.add_argument(
        "--model",
        type=_model,
        metavar="NAME[+NAME...]",
        default=DEFAULT_MODEL,
        help=f"networks ({', '.join(NETWORKS)}), {FLOORS}, or a sum of "
        f"several; or {' or '.join(BERTS)} alone, trained from a BERT of the "
        "extra `bert`, which takes far longer; default: %(default)s",
    )
    parser.add_argument(
        "--vectors",
        nargs="+",
        default=[AUTOMATIC],
        metavar="NAME",
        help=f"of words: {SKIPGRAM}, trained on FILE's texts; {MINILM}, of the "
        f"extra `bert`; files; default: {AUTOMATIC}, which is {SKIPGRAM}, and "
        f"{MINILM} if it is installed",
    )
    parser.add_argument(
        "--bert",
        metavar="SOURCE",
        help=f"what {' and '.join(BERTS)} are trained from: {MINILM}, the "
        "folder of a BERT, or a preset of keras-hub; default: "
        f"{MINILM}",
    )
    parser.add_argument(
        "--recipe",
        choices=tuple(RECIPES),
        default="default",
        help="quick: few epochs and candidates, for a first trial; default: "
        "%(default)s",
    )
    parser.add_argument(
        "--max-answer-length",
        type=positive,
        metavar="N",
        help="tokens of an answer that are read, the floors included; default: "
        f"{TrainSettings.max_answer_length}, or 128 word pieces of a BERT",
    )
    parser.add_argument(
        "--seed", type=seed, default=0, help="default: %(default)s"
    )
    parser.add_argument(
        "--onnx",
        action=argparse.BooleanOptionalAction,
        help="write RUN/onnx, by which commands start in a second; default: on "
        "TensorFlow, if the extra `onnx` is installed",
    )
    add_device_options(parser)
    add_table_options(parser)


def _model(text: str) -> str:
    try:
        networks_of(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return text


def run(arguments: argparse.Namespace) -> int:
    """Trains and prints the table; returns the exit code.

    Raises:
        DatasetError: if a file is missing or bad, or has too few questions.
        DevicesError: if the devices or hosts cannot be used.
        ExportError: if --onnx is given and cannot be done; what was trained
            is complete.
        ImportError: if a package is missing that the vectors, the BERT, or
            --onnx, need.
        RunFolderError: if the output exists and is not of the same training.
        VectorsError: if a file of vectors, or the BERT, is missing or bad, or
            --bert is given for a model without one.
    """
    from keras_qa.own_data.training import train

    settings = {}
    if arguments.max_answer_length is not None:
        settings["max_answer_length"] = arguments.max_answer_length
    # TensorFlow warns of each shape that it compiles.
    logging.getLogger("tensorflow").setLevel(logging.ERROR)
    with on_devices(arguments):
        trained = train(
            arguments.data,
            arguments.output,
            dev=arguments.dev,
            model=arguments.model,
            vectors=arguments.vectors,
            bert=arguments.bert,
            recipe=arguments.recipe,
            seed=arguments.seed,
            table=table_options(arguments),
            onnx=arguments.onnx,
            **settings,
        )
    print(trained.table)
    print(
        f"\n{trained.folder}: the model; {trained.folder}/README.md: its card"
    )
    if trained.note:
        print(
            "keras-qa: commands will start with Keras, which takes seconds: "
            f"{trained.note}",
            file=sys.stderr,
        )
    return 0
