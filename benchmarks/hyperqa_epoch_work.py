"""The settings and workloads of `hyperqa_epoch`."""

from dataclasses import dataclass

import numpy as np

from keras_qa.text.packing import RaggedTexts

CONTENDERS = ("packed", "keras", "keras-xla", "torch")


@dataclass(frozen=True)
class Workload:
    """Groups of one question, its positive and some negatives.

    Attributes:
        questions: groups per step, as a share of the batch size.
        negatives: negatives per group.
        contenders: names of the contenders that are measured.
    """

    questions: float
    negatives: int
    contenders: tuple[str, ...]


WORKLOADS = {
    "triples": Workload(1, 1, CONTENDERS),
    "shared": Workload(1 / 4, 4, ("packed", "keras")),
    "wide": Workload(1, 4, ("packed", "keras")),
}


@dataclass(frozen=True)
class Settings:
    """Sizes of the workload and of the measurement."""

    vocabulary: int = 60_000
    zipf_exponent: float = 1.0
    texts: int = 300_000
    shortest: int = 5
    longest: int = 50
    batch_size: int = 200
    dim: int = 300
    steps: int = 15
    rounds: int = 5
    cores: int = 2
    learning_rate: float = 0.05
    margin: float = 1.0
    seed: int = 0

    def questions(self, workload: str) -> int:
        """The number of questions per step."""
        return round(self.batch_size * WORKLOADS[workload].questions)


def make_texts(settings: Settings) -> RaggedTexts:
    """Texts of uniform length with words by Zipf's law, frequent ids low."""
    rng = np.random.default_rng(settings.seed)
    lengths = rng.integers(
        settings.shortest, settings.longest + 1, settings.texts
    )
    ranks = np.arange(1, settings.vocabulary - 1)
    cumulated = np.cumsum(ranks**-settings.zipf_exponent)
    drawn = rng.random(lengths.sum()) * cumulated[-1]
    ids = 2 + np.searchsorted(cumulated[:-1], drawn).astype(np.int32)
    return RaggedTexts(ids, np.concatenate([[0], np.cumsum(lengths)]))


def make_groups(settings: Settings, workload: str) -> tuple[np.ndarray, ...]:
    """Random `(question, positive, negatives)` for the steps of a round.

    Questions are from the first fifth of the texts, answers from the rest: if
    both were one text, rounding would decide the gradient's direction.
    """
    negatives = WORKLOADS[workload].negatives
    rng = np.random.default_rng([settings.seed, negatives])
    size = settings.steps * settings.questions(workload)
    first = settings.texts // 5
    question = rng.integers(first, size=size)
    answers = rng.integers(first, settings.texts, size=(size, 1 + negatives))
    return question, answers[:, 0], answers[:, 1:]


def make_weights(settings: Settings) -> tuple[np.ndarray, np.ndarray]:
    """The initial embedding and projection of all contenders."""
    rng = np.random.default_rng([settings.seed, 0])
    embedding = rng.normal(0, 0.3, (settings.vocabulary, settings.dim))
    kernel = rng.uniform(-0.1, 0.1, (settings.dim, settings.dim))
    return embedding.astype(np.float32), kernel.astype(np.float32)
