"""The data of one run, and its result."""

from argparse import Namespace
from dataclasses import dataclass
from typing import TYPE_CHECKING
from typing import Any
from typing import Generic
from typing import TypeVar

import numpy as np

from keras_qa.datasets.corpus import Corpus
from keras_qa.datasets.dataset import Dataset
from keras_qa.datasets.dataset import Question
from keras_qa.training.run_folder import RunFolder
from reproductions.harness.settings import CommonSettings
from reproductions.harness.teaching.transfer import Transfer

if TYPE_CHECKING:
    from keras_qa.embeddings import Coverage

S = TypeVar("S", bound=CommonSettings)


@dataclass(frozen=True)
class Run(Generic[S]):
    """All that training and ranking need for one model with one seed.

    Attributes:
        arguments: the command line.
        settings: the resolved settings.
        folder: where the results go.
        dataset: the data set.
        corpus: texts and vocabulary of the three parts.
        fit: the questions to train on.
        select: the questions that choose the epoch.
        report: the questions of the reported split.
        matrix: word vectors by word id, float32 `(words, dim)`; empty for
            models that need none.
        coverage: how many words have a vector; None without a matrix.
        transfer: the questions to train on first; None without any.
        target: the run that this one is the first stage of; None for others.
    """

    arguments: Namespace
    settings: S
    folder: RunFolder
    dataset: Dataset
    corpus: Corpus
    fit: list[Question]
    select: list[Question]
    report: list[Question]
    matrix: np.ndarray
    coverage: "Coverage | None"
    transfer: Transfer | None = None
    target: "Run[S] | None" = None

    @property
    def own(self) -> "Run[S]":
        """The run that measures: this one, or the one that it prepares.

        What is counted on texts, such as idf, is counted on its questions in
        all stages, so that weights mean the same in all.
        """
        return self.target or self

    @property
    def read(self) -> list[list[Question]]:
        """All questions that the models of all stages read."""
        own = self.own
        first = [own.transfer.questions] if own.transfer else []
        return [own.fit, own.select, own.report, *first]


@dataclass(frozen=True)
class Outcome:
    """The result of ranking with a model.

    Attributes:
        scores: for each reported question, scores `(candidates,)`.
        details: entries of `metrics.json` that the model adds.
    """

    scores: list[np.ndarray]
    details: dict[str, Any]
