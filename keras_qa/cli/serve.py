"""Serve a model on HTTP: `POST /v1/rerank` and `GET /healthz`.

The body of a request is {"query": TEXT, "documents": [TEXT, ...]}, optionally
with "top_n" and "return_documents"; the response {"results": [{"index": 1,
"relevance_score": 2.4}, ...]}, best first. There is no encryption and no
password: let a proxy add them before the server is open to others.
"""

import argparse
from dataclasses import fields

from keras_qa.cli.options.models import add_model
from keras_qa.cli.options.models import load_model
from keras_qa.cli.options.whole_numbers import port
from keras_qa.cli.options.whole_numbers import positive
from keras_qa.errors import SearchError
from keras_qa.serving.rerank import Limits

_HELP = {
    "body_bytes": ("BYTES", "size of the largest body"),
    "documents": ("N", "documents of the largest request"),
    "characters": ("N", "length of the longest query or document"),
    "waiting": (
        "N",
        "requests that may wait for each worker; others get the status 503",
    ),
    "receive_seconds": (
        "SECONDS",
        "time for the headers of a request, and again for its body",
    ),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `keras-qa serve`."""
    add_model(parser)
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        help="address to listen at; 0.0.0.0 is open to other machines; "
        "default: %(default)s, this machine only",
    )
    parser.add_argument(
        "--port",
        type=port,
        default=8000,
        help="0 takes a free one; default: %(default)s",
    )
    parser.add_argument(
        "--name", help="of the model in responses; default: that of the folder"
    )
    parser.add_argument(
        "--workers",
        type=positive,
        default=1,
        metavar="N",
        help="processes, each with the model in its memory; one that ends is "
        "replaced; default: %(default)s",
    )
    for field in fields(Limits):
        metavar, text = _HELP[field.name]
        parser.add_argument(
            f"--max-{field.name.replace('_', '-')}",
            dest=field.name,
            type=positive if isinstance(field.default, int) else float,
            default=field.default,
            metavar=metavar,
            help=f"{text}; default: %(default)s",
        )


def run(arguments: argparse.Namespace) -> int:
    """Serves until the process is told to stop; returns the exit code.

    Raises:
        ImportError: if starlette or uvicorn is not installed.
        OSError: if the address cannot be listened at.
        RankerError: if there is no model that takes text.
        SearchError: if an argument is out of range.
    """
    limits = Limits(*(getattr(arguments, f.name) for f in fields(Limits)))
    # NaN is not, either.
    if not limits.receive_seconds > 0:
        raise SearchError(
            "--max-receive-seconds must be positive. "
            f"Received: {limits.receive_seconds}"
        )
    try:
        from keras_qa.serving.app import make_app
        from keras_qa.serving.server import serve
        from keras_qa.serving.workers import Served
        from keras_qa.serving.workers import serve_workers
    except ImportError as error:
        raise ImportError(
            "Serving needs starlette and uvicorn: "
            f"pip install 'keras-qa[serve]' ({error})"
        ) from error
    ranker = load_model(arguments)
    name = arguments.name or arguments.model.resolve().name
    place = arguments.host, arguments.port
    if arguments.workers == 1:
        app = make_app(ranker, name, limits)
        serve(app, *place, limits.receive_seconds)
        return 0
    # What does not work fails here, once, and not in each worker.
    ranker.scores(["?"], ["?"])
    del ranker
    chosen = arguments.tokenizer, arguments.readable
    served = Served(arguments.model, name, limits, *chosen)
    serve_workers(served, *place, arguments.workers)
    return 0
