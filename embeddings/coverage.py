"""Count how many words of a text or of a data set have a vector.

    python -m embeddings.coverage glove.6B.100d.txt --dataset sample
    python -m embeddings.coverage a.bin b.txt.gz --text texts.txt

"words" counts distinct words, "running" all their occurrences, in the lines of
a file or in the distinct texts of a data set. The most frequent words without a
vector are listed.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from embeddings.arguments import add_texts
from embeddings.arguments import read_texts
from embeddings.arguments import run_program


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the program; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m embeddings.coverage",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "vectors",
        type=Path,
        nargs="+",
        metavar="VECTORS",
        help="files of any format that is told by the content",
    )
    add_texts(parser)
    parser.add_argument(
        "--missing",
        type=int,
        default=20,
        metavar="N",
        help="words without a vector to list; default: %(default)s",
    )
    return run_program(parser, _count, arguments)


def _count(arguments: argparse.Namespace) -> None:
    from tqdm import tqdm

    from keras_qa.embeddings.loaders import detect_format
    from keras_qa.embeddings.loaders import load_vectors
    from keras_qa.embeddings.matrix import embedding_matrix

    if arguments.missing < 0:
        raise ValueError(
            f"--missing must be 0 or more. Received: {arguments.missing}"
        )
    for path in arguments.vectors:
        detect_format(path)
    counts = Counter(w for text in read_texts(arguments) for w in text)
    words = [word for word, _ in counts.most_common()]
    if not words:
        raise ValueError("Expected texts with words. Received: none")
    sets = [
        load_vectors(path, vocabulary=words)
        for path in tqdm(arguments.vectors, unit=" files", disable=None)
    ]
    # The first word is padding, which is not counted.
    _, coverage = embedding_matrix(["", *words], sets, counts=counts)
    for path, line in zip(
        arguments.vectors, str(coverage).splitlines(), strict=True
    ):
        print(f"{path}: {line.partition(': ')[2]}")
    print(
        f"any of them: words {coverage.any_words}, "
        f"running {coverage.any_running}"
    )
    missing = [w for w in words if not any(w in found for found in sets)]
    if missing and arguments.missing:
        print(f"Without a vector: {' '.join(missing[: arguments.missing])}")


if __name__ == "__main__":
    sys.exit(main())
