"""Write a page that ranks in the browser, offline, wherever it is hosted.

SITE gets a page with a question box, sample questions and the rankers side by
side, with the attention of models that have some; nothing that is asked leaves
the browser. RUN is the output folder of a run, a SavedModel or a folder that
Ranker.save wrote; `bm25` (a folder of this name is `$PWD/bm25`) makes BM25 of
the words of the sample questions' answers. docs/demo.md has more.
"""

import argparse
import os
from contextlib import AbstractContextManager
from contextlib import nullcontext
from http.server import HTTPServer
from pathlib import Path

from keras_qa.cli.options.tables import TABLE_OPTIONS
from keras_qa.cli.options.tables import add_table_options
from keras_qa.cli.options.tables import refuse_idle
from keras_qa.cli.options.tables import table_options
from keras_qa.cli.options.whole_numbers import port
from keras_qa.cli.options.whole_numbers import positive
from keras_qa.demo.runs import check_only_site
from keras_qa.demo.runs import check_runs
from keras_qa.demo.runs import is_site
from keras_qa.export.forms import check_packages
from keras_qa.files.whole import check_writable

PORT = 8001


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `keras-qa demo`."""
    parser.add_argument(
        "runs",
        nargs="+",
        metavar="RUN",
        help="one to four rankers with their Keras models, or bm25",
    )
    parser.add_argument(
        "--output",
        type=Path,
        required=True,
        metavar="SITE",
        help="folder to write",
    )
    parser.add_argument(
        "--overwrite",
        action="store_true",
        help="replace a site that is there",
    )
    parser.add_argument(
        "--answers",
        type=Path,
        metavar="FILE",
        help="the sample questions: CSV, TSV, JSON lines or Parquet with a "
        "question, an answer and a label in each row; without labels, every "
        "answer is right, and BM25 finds others; default: the bundled ones",
    )
    parser.add_argument(
        "--limit",
        type=positive,
        default=40,
        metavar="N",
        help="the most sample questions, evenly spread over FILE's; default: "
        "%(default)s",
    )
    parser.add_argument("--title", metavar="TEXT", help="of the page")
    parser.add_argument(
        "--serve",
        action="store_true",
        help="then serve SITE to this machine, until the command is "
        "interrupted",
    )
    parser.add_argument(
        "--port",
        type=port,
        help=f"of --serve; 0 takes a free one; default: {PORT}",
    )
    add_table_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Writes the site, and serves it if asked to; returns the exit code.

    Raises:
        DatasetError: if the table is missing or bad.
        ExportError: if a ranker cannot be written as ONNX.
        ImportError: if a package of the extra `onnx` is not installed.
        ModelFileError: if a Keras model cannot be loaded.
        OSError: if the output exists and may not be replaced or cannot be
            written to its place, or the port is taken.
        RankerError: if a ranker is missing, there twice, or takes no text.
    """
    _check(arguments)
    check_runs(arguments.runs)
    # A taken port is found before anything slow begins.
    with _server(arguments) as server:
        _write(arguments)
        if server:
            address = "http://{}:{}/".format(*server.server_address)
            print(f"{address} until Ctrl-C", flush=True)
            server.serve_forever()
    return 0


def _server(
    arguments: argparse.Namespace,
) -> AbstractContextManager[HTTPServer | None]:
    if not arguments.serve:
        return nullcontext()
    from keras_qa.demo.server import make_server

    return make_server(arguments.output, arguments.port)


def _write(arguments: argparse.Namespace) -> None:
    from keras_qa.demo.questions import read_shown

    shown = read_shown(arguments.answers, table_options(arguments))
    # Converters need TensorFlow.
    os.environ["KERAS_BACKEND"] = "tensorflow"
    from keras_qa.demo.rankers import load_rankers
    from keras_qa.demo.site import TITLE
    from keras_qa.demo.site import write_site

    rankers = load_rankers(arguments.runs, shown)
    write_site(
        arguments.output,
        rankers,
        shown,
        title=arguments.title or TITLE,
        limit=arguments.limit,
    )
    names = ", ".join(ranker.label for ranker in rankers)
    print(f"{names} in {arguments.output}")


def _check(arguments: argparse.Namespace) -> None:
    output = arguments.output
    if output.exists():
        if not (arguments.overwrite and is_site(output)):
            raise FileExistsError(
                "`--output` must not exist, unless `--overwrite` is given and "
                f"it is a site. Received: {output}"
            )
        check_only_site(output)
    check_writable(output)
    if arguments.answers is None:
        refuse_idle(arguments, TABLE_OPTIONS, "--answers")
    if not arguments.serve:
        refuse_idle(arguments, ("port",), "--serve")
    if arguments.port is None:
        arguments.port = PORT
    check_packages()
