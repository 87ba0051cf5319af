"""The table of any ranker, and the order of two stages."""

import json

import numpy as np
import pytest

from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.errors import DatasetError
from keras_qa.export.onnx_beside import add_onnx
from keras_qa.models import CosineQA
from keras_qa.own_data.evaluating import comparison_notes
from keras_qa.own_data.evaluating import evaluate_ranker
from keras_qa.own_data.evaluating import reranked
from keras_qa.own_data.evaluating import tuned_bm25
from keras_qa.ranker import Ranker
from keras_qa.ranking.evaluation import evaluate
from keras_qa.text.reading import TextReading
from keras_qa.text.vocabulary import Vocabulary

pytestmark = [
    pytest.mark.once,
    pytest.mark.filterwarnings("ignore::keras_qa.errors.TextWarning"),
]
QUESTIONS = [
    Question(
        str(i),
        f"who wrote book{i}",
        (
            Candidate("0", f"writer{i} wrote book{i}", 1),
            Candidate("1", "it was long", 0),
            Candidate("2", "the writer was", 0),
        ),
    )
    for i in range(4)
]


@pytest.fixture(scope="module")
def ranker():
    words = [
        "who",
        "wrote",
        "it",
        "was",
        "long",
        "the",
        "writer",
        "book0",
        "book1",
    ]
    model = CosineQA(len(words) + 2, 3, 3)
    return Ranker(model, TextReading(Vocabulary(words)))


def test_the_second_stage_orders_the_best_of_the_first():
    before = np.array([3.0, 1.0, 2.0, 0.0])
    scores = np.array([0.1, 9.0, 0.2, 8.0])
    found = reranked(before, scores, 2)
    assert np.argsort(-found).tolist() == [2, 0, 1, 3]
    assert np.argsort(-reranked(before, scores)).tolist() == [1, 3, 2, 0]
    # Scores of answers that cannot be read, too.
    found = reranked(before, np.full(4, -1e30, np.float32), 2)
    assert found.tolist() == [0, -1, 0, -2]


def test_floors_and_differences(ranker):
    found = evaluate_ranker(ranker, QUESTIONS)
    names = [row.name for row in found.rows]
    assert names == [
        *("model", "BM25", "idf overlap", "untrained cosine"),
        "idf alignment",
    ]
    assert found.rows[1].metrics["MAP"] == 1
    assert "the best floor" in comparison_notes(found)[-1]
    tuned = evaluate_ranker(ranker, QUESTIONS, bm25=(0.5, 0.0))
    assert tuned.rows[1].name == "BM25, tuned"
    # Its scores are those that the ranker gives.
    answers = [c.text for c in QUESTIONS[0].candidates]
    scores = ranker.scores(QUESTIONS[0].text, answers)
    run = [doc.score for doc in found.evaluation.run if doc.query_id == "0"]
    assert sorted(run) == pytest.approx(sorted(scores.tolist()), abs=1e-6)


def test_before_and_after(ranker):
    found = evaluate_ranker(ranker, QUESTIONS, rerank="file", depth=1)
    before = found.rows[1]
    assert before.name == "before: order of the file"
    assert before.metrics["MAP"] == found.rows[0].metrics["MAP"] == 1
    found = evaluate_ranker(ranker, QUESTIONS, rerank="bm25")
    names = [row.name for row in found.rows]
    assert "before: BM25" in names and "BM25" not in names
    # It is a floor like any other, of which the sentence may tell.
    assert "before: BM25" in found.floors


def test_the_order_of_the_file_decides_no_tie(ranker):
    """With the right answer first and no word shared, of BM25 all are tied."""
    questions = [
        Question(
            str(i),
            "none of these",
            tuple(Candidate(str(j), f"book{j}", int(not j)) for j in range(5)),
        )
        for i in range(20)
    ]
    alone = evaluate_ranker(ranker, questions)
    found = evaluate_ranker(
        ranker, questions, rerank="bm25", depth=1, against=ranker
    )
    (floor,) = [row for row in alone.rows if row.name == "BM25"]
    # The first answer cannot change its place.
    rows = {row.name: row.metrics for row in found.rows}
    for name in ("model", "before: BM25", "other"):
        assert rows[name] == floor.metrics
    assert floor.metrics["MAP"] < 0.7


def test_another_ranker(ranker):
    found = evaluate_ranker(ranker, QUESTIONS, against=ranker)
    row = next(row for row in found.rows if row.name == "other")
    assert row.difference == 0 and row.difference_interval == (0, 0)


def test_a_floor_is_not_named_as_an_order(ranker):
    found = evaluate_ranker(ranker, QUESTIONS, rerank="bm25", bm25=(1.5, 0.75))
    names = [row.name for row in found.rows]
    assert "before: BM25, tuned" in names
    assert not any("before" in note for note in comparison_notes(found))


def test_errors(ranker):
    wrong = [Question("1", "who", (Candidate("0", "it", 0),))]
    with pytest.raises(DatasetError, match="1 question without"):
        evaluate_ranker(ranker, wrong)
    with pytest.raises(DatasetError, match="distinct ids"):
        evaluate_ranker(ranker, [QUESTIONS[0], QUESTIONS[0]])
    with pytest.raises(ValueError, match="`depth` must be positive"):
        evaluate_ranker(ranker, QUESTIONS, depth=3)
    with pytest.raises(ValueError, match="`rerank` must be"):
        evaluate_ranker(ranker, QUESTIONS, rerank="random")


def test_vectors_in_the_file_give_the_floors_of_the_loaded_model(
    ranker, tmp_path
):
    for name in ("tf2onnx", "onnxruntime", "tokenizers"):
        pytest.importorskip(name)
    ranker.save(tmp_path / "ranker")
    add_onnx(tmp_path / "ranker")
    fast = Ranker.load(tmp_path / "ranker")
    assert fast.engine == "onnxruntime"
    found, wanted = (evaluate_ranker(r, QUESTIONS) for r in (fast, ranker))
    assert found.lines()[3:] == wanted.lines()[3:]


def test_the_parameters_of_bm25_are_those_given(ranker, tmp_path):
    """A long answer with the word twice, and a short one with it once."""
    long = " ".join(["book0 book0", *"abcdefghij"])
    answers = Candidate("0", long, 1), Candidate("1", "book0", 0)
    question = Question("1", "book0", answers)
    for bm25, expected in ((None, 0.5), ((1.5, 0.0), 1.0)):
        found = evaluate_ranker(ranker, [question], bm25=bm25)
        assert found.rows[1].metrics["MAP"] == expected
    fitted = {"fitted": {"bm25": {"k1": 1.5, "b": 0.25}}}
    (tmp_path / "metrics.json").write_text(json.dumps(fitted))
    assert tuned_bm25(tmp_path) == (1.5, 0.25)
    assert tuned_bm25(tmp_path / "none") is None


def test_the_seed_orders_equal_scores(ranker):
    answers = tuple(Candidate(str(i), "it", int(not i)) for i in range(5))
    questions = [Question(str(i), "none", answers) for i in range(20)]
    tied = [np.zeros(5)] * 20
    found = [
        evaluate_ranker(ranker, questions, seed=seed).rows[0].metrics["MAP"]
        for seed in (0, 3)
    ]
    assert found[0] != found[1]
    for seed, value in zip((0, 3), found, strict=True):
        assert value == evaluate(questions, tied, seed=seed).metrics["MAP"]


@pytest.mark.parametrize(
    ("options", "answer"),
    [
        ({"max_answer_length": 1}, "it book0"),
        ({"tokenizer": "whitespace"}, "book0."),
    ],
)
def test_the_floors_read_as_the_ranker(ranker, options, answer):
    answers = Candidate("0", answer, 1), Candidate("1", "was long", 0)
    questions = [Question(str(i), "book0", answers) for i in range(20)]

    def of_overlap(**options):
        reading = TextReading(ranker.reading.vocabulary, **options)
        found = evaluate_ranker(Ranker(ranker.model, reading), questions)
        (row,) = [row for row in found.rows if row.name == "idf overlap"]
        return row.metrics["MAP"]

    assert of_overlap(**options) < of_overlap() == 1
