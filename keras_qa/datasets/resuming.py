"""A downloader for pooch that resumes interrupted downloads."""

import http.client
import os
import time
import urllib.error
import urllib.request
from pathlib import Path

from tqdm import tqdm

_CHUNK_BYTES = 2**16
# Seconds without an answer after which an attempt has failed.
_TIMEOUT = 30.0


class ResumingDownloader:
    """Downloads to a `.part` file, which remains after an interruption.

    The next call, in this process or a later one, requests only the missing
    bytes (HTTP Range, RFC 9110, section 14). A server without support for
    ranges sends the file from the beginning. A complete file is moved to its
    final path, where pooch compares the checksum.

    Args:
        part: the `.part` file, in the folder of the final file.
        size: the complete file's size in bytes.
        label: text of the progress bar.
        attempts: number of consecutive attempts without a new byte after
            which the download fails.
        pause: seconds before the next attempt; doubled with each attempt
            without a new byte.

    Attributes:
        resumed: True if the last call continued an existing `.part` file.
    """

    def __init__(
        self,
        part: Path,
        size: int,
        label: str = "",
        attempts: int = 3,
        pause: float = 1.0,
    ):
        self.part = part
        self.size = size
        self.label = label
        self.attempts = attempts
        self.pause = pause
        self.resumed = False

    def __call__(
        self, url: str, output_file: str | Path, pooch: object = None
    ) -> None:
        """Downloads `url` to `output_file`; called by pooch.

        Raises:
            OSError: if the server rejects the request, offers a file of
                another size, or fails `attempts` times in a row.
        """
        if self._have() > self.size:
            self.part.unlink()
        self.resumed = self._have() > 0
        failures, most = 0, self._have()
        with tqdm(
            desc=self.label,
            total=self.size,
            initial=self._have(),
            unit="byte",
            unit_scale=True,
            disable=None,
        ) as progress:
            while self._have() < self.size:
                try:
                    self._request(url, progress)
                # The server has answered; another attempt would not help.
                except urllib.error.HTTPError:
                    raise
                except (OSError, http.client.HTTPException) as error:
                    failures = 0 if self._have() > most else failures + 1
                    most = max(most, self._have())
                    if failures == self.attempts:
                        raise OSError(f"{url}: {error}") from error
                    time.sleep(self.pause * 2**failures)
        os.replace(self.part, output_file)

    def _have(self) -> int:
        return self.part.stat().st_size if self.part.exists() else 0

    def _request(self, url: str, progress: tqdm) -> None:
        start = self._have()
        request = urllib.request.Request(url)
        if start:
            request.add_header("Range", f"bytes={start}-")
        with urllib.request.urlopen(request, timeout=_TIMEOUT) as response:
            if response.status != http.HTTPStatus.PARTIAL_CONTENT:
                progress.update(-start)
                start = 0
            length = response.headers.get("Content-Length")
            if length is not None and start + int(length) != self.size:
                raise urllib.error.HTTPError(
                    url,
                    response.status,
                    f"expected a file of {self.size} bytes, "
                    f"offered: {start + int(length)}",
                    response.headers,
                    None,
                )
            with self.part.open("ab" if start else "wb") as stream:
                while chunk := response.read(_CHUNK_BYTES):
                    stream.write(chunk)
                    progress.update(len(chunk))
        if self._have() < self.size:
            raise OSError("the connection was closed early")
