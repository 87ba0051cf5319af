"""The weighted sequential dependence model against loops over the words."""

import itertools
import math
import re

import numpy as np
import pytest

from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.ranking.evaluation import evaluate
from keras_qa.ranking.sequential_dependence import SEQUENTIAL_DEPENDENCE
from keras_qa.ranking.sequential_dependence import WeightedSequentialDependence


def question(text, *answers, right=(0,)):
    return Question(
        text,
        text,
        tuple(
            Candidate(f"{i}", answer, int(i in right))
            for i, answer in enumerate(answers)
        ),
    )


def windows(words, first, second, width):
    """Two pointers walk over the places of both words, the lower one moves."""
    places = [
        [i for i, w in enumerate(words) if w == x] for x in (first, second)
    ]
    count = 0
    while all(places):
        low, high = sorted(range(2), key=lambda k: places[k][0])
        count += places[high][0] - places[low][0] < width
        places[low].pop(0)
    return count


def expected(questions, collection, mu, width):
    """The nine features, one occurrence at a time."""
    texts = {*collection, *(c.text for q in questions for c in q.candidates)}
    documents = {text: text.split() for text in texts}
    total = sum(map(len, documents.values()))

    def unigram(words, word):
        return words.count(word)

    def ordered(words, a, b):
        return sum(pair == (a, b) for pair in itertools.pairwise(words))

    def unordered(words, a, b):
        return windows(words, a, b, width)

    for q in questions:
        asked = q.text.split()
        pairs = list(itertools.pairwise(asked))
        kinds = (
            (unigram, [(word,) for word in asked]),
            (ordered, pairs),
            (unordered, pairs),
        )
        rows = np.zeros((len(q.candidates), 9))
        for row, candidate in zip(rows, q.candidates, strict=True):
            words = documents[candidate.text]
            for kind, (count, concepts) in enumerate(kinds):
                for concept in concepts:
                    counts = [count(d, *concept) for d in documents.values()]
                    cf, df = sum(counts), sum(c > 0 for c in counts)
                    if cf == 0:
                        continue
                    tf = count(words, *concept)
                    f = math.log((tf + mu * cf / total) / (len(words) + mu))
                    row[3 * kind] += f
                    row[3 * kind + 1] += f * math.log(cf) / math.log(total)
                    row[3 * kind + 2] += f * math.log(df) / math.log(len(texts))
        yield rows


def test_windows_counted_by_hand():
    asked = question("a b", "b x a b a", "a a x b b", "a x x x b", "x x")
    model = WeightedSequentialDependence(mu=1e-9, window=4)
    # Almost without smoothing the first column of a kind is ln(tf / |D|),
    # summed over its concepts; the last answer has none.
    features = model.features([asked])[0]
    unigrams, ordered, unordered = np.exp(features[:3, ::3]).T
    assert unigrams * 25 == pytest.approx([2 * 2, 2 * 2, 1])
    # "a b" stands once in the first and nowhere else.
    assert ordered * 5 == pytest.approx([1, 0, 0], abs=1e-6)
    # First: b-a, a-b, b-a. Second: a-b (3 on), a-b (2 on). Third: a-b is 4 on.
    assert unordered * 5 == pytest.approx([3, 2, 0], abs=1e-6)
    wider = WeightedSequentialDependence(mu=1e-9, window=5).features([asked])
    assert np.exp(wider[0][:3, 6]) * 5 == pytest.approx([3, 2, 1])


@pytest.mark.parametrize("window", [2, 3, 8])
def test_features_are_the_sums_of_the_loops(window):
    rng = np.random.default_rng(window)

    def text(low, high):
        return " ".join(rng.choice(list("abcdef"), rng.integers(low, high)))

    # "g" and "zz" are in no answer of some questions, or of all.
    questions = [
        question(f"{text(1, 6)} zz g", *(text(0, 30) for _ in range(4)))
        for _ in range(12)
    ]
    questions.append(question("", "a b", "c"))
    collection = [text(1, 20) + " g" for _ in range(5)]
    model = WeightedSequentialDependence(
        collection, mu=7.5, window=window, tokenizer="whitespace"
    )
    found = model.features(questions)
    by_loops = list(expected(questions, collection, 7.5, window))
    # A pair of equal words is two places of one word, not a place twice.
    plain = [not re.search(r"(\w) \1", q.text) for q in questions]
    assert sum(plain) > 5
    for is_plain, one, other in zip(plain, found, by_loops, strict=True):
        columns = slice(None if is_plain else 6)
        assert one[:, columns] == pytest.approx(other[:, columns])
    model.weights = rng.normal(size=(3, 3))
    for rows, scores in zip(found, model.scores(questions), strict=True):
        assert scores == pytest.approx(rows @ model.weights.ravel(), rel=1e-5)
        assert scores.dtype == np.float32


def test_a_pair_of_equal_words_needs_two_of_them():
    asked = question("b b", "b x b y b", "b x y z", "b b")
    model = WeightedSequentialDependence(mu=1e-9)
    ordered, unordered = np.exp(model.features([asked])[0][:, 3::3]).T
    assert ordered * [5, 4, 2] == pytest.approx([0, 0, 1], abs=1e-6)
    assert unordered * [5, 4, 2] == pytest.approx([2, 0, 1], abs=1e-6)


def test_starts_as_the_sequential_dependence_model():
    asked = question("paris in spring", "spring in paris", "paris in spring")
    model = WeightedSequentialDependence()
    (features,) = model.features([asked])
    (scores,) = model.scores([asked])
    assert scores == pytest.approx(
        0.85 * features[:, 0] + 0.1 * features[:, 3] + 0.05 * features[:, 6]
    )
    assert scores[1] > scores[0]
    assert model.weights.tolist() == SEQUENTIAL_DEPENDENCE.tolist()
    assert model.weights is not SEQUENTIAL_DEPENDENCE


def test_fit_learns_that_order_matters():
    # Bags of words tie, and longer answers with both words come first.
    questions = [
        question(
            f"{a} {b}", f"{b} {a} and so on", f"{a} {b}", f"{a} x", right=(1,)
        )
        for a, b in ("pq", "rs", "tu", "vw")
    ]
    backwards = np.array([[1.0, 0, 0], [-0.9, 0, 0], [0, 0, 0]])
    model = WeightedSequentialDependence(mu=10, weights=backwards)
    before = evaluate(questions, model.scores(questions)).metrics
    reached = {
        objective: model.fit(questions, objective)
        for objective in ("MAP", "MRR", "P@1")
    }
    after = evaluate(questions, model.scores(questions)).metrics
    assert before["P@1"] == 0
    assert after == reached == {"MAP": 1, "MRR": 1, "P@1": 1}


def drawn_questions(seed):
    rng = np.random.default_rng(seed)
    words = list("abcdefghijklmnop")
    return [
        question(
            " ".join(rng.choice(words, 5)),
            *(" ".join(rng.choice(words, 20 + i)) for i in range(size)),
            right=rng.permutation(size)[: rng.integers(1, size)],
        )
        for size in (4, 5, 9, 3, 7) * 3
    ]


@pytest.mark.parametrize("objective", ["MAP", "MRR", "P@1"])
def test_the_objective_is_the_metric(objective):
    questions = drawn_questions(0)
    questions.append(question("a b", "a", "b", right=()))
    questions.append(question("a c", "a", "b", right=(0, 1)))
    # They ask for answers that share nothing.
    model = WeightedSequentialDependence(mu=3, weights=-SEQUENTIAL_DEPENDENCE)
    start = evaluate(questions[:15], model.scores(questions)[:15])
    assert start.ties == 0
    stays = model.fit(questions, objective, max_cycles=0)
    assert stays == pytest.approx(start.metrics[objective])
    reached = model.fit(questions, objective)
    assert reached > stays
    # The other two say nothing, but their words count.
    end = evaluate(questions[:15], model.scores(questions)[:15])
    assert reached == pytest.approx(end.metrics[objective])


def test_more_rounds_reach_more():
    questions = drawn_questions(5)
    start = -SEQUENTIAL_DEPENDENCE
    one, many = (
        WeightedSequentialDependence(mu=3, weights=start).fit(
            questions, max_cycles=cycles
        )
        for cycles in (1, 20)
    )
    assert one < many


def test_equal_scores_count_as_wrong():
    questions = [question("a b", "x", "x", "x", "x", right=(0, 1))]
    model = WeightedSequentialDependence()
    assert model.fit(questions, "P@1") == 0
    assert model.fit(questions, "MRR") == pytest.approx(1 / 3)
    assert model.fit(questions, "MAP") == pytest.approx((1 / 3 + 2 / 4) / 2)


def test_reads_what_the_models_read(capital_questions):
    model = WeightedSequentialDependence(
        max_question_length=4, max_answer_length=3
    )
    # Of "What is the capital" and "The capital of" the third shares most.
    assert np.argmax(model.scores(capital_questions)[0]) == 2


def test_nothing_to_find():
    model = WeightedSequentialDependence()
    assert model.scores([]) == []
    questions = [
        question("?"),
        question("why", "!", "..."),
        question("why", "x"),
    ]
    assert [s.tolist() for s in model.scores(questions)] == [[], [0, 0], [0]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"mu": 0}, "`mu` must be positive. Received: mu=0"),
        ({"mu": float("nan")}, "`mu` must be positive"),
        ({"window": 1}, "`window` must have room for two words"),
        ({"weights": np.ones(3)}, r"shape \(3, 3\). Received: .*\(3,\)"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        WeightedSequentialDependence(**arguments)


def test_bad_training():
    model = WeightedSequentialDependence()
    with pytest.raises(ValueError, match="`objective` must be one of"):
        model.fit([question("a", "b", "c")], "nDCG")
    with pytest.raises(ValueError, match="both correct and wrong"):
        model.fit([question("a", "b"), question("a", "b", right=())])
