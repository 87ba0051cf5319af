"""Training of skip-gram vectors with gensim."""

import os
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence

from gensim.models import KeyedVectors
from gensim.models import Word2Vec
from gensim.models.callbacks import CallbackAny2Vec
from gensim.models.word2vec import MAX_WORDS_IN_BATCH

from keras_qa.embeddings.formats.vector_files import PathLike
from keras_qa.embeddings.formats.vector_files import open_stream
from keras_qa.errors import VectorsError


def train_skipgram(
    corpus: PathLike | Iterable[Sequence[str]],
    vector_size: int = 100,
    window: int = 5,
    negative: int = 5,
    min_count: int = 2,
    epochs: int = 15,
    seed: int = 0,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> KeyedVectors:
    """Trains skip-gram vectors with negative sampling.

    With one worker the vectors depend only on the corpus, the arguments and
    the machine, because gensim 4 draws the initial vectors from a seeded
    generator. With more workers, the order of updates and the result vary.

    Args:
        corpus: tokenised sentences, or a file of them, plain or gzipped: one
            sentence per line, UTF-8, tokens separated by white space.
        vector_size: width of the vectors.
        window: largest distance of the two words of a pair.
        negative: number of noise words per pair.
        min_count: smallest number of occurrences of a word with a vector.
        epochs: number of passes over the corpus.
        seed: seed of the initial vectors and of the sampling.
        workers: number of training threads.
        progress: function that is called after each epoch with the number of
            finished epochs and of all epochs.

    Returns:
        float32 vectors, most frequent words first.

    Raises:
        VectorsError: if the corpus file is not UTF-8 or damaged, or if no
            word is frequent enough.
        ValueError: if a sentence is a string.

    Source: Mikolov, Sutskever, Chen, Corrado, Dean, "Distributed
    representations of words and phrases and their compositionality", NIPS
    2013, eq. 4.
    """
    sentences = _Sentences(corpus)
    model = Word2Vec(
        sg=1,
        vector_size=vector_size,
        window=window,
        negative=negative,
        min_count=min_count,
        epochs=epochs,
        seed=seed,
        workers=workers,
    )
    model.build_vocab(sentences, trim_rule=None)
    if not len(model.wv):
        raise VectorsError(
            f"{sentences.name}: expected words that occur at least "
            f"{min_count} times (`min_count`). Received: "
            f"{model.corpus_count} sentences of {model.corpus_total_words} "
            "words, none of them that often"
        )
    callbacks = [] if progress is None else [_Progress(progress)]
    model.train(
        sentences,
        total_examples=model.corpus_count,
        epochs=epochs,
        callbacks=callbacks,
    )
    return model.wv


class _Sentences:
    """Sentences that can be read several times, cut into parts.

    gensim ignores the words of a sentence beyond `MAX_WORDS_IN_BATCH`.
    """

    def __init__(self, corpus: PathLike | Iterable[Sequence[str]]):
        self._path: PathLike | None = None
        self._sentences: Iterable[Sequence[str]] = ()
        if isinstance(corpus, (str, os.PathLike)):
            self._path = corpus
        else:
            # A list, because a generator can be read only once.
            self._sentences = list(corpus)
        self.name = "corpus" if self._path is None else str(self._path)

    def __iter__(self) -> Iterator[Sequence[str]]:
        sentences = self._sentences
        if self._path is not None:
            sentences = _read_sentences(self._path)
        for sentence in sentences:
            if isinstance(sentence, str):
                raise ValueError(
                    "`corpus` must hold lists of tokens. "
                    f"Received: the string {sentence[:60]!r}"
                )
            for start in range(0, len(sentence), MAX_WORDS_IN_BATCH):
                yield sentence[start : start + MAX_WORDS_IN_BATCH]


def _read_sentences(path: PathLike) -> Iterator[list[str]]:
    with open_stream(path) as lines:
        for number, line in enumerate(lines, start=1):
            try:
                yield line.decode("utf-8").split()
            except UnicodeDecodeError:
                raise VectorsError(
                    f"{path}:{number}: expected text in UTF-8. "
                    f"Received: {line[:60]!r}"
                ) from None


class _Progress(CallbackAny2Vec):
    """Calls a function after each of gensim's epochs."""

    def __init__(self, report: Callable[[int, int], None]):
        self._report = report
        self._done = 0

    def on_epoch_end(self, model: Word2Vec) -> None:
        self._done += 1
        self._report(self._done, model.epochs)
