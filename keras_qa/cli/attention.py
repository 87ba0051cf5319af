"""Show which words of a question and an answer a trained model attends to.

RANKER is an MRNN, IAM, attentive LSTM or CNN, AP-BiLSTM, AP-CNN or AI-CNN,
which the papers' scripts train; the models of `keras-qa train` have no
attention. Words in brackets are not in the model's vocabulary; to the model,
all of them are one word.
"""

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from keras_qa.attention.maps import attention_maps
from keras_qa.attention.maps import draw_attention_maps
from keras_qa.attention.weights import attention_weights
from keras_qa.attention.weights import draw_attention
from keras_qa.attention.weights import format_attention
from keras_qa.cli.options.models import add_model
from keras_qa.cli.options.models import load_model


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `keras-qa attention`."""
    add_model(parser, onnx=False)
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


def run(arguments: argparse.Namespace) -> int:
    """Prints the weights that the arguments ask for; returns the exit code.

    Raises:
        AttentionError: if the model has no attention, or no maps for --maps,
            a text has no word, or a picture cannot be drawn.
        ImportError: if a picture is asked for without matplotlib.
        RankerError: if there is no Keras model that takes text.
    """
    ranker = load_model(arguments)
    pair = ranker.model, ranker.reading, arguments.question, arguments.answer
    attention = attention_weights(*pair)
    if arguments.maps is not None:
        draw_attention_maps(attention_maps(*pair), arguments.maps)
    if arguments.picture is not None:
        draw_attention(attention, arguments.picture)
    if arguments.format == "json":
        print(json.dumps(asdict(attention), ensure_ascii=False, indent=2))
    else:
        print(format_attention(attention), end="")
    return 0
