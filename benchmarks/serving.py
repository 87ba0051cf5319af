"""How many requests a second does `keras-qa serve` answer, and how soon?

A HyperQA with random weights is served in its ONNX form, by three servers
in processes of their own:

- `serve`: `keras-qa serve`, which scores the requests that wait together;
- `serve --workers 2`: the same by two processes, each with half of the threads;
- `loop`: the plain alternative, a `ThreadingHTTPServer` of the standard
  library whose handler calls `Ranker.rank`, one call for each request.

1, 8 and 64 clients keep a connection each and send a request as soon as the
last one is answered. A request has a question and 20 documents of 10 to 50
words, by Zipf's law. The clients run in a third process; all processes share
the same cores.

Then 256 clients overload a server of whose requests 32 may wait: each request
must be answered, with the status 200 or 503, no connection may break, and the
server must answer afterwards.

    python -m benchmarks.serving             # less than a minute
    python -m benchmarks.serving --smoke     # a trial run of seconds
"""

import asyncio
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.options import option_parser
from benchmarks.processes import alone
from benchmarks.results import at_least
from benchmarks.results import at_most
from benchmarks.results import conclude
from benchmarks.results import print_bounds

COMMANDS = {
    "serve": ["keras_qa.cli", "serve", "--port", "0"],
    "serve --workers 2": [
        *("keras_qa.cli", "serve", "--port", "0"),
        *("--workers", "2"),
    ],
    "loop": ["benchmarks.serving_loop"],
}


@dataclass(frozen=True)
class Settings:
    """Sizes of the model and of the load."""

    clients: Sequence[int] = (1, 8, 64)
    seconds: float = 4.0
    documents: int = 20
    words: int = 20_000
    embedding_dim: int = 100
    projection_dim: int = 200
    overload: int = 256
    waiting: int = 32
    cores: int = 2
    seed: int = 0


def make_ranker(settings: Settings, folder: Path) -> None:
    """Writes a ranker with its ONNX form."""
    import keras

    from keras_qa import HyperQA
    from keras_qa import Ranker
    from keras_qa import TextReading
    from keras_qa import Vocabulary
    from keras_qa import add_onnx

    keras.utils.set_random_seed(settings.seed)
    vocabulary = Vocabulary(f"w{i}" for i in range(settings.words))
    model = HyperQA(
        len(vocabulary), settings.embedding_dim, settings.projection_dim
    )
    Ranker(model, TextReading(vocabulary)).save(folder)
    add_onnx(folder)


def make_requests(settings: Settings) -> list[bytes]:
    """200 requests of HTTP, as bytes."""
    rng = np.random.default_rng(settings.seed)
    shares = 1 / np.arange(1, settings.words + 1)
    shares /= shares.sum()

    def text(least: int, most: int) -> str:
        size = int(rng.integers(least, most + 1))
        ids = rng.choice(settings.words, size, p=shares)
        return " ".join(f"w{i}" for i in ids)

    made = []
    for _ in range(200):
        documents = [text(10, 50) for _ in range(settings.documents)]
        body = json.dumps({"query": text(5, 12), "documents": documents})
        made.append(
            b"POST /v1/rerank HTTP/1.1\r\nHost: localhost\r\n"
            b"Content-Type: application/json\r\n"
            b"Content-Length: %d\r\n\r\n%s" % (len(body), body.encode())
        )
    return made


@contextmanager
def server(name: str, folder: Path, *options: str) -> Iterator[int]:
    """Starts a server; the value is its port."""
    process = subprocess.Popen(
        [sys.executable, "-m", *COMMANDS[name], str(folder), *options],
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield _port(process.stderr or [])
    finally:
        process.terminate()
        process.communicate(timeout=60)


def _port(lines: Iterable[str]) -> int:
    """The port that a server names; what it wrote if it ended before."""
    written = []
    for line in lines:
        if found := re.search(r"http://127\.0\.0\.1:(\d+)", line):
            return int(found[1])
        written.append(line)
    raise SystemExit("".join(["The server ended:\n", *written]))


async def answer_of(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes
) -> tuple[int, bytes]:
    """Sends a request; returns the status and the body of the response."""
    writer.write(request)
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    size = int(head.split(b"content-length:")[1].split(b"\r\n")[0])
    return int(head.split()[1]), await reader.readexactly(size)


async def load(
    port: int, requests: list[bytes], clients: int, seconds: float
) -> dict[str, Any]:
    """Requests a second, latencies and what became of all requests."""
    times: list[float] = []
    counts = {"sent": 0, "200": 0, "503": 0, "other": 0, "broken": 0}
    end = time.perf_counter() + seconds

    async def client(number: int) -> None:
        place = number
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while (start := time.perf_counter()) < end:
            counts["sent"] += 1
            try:
                status, _ = await answer_of(
                    reader, writer, requests[place % len(requests)]
                )
            except (OSError, asyncio.IncompleteReadError):
                counts["broken"] += 1
                writer.close()
                reader, writer = await asyncio.open_connection(
                    "127.0.0.1", port
                )
                continue
            name = str(status)
            counts[name if name in counts else "other"] += 1
            if status == 200:
                times.append(time.perf_counter() - start)
            elif status == 503:
                await asyncio.sleep(0.01)
            place += clients
        writer.close()

    begin = time.perf_counter()
    await asyncio.gather(*map(client, range(clients)))
    took = time.perf_counter() - begin
    p50, p99 = np.percentile(times, [50, 99]).tolist()
    return {
        "clients": clients,
        "per_second": len(times) / took,
        "p50_ms": p50 * 1000,
        "p99_ms": p99 * 1000,
        **counts,
    }


def measure(settings: Settings, folder: Path) -> dict[str, Any]:
    """Measures the servers of a ranker, and the overload of `serve`."""
    requests = make_requests(settings)
    rows = []
    for name in COMMANDS:
        with server(name, folder) as port:
            # Workers may still load the model.
            asyncio.run(load(port, requests, 8, settings.seconds / 4))
            for clients in settings.clients:
                found = asyncio.run(
                    load(port, requests, clients, settings.seconds)
                )
                rows.append({"contender": name, **found})
    most = ("--max-waiting", str(settings.waiting))
    with server("serve", folder, *most) as port:
        overload = asyncio.run(
            load(port, requests, settings.overload, settings.seconds)
        )
        after = asyncio.run(load(port, requests, 1, 0.2))
    return {"load": rows, "overload": overload, "after_overload": after}


def run(settings: Settings) -> dict[str, Any]:
    """Measures a ranker that is made for it."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "ranker"
        alone(make_ranker, settings, folder, cores=settings.cores)
        return alone(measure, settings, folder, cores=settings.cores)


def summarise(settings: Settings, measured: dict[str, Any]) -> dict[str, Any]:
    """Ratios to the loop with the most clients, and what was lost."""
    found = {
        (row["contender"], row["clients"]): row for row in measured["load"]
    }
    most = max(settings.clients)
    serve, loop = found["serve", most], found["loop", most]
    two = found["serve --workers 2", most]
    overload, after = measured["overload"], measured["after_overload"]
    lost = sum(
        row["sent"] - row["200"] - row["503"] for row in (overload, after)
    )
    return {
        f"serve_against_loop_per_second_{most}": serve["per_second"]
        / loop["per_second"],
        f"serve_against_loop_p99_{most}": serve["p99_ms"] / loop["p99_ms"],
        f"two_workers_against_one_per_second_{most}": two["per_second"]
        / serve["per_second"],
        "bounds": {
            f"requests/s against loop, {most} clients": at_least(
                serve["per_second"] / loop["per_second"], 1
            ),
            "lost or failed at overload": at_most(lost, 0),
            "refused at overload": at_least(overload["503"], 1),
            "answered after overload": at_least(after["200"], 1),
        },
    }


def table(result: dict[str, Any]) -> str:
    """The load and the overload of a record, in Markdown."""
    overload = {"contender": "`serve`, overloaded", **result["overload"]}
    lines = [
        "| server | clients | requests/s | p50, ms | p99, ms | 503 | lost |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in (*result["load"], overload):
        lost = row["sent"] - row["200"] - row["503"]
        lines.append(
            f"| {row['contender']} | {row['clients']} "
            f"| {row['per_second']:.0f} | {row['p50_ms']:.1f} "
            f"| {row['p99_ms']:.1f} | {row['503']} | {lost} |"
        )
    return "\n".join(lines)


def report(
    settings: Settings, measured: dict[str, Any], summary: dict[str, Any]
) -> None:
    """Prints the tables."""
    print(f"{settings.documents} documents a request, {settings.cores} cores")
    print(table(measured))
    print("\nBounds")
    print_bounds(summary)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = option_parser(
        __file__,
        "Measures the server of rankers under load.",
        Settings,
        ("documents", "cores", "seed"),
    )
    options = parser.parse_args(arguments)
    settings = Settings(
        documents=options.documents, cores=options.cores, seed=options.seed
    )
    if options.smoke:
        settings = replace(
            settings,
            clients=(1, 4),
            seconds=0.3,
            documents=3,
            words=300,
            embedding_dim=8,
            projection_dim=6,
            overload=24,
            waiting=2,
        )
    conclude(
        options.json,
        settings,
        settings.cores,
        lambda: run(settings),
        summarise,
        report,
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
