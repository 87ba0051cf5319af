r"""Convert word vectors between the formats of GloVe, word2vec and fastText.

    python -m embeddings.convert glove.6B.100d.txt --output glove.bin
    python -m embeddings.convert cc.en.300.bin.gz --output words.txt \
        --words vocabulary.txt

The input format is detected by the content. A fastText model gives the vectors
of its words, and with --words also vectors composed of subwords. All vectors
that are kept are in memory.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from embeddings.arguments import add_output
from embeddings.arguments import output_format
from embeddings.arguments import run_program


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the program; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m embeddings.convert",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "vectors", type=Path, metavar="VECTORS", help="file, plain or gzipped"
    )
    add_output(parser)
    parser.add_argument(
        "--words",
        type=Path,
        metavar="FILE",
        help="keep these words alone: UTF-8, one a line",
    )
    return run_program(parser, _convert, arguments)


def _convert(arguments: argparse.Namespace) -> None:
    file_format = output_format(arguments)
    from keras_qa.embeddings.formats.writer import save_vectors
    from keras_qa.embeddings.loaders import detect_format
    from keras_qa.embeddings.loaders import load_vectors
    from keras_qa.files.text_files import read_lines

    found = detect_format(arguments.vectors)
    words = None
    if arguments.words is not None:
        words = [line for _, line in read_lines(arguments.words) if line]
    print(f"{arguments.vectors}: {found}", flush=True)
    vectors = load_vectors(arguments.vectors, vocabulary=words)
    bar = sys.stderr.isatty()
    left_out = save_vectors(arguments.output, vectors, file_format, bar)
    print(
        f"{arguments.output}: {file_format}, {len(vectors) - left_out:,} words"
    )
    if words is not None:
        wanted = dict.fromkeys(words)
        lost = [word for word in wanted if word not in vectors]
        if lost:
            print(
                f"Without a vector: {len(lost):,} of {len(wanted):,} words, "
                f"such as {', '.join(map(repr, lost[:5]))}"
            )
    if left_out:
        print(f"Left out: {left_out:,} words that contain white space.")


if __name__ == "__main__":
    sys.exit(main())
