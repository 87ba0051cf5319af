"""The tokeniser in the graph equals the tokeniser of training."""

import random
import sys
from functools import cache

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from keras_qa.text.tokenizer import TOKENIZERS
from keras_qa.text.tokenizer import tokenize
from keras_qa.text.tokenizer import well_formed
from keras_qa.text.vocabulary import Vocabulary

tf = pytest.importorskip("tensorflow")
text = pytest.importorskip("keras_qa.export.text_graph")

# Characters at which one of the two could stumble: every class of the
# pattern, white space of many kinds, case that changes length or depends on
# its neighbours, marks, joiners, right-to-left letters, astral letters and
# digits, emoji, surrogates and noncharacters.
AWKWARD = (
    "aZ_09.,:/'’-+ \t\n\x0b\x1c\x85\xa0\u2028\u3000\0\x7f\u00ad"
    "éÉßẞİıΣςσǅǆſKÅªº²½Ⅷ٠٣٫१"
    "\u0301\u0345\u200b\u200d\u200f\ufe0f\ufeff\ufffd"
    "אבسلام漢かｱ한\U00010400\U0001d7ce\U0001e900"
    "👩🔬🏽🇫🇷\ud83d\ude00\ufdd0\uffff\U0010ffff"
)


# The other planes hold no characters yet, or private ones. Alone, theirs are
# not tried each time, but all together are.
PLANES = (0, 1, 2, 3, 14)
some_or_all_planes = pytest.mark.parametrize(
    "planes",
    [PLANES, pytest.param(range(17), marks=pytest.mark.large)],
    ids=["some", "all"],
)


def _points(planes):
    return [chr(plane << 16 | c) for plane in planes for c in range(1 << 16)]


@cache
def _in_graph(tokenizer):
    return tf.function(
        lambda texts: text.tokenize_in_graph(texts, tokenizer),
        input_signature=[tf.TensorSpec((None,), tf.string)],
    )


def _assert_equal(texts, tokenizer, as_bytes=None):
    if as_bytes is None:
        as_bytes = [well_formed(t).encode() for t in texts]
    expected = [tokenize(t, tokenizer) for t in texts]
    found = _in_graph(tokenizer)(tf.constant(as_bytes, tf.string))
    same = [len(e) for e in expected] == found.row_lengths().numpy().tolist()
    flat = [t.encode() for tokens in expected for t in tokens]
    if same and flat == found.flat_values.numpy().tolist():
        return
    for one, tokens, other in zip(texts, expected, found, strict=True):
        decoded = [t.decode() for t in other.numpy()]
        assert (ascii(one)[:200], tokens[:50]) == (
            ascii(one)[:200],
            decoded[:50],
        )
    raise AssertionError("texts differ beyond their first 50 tokens")


@some_or_all_planes
@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_every_code_point_alone(tokenizer, planes):
    _assert_equal(_points(planes), tokenizer)


@some_or_all_planes
def test_every_code_point_between_letters_and_between_digits(planes):
    points = _points(planes)
    thousands = [points[i : i + 1000] for i in range(0, len(points), 1000)]
    for pattern in ("a{}B", "1{}2"):
        texts = [" ".join(map(pattern.format, some)) for some in thousands]
        _assert_equal(texts, "word")


@pytest.mark.slow
@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_every_code_point_in_one_text(tokenizer):
    every = "".join(map(chr, range(sys.maxunicode + 1)))
    _assert_equal([every, every[::-1]], tokenizer)


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_awkward_characters_in_random_order(tokenizer):
    rng = random.Random(0)
    texts = [
        "".join(rng.choices(AWKWARD, k=rng.randrange(25)))
        for _ in range(20_000)
    ]
    _assert_equal(texts, tokenizer)


_ANY_TEXT = st.text(max_size=30) | st.text(
    st.sampled_from(AWKWARD), max_size=30
)


@hypothesis.settings(max_examples=50, deadline=None)
@hypothesis.given(st.lists(_ANY_TEXT, min_size=50, max_size=200))
def test_fuzzed_text(texts):
    for tokenizer in TOKENIZERS:
        _assert_equal(texts, tokenizer)


_FRAGMENTS = [
    b"a", b" ", b"7", b"\xc3\xa9", b"\xef\xbb\xbf",  # valid, and the BOM
    b"\xff", b"\x80", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98",  # cut short
    b"\xc0\x80", b"\xe0\x80\x80",  # longer than needed
    b"\xed\xa0\x80", b"\xed\xb0\x80",  # surrogates
    b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80\x80",  # beyond Unicode
    b"\xef\xbf\xbe", b"\xef\xb7\x90",  # noncharacters
]  # fmt: skip
_ANY_BYTES = st.binary(max_size=20) | st.lists(
    st.sampled_from(_FRAGMENTS), max_size=10
).map(b"".join)


@hypothesis.settings(max_examples=50, deadline=None)
@hypothesis.given(st.lists(_ANY_BYTES, min_size=50, max_size=200))
def test_bytes_that_are_not_utf8(blobs):
    decoded = [blob.decode("utf-8", "replace") for blob in blobs]
    for tokenizer in TOKENIZERS:
        _assert_equal(decoded, tokenizer, as_bytes=blobs)


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_ten_thousand_words(tokenizer):
    rng = np.random.default_rng(0)
    words = ["Word", "don't", "3.5", "👩\u200d🔬", "שלום", "漢字", "ΟΔΟΣ,"]
    long = " ".join(rng.choice(words, size=10_000))
    assert len(tokenize(long, tokenizer)) >= 10_000
    _assert_equal([long, "", long[:1000]], tokenizer)


def test_no_texts():
    for tokenizer in TOKENIZERS:
        _assert_equal([], tokenizer)


def test_the_tables_are_in_the_graph():
    """Nothing is left to the tables of the machine that runs the graph."""
    operations = {
        node.op: node
        for node in _in_graph("word")
        .get_concrete_function()
        .graph.as_graph_def()
        .node
    }
    assert "StringLower" not in operations
    pattern = operations["StaticRegexReplace"].attr["pattern"].s.decode()
    assert not {r"\w", r"\d", r"\s", r"\p", "[:"} & {
        pattern[i : i + 2] for i in range(len(pattern))
    }


# === Vocabulary ===

WORDS = ["who", "wrote", "emma", "?", "👩", "straße"]


@pytest.mark.parametrize("max_length", [None, 1, 3])
def test_ids_are_those_of_the_vocabulary(max_length):
    vocabulary = Vocabulary(WORDS)
    encoder = text.TextEncoder(vocabulary.words)
    texts = [
        "Who wrote EMMA?",
        "",
        "👩\u200d🔬 STRASSE Straße",
        "  ",
        "[UNK] unk",
    ]
    ids = encoder(tf.constant(texts), max_length).to_list()
    assert ids == [
        vocabulary.encode(tokenize(t), max_length).tolist() for t in texts
    ]
    assert ids[0] == [2, 3, 4, 5][:max_length]
    assert ids[1] == ids[3] == []


def test_ids_with_the_whitespace_tokenizer():
    encoder = text.TextEncoder(Vocabulary(WORDS).words, "whitespace")
    ids = encoder(tf.constant(["Who wrote emma?"]))
    assert ids.to_list() == [[2, 3, 1]]


@hypothesis.given(st.lists(st.text(max_size=90), max_size=8))
@hypothesis.example(["a" * 63, "a" * 64, "a" * 65, "\U0010ffff" * 80])
@hypothesis.example([AWKWARD, *AWKWARD])
def test_ids_of_unknown_words_are_those_of_training(texts):
    texts = [well_formed(t) for t in [*texts, *WORDS]]
    vocabulary = Vocabulary(WORDS, oov_buckets=1000)
    encoder = text.TextEncoder(vocabulary.words, oov_buckets=1000)
    ids = encoder(tf.constant([t.encode() for t in texts]))
    assert ids.to_list() == [
        vocabulary.encode(tokenize(t)).tolist() for t in texts
    ]


@pytest.mark.parametrize(
    ("words", "tokenizer", "message"),
    [
        (WORDS, "word", r"`words` must begin with '' .*Received.*'who', 'wr"),
        (["", "[UNK]", "a", "a"], "word", "must be distinct.*4 words, 3 dis"),
        (["", "[UNK]"], "bpe", "`tokenizer` must be one of .*Received.*'bpe'"),
    ],
)
def test_errors(words, tokenizer, message):
    with pytest.raises(ValueError, match=message):
        text.TextEncoder(words, tokenizer)
