import gzip

import pytest

from keras_qa.errors import DatasetError
from keras_qa.files import text_files as files
from keras_qa.files.text_files import find_file
from keras_qa.files.text_files import read_lines
from keras_qa.files.text_files import shorten


def test_only_line_feeds_end_a_line(tmp_path):
    path = tmp_path / "a.txt"
    odd = "one\u2028two\x0bthree\x85four\rfive"
    path.write_bytes(f"\ufeff{odd}\r\n\nlast".encode())
    assert list(read_lines(path)) == [(1, odd), (2, ""), (3, "last")]


def test_gzip_reads_the_same(tmp_path):
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress("ä\nb\n".encode()))
    assert list(read_lines(path)) == [(1, "ä"), (2, "b")]


def test_errors_name_file_and_line(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"fine\nno \xff utf\n")
    with pytest.raises(
        DatasetError, match=r"a\.txt:2: expected UTF-8 text\. Received: b'no "
    ):
        list(read_lines(path))
    with pytest.raises(DatasetError, match=r"none\.txt:1: .*No such file"):
        list(read_lines(tmp_path / "none.txt"))
    with pytest.raises(DatasetError, match=":1: expected a readable file"):
        list(read_lines(tmp_path))


@pytest.mark.parametrize(
    "damage",
    [
        lambda whole: whole[:-12],
        lambda whole: b"not gzip at all",
        lambda whole: whole[:-6] + b"\0" * 6,
        lambda whole: whole[:20] + b"\xff" * 20 + whole[40:],
    ],
    ids=["truncated", "no gzip", "wrong checksum", "damaged"],
)
def test_damaged_gzip(tmp_path, damage):
    text = "".join(f"{i * i}\n" for i in range(1000))
    path = tmp_path / "a.gz"
    path.write_bytes(damage(gzip.compress(text.encode())))
    with pytest.raises(DatasetError, match=r"a\.gz:\d+: expected a readable"):
        list(read_lines(path))


def test_a_line_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MAX_LINE_BYTES", 100)
    path = tmp_path / "a.txt"
    path.write_bytes(b"x" * 99 + b"\n" + b"y" * 100)
    lines = read_lines(path)
    assert next(lines) == (1, "x" * 99)
    with pytest.raises(DatasetError, match=":2: expected a line of less than"):
        next(lines)


@pytest.mark.parametrize(
    ("encoding", "bad"),
    [
        ("cp1252", b"\x81"),
        ("ascii", b"\xe9"),
        ("shift_jis", b"\xff"),
        ("utf-16-be", b"\xd8\x00\x00a"),
    ],
)
def test_the_line_that_has_another_encoding(tmp_path, encoding, bad):
    lines = [f"line {i}\n".encode(encoding) for i in range(5000)]
    lines[3000] = "it ".encode(encoding) + bad + lines[3000]
    (path := tmp_path / "a.txt").write_bytes(b"".join(lines))
    with pytest.raises(DatasetError, match=rf":3001: .* {encoding} text"):
        list(read_lines(path, encoding))


def test_find_file_prefers_the_plain_one(tmp_path):
    assert find_file(tmp_path, "a") is None
    (tmp_path / "a.gz").touch()
    assert find_file(tmp_path, "a") == tmp_path / "a.gz"
    (tmp_path / "a").touch()
    assert find_file(tmp_path, "a") == tmp_path / "a"


def test_shorten_survives_anything():
    endless = []
    endless.append(endless)
    assert shorten("short") == "'short'"
    assert len(shorten("long" * 1000)) < 100
    assert len(shorten([["x" * 1000] * 1000] * 1000)) == 300
    assert shorten([10**5000, 7]) == "[<integer of 16610 bits>, 7]"
    assert shorten(endless)


@pytest.mark.parametrize("encoding", [None, "utf-8", "utf-16", "latin-1"])
@pytest.mark.parametrize("start", [b"PK\x03\x04", b"\xd0\xcf\x11\xe0"])
def test_an_excel_file_is_no_text(start, encoding, tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(start + bytes(20))
    with pytest.raises(DatasetError, match=r"a\.txt:1: .* save .* as CSV"):
        list(read_lines(path, encoding))


@pytest.mark.parametrize("encoding", [None, "utf-8", "latin-1"])
def test_a_packed_file_of_another_name(encoding, tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(gzip.compress(b"question,answer\n"))
    with pytest.raises(DatasetError, match=r"is a gzip, to a\.csv\.gz\."):
        list(read_lines(path, encoding))
    path.write_bytes(b"\x28\xb5\x2f\xfd\x04\x00")
    with pytest.raises(DatasetError, match="by `zstd -d`"):
        list(read_lines(path, encoding))
