"""A user's questions: with labels and without, and their parts."""

from dataclasses import replace

import pytest

from keras_qa.datasets.columns import Columns
from keras_qa.datasets.dataset import Question
from keras_qa.errors import DatasetError
from keras_qa.own_data.questions import divide
from keras_qa.own_data.questions import mixed
from keras_qa.own_data.questions import read_questions
from keras_qa.own_data.settings import TrainSettings
from support.own_data import write_table

pytestmark = pytest.mark.once


def test_what_is_no_file_is_named(tmp_path):
    with pytest.raises(DatasetError, match=f"{tmp_path}, which is a folder"):
        read_questions(tmp_path)
    with pytest.raises(DatasetError, match="no, which does not exist"):
        read_questions(tmp_path / "no")


def test_labels_are_found_by_the_column(tmp_path):
    labelled = write_table(tmp_path / "a.csv", range(2))
    assert [len(q.negatives) for q in read_questions(labelled)] == [1, 1]
    alone = write_table(tmp_path / "b.csv", range(2), labels=False)
    assert [len(q.positives) for q in read_questions(alone)] == [1, 1]
    with pytest.raises(DatasetError, match="a column 'good'"):
        read_questions(alone, {"columns": Columns(label="good")})


def test_another_column_may_hold_the_labels(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("doc_id,question,answer,good\n1,a,b,1\n1,a,c,0\n")
    with pytest.raises(DatasetError, match=r"'label'.*--no-labels.*'good'"):
        read_questions(path)
    path.write_text("doc_id,question,answer\n1,a,b\n")
    assert read_questions(path)[0].candidates[0].label == 1


@pytest.mark.parametrize("name", ["valid", "is_valid", "paid", "VALID", ""])
def test_labels_may_have_a_name_that_ends_like_that_of_ids(tmp_path, name):
    path = tmp_path / "a.csv"
    path.write_text(f"question,answer,{name}\na,b,1\na,c,0\n")
    with pytest.raises(DatasetError, match=r"a column 'label'.*--no-labels"):
        read_questions(path)


@pytest.mark.parametrize(
    "name", ["id", " ID", "qid", "doc_id", "doc-ID", "Doc Id", "QuestionID"]
)
def test_columns_of_ids_hold_no_labels(tmp_path, name):
    path = tmp_path / "a.csv"
    path.write_text(f"question,answer,{name}\na,b,1\na,c,0\n")
    assert len(read_questions(path)[0].positives) == 2


@pytest.mark.parametrize("name", ["label", "good"])
def test_no_record_of_pairs_alone_may_have_labels(tmp_path, name):
    path = tmp_path / "a.jsonl"
    first = '{"question": "q", "answer": "a"}\n'
    path.write_text(f'{first}{{"question": "q", "answer": "b", "{name}": 0}}')
    with pytest.raises(
        DatasetError, match=rf"a\.jsonl:2: .*--no-labels.*'{name}'"
    ):
        read_questions(path)
    pairs = read_questions(path, {"columns": Columns(label=None)})
    assert len(pairs[0].positives) == 2
    path.write_text(f'{first}{{"question": "q", "answer": "b", "row_id": 0}}')
    assert len(read_questions(path)[0].positives) == 2


def test_a_text_that_is_right_is_not_wrong(tmp_path):
    path = tmp_path / "a.csv"
    rows = [
        f"answer {i}?,an answer {i},{label}"
        for i in range(9)
        for label in (0, 1)
    ]
    path.write_text("\n".join(["question,answer,label", *rows, "a?,b,0"]))
    parts = divide(read_questions(path), None, TrainSettings(), 0)
    assert parts.mined
    assert (parts.unanswered, parts.repeated) == (1, 9)
    path.write_text(path.read_text().replace(",0", " ,0"))
    assert divide(read_questions(path), None, TrainSettings(), 0).repeated == 9
    path.write_text("question,answer,label\na,b,0\na,c,0\n")
    with pytest.raises(DatasetError, match=r"labelled right.*--no-labels"):
        divide(read_questions(path), None, TrainSettings(), 0)


def test_tuples_are_no_questions():
    with pytest.raises(DatasetError, match=r"a list of.*Received: tuple \('q'"):
        read_questions([("q", "a", 1)])


def test_a_bad_label_is_no_missing_one(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("question,answer,label\na,b,1\na,c,maybe\n")
    with pytest.raises(DatasetError, match=r"a\.csv:3: expected a label"):
        read_questions(path)
    path.write_text("question,label\na,1\n")
    with pytest.raises(DatasetError, match="a column 'answer'"):
        read_questions(path)


def test_parts_share_no_question(tmp_path):
    questions = read_questions(write_table(tmp_path / "a.csv", range(50)))
    parts = divide(questions, None, TrainSettings(), seed=3)
    ids = [{q.id for q in p} for p in (parts.fit, parts.held_out, parts.dev)]
    assert [len(part) for part in ids] == [32, 8, 10]
    assert len(set.union(*ids)) == 50
    assert divide(questions, None, TrainSettings(), seed=3) == parts
    assert divide(questions, None, TrainSettings(), seed=4) != parts
    few = TrainSettings(most_held_out=4)
    assert len(divide(questions, None, few, seed=3).dev) == 4


def test_candidates_are_of_no_later_part(tmp_path):
    train = write_table(tmp_path / "a.csv", range(20), labels=False)
    dev = write_table(tmp_path / "b.csv", range(15, 25), labels=False)
    settings = TrainSettings(candidates=25)
    parts = divide(read_questions(train), read_questions(dev), settings, 0)
    assert parts.mined == ("train", "dev") and parts.shared == 5
    assert all(len(q.positives) == 1 for q in parts.dev)
    known: set[str] = set()
    for part in parts.fit, parts.held_out, parts.dev:
        known |= {c.text for q in part for c in q.positives}
        assert {c.text for q in part for c in q.candidates} == known


@pytest.mark.parametrize("mined", ["train", "dev"])
def test_one_file_may_have_wrong_answers(mined, tmp_path):
    train, dev = (
        read_questions(write_table(tmp_path / name, numbers, labels=labels))
        for name, numbers, labels in (
            ("a.csv", range(20), mined == "dev"),
            ("b.csv", range(20, 30), mined == "train"),
        )
    )
    parts = divide(train, dev, TrainSettings(candidates=99), 0)
    assert parts.mined == (mined,)
    if mined == "train":
        assert parts.dev == dev
    else:
        given = {q.id: q for q in train}
        assert all(given[q.id] == q for q in (*parts.fit, *parts.held_out))
        answers = {c.text for q in (*train, *dev) for c in q.candidates}
        assert {c.text for q in parts.dev for c in q.candidates} == answers


def test_a_file_with_wrong_answers_is_not_mined(tmp_path):
    questions = read_questions(write_table(tmp_path / "a.csv", range(20)))
    assert not divide(questions, None, TrainSettings(), 0).mined


@pytest.mark.parametrize("labels", [True, False])
def test_questions_of_dev_without_candidates_are_left_out(tmp_path, labels):
    train = write_table(tmp_path / "a.csv", range(20), labels=labels)
    dev = write_table(tmp_path / "b.csv", range(15, 25), labels=labels)
    given = [Question("x", "what is n15", ()), *read_questions(dev)]
    settings = TrainSettings(candidates=25)
    parts = divide(read_questions(train), given, settings, 0)
    assert [q.text for q in parts.dev] == [q.text for q in given[1:]]
    assert (parts.without_candidates, parts.shared) == (1, 5)
    with pytest.raises(DatasetError, match=r"and 0 of dev, .* none is in"):
        divide(read_questions(train), given[:1], settings, 0)


@pytest.mark.parametrize("name", ["label_id", "gradeId", "Relevance ID"])
def test_an_id_of_labels_is_no_id(tmp_path, name):
    path = tmp_path / "a.csv"
    path.write_text(f"question,answer,{name}\nq,a,1\nq,b,0\n")
    with pytest.raises(DatasetError, match="a column 'label'"):
        read_questions(path)


def test_no_part_is_mined_because_it_has_no_wrong_answer_by_chance(tmp_path):
    questions = read_questions(write_table(tmp_path / "a.csv", range(50)))
    right = [replace(q, candidates=tuple(q.positives)) for q in questions]
    for seed in range(5):
        with pytest.raises(DatasetError, match=r"4\d* .* `keras-qa mine`"):
            divide([questions[0], *right[1:]], None, TrainSettings(), seed)
    few = divide([*questions[:25], *right[25:]], None, TrainSettings(), 1)
    assert not few.mined
    parts = (few.fit, few.held_out, few.dev)
    assert len(mixed([q for part in parts for q in part])) == 25
    assert few.counts()["fit"]["mixed"] == len(mixed(few.fit)) < len(few.fit)


@pytest.mark.parametrize("part", ["train", "dev"])
def test_equal_ids_are_refused_before_anything_is_trained(tmp_path, part):
    given = read_questions(write_table(tmp_path / "a.csv", range(50)))
    parts = {"train": given[:40], "dev": given[40:]}
    parts[part] = [*parts[part], parts[part][0]]
    with pytest.raises(DatasetError, match="`questions` must have distinct id"):
        divide(parts["train"], parts["dev"], TrainSettings(), seed=3)


def labelled(path, *labels):
    rows = [
        f"what is q{i}?,it is a{i} {x},{x}" for i in range(30) for x in labels
    ]
    path.write_text("\n".join(["question,answer,label", *rows]))
    return path


def test_the_lowest_grade_is_not_right_in_silence(tmp_path):
    path = labelled(tmp_path / "a.csv", 1, 3)
    settings = TrainSettings()
    message = r"labels from 1 to 3 .*--right 3; .*--no-labels\)"
    with pytest.raises(DatasetError, match=f"in train.*{message}"):
        divide(read_questions(path), None, settings, 0)
    right = read_questions(path, {"right": ["3"]})
    assert not divide(right, None, settings, 0).mined
    pairs = read_questions(path, {"columns": Columns(label=None)})
    assert divide(pairs, None, settings, 0).mined
    ones = read_questions(labelled(tmp_path / "b.csv", 1))
    with pytest.raises(DatasetError, match=f"in dev.*{message}"):
        divide(ones, read_questions(path), settings, 0)
    assert divide(ones, None, settings, 0).mined
    mixed_grades = read_questions(labelled(tmp_path / "c.csv", 0, 2))
    assert divide(mixed_grades, read_questions(path), settings, 0).mined


def test_parts_are_as_the_settings_say(tmp_path):
    table = write_table(tmp_path / "a.csv", range(50), labels=False)
    settings = TrainSettings(dev_share=0.4, held_out=0.5, candidates=3)
    parts = divide(read_questions(table), None, settings, 0)
    sizes = [len(part) for part in (parts.fit, parts.held_out, parts.dev)]
    assert sizes == [15, 15, 20]
    assert {len(question.candidates) for question in parts.fit} == {3}


def test_candidates_are_found_by_the_tokeniser_s_words(tmp_path):
    path = tmp_path / "a.csv"
    rows = [f"what{i} ant?,it{i} ant." for i in range(20)]
    path.write_text("\n".join(["question,answer", *rows]))
    questions = read_questions(path)
    assert divide(questions, None, TrainSettings(), 0).mined
    # By white space alone, no answer has "ant?".
    settings = TrainSettings(tokenizer="whitespace")
    with pytest.raises(DatasetError, match="none is in the part 'fit'"):
        divide(questions, None, settings, 0)
