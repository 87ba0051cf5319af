"""Join the parts of an index that were encoded one by one.

It checks that all parts are there and as `keras-qa index --shards K --shard I`
wrote them, names those that are not, and makes the index that `keras-qa index`
would have made of all answers at once. Parts that were encoded into several
folders are copied into one first.
"""

import argparse
from pathlib import Path

from keras_qa.cli.index import KIND
from keras_qa.cli.index import add_kind
from keras_qa.cli.index import print_index


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `keras-qa index merge`."""
    parser.add_argument(
        "index", type=Path, metavar="DIR", help="the --output of all parts"
    )
    add_kind(parser)


def run(arguments: argparse.Namespace) -> int:
    """Finishes the index; returns the exit code.

    Raises:
        ImportError: if FAISS is not installed.
        OwnedError: if another process writes to the folder.
        RankerError: if the folder's model cannot be loaded.
        SearchError: see `merge_parts`.
    """
    from keras_qa.search.parts.merge import merge_parts

    kind = arguments.kind or KIND
    total = merge_parts(arguments.index, kind)
    print_index(arguments.index, total, kind)
    return 0
