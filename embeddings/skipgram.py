"""Train word vectors on your own text or on a data set.

    python -m embeddings.skipgram --text texts.txt --output vectors.bin
    python -m embeddings.skipgram --dataset sample --output vectors.txt.gz

The method is skip-gram with negative sampling (Mikolov et al., NIPS 2013). With
one worker, equal texts and options give equal vectors.
"""

import argparse
import sys
from collections.abc import Sequence

from embeddings.arguments import add_output
from embeddings.arguments import add_texts
from embeddings.arguments import output_format
from embeddings.arguments import read_texts
from embeddings.arguments import run_program

# The defaults and descriptions of the options, arguments of `train_skipgram`.
_SETTINGS = {
    "vector_size": (100, "numbers of a vector"),
    "window": (5, "largest distance of the two words of a pair"),
    "negative": (5, "noise words per pair"),
    "min_count": (2, "rarer words get no vector"),
    "epochs": (15, "passes over the texts"),
    "seed": (0, "seed of the vectors and of the sampling"),
    "workers": (1, "threads; with more than one, results vary"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the program; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m embeddings.skipgram",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_texts(parser)
    add_output(parser)
    for name, (default, meaning) in _SETTINGS.items():
        parser.add_argument(
            f"--{name.replace('_', '-')}",
            type=int,
            default=default,
            metavar="N",
            help=f"{meaning}; default: {default}",
        )
    return run_program(parser, _train, arguments)


def _train(arguments: argparse.Namespace) -> None:
    file_format = output_format(arguments)
    settings = {name: getattr(arguments, name) for name in _SETTINGS}
    for name, value in settings.items():
        least = 0 if name == "seed" else 1
        if value < least:
            raise ValueError(
                f"--{name.replace('_', '-')} must be at least {least}. "
                f"Received: {value}"
            )
    from tqdm import tqdm

    from keras_qa.embeddings.formats.writer import save_vectors
    from keras_qa.embeddings.skipgram import train_skipgram

    texts = read_texts(arguments)
    with tqdm(total=arguments.epochs, unit=" epochs", disable=None) as bar:
        vectors = train_skipgram(
            texts, **settings, progress=lambda done, total: bar.update()
        )
    save_vectors(arguments.output, vectors, file_format)
    print(f"{arguments.output}: {len(vectors):,} words of {len(texts):,} texts")


if __name__ == "__main__":
    sys.exit(main())
