"""The reader of SQuAD on articles written in its format."""

import bz2
import gzip
import json
from pathlib import Path

import pytest

from keras_qa.datasets.collections.squad import Paragraph
from keras_qa.datasets.collections.squad import paragraph_texts
from keras_qa.datasets.collections.squad import read_paragraphs
from keras_qa.datasets.collections.squad import read_squad
from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.registry import open_dataset
from keras_qa.errors import DatasetError
from keras_qa.files import json_stream as json_files

DATA = Path(__file__).parents[2] / "data"
TRAIN = DATA / "SQuAD/train-v1.1.json"
DEV = DATA / "SQuAD/dev-v1.1.json"


def article(context="The text.", **question):
    asked = {"id": "a1", "question": "Why?", "answers": [], **question}
    return {"title": "T", "paragraphs": [{"context": context, "qas": [asked]}]}


def write(path, *articles):
    path.write_text(json.dumps({"version": "1.1", "data": list(articles)}))
    return path


def test_each_question_with_its_paragraph():
    paragraph = Candidate(
        "0-0",
        "The koala is a marsupial of Australia. It sleeps up to 20 hours a "
        "day.",
        1,
    )
    first, second, third, fourth = read_squad(TRAIN)
    assert first == Question(
        "56be4db0acb8001400a502ec", "How long do koalas sleep?", (paragraph,)
    )
    assert second.text == "Where do koalas live?"
    assert second.candidates == (paragraph,)
    assert [q.candidates[0].id for q in (third, fourth)] == ["0-1", "1-0"]
    assert fourth.candidates[0].text == (
        "Emma is a novel by Jane Austen.\nIt came out in 1815."
    )


def test_paragraphs_without_questions_are_documents():
    paragraphs = list(read_paragraphs(TRAIN))
    assert paragraphs[-1] == Paragraph(
        "1-1", "This paragraph was asked nothing about.", ()
    )
    texts = paragraph_texts(TRAIN, DEV, TRAIN)
    assert len(texts) == 6
    assert texts[:4] == [p.text for p in paragraphs]
    assert "“River of Silver”" in texts[4]


@pytest.mark.parametrize("chunk", [1, 7, 64])
def test_any_pieces_make_the_whole(tmp_path, monkeypatch, chunk):
    monkeypatch.setattr(json_files, "_CHUNK_BYTES", chunk)
    whole = json.loads(DEV.read_text("utf-8"))["data"]
    pretty = tmp_path / "dev.json.bz2"
    text = json.dumps({"data": whole}, indent=2, ensure_ascii=False)
    pretty.write_bytes(bz2.compress(f"\ufeff\n{text} \n".encode()))
    assert list(json_files.read_array(pretty, "data")) == [
        ("data[0]", whole[0])
    ]
    assert list(read_squad(pretty)) == list(read_squad(DEV))


@pytest.mark.parametrize("chunk", [1, 3, 99])
def test_other_members_and_scalars_are_passed_over(
    tmp_path, monkeypatch, chunk
):
    # A piece may end within a number, such as behind `1.`.
    monkeypatch.setattr(json_files, "_CHUNK_BYTES", chunk)
    path = tmp_path / "a.json"
    path.write_text(
        '{"a": {"data": [0]}, "n": 1.25e3, "data" : [12, -3.5 , "x", 1E+2], '
        '"b": []}'
    )
    assert list(json_files.read_array(path, "data")) == [
        ("data[0]", 12),
        ("data[1]", -3.5),
        ("data[2]", "x"),
        ("data[3]", 100.0),
    ]
    path.write_text('{"data": [ ]}')
    assert list(json_files.read_array(path, "data")) == []


def test_one_article_is_in_memory_at_a_time(tmp_path):
    path = tmp_path / "cut.json"
    whole = TRAIN.read_text("utf-8")
    path.write_text(whole[: whole.index("This paragraph")], "utf-8")
    questions = read_squad(path)
    assert [next(questions).id[-1] for _ in range(3)] == ["c", "d", "e"]
    with pytest.raises(DatasetError, match=r"data\[1\], character \d+: .*JSON"):
        next(questions)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"the beginning, character 1: expected '\{'.*'the end of the fil"),
        ("[]", r"character 1: expected '\{'\. Received: '\['"),
        ('{"version": "1.1"}', r"expected an array 'data'"),
        ('{"data": 3}', r"data, character 10: expected '\['. Received: '3'"),
        ('{"data": [3]', r"behind 'data', character 13: expected ',' or '\}'"),
        ('{"data": [3 4]}', r"behind data\[0\], character 13: expected ',' or"),
        ('{"data": [3,]}', r"data\[1\], character 13: expected JSON"),
        ('{"data": ["a\nb"]}', r"character 13: .*Invalid control character"),
        ('{"data": []} x', r"character 14: expected the end of the file"),
        ('{"data": [' + "[" * 10**5, r"data\[0\], .*expected JSON"),
        ('{"data": [1' + "0" * 5000 + "]}", r"data\[0\].*JSON \(Exceeds"),
    ],
)
def test_bad_json(tmp_path, text, message):
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(DatasetError, match=rf"bad\.json:.*{message}"):
        list(json_files.read_array(path, "data"))


def test_bad_bytes(tmp_path, monkeypatch):
    path = tmp_path / "bad.json"
    path.write_bytes(b'{"data": ["\xc3\xa4\xff"]}')
    with pytest.raises(DatasetError, match=r"character 13: expected UTF-8"):
        list(json_files.read_array(path, "data"))
    packed = tmp_path / "bad.json.gz"
    packed.write_bytes(gzip.compress(DEV.read_bytes())[:-9])
    with pytest.raises(DatasetError, match=r"gz:data: expected a readable"):
        list(read_squad(packed))
    monkeypatch.setattr(json_files, "_CHUNK_BYTES", 10)
    monkeypatch.setattr(json_files, "MAX_ITEM_CHARACTERS", 100)
    path.write_text(f'{{"data": ["{"word " * 100_000}"]}}')
    with pytest.raises(DatasetError, match=r"data\[0\], character 11: .*JSON"):
        list(json_files.read_array(path, "data"))


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ("text", r"data\[1\]\.paragraphs: expected an array.*'text'"),
        ({"paragraphs": {}}, r"data\[1\]\.paragraphs: expected an array"),
        ({"paragraphs": [7]}, r"paragraphs\[0\]\.context: expected a string"),
        ({"paragraphs": [{"context": ""}]}, r"\.qas: expected an array"),
        (article(question=None), r"qas\[0\]\.question: .*Received: None"),
        (article(question="\ud800"), r"question: .*text without surrogates"),
        (article(id="a 2"), r"qas\[0\]\.id: .*without blanks.*'a 2'"),
        (article(id="a0"), r"data\[1\].*id: expected an id of its own.*'a0'"),
        (article(is_impossible=True), r"a question of SQuAD 1\.1"),
    ],
)
def test_bad_articles(tmp_path, bad, message):
    path = write(tmp_path / "bad.json", article(id="a0"), bad)
    with pytest.raises(DatasetError, match=rf"bad\.json:.*{message}"):
        list(read_squad(path))


def test_every_fourth_article_is_for_dev(tmp_path):
    articles = [article(f"Text {i}.", id=f"q{i}") for i in range(5)]
    write(tmp_path / "dev-v1.1.json", *articles)
    squad = open_dataset("squad-articles", tmp_path)
    ids = {
        split: [question.id for question in squad.questions(split)]
        for split in ("train", "dev")
    }
    assert ids == {"train": ["q0", "q1", "q2", "q4"], "dev": ["q3"]}
    assert squad.documents["dev"]() == ["Text 3."]
    assert squad.answers() == ["Text 0.", "Text 1.", "Text 2.", "Text 4."]


def test_where_a_paragraph_is_to_be_found():
    squad = open_dataset("squad", DATA)
    assert squad.answers() == paragraph_texts(TRAIN, DEV)
    assert squad.documents["dev"]() == squad.documents["train"]()
    split = open_dataset("squad", DATA, paragraphs="split")
    assert split.documents["dev"]() == paragraph_texts(DEV)
    assert split.documents["train"]() == paragraph_texts(TRAIN)
    assert split.answers() == paragraph_texts(TRAIN, DEV)
    with pytest.raises(ValueError, match=r"`paragraphs` must be.*='none'"):
        open_dataset("squad", DATA, paragraphs="none")
