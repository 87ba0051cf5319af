"""The loaders against gensim's own, on sound files."""

import warnings
from pathlib import Path

import numpy as np
import pytest
from gensim.models import KeyedVectors
from gensim.models.fasttext import FastTextKeyedVectors
from gensim.models.fasttext import load_facebook_vectors

from keras_qa.embeddings import detect_format
from keras_qa.embeddings import load_fasttext
from keras_qa.embeddings import load_glove
from keras_qa.embeddings import load_vectors
from keras_qa.embeddings import load_word2vec_binary
from keras_qa.embeddings import load_word2vec_text
from keras_qa.errors import VectorsError
from keras_qa.errors import VectorsWarning

FORMATS = ("glove", "word2vec-text", "word2vec-binary")
LOADERS = dict(
    zip(
        FORMATS,
        (load_glove, load_word2vec_text, load_word2vec_binary),
        strict=True,
    )
)
FILES = dict(
    zip(FORMATS, ("glove_file", "text_file", "binary_file"), strict=True)
)

# Not a double: halfway between two float32 but for its last digits, so that
# rounding once and rounding twice differ.
ROUNDED_TWICE = "1.00000005960464477540000001"


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error", VectorsWarning)
        yield


@pytest.fixture(params=FORMATS)
def any_file(request: pytest.FixtureRequest) -> tuple[str, Path]:
    return request.param, request.getfixturevalue(FILES[request.param])


def gensim_load(file_format: str, path: Path) -> KeyedVectors:
    return KeyedVectors.load_word2vec_format(
        path,
        binary=file_format == "word2vec-binary",
        no_header=file_format == "glove",
    )


def assert_same(ours: KeyedVectors, theirs: KeyedVectors) -> None:
    assert type(ours) is type(theirs)
    assert ours.vectors.dtype == np.float32
    assert ours.vectors.tobytes() == theirs.vectors.tobytes()
    assert ours.vectors.shape == theirs.vectors.shape
    assert ours.index_to_key == theirs.index_to_key
    assert ours.key_to_index == theirs.key_to_index
    np.testing.assert_array_equal(
        ours.expandos["count"], theirs.expandos["count"]
    )


def test_whole_file_is_what_gensim_loads(any_file):
    file_format, path = any_file
    assert_same(LOADERS[file_format](path), gensim_load(file_format, path))


def test_format_is_detected_plain_and_gzipped(any_file, gzipped):
    file_format, path = any_file
    theirs = gensim_load(file_format, path)
    packed = gzipped(path)
    disguised = packed.rename(path.with_name("no_suffix"))
    for file in (path, disguised):
        assert detect_format(file) == file_format
        assert_same(load_vectors(file), theirs)


def test_vocabulary_keeps_its_rows_in_the_order_of_the_file(any_file, gzipped):
    file_format, path = any_file
    theirs = gensim_load(file_format, path)
    vocabulary = ["🙂", "absent", "word3", "naïve", "word3", "word1", ""]
    for file in (path, gzipped(path)):
        ours = load_vectors(file, vocabulary=iter(vocabulary))
        assert ours.index_to_key == ["word1", "word3", "naïve", "🙂"]
        for word in ours.index_to_key:
            assert ours[word].tobytes() == theirs[word].tobytes()
        assert ours.vectors.shape == (4, 7)


def test_vocabulary_without_a_hit_gives_no_rows(any_file):
    ours = load_vectors(any_file[1], vocabulary={"absent"})
    assert len(ours) == 0
    assert ours.vectors.shape == (0, 7)


def test_vocabulary_may_not_be_a_string(any_file):
    with pytest.raises(ValueError, match=r"collection of words.*'the'"):
        load_vectors(any_file[1], vocabulary="the")


def test_loaded_vectors_work_in_gensim(text_file, tmp_path):
    ours = load_vectors(text_file, vocabulary=["word1", "word2", "word3"])
    assert ours.most_similar("word1", topn=2)[0][0] in ("word2", "word3")
    ours.save_word2vec_format(tmp_path / "saved.txt")
    again = load_vectors(tmp_path / "saved.txt")
    assert_same(again, ours)
    ours.add_vectors(["new"], np.ones((1, 7), dtype=np.float32))
    assert ours.index_to_key == ["word1", "word2", "word3", "new"]
    assert ours["new"].tolist() == [1.0] * 7


def test_numbers_are_rounded_as_gensim_rounds_them(tmp_path):
    path = tmp_path / "glove.txt"
    rng = np.random.default_rng(1)
    texts = [ROUNDED_TWICE, "-0", "1e-46", "3.4028235e38", "1e-40", ".5", "+7."]
    texts += [f"{x:.5g}" for x in rng.normal(size=200)]
    texts += [f"{x:.25f}" for x in rng.normal(size=200)]
    path.write_text(f"a {' '.join(texts)}\nb {' '.join(texts[::-1])}\n")
    assert_same(load_glove(path), gensim_load("glove", path))
    assert load_glove(path)["a"][0] == 1.0


def test_many_rows_cross_block_and_growth_boundaries(tmp_path):
    rng = np.random.default_rng(2)
    theirs = KeyedVectors(50)
    theirs.add_vectors(
        [f"w{i}" for i in range(7000)],
        rng.normal(size=(7000, 50)).astype(np.float32),
    )
    for binary in (False, True):
        path = tmp_path / f"many.{binary}"
        theirs.save_word2vec_format(path, binary=binary)
        ours = load_vectors(path)
        assert ours.index_to_key == theirs.index_to_key
        assert ours.vectors.tobytes() == theirs.vectors.tobytes()


@pytest.mark.parametrize("end", ["\n", " \n", "\r\n", " \r\n"])
def test_line_ends_of_other_programs(tmp_path, end):
    """The C programs of word2vec and GloVe end lines differently."""
    path = tmp_path / "vectors.txt"
    path.write_bytes(f"2 2{end}a 1 2{end}b 3 4{end}".encode())
    ours = load_vectors(path)
    assert_same(ours, gensim_load("word2vec-text", path))
    assert ours["b"].tolist() == [3.0, 4.0]


def test_last_line_needs_no_end(tmp_path):
    path = tmp_path / "glove.txt"
    path.write_text("a 1 2\nb 3 4")
    assert load_vectors(path)["b"].tolist() == [3.0, 4.0]


def test_binary_rows_may_end_in_line_feeds(vectors, tmp_path):
    """Google's program writes them, gensim does not."""
    path = tmp_path / "vectors.bin"
    rows = [
        f"{word} ".encode() + vectors[word].tobytes() + b"\n"
        for word in vectors.index_to_key
    ]
    path.write_bytes(b"40 7\n" + b"".join(rows))
    assert_same(load_vectors(path), gensim_load("word2vec-binary", path))


def test_words_with_blanks_are_read_and_counted(tmp_path):
    """As in GloVe 840B, on which gensim's loader stops."""
    path = tmp_path / "glove.txt"
    path.write_text(". 1 2\n. . . 3 4\nat name@domain.com 5 6\nnan 7 8\n")
    with pytest.raises(ValueError, match="could not convert"):
        gensim_load("glove", path)
    with pytest.warns(VectorsWarning, match=r"2 words contain blanks.*'\. \."):
        ours = load_vectors(path)
    assert ours.index_to_key == [".", ". . .", "at name@domain.com", "nan"]
    assert ours["at name@domain.com"].tolist() == [5.0, 6.0]


def test_words_that_look_like_numbers(tmp_path):
    path = tmp_path / "glove.txt"
    path.write_text("1 1 2\n-0.5 3 4\nnan 5 6\ninf 7 8\n")
    assert_same(load_vectors(path), gensim_load("glove", path))


def test_bytes_that_are_not_utf8(vectors, tmp_path):
    path = tmp_path / "latin1.txt"
    path.write_bytes(b"plain 1 2\ncaf\xe9 3 4\n")
    for vocabulary in (None, ["plain"]):
        with pytest.raises(VectorsError, match=r"latin1.txt:2: .*UTF-8.*xe9"):
            load_vectors(path, vocabulary)
    for errors in ("ignore", "replace", "backslashreplace"):
        theirs = KeyedVectors.load_word2vec_format(
            path, no_header=True, unicode_errors=errors
        )
        assert_same(load_vectors(path, unicode_errors=errors), theirs)
    ours = load_vectors(path, ["caf"], unicode_errors="ignore")
    assert ours["caf"].tolist() == [3.0, 4.0]


def test_fasttext_is_what_gensim_loads(fasttext_file, gzipped):
    theirs = load_facebook_vectors(str(fasttext_file))
    for path in (fasttext_file, gzipped(fasttext_file)):
        assert detect_format(path) == "fasttext"
        ours = load_vectors(path)
        assert isinstance(ours, FastTextKeyedVectors)
        assert_same(ours, theirs)
        for word in ("cats", "unheard-of", "cafés", "東京都"):
            assert word not in ours.key_to_index
            assert ours[word].tobytes() == theirs[word].tobytes()


def test_fasttext_for_a_vocabulary_makes_vectors_from_subwords(fasttext_file):
    theirs = load_facebook_vectors(str(fasttext_file))
    vocabulary = {"zebra", "sat", "cats", "cafés", ""}
    ours = load_vectors(fasttext_file, vocabulary)
    assert type(ours) is KeyedVectors
    assert ours.index_to_key == ["sat", "cafés", "cats", "zebra"]
    for word in ours.index_to_key:
        assert ours[word].tobytes() == theirs[word].tobytes()


def test_fasttext_vectors_survive_gensims_save(fasttext_file, tmp_path):
    ours = load_fasttext(fasttext_file)
    ours.save(str(tmp_path / "saved.kv"))
    again = FastTextKeyedVectors.load(str(tmp_path / "saved.kv"))
    np.testing.assert_array_equal(again["cats"], ours["cats"])
    # It is a pickle, which the loaders refuse.
    with pytest.raises(VectorsError, match=r"saved\.kv: is a pickle"):
        load_vectors(tmp_path / "saved.kv")


@pytest.mark.parametrize(
    ("name", "file_format", "shape"),
    [
        ("minilm-static-300d.bin", "word2vec-binary", (26715, 300)),
        ("glove.6B.300d.subset.txt.gz", "glove", (2925, 300)),
        ("skipgram-100d.bin", "word2vec-binary", (20505, 100)),
    ],
)
def test_real_files(real_data, name, file_format, shape):
    path = real_data / "embeddings" / name
    theirs = gensim_load(file_format, path)
    assert detect_format(path) == file_format
    assert theirs.vectors.shape == shape
    assert_same(load_vectors(path), theirs)
    words = theirs.index_to_key[::7]
    ours = load_vectors(path, words)
    assert ours.index_to_key == words
    assert ours.vectors.tobytes() == theirs.vectors[::7].tobytes()


def test_real_text_and_binary_hold_the_same(real_data):
    folder = real_data / "embeddings"
    words = ["the", "capital", "france", "?"]
    text = load_vectors(folder / "minilm-static-300d.txt.gz", words)
    binary = load_vectors(folder / "minilm-static-300d.bin", words)
    assert text.index_to_key == binary.index_to_key
    assert set(text.index_to_key) == set(words)
    assert text.vectors.tobytes() == binary.vectors.tobytes()


@pytest.mark.parametrize(
    ("load", "numbers"),
    [
        (load_word2vec_text, b"1 2"),
        (load_word2vec_binary, np.float32([1, 2]).tobytes()),
    ],
    ids=["text", "binary"],
)
def test_words_that_are_not_utf8(tmp_path, load, numbers):
    path = tmp_path / "vectors"
    path.write_bytes(b"1 2\ncaf\xe9 " + numbers + b"\n")
    for loader in (load, load_vectors):
        with pytest.raises(VectorsError, match="vectors"):
            loader(path)
        found = loader(path, unicode_errors="ignore")
        assert found.index_to_key == ["caf"]
        assert found["caf"].tolist() == [1, 2]
