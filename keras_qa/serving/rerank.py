"""The request and the response of `POST /v1/rerank`.

The shape is that of Cohere's and Jina's interfaces, which clients such as
LangChain's, LlamaIndex's and Haystack's use.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from keras_qa.errors import KerasQAError
from keras_qa.text.readable import UNREAD_SCORE
from keras_qa.text.reading import TextReading


@dataclass(frozen=True)
class Limits:
    """The largest requests that a server takes.

    Attributes:
        body_bytes: size of a request's body.
        documents: number of documents of a request.
        characters: length of the query and of each document.
        waiting: number of requests that wait while others are scored.
        receive_seconds: time that a client may take to send the headers of a
            request, and the same again for its body.
    """

    body_bytes: int = 1 << 20
    documents: int = 1000
    characters: int = 20_000
    waiting: int = 128
    receive_seconds: float = 30.0


class RequestError(KerasQAError):
    """A request that is refused.

    Attributes:
        status: the status of the response.
    """

    def __init__(self, status: int, message: str):
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class RerankRequest:
    """A question and the documents to order.

    Attributes:
        query: the question.
        documents: texts, at least one.
        top_n: the most results; None for all.
        return_documents: whether results contain the texts.
    """

    query: str
    documents: Sequence[str]
    top_n: int | None = None
    return_documents: bool = False

    @classmethod
    def parse(cls, body: bytes, limits: Limits) -> "RerankRequest":
        """Reads the body of a request.

        Entries with other names are ignored, among them `model`.

        Args:
            body: JSON.
            limits: the largest request.

        Raises:
            RequestError: with the status 400 if `body` is not JSON; 413 if a
                text is too long or there are too many; 422 if an entry is
                missing or has another type.
        """
        try:
            found = json.loads(body)
        # Too deeply nested JSON raises a RecursionError.
        except (ValueError, RecursionError) as error:
            raise RequestError(
                400, f"The body must be JSON. Received: {error}"
            ) from None
        if not isinstance(found, dict):
            raise RequestError(422, "The body must be a JSON object.")
        query, documents = found.get("query"), found.get("documents")
        if not isinstance(query, str) or not query.strip():
            raise RequestError(422, "`query` must be a text that is not empty.")
        if not isinstance(documents, list) or not documents:
            raise RequestError(
                422, "`documents` must be a list of at least one document."
            )
        if len(documents) > limits.documents:
            raise RequestError(
                413,
                f"`documents` must be at most {limits.documents}. "
                f"Received: {len(documents)}",
            )
        texts = [_text(place, one) for place, one in enumerate(documents)]
        for name, text in (
            ("query", query),
            *((f"documents[{i}]", text) for i, text in enumerate(texts)),
        ):
            if len(text) > limits.characters:
                raise RequestError(
                    413,
                    f"`{name}` must have at most {limits.characters} "
                    f"characters. Received: {len(text)}",
                )
        # Clients send null for what is left out.
        top_n, whole = found.get("top_n"), found.get("return_documents")
        whole = False if whole is None else whole
        if top_n is not None and (type(top_n) is not int or top_n < 1):
            raise RequestError(422, "`top_n` must be a positive integer.")
        if not isinstance(whole, bool):
            raise RequestError(422, "`return_documents` must be true or false.")
        return cls(query, texts, top_n, whole)

    def result(
        self, index: int, score: float, reading: TextReading
    ) -> dict[str, Any]:
        """An entry of `results`.

        A document that the model cannot read, whose score is the finite
        `UNREAD_SCORE`, is marked by `"unreadable": true`, and one whose end it
        does not read by `"truncated": true`.
        """
        found: dict[str, Any] = {"index": index, "relevance_score": score}
        if score == UNREAD_SCORE:
            found["unreadable"] = True
        if reading.is_cut("answer", self.documents[index]):
            found["truncated"] = True
        if self.return_documents:
            found["document"] = {"text": self.documents[index]}
        return found


def _text(place: int, document: object) -> str:
    text = document.get("text") if isinstance(document, dict) else document
    if not isinstance(text, str):
        raise RequestError(
            422,
            f"`documents[{place}]` must be a text or an object with a `text`.",
        )
    return text
