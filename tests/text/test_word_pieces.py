"""Word pieces: BERT's splitting, written out in plain Python."""

import sys
import unicodedata

import numpy as np
import pytest

from keras_qa.datasets.corpus import Corpus
from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.errors import RankerError
from keras_qa.text.notes import answer_notes
from keras_qa.text.reading import TextReading
from keras_qa.text.vocabulary import Vocabulary
from keras_qa.text.word_pieces import text_splitter
from keras_qa.text.word_pieces import word_tokenizer

pytest.importorskip("tokenizers")

PIECES = """
    [CLS] [SEP] [MASK] emma Emma wrote ##s ##ly ##e cafe café who ? . ' ’ [ ] -
    a b ab ##b 東 京 sep sun ü ##ü u
"""
PIECES = PIECES.split()
TEXTS = [
    *("Who wrote Emmas?", "cafe café CAFÉ", "emmaly-emma's", "", " \t\n"),
    *("[SEP] [PAD] a[CLS]b", "東京 ab abb bab", "emma\u200bs \x00a\ufffdb"),
    *("\ud800a \ufdd0b", "zebra " + "a" * 101, "u\u0308 ü Üü", "a\u00a0b."),
]


def split(text, uncased):
    """The pieces of a text, as BERT's paper and code describe them."""
    kept = ""
    for c in text:
        kind = unicodedata.category(c)
        if c in "\t\n\r" or kind == "Zs":
            kept += " "
        elif kind[0] != "C" and c != "\ufffd":
            kept += f" {c} " if "\u4e00" <= c <= "\u9fff" else c
    if uncased:
        kept = unicodedata.normalize("NFD", kept)
        kept = "".join(c for c in kept if unicodedata.category(c) != "Mn")
        kept = kept.lower()
    spread = "".join(
        f" {c} "
        if unicodedata.category(c)[0] == "P"
        or (c.isascii() and not c.isalnum() and c != " ")
        else c
        for c in kept
    )
    return [piece for word in spread.split() for piece in pieces_of(word)]


def pieces_of(word):
    if len(word) > 100:
        return ["[UNK]"]
    found, prefix = [], ""
    while word:
        ends = range(len(word), 0, -1)
        best = next(
            (prefix + word[:i] for i in ends if prefix + word[:i] in PIECES),
            None,
        )
        if best is None:
            return ["[UNK]"]
        found.append(best)
        word, prefix = word[len(best) - len(prefix) :], "##"
    return found


@pytest.mark.parametrize("name", ["wordpiece", "wordpiece-cased"])
def test_texts_are_split_as_bert_splits_them(name):
    pieces = text_splitter(name, Vocabulary(PIECES))
    for text in TEXTS:
        assert pieces(text) == split(text, name == "wordpiece"), text


def test_no_text_has_a_special_token():
    pieces = text_splitter("wordpiece", Vocabulary(PIECES))
    assert pieces("[SEP][UNK]") == ["[", "sep", "]", "[", "[UNK]", "]"]


def test_a_reading_cuts_pieces_and_a_copy_reads_alike(tmp_path):
    reading = TextReading(Vocabulary(PIECES), "wordpiece", 3, None)
    assert reading.tokens("question", "Emmas wrote?") == [
        "emma",
        "##s",
        "wrote",
    ]
    assert reading.tokens("answer", "Emmas wrote?")[-1] == "?"
    ids = reading.texts("answer", ["Emmas zebra"])[0]
    np.testing.assert_array_equal(ids, [2 + 3, 2 + 6, 1])
    reading.save(tmp_path)
    copy = TextReading.load(tmp_path)
    assert copy.tokenizer == "wordpiece"
    for text in TEXTS:
        assert copy.tokens("answer", text) == reading.tokens("answer", text)
    (note,) = answer_notes(reading, "Who wrote?", ["WHO wrote"])
    assert note.repeats_question


def test_a_text_of_fewer_characters_than_pieces_is_cut():
    # NFD divides a Hangul syllable.
    pieces = ["\u1112", "##\u1161", "##\u11ab"]
    reading = TextReading(Vocabulary([*PIECES, *pieces]), "wordpiece", 9, 2)
    assert len(reading.uncut("한")) == 3
    assert reading.is_cut("answer", "한")
    assert not reading.is_cut("question", "한")


def test_a_corpus_of_pieces():
    questions = [Question("1", "Who?", (Candidate("2", "Emmas a b", 1),))]
    vocabulary = Vocabulary(PIECES)
    corpus = Corpus(
        questions,
        tokenizer="wordpiece",
        max_answer_length=3,
        vocabulary=vocabulary,
    )
    assert corpus.vocabulary is vocabulary
    assert corpus.tokens == [["who", "?"], ["emma", "##s", "a"]]
    with pytest.raises(
        ValueError, match=r"`vocabulary` must be that of a BERT"
    ):
        Corpus(questions, tokenizer="wordpiece")
    # Words are numbered by a given vocabulary, too.
    corpus = Corpus(questions, vocabulary=Vocabulary(["a"]))
    np.testing.assert_array_equal(corpus.texts[1], [1, 2, 1])


def test_errors(monkeypatch):
    assert word_tokenizer("wordpiece-cased") == "word"
    assert word_tokenizer("whitespace") == "whitespace"
    with pytest.raises(RankerError, match=r"'wordpiece-cased'\).*'pieces'"):
        TextReading(Vocabulary([]), "pieces")
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(ImportError, match=r"pip install 'keras-qa\[bert\]'"):
        text_splitter("wordpiece", Vocabulary(PIECES))
