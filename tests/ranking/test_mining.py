"""Mined candidates against BM25's formula, worked out answer by answer."""

import math

import numpy as np
import pytest

from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.ranking.mining import CandidateMiner
from keras_qa.ranking.mining import mine_candidates
from keras_qa.text.readable import UNREAD_SCORE


def asked(number, text, *right):
    candidates = tuple(Candidate(str(i), a, 1) for i, a in enumerate(right))
    return Question(f"q{number}", text, candidates)


def okapi(query, documents, k1, b):
    """Scores of all documents, lists of words, by the formula of Lucene."""
    mean = np.mean([len(d) for d in documents])
    scores = []
    for document in documents:
        score = 0.0
        for word in query:
            df = sum(word in d for d in documents)
            idf = math.log(1 + (len(documents) - df + 0.5) / (df + 0.5))
            tf = document.count(word)
            norm = k1 * (1 - b + b * len(document) / mean)
            score += idf * tf / (tf + norm)
        scores.append(score)
    return np.array(scores)


@pytest.mark.parametrize("candidates", [1, 3, 8, 100])
def test_the_best_by_the_formula_with_the_right_ones(candidates):
    rng = np.random.default_rng(candidates)
    words = [f"w{i}" for i in range(12)]

    def text(size):
        return " ".join(rng.choice(words, size))

    answers = list(dict.fromkeys(text(rng.integers(1, 9)) for _ in range(40)))
    questions = [
        asked(i, f"{text(3)} ?", *rng.choice(answers, 1 + i % 2, False))
        for i in range(15)
    ]
    miner = CandidateMiner(answers, k1=0.9, b=0.4, show_progress=False)
    mined = list(miner.mine(questions, candidates, show_progress=False))
    documents = [answer.split() for answer in answers]
    for question, found in zip(questions, mined, strict=True):
        query = question.text.split()[:-1]
        scores = okapi(query, documents, 0.9, 0.4)
        assert miner.scores(question.text) == pytest.approx(scores, abs=1e-5)
        # Single precision decides ties as the miner sees them.
        scores = miner.scores(question.text)
        ranking = np.argsort(-scores, kind="stable")
        right = {answers.index(c.text) for c in question.candidates}
        others = [i for i in ranking if i not in right and scores[i] > 0]
        kept = others[: max(0, candidates - len(right))]
        expected = [i for i in ranking if i in {*right, *kept}]
        assert (found.id, found.text) == (question.id, question.text)
        assert [c.text for c in found.candidates] == [
            answers[i] for i in expected
        ]
        assert [c.id for c in found.candidates] == [str(i) for i in expected]
        assert {c.text for c in found.positives} == {
            c.text for c in question.candidates
        }


def test_spellings_of_one_answer_are_one_candidate():
    questions = [
        asked(1, "What do koalas eat?", "Leaves of  eucalyptus."),
        asked(2, "Who eats eucalyptus leaves?", "Koalas eat leaves."),
        asked(3, "Which trees?", "leaves of EUCALYPTUS.", "Gum trees."),
    ]
    mined = mine_candidates(questions, show_progress=False)
    labels = [{c.text: c.label for c in q.candidates} for q in mined]
    assert labels == [
        {"Koalas eat leaves.": 0, "Leaves of  eucalyptus.": 1},
        {"Koalas eat leaves.": 1, "Leaves of  eucalyptus.": 0},
        {"Gum trees.": 1, "Leaves of  eucalyptus.": 1},
    ]


def test_no_right_answer_of_the_same_question_is_wrong():
    questions = [
        asked(1, "What is love?", "Love is blind."),
        asked(2, "what is  LOVE?", "Love is a feeling."),
        asked(3, "Is love blind?", "Yes, love is."),
    ]
    mined = mine_candidates(questions, show_progress=False)
    labels = [{c.text: c.label for c in q.candidates} for q in mined]
    assert labels[0] == {"Love is blind.": 1, "Yes, love is.": 0}
    assert labels[1] == {"Love is a feeling.": 1, "Yes, love is.": 0}
    assert sorted(labels[2].values()) == [0, 0, 1]


def test_equal_scores_in_the_order_of_the_collection():
    answers = [f"ant {word}" for word in "xyzuvw"]
    questions = [asked(1, "an ant", "bee bee")]
    (mined,) = mine_candidates(
        questions, answers, 4, tokenizer="whitespace", show_progress=False
    )
    assert [c.text for c in mined.candidates] == [*answers[:3], "bee bee"]


def test_other_candidates_and_further_answers_are_of_the_collection():
    pair = (Candidate("a", "an ant", 1), Candidate("b", "two ants, one ant", 0))
    (mined,) = mine_candidates(
        [Question("q", "Which ant?", pair)],
        ["no ant", "!"],
        show_progress=False,
    )
    assert {c.text: c.label for c in mined.candidates} == {
        "an ant": 1,
        "two ants, one ant": 0,
        "no ant": 0,
    }


def test_a_collection_without_words():
    (mined,) = mine_candidates([asked(1, "?", "!!")], ["..."])
    assert [c.text for c in mined.candidates] == ["!!"]
    (mined,) = mine_candidates([asked(1, "Why?", "!!")], ["who knows"])
    assert [c.text for c in mined.candidates] == ["!!"]


def test_errors():
    miner = CandidateMiner(["an ant"], show_progress=False)
    with pytest.raises(ValueError, match=r"right answers .*'q1' with 'a b"):
        list(miner.mine([asked(1, "Which ant?", "a bee")]))
    with pytest.raises(ValueError, match=r"must be positive.*candidates=0"):
        list(miner.mine([], 0))
    with pytest.raises(ValueError, match=r"`tokenizer` must be one of"):
        CandidateMiner(["an ant"], tokenizer="bpe")
    for name, value, bounds in (
        ("skip", -1, "at least 0"),
        ("depth", -1, "at least 0"),
        ("margin", -0.1, "at least 0"),
        ("margin", math.nan, "at least 0"),
        ("share", 1.1, "from 0 to 1"),
        ("share", -1.0, "from 0 to 1"),
    ):
        with pytest.raises(ValueError, match=f"`{name}` must be {bounds}"):
            list(miner.mine([], **{name: value}))


# Of the question "ant": all scores differ, the right answer is the third.
ANTS = [f"ant {'bee ' * i}" for i in range(1, 7)]


def mined(margin_of=None, **limits):
    miner = CandidateMiner(ANTS, show_progress=False)
    scores = miner.scores("ant")
    assert (np.diff(scores) < 0).all()
    if margin_of is not None:
        # Between the scores of that answer and of the next.
        middle = scores[margin_of : margin_of + 2].mean()
        limits["margin"] = float(scores[2] - middle)
    (found,) = miner.mine([asked(1, "ant", ANTS[2])], 4, False, **limits)
    assert [c.text for c in found.positives] == [ANTS[2]]
    ranks = [ANTS.index(c.text) for c in found.negatives]
    return ranks, miner.left_out, scores


def test_ranks_and_limits_leave_out_likely_right_answers():
    assert mined()[:2] == ([0, 1, 3], 0)
    assert mined(skip=1)[:2] == ([1, 3, 4], 1)
    assert mined(skip=9)[:2] == ([], 5)
    assert mined(margin=0.0)[:2] == ([3, 4, 5], 2)
    assert mined(margin_of=3)[:2] == ([4, 5], 3)
    assert mined(skip=3, margin=0.0)[:2] == ([4, 5], 3)
    scores = mined()[2]
    share = float(scores[3:5].mean() / scores[2])
    assert mined(share=share)[:2] == ([4, 5], 3)
    assert mined(share=1.0)[:2] == ([3, 4, 5], 2)


def test_without_a_score_of_the_right_answer_there_is_no_limit():
    miner = CandidateMiner([*ANTS, "a wasp"], show_progress=False)
    limits = {"margin": 0.0, "share": 0.5}
    (found,) = miner.mine([asked(1, "ant", "a wasp")], 9, False, **limits)
    assert len(found.negatives) == len(ANTS)

    def unread(question, answers):
        return [UNREAD_SCORE if a == "a wasp" else len(a) for a in answers]

    (found,) = miner.mine(
        [asked(1, "ant", "a wasp")], 9, False, scorer=unread, **limits
    )
    assert len(found.negatives) == len(ANTS)


@pytest.mark.parametrize("depth", [0, 3])
def test_a_scorer_orders_what_bm25_found(depth):
    asked_for = []

    def score(question, answers):
        asked_for.extend(answers)
        # The longest first, and all below 0.
        return [len(answer) - 100 for answer in answers]

    answers = [*ANTS, "a wasp of another kind, with many words"]
    miner = CandidateMiner(answers, show_progress=False)
    question = asked(1, "ant", ANTS[4])
    limits = {"scorer": score, "depth": depth, "skip": 1}
    (found,) = miner.mine([question], 3, False, **limits)
    # Depth 0 are all; 3 are the three best, and the right one.
    expected = [4, 1, 0] if depth else [5, 4, 3]
    assert [c.text for c in found.candidates] == [ANTS[i] for i in expected]
    assert len(asked_for) == (len(answers) if depth == 0 else 4)
    (found,) = miner.mine(
        [question], 9, False, scorer=score, depth=depth, margin=0.0
    )
    assert found.candidates[0].label == 1
    limits["scorer"] = lambda question, answers: [0.0]
    with pytest.raises(ValueError, match="one finite score for each answer"):
        list(miner.mine([question], **limits))


@pytest.mark.parametrize("scorer", [None, lambda q, found: [1.0] * len(found)])
def test_what_bm25_missed_is_no_candidate(scorer):
    miner = CandidateMiner(["an ant", "a bee", "the ant"], show_progress=False)
    (found,) = miner.mine(
        [asked(1, "ant", "a bee")], 9, False, add_right=False, scorer=scorer
    )
    assert {c.text for c in found.candidates} == {"an ant", "the ant"}
    assert found.missed == 1


def test_right_answers_keep_their_grades():
    pair = (Candidate("a", "an ant", 2), Candidate("b", "An ANT", 3))
    (found,) = mine_candidates(
        [Question("q", "Which ant?", pair)], show_progress=False
    )
    assert [(c.text, c.label) for c in found.candidates] == [("an ant", 3)]


def test_mined_by_the_constants():
    texts = ("koala koala koala and many other words here", "koala", "emma")
    asked = [Question("q", "koala", (Candidate("1", texts[2], 1),))]

    def wrong(**constants):
        (found,) = mine_candidates(
            asked, texts, 2, show_progress=False, **constants
        )
        return [c.text for c in found.candidates if c.label == 0]

    # Without lengths, three occurrences are better than one.
    assert wrong(b=0.0) == [texts[0]]
    # Without counts and with lengths, the short text is.
    assert wrong(k1=0.01, b=1.0) == [texts[1]]
