"""Arguments and exit codes that the programs share."""

import argparse
import sys
from collections.abc import Callable
from collections.abc import Sequence
from pathlib import Path

FORMATS = ("word2vec-text", "word2vec-binary", "glove")
# The format of a file without `--format`, by its ending before that of gzip.
ENDINGS = {
    ".bin": "word2vec-binary",
    ".txt": "word2vec-text",
    ".vec": "word2vec-text",
}


def add_texts(parser: argparse.ArgumentParser) -> None:
    """Adds the options for the texts: a file, or a data set."""
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "--text",
        type=Path,
        metavar="FILE",
        help="UTF-8, a text per line, tokens between white space; or .gz",
    )
    source.add_argument(
        "--dataset", metavar="NAME", help="a data set, such as `sample`"
    )
    parser.add_argument(
        "--data-dir", type=Path, help="its folder, or the parent of that"
    )
    parser.add_argument(
        "--split",
        nargs="+",
        help="splits of the data set; default: train",
    )


def read_texts(arguments: argparse.Namespace) -> list[list[str]]:
    """Reads the texts that the options of `add_texts` name, as tokens.

    Raises:
        DatasetError: if the data set does not exist, or a file is bad.
        ValueError: if an option of data sets is given with a file.
    """
    if arguments.text is not None:
        if arguments.data_dir or arguments.split:
            raise ValueError(
                "--data-dir and --split go with --dataset. Received: --text"
            )
        from keras_qa.files.text_files import read_lines

        return [line.split() for _, line in read_lines(arguments.text)]
    from keras_qa.datasets import Corpus
    from keras_qa.datasets import open_dataset

    dataset = open_dataset(arguments.dataset, arguments.data_dir)
    splits = arguments.split or ["train"]
    groups = [dataset.questions(split) for split in splits]
    return Corpus(*groups, tokenizer=dataset.tokenizer).tokens


def add_output(parser: argparse.ArgumentParser) -> None:
    """Adds the options for the file of vectors to write."""
    parser.add_argument(
        "--output",
        type=Path,
        required=True,
        metavar="FILE",
        help="where to write the vectors; gzipped if it ends in .gz",
    )
    parser.add_argument(
        "--format",
        choices=FORMATS,
        help="default: word2vec-binary for .bin, word2vec-text for .txt and "
        ".vec",
    )
    parser.add_argument(
        "--overwrite", action="store_true", help="if FILE exists"
    )


def output_format(arguments: argparse.Namespace) -> str:
    """Returns the format to write, after a check of the file's path.

    Raises:
        ValueError: if the file exists and may not be replaced, its folder does
            not exist, or nothing says which format it is to have.
    """
    path: Path = arguments.output
    if path.exists() and not (arguments.overwrite and path.is_file()):
        raise ValueError(
            "--output must be a new file, or one that --overwrite may replace. "
            f"Received: {path}"
        )
    if not path.parent.is_dir():
        raise ValueError(
            f"--output must be in a folder that exists. Received: {path}"
        )
    ending = Path(path.name.removesuffix(".gz")).suffix
    if arguments.format is None and ending not in ENDINGS:
        raise ValueError(
            f"--output must end in {', '.join(ENDINGS)}, or in one of these "
            f"and .gz, unless --format is given. Received: {path}"
        )
    return arguments.format or ENDINGS[ending]


def run_program(
    parser: argparse.ArgumentParser,
    action: Callable[[argparse.Namespace], None],
    arguments: Sequence[str] | None,
) -> int:
    """Parses arguments and runs a program's action.

    Returns:
        The exit code: 0, or 2 if the arguments or a file are bad, with a
        message on standard error.
    """
    parsed = parser.parse_args(arguments)
    try:
        action(parsed)
    # The library's errors for bad arguments and files are of these types.
    except (ValueError, OSError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    return 0
