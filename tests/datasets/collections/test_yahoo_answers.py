"""The reader of Yahoo! Answers on questions written in its format."""

import bz2
import gzip
from pathlib import Path

import pytest

from keras_qa.datasets.collections.yahoo_answers import find_yahoo_answers
from keras_qa.datasets.collections.yahoo_answers import read_yahoo_answers
from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.errors import DatasetError

CORPUS = Path(__file__).parents[2] / "data/YahooL6/FullOct2007.xml"


def test_subject_and_best_answer():
    assert list(read_yahoo_answers(CORPUS)) == [
        Question("101", "How long do koalas sleep?", (
            Candidate("0000", "A koala sleeps up to 20 hours a day. Its food "
                "gives it little energy & much work.", 1),)),
        Question("102", "¿Dónde está Montevideo?", (
            Candidate("0000", "En Uruguay.", 1),)),
        Question("104", "What do koalas eat?", (
            Candidate("0000", "They eat the leaves of eucalyptus trees.", 1),)),
    ]  # fmt: skip


def test_details_behind_the_subject():
    texts = [q.text for q in read_yahoo_answers(CORPUS, content=True)]
    assert texts == [
        "How long do koalas sleep? My son asked me. Any ideas?",
        "¿Dónde está Montevideo?",
        "What do koalas eat?",
    ]


def test_elements_inside_a_text_do_not_end_it(tmp_path):
    path = tmp_path / "FullOct2007.xml"
    text = CORPUS.read_text("utf-8")
    old = "How long do koalas sleep?"
    assert text.count(old) == 1
    path.write_text(text.replace(old, "How <b>long</b> do they?"), "utf-8")
    assert next(read_yahoo_answers(path)).text == "How long do they?"


@pytest.mark.parametrize(
    ("arguments", "ids"),
    [
        ({"categories": ["Travel"]}, ["102"]),
        ({"categories": {"Science & Mathematics", ""}}, ["101", "104"]),
        ({"languages": ["en"]}, ["101"]),
        ({"languages": ["en", "es"], "categories": ["Travel"]}, ["102"]),
        ({"languages": []}, []),
    ],
)
def test_some_of_the_questions(arguments, ids):
    assert [q.id for q in read_yahoo_answers(CORPUS, **arguments)] == ids


# The parts of the published corpus divide it anywhere.
@pytest.mark.parametrize("at", [1, 60, 450, 700, 1500])
def test_two_compressed_parts_are_one_file(tmp_path, at):
    data = CORPUS.read_bytes()
    first = tmp_path / "FullOct2007.xml.part1.gz"
    second = tmp_path / "FullOct2007.xml.part2.bz2"
    first.write_bytes(gzip.compress(data[:at]))
    second.write_bytes(bz2.compress(data[at:]))
    parts = find_yahoo_answers(tmp_path)
    assert parts == [first, second]
    whole = list(read_yahoo_answers(CORPUS))
    assert list(read_yahoo_answers(*parts)) == whole


def test_finding_the_files(tmp_path):
    with pytest.raises(DatasetError, match=r"part2, plain.*Received: neither"):
        find_yahoo_answers(tmp_path)
    (tmp_path / "FullOct2007.xml.part2").touch()
    with pytest.raises(DatasetError, match=r"Received: Full.*part2"):
        find_yahoo_answers(tmp_path)
    (tmp_path / "FullOct2007.xml.bz2").touch()
    assert [p.name for p in find_yahoo_answers(tmp_path)] == [
        "FullOct2007.xml.bz2"
    ]


def test_errors_name_part_and_line(tmp_path):
    lines = CORPUS.read_bytes().splitlines(keepends=True)
    first, second = tmp_path / "part1", tmp_path / "part2"
    first.write_bytes(b"".join(lines[:11]))
    second.write_bytes(b"".join([*lines[11:14], b"<oops>\n", *lines[14:]]))
    with pytest.raises(DatasetError, match=r"part2:\d+: expected well-formed"):
        list(read_yahoo_answers(first, second))
    second.write_bytes(b"".join([*lines[11:14], b"</oops>\n", *lines[14:]]))
    with pytest.raises(DatasetError, match=r"part2:4: .*mismatched tag: line"):
        list(read_yahoo_answers(first, second))
    second.write_bytes(b"".join(lines[11:-1]))
    with pytest.raises(DatasetError, match=r"part2:\d+: .*no element found"):
        list(read_yahoo_answers(first, second))
    second.write_bytes(gzip.compress(second.read_bytes())[:-9])
    with pytest.raises(DatasetError, match=r"part2\.gz:\d+: expected well-f"):
        list(read_yahoo_answers(first, second.rename(tmp_path / "part2.gz")))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("<ystfeed>", "<ystfeed>&lol;", r"\.xml:2: .*undefined entity"),
        ("<uri>102", "<uri>1 02", r"\.xml:1\d: .*id without white.*'1 02'"),
        ("</document></vespaadd>", "<document/>", r"11: expected </document>"),
    ],
)
def test_bad_documents(tmp_path, old, new, message):
    path = tmp_path / "bad.xml"
    path.write_text(CORPUS.read_text("utf-8").replace(old, new, 1), "utf-8")
    with pytest.raises(DatasetError, match=message):
        list(read_yahoo_answers(path))


@pytest.mark.parametrize(
    "declaration",
    [
        '<!ENTITY lol "ha"><!ENTITY bomb "&lol;&lol;">',
        '<!ENTITY bomb SYSTEM "/etc/passwd">',
        '<!ENTITY % parameter SYSTEM "http://127.0.0.1/">%parameter;',
    ],
)
def test_entities_are_refused(tmp_path, declaration):
    path = tmp_path / "bomb.xml"
    path.write_text(
        f"<!DOCTYPE ystfeed [{declaration}]><ystfeed><document>"
        "<subject>&bomb;</subject></document></ystfeed>"
    )
    with pytest.raises(DatasetError, match=r"bomb\.xml:1: .*without entities"):
        list(read_yahoo_answers(path))


def test_a_text_without_end(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "keras_qa.datasets.collections.yahoo_answers._MAX_CHARACTERS", 1000
    )
    path = tmp_path / "long.xml"
    path.write_text(f"<a><document><subject>{'word ' * 201}")
    with pytest.raises(DatasetError, match="expected a shorter document"):
        list(read_yahoo_answers(path))


def test_no_question_at_all(tmp_path):
    path = tmp_path / "other.xml"
    path.write_text("<html><document><uri>1</uri></document></html>")
    message = "at least one <document> with uri, subject, bestanswer.*'none'"
    with pytest.raises(DatasetError, match=message):
        list(read_yahoo_answers(path))
