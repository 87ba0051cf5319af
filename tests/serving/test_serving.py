"""The HTTP server: its answers, its limits, its queue and its end."""

import asyncio
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import keras
import numpy as np
import pytest

from keras_qa.errors import RankerError
from keras_qa.ranker import Ranker
from keras_qa.text.readable import UNREAD_SCORE
from keras_qa.text.reading import TextReading
from keras_qa.text.report import TextReport
from keras_qa.text.vocabulary import Vocabulary
from support.search_runs import QUESTION
from support.search_runs import command

uvicorn = pytest.importorskip("uvicorn")
pytest.importorskip("starlette")

from uvicorn.server import ServerState  # noqa: E402

from keras_qa.cli import serve as serve_command  # noqa: E402
from keras_qa.serving import app as application  # noqa: E402
from keras_qa.serving import server as servers  # noqa: E402
from keras_qa.serving import workers  # noqa: E402
from keras_qa.serving.batching import Batcher  # noqa: E402
from keras_qa.serving.batching import QueueFullError  # noqa: E402
from keras_qa.serving.rerank import Limits  # noqa: E402
from keras_qa.serving.server import impatient_protocol  # noqa: E402
from keras_qa.serving.server import listening  # noqa: E402
from keras_qa.serving.workers import Served  # noqa: E402

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.once
LIMITS = Limits(body_bytes=1000, documents=5, characters=50, waiting=3)


class Lengths:
    """A ranker by the length of the answer, which notes its calls."""

    def __init__(self):
        self.report = TextReport()
        self.reading = TextReading(
            Vocabulary(["q", "who", "wrote"]),
            max_question_length=6,
            max_answer_length=3,
        )
        self.calls = []
        self.free = threading.Event()
        self.free.set()

    def scores(self, questions, answers):
        self.calls.append(len(answers))
        self.free.wait(20)
        if "fail" in questions:
            raise RuntimeError("secret")
        if "nan" in questions:
            raise RankerError("Expected a model with finite scores")
        lengths = [len(a) or UNREAD_SCORE for a in answers]
        return np.array(lengths, np.float32)


@pytest.fixture(scope="module")
def served():
    """A ranker, and the port at which it is served."""
    ranker = Lengths()
    app = application.make_app(ranker, "lengths", LIMITS)
    config = uvicorn.Config(app, port=0, log_level="critical")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.005)
    yield ranker, server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    thread.join(20)
    assert not thread.is_alive()


def ask(port, body, path="/v1/rerank", method="POST"):
    """The status, the JSON and the headers of a response."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    connection.request(method, path, data)
    response = connection.getresponse()
    found = response.status, json.loads(response.read()), response.headers
    connection.close()
    return found


def test_results_are_in_the_shape_of_rerank_clients(served):
    _, port = served
    body = {"model": "any", "query": "q", "documents": ["bb", "a", "ccc", "bb"]}
    status, found, headers = ask(port, body)
    assert (status, headers["content-type"]) == (200, "application/json")
    assert found == {
        "model": "lengths",
        "results": [
            {"index": i, "relevance_score": score}
            for i, score in [(2, 3.0), (0, 2.0), (3, 2.0), (1, 1.0)]
        ],
    }
    body = {
        "query": "q",
        "documents": [{"text": "b\ud800é"}, "a", {"text": "", "id": 7}],
        "top_n": 1,
        "return_documents": True,
        "max_tokens_per_doc": 4096,
    }
    _, found, _ = ask(port, body)
    assert found["results"] == [
        {
            "index": 0,
            "relevance_score": 3.0,
            "document": {"text": "b\ud800é"},
        }
    ]
    assert ask(port, {**body, "top_n": 99})[1]["results"][2]["index"] == 2
    nulls = dict.fromkeys(("top_n", "return_documents"))
    assert "document" not in ask(port, {**body, **nulls})[1]["results"][2]
    status, found, _ = ask(port, b"", "/healthz", "GET")
    assert (status, found) == (200, {"status": "ok", "model": "lengths"})


def test_what_the_model_cannot_read_is_marked(served):
    _, port = served
    body = {"query": "q", "documents": ["", "bb", ""]}
    found = ask(port, body)[1]
    last = {"relevance_score": -(2.0**100), "unreadable": True}
    assert found["results"] == [
        {"index": 1, "relevance_score": 2.0},
        {"index": 0, **last},
        {"index": 2, **last},
    ]
    assert "unknown_words" not in found
    found = ask(port, {**body, "query": "Who wrote Emma, emma?"})[1]
    assert found["unknown_words"] == ["emma", ",", "?"]
    assert "query_truncated" not in found


def test_texts_that_the_model_reads_in_part_are_marked(served):
    _, port = served
    body = {"query": "who wrote q " * 3, "documents": ["q q q q", "q q q"]}
    found = ask(port, body)[1]
    assert found["query_truncated"] is True
    longer, whole = found["results"]
    assert longer["index"] == 0 and longer["truncated"] is True
    assert "truncated" not in whole


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        (b"{", 400, "The body must be JSON"),
        (b"\xff\xfe", 400, "The body must be JSON"),
        (b"[" * 900, 400, "The body must be JSON"),
        (b'{"top_n": ' + b"9" * 900, 400, "The body must be JSON"),
        ([], 422, "a JSON object"),
        ({"documents": ["a"]}, 422, "`query` must be a text"),
        ({"query": " ", "documents": ["a"]}, 422, "`query` must be a text"),
        ({"query": "q"}, 422, "`documents` must be a list"),
        ({"query": "q", "documents": []}, 422, "`documents` must be a list"),
        ({"query": "q", "documents": "a"}, 422, "`documents` must be a list"),
        ({"query": "q", "documents": ["a", 1]}, 422, r"`documents[1]` must be"),
        ({"query": "q", "documents": [{}]}, 422, r"`documents[0]` must be"),
        ({"query": "q", "documents": ["a"] * 6}, 413, "at most 5. Received: 6"),
        ({"query": "q" * 51, "documents": ["a"]}, 413, "`query` must have at"),
        ({"query": "q", "documents": ["a" * 51]}, 413, "`documents[0]` must h"),
        (b" " * 1001, 413, "at most 1000 bytes"),
        (b" " * 500_000, 413, "at most 1000 bytes"),
        ({"query": "q", "documents": ["a"], "top_n": 0}, 422, "`top_n` must"),
        ({"query": "q", "documents": ["a"], "top_n": True}, 422, "`top_n` mus"),
        (
            {"query": "q", "documents": ["a"], "return_documents": 1},
            422,
            "`return_documents` must",
        ),
        ({"query": "fail", "documents": ["a"]}, 500, "could not score"),
        ({"query": "nan", "documents": ["a"]}, 500, "with finite scores"),
    ],
)
def test_bad_requests(served, body, status, message):
    _, port = served
    try:
        found = ask(port, body)
    except (BrokenPipeError, ConnectionResetError):
        # The server has stopped to read a body that is far too long.
        assert len(body) > 16 * LIMITS.body_bytes
        return
    assert found[0] == status
    assert message in found[1]["message"] and "secret" not in str(found[1])
    assert list(found[1]) == ["message"]


def test_other_paths_and_methods(served):
    _, port = served
    for path, method, status in (
        ("/", "GET", 404),
        ("/v1/rerank", "GET", 405),
        ("/healthz", "POST", 405),
    ):
        found = ask(port, b"", path, method)
        assert found[0] == status
        assert "POST /v1/rerank and GET /healthz" in found[1]["message"]


def test_requests_at_once_are_scored_together_and_overload_is_refused(served):
    ranker, port = served
    ranker.free.clear()
    ranker.calls.clear()
    body = {"query": "q", "documents": ["a", "bb"]}
    with ThreadPoolExecutor(8) as pool:
        first = pool.submit(ask, port, body)
        while not ranker.calls:
            time.sleep(0.005)
        others = [pool.submit(ask, port, body) for _ in range(7)]
        while sum(o.done() for o in others) < 7 - LIMITS.waiting:
            time.sleep(0.005)
        refused = [o.result() for o in others if o.done()]
        assert ask(port, b"", "/healthz", "GET")[0] == 200
        ranker.free.set()
        answered = [o.result() for o in others]
    assert [found[0] for found in refused] == [503] * 4
    assert all(found[2]["Retry-After"] == "1" for found in refused)
    assert "3 requests wait" in refused[0][1]["message"]
    answered = [first.result(), *(f for f in answered if f[0] != 503)]
    assert [found[0] for found in answered] == [200] * 4
    assert {found[1]["results"][0]["index"] for found in answered} == {1}
    assert ranker.calls == [2, 6]


def test_a_request_that_fails_does_not_fail_others(served):
    ranker, port = served
    ranker.free.clear()
    ranker.calls.clear()
    with ThreadPoolExecutor(3) as pool:
        bodies = [
            {"query": query, "documents": ["a", "bb"]}
            for query in ("first", "fail", "good")
        ]
        found = [pool.submit(ask, port, bodies[0])]
        while not ranker.calls:
            time.sleep(0.005)
        found += [pool.submit(ask, port, body) for body in bodies[1:]]
        time.sleep(0.1)
        ranker.free.set()
        assert [f.result()[0] for f in found] == [200, 500, 200]


def test_batches_have_a_size_and_a_client_may_leave():
    calls = []
    leave = None

    def score(questions, answers):
        calls.append([*answers])
        if len(answers) == 6:
            leave()
        return np.arange(len(answers), dtype=np.float32)

    async def run():
        batcher = Batcher(score, waiting=9, pairs=4)
        texts = (["a"], ["b", "c"], ["d", "e"], ["f"] * 6, ["g"])
        asked = [
            asyncio.ensure_future(batcher.scores("q", answers))
            for answers in texts
        ]
        nonlocal leave
        leave = partial(
            asyncio.get_running_loop().call_soon_threadsafe, asked[3].cancel
        )
        await asyncio.sleep(0)
        asked[1].cancel()
        task = asyncio.ensure_future(batcher.run())
        done = await asyncio.gather(*asked, return_exceptions=True)
        task.cancel()
        full = Batcher(score, waiting=1)
        waiting = asyncio.ensure_future(full.scores("q", ["a"]))
        await asyncio.sleep(0)
        with pytest.raises(QueueFullError):
            await full.scores("q", ["a"])
        # A client that has gone leaves its place to another.
        waiting.cancel()
        other = asyncio.ensure_future(full.scores("q", ["a"]))
        await asyncio.sleep(0)
        assert not other.done()
        other.cancel()
        return done

    done = asyncio.run(run())
    assert [len(c) for c in calls] == [3, 6, 1]
    # One before it was scored, one meanwhile.
    for place in (3, 1):
        assert isinstance(done.pop(place), asyncio.CancelledError)
    assert [found.tolist() for found in done] == [[0], [1, 2], [0]]


def test_long_answers_are_scored_in_smaller_batches_a_failure_once():
    calls = []

    def score(questions, answers):
        calls.append(answers)
        if "fail" in answers:
            raise RuntimeError
        return np.zeros(len(answers))

    async def run():
        batcher = Batcher(score, waiting=9, characters=10)
        texts = (["a" * 6], ["b" * 5], ["c" * 30], ["fail"])
        asked = [
            asyncio.ensure_future(batcher.scores("q", answers))
            for answers in texts
        ]
        await asyncio.sleep(0)
        task = asyncio.ensure_future(batcher.run())
        done = await asyncio.gather(*asked, return_exceptions=True)
        task.cancel()
        return done

    done = asyncio.run(run())
    assert [[len(a) for a in call] for call in calls] == [[6], [5], [30], [4]]
    assert isinstance(done.pop(), RuntimeError)
    assert [len(found) for found in done] == [1, 1, 1]


async def talk(app, receive, state=()):
    """What an application sends to a client, by ASGI alone."""
    sent = []

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/v1/rerank"}
    await app({**scope, "headers": [], "state": dict(state)}, receive, send)
    return sent[0], json.loads(sent[1]["body"])


def test_a_body_that_dribbles_is_refused():
    limits = Limits(receive_seconds=0.05)
    app = application.make_app(Lengths(), "lengths", limits)

    async def receive():
        await asyncio.sleep(0.01)
        return {"type": "http.request", "body": b" ", "more_body": True}

    start, body = asyncio.run(talk(app, receive))
    assert start["status"] == 408
    assert (b"connection", b"close") in start["headers"]
    assert body == {"message": "The body must arrive in 0.05 seconds."}


def test_what_a_client_that_has_gone_asked_is_not_scored():
    ranker = Lengths()
    app = application.make_app(ranker, "lengths", LIMITS)
    asked = json.dumps({"query": "q", "documents": ["a", "bb", "c"]}).encode()
    messages = [
        {"type": "http.request", "body": asked},
        {"type": "http.disconnect"},
    ]

    async def receive():
        return messages.pop(0)

    async def run():
        batcher = Batcher(ranker.scores, waiting=9)
        left = talk(app, receive, {"batcher": batcher})
        _, body = await asyncio.wait_for(left, 20)
        task = asyncio.ensure_future(batcher.run())
        await batcher.scores("q", ["a", "bb"])
        task.cancel()
        return body

    assert asyncio.run(run()) == {"message": "The client has gone."}
    assert ranker.calls == [2]


def test_scores_that_are_no_numbers_give_no_traceback(caplog):
    ranker = Lengths()
    app = application.make_app(ranker, "lengths", LIMITS)
    asked = json.dumps({"query": "nan", "documents": ["a"]}).encode()
    messages = [{"type": "http.request", "body": asked}]

    async def receive():
        return messages.pop() if messages else await asyncio.sleep(20)

    async def run():
        batcher = Batcher(ranker.scores, waiting=9)
        task = asyncio.ensure_future(batcher.run())
        # What it raised, the server would log with a traceback.
        start, _ = await talk(app, receive, {"batcher": batcher})
        task.cancel()
        return start["status"]

    assert asyncio.run(run()) == 500
    assert "RankerError: Expected a model with finite scores" in caplog.text
    assert "Traceback" not in caplog.text


def test_headers_that_dribble_end_the_connection():
    async def app(scope, receive, send):
        # Longer than headers may take.
        await asyncio.sleep(0.2)
        headers = [(b"content-length", b"2")]
        start = {"type": "http.response.start", "status": 200}
        await send({**start, "headers": headers})
        await send({"type": "http.response.body", "body": b"ok"})

    async def run():
        config = uvicorn.Config(app, log_level="critical")
        make = partial(
            impatient_protocol(0.1),
            config=config,
            server_state=ServerState(),
            app_state={},
        )
        loop = asyncio.get_running_loop()
        server = await loop.create_server(make, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        found = []
        for begun in (
            b"",
            b"GET / HT",
            b"GET / HTTP/1.1\r\nHost: a\r\n\r\nGET ",
        ):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(begun)
            found.append(await asyncio.wait_for(reader.read(), 20))
            writer.close()
        server.close()
        return found

    nothing, begun, answered = asyncio.run(run())
    assert nothing == begun == b""
    assert answered.startswith(b"HTTP/1.1 200") and answered.endswith(b"ok")


def test_arguments_are_checked_first(tmp_path, capsys, monkeypatch):
    for options, message in (
        (("--max-receive-seconds", "nan"), "must be positive. Received: nan"),
        ((), "expected a run's folder"),
    ):
        assert command("serve", tmp_path, *options) == 2
        assert message in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "keras_qa.serving.app", None)
    assert command("serve", tmp_path) == 2
    assert "pip install 'keras-qa[serve]'" in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore::keras_qa.errors.TextWarning")
@pytest.mark.skipif(
    keras.backend.backend() != "tensorflow", reason="TensorFlow writes ONNX"
)
@pytest.mark.parametrize(
    ("number", "workers"),
    [(signal.SIGINT, 1), (signal.SIGTERM, 1), (signal.SIGTERM, 2)],
)
def test_the_command_answers_what_it_has_begun_and_stops(
    folder_with_onnx, tmp_path, number, workers
):
    folder = folder_with_onnx
    code = (
        "import sys; from keras_qa.cli.main import main\n"
        "code = main(sys.argv[1:])\n"
        "assert not {'keras', 'tensorflow'} & set(sys.modules)\n"
        "sys.exit(code)"
    )
    words = ["serve", str(folder), "--port", "0", "--workers", str(workers)]
    process = subprocess.Popen(
        [sys.executable, "-c", code, *words],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        line = process.stderr.readline()
        assert line.startswith("keras-qa: http://127.0.0.1:")
        port = int(line.split(":")[3].split("/")[0])
        texts = ["w1 w2", "w7 emma", "nothing known"]
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        data = json.dumps({"query": QUESTION, "documents": texts})
        connection.putrequest("POST", "/v1/rerank")
        connection.putheader("Content-Length", str(len(data)))
        connection.putheader("Expect", "100-continue")
        connection.endheaders()
        # So that the server has read the beginning of the request.
        assert connection.sock.recv(100).startswith(b"HTTP/1.1 100")
        connection.send(data[:10].encode())
        assert ask(port, b"", "/healthz", "GET")[1]["model"] == "faq"
        process.send_signal(number)
        # Workers are told within half a second.
        time.sleep(0.2 if workers == 1 else 0.8)
        connection.send(data[10:].encode())
        found = json.loads(connection.getresponse().read())["results"]
        scores = Ranker.load(folder).scores(QUESTION, texts)
        assert {r["index"]: r["relevance_score"] for r in found} == (
            pytest.approx(dict(enumerate(scores.tolist())), abs=1e-5)
        )
        assert process.wait(20) == 0
        # It ends when the last worker has.
        assert process.stderr.read() == ""
    finally:
        process.kill()
        process.stderr.close()


def test_a_taken_port_is_named():
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        message = rf"--port must .* Received: 127\.0\.0\.1:{port} \(.*in use"
        with (
            pytest.raises(OSError, match=message),
            listening("127.0.0.1", port),
        ):
            pass


@pytest.mark.parametrize("host", ["", " "])
def test_no_address_is_not_all_addresses(host):
    with (
        pytest.raises(OSError, match=r"--host .* \(no address\)"),
        listening(host, 0),
    ):
        pass


def test_options_of_the_command_are_handed_on(tmp_path, monkeypatch):
    given = []

    def note(*arguments):
        given.append(arguments)

    ranker = SimpleNamespace(scores=lambda *_: np.zeros(1))
    monkeypatch.setattr(serve_command, "load_model", lambda _: ranker)
    monkeypatch.setattr(application, "make_app", note)
    monkeypatch.setattr(servers, "serve", note)
    monkeypatch.setattr(workers, "serve_workers", note)
    words = ["serve", tmp_path, "--host", "localhost", "--port", 9]
    words += ["--max-body-bytes", 1, "--max-documents", 2]
    words += ["--max-characters", 3, "--max-waiting", 4]
    words += ["--max-receive-seconds", 0.5]
    limits = Limits(1, 2, 3, 4, 0.5)
    assert command(*words) == 0
    assert command(*words, "--name", "mine") == 0
    reading = ("--tokenizer", "whitespace", "--readable", "any")
    assert command(*words, *reading, "--workers", 3) == 0
    served = Served(tmp_path, tmp_path.name, limits, "whitespace", "any")
    assert given == [
        (ranker, tmp_path.name, limits),
        (None, "localhost", 9, 0.5),
        (ranker, "mine", limits),
        (None, "localhost", 9, 0.5),
        (served, "localhost", 9, 3),
    ]
