"""What is wrong with a file is named, or counted, never passed over."""

import pickle
import struct
import warnings
from pathlib import Path

import numpy as np
import pytest
from gensim.models import KeyedVectors
from hypothesis import HealthCheck
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from keras_qa.embeddings import load_fasttext
from keras_qa.embeddings import load_glove
from keras_qa.embeddings import load_vectors
from keras_qa.embeddings import load_word2vec_binary
from keras_qa.embeddings import load_word2vec_text
from keras_qa.errors import VectorsError
from keras_qa.errors import VectorsWarning

# Whether a row is wanted or not, its damage must show.
EVERY_VOCABULARY = [None, ["a"], ["elsewhere"]]


def write(tmp_path: Path, content: str | bytes) -> Path:
    path = tmp_path / "file.vec"
    raw = content.encode() if isinstance(content, str) else content
    path.write_bytes(raw)
    return path


def binary(rows: list[tuple[str, list[float]]], header: str) -> bytes:
    raw = header.encode()
    for word, values in rows:
        with np.errstate(over="ignore"):
            numbers = np.array(values).astype("<f4")
        raw += word.encode() + b" " + numbers.tobytes()
    return raw


@pytest.mark.parametrize("vocabulary", EVERY_VOCABULARY)
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a 1 2\nb 1\n", r"file\.vec:2: expected a word and 2 num.* 1 columns"),
        ("a 1 2\nb 1 2 3\nc 1 2\n", r":2: expected a word and 2 .* 3 columns"),
        ("a 1 2\n\nb 1 2\n", r":2: expected a word and 2 numbers.* 0 columns"),
        ("a 1 2\nb  1 2\n", r":2: expected a word and 2 numbers.* 3 columns"),
        ("a 1 2\nb\n", r":2: expected a word and 2 numbers.* 0 columns"),
        ("a 1 x\nb 1 2\n", r":1: expected numbers.*b'x' in column 2"),
        ("no vectors here\n", r":1: expected numbers.*b'vectors' in column 1"),
        ("a\t1\t2\n", r":1: expected a word and its numbers, separated by bl"),
        ("a\t1 2\n", r":1: .* separated by blanks, not tabs"),
        ("\n", r":1: expected a word and its numbers"),
    ],
)
def test_malformed_glove(tmp_path, content, message, vocabulary):
    path = write(tmp_path, content)
    for load in (load_glove, load_vectors):
        with pytest.raises(VectorsError, match=message):
            load(path, vocabulary)


@pytest.mark.parametrize("vocabulary", EVERY_VOCABULARY)
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("3 2\na 1 2\nb 1 2\n", r"file\.vec:1: expected 3 rows.*d: 2 rows"),
        ("1 2\na 1 2\nb 1 2\n", r":1: expected 1 rows.*Received: 2 rows"),
        ("9 2\n", r":1: expected 9 rows.*Received: 0 rows"),
        ("2 3\na 1 2\nb 1 2\n", r":2: expected a word and 3 n.* 2 columns"),
        ("2 1\na 1 2\nb 1 2\n", r":2: expected a word and 1 n.* 2 columns"),
        ("0 2\n", r":1: expected a header, two positive integers.*b'0 2"),
        ("2 0\na\nb\n", r":1: expected a header, two positive.*b'2 0"),
        ("a 1 2\n", r":1: expected a header.*b'a 1 2"),
    ],
)
def test_malformed_word2vec_text(tmp_path, content, message, vocabulary):
    with pytest.raises(VectorsError, match=message):
        load_word2vec_text(write(tmp_path, content), vocabulary)


@pytest.mark.parametrize("header", ["", "2 3\n"])
def test_the_mark_of_utf8_is_no_part_of_a_word(tmp_path, header):
    path = tmp_path / "file.vec"
    path.write_text(f"\ufeff{header}the 1 2 3\nwho 4 5 6\n", "utf-8")
    vectors = load_vectors(path)
    assert vectors.index_to_key == ["the", "who"]
    assert vectors["the"].tolist() == [1, 2, 3]


def test_glove_loader_recognises_a_header(tmp_path):
    with pytest.raises(VectorsError, match=r":1:.*load_word2vec_text"):
        load_glove(write(tmp_path, "1 2\na 1 2\n"))


@pytest.mark.parametrize(
    ("number", "received"),
    [("nan", "nan"), ("-inf", "-inf"), ("1e39", r"1e\+39"), ("1e999", "inf")],
)
def test_numbers_that_are_not_finite(tmp_path, number, received):
    path = write(tmp_path, f"a 1 2\nb 1 {number}\n")
    message = rf"file\.vec:2: .*'b'.*{received}.* in column 2"
    with pytest.raises(VectorsError, match=message):
        load_vectors(path)
    # Numbers that nobody wants are not parsed.
    assert load_vectors(path, ["a"])["a"].tolist() == [1.0, 2.0]

    raw = binary([("a", [1, 2]), ("b", [1, float(number)])], "2 2\n")
    with pytest.raises(VectorsError, match=r"file\.vec: record 2: .*'b'"):
        load_word2vec_binary(write(tmp_path, raw))


@pytest.mark.parametrize("number", ["", "1,5", "0x1p3", "1.2.3", "--1", "٣x"])
def test_numbers_that_are_none(tmp_path, number):
    path = write(tmp_path, f"a 1 2 3\nb 1 {number} 2\n")
    with pytest.raises(VectorsError, match=r":2: expected numbers .*column 2"):
        load_vectors(path)


def test_repeated_words_are_counted_and_the_first_row_is_kept(tmp_path):
    rows = [("a", [1, 2]), ("b", [3, 4]), ("a", [5, 6]), ("a", [7, 8])]
    text = "".join(f"{w} {x} {y}\n" for w, (x, y) in rows)
    for content in (text, "4 2\n" + text, binary(rows, "4 2\n")):
        path = write(tmp_path, content)
        message = r"file\.vec: 2 words are repeated.*the first: 'a' at .*file"
        with pytest.warns(VectorsWarning, match=message):
            ours = load_vectors(path)
        assert ours.index_to_key == ["a", "b"]
        assert ours.vectors.tolist() == [[1, 2], [3, 4]]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert load_vectors(path, ["b"])["b"].tolist() == [3, 4]


@pytest.mark.parametrize("vocabulary", EVERY_VOCABULARY)
@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("3 2\n", r"file\.vec: record 3: expected 3 rows of 2 .*2 whole rows"),
        ("2 3\n", r": record 2: expected 2 rows of 3 float32.*1 whole rows"),
        ("1 2\n", r": record 2: expected the end of the file after 1 rows of"),
        ("2 1\n", r": record (2|3): expected"),
        ("2 99999999999\n", r":1: expected a header, two.* at most 65536"),
        ("2 50000\n", r": record 1: expected.*0 whole rows"),
        ("two rows\n", r":1: expected a header.*b'two rows"),
        ("2\n", r":1: expected a header"),
    ],
)
def test_bad_header_of_a_binary(tmp_path, header, message, vocabulary):
    raw = binary([("a", [0.1, -0.2]), ("b", [0.3, -0.4])], header)
    with pytest.raises(VectorsError, match=message):
        load_word2vec_binary(write(tmp_path, raw), vocabulary)


@pytest.mark.parametrize("vocabulary", EVERY_VOCABULARY)
def test_binary_cut_off_anywhere(tmp_path, vocabulary):
    raw = binary([("a", [1, 2]), ("bcd", [3, 4])], "2 2\n")
    for length in range(1, len(raw)):
        with pytest.raises(VectorsError, match=r"file\.vec:"):
            load_word2vec_binary(write(tmp_path, raw[:length]), vocabulary)


def test_binary_out_of_step(tmp_path):
    raw = b"2 2\n" + b"x" * 100_000
    with pytest.raises(VectorsError, match=r"record 1: expected a word and a "):
        load_word2vec_binary(write(tmp_path, raw))


@pytest.mark.parametrize(
    "load", [load_glove, load_word2vec_text, load_word2vec_binary, load_vectors]
)
def test_empty_files(tmp_path, load, gzipped):
    path = write(tmp_path, b"")
    for empty in (path, gzipped(path)):
        with pytest.raises(VectorsError, match=r"file\.vec.*: an empty file"):
            load(empty)


def test_corrupt_and_truncated_gzip(text_file, fasttext_file, gzipped):
    for path in (text_file, fasttext_file):
        packed = gzipped(path)
        raw = packed.read_bytes()
        flipped = bytearray(raw)
        flipped[len(raw) // 2] ^= 0xFF
        for damaged in (raw[: len(raw) // 2], raw[:-4], bytes(flipped)):
            packed.write_bytes(damaged)
            with pytest.raises(VectorsError, match=r"\.gz: expected a whole g"):
                load_vectors(packed)


class Harmful:
    """Leaves a trace when it is unpickled."""

    def __init__(self, path: Path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_pickles_are_refused_unread(tmp_path, protocol, gzipped):
    trace = tmp_path / "trace"
    path = write(tmp_path, pickle.dumps(Harmful(trace), protocol))
    loaders = (
        load_vectors,
        load_glove,
        load_word2vec_text,
        load_word2vec_binary,
        load_fasttext,
    )
    for load in loaders:
        for file in (path, gzipped(path)):
            with pytest.raises(VectorsError, match=r"is a pickle.*export"):
                load(file)
    assert not trace.exists()


def test_other_formats_are_not_guessed(tmp_path):
    path = tmp_path / "array.npy"
    np.save(path, np.zeros(3))
    with pytest.raises(VectorsError, match=r"array\.npy: expected GloVe text"):
        load_vectors(path)


def fasttext_parts(raw: bytes) -> dict[str, int]:
    """Offsets of the parts of the small model."""
    dictionary = 8 + struct.calcsize("<12id")
    words = dictionary + struct.calcsize("<3i2q")
    count = struct.unpack_from("<i", raw, dictionary)[0]
    matrix = words
    for _ in range(count):
        matrix = raw.index(b"\0", matrix) + 1 + 9
    return {"dictionary": dictionary, "words": words, "matrix": matrix}


@pytest.mark.parametrize(
    ("part", "shift", "value", "message"),
    [
        (None, 0, b"\0\0\0\0", "fastText model of version 12"),
        (None, 4, struct.pack("<i", 13), "fastText model of version 12"),
        (None, 8, struct.pack("<i", 7), r"matrix of 13 words and 50 buckets"),
        (None, 40, struct.pack("<i", 51), r"13 words and 51 buckets by 6"),
        (None, 44, struct.pack("<i", -1), r"lengths of subwords.*-1 to 6"),
        ("dictionary", 8, struct.pack("<i", 1), r"unsupervised.* 1 labels"),
        ("dictionary", 4, struct.pack("<i", 5), r"unsupervised.* 5 words"),
        ("words", len("the") + 9, b"\1", r"a word in record 1.*kind 1"),
        ("matrix", 0, b"\1", r"quantised model"),
        ("matrix", 1, struct.pack("<q", 10**9), r"1000000000 by 6"),
        (
            "matrix",
            17 + 4 * 6 * 14,
            struct.pack("<f", np.nan),
            r"record 15: expected finite",
        ),
    ],
)
def test_malformed_fasttext(
    tmp_path, fasttext_file, part, shift, value, message
):
    raw = bytearray(fasttext_file.read_bytes())
    start = (fasttext_parts(raw)[part] if part else 0) + shift
    raw[start : start + len(value)] = value
    with pytest.raises(VectorsError, match=rf"file\.vec: .*{message}"):
        load_fasttext(write(tmp_path, bytes(raw)))


def test_fasttext_words_must_be_distinct(tmp_path, fasttext_file):
    raw = fasttext_file.read_bytes()
    assert b"mat\0" in raw and b"cat\0" in raw
    path = write(tmp_path, raw.replace(b"mat\0", b"cat\0"))
    with pytest.raises(VectorsError, match=r"distinct words.*'cat' again"):
        load_fasttext(path)


@pytest.mark.parametrize("vocabulary", [None, ["cat", "unheard"]])
def test_fasttext_cut_off_anywhere(tmp_path, fasttext_file, vocabulary):
    raw = fasttext_file.read_bytes()
    start = fasttext_parts(raw)["matrix"]
    end = start + 17 + (13 + 50) * 6 * 4
    lengths = [*range(1, start + 20, 7), end - 1]
    for length in lengths:
        path = write(tmp_path, raw[:length])
        with pytest.raises(VectorsError, match=r"file\.vec: byte"):
            load_fasttext(path, vocabulary)
    # What follows the input matrix serves training only.
    assert len(load_fasttext(write(tmp_path, raw[:end]))) == 13


mutations = st.lists(
    st.tuples(
        st.sampled_from(["flip", "insert", "delete", "copy", "cut"]),
        st.integers(0, 10**6),
        st.sampled_from([*b" \n\r0-.eE9a\x00\xff\x80\x1f\t", 0xC3, 0x7F]),
        st.integers(1, 40),
    ),
    min_size=1,
    max_size=4,
)


def mutate(raw: bytes, edits: list[tuple[str, int, int, int]]) -> bytes:
    for kind, position, byte, length in edits:
        at = position % (len(raw) + 1)
        end = at + length
        match kind:
            case "flip":
                raw = raw[:at] + bytes([byte]) + raw[at + 1 :]
            case "insert":
                raw = raw[:at] + bytes([byte]) + raw[at:]
            case "delete":
                raw = raw[:at] + raw[end:]
            case "copy":
                raw = raw[:end] + raw[at:]
            case "cut":
                raw = raw[:at]
    return raw


@pytest.mark.parametrize("kind", ["glove", "text", "binary", "fasttext"])
@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(edits=mutations, data=st.data())
def test_mutated_files_give_vectors_or_a_named_error(
    kind, edits, data, tmp_path, request
):
    """No other error, nothing endless, and never the row of another word."""
    raw = request.getfixturevalue(f"{kind}_file").read_bytes()
    path = write(tmp_path, mutate(raw, edits))
    vocabulary = data.draw(st.sampled_from([None, ["word3", "🙂", "cat"]]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", VectorsWarning)
        try:
            ours = load_vectors(path, vocabulary)
        except VectorsError as error:
            assert "file.vec" in str(error)
            return
    assert isinstance(ours, KeyedVectors)
    assert np.isfinite(ours.vectors).all()
    assert len(ours.vectors) == len(ours.index_to_key)


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(edits=mutations)
def test_mutated_text_never_shifts_rows(edits, tmp_path, vectors, glove_file):
    """Lines that are whole keep their vectors, whatever precedes them."""
    raw = mutate(glove_file.read_bytes(), edits)
    path = write(tmp_path, raw)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VectorsWarning)
        try:
            ours = load_glove(path)
        except VectorsError:
            return
    first_lines: dict[bytes, bytes] = {}
    for line in raw.split(b"\n"):
        first_lines.setdefault(line.split(b" ")[0], line)
    for whole in glove_file.read_bytes().splitlines():
        word = whole.split(b" ")[0]
        if first_lines.get(word) == whole:
            name = word.decode()
            assert ours[name].tobytes() == vectors[name].tobytes()
