import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from gensim.models import FastText
from gensim.models import KeyedVectors
from gensim.models.fasttext import save_facebook_model

SENTENCES = [
    line.split()
    for line in (
        "the cat sat on the mat",
        "the dog sat on the log",
        "a naïve café owner owns a dog and a cat",
    )
] * 20


@pytest.fixture(scope="session")
def vectors() -> KeyedVectors:
    """Vectors whose numbers are hard to print: 40 words of width 7."""
    rng = np.random.default_rng(0)
    words = [f"word{i}" for i in range(36)] + ["naïve", "東京", "🙂", "\xa0"]
    numbers = rng.normal(size=(40, 7)) * 10.0 ** rng.integers(-12, 12, (40, 7))
    kv = KeyedVectors(7)
    kv.add_vectors(words, numbers.astype(np.float32))
    return kv


@pytest.fixture(autouse=True)
def cache_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of the vectors of encoders."""
    monkeypatch.setenv("KERAS_QA_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def text_file(vectors: KeyedVectors, tmp_path: Path) -> Path:
    path = tmp_path / "vectors.txt"
    vectors.save_word2vec_format(path)
    return path


@pytest.fixture
def glove_file(vectors: KeyedVectors, tmp_path: Path) -> Path:
    path = tmp_path / "glove.txt"
    vectors.save_word2vec_format(path, write_header=False)
    return path


@pytest.fixture
def binary_file(vectors: KeyedVectors, tmp_path: Path) -> Path:
    path = tmp_path / "vectors.bin"
    vectors.save_word2vec_format(path, binary=True)
    return path


@pytest.fixture(scope="session")
def fasttext_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    model = FastText(
        SENTENCES,
        vector_size=6,
        min_count=1,
        bucket=50,
        epochs=1,
        seed=1,
        workers=1,
    )
    path = tmp_path_factory.mktemp("fasttext") / "model.bin"
    save_facebook_model(model, str(path))
    return path


@pytest.fixture
def gzipped() -> Callable[[Path], Path]:
    """Makes a gzipped copy of a file, beside it."""

    def copy(path: Path) -> Path:
        target = path.with_name(path.name + ".gz")
        target.write_bytes(gzip.compress(path.read_bytes()))
        return target

    return copy
