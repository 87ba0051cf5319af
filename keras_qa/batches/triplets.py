"""Batches of questions and documents, labelled by relevance."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from keras_qa.arguments import check_not_negative
from keras_qa.arguments import check_positive_or_none
from keras_qa.batches.groups import right_and_wrong
from keras_qa.batches.groups import some
from keras_qa.batches.pairs import EpochBatches
from keras_qa.text.packing import next_size
from keras_qa.text.ragged import Ragged

IGNORED = -1


class TripletBatches(EpochBatches):
    """Batches for `TripletTrainer`, drawn and shuffled each epoch.

    A batch contains questions, documents that are relevant to them and, with
    `negatives`, wrong candidates. All documents of the batch are candidates of
    all its questions: a document that is not relevant to a question is a
    negative of it. Texts are given by their indices, so that a repeated
    question has the relevant documents of all its occurrences.

    A batch is `(inputs, labels)`. The inputs are

    - `"question"`: a tuple of parts, int32 ids `(rows, question_length)`, or
      float32 vectors `(rows, question_length, dim)`;
    - `"texts"`: a tuple of parts of the documents, in the same form, sorted by
      length, each part as wide as its longest document.

    The labels, float32 `(questions, documents)` with the rows and columns of
    all parts, are 1 where the document is relevant, 0 where it is not, and -1
    for repeated texts that fill up the last part. On JAX, which compiles for
    each shape, all parts of the documents have the same width.

    Args:
        texts: all texts, as word ids or as vectors (`VectorTexts`).
        questions: for each question, the index of its text.
        candidates: for each question, the indices of its candidates' texts.
        labels: for each question, its candidates' labels, 0 or 1. Questions
            without a 1 are left out.
        batch_size: number of questions per batch (the paper's 512); the last
            may have fewer.
        seed: seed of all draws, which also depend on the epoch.
        positives: number of relevant documents of each question that are
            drawn for an epoch; by default all.
        negatives: number of each question's own wrong candidates that are
            drawn for an epoch. The paper has none: its negatives are "positive
            pairs to other questions".
        chunk: the most texts of a part, which bounds the memory of a training
            step, see `TripletTrainer`. Rounding of shapes may add one
            document, and with JAX up to half as many. By default a batch is
            one part.
        **kwargs: the arguments of `keras.utils.PyDataset`.

    Raises:
        ValueError: if an argument is out of range, or no question has a
            relevant document.

    Example:
        >>> batches = TripletBatches(
        ...     texts, questions, candidates, labels, batch_size=512, chunk=16
        ... )
        >>> trainer.fit(batches, epochs=25)

    Reference: Cakaloglu et al., 2023, "MRNN: A Multi-Resolution Neural Network
    with Duplex Attention for Deep Ad-Hoc Retrieval", section 3.4.
    """

    def __init__(
        self,
        texts: Ragged,
        questions: Sequence[int] | np.ndarray,
        candidates: Sequence[np.ndarray],
        labels: Sequence[np.ndarray],
        batch_size: int = 512,
        seed: int = 0,
        positives: int | None = None,
        negatives: int = 0,
        chunk: int | None = None,
        **kwargs: Any,
    ):
        super().__init__(texts, batch_size, seed, **kwargs)
        check_positive_or_none(positives=positives, chunk=chunk)
        check_not_negative(negatives=negatives)
        self.positives = positives
        self.negatives = negatives
        self.chunk = chunk
        self._questions, self._relevant, self._wrong = right_and_wrong(
            questions, candidates, labels
        )
        self._most = {
            "question": min(batch_size, len(self._questions)),
            "texts": self._most_documents(),
        }
        self._parts = {
            side: 1 if chunk is None else -(-most // chunk)
            for side, most in self._most.items()
        }

    def _most_documents(self) -> int:
        """Returns an upper bound of the number of documents of a batch."""
        good = np.array([len(own) for own in self._relevant])
        bad = np.array([len(own) for own in self._wrong])
        bad = np.minimum(bad, self.negatives)
        if self.positives is not None:
            good = np.minimum(good, self.positives)
        most = int(np.sort(good + bad)[-self.batch_size :].sum())
        reachable = [*self._relevant, *(self._wrong if self.negatives else ())]
        return min(most, len(np.unique(np.concatenate(reachable))))

    def _draw(self, rng: np.random.Generator, epoch: int) -> None:
        self._order = rng.permutation(len(self._questions))
        self._drawn = [
            np.concatenate(
                [
                    some(rng, relevant, self.positives),
                    some(rng, wrong, self.negatives),
                ]
            )
            for relevant, wrong in zip(self._relevant, self._wrong, strict=True)
        ]

    def __len__(self) -> int:
        return -(-len(self._questions) // self.batch_size)

    def __getitem__(self, index: int) -> tuple[dict[str, Any], np.ndarray]:
        """The batch at `index`, `(inputs, labels)`."""
        self._begun()
        first = index * self.batch_size
        rows = self._order[first : first + self.batch_size]
        documents = np.unique(np.concatenate([self._drawn[i] for i in rows]))
        by_length = np.argsort(self.texts.lengths[documents], kind="stable")
        documents = documents[by_length]
        questions = self._filled("question", self._questions[rows], index)
        columns = self._filled("texts", documents, index)

        labels = np.full((questions.size, columns.size), IGNORED, np.float32)
        for label, i in zip(labels, rows, strict=False):
            label[: len(documents)] = np.isin(documents, self._relevant[i])
        texts = (
            self._padded(columns, index)
            if self._round_up
            else [self._padded(part, index) for part in columns]
        )
        inputs = {
            "question": tuple(self._padded(questions, index)),
            "texts": tuple(texts),
        }
        return inputs, labels

    def _filled(self, side: str, chosen: np.ndarray, index: int) -> np.ndarray:
        """Splits texts into parts of the same size, filled up by repetition.

        Empty texts instead would change the statistics of batch normalisation,
        and a part of only empty texts would have none.
        """
        parts = self._parts[side]
        size = -(-len(chosen) // parts)
        if side == "texts":
            if self._round_up:
                size = next_size(size)
            elif len(self) == 1:
                size = -(-self._most["texts"] // parts)
            else:
                # Different parities of the labels' columns, as in `_padded`.
                size += (size + index) % 2
        return np.resize(chosen, (parts, size))
