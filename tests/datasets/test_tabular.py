import csv
import gzip
import json
import sys
from pathlib import Path

import pytest

from keras_qa.datasets import table_records
from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.tabular import Columns
from keras_qa.datasets.tabular import open_tabular
from keras_qa.datasets.tabular import read_tabular
from keras_qa.errors import DatasetError

USER = Path(__file__).parents[1] / "data/user"
WITH_ID = Columns(question_id="id")


def write(path, text):
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize("name", ["pairs.csv", "pairs.tsv", "pairs.jsonl"])
def test_the_three_formats_say_the_same(name, tmp_path):
    questions = list(read_tabular(USER / name, WITH_ID))
    assert [q.id for q in questions] == ["q1", "q2", "q3", "q4"]
    assert [len(q.positives) for q in questions] == [1, 1, 1, 0]
    assert questions[2].candidates[0] == Candidate(
        "0000", "Ben Nevis is 1,345 metres high.", 1
    )
    zipped = tmp_path / f"{name}.gz"
    text = b"\xef\xbb\xbf" + (USER / name).read_bytes()
    zipped.write_bytes(gzip.compress(text.replace(b"\n", b"\r\n")))
    assert list(read_tabular(zipped, WITH_ID)) == questions


def test_without_ids_the_text_tells_questions_apart():
    questions = list(read_tabular(USER / "pairs.csv"))
    assert [q.id for q in questions] == ["1", "2", "3", "4"]
    assert questions[1].text == "Who discovered penicillin?"


def test_names_of_columns(tmp_path):
    path = write(
        tmp_path / "a.csv",
        "extra,Frage,good,Antwort,doc\nx,Wer?,1,Ich,d7\n\ny,Wer?,0,Du,d3\n",
    )
    columns = Columns("Frage", "Antwort", "good", answer_id="doc")
    (question,) = read_tabular(path, columns)
    assert question.candidates == (
        Candidate("d7", "Ich", 1),
        Candidate("d3", "Du", 0),
    )


def test_lines_without_text_are_no_rows(tmp_path):
    for name, tab in ("a.csv", ","), ("a.tsv", "\t"):
        text = f"{HEADER}\n  \nq,a,1\n \n".replace(",", tab)
        (question,) = read_tabular(write(tmp_path / name, text))
        assert [c.text for c in question.candidates] == ["a"]
    # Excel ends some files with rows of delimiters.
    text = "question;answer\r\nWho?;Me\r\n;\r\n ; \r\nWhen?;May\r\n;\r\n"
    path = write(tmp_path / "excel.csv", text)
    found = read_tabular(path, columns=Columns(label=None))
    assert [q.text for q in found] == ["Who?", "When?"]


def test_quotation_marks_of_two_texts_do_not_make_one_row(tmp_path):
    rows = [
        ("Who spoke?", '"I came here to talk.', "1"),
        ("Who spoke?", 'I saw nothing."', "0"),
        ("When?", "In May.", "1"),
    ]
    lines = ["\t".join(row) for row in [HEADER.strip().split(","), *rows]]
    path = write(tmp_path / "marks.tsv", "\n".join([*lines, ""]))
    with pytest.raises(DatasetError, match=r"tsv:2: .*quotes.*--no-quotes"):
        list(read_tabular(path))
    who, _ = read_tabular(path, quoted=False)
    assert [c.label for c in who.candidates] == [1, 0]
    # A text may have several lines.
    lines[1:3] = ['Who spoke?\t"I came\nhere\tto talk."\t1']
    path = write(tmp_path / "lines.tsv", "\n".join([*lines, ""]))
    who, _ = read_tabular(path)
    assert who.candidates[0].text == "I came\nhere\tto talk."


@pytest.mark.parametrize(
    "columns",
    [
        Columns(answer="question"),
        Columns(question="Label"),
        Columns(answer=" LABEL "),
    ],
)
def test_a_column_has_one_meaning(columns):
    message = "different columns for question, answer and label"
    with pytest.raises(DatasetError, match=message):
        list(read_tabular("faq.csv", columns=columns))


def test_names_of_columns_in_a_dict_are_refused():
    with pytest.raises(DatasetError, match=r"must be a .*\.Columns"):
        list(read_tabular("faq.csv", columns={"question": "q"}))


def test_without_labels_every_answer_is_right(tmp_path):
    path = write(tmp_path / "a.csv", "question,answer\nq,a\nq,b\n")
    (question,) = read_tabular(path, Columns(label=None))
    assert [c.text for c in question.positives] == ["a", "b"]
    with pytest.raises(DatasetError, match=r"a\.csv:1: expected a .*'label'"):
        list(read_tabular(path))


def test_columns_that_nobody_reads_may_have_any_names(tmp_path):
    path = write(
        tmp_path / "a.csv", "x,question,,x,answer,label,,\n1,q,2,3,a,0,,\n"
    )
    (question,) = read_tabular(path)
    assert (question.text, question.candidates) == (
        "q",
        (Candidate("0000", "a", 0),),
    )
    columns = Columns(question_id="x")
    with pytest.raises(DatasetError, match=r":1: expected one column 'x'"):
        list(read_tabular(path, columns))


def test_quoted_fields_may_hold_anything(tmp_path):
    path = write(
        tmp_path / "a.csv",
        'question,answer,label\nq,"He said ""no"",\nthen left.",1\n',
    )
    (question,) = read_tabular(path)
    assert question.candidates[0].text == 'He said "no",\nthen left.'


def test_files_without_quoting(tmp_path):
    path = write(
        tmp_path / "a.tsv", 'question\tanswer\tlabel\nq\t"Emma" is a book\t1\n'
    )
    with pytest.raises(DatasetError, match=r"a\.tsv:2: .*\('\t' expected af"):
        list(read_tabular(path))
    (question,) = read_tabular(path, quoted=False)
    assert question.candidates[0].text == '"Emma" is a book'


def test_scattered_rows_need_group(tmp_path):
    path = write(
        tmp_path / "a.csv",
        "question,answer,label\np,1,0\nq,2,1\np,3,1\nq,4,0\n",
    )
    with pytest.raises(DatasetError, match=r"a\.csv:4: .*neighbours.*: 'p'"):
        list(read_tabular(path))
    p, q = read_tabular(path, group=True)
    assert [c.text for c in p.candidates] == ["1", "3"]
    assert [c.text for c in q.candidates] == ["2", "4"]


HEADER = "question,answer,label\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ":1: expected a header"),
        (
            "question,answer\n",
            r":1: .* 'label' in the header, which must be the first line, or "
            r".*\['question'",
        ),
        (
            "question,answer,label,answer\n",
            r":1: expected one column 'answer', .*: \['answer', 'answer'\]",
        ),
        (
            f"sep=;\r\n{HEADER}".replace(",", ";"),
            ":1: expected a header, without Excel's .*: 'sep=;'",
        ),
        ("a,b\n", r":1: expected a .*--question-column. Received: \['a', "),
        (HEADER + "q,a\n", ":2: expected 3 fields, .*: '2 fields: q,a'"),
        (HEADER + "q,a,1,\n", ":2: expected 3 fields.*'4 fields"),
        (HEADER + "q,a,4\n", ":2: expected a label, 0 or 1, .*: '4'"),
        (HEADER + "q,a,-1\n", ":2: expected a label"),
        (HEADER, ":1: expected at least one row of a question. .*: 'no rows"),
        ("Label,question,answer,LABEL\n", ":1: expected one column 'label'"),
        (HEADER + "q,a,\n", ":2: expected a label"),
        (
            HEADER + 'q,a,1\nq,"b,0\nq,c,0\nq,d,0\n',
            r":3: expected proper .*: 'q,\"b,0'",
        ),
        (HEADER + 'q,a,1\nq,"b\nc" d,0\n', ":3: expected proper quotes"),
        (f"{HEADER}q,a,1\nq,b,0".replace("\n", "\r"), ":1: .*not in CR alone"),
        (HEADER + 'q,"a\nb",1\nq,c,x\n', ":4: expected a label"),
    ],
)
def test_bad_csv(tmp_path, text, message):
    path = write(tmp_path / "bad.csv", text)
    with pytest.raises(DatasetError, match=rf"bad\.csv{message}"):
        list(read_tabular(path))


GOOD = {"question": "q", "answer": "a", "label": 1}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", r"a JSON object on each line \(Expecting.* Received: '{'"),
        ("[1]", r"a JSON object on each line. Received: \[1\]"),
        ("[" * 100_000, r"a JSON object on each line \(maximum rec"),
        ('{"label": ' + "1" * 5000 + "}", r"on each line \(.*digits"),
        ('{"question": "q", "label": 1}', "expected a column 'answer'"),
        (json.dumps(GOOD | {"label": 1.5}), "a label, 0 or 1, .*: 1.5"),
        (json.dumps(GOOD | {"label": [1]}), r"a label, 0 or 1, .*: \[1\]"),
        (json.dumps(GOOD | {"label": None}), "a label, 0 or 1, .*None"),
        (json.dumps(GOOD | {"answer": 3}), "`answer` to be a string.*: 3"),
        (json.dumps(GOOD | {"answer": "\ud83d"}), "`answer` without surrog"),
    ],
)
def test_bad_json_lines(tmp_path, line, message):
    path = write(tmp_path / "bad.jsonl", f"{json.dumps(GOOD)}\n\n{line}\n")
    with pytest.raises(DatasetError, match=rf"bad\.jsonl:3: .*{message}"):
        list(read_tabular(path))


def test_labels_and_ids_of_json(tmp_path):
    rows = [
        GOOD | {"label": label, "id": 7}
        for label in (1, 0, "1", "0", True, False, 1.0)
    ]
    path = write(
        tmp_path / "a.ndjson", "".join(f"{json.dumps(row)}\n" for row in rows)
    )
    (question,) = read_tabular(path, WITH_ID)
    assert question.id == "7"
    labels = [c.label for c in question.candidates]
    assert labels == [1, 0, 1, 0, 1, 0, 1]
    assert {type(label) for label in labels} == {int}


@pytest.mark.parametrize(
    ("label", "grade"),
    [
        *(("0", 0), ("1", 1), ("2", 2), ("3", 3), ("1.0", 1), ("3.", 3)),
        *(("TRUE", 1), ("no", 0), (" Yes ", 1), ("False", 0)),
    ],
)
def test_labels_are_grades(tmp_path, label, grade):
    path = write(tmp_path / "a.csv", f"{HEADER}q,a,{label}\n")
    (question,) = read_tabular(path)
    assert question.candidates[0].label == grade
    assert len(question.positives) == (grade > 0)


def test_labels_of_right_answers_may_be_given(tmp_path):
    rows = "q,a,Good\nq,b,bad\nq,c,5\nq,d,5.0\nq,e,4.5\nq,f, GOOD \nq,g,1\n"
    path = write(tmp_path / "a.csv", f"{HEADER}{rows}")
    (question,) = read_tabular(path, right=["good", "5"])
    assert [c.label for c in question.candidates] == [1, 0, 1, 1, 0, 1, 0]
    dataset = open_tabular(train=path, right=["good", "5"])
    assert list(dataset.questions("train")) == [question]
    rows = [{"question": "q", "answer": "a", "label": x} for x in (5, 5.0, 2)]
    path = write(tmp_path / "a.jsonl", "\n".join(map(json.dumps, rows)))
    (question,) = read_tabular(path, right=["5"])
    assert [c.label for c in question.candidates] == [1, 1, 0]
    rows[1]["label"] = float("nan")
    path = write(tmp_path / "b.jsonl", "\n".join(map(json.dumps, rows)))
    with pytest.raises(DatasetError, match=r"b\.jsonl:2: expected"):
        list(read_tabular(path, right=["5"]))
    rows = [{"question": "q", "answer": "a", "label": x} for x in (True, False)]
    path = write(tmp_path / "c.jsonl", "\n".join(map(json.dumps, rows)))
    for right in ["1"], ["true"], ():
        (question,) = read_tabular(path, right=right)
        assert [c.label for c in question.candidates] == [1, 0]


@pytest.mark.parametrize(
    "label, right, columns, message",
    [
        ("good", (), None, r":2: .*\(--right\). Received: 'good'"),
        ("", ["good"], None, r":2: expected a label. Received: ''"),
        ("good", "good", None, r"`right` must be labels, .*right='good'"),
        ("good", ["good", " "], None, "none of them empty"),
        ("good", [5], None, r"`right` must be labels, .*right=\[5\]"),
        ("good", ["good"], Columns(label=None), "a column of labels with `ri"),
    ],
)
def test_errors_of_labels(tmp_path, label, right, columns, message):
    path = write(tmp_path / "a.csv", f"{HEADER}q,a,{label}\n")
    with pytest.raises(DatasetError, match=message):
        list(read_tabular(path, columns, right=right))


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("suffix", ["csv", "tsv"])
def test_delimiters_are_those_of_the_header(tmp_path, delimiter, suffix):
    rows = [("question", "answer", "label"), ("q; 1, 2", 'a "\t" b', "1")]
    path = tmp_path / f"a.{suffix}"
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        csv.writer(file, delimiter=delimiter).writerows(rows)
    (question,) = read_tabular(path)
    assert question.text == "q; 1, 2"
    assert question.candidates[0].text == 'a "\t" b'


def test_a_delimiter_may_be_given(tmp_path):
    path = write(tmp_path / "a.csv", "question|answer|label\nq, r|a|1\n")
    (question,) = read_tabular(path, delimiter="|")
    assert question.text == "q, r"
    with pytest.raises(
        DatasetError,
        match=r"'question' in the header, .*--question-column, or another "
        r"`delimiter` \(--delimiter\)\. "
        r"Received: \['question\|answer\|label'\]",
    ):
        list(read_tabular(path))
    with pytest.raises(DatasetError, match=r":1: expected .* \(--delimiter\)"):
        list(read_tabular(path, delimiter=";"))
    with pytest.raises(DatasetError, match=r"`delimiter` must be one char.*''"):
        list(read_tabular(path, delimiter=""))


def test_columns_in_any_case(tmp_path):
    path = write(
        tmp_path / "a.csv", "LABEL, Answer ,question,Question\n1,a,q,x\n"
    )
    (question,) = read_tabular(path)
    assert (question.text, question.candidates[0].text) == ("q", "a")
    path = write(tmp_path / "a.csv", "Question,QUESTION,answer,label\n")
    with pytest.raises(
        DatasetError,
        match=r"one column 'question', or its name by `Columns\(question=\.{3}"
        r"\)`, --question-column. Received: \['Question', 'QUESTION'\]",
    ):
        list(read_tabular(path))
    path = write(tmp_path / "a.jsonl", '{"Q": "q", "A": "a"}')
    (question,) = read_tabular(path, Columns("q", "a", None))
    assert question.text == "q"
    with pytest.raises(DatasetError, match="--label-column, or --no-labels"):
        list(read_tabular(path, Columns("q", "a")))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "cp1252"])
@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.tsv.gz"])
def test_encodings(tmp_path, encoding, name):
    text = "question,answer,label\r\nWarum größer?,Ü\u2013a,1\r\n"
    if name == "a.jsonl":
        record = {"question": "Warum größer?", "answer": "Ü–a", "label": 1}
        text = f"{json.dumps(record, ensure_ascii=False)}\n"
    data = text.encode(encoding)
    path = tmp_path / name
    path.write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    (question,) = read_tabular(path, encoding=encoding)
    assert question.text == "Warum größer?"
    assert question.candidates[0].text == "Ü–a"
    hint = "cp1252 or latin-1" if encoding == "cp1252" else encoding
    with pytest.raises(DatasetError, match=rf"`encoding` \(--enc.*{hint}"):
        list(read_tabular(path))


def test_wrong_encodings(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"question,answer,label\nq,\x81,1\n")
    with pytest.raises(DatasetError, match=r"a\.csv:\d: expected cp1252 text"):
        list(read_tabular(path, encoding="cp1252"))
    for name in ("klingon", "base64", "a\0"):
        with pytest.raises(DatasetError, match="`encoding` must be the name"):
            list(read_tabular(path, encoding=name))


def test_long_fields_up_to_the_limit_of_a_row(tmp_path, monkeypatch):
    text = "a " * 100_000
    path = write(tmp_path / "a.csv", f'{HEADER}q,"{text}",1\n')
    (question,) = read_tabular(path)
    assert question.candidates[0].text == text
    monkeypatch.setattr(table_records, "MAX_LINE_BYTES", 1000)
    with pytest.raises(DatasetError, match=r":2: expected a row of at most 1"):
        list(read_tabular(path))


def test_the_file_may_be_zipped_since(tmp_path):
    path = tmp_path / "a.csv"
    zipped = tmp_path / "a.csv.gz"
    zipped.write_bytes(gzip.compress(f"{HEADER}q,a,1\n".encode()))
    assert len(open_tabular(path).questions("train")) == 1
    assert [q.text for q in read_tabular(path)] == ["q"]


def test_parquet(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "a.parquet"
    columns = {
        "Question": ["q", "q", "r"],
        "answer": ["a", "b", "c"],
        "label": [1.0, 0.0, 2.0],
        "id": [7, 7, 8],
        "more": [None, None, None],
    }
    parquet.write_table(pyarrow.table(columns), path)
    q, r = read_tabular(path, WITH_ID)
    assert (q.id, [c.label for c in q.candidates]) == ("7", [1, 0])
    assert r.candidates == (Candidate("0000", "c", 2),)
    with pytest.raises(DatasetError, match=r"a\.parquet:1: .* column 'text'"):
        list(read_tabular(path, Columns(answer="text")))
    names = ["x", "x", *columns]
    values = map(pyarrow.array, [[1, 2, 3], [4, 5, 6], *columns.values()])
    table = pyarrow.Table.from_arrays([*values], names=names)
    parquet.write_table(table, tmp_path / "b.parquet")
    assert [*read_tabular(tmp_path / "b.parquet", WITH_ID)] == [q, r]
    with pytest.raises(DatasetError, match=r":1: expected one column 'x'"):
        list(read_tabular(tmp_path / "b.parquet", Columns(label="x")))
    columns["answer"][2] = None
    parquet.write_table(pyarrow.table(columns), path)
    with pytest.raises(DatasetError, match=":3: expected `answer` to be a st"):
        list(read_tabular(path, WITH_ID))
    path.write_bytes(b"PAR1")
    with pytest.raises(DatasetError, match=":1: expected a Parquet file"):
        list(read_tabular(path))


def test_parquet_without_pyarrow(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "a.parquet").touch()
    with pytest.raises(ImportError, match=r"pip install 'keras-qa\[parquet\]"):
        list(read_tabular(tmp_path / "a.parquet"))


def test_open_tabular():
    dataset = open_tabular(
        USER / "pairs.csv", test=USER / "pairs.jsonl", columns=WITH_ID
    )
    assert list(dataset.splits) == ["train", "test"]
    assert dataset.questions("train") == dataset.questions("test")
    with pytest.raises(DatasetError, match=r"be a file\. Received: none"):
        open_tabular()
    with pytest.raises(DatasetError, match=r"`dev` must be a file.*no\.csv"):
        open_tabular(dev=USER / "no.csv")
    with pytest.raises(DatasetError, match=r"must end in \.csv"):
        list(read_tabular(USER / "pairs.xlsx"))
