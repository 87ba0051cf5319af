"""Scoring of the pairs of requests that arrive at the same time together."""

import asyncio
from collections.abc import Callable
from collections.abc import Sequence
from contextlib import suppress

import numpy as np

Score = Callable[[Sequence[str], Sequence[str]], np.ndarray]

PAIRS = 1024
"""Pairs that are scored together, unless one request has more."""

CHARACTERS = 2**20
"""Characters of the answers scored together, unless one request has more.

They bound the memory, which long answers take more of than many short ones."""


class QueueFullError(Exception):
    """As many requests wait as may."""


class Batcher:
    """A queue of requests, and one thread that scores what is in it.

    `run` must run as a task of the event loop in which `scores` is awaited.
    While pairs are scored, further requests wait; those that wait at its end
    are scored together. No request waits for others to come.

    Args:
        score: maps questions and answers, equally many, to float scores.
        waiting: number of requests that may wait.
        pairs: see `PAIRS`.
        characters: see `CHARACTERS`.
    """

    def __init__(
        self,
        score: Score,
        waiting: int,
        pairs: int = PAIRS,
        characters: int = CHARACTERS,
    ):
        self._score = score
        self._pairs = pairs
        self._characters = characters
        self._queue: asyncio.Queue[_Waiting] = asyncio.Queue(waiting)
        self._next: _Waiting | None = None

    async def scores(self, question: str, answers: Sequence[str]) -> np.ndarray:
        """The scores of answers to a question, float `(answers,)`.

        Cancelled before it is scored, a request is not scored.

        Raises:
            QueueFullError: if too many requests wait already.
            Exception: what `score` raised.
        """
        waiting = _Waiting(question, answers)
        try:
            self._queue.put_nowait(waiting)
        except asyncio.QueueFull:
            self._leave_out_cancelled()
            if self._queue.full():
                raise QueueFullError from None
            self._queue.put_nowait(waiting)
        return await waiting.result

    def _leave_out_cancelled(self) -> None:
        """Frees the places of clients that have gone."""
        for _ in range(self._queue.qsize()):
            waiting = self._queue.get_nowait()
            if not waiting.result.done():
                self._queue.put_nowait(waiting)

    async def run(self) -> None:
        """Scores requests until it is cancelled."""
        while True:
            batch = await self._take()
            try:
                await self._answer(batch)
            # One request may be the cause; the others need not fail with it.
            except Exception as error:
                if len(batch) == 1:
                    batch[0].fail(error)
                    continue
                for waiting in batch:
                    try:
                        await self._answer([waiting])
                    except Exception as its_own:
                        waiting.fail(its_own)

    async def _answer(self, batch: "list[_Waiting]") -> None:
        questions = [w.question for w in batch for _ in w.answers]
        answers = [answer for w in batch for answer in w.answers]
        scores = await asyncio.to_thread(self._score, questions, answers)
        ends = np.cumsum([len(w.answers) for w in batch])
        for waiting, part in zip(
            batch, np.split(scores, ends[:-1]), strict=True
        ):
            waiting.succeed(part)

    async def _take(self) -> "list[_Waiting]":
        """The next requests, as many as are scored together, or one."""
        first = self._next or await self._queue.get()
        self._next = None
        # Of clients that have gone.
        while first.result.done():
            first = await self._queue.get()
        batch, pairs = [first], len(first.answers)
        characters = first.characters
        with suppress(asyncio.QueueEmpty):
            while pairs < self._pairs and characters < self._characters:
                waiting = self._queue.get_nowait()
                if waiting.result.done():
                    continue
                pairs += len(waiting.answers)
                characters += waiting.characters
                if pairs > self._pairs or characters > self._characters:
                    self._next = waiting
                    break
                batch.append(waiting)
        return batch


class _Waiting:
    """A request in the queue, and its result in the future."""

    def __init__(self, question: str, answers: Sequence[str]):
        self.question = question
        self.answers = answers
        self.characters = sum(map(len, answers))
        self.result: asyncio.Future[np.ndarray] = (
            asyncio.get_running_loop().create_future()
        )

    def succeed(self, scores: np.ndarray) -> None:
        # Awaiting `Batcher.scores` may have been cancelled meanwhile.
        if not self.result.done():
            self.result.set_result(scores)

    def fail(self, error: Exception) -> None:
        if not self.result.done():
            self.result.set_exception(error)
