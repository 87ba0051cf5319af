import gzip
from pathlib import Path

import pytest

from keras_qa.datasets.collections.trecqa import both_labels_only
from keras_qa.datasets.collections.trecqa import read_trecqa_xml
from keras_qa.datasets.toks import read_toks
from keras_qa.errors import DatasetError

TRECQA = Path(__file__).parents[2] / "data/TrecQA"


def test_equals_the_tokenised_folder():
    questions = list(read_trecqa_xml(TRECQA / "TRAIN.xml"))
    ranked = [q for q in questions if q.candidates]
    assert ranked == list(read_toks(TRECQA / "train"))
    assert [q.label for q in ranked[0].candidates] == [1, 0, 0]


def test_questions_without_candidates_and_unescaped_text():
    *_, last = read_trecqa_xml(TRECQA / "TRAIN.xml")
    assert last.id == "9"
    assert last.candidates == ()
    assert last.text == "who said `` at&t < ibm '' ?"


def test_clean_keeps_questions_with_both_labels():
    raw = list(read_trecqa_xml(TRECQA / "DEV.xml"))
    assert [q.id for q in raw] == ["11", "11.2", "19"]
    assert list(both_labels_only(raw)) == list(read_toks(TRECQA / "clean-dev"))


def test_gzip(tmp_path):
    path = tmp_path / "TRAIN.xml.gz"
    path.write_bytes(gzip.compress((TRECQA / "TRAIN.xml").read_bytes()))
    assert list(read_trecqa_xml(path)) == list(
        read_trecqa_xml(TRECQA / "TRAIN.xml")
    )


def test_a_line_of_tokens_may_look_like_a_tag(tmp_path):
    path = tmp_path / "a.xml"
    path.write_text(
        "<QApairs id='1'>\n<question>\n<b>\t?\n</question>\n"
        "<positive>\n</p>\tx\n</positive>\n</QApairs>\n"
    )
    (question,) = read_trecqa_xml(path)
    assert question.text == "<b> ?"
    assert question.candidates[0].text == "</p> x"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("<QApairs id='1'>", "<QApairs>", ":1: expected <QApairs id='...'>"),
        ("<QApairs id='1'>\n", "", ":1: expected <QApairs.*'<question>'"),
        ("<QApairs id='1.2'>", "<QApairs id='1'>", "another id for each.*'1'"),
        ("<question>", "<answer>", ":2: expected <question>"),
        ("<positive>", "<posit>", ":9: expected <positive>, <negative> or"),
        ("</question>\n", "", ":8: expected </question>.*'<positive>'"),
        ("</positive>\n", "", ":17: expected </positive>.*'<negative>'"),
        ("</QApairs>\n", "", "expected <positive>, .*Received: .<QApairs id"),
    ],
)
def test_bad_lines_are_named(tmp_path, old, new, message):
    text = (TRECQA / "TRAIN.xml").read_text("utf-8")
    assert old in text
    path = tmp_path / "bad.xml"
    path.write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(DatasetError, match=r"bad\.xml:\d+: ") as error:
        list(read_trecqa_xml(path))
    error.match(message)


@pytest.mark.parametrize("tag", ["QApairs", "question"])
def test_end_of_file_names_the_open_tag(tmp_path, tag):
    text = (TRECQA / "TRAIN.xml").read_text("utf-8")
    path = tmp_path / "cut.xml"
    path.write_text(text[: text.index(f"</{tag}>")], "utf-8")
    line = {"QApairs": 1, "question": 2}[tag]
    with pytest.raises(
        DatasetError, match=f"cut.xml:{line}: expected </{tag}> for the tag"
    ):
        list(read_trecqa_xml(path))


@pytest.mark.parametrize("blank", ["", "\n", " \t\n"])
def test_empty_block(blank, tmp_path):
    path = tmp_path / "a.xml"
    path.write_text(
        f"<QApairs id='1'>\n<question>\n{blank}</question>\n</QApairs>\n"
    )
    with pytest.raises(DatasetError, match=":3: expected a line of tokens"):
        list(read_trecqa_xml(path))
