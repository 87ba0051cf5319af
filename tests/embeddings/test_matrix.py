import numpy as np
import pytest
from gensim.models import KeyedVectors
from gensim.models.fasttext import load_facebook_vectors
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from keras_qa import embeddings
from keras_qa.embeddings import embedding_matrix


def keyed(rows: dict[str, list[float]]) -> KeyedVectors:
    vectors = KeyedVectors(len(next(iter(rows.values()))))
    vectors.add_vectors(list(rows), np.array(list(rows.values()), np.float32))
    return vectors


SMALL = keyed({"cat": [1, 2], "dog": [3, 4]})
OTHER = keyed({"cat": [5, 6, 7], "": [9, 9, 9], "emu": [8, 8, 8]})


def test_known_rows_and_padding():
    matrix, _ = embedding_matrix(["", "dog", "cat"], SMALL)
    assert matrix.dtype == np.float32
    assert matrix.tolist() == [[0, 0], [3, 4], [1, 2]]


def test_padding_is_zero_even_if_a_set_knows_it():
    matrix, _ = embedding_matrix(["", "cat"], OTHER)
    assert matrix[0].tolist() == [0, 0, 0]
    matrix, _ = embedding_matrix(["cat", "cat"], OTHER)
    assert matrix.tolist() == [[0, 0, 0], [5, 6, 7]]


def test_sets_stand_side_by_side():
    matrix, coverage = embedding_matrix(
        ["", "[UNK]", "cat", "dog", "emu"], [SMALL, OTHER], oov="zeros"
    )
    assert matrix.tolist() == [
        [0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0],
        [1, 2, 5, 6, 7],
        [3, 4, 0, 0, 0],
        [0, 0, 8, 8, 8],
    ]
    assert [(s.covered, s.total) for s in coverage.words] == [(2, 4), (2, 4)]
    assert coverage.any_words.covered == 3
    assert coverage.any_words.fraction == 0.75
    assert coverage.running == ()
    assert coverage.any_running is None


def test_coverage_of_running_words():
    counts = {"cat": 6, "emu": 1, "zebra": 3}
    _, coverage = embedding_matrix(
        ["", "[UNK]", "cat", "dog", "emu", "zebra"],
        [SMALL, OTHER],
        counts=counts,
    )
    # "dog" and "[UNK]" do not occur.
    assert [(s.covered, s.total) for s in coverage.words] == [(1, 3), (2, 3)]
    assert [s.covered for s in coverage.running] == [6, 7]
    assert (coverage.any_running.covered, coverage.any_running.total) == (7, 10)
    assert str(coverage).splitlines() == [
        "vectors 1: words 1 of 3 (33.3%), running 6 of 10 (60.0%)",
        "vectors 2: words 2 of 3 (66.7%), running 7 of 10 (70.0%)",
    ]


def test_uniform_rows_fill_their_interval():
    words = ["", *(f"w{i}" for i in range(2000))]
    wide = keyed({"known": [0.0] * 20})
    matrix, coverage = embedding_matrix(words, wide, seed=3)
    rows = matrix[1:]
    assert coverage.any_words.covered == 0
    assert rows.min() >= -0.25 and rows.max() <= 0.25
    # 40,000 draws: mean 0, deviation .25 / sqrt(3), five standard errors.
    assert abs(rows.mean()) < 5 * 0.1443 / 200
    assert abs(rows.std() - 0.1443) < 0.002
    assert len(np.unique(rows, axis=0)) == 2000
    assert abs(np.corrcoef(rows[:-1].ravel(), rows[1:].ravel())[0, 1]) < 0.03


def test_normal_rows_have_their_deviation():
    words = ["", *(f"w{i}" for i in range(2000))]
    wide = keyed({"known": [0.0] * 20})
    matrix, _ = embedding_matrix(words, wide, oov="normal", scale=0.1)
    assert abs(matrix[1:].mean()) < 5 * 0.1 / 200
    assert abs(matrix[1:].std() - 0.1) < 0.002
    assert np.abs(matrix).max() > 0.25


@settings(max_examples=50, deadline=None)
@given(
    words=st.lists(st.text(max_size=8), unique=True, min_size=1, max_size=12),
    order=st.randoms(use_true_random=False),
    seed=st.integers(-3, 10**20),
)
def test_random_rows_depend_on_seed_and_word_alone(words, order, seed):
    shuffled = list(words)
    order.shuffle(shuffled)
    first, _ = embedding_matrix(["", *words], [SMALL, OTHER], seed)
    second, _ = embedding_matrix(
        ["[PAD]", "more", *shuffled], [SMALL, OTHER], seed
    )
    rows = dict(zip(words, first[1:].tolist(), strict=True))
    for word, row in zip(shuffled, second[2:].tolist(), strict=True):
        assert row == rows[word]


def test_random_rows_differ_between_seeds_and_sets():
    twice, _ = embedding_matrix(["", "emu"], [SMALL, SMALL], seed=1)
    other, _ = embedding_matrix(["", "emu"], SMALL, seed=2)
    assert twice[1, :2].tolist() != twice[1, 2:].tolist()
    assert twice[1, :2].tolist() != other[1].tolist()


def test_random_rows_are_the_same_in_every_process():
    """Python's hash of a string is not, and would not give these."""
    matrix, _ = embedding_matrix(["", "ünknown"], SMALL, seed=7)
    expected = [0.023462506, 0.14684945]
    np.testing.assert_allclose(matrix[1], expected, rtol=1e-6)


def test_lowercase_fallback():
    words = ["", "Dog", "CAT", "Emu"]
    plain, coverage = embedding_matrix(words, SMALL, oov="zeros")
    assert not plain.any()
    assert coverage.any_words.covered == 0
    lower, coverage = embedding_matrix(
        words, SMALL, oov="zeros", lowercase_fallback=True
    )
    assert lower.tolist() == [[0, 0], [3, 4], [1, 2], [0, 0]]
    assert coverage.any_words.covered == 2


def test_fasttext_knows_words_by_their_subwords(fasttext_file):
    model = load_facebook_vectors(str(fasttext_file))
    matrix, coverage = embedding_matrix(
        ["", "cat", "cats", ""], model, oov="zeros"
    )
    np.testing.assert_array_equal(matrix[1], model["cat"])
    np.testing.assert_array_equal(matrix[2], model["cats"])
    assert not matrix[3].any()
    assert (coverage.any_words.covered, coverage.any_words.total) == (2, 3)


def test_words_and_vectors_are_of_their_types():
    vectors = KeyedVectors(2)
    with pytest.raises(ValueError, match="the string 'the'"):
        embedding_matrix("the", vectors)
    with pytest.raises(ValueError, match=r"gensim's.* Received: str"):
        embedding_matrix(["", "the"], "glove.txt")


def test_errors():
    with pytest.raises(ValueError, match=r"not be empty.*0 words, 1 sets"):
        embedding_matrix([], SMALL)
    with pytest.raises(ValueError, match=r"not be empty.*1 words, 0 sets"):
        embedding_matrix([""], [])
    with pytest.raises(ValueError, match=r"`oov` must be one of.*oov='mean'"):
        embedding_matrix([""], SMALL, oov="mean")
    with pytest.raises(ValueError, match=r"`scale` must be finite.*scale=-1"):
        embedding_matrix([""], SMALL, scale=-1)


def test_coverage_of_real_vectors(real_data):
    """The README of the data states what the GloVe subset covers."""
    folder = real_data / "embeddings"
    words = ["", "the", "capital", "[UNK]", "zzyzx-unheard-of"]
    sets = [
        embeddings.load_vectors(folder / name, words)
        for name in ("glove.6B.300d.subset.txt.gz", "skipgram-100d.bin")
    ]
    matrix, coverage = embedding_matrix(words, sets)
    assert matrix.shape == (5, 400)
    assert coverage.words[0].covered >= 1
    assert coverage.words[1].covered == 2
    assert np.abs(matrix[3:]).max() <= 0.25
