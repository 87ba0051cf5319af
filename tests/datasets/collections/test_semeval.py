import gzip
from pathlib import Path

import pytest

from keras_qa.datasets.collections.semeval import read_semeval
from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.errors import DatasetError

SEMEVAL = Path(__file__).parents[2] / "data/SemEval2016-Task3"
TRAIN = SEMEVAL / "SemEval2016-Task3-CQA-QL-train-part2.xml"
DEV = SEMEVAL / "SemEval2016-Task3-CQA-QL-dev.xml"


def test_good_is_positive_and_repeated_threads_are_skipped():
    assert list(read_semeval(TRAIN)) == [
        Question(
            "Q1_R1",
            "Visa How long does a family visa take?",
            (
                Candidate("Q1_R1_C1", "Two weeks, in my case.", 1),
                Candidate("Q1_R1_C2", "Ask at the counter.", 0),
                Candidate("Q1_R1_C3", "lol", 0),
            ),
        ),
        Question(
            "Q2_R2",
            "Pets & vets",
            (
                Candidate(
                    "Q2_R2_C1", "The vet in the old town is <very> good.", 1
                ),
                Candidate("Q2_R2_C2", "I have a cat", 0),
            ),
        ),
    ]


def test_elements_inside_a_text_do_not_end_it(tmp_path):
    path = tmp_path / "nested.xml"
    text = TRAIN.read_text("utf-8").replace("lol", "l<b>o</b>l")
    path.write_text(text, "utf-8")
    assert next(read_semeval(path)).candidates[2].text == "lol"


def test_repeated_threads_on_request():
    every = list(read_semeval(TRAIN, skip_repeated=False))
    assert [q.id for q in every] == ["Q1_R1", "Q1_R4", "Q2_R2"]


def test_several_parts_and_gzip(tmp_path):
    path = tmp_path / "dev.xml.gz"
    path.write_bytes(gzip.compress(DEV.read_bytes()))
    ids = [q.id for q in read_semeval(TRAIN, path)]
    assert ids == ["Q1_R1", "Q2_R2", "Q8_R1", "Q8_R7"]
    with pytest.raises(DatasetError, match=r"another id for each.*'Q1_R1'"):
        list(read_semeval(TRAIN, TRAIN))


def declare(declaration):
    """The training file with a declaration in its DTD, used in a text."""
    text = TRAIN.read_text("utf-8")
    text = text.replace("]>", f"{declaration}\n]>", 1)
    return text.replace("lol", "&bomb;")


@pytest.mark.parametrize(
    "declaration",
    [
        '<!ENTITY a "ha"><!ENTITY b "&a;&a;"><!ENTITY bomb "&b;&b;">',
        '<!ENTITY bomb SYSTEM "file:///etc/passwd">',
        '<!ENTITY % bomb SYSTEM "http://localhost/x"> %bomb;',
    ],
    ids=["nested", "file", "parameter"],
)
def test_entities_are_refused(tmp_path, declaration):
    path = tmp_path / "bomb.xml"
    path.write_text(declare(declaration), "utf-8")
    with pytest.raises(
        DatasetError, match=r"bomb\.xml:\d+: expected a file without entities"
    ):
        list(read_semeval(path))


def test_undeclared_entities_of_an_outer_dtd_are_refused(tmp_path):
    path = tmp_path / "a.xml"
    path.write_text(
        '<!DOCTYPE xml SYSTEM "http://localhost/x.dtd"><xml>&what;</xml>'
    )
    with pytest.raises(DatasetError, match="file without entities"):
        list(read_semeval(path))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('RELQ_ID="Q1_R1"', "", "<RelQuestion> with the attribute RELQ_ID"),
        ('RELC_ID="Q1_R1_C2"', "", "<RelComment> with the attribute RELC_ID"),
        ('RELC_RELEVANCE2RELQ="Bad"', "", "attribute RELC_RELEVANCE2RELQ"),
        ('RELQ="Bad"', 'RELQ="?"', r"a label of \['Good', .*Received: '\?'"),
        ("Q1_R1_C2", "Q1_R1_C1", "another RELC_ID for each comment"),
        ("<RelQSubject>Visa</RelQSubject>", "", "element <RelQSubject>"),
        ("<RelCText>lol</RelCText>", "", "an element <RelCText>"),
        ("</RelComment>", "", "well-formed XML. Received: 'mismatched tag"),
        ("lol", "\x00", "well-formed XML"),
        ('encoding="utf-8"', 'encoding="klingon"', "XML. .*unknown encoding"),
    ],
)
def test_bad_elements_are_named(tmp_path, old, new, message):
    text = TRAIN.read_text("utf-8")
    assert old in text
    path = tmp_path / "bad.xml"
    path.write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(DatasetError, match=r"bad\.xml:\d+: ") as error:
        list(read_semeval(path))
    error.match(message)


def test_end_of_file(tmp_path):
    path = tmp_path / "cut.xml"
    path.write_text(TRAIN.read_text("utf-8")[:-50], "utf-8")
    with pytest.raises(DatasetError, match=r"cut\.xml:7\d: .*no element found"):
        list(read_semeval(path))


def test_no_thread_at_all(tmp_path):
    path = tmp_path / "other.xml"
    path.write_text("<html><body>Sign in</body></html>")
    with pytest.raises(DatasetError, match="expected at least one <Thread>"):
        list(read_semeval(path))


def test_damaged_gzip(tmp_path):
    path = tmp_path / "dev.xml.gz"
    path.write_bytes(gzip.compress(DEV.read_bytes())[:-20])
    with pytest.raises(DatasetError, match=r"dev\.xml\.gz:\d+: expected"):
        list(read_semeval(path))
