"""Vectors of synthetic texts, on the sphere of HyperQA's clip."""

from typing import Protocol

import numpy as np
from tqdm import tqdm

# Norm of HyperQA's clipped vectors.
RADIUS = 1 - 1e-5


class CollectionSettings(Protocol):
    """The settings that `make_collection` reads."""

    answers: int
    questions: int
    dim: int
    words: int
    topics: int
    block: int
    seed: int


class Texts:
    """Draws vectors of texts; see `benchmarks.answer_search`."""

    def __init__(self, settings: CollectionSettings):
        self._rng = np.random.default_rng(settings.seed)
        topics = self._rng.normal(size=(settings.topics, settings.dim))
        own = self._rng.normal(size=(settings.words, settings.dim))
        self._topic = self._rng.integers(settings.topics, size=settings.words)
        vectors = topics[self._topic] + 1.5 * own
        self._vectors = np.maximum(vectors, 0).astype(np.float32)
        frequency = 1 / np.arange(1, settings.words + 1)
        self._all = np.cumsum(frequency / frequency.sum())
        self._settings = settings
        # The words of each topic, and their cumulated frequencies.
        order = np.argsort(self._topic, kind="stable")
        self._of_topic = np.split(
            order,
            np.searchsorted(self._topic[order], np.arange(1, settings.topics)),
        )
        self._shares = [
            np.cumsum(frequency[words]) / max(frequency[words].sum(), 1e-30)
            for words in self._of_topic
        ]

    def draw(self, count: int, shortest: int, longest: int) -> np.ndarray:
        """Vectors of texts with a length below `longest`, `(count, dim)`."""
        made = np.empty((count, self._settings.dim), np.float32)
        for row in range(count):
            made[row] = self._sum(int(self._rng.integers(shortest, longest)))
        return clipped(made)

    def _sum(self, length: int) -> np.ndarray:
        rng = self._rng
        topics = rng.integers(self._settings.topics, size=rng.integers(1, 4))
        common = rng.binomial(length, 1 / 3)
        words = [np.searchsorted(self._all, rng.random(common))]
        parts = np.bincount(
            rng.integers(len(topics), size=length - common),
            minlength=len(topics),
        )
        for topic, part in zip(topics, parts, strict=True):
            own = self._of_topic[topic]
            if len(own):
                places = np.searchsorted(self._shares[topic], rng.random(part))
                words.append(own[np.minimum(places, len(own) - 1)])
        chosen = np.concatenate(words)
        return self._vectors[np.minimum(chosen, len(self._vectors) - 1)].sum(0)


def clipped(vectors: np.ndarray) -> np.ndarray:
    """Vectors scaled to the sphere of HyperQA's clip, float32."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors * (RADIUS / np.maximum(norms, 1e-9))).astype(np.float32)


def make_collection(
    settings: CollectionSettings, name: str
) -> tuple[np.ndarray, np.ndarray]:
    """The vectors of the answers and of the questions.

    Args:
        settings: sizes and seed.
        name: `"texts"` or `"noise"`; see `benchmarks.answer_search`.
    """
    if name == "noise":
        rng = np.random.default_rng(settings.seed)
        shape = (settings.answers + settings.questions, settings.dim)
        points = clipped(rng.standard_normal(shape, np.float32))
        return points[: settings.answers], points[settings.answers :]
    texts = Texts(settings)
    answers = np.empty((settings.answers, settings.dim), np.float32)
    for start in tqdm(range(0, settings.answers, settings.block), "Texts"):
        end = min(start + settings.block, settings.answers)
        answers[start:end] = texts.draw(end - start, 20, 101)
    return answers, texts.draw(settings.questions, 5, 13)
