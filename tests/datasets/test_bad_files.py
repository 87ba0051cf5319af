"""Files that were found, or made, to break a reader; each is refused."""

import bz2
import gzip
import json
import pickle
import time

import pytest

from keras_qa.datasets.collections.insuranceqa import InsuranceQA
from keras_qa.datasets.collections.quasar import read_quasar
from keras_qa.datasets.collections.semeval import read_semeval
from keras_qa.datasets.collections.yahoo_answers import read_yahoo_answers
from keras_qa.datasets.collections.yahooqa import YahooQA
from keras_qa.datasets.dataset import Dataset
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.tabular import read_tabular
from keras_qa.errors import DatasetError
from keras_qa.files.json_stream import read_array
from keras_qa.files.plain_pickle import loads
from keras_qa.files.text_files import read_lines
from keras_qa.text.overlap import OverlapFeatures
from keras_qa.text.vocabulary import Vocabulary


@pytest.fixture
def written(tmp_path):
    def write(content, name="file"):
        path = tmp_path / name
        raw = content if isinstance(content, bytes) else content.encode()
        path.write_bytes(raw)
        return path

    return write


# === Folds, vocabulary, overlap ===


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"1\ttrain\n2\t\xff\n", r"file:2: expected UTF-8 text"),
        (b"1\ttrain\n2\ttest\n", r"file:2: expected `question id<TAB>train\|"),
        (b"1\ttrain\n1\tdev\n", r"file:2: expected each question in one fold"),
        (b"1\ttrain\n", r"file: expected a line for each.*none for '2'"),
    ],
)
def test_folds(written, content, message):
    questions = [Question("1", "a", ("b",)), Question("2", "b", ("c",))]
    dataset = Dataset(
        "x", {"train": lambda: iter(questions)}, folds=written(content)
    )
    with pytest.raises(DatasetError, match=message):
        dataset.held_out_fold()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"who\n\xff\n", r"file:2: expected UTF-8 text"),
        (b"who\nwrote\nwho\n", r"file:3: expected distinct words, .*'who'"),
        (b"who\n\nwrote\n", r"file:2: expected distinct words.*Received: ''"),
        (b"[UNK]\n", r"file:1: expected distinct words"),
        (b"who\nwro", r"file:2: expected a line end.*Received: b'wro'"),
    ],
)
def test_vocabularies(written, content, message):
    with pytest.raises(DatasetError, match=message):
        Vocabulary.load(written(content))


def test_a_missing_vocabulary(tmp_path):
    with pytest.raises(DatasetError, match=r"none:1: expected a readable file"):
        Vocabulary.load(tmp_path / "none")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("documents", float("nan")),
        ("documents", 2.5),
        ("stop_words", "the"),
        ("stop_words", [1]),
        ("document_frequencies", {"a": float("nan")}),
        ("document_frequencies", ["a"]),
        ("\ud800" * 1000, 1),
    ],
)
def test_overlap_counts(written, name, value):
    good = {"documents": 3, "stop_words": [], "document_frequencies": {"a": 1}}
    path = written(json.dumps(good))
    assert OverlapFeatures.load(path).documents == 3
    path = written(json.dumps(good | {name: value}))
    with pytest.raises(
        DatasetError, match=r"file: expected what.*Rec"
    ) as error:
        OverlapFeatures.load(path)
    assert len(str(error.value).encode()) < 1000


def test_json_nested_too_deep(written):
    for content in ("[" * 100_000, '{"a":' * 100_000):
        with pytest.raises(DatasetError, match=r"file: expected what"):
            OverlapFeatures.load(written(content))


# === JSON ===


def test_short_items_behind_a_long_one_take_no_time(written):
    items = ",".join(["1"] * 50_000)
    path = written(f'{{"data": ["{"x" * 2**22}",{items}]}}')
    started = time.process_time()
    assert sum(1 for _ in read_array(path, "data")) == 50_001
    # Copied for each item, four megabytes take minutes.
    assert time.process_time() - started < 10


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{1: 2}", r"a name, character 3: expected a string. Received: 1"),
        (f'{{"{"x" * 9999}" 2}}', r"behind 'xxx[x.]*', char.*expected ':'"),
        (f'{{"{"x" * 9999}": [}}', r"file:'xxx[x.]*', char.*expected JSON"),
    ],
)
def test_names_in_json(written, content, message):
    with pytest.raises(DatasetError, match=message) as error:
        list(read_array(written(content), "data"))
    assert len(str(error.value)) < 1000


def test_messages_are_short_whatever_the_ids_are(written):
    uid = "s" * 5000
    asked = {"uid": uid, "question": "who", "answer": "x"}
    found = {"uid": "other", "contexts": []}
    with pytest.raises(DatasetError, match=r"contexts:1: expected") as error:
        list(
            read_quasar(
                written(json.dumps(asked), "questions"),
                written(json.dumps(found), "contexts"),
            )
        )
    assert len(str(error.value)) < 1000


def test_a_long_answer_is_looked_for_once(written):
    words = " ".join(f"w{i}" for i in range(30_000))
    asked = {"uid": "s", "question": "who", "answer": f"{words} last"}
    passage = "a " * 300_000 + words
    found = {"uid": "s", "contexts": [[1.0, passage], [0.5, f"{words} last."]]}
    questions = written(json.dumps(asked), "questions")
    contexts = written(json.dumps(found), "contexts")
    started = time.process_time()
    (question,) = read_quasar(questions, contexts)
    assert [c.label for c in question.candidates] == [0, 1]
    assert time.process_time() - started < 10


# === XML ===


@pytest.mark.parametrize("read", [read_semeval, read_yahoo_answers])
def test_xml_that_declares_values_of_attributes(written, read):
    # A tag of four bytes would stand for a megabyte.
    declaration = f"<!DOCTYPE xml [<!ATTLIST a b CDATA '{'x' * 2**16}'>]>"
    path = written(f"{declaration}\n<xml>{'<a/>' * 1000}</xml>")
    with pytest.raises(DatasetError, match=r"file:1: expected a file without"):
        list(read(path))


@pytest.mark.parametrize("read", [read_semeval, read_yahoo_answers])
@pytest.mark.parametrize("begin", ["<!--", "<a b='"])
def test_xml_with_a_tag_that_does_not_end(written, read, begin):
    packed = gzip.compress(f"<xml>{begin}".encode())
    packed += gzip.compress(b"x" * 2**20) * 20
    path = written(packed, "file.gz")
    with pytest.raises(DatasetError, match=r"file.gz:1: expected a shorter"):
        list(read(path))


# === Tables ===


@pytest.mark.slow
def test_a_row_that_does_not_end(written):
    row = b'question,answer,label\n"' + b'","\n' * 2**13
    packed = gzip.compress(row) + gzip.compress(b'","\n' * 2**18) * 20
    path = written(packed, "file.csv.gz")
    with pytest.raises(DatasetError, match=r"file.csv.gz:\d+: expected"):
        list(read_tabular(path))


def test_words_of_insuranceqa_do_not_multiply(written):
    vocabulary = written(f"idx_1\tok\nidx_2\t{'x' * 10**6}\n", "vocabulary")
    answers = written(f"1\t{'idx_2 ' * 10**5}\n", "answers")
    with pytest.raises(DatasetError, match=r"vocabulary:2: expected a word of"):
        InsuranceQA(vocabulary, answers).answer_texts()


# === Pickles ===


def test_shared_answers_do_not_multiply(written):
    answers = [["an answer", 1]] * 1000
    path = written(pickle.dumps({"train": {str(i): answers for i in range(2)}}))
    assert len(list(YahooQA(path).questions("train"))) == 2
    many = {str(i): answers for i in range(1000)}
    path = written(pickle.dumps({"train": many}))
    with pytest.raises(DatasetError, match=r"question \d+: expected no more"):
        list(YahooQA(path).questions("train"))


def test_keys_whose_hashes_collide():
    assert loads(pickle.dumps({7: "a", 2**59: "b"})) == {7: "a", 2**59: "b"}
    modulus = 2**61 - 1
    collide = {i * modulus: 0 for i in range(1, 100)}
    with pytest.raises(pickle.UnpicklingError, match="int cannot be a key"):
        loads(pickle.dumps(collide))


# === Compressed files ===


@pytest.mark.parametrize(
    ("name", "pack"), [("a.gz", gzip.compress), ("a.bz2", bz2.compress)]
)
def test_files_that_unpack_out_of_all_proportion(written, name, pack):
    lines = (b"x" * 9999 + b"\n") * 2**7
    path = written(pack(lines) * 60, name)
    with pytest.raises(DatasetError, match=r"unpacks to more than \d+ bytes"):
        for _ in read_lines(path):
            pass
    # Small ones may be as regular as they like.
    assert sum(1 for _ in read_lines(written(pack(lines), name))) == 2**7
