"""The reader of QUASAR-T on questions written in its format."""

import gzip
import shutil
from pathlib import Path

import pytest

from keras_qa.datasets.collections.quasar import read_quasar
from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.registry import open_dataset
from keras_qa.errors import DatasetError

DATA = Path(__file__).parents[2] / "data"
FOLDER = DATA / "quasar-t"
FILES = (
    FOLDER / "questions/train_questions.json",
    FOLDER / "contexts/short/train_contexts.json",
)


def labels(*arguments, **options):
    return [
        [c.label for c in q.candidates]
        for q in read_quasar(*arguments, **options)
    ]


@pytest.fixture
def copies(tmp_path):
    return [Path(shutil.copy(path, tmp_path)) for path in FILES]


def test_passages_are_right_if_they_contain_the_answer():
    first, *_ = read_quasar(*FILES)
    assert first == Question(
        "s0q1",
        "Which animal sleeps up to 20 hours a day ?",
        (
            Candidate(
                "0000", "A Koala , of all animals , sleeps the longest .", 1
            ),
            Candidate("0001", "The sloth sleeps 15 hours .", 0),
            Candidate("0002", "koalas sleep up to 20 hours a day", 0),
        ),
    )


def test_words_or_characters():
    # "koala" is in "koalas", "art" in "party" and "part".
    assert labels(*FILES) == [[1, 0, 0], [1, 0, 0], [0, 0]]
    characters = labels(*FILES, relevance="characters")
    assert characters == [[1, 0, 1], [1, 0, 0], [1, 1]]


def test_missed_where_no_passage_is_right():
    assert [q.missed for q in read_quasar(*FILES)] == [0, 0, 1]
    dataset = open_dataset("quasar-t", DATA)
    assert [q.missed for q in dataset.questions("test")] == [0, 1]
    cut = open_dataset("quasar-t", DATA, pool_size=1)
    assert [q.missed for q in cut.questions("test")] == [1, 1]
    assert [len(q.candidates) for q in cut.questions("test")] == [1, 1]


def test_long_passages():
    dataset = open_dataset("quasar-t", DATA, contexts="long")
    (question,) = dataset.questions("dev")
    (candidate,) = question.candidates
    assert candidate.text.endswith("The river is wide .")
    assert candidate.label == 1


def test_gzipped_as_published(tmp_path):
    expected = list(read_quasar(*FILES))
    packed = []
    for path in FILES:
        packed.append(tmp_path / f"{path.name}.gz")
        packed[-1].write_bytes(gzip.compress(path.read_bytes()))
    assert list(read_quasar(*packed)) == expected


def test_an_answer_without_words_is_nowhere(copies):
    questions, contexts = copies
    text = questions.read_text().replace('"koala"', '" "')
    questions.write_text(text)
    assert labels(questions, contexts)[0] == [0, 0, 0]
    characters = labels(questions, contexts, relevance="characters")
    assert characters[0] == [0, 0, 0]


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        (0, '"uid": "s0q2"', '"uid": "s 2"', r"ions\.json:2: .*without white"),
        (0, '"uid": "s0q2"', '"uid": 7', r"ions\.json:2: expected `uid`.*7"),
        (0, '"answer": "art"', '"answers": []', r"3: expected `answer` to be"),
        (0, '"question": "What', '"q": "What', r":3: expected `question` to"),
        (1, '"uid": "s0q2"', '"uid": "s0q1"', r"texts\.json:2: .*uid 's0q2'"),
        (1, "[[9.5, \"A Koala", "[[\"A Koala", r"1: .*pairs \[score, passage"),
        (1, '"contexts": [[9.5, "E', '"c": [[1, "E', r":2: expected `contexts"),
        (1, '[9.5, "Emma', '[9.5, 3], [1, "Emma', r":2: expected the passage"),
        (1, '{"uid": "s1q7"', '["s1q7"]{', r"texts\.json:3: .*JSON object"),
    ],
)  # fmt: skip
def test_bad_lines(copies, file, old, new, message):
    text = copies[file].read_text()
    assert old in text
    copies[file].write_text(text.replace(old, new))
    with pytest.raises(DatasetError, match=message):
        list(read_quasar(*copies))


def test_files_that_do_not_belong_together(copies):
    questions, contexts = copies
    lines = questions.read_text().splitlines(keepends=True)
    questions.write_text("".join(lines[:2]))
    with pytest.raises(DatasetError, match=r"contexts\.json: .*Received: more"):
        list(read_quasar(questions, contexts))
    questions.write_text("".join([*lines, lines[0].replace("s0q1", "new")]))
    with pytest.raises(DatasetError, match=r"questions\.json: .*as many lines"):
        list(read_quasar(questions, contexts))
    questions.write_text("".join([lines[0]] * 2))
    contexts.write_text(FILES[1].read_text().splitlines()[0] + "\n" * 2)
    with pytest.raises(DatasetError, match=r"as many lines"):
        list(read_quasar(questions, contexts))
    contexts.write_text((FILES[1].read_text().splitlines()[0] + "\n") * 2)
    with pytest.raises(DatasetError, match=r"ions\.json:2: .*another uid"):
        list(read_quasar(questions, contexts))


def test_options():
    with pytest.raises(ValueError, match=r"`relevance` must be.*'stems'"):
        next(read_quasar(*FILES, relevance="stems"))
    with pytest.raises(ValueError, match=r"`most` must be a positive.*most=0"):
        next(read_quasar(*FILES, most=0))
    with pytest.raises(ValueError, match=r"`relevance` must be.*'stems'"):
        open_dataset("quasar-t", DATA, relevance="stems")
    with pytest.raises(ValueError, match=r"`contexts` must be.*'medium'"):
        open_dataset("quasar-t", DATA, contexts="medium")
