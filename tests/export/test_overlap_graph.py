"""The overlap features in the graph equal those of training."""

import math

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from keras_qa.text.overlap import OverlapFeatures

tf = pytest.importorskip("tensorflow")
text_overlap = pytest.importorskip("keras_qa.export.overlap_graph")

# Words at which the two could differ: stop words, marks, digits of other
# scripts, marks that combine, right-to-left and astral letters, what no
# tokeniser returns, and words that are prefixes of one another.
AWKWARD = [
    *("the", "wasn't", "whale", "whales", "moby-dick", "3.5", "s", "'s"),
    *(".", "``", "_", "…", "²", "½", "Ⅷ", "٣", "१", "ª", "º"),
    *("é", "e\u0301", "\u0301", "ß", "ss", "σ", "ς", "שלום", "漢字", "漢"),
    *("\U00010400", "\U0001d7ce", "👩", "👩\u200d🔬", "\ufffd", "\uffff"),
    *("", " ", "\n", "a\nb", "\n.", "\0", "a\0", "\0a", "THE", "[UNK]"),
]


def _in_graph(features):
    return tf.function(
        text_overlap.OverlapInGraph(features),
        input_signature=[tf.RaggedTensorSpec((None, None), tf.string)] * 2,
    )


def _ragged(token_lists):
    return tf.RaggedTensor.from_row_lengths(
        tf.constant(
            [t.encode() for tokens in token_lists for t in tokens], tf.string
        ),
        tf.constant([len(tokens) for tokens in token_lists], tf.int64),
    )


def _assert_equal(features, in_graph, questions, answers):
    n = len(questions)
    found = in_graph(_ragged(questions), _ragged(answers)).numpy()
    expected = features.pairs(
        [*questions, *answers], np.arange(n), np.arange(n, 2 * n)
    )
    assert found.shape == (n, 4)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)
    return found


def test_a_batch_by_hand():
    features = OverlapFeatures({"whale": 2, "the": 8, "sea": 4, "ship": 1}, 8)
    questions = [
        ["the", "whale", "?"],
        [],
        ["whale"],
        ["the", "."],
        ["kraken", "sea", "kraken"],
    ]
    answers = [
        ["the", "white", "whale", "the", "."],
        [],
        [],
        ["the"],
        ["kraken", "漢"],
    ]
    ln2 = math.log(2)
    expected = [
        # The rows share {the, whale}, none, none, {the} and {kraken}, and
        # have 3 + 4, 0, 1, 2 + 1 and 2 + 2 different words; of these are
        # 1 + 2, 0, 1, 0 and 2 + 2 no stop words.
        [2 / 7, 2 * ln2 / 7, 1 / 3, 2 * ln2 / 3],
        [0, 0, 0, 0],
        [0, 0, 0, 0],
        [1 / 3, 0, 0, 0],
        [1 / 4, 3 * ln2 / 4, 1 / 4, 3 * ln2 / 4],
    ]
    found = _assert_equal(features, _in_graph(features), questions, answers)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


FEATURES = {
    "fitted": OverlapFeatures.fit(
        [AWKWARD[i : i + 9] for i in range(len(AWKWARD))]
    ),
    "nothing counted": OverlapFeatures({}, 1),
    "no stop words": OverlapFeatures({"the": 3, "whale": 1}, 5, ()),
    "empty word": OverlapFeatures({"": 2, "é": 3}, 4, ["", "é", "\n"]),
}


@pytest.fixture(scope="module", params=FEATURES)
def both(request):
    features = FEATURES[request.param]
    return features, _in_graph(features)


def test_awkward_words_in_random_order(both):
    rng = np.random.default_rng(0)
    texts = [
        [str(word) for word in rng.choice(np.array(AWKWARD, object), length)]
        for length in rng.integers(0, 30, 4000)
    ]
    found = _assert_equal(*both, texts[::2], texts[1::2])
    assert (found[:, 0] > 0).sum() > 1000


def test_each_word_alone(both):
    _assert_equal(*both, [[w] for w in AWKWARD], [[w] for w in AWKWARD])


def test_no_pairs(both):
    _assert_equal(*both, [], [])


def test_empty_texts_only(both):
    found = _assert_equal(*both, [[], []], [[], []])
    np.testing.assert_array_equal(found, np.zeros((2, 4)))


_TOKENS = st.lists(st.sampled_from(AWKWARD) | st.text(max_size=4), max_size=15)


@hypothesis.settings(max_examples=50, deadline=None)
@hypothesis.given(st.lists(st.tuples(_TOKENS, _TOKENS), max_size=30))
def test_fuzzed_words(both, pairs):
    _assert_equal(*both, [q for q, _ in pairs], [a for _, a in pairs])


@hypothesis.settings(max_examples=10, deadline=None)
@hypothesis.given(
    st.lists(_TOKENS, min_size=1, max_size=20),
    st.lists(st.sampled_from(AWKWARD), max_size=5),
)
def test_fuzzed_counts(documents, stop_words):
    features = OverlapFeatures.fit(documents, stop_words)
    _assert_equal(features, _in_graph(features), documents, documents[::-1])


def test_every_code_point_is_classed_alike():
    """Pairs of one shared character, a stop word or not."""
    features = OverlapFeatures({}, 3)
    points = [
        chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000
    ]
    texts = _ragged([[c] for c in points])
    found = _in_graph(features)(texts, texts).numpy()
    expected = [0 if features.is_stop_word(c) else 0.5 for c in points]
    np.testing.assert_array_equal(found[:, 2], expected)


def test_ten_thousand_words():
    rng = np.random.default_rng(0)
    words = [*AWKWARD, *(f"word{i}" for i in range(8000))]
    texts = [
        [str(word) for word in rng.choice(np.array(words, object), 10_000)]
        for _ in range(4)
    ]
    features = OverlapFeatures.fit([*texts, *([w] for w in words)])
    in_graph = _in_graph(features)
    _assert_equal(features, in_graph, texts, [*texts[1:], AWKWARD])


def test_the_tables_are_in_the_graph():
    """Nothing is left to the tables of the machine that runs the graph."""
    function = _in_graph(FEATURES["fitted"]).get_concrete_function()
    operations = {node.op: node for node in function.graph.as_graph_def().node}
    pattern = operations["StaticRegexFullMatch"].attr["pattern"].s.decode()
    assert not {r"\w", r"\d", r"\s", r"\p", "[:"} & {
        pattern[i : i + 2] for i in range(len(pattern))
    }
    assert not {"PyFunc", "EagerPyFunc"} & set(operations)
