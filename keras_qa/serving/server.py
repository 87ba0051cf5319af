"""Runs the application of a ranker until the process is told to stop."""

import asyncio
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

# Seconds after which the thread that scores lets the one that reads requests
# run. Python's 0.005 would be much of a response's time.
SWITCH = 0.0005

# Seconds that requests may take to end after the signal to stop.
GRACE = 30


def serve(app: ASGIApp, host: str, port: int, receive_seconds: float) -> None:
    """Serves an application on HTTP until SIGINT or SIGTERM.

    After the signal, no connection is accepted, and requests that have begun
    are answered.

    Args:
        app: the application.
        host: address or name to listen at.
        port: port to listen at; 0 takes a free one.
        receive_seconds: see `impatient_protocol`.

    Raises:
        OSError: if the address cannot be listened at.
    """
    with listening(host, port) as one:
        sys.setswitchinterval(SWITCH)
        config = uvicorn.Config(
            app,
            http=impatient_protocol(receive_seconds),
            log_level="warning",
            access_log=False,
            timeout_graceful_shutdown=GRACE,
            server_header=False,
        )
        # uvicorn raises the signals again when it has stopped.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: None)
        uvicorn.Server(config).run(sockets=[one])


@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """Listens at an address and says so on standard error.

    Args:
        host: address or name.
        port: port; 0 takes a free one.

    Raises:
        OSError: if the address cannot be listened at.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        # The system would listen at all addresses.
        if not host.strip():
            raise OSError("no address")
        one = socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        raise OSError(
            "--host and --port must be an address that can be listened at; "
            f"--port 0 takes a free port. Received: {host}:{port} ({error})"
        ) from error
    with one:
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
        yield one


def impatient_protocol(seconds: float) -> Any:
    """HTTP as uvicorn speaks it, with a time limit for headers.

    uvicorn waits without end for the headers of a request that has begun.

    Args:
        seconds: time from the beginning of a connection, or the end of a
            response, to the end of the next headers. Then the connection is
            closed.

    Returns:
        What uvicorn calls for each connection; other processes can be given it.
    """
    return partial(_ImpatientProtocol, seconds)


class _ImpatientProtocol(H11Protocol):
    _timer: asyncio.TimerHandle | None = None

    def __init__(self, seconds: float, **arguments: Any):
        super().__init__(**arguments)
        self._seconds = seconds

    def connection_made(  # type: ignore[override]
        self, transport: asyncio.Transport
    ) -> None:
        super().connection_made(transport)
        self._wait_for_headers()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._stop()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._wait_for_headers()

    def _wait_for_headers(self) -> None:
        self._stop()
        self._timer = self.loop.call_later(self._seconds, self._close_if_idle)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _close_if_idle(self) -> None:
        # There is a cycle once the headers of a request are complete.
        if self.cycle is None or self.cycle.response_complete:
            self.transport.close()
