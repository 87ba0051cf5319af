"""The command `keras-qa`.

Each subcommand is a module with `add_arguments(parser)` and `run(arguments)`,
which returns the exit code; a new one is a line in `_parser`.
"""

import argparse
import os
import sys
from types import ModuleType

from keras_qa.cli import ask
from keras_qa.cli import attention
from keras_qa.cli import audit
from keras_qa.cli import export
from keras_qa.cli import fetch
from keras_qa.cli import index
from keras_qa.cli import mine
from keras_qa.cli import rank
from keras_qa.errors import KerasQAError
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
    except (KerasQAError, ImportError, OSError) as error:
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
    _add(commands, "mine", mine, "find candidates with BM25")
    _add(
        commands,
        "attention",
        attention,
        "show which words a model attends to",
    )
    _add(commands, "export", export, "write a model for others")
    _add(commands, "rank", rank, "rank candidates with a model")
    _add(commands, "index", index, "encode and index many answers")
    _add(commands, "ask", ask, "find answers in an index")
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
