"""The ASGI application of a ranker: `POST /v1/rerank` and `GET /healthz`."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from collections.abc import Awaitable
from collections.abc import Mapping
from contextlib import asynccontextmanager
from typing import Any

import numpy as np
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from keras_qa.errors import RankerError
from keras_qa.ranker import Ranker
from keras_qa.ranking.ties import best_first
from keras_qa.serving.batching import Batcher
from keras_qa.serving.batching import QueueFullError
from keras_qa.serving.rerank import Limits
from keras_qa.serving.rerank import RequestError
from keras_qa.serving.rerank import RerankRequest
from keras_qa.text.notes import question_notes

_log = logging.getLogger(__name__)

# Of a body that is too long, N times the limit are read.
_DRAINED = 16


def make_app(
    ranker: Ranker, name: str, limits: Limits | None = None
) -> Starlette:
    """Returns an ASGI application that ranks documents.

    `POST /v1/rerank` takes `RerankRequest` as JSON and answers
    `{"model": name, "results": [{"index": 1, "relevance_score": 2.4}, ...]}`,
    best first. Scores are the model's, higher is better, in no fixed range;
    `keras_qa.ranking.ties.best_first` orders equal ones. Documents that the
    model cannot read are last and marked (`RerankRequest.result`), and
    `"unknown_words"` has the words of the query that it does not know, if any.
    `"query_truncated": true` marks a query whose end it does not read.

    Errors are `{"message": "..."}` with the status 400, 413 or 422 (see
    `RerankRequest.parse`), 408 if the body does not arrive in time, 503 if too
    many requests wait, or 500. `GET /healthz` answers
    `{"status": "ok", "model": name}`.

    Args:
        ranker: scores pairs; only this application may use it.
        name: the model's name in responses.
        limits: the largest requests; None for the defaults.
    """
    limits = limits or Limits()

    # It would keep all unknown words of all requests.
    ranker.report.counts = False

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[dict[str, Any]]:
        # The first call compiles, which no request should wait for.
        await asyncio.to_thread(ranker.scores, ["?"], ["?"])
        batcher = Batcher(ranker.scores, limits.waiting)
        task = asyncio.create_task(batcher.run())
        yield {"batcher": batcher, "task": task}
        task.cancel()

    async def rerank(request: Request) -> Response:
        asked = RerankRequest.parse(await _body(request, limits), limits)
        try:
            scores = await _unless_gone(
                request,
                request.state.batcher.scores(asked.query, asked.documents),
            )
        except QueueFullError:
            return _json(
                503,
                {"message": f"{limits.waiting} requests wait; try again."},
                {"Retry-After": "1"},
            )
        # Long documents take time to split into tokens.
        return _json(200, await asyncio.to_thread(response, asked, scores))

    def response(asked: RerankRequest, scores: np.ndarray) -> dict[str, Any]:
        results = [
            asked.result(int(i), float(scores[i]), ranker.reading)
            for i in best_first(scores, asked.top_n)
        ]
        found: dict[str, Any] = {"model": name, "results": results}
        notes = question_notes(ranker.reading, asked.query)
        if notes.unknown:
            found["unknown_words"] = notes.unknown
        if notes.cut_after:
            found["query_truncated"] = True
        return found

    async def health(request: Request) -> Response:
        if request.state.task.done():
            return _json(503, {"status": "stopped", "model": name})
        return _json(200, {"status": "ok", "model": name})

    return Starlette(
        routes=[
            Route("/v1/rerank", rerank, methods=["POST"]),
            Route("/healthz", health),
        ],
        exception_handlers={
            RequestError: _refused,
            HTTPException: _not_found,
            # Listed, it gives no traceback.
            RankerError: _failed,
            Exception: _failed,
        },
        lifespan=lifespan,
    )


async def _body(request: Request, limits: Limits) -> bytes:
    """The body, of which no more than the limit is kept."""
    body, size = bytearray(), 0
    try:
        async with asyncio.timeout(limits.receive_seconds):
            async for chunk in request.stream():
                size += len(chunk)
                if size <= limits.body_bytes:
                    body += chunk
                # A client reads the response only when it has sent everything.
                elif size > _DRAINED * limits.body_bytes:
                    break
    except TimeoutError:
        raise RequestError(
            408, f"The body must arrive in {limits.receive_seconds:g} seconds."
        ) from None
    except ClientDisconnect:
        raise RequestError(400, "The body was cut off.") from None
    if size > limits.body_bytes:
        raise RequestError(
            413, f"The body must have at most {limits.body_bytes} bytes."
        )
    return bytes(body)


async def _unless_gone(
    request: Request, scores: Awaitable[np.ndarray]
) -> np.ndarray:
    """Awaits scores, or cancels them when the client has gone.

    Neither Starlette nor uvicorn cancels a request that nobody waits for.
    """
    found = asyncio.ensure_future(scores)
    gone = asyncio.ensure_future(_leaving(request))
    try:
        await asyncio.wait((found, gone), return_when=asyncio.FIRST_COMPLETED)
        if found.done():
            return found.result()
        raise RequestError(400, "The client has gone.")
    finally:
        found.cancel()
        gone.cancel()


async def _leaving(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _json(
    status: int, content: object, headers: Mapping[str, str] | None = None
) -> Response:
    # In ASCII, since a text may contain surrogates, which UTF-8 has not.
    text = json.dumps(content, allow_nan=False)
    return Response(text, status, headers, "application/json")


async def _refused(_: Request, error: Exception) -> Response:
    status = error.status if isinstance(error, RequestError) else 500
    # The rest of a body that is too long, or too slow, is not read.
    headers = {"Connection": "close"} if status in (408, 413) else None
    return _json(status, {"message": str(error)}, headers)


async def _not_found(_: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    message = f"{error.detail}: there are POST /v1/rerank and GET /healthz."
    return _json(error.status_code, {"message": message}, error.headers)


async def _failed(_: Request, error: Exception) -> Response:
    _log.error("A request failed: %s: %s", type(error).__name__, error)
    told = isinstance(error, RankerError)
    message = str(error) if told else "The model could not score the documents."
    return _json(500, {"message": message})
