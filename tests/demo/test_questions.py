"""The sample questions of a page."""

import json

import pytest

from keras_qa.demo.questions import read_shown
from keras_qa.errors import DatasetError
from support.own_data import write_table


def test_without_a_table_they_are_the_bundled_ones():
    shown = read_shown()
    assert (shown.dataset, shown.split) == ("sample", "dev")
    entries = shown.to_json(40)
    assert len(entries) == 40
    assert {a["right"] for q in entries for a in q["answers"]} == {True, False}


def test_a_table_of_labelled_answers(tmp_path):
    path = write_table(tmp_path / "faq.csv", range(5))
    shown = read_shown(path)
    assert (shown.dataset, shown.split) == ("faq.csv", "all")
    assert shown.to_json(3) == [
        {
            "question": f"what is thing number n{i} of the list",
            "answers": [
                {"text": f"the thing n{i} is a w{i % 7}", "right": True},
                {"text": f"the list has w{i % 5} things", "right": False},
            ],
        }
        for i in (0, 1, 3)
    ]


def test_what_bm25_finds_for_pairs_is_not_known_to_be_wrong(tmp_path):
    path = write_table(tmp_path / "faq.csv", range(5), labels=False)
    shown = read_shown(path)
    assert not shown.labelled
    for i, entry in enumerate(shown.to_json(40)):
        right = {a["text"]: a["right"] for a in entry["answers"]}
        assert right.pop(f"the thing n{i} is a w{i % 7}") is True
        assert set(right.values()) == {None}


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script><img src=x onerror=alert(1)>",
        "\u202eright to left\u2066\u05e9\u05dc\u05d5\u05dd",
        "</script> \u2028 \x07 & &amp; {question}",
        "long " * 200_000,
    ],
)
def test_hostile_text_stays_text(tmp_path, text):
    path = tmp_path / "hostile.jsonl"
    rows = [{"question": text, "answer": text, "label": 1}]
    rows.append({"question": text, "answer": "no", "label": 0})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (entry,) = read_shown(path).to_json(1)
    # Readers of tables remove white space at both ends.
    assert entry["question"].strip() == text.strip()
    assert entry["answers"][0]["text"].strip() == text.strip()


def test_a_table_without_answers_and_none_at_all(tmp_path):
    path = tmp_path / "faq.csv"
    with pytest.raises(DatasetError, match="which does not exist"):
        read_shown(path)
    path.write_text("question,answer,label\n")
    with pytest.raises(DatasetError, match="no rows"):
        read_shown(path)
