"""Runs the application of a ranker until the process is told to stop."""

import signal
import socket
import sys

import uvicorn
from starlette.types import ASGIApp

# Seconds after which the thread that scores lets the one that reads requests
# run. Python's 0.005 would be much of a response's time.
SWITCH = 0.0005

# Seconds that requests may take to end after the signal to stop.
GRACE = 30


def serve(app: ASGIApp, host: str, port: int) -> None:
    """Serves an application on HTTP until SIGINT or SIGTERM.

    After the signal, no connection is accepted, and requests that have begun
    are answered.

    Args:
        app: the application.
        host: address or name to listen at.
        port: port to listen at; 0 takes a free one.

    Raises:
        OSError: if the address cannot be listened at.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port), family=family, backlog=2048) as one:
        # Connections inherit it. asyncio sets it only for sockets of its own,
        # and without it a response waits 40 ms for an acknowledgement.
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        shown = f"[{host}]" if ":" in host else host
        print(
            f"keras-qa: http://{shown}:{one.getsockname()[1]}/v1/rerank "
            "(Ctrl+C stops it)",
            file=sys.stderr,
            flush=True,
        )
        sys.setswitchinterval(SWITCH)
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            timeout_graceful_shutdown=GRACE,
            server_header=False,
        )
        # uvicorn raises the signals again when it has stopped.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: None)
        uvicorn.Server(config).run(sockets=[one])
