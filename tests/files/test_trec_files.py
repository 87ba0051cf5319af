import ir_measures
import numpy as np
import pytest

from keras_qa.errors import DatasetError
from keras_qa.files.trec_files import read_labels
from keras_qa.files.trec_files import read_ranking
from keras_qa.files.trec_files import write_labels
from keras_qa.files.trec_files import write_ranking

RANKING = [
    ir_measures.ScoredDoc("q1", "00001-b", 0.1),
    ir_measures.ScoredDoc("q1", "00000-a", -2.5e-7),
    ir_measures.ScoredDoc("q2", "00000-c", 3.0),
]
LABELS = [
    ir_measures.Qrel("q1", "00001-b", 0),
    ir_measures.Qrel("q1", "00000-a", 2),
    ir_measures.Qrel("q2", "00000-c", -1),
]


def test_a_ranking_is_read_as_it_was_written(tmp_path):
    path = tmp_path / "run.trec"
    write_ranking(path, RANKING, "bm25")
    assert path.read_text().splitlines() == [
        "q1 Q0 00001-b 1 0.1 bm25",
        "q1 Q0 00000-a 2 -2.5e-07 bm25",
        "q2 Q0 00000-c 1 3.0 bm25",
    ]
    assert read_ranking(path) == RANKING
    assert list(ir_measures.read_trec_run(str(path))) == RANKING
    # NumPy's numbers name their type.
    half = ir_measures.ScoredDoc("q1", "00001-b", np.float32(0.5))
    write_ranking(path, [half], "bm25")
    assert path.read_text() == "q1 Q0 00001-b 1 0.5 bm25\n"


def test_labels_are_read_as_they_were_written(tmp_path):
    path = tmp_path / "qrels.trec"
    write_labels(path, LABELS)
    assert read_labels(path) == LABELS
    read = list(ir_measures.read_trec_qrels(str(path)))
    assert [(q.query_id, q.doc_id, q.relevance) for q in read] == [
        (q.query_id, q.doc_id, q.relevance) for q in LABELS
    ]


@pytest.mark.parametrize(
    ("read", "good", "expected", "bad"),
    [
        (read_ranking, "q Q0 b 1 0.5 t", "question, Q0", "q Q0 a 1 high t"),
        (read_ranking, "q Q0 b 1 0.5 t", "question, Q0", "q Q0 a 1 nan t"),
        (read_ranking, "q Q0 b 1 0.5 t", "question, Q0", "q 0 a"),
        (read_labels, "q 0 b -1", "question, 0", "q 0 a 1000"),
        (read_labels, "q 0 b -1", "question, 0", "q 0 a yes"),
        (read_labels, "q 0 b -1", "question, 0", "q 0 a 1 1"),
    ],
)
def test_a_line_that_is_none_is_named(tmp_path, read, good, expected, bad):
    path = tmp_path / "a.trec"
    path.write_text(f"{good}\n\n{bad}\n")
    with pytest.raises(
        DatasetError, match=rf"a\.trec:3: expected {expected}, .*{bad}"
    ):
        read(path)
