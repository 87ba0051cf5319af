"""Batches of pairs and of groups, drawn in each epoch from a seed."""

from collections.abc import Callable
from collections.abc import Mapping
from typing import Any
from typing import cast

import keras
import numpy as np

from keras_qa.arguments import check_positive
from keras_qa.batches.epochs import SeededEpochs
from keras_qa.batches.negatives import NegativeSampler
from keras_qa.batches.negatives import ScoreFunction
from keras_qa.text.packing import RaggedTexts
from keras_qa.text.packing import next_size
from keras_qa.text.packing import pack
from keras_qa.text.ragged import Ragged

Groups = tuple[np.ndarray, np.ndarray, np.ndarray]
FeatureFunction = Callable[[np.ndarray, np.ndarray], Mapping[str, np.ndarray]]

# Texts to mine are split by length into parts of at least PART_TEXTS texts, at
# most MOST_PARTS parts. Parts limit the padding and the memory.
PART_TEXTS = 12
MOST_PARTS = 8


class EpochBatches(SeededEpochs):
    """The base of all batches of texts, which pads them.

    JAX compiles for each shape, so on this backend `next_size` of
    `keras_qa.text.packing` rounds sizes up to few values.

    Args:
        texts: all texts.
        batch_size: number of examples per batch; the last may have fewer.
        seed: seed of the shuffling, which also depends on the epoch.
        **kwargs: the arguments of `keras.utils.PyDataset`.

    Raises:
        ValueError: if `batch_size` is not positive.
    """

    def __init__(
        self, texts: Ragged, batch_size: int, seed: int = 0, **kwargs: Any
    ):
        super().__init__(batch_size, seed, **kwargs)
        self.texts = texts
        self._round_up = keras.backend.backend() == "jax"

    def _by_length(
        self, rng: np.random.Generator, *lengths: np.ndarray, window: int
    ) -> list[np.ndarray]:
        """Makes batches of examples of similar length, in random order.

        Args:
            rng: random generator of the shuffling.
            *lengths: lengths of the examples, `(examples,)` each; the last
                ones are sorted by first.
            window: number of batches whose examples are sorted together.

        Returns:
            The indices of the examples of each batch.
        """
        order = rng.permutation(len(lengths[0]))
        step = window * self.batch_size
        batches: list[np.ndarray] = []
        for part in np.split(order, range(step, len(order), step)):
            by_length = np.lexsort([values[part] for values in lengths])
            cuts = range(self.batch_size, len(part), self.batch_size)
            batches += np.split(part[by_length], cuts)
        return [batches[i] for i in rng.permutation(len(batches))]

    def _padded(
        self,
        indices: np.ndarray,
        index: int,
        width: int | None = None,
        rows: int | None = None,
    ) -> np.ndarray:
        """Pads texts of the batch at `index`, to `width` if given."""
        if width is not None:
            return self.texts.padded(indices, width, rows)
        width = int(self.texts.lengths[indices].max(initial=1))
        longest = int(self.texts.lengths.max(initial=1))
        if self._round_up:
            width = min(next_size(width), longest)
        elif len(self) == 1:
            # Keras uses the width of a single batch for all epochs.
            width = longest
        else:
            # Keras assumes that an axis is constant if it has the same size in
            # the first two batches: odd widths for odd batches prevent this.
            width += (width + index) % 2
        return self.texts.padded(indices, width, rows)


class GroupBatches(EpochBatches):
    """The base of batches of groups: a question with some answers.

    The inputs of a batch are, with `packed=True`, those of
    `keras_qa.text.packing.pack`, and otherwise the padded ids `"question"`
    `(batch_size, question_length)` and `"answers"` `(batch_size, answers,
    answer_length)`, or vectors with one axis more; and the features of the
    pairs, `(batch_size, answers, n)`.

    Args:
        texts: all texts, as word ids, or to be padded as vectors.
        batch_size: number of groups per batch; the last may have fewer.
        seed: seed of the shuffling, which also depends on the epoch.
        packed: whether to pack; the scorer must have `score_packed`.
        features: function of the indices of questions and answers, two vectors
            of one length, that returns further inputs of the scorer by name,
            `(pairs, n)` each, such as `CorpusScorer.features`. It is called
            once an epoch.
        widths: the widths that `"question"` and `"answer"` are padded to, for
            a scorer that takes no others.
        targets: function of the indices of questions and answers that returns
            what a model is to score, `(pairs,)`, such as
            `keras_qa.training.distillation.TeacherScores`; it takes the place
            of the labels. It is called once an epoch.
        **kwargs: the arguments of `keras.utils.PyDataset`.

    Raises:
        ValueError: if `batch_size` is not positive.
    """

    def __init__(
        self,
        texts: Ragged,
        batch_size: int,
        seed: int = 0,
        packed: bool = True,
        features: FeatureFunction | None = None,
        widths: Mapping[str, int | None] | None = None,
        targets: ScoreFunction | None = None,
        **kwargs: Any,
    ):
        super().__init__(texts, batch_size, seed, **kwargs)
        self.packed = packed
        self.features = features
        self.widths = dict(widths or {})
        self.targets = targets

    def _set_groups(self, question: np.ndarray, answers: np.ndarray) -> None:
        """Sets the groups of an epoch, `(groups,)` and `(groups, answers)`."""
        self._question, self._answers = question, answers
        self._features: dict[str, np.ndarray] = {}
        size, count = answers.shape
        pairs = np.repeat(question, count), answers.ravel()
        if self.targets is not None:
            self._targets = self.targets(*pairs).reshape(size, count)
        if self.features is not None:
            found = self.features(*pairs)
            self._features = {
                name: values.reshape(size, count, -1)
                for name, values in found.items()
            }

    def _inputs(
        self, rows: slice | np.ndarray, index: int, count: int | None = None
    ) -> dict[str, Any]:
        """Inputs of the batch at `index`: some groups, their first answers."""
        question, answers = self._question[rows], self._answers[rows, :count]
        features = {n: x[rows, :count] for n, x in self._features.items()}
        if self.packed:
            texts = cast(RaggedTexts, self.texts)
            return pack(texts, question, answers, self._round_up) | features
        sides = {"question": question, "answer": answers}
        padded = {
            side: self._padded(texts, index, self.widths.get(side))
            for side, texts in sides.items()
        }
        return {
            "question": padded["question"],
            "answers": padded["answer"],
            **features,
        }


class PairwiseBatches(GroupBatches):
    """Batches of groups for `PairwiseTrainer`, drawn and shuffled each epoch.

    A batch is `(inputs, labels)`, with labels `(batch_size, 1 + K)` that are 1
    for the positive, which comes first, and 0 for the negatives, or the
    `targets` of the pairs. The inputs are those of `GroupBatches`.

    Args:
        texts: all texts.
        sampler: function of the epoch's number, from 0, that returns indices
            of texts: `(question, positive, negatives)` of the shapes `(N,)`,
            `(N,)` and `(N, K)`, with the same N in each epoch. It is called
            before each epoch and may use the current model.
        batch_size: number of groups per batch; the last may have fewer.
        seed: seed of the shuffling, which also depends on the epoch.
        packed: whether to pack; the scorer must have `score_packed`.
        **kwargs: further arguments of `GroupBatches`.

    Raises:
        ValueError: if `batch_size` is not positive, or the sampler returns
            arrays of other shapes, or of another N than before.
    """

    def __init__(
        self,
        texts: Ragged,
        sampler: Callable[[int], Groups],
        batch_size: int,
        seed: int = 0,
        packed: bool = True,
        **kwargs: Any,
    ):
        super().__init__(texts, batch_size, seed, packed, **kwargs)
        self.sampler = sampler

    def _draw(self, rng: np.random.Generator, epoch: int) -> None:
        question, positive, negatives = map(np.asarray, self.sampler(epoch))
        size = len(question)
        if positive.shape != (size,) or negatives.shape[:-1] != (size,):
            raise ValueError(
                "`sampler` must return arrays of the shapes (N,), (N,) and "
                f"(N, K). Received: {question.shape}, {positive.shape} and "
                f"{negatives.shape}"
            )
        if self._epoch is not None and size != len(self._question):
            # Keras asks for the number of batches once.
            raise ValueError(
                "`sampler` must return the same number of groups in each "
                f"epoch. Received: {size} in epoch {epoch}, "
                f"{len(self._question)} before"
            )
        order = rng.permutation(size)
        answers = np.column_stack([positive, negatives])
        self._set_groups(question[order], answers[order])

    def __len__(self) -> int:
        self._begun()
        return -(-len(self._question) // self.batch_size)

    def __getitem__(self, index: int) -> tuple[dict[str, Any], np.ndarray]:
        """The batch at `index`, `(inputs, labels)`."""
        self._begun()
        chosen = slice(index * self.batch_size, (index + 1) * self.batch_size)
        if self.targets is not None:
            return self._inputs(chosen, index), self._targets[chosen]
        labels = np.zeros(self._answers[chosen].shape, dtype=np.float32)
        labels[:, 0] = 1
        return self._inputs(chosen, index), labels


class HardestNegativeBatches(PairwiseBatches):
    """Batches of groups for `HardestNegativeTrainer`, with inputs for mining.

    A batch is `(inputs, labels)`, with labels `(batch_size, 2)` that are 1 for
    the positive and 0 for the hardest negative. The inputs are those of
    `PairwiseBatches` with `packed=False` and, if there is more than one
    negative,

    - `"parts"`: a tuple of dicts. All (question, negative) pairs of the batch,
      sorted by the length of the negative, are split into parts of the same
      size. `"texts"` `(texts, length)` contains the distinct negatives of a
      part, padded to the longest one, and `"pairs"` `(size, 2)` its pairs, as
      rows of `"question"` and of `"texts"`; the last parts may be filled up
      with arbitrary pairs.
    - `"choice"` `(batch_size, K)`: the index of each negative among the pairs
      of all parts.

    So each distinct negative is encoded once for each part that contains it,
    with little padding.

    Args:
        texts: all texts.
        sampler: sampler of the negatives, with `strategy="random"` and, for
            negatives from the complete answer space, `pool="all"`.
        batch_size: number of groups per batch; the last may have fewer.
        seed: seed of the shuffling, which also depends on the epoch.
        shared: whether the questions of a batch share K random negatives
            (`NegativeSampler.share`), so that about K texts are encoded
            instead of `batch_size` times K.
        **kwargs: the arguments of `keras.utils.PyDataset`; of one negative that
            is not shared, also `features` and `targets` of `PairwiseBatches`.

    Raises:
        ValueError: if `batch_size` is not positive, `shared` is true for a
            sampler without `pool="all"`, or features or targets are given with
            negatives that are chosen after them.

    Example:
        >>> sampler = NegativeSampler(
        ...     questions, candidates, labels, 50, strategy="random", pool="all"
        ... )
        >>> batches = HardestNegativeBatches(texts, sampler, batch_size=20)

    Reference: Tan et al., 2016, "Improved Representation Learning for Question
    Answer Matching", section 3.1.
    """

    def __init__(
        self,
        texts: RaggedTexts,
        sampler: NegativeSampler,
        batch_size: int,
        seed: int = 0,
        shared: bool = False,
        **kwargs: Any,
    ):
        if not isinstance(sampler, NegativeSampler):
            raise ValueError(
                "`sampler` must be a NegativeSampler. "
                f"Received: {type(sampler).__name__}"
            )
        super().__init__(
            texts, sampler.sample, batch_size, seed, packed=False, **kwargs
        )
        if shared and sampler.pool != "all":
            raise ValueError(
                "`shared` negatives come from everywhere: the sampler must "
                f"have pool='all'. Received: pool={sampler.pool!r}"
            )
        given = self.features is not None or self.targets is not None
        if given and (shared or sampler.negatives > 1):
            raise ValueError(
                "`features` and `targets` must be None with `shared` or "
                "several negatives, which are chosen after them. "
                "Received: others"
            )
        self.shared = shared
        self._share = sampler.share
        distinct = sampler.negatives * (1 if shared else batch_size)
        self._parts = min(max(1, distinct // PART_TEXTS), MOST_PARTS)

    def _draw(self, rng: np.random.Generator, epoch: int) -> None:
        super()._draw(rng, epoch)
        if self.shared:
            for start in range(0, len(self._question), self.batch_size):
                batch = slice(start, start + self.batch_size)
                self._answers[batch, 1:] = self._share(
                    rng, self._question[batch], self._answers[batch, 1:]
                )

    def __getitem__(self, index: int) -> tuple[dict[str, Any], np.ndarray]:
        """The batch at `index`, `(inputs, labels)`."""
        inputs, labels = super().__getitem__(index)
        first = index * self.batch_size
        negatives = self._answers[first : first + self.batch_size, 1:]
        if negatives.shape[1] > 1:
            inputs |= self._mining(negatives, index)
        return inputs, labels[:, :2]

    def _mining(self, negatives: np.ndarray, index: int) -> dict[str, Any]:
        """Returns `"parts"` and `"choice"` of negatives `(batch_size, K)`."""
        flat = negatives.ravel()
        order = np.lexsort((flat, self.texts.lengths[flat]))
        choice = np.empty(len(flat), dtype=np.int32)
        choice[order] = np.arange(len(flat))
        size = -(-len(flat) // self._parts)
        parts = []
        for start in range(0, self._parts * size, size):
            chosen = order[start : start + size]
            distinct, row = np.unique(flat[chosen], return_inverse=True)
            pairs = np.zeros((size, 2), dtype=np.int32)
            pairs[: len(chosen), 0] = chosen // negatives.shape[1]
            pairs[: len(chosen), 1] = row
            rows = max(1, len(distinct))
            if self._round_up:
                rows = next_size(rows)
            texts = self._padded(distinct, index, rows=rows)
            parts.append({"texts": texts, "pairs": pairs})
        return {
            "parts": tuple(parts),
            "choice": choice.reshape(negatives.shape),
        }


class PointwiseBatches(EpochBatches):
    """Batches of labelled pairs, shuffled each epoch, for `keras.Model.fit`.

    A batch is `(inputs, labels)`: the padded ids `"question"` `(batch_size,
    question_length)` and `"answer"` `(batch_size, answer_length)`, the
    features of the pairs, and float32 labels `(batch_size, 1)`.

    To limit the padding, a batch contains pairs of similar length: of the
    shuffled pairs, `window` batches at a time are sorted by the lengths of
    answer and question and split into batches, whose order is then shuffled.

    Args:
        texts: all texts.
        questions: indices of the questions' texts, `(pairs,)`.
        answers: indices of the answers' texts, `(pairs,)`.
        labels: labels, `(pairs,)`.
        batch_size: number of pairs per batch; one batch may have fewer.
        seed: seed of the shuffling, which also depends on the epoch.
        features: further inputs by name, arrays `(pairs, ...)`.
        window: number of batches whose pairs are sorted together; 1 gives
            random batches.
        widths: the widths to which `"question"` and `"answer"` are padded, for
            a model of fixed lengths; None pads to the longest text.
        **kwargs: the arguments of `keras.utils.PyDataset`.

    Raises:
        ValueError: if `batch_size` or `window` is not positive, there are no
            pairs, or an array does not have one row per pair.

    Example:
        >>> model.compile(
        ...     "adam", loss=keras.losses.BinaryCrossentropy(from_logits=True)
        ... )
        >>> questions, answers = indexed.pairs()
        >>> labels = np.concatenate(indexed.labels)
        >>> batches = PointwiseBatches(texts, questions, answers, labels, 64)
        >>> model.fit(batches.feed(), **batches.fit_arguments(epochs=25))
    """

    def __init__(
        self,
        texts: Ragged,
        questions: np.ndarray,
        answers: np.ndarray,
        labels: np.ndarray,
        batch_size: int,
        seed: int = 0,
        features: Mapping[str, np.ndarray] | None = None,
        window: int = 16,
        widths: Mapping[str, int | None] | None = None,
        **kwargs: Any,
    ):
        super().__init__(texts, batch_size, seed, **kwargs)
        check_positive(window=window)
        if len(questions) == 0:
            raise ValueError(
                "`questions` must hold at least one. Received: questions=[]"
            )
        rows = {"answers": answers, "labels": labels, **(features or {})}
        for name, values in rows.items():
            if len(values) != len(questions):
                raise ValueError(
                    f"`{name}` must have {len(questions)} rows, one per pair. "
                    f"Received: {len(values)} rows"
                )
        self.questions = np.asarray(questions)
        self.answers = np.asarray(answers)
        self.labels = np.asarray(labels, dtype=np.float32)
        self.features = dict(features or {})
        self.window = window
        self.widths = dict(widths or {})

    def _draw(self, rng: np.random.Generator, epoch: int) -> None:
        lengths = self.texts.lengths
        self._batches = self._by_length(
            rng,
            lengths[self.questions],
            lengths[self.answers],
            window=self.window,
        )

    def __len__(self) -> int:
        return -(-len(self.questions) // self.batch_size)

    def __getitem__(self, index: int) -> tuple[dict[str, Any], np.ndarray]:
        """The batch at `index`, `(inputs, labels)`."""
        self._begun()
        pairs = self._batches[index]
        sides = {"question": self.questions, "answer": self.answers}
        inputs = {
            side: self._padded(indices[pairs], index, self.widths.get(side))
            for side, indices in sides.items()
        }
        for name, values in self.features.items():
            inputs[name] = values[pairs]
        return inputs, self.labels[pairs, None]
