"""A server of a site for a look on one's own machine."""

from functools import partial
from http.server import SimpleHTTPRequestHandler
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

HOST = "127.0.0.1"


def make_server(site: Path, port: int = 0) -> ThreadingHTTPServer:
    """A server of the files of a folder, for this machine only.

    Args:
        site: the folder.
        port: the port; 0 takes a free one, `server_port` of the server.

    Raises:
        OSError: if the port is taken.
    """
    handler = partial(_Handler, directory=str(site))
    try:
        return ThreadingHTTPServer((HOST, port), handler)
    except OSError as error:
        raise OSError(
            "--port must be a free port; 0 takes one. "
            f"Received: {port} ({error})"
        ) from error


class _Handler(SimpleHTTPRequestHandler):
    """Names the types of files itself: those of a machine may be others."""

    # A browser compiles WebAssembly, and runs modules, of these types only.
    extensions_map = {
        "": "application/octet-stream",
        ".css": "text/css; charset=utf-8",
        ".html": "text/html; charset=utf-8",
        ".js": "text/javascript; charset=utf-8",
        ".json": "application/json",
        ".mjs": "text/javascript; charset=utf-8",
        ".svg": "image/svg+xml",
        ".txt": "text/plain; charset=utf-8",
        ".wasm": "application/wasm",
    }

    def end_headers(self) -> None:
        """Adds that a newer site at the same address must be loaded."""
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Writes nothing: a page is many requests."""
