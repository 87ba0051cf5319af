"""The command `keras-qa`.

Each subcommand is an entry of `COMMANDS` and a module with
`add_arguments(parser)` and `run(arguments)`, which returns the exit code. The
module is imported only when its command is named.
"""

import argparse
import importlib
import io
import os
import shutil
import sys
import warnings
from collections.abc import Sequence
from typing import Any

from keras_qa.errors import KerasQAError
from keras_qa.errors import TextWarning
from keras_qa.quiet import silence_tensorflow
from keras_qa.version import __version__

# The module in this folder and its summary, by the words of the command.
COMMANDS = {
    "data audit": ("audit", "count what is in a data set"),
    "data fetch": ("fetch", "download a data set's files"),
    "train": ("train", "train a ranker on your own questions"),
    "evaluate": ("evaluate", "measure a ranker on your own questions"),
    "mine": ("mine", "find candidates with BM25"),
    "attention": ("attention", "show which words a model attends to"),
    "export": ("export", "write a model for others"),
    "rank": ("rank", "rank candidates with a model"),
    "index": ("index", "encode and index many answers"),
    "index merge": ("merge", "join the parts of an index"),
    "ask": ("ask", "find answers in an index"),
    "serve": ("serve", "rank over HTTP"),
    "demo": ("demo", "write a page that ranks in the browser"),
}


BACKENDS = ("tensorflow", "jax", "torch")
"""What Keras may run on."""


class _Parser(argparse.ArgumentParser):
    """A parser that refuses unknown options by the usage of their command."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parses as the base does, but leaves nothing over."""
        parsed, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return parsed, unknown


def main(arguments: list[str] | None = None) -> int:
    """Runs `keras-qa`.

    Args:
        arguments: the words after the command; None takes those of the
            process.

    Returns:
        The exit code: 0; 1 if a command could not do everything, or its
        standard output was closed early; 2 if arguments or files are wrong or
        a package is missing; 130 if it was interrupted.
    """
    silence_tensorflow()
    output = sys.stdout
    if isinstance(output, io.TextIOWrapper) and output.errors == "strict":
        # Some encodings lack letters of the answers.
        output.reconfigure(errors="backslashreplace")
    backend = os.environ.get("KERAS_BACKEND", BACKENDS[0])
    if backend not in BACKENDS:
        print(
            f"keras-qa: KERAS_BACKEND must be one of {', '.join(BACKENDS)}. "
            f"Received: {backend!r}",
            file=sys.stderr,
        )
        return 2
    words = _joined(sys.argv[1:] if arguments is None else arguments)
    parsed = make_parser(words).parse_args(words)
    try:
        with warnings.catch_warnings():
            # Commands report unreadable text themselves, at the end.
            warnings.simplefilter("ignore", TextWarning)
            code = parsed.run(parsed)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # The reader of a pipe, such as `head`, has exited. Python flushes
        # standard output at exit, which needs an open file.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (KerasQAError, ImportError, OSError) as error:
        print(f"keras-qa: {_said(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("keras-qa: interrupted", file=sys.stderr)
        return 130


def _said(error: Exception) -> str:
    """An error in words; of those of a copied folder, the first."""
    if isinstance(error, shutil.Error) and isinstance(error.args[0], list):
        _, target, cause = error.args[0][0]
        return f"{target}: {cause}"
    return str(error)


def make_parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """Returns the parser of `keras-qa`.

    Args:
        words: the words after the command. Only the subcommands that they
            name are given arguments.
    """
    parser = _Parser(
        prog="keras-qa", description="Neural question-answer ranking."
    )
    parser.add_argument("--version", action="version", version=__version__)
    groups = {"": parser.add_subparsers(required=True, metavar="COMMAND")}
    data = groups[""].add_parser("data", help="look at and fetch data sets")
    groups["data"] = data.add_subparsers(required=True, metavar="COMMAND")
    for command_words, (module_name, summary) in COMMANDS.items():
        group, _, name = command_words.rpartition(" ")
        if group not in groups:
            group, name = "", command_words
        command = groups[group].add_parser(name, help=summary)
        if name in words:
            module = importlib.import_module(f"keras_qa.cli.{module_name}")
            command.description = module.__doc__
            module.add_arguments(command)
            command.set_defaults(run=module.run)
    return parser


def _joined(words: Sequence[str]) -> list[str]:
    """Makes one word of a command of two whose first is a command as well."""
    two = " ".join(words[:2])
    if two in COMMANDS and words[0] in COMMANDS:
        return [two, *words[2:]]
    return list(words)


if __name__ == "__main__":
    sys.exit(main())
