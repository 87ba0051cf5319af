"""Whatever a file holds, a reader gives questions or a DatasetError."""

import gzip
from pathlib import Path

import pytest
from hypothesis import HealthCheck
from hypothesis import example
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from keras_qa.datasets.collections.quasar import read_quasar
from keras_qa.datasets.collections.semeval import read_semeval
from keras_qa.datasets.collections.squad import read_squad
from keras_qa.datasets.collections.squad_sentences import read_squad_sentences
from keras_qa.datasets.collections.trecqa import read_trecqa_xml
from keras_qa.datasets.collections.wikiqa import read_wikiqa_tsv
from keras_qa.datasets.collections.yahoo_answers import read_yahoo_answers
from keras_qa.datasets.collections.yahooqa import YahooQA
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.registry import open_dataset
from keras_qa.datasets.tabular import read_tabular
from keras_qa.datasets.toks import FILES
from keras_qa.datasets.toks import read_toks
from keras_qa.errors import DatasetError

DATA = Path(__file__).parents[1] / "data"

# What real damage looks like, beside single random bytes.
PIECES = st.sampled_from(
    [
        *(b"\n", b"\r\n", b"\t", b'"', b"\x00", b"\xff", b"\xed\xa0\x80"),
        *("\u2028\ufeff".encode(), b"<question>\n", b"</QApairs>", b"<", b"&"),
        *(b"&lol;", b"]]>", b"{", b"\\ud800", b"[", b"R.", b"(", b"]", b"."),
        b'<!ENTITY lol "ha">',
    ]
)
EDITS = st.lists(
    st.tuples(
        st.floats(0, 1, exclude_max=True),
        st.integers(0, 30),
        st.one_of(PIECES, st.binary(max_size=3)),
    ),
    max_size=5,
)

fuzz = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def mutate(data, edits):
    """Replaces, at each relative position, some bytes by others."""
    for place, length, piece in edits:
        start = int(place * len(data))
        data = data[:start] + piece + data[start + length :]
    return data


def outcome(read):
    """Reads to the end; anything but a DatasetError fails the test."""
    try:
        questions = list(read())
    except DatasetError as error:
        assert "Received: " in str(error)
        assert len(str(error)) < 2000
        return
    for question in questions:
        assert isinstance(question, Question)
        question.text.encode("utf-8")
        ids = [c.id for c in question.candidates]
        assert len(set(ids)) == len(ids)
        for candidate in question.candidates:
            candidate.text.encode("utf-8")
            assert candidate.label in (0, 1)


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("WikiQA/WikiQA-train.tsv", read_wikiqa_tsv),
        ("TrecQA/TRAIN.xml", read_trecqa_xml),
        (
            "SemEval2016-Task3/SemEval2016-Task3-CQA-QL-train-part2.xml",
            read_semeval,
        ),
        ("YahooQA/env.pkl", lambda path: YahooQA(path).questions("train")),
        ("YahooL6/FullOct2007.xml", read_yahoo_answers),
        ("SQuAD/train-v1.1.json", read_squad),
        ("SQuAD/train-v1.1.json", read_squad_sentences),
        ("user/pairs.csv", read_tabular),
        ("user/pairs.tsv", read_tabular),
        ("user/pairs.jsonl", read_tabular),
    ],
)
@fuzz
@given(edits=EDITS, cut=st.floats(0, 1), zipped=st.booleans())
@example(edits=[], cut=1.0, zipped=False)
def test_damaged_files(tmp_path, name, read, edits, cut, zipped):
    original = (DATA / name).read_bytes()
    if zipped:
        # The damage is then in the compressed bytes.
        path = tmp_path / f"{Path(name).name}.gz"
        data = mutate(gzip.compress(original), edits)
    else:
        path = tmp_path / Path(name).name
        data = mutate(original, edits)
    path.write_bytes(data[: round(cut * len(data))])
    outcome(lambda: read(path))


@fuzz
@given(edits=st.tuples(*[EDITS] * len(FILES)))
def test_damaged_folders(tmp_path, edits):
    for name, some in zip(FILES, edits, strict=True):
        data = (DATA / "TrecQA/train" / name).read_bytes()
        (tmp_path / name).write_bytes(mutate(data, some))
    outcome(lambda: read_toks(tmp_path))


@fuzz
@given(edits=st.tuples(EDITS, EDITS))
def test_damaged_quasar(tmp_path, edits):
    paths = []
    for name, some in zip(("questions", "contexts/short"), edits, strict=True):
        kind = name.partition("/")[0]
        original = DATA / f"quasar-t/{name}/train_{kind}.json"
        paths.append(tmp_path / original.name)
        paths[-1].write_bytes(mutate(original.read_bytes(), some))
    outcome(lambda: read_quasar(*paths))


V2_FILE = "InsuranceQA.question.anslabel.token.500.pool.solr.{}.encoded"


@pytest.mark.parametrize(
    ("version", "names"),
    [
        (
            "V1",
            [
                *("vocabulary", "answers.label.token_idx"),
                "question.train.token_idx.label",
                "question.dev.label.token_idx.pool",
            ],
        ),
        (
            "V2",
            [
                *("vocabulary", "InsuranceQA.label2answer.token.encoded"),
                V2_FILE.format("train"),
                V2_FILE.format("valid"),
            ],
        ),
    ],
)
@fuzz
@given(edits=st.tuples(*[EDITS] * 4))
def test_damaged_insuranceqa(tmp_path, version, names, edits):
    for name, some in zip(names, edits, strict=True):
        data = (DATA / "InsuranceQA" / version / name).read_bytes()
        (tmp_path / name).write_bytes(mutate(data, some))
    dataset = open_dataset(f"insuranceqa-{version.lower()}", tmp_path)
    for stream in dataset.splits.values():
        outcome(stream)
    for stream in dataset.pools.values():
        outcome(lambda stream=stream: (pool.question for pool in stream()))


@fuzz
@given(data=st.binary(max_size=60))
def test_random_pickles(tmp_path, data):
    path = tmp_path / "env.pkl"
    path.write_bytes(data)
    outcome(lambda: YahooQA(path).questions("train"))
