"""Download the published files of a data set, or print how to get them."""

import argparse
from pathlib import Path

from keras_qa.datasets.download import fetch
from keras_qa.datasets.download import load_catalogue
from keras_qa.datasets.download import target_folder
from keras_qa.datasets.registry import FOLDERS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `keras-qa data fetch`."""
    parser.add_argument("name", choices=FOLDERS, help="data set")
    parser.add_argument(
        "--data-dir",
        type=Path,
        help="parent of the data set's folder; default: $KERAS_QA_DATA, "
        "or .keras_qa in the home folder",
    )


def run(arguments: argparse.Namespace) -> int:
    """Fetches what the arguments ask for; returns the exit code.

    The exit code is 0 if all files are there, and 1 if some must be fetched by
    hand.
    """
    if arguments.name == "sample":
        print("The data set `sample` is part of the package.")
        return 0
    folder = target_folder(arguments.name, arguments.data_dir)
    licence = load_catalogue()[FOLDERS[arguments.name]]["licence"]
    print(f"Folder: {folder}\nLicence: {licence}", flush=True)
    missing = fetch(arguments.name, arguments.data_dir)
    for file in missing:
        print(
            f"\nNot fetched: {file.path}\n  because {file.reason}.\n"
            f"  Get {file.path.name} from {file.source}\n"
            f"  and put it there."
        )
    if missing:
        return 1
    print("All files are there.")
    return 0
