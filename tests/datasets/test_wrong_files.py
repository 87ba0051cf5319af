"""The messages of wrong files of a user, word by word."""

from pathlib import Path

import pytest

from keras_qa.datasets.tabular import read_tabular
from keras_qa.errors import DatasetError

MESSAGES = Path(__file__).parents[1] / "data/wrong_files.txt"
HEADER = "question,answer,label\n"
TEXT = f"{HEADER}Warum?,Grün,1\n"
# Name and content.
FILES = {
    "another ending": ("train.txt", b""),
    "an Excel file": ("train.xlsx", b""),
    "an Excel file by another name": ("train.csv", b"PK\x03\x04\x14\0\6\0"),
    "JSON that is not in lines": ("train.json", b""),
    "another name of a column": ("train.csv", b"frage;antwort\na;b\n"),
    "the name twice": ("train.csv", b"Question,QUESTION,answer,label\n"),
    "another encoding": ("train.csv", TEXT.encode("cp1252")),
    "UTF-16": ("train.csv", TEXT.encode("utf-16")),
    "another label": ("train.csv", f"{HEADER}q,a,good\n".encode()),
    "a comma without quotes": ("train.csv", f"{HEADER}q,a, b,1\n".encode()),
    "a quote that does not end": ("train.csv", f'{HEADER}q,"a,1\n'.encode()),
    "the rows of a question apart": (
        "train.csv",
        f"{HEADER}q,a,1\nr,b,1\nq,c,0\n".encode(),
    ),
    "a header only": ("train.csv", HEADER.encode()),
    "an empty file": ("train.csv", b""),
    "a JSON array": ("train.jsonl", b'["question", "answer"]'),
    "text in place of JSON": ("train.jsonl", HEADER.encode()),
}


@pytest.mark.parametrize("kind", FILES)
def test_a_wrong_file_has_its_message(kind, tmp_path, monkeypatch):
    name, content = FILES[kind]
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(content)
    with pytest.raises(DatasetError) as caught:
        list(read_tabular(Path(name)))
    said = " ".join(MESSAGES.read_text("utf-8").split())
    assert f"{kind}: {caught.value} " in f"{said} "
