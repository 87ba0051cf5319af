import gzip
import shutil
from pathlib import Path

import pytest

from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.toks import FILES
from keras_qa.datasets.toks import is_toks_folder
from keras_qa.datasets.toks import read_toks
from keras_qa.errors import DatasetError

DATA = Path(__file__).parents[1] / "data"


@pytest.fixture
def folder(tmp_path):
    """A copy of a folder, to be damaged."""
    return Path(shutil.copytree(DATA / "TrecQA/raw-dev", tmp_path / "dev"))


def edit(path, line, text):
    lines = path.read_text("utf-8").split("\n")
    lines[line - 1] = text
    path.write_text("\n".join(lines), "utf-8")


def test_questions_candidates_labels_and_ids(folder):
    assert list(read_toks(folder)) == [
        Question(
            "11",
            "what do koalas eat ?",
            (
                Candidate("0000", "koalas live in australia .", 0),
                Candidate(
                    "0001", "koalas eat the leaves of eucalyptus trees .", 1
                ),
                Candidate("0002", "a koala sleeps 20 hours a day .", 0),
            ),
        ),
        Question(
            "11.2",
            "who painted guernica ?",
            (Candidate("0000", "pablo picasso painted guernica in 1937 .", 1),),
        ),
    ]


def test_gzipped_and_mixed_folders(folder):
    expected = list(read_toks(folder))
    for name in FILES:
        plain = folder / name
        zipped = folder / f"{name}.gz"
        zipped.write_bytes(gzip.compress(plain.read_bytes()))
        plain.unlink()
        assert is_toks_folder(folder)
        assert list(read_toks(folder)) == expected


def test_it_streams(folder):
    for name, text in zip(FILES, ("q", "a", "12", "broken"), strict=True):
        with (folder / name).open("a") as stream:
            stream.write(f"{text}\n")
    questions = read_toks(folder)
    assert next(questions).id == "11"
    with pytest.raises(DatasetError):
        next(questions)


def test_odd_line_separators_belong_to_the_text(folder):
    text = "koalas\u2028live\x85in \x0b australia ."
    edit(folder / "b.toks", 1, text)
    assert next(read_toks(folder)).candidates[0].text == text


def test_missing_file(folder):
    (folder / "sim.txt").unlink()
    assert not is_toks_folder(folder)
    with pytest.raises(
        DatasetError, match=r"dev: expected the files .* Received: \['a.toks'"
    ):
        list(read_toks(folder))


@pytest.mark.parametrize("name", FILES)
def test_a_shorter_file(folder, name):
    path = folder / name
    path.write_text("".join(path.read_text().splitlines(True)[:-1]))
    with pytest.raises(DatasetError, match=f"{name}:4: expected a line, as in"):
        list(read_toks(folder))


@pytest.mark.parametrize(
    ("name", "line", "text", "message"),
    [
        ("sim.txt", 2, "2", r"sim\.txt:2: expected a label, 0 or 1.*'2'"),
        ("sim.txt", 1, "", r"sim\.txt:1: expected a label"),
        ("id.txt", 1, "", r"id\.txt:1: expected an id without white space"),
        ("id.txt", 4, "1 1", r"id\.txt:4: expected an id without"),
        ("id.txt", 2, "12", r"id\.txt:3: .* neighbours.* Received: '11'"),
        ("a.toks", 3, "why ?", r"a\.toks:3: .*'11' as in line 1.*'why \?'"),
    ],
)
def test_bad_lines_are_named(folder, name, line, text, message):
    edit(folder / name, line, text)
    with pytest.raises(DatasetError, match=message):
        list(read_toks(folder))
