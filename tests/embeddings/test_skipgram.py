import gzip
from pathlib import Path

import numpy as np
import pytest
from gensim.models import KeyedVectors

from keras_qa.embeddings import skipgram
from keras_qa.embeddings import train_skipgram
from keras_qa.errors import VectorsError
from support.new_process import run_code

SENTENCES = [
    line.split()
    for line in (
        "paris is the capital of france",
        "rome is the capital of italy",
        "an answer follows the question",
    )
] * 30

TRAIN_AND_HASH = """
import hashlib, sys
from keras_qa.embeddings import train_skipgram
kv = train_skipgram(sys.argv[1], vector_size=20, epochs=3, seed=5)
print(hashlib.sha256(kv.vectors.tobytes()).hexdigest(), *kv.index_to_key)
"""


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(map(" ".join, SENTENCES)) + "\nonce\n\n")
    return path


def test_same_vectors_in_every_process(corpus):
    """The hash of a string differs between processes; vectors must not."""
    outputs = {
        run_code(TRAIN_AND_HASH, corpus, PYTHONHASHSEED=seed)
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
    assert "capital" in outputs.pop()


def test_arguments_reach_gensim(corpus):
    vectors = train_skipgram(corpus, vector_size=12, epochs=1, min_count=31)
    assert isinstance(vectors, KeyedVectors)
    assert vectors.vectors.shape == (4, 12)
    assert vectors.index_to_key[0] == "the"
    assert set(vectors.index_to_key) == {"the", "is", "capital", "of"}
    assert np.isfinite(vectors.vectors).all()


def test_seed_changes_the_vectors():
    one, same, other = (
        train_skipgram(SENTENCES, vector_size=8, epochs=1, seed=seed)
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(one.vectors, same.vectors)
    assert not np.array_equal(one.vectors, other.vectors)


def test_sentences_and_files_give_the_same(corpus, tmp_path):
    packed = tmp_path / "corpus.txt.gz"
    packed.write_bytes(gzip.compress(corpus.read_bytes()))
    generator = (sentence for sentence in [*SENTENCES, ["once"], []])
    results = [
        train_skipgram(source, vector_size=8, epochs=2)
        for source in (corpus, str(corpus), packed, generator)
    ]
    for other in results[1:]:
        assert other.index_to_key == results[0].index_to_key
        np.testing.assert_array_equal(other.vectors, results[0].vectors)


def test_words_of_one_context_come_together():
    vectors = train_skipgram(SENTENCES, vector_size=20, epochs=30, seed=1)
    together = vectors.similarity("paris", "france")
    apart = vectors.similarity("paris", "question")
    assert together > apart


def test_no_word_is_lost_in_long_sentences():
    """gensim ignores what a sentence has beyond 10,000 words."""
    words = [f"w{i % 1000}" for i in range(10_000)] + ["late", "words"] * 20
    whole = train_skipgram([words], vector_size=4, epochs=2)
    parts = [words[:10_000], words[10_000:]]
    divided = train_skipgram(parts, vector_size=4, epochs=2)
    np.testing.assert_array_equal(whole.vectors, divided.vectors)
    assert "late" in whole


def test_progress_is_reported_after_each_epoch():
    seen = []
    train_skipgram(
        SENTENCES,
        vector_size=4,
        epochs=3,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_errors(corpus, tmp_path):
    with pytest.raises(VectorsError, match=r"corpus\.txt: expected words that"):
        train_skipgram(corpus, min_count=1000)
    with pytest.raises(VectorsError, match=r"corpus: .*0 sentences of 0 words"):
        train_skipgram([])
    with pytest.raises(ValueError, match=r"lists of tokens.*'one sentence'"):
        train_skipgram(["one sentence"])
    latin = tmp_path / "latin.txt"
    latin.write_bytes(b"fine\ncaf\xe9\n")
    with pytest.raises(VectorsError, match=r"latin\.txt:2: .*UTF-8"):
        train_skipgram(latin)
    with pytest.raises(VectorsError, match="nowhere: expected a readable"):
        train_skipgram(tmp_path / "nowhere")


class Stop(Exception):
    """gensim's training is gensim's."""


def test_every_argument_is_handed_on(monkeypatch):
    given = {}

    def word2vec(**options):
        given.update(options)
        raise Stop

    monkeypatch.setattr(skipgram, "Word2Vec", word2vec)
    options = {"vector_size": 3, "window": 4, "negative": 6, "min_count": 1}
    options |= {"epochs": 7, "seed": 8, "workers": 9}
    with pytest.raises(Stop):
        train_skipgram([["a"]], **options)
    assert given == {"sg": 1, **options}
