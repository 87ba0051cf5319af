"""Report a data set's counts, missing data, repetitions, overlap and lengths.

Run it as `keras-qa data audit NAME`.
"""

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from keras_qa.cli.options.tables import TABLE_OPTIONS
from keras_qa.cli.options.tables import add_table_options
from keras_qa.cli.options.tables import refuse_idle
from keras_qa.cli.options.tables import table_options
from keras_qa.datasets.audit import audit_dataset
from keras_qa.datasets.audit import format_audit
from keras_qa.datasets.registry import FOLDERS
from keras_qa.datasets.registry import collection
from keras_qa.datasets.registry import describe_collections
from keras_qa.datasets.registry import open_dataset
from keras_qa.datasets.tabular import open_tabular
from keras_qa.errors import DatasetError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `keras-qa data audit`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = describe_collections()
    parser.add_argument(
        "name",
        nargs="?",
        type=_known,
        metavar="NAME",
        help="one of those below",
    )
    parser.add_argument(
        "--data-dir", type=Path, help="its folder, or the parent of that"
    )
    for split in ("train", "dev", "test"):
        parser.add_argument(
            f"--{split}",
            type=Path,
            metavar="FILE",
            help="instead of NAME: your own CSV, TSV, JSON lines or Parquet",
        )
    parser.add_argument(
        "--tokenizer",
        choices=("word", "whitespace"),
        help="for your own files; default: word",
    )
    parser.add_argument(
        "--pool-size",
        type=int,
        help="candidates per question of InsuranceQA; default: 500",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_table_options(parser)


def _known(name: str) -> str:
    """The type of an argument that names a data set."""
    if name in FOLDERS:
        return name
    expected = f"expected one of {', '.join(FOLDERS)}"
    if Path(name).is_file():
        expected = "a file of your own goes with --train, --dev or --test"
    raise argparse.ArgumentTypeError(f"{expected}. Received: {name}")


def run(arguments: argparse.Namespace) -> int:
    """Prints the audit that the arguments ask for; returns the exit code.

    Raises:
        DatasetError: if the arguments contradict each other, or a file is
            missing or bad.
    """
    files = (arguments.train, arguments.dev, arguments.test)
    own_files = any(file is not None for file in files)
    if own_files == (arguments.name is not None):
        given = [arguments.name, *files] if own_files else ["neither"]
        raise DatasetError(
            "Give either the NAME of a data set or files of your own with "
            "--train, --dev and --test. Received: "
            f"{', '.join(str(one) for one in given if one is not None)}"
        )
    if own_files:
        of_names, other = ("data_dir", "pool_size"), "the NAME of a data set"
        refuse_idle(arguments, of_names, other, "files of your own")
        dataset = open_tabular(
            *files,
            **table_options(arguments),
            tokenizer=arguments.tokenizer or "word",
        )
    else:
        of_files = (*TABLE_OPTIONS, "tokenizer")
        refuse_idle(arguments, of_files, "files of your own", arguments.name)
        taken: dict[str, int | bool] = {}
        # The papers' counts are those of the original files.
        if "prefer_original" in collection(arguments.name).options:
            taken["prefer_original"] = True
        if arguments.pool_size is not None:
            taken["pool_size"] = arguments.pool_size
        dataset = open_dataset(arguments.name, arguments.data_dir, **taken)
    audit = audit_dataset(dataset)
    # Published collections are meant to be as they are.
    problems = list(audit.problems) if own_files else []
    if arguments.json:
        found = asdict(audit)
        if own_files:
            found["problems"] = problems
        print(json.dumps(found, ensure_ascii=False, indent=2))
    else:
        print(format_audit(audit), end="")
        for problem in problems:
            print(f"Attention: {problem}")
    return 0
