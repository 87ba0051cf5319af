"""The command `keras-qa`.

Each subcommand is a module with `add_arguments(parser)` and `run(arguments)`,
which returns the exit code; a new one is a line in `_parser`.
"""

import argparse
import os
import sys
from types import ModuleType

from keras_qa.attention.weights import AttentionError
from keras_qa.cli import ask as ask_command
from keras_qa.cli import attention as attention_command
from keras_qa.cli import export as export_command
from keras_qa.cli import index as index_command
from keras_qa.cli import mine as mine_command
from keras_qa.cli import rank as rank_command
from keras_qa.cli.export import ExportError
from keras_qa.cli.main import audit
from keras_qa.datasets import download as fetch
from keras_qa.datasets.dataset import DatasetError
from keras_qa.files.locks import OwnedError
from keras_qa.search.errors import SearchError
from keras_qa.version import __version__


def main(arguments: list[str] | None = None) -> int:
    """Runs `keras-qa`.

    Args:
        arguments: the words after the command; None takes those of the
            process.

    Returns:
        The exit code: 0, or 1 if a command could not do all it was asked to
        (or not print all of it, for the reader has left),
        2 if arguments or files are wrong or a package is missing, 130 if it
        was interrupted.
    """
    parsed = _parser().parse_args(arguments)
    try:
        code = parsed.run(parsed)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # Whoever reads has seen enough, as `head` does. What is left must go
        # somewhere when Python flushes at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (
        AttentionError,
        DatasetError,
        ExportError,
        OwnedError,
        SearchError,
        ImportError,
        OSError,
    ) as error:
        print(f"keras-qa: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("keras-qa: interrupted", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="keras-qa", description="Neural question-answer ranking."
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    data = commands.add_parser("data", help="look at and fetch data sets")
    data_commands = data.add_subparsers(required=True, metavar="COMMAND")
    _add(data_commands, "audit", audit, "count what is in a data set")
    _add(data_commands, "fetch", fetch, "download a data set's files")
    _add(commands, "mine", mine_command, "find candidates with BM25")
    _add(
        commands,
        "attention",
        attention_command,
        "show which words a model attends to",
    )
    _add(commands, "export", export_command, "write a model for others")
    _add(commands, "rank", rank_command, "rank candidates with a model")
    _add(commands, "index", index_command, "encode and index many answers")
    _add(commands, "ask", ask_command, "find answers in an index")
    return parser


def _add(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    module: ModuleType,
    summary: str,
) -> None:
    parser = commands.add_parser(name, help=summary, description=module.__doc__)
    module.add_arguments(parser)
    parser.set_defaults(run=module.run)


if __name__ == "__main__":
    sys.exit(main())
