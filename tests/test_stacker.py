"""Stacker: rankers of texts, fitted, as one ranker."""

import numpy as np
import pytest

from keras_qa import BM25Ranker
from keras_qa import Ranker
from keras_qa import SeverynMoschitti
from keras_qa import Stacker
from keras_qa import TextReading
from keras_qa import Vocabulary
from keras_qa import WordCountRanker
from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.errors import RankerError
from keras_qa.ranking.stacking.combining import fit_stacker
from keras_qa.text.overlap import OverlapFeatures
from keras_qa.text.readable import UNREAD_SCORE

pytestmark = [
    pytest.mark.once,
    pytest.mark.filterwarnings("ignore::keras_qa.errors.TextWarning"),
]

WORDS = [f"w{i}" for i in range(9)]
READING = TextReading(Vocabulary(WORDS))
QUESTION, ANSWERS = "w1 w2 w3", ["w1", "w2 w3 w8", "unheard", "w7"]


def some_questions(count=12):
    rng = np.random.default_rng(0)
    found = []
    for i in range(count):
        words = list(rng.choice(WORDS, 3, replace=False))
        texts = [[*words[: j + 1], *rng.choice(WORDS, 3 - j)] for j in range(3)]
        candidates = [
            Candidate(f"{j}", " ".join(text), int(j == 2))
            for j, text in enumerate(texts)
        ]
        # No ranker reads it, so that nothing is learnt from it.
        candidates.append(Candidate("3", "unheard", 1))
        found.append(Question(f"{i}", " ".join(words), tuple(candidates)))
    return found


def rankers():
    size = len(READING.vocabulary)
    return [Ranker(m(size), READING) for m in (BM25Ranker, WordCountRanker)]


class Lengths:
    """A ranker that is no `Ranker`."""

    def scores(self, questions, answers):
        return np.array([float(len(answer)) for answer in answers])


@pytest.mark.parametrize("method", ["logistic", "boosted"])
def test_one_model_of_all_rankers(method, tmp_path):
    settings = {"trees": 4, "depth": 2, "l2": 0.5}
    stacker = Stacker(rankers(), method, **settings)
    questions = some_questions()
    assert stacker.fit(questions) is stacker
    read = [(q, c) for q in questions for c in q.candidates[:3]]
    asked = [q.text for q, _ in read]
    x = np.stack(
        [r.scores(asked, [c.text for _, c in read]) for r in stacker.rankers], 1
    )
    labels = [c.label for _, c in read]
    fitted = fit_stacker(x, labels, None, method, **settings)
    scores = stacker.scores(asked, [c.text for _, c in read])
    np.testing.assert_allclose(scores, fitted.scores(x), rtol=1e-5)

    assert stacker.scores(QUESTION, ANSWERS)[2] == UNREAD_SCORE
    ranked = stacker.rank(QUESTION, ANSWERS)
    assert ranked[-1][0] == 2
    # Few trees score many pairs alike.
    assert ranked[0][0] == 1 or method == "boosted"
    assert stacker.rank(QUESTION, ANSWERS, top=1) == ranked[:1]
    stacker.to_ranker().save(tmp_path / "ranker")
    loaded = Ranker.load(tmp_path / "ranker").rank(QUESTION, ANSWERS)
    np.testing.assert_allclose(loaded, ranked, rtol=1e-4)


def test_given_scores_of_one_ranker():
    """As those of folds; the others score by themselves."""
    questions, own = some_questions(), [0.0, 1.0, 4.0]
    given = [np.array([*own, UNREAD_SCORE]) for _ in questions]
    stacker = Stacker([*rankers()[:1], Lengths()], "listwise")
    stacker.fit(questions, [given, None])
    x = [
        [score, len(candidate.text)]
        for question in questions
        for score, candidate in zip(own, question.candidates[:3], strict=True)
    ]
    expected = fit_stacker(
        *(np.array(x), [0, 0, 1] * 12, np.repeat(range(12), 3), "listwise")
    )
    np.testing.assert_allclose(stacker.fitted.weights, expected.weights)
    with pytest.raises(RankerError, match=r"all be `Ranker`s.*Lengths"):
        stacker.to_ranker()
    with pytest.raises(ValueError, match="12 questions of 36 scores for 12 of"):
        stacker.fit(questions, [[s[:3] for s in given], None])
    with pytest.raises(ValueError, match=r"2 entries, .* Received: 1 entries"):
        stacker.fit(questions, [given])


def test_errors():
    with pytest.raises(ValueError, match="`rankers` must hold at least one"):
        Stacker([])
    with pytest.raises(ValueError, match="`method` must be one of"):
        Stacker(rankers(), "mean")
    with pytest.raises(RankerError, match="a stacker that was fitted"):
        Stacker(rankers()).rank(QUESTION, ANSWERS)
    with pytest.raises(RankerError, match="`top` must be a positive"):
        Stacker(rankers()).rank(QUESTION, ANSWERS, top=0)
    cut = TextReading(READING.vocabulary, max_answer_length=3)
    model = BM25Ranker(len(READING.vocabulary))
    stacker = Stacker([*rankers(), Ranker(model, cut)]).fit(some_questions())
    with pytest.raises(RankerError, match="must read texts alike"):
        stacker.to_ranker()


def test_trees_learn_at_the_rate_that_was_given():
    questions, found = some_questions(), []
    for rate in (0.1, 0.5):
        settings = {"trees": 1, "depth": 1, "learning_rate": rate}
        stacker = Stacker(rankers(), "boosted", **settings).fit(questions)
        found.append(stacker.fitted.values)
    # One tree's leaves are proportional to the rate.
    np.testing.assert_allclose(found[1], 5 * found[0], rtol=1e-6)


def test_one_ranker_of_overlap_gives_it_to_the_sum():
    size = len(READING.vocabulary)
    overlap = OverlapFeatures({"w1": 2}, 9)
    features = SeverynMoschitti(size, 3, filters=2, overlap_features=4)
    reading = TextReading(READING.vocabulary, overlap=overlap)
    parts = [Ranker(BM25Ranker(size), READING), Ranker(features, reading)]
    stacker = Stacker(parts).fit(some_questions())
    expected = stacker.scores("w1 w2", ["w1", "w2 w3 w8"])
    found = stacker.to_ranker().scores("w1 w2", ["w1", "w2 w3 w8"])
    np.testing.assert_allclose(found, expected, rtol=1e-4)
