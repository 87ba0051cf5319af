"""Training data, output classes and perplexity of language models."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from keras import ops

from keras_qa.arguments import check_choice
from keras_qa.arguments import check_positive
from keras_qa.batches.pairs import EpochBatches
from keras_qa.models.iam.language_model import BidirectionalLanguageModel
from keras_qa.text.packing import RaggedTexts

UNKNOWN_CLASS = 0
DIRECTIONS = ("forward", "backward")


def output_classes(
    texts: RaggedTexts,
    vocabulary_size: int,
    min_count: int = 2,
    max_classes: int | None = None,
) -> np.ndarray:
    """Returns the class of each word in the softmax of a language model.

    Each frequent word of the training texts has a separate class. All other
    words, including those that only have a word vector, share class 0, that of
    the unknown word. `<EOS>` has the last class.

    Args:
        texts: the training texts.
        vocabulary_size: number of word ids, without `<EOS>`.
        min_count: smallest number of occurrences of a word with a separate
            class. With 1, class 0 may have no example in the training texts.
        max_classes: the most classes, including those of the unknown word and
            `<EOS>`; the most frequent words are kept. The time of an epoch
            grows with their number.

    Returns:
        int32 `(vocabulary_size + 1,)`, by word id.

    Raises:
        ValueError: if `min_count` is not positive, or `max_classes` is below
            3.
    """
    check_positive(min_count=min_count)
    if max_classes is not None and max_classes < 3:
        raise ValueError(
            "`max_classes` must be at least 3: the unknown word, a word and "
            f"<EOS>. Received: max_classes={max_classes!r}"
        )
    counts = np.bincount(texts.ids, minlength=vocabulary_size)
    counts[:2] = 0  # padding and unknown word
    # The most frequent words first, of equally frequent ones the lowest id.
    order = np.argsort(-counts, kind="stable")
    known = order[: np.count_nonzero(counts >= min_count)]
    known = known[: None if max_classes is None else max_classes - 2]
    classes = np.full(vocabulary_size + 1, UNKNOWN_CLASS, dtype=np.int32)
    classes[known] = 1 + np.arange(len(known))
    classes[-1] = 1 + len(known)
    return classes


class LanguageModelBatches(EpochBatches):
    """Batches of sentences for `BidirectionalLanguageModel`.

    A batch is `(ids,)`, the padded int32 ids `(batch_size, length)`. As in
    `PointwiseBatches`, batches are shuffled each epoch and contain sentences of
    similar length. Texts without words are left out.

    Args:
        texts: the sentences.
        batch_size: number of sentences per batch; one batch may have fewer.
        seed: seed of the shuffling, which also depends on the epoch.
        window: number of batches whose sentences are sorted together; 1 gives
            random batches.
        **kwargs: the arguments of `keras.utils.PyDataset`.

    Raises:
        ValueError: if `batch_size` or `window` is not positive, or no text has
            words.

    Example:
        >>> model.compile(keras.optimizers.SGD(0.1, global_clipnorm=5))
        >>> batches = LanguageModelBatches(texts, batch_size=50)
        >>> model.fit(batches.feed(), **batches.fit_arguments(epochs=20))
    """

    def __init__(
        self,
        texts: RaggedTexts,
        batch_size: int,
        seed: int = 0,
        window: int = 16,
        **kwargs: Any,
    ):
        super().__init__(texts, batch_size, seed, **kwargs)
        check_positive(window=window)
        self.window = window
        self._sentences = np.flatnonzero(texts.lengths)
        if not len(self._sentences):
            raise ValueError(
                "`texts` must hold at least one with words. Received: "
                f"{len(texts)} texts without words"
            )

    def _draw(self, rng: np.random.Generator, epoch: int) -> None:
        batches = self._by_length(
            rng, self.texts.lengths[self._sentences], window=self.window
        )
        self._batches = [self._sentences[batch] for batch in batches]

    def __len__(self) -> int:
        return -(-len(self._sentences) // self.batch_size)

    def __getitem__(self, index: int) -> tuple[np.ndarray]:
        """The batch at `index`."""
        self._begun()
        return (self._padded(self._batches[index], index),)


def perplexity(
    model: BidirectionalLanguageModel, texts: RaggedTexts, batch_size: int = 64
) -> dict[str, float]:
    """Computes the perplexity of a model in each direction.

    The perplexity is exp of the mean of -log p over all predictions of a
    direction: forwards all words except for the first of each text, and
    `<EOS>`; backwards all words.

    A word with the class of the unknown word counts as the unknown word, so
    only perplexities with the same classes are comparable.

    Args:
        model: the language model.
        texts: the texts.
        batch_size: number of texts per batch.

    Returns:
        Dict of floats `"forward"` and `"backward"`.

    Raises:
        ValueError: if no text has words.
    """
    batches = LanguageModelBatches(texts, batch_size)
    total = np.zeros(2)
    for index in range(len(batches)):
        (ids,) = batches[index]
        found = ops.convert_to_numpy(model.predict_on_batch(ids))
        total += found.sum(axis=(0, 1), dtype=np.float64)
    means = np.exp(total / len(texts.ids))
    return dict(zip(DIRECTIONS, means.tolist(), strict=True))


def class_sequences(
    model: BidirectionalLanguageModel,
    texts: RaggedTexts,
    direction: str = "forward",
) -> Iterator[np.ndarray]:
    """Yields sequences of classes, for n-gram models of the same predictions.

    Args:
        model: the language model.
        texts: the texts.
        direction: `"forward"` or `"backward"`.

    Yields:
        For each text an int vector, the classes of its words and of `<EOS>`,
        reversed for `"backward"`.

    Raises:
        ValueError: if `direction` is unknown.
    """
    check_choice("direction", direction, DIRECTIONS)
    classes = ops.convert_to_numpy(model.prediction.classes)
    step = 1 if direction == "forward" else -1
    for text in range(len(texts)):
        yield np.append(classes[texts[text]], classes[-1])[::step]
