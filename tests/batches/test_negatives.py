"""The negative sampler: never a true answer, hardest first, reproducible."""

from functools import partial

import numpy as np
import pytest

from keras_qa.batches.groups import right_and_wrong
from keras_qa.batches.negatives import NegativeSampler

# Texts 0-2 are questions (2 repeats the text of 0), 10-19 answers.
QUESTIONS = [0, 1, 0]
CANDIDATES = [
    np.array([10, 11, 12, 13]),
    np.array([14, 15, 16, 17, 18]),
    np.array([19, 11]),
]
LABELS = [
    np.array([1, 0, 0, 0]),
    np.array([1, 1, 0, 0, 0]),
    np.array([1, 0]),
]


def make(**arguments):
    return NegativeSampler(QUESTIONS, CANDIDATES, LABELS, **arguments)


def by_index(questions, answers):
    """A scorer that likes texts of high index."""
    assert questions.shape == answers.shape
    return answers.astype(float)


@pytest.mark.once
def test_pairs():
    question, positive, negatives = make(strategy="random").sample(0)
    assert question.tolist() == [0, 1, 1, 0]
    assert positive.tolist() == [10, 14, 15, 19]
    assert negatives.shape == (4, 4)


@pytest.mark.once
@pytest.mark.parametrize("pool", ["own", "all"])
@pytest.mark.parametrize("strategy", ["random", "max", "mix"])
def test_never_a_true_answer_of_the_same_question(strategy, pool):
    sampler = make(strategy=strategy, pool=pool)
    # The two questions with one text share the truths 10 and 19.
    true = {0: {10, 19}, 1: {14, 15}}
    for epoch in range(200):
        question, _, negatives = sampler.sample(epoch, by_index)
        for q, row in zip(question, negatives, strict=True):
            assert not true[q] & set(row.tolist())


@pytest.mark.once
def test_random_draws_own_candidates_without_repetition():
    sampler = make(strategy="random", negatives=3)
    seen = set()
    for epoch in range(50):
        negatives = sampler.sample(epoch)[2]
        assert sorted(negatives[0]) == [11, 12, 13]
        assert sorted(negatives[1]) == [16, 17, 18]
        assert negatives[3][0] == 11
        seen.update(negatives[3][1:].tolist())
    # Where the own candidates run out, every other answer can come.
    assert seen == {11, 12, 13, 14, 15, 16, 17, 18}


@pytest.mark.once
def test_max_takes_the_hardest():
    negatives = make(strategy="max", negatives=2).sample(0, by_index)[2]
    assert negatives[:3].tolist() == [[13, 12], [18, 17], [18, 17]]


@pytest.mark.once
def test_mix_is_half_hardest_half_random():
    sampler = make(strategy="mix", negatives=2)
    rows = [sampler.sample(e, by_index)[2][1].tolist() for e in range(60)]
    assert {first for first, _ in rows} == {18}
    assert {second for _, second in rows} == {16, 17}


@pytest.mark.once
def test_all_reaches_every_wrong_answer():
    sampler = make(strategy="random", pool="all", negatives=1)
    drawn = {sampler.sample(e)[2][0, 0] for e in range(300)}
    assert drawn == set(range(11, 19))


@pytest.mark.once
def test_everything_may_be_more_than_the_candidates():
    everything = np.array([10, 13, 19, 30, 31, 30])
    sampler = make(pool="all", negatives=2, everything=everything)
    drawn = {q: set() for q in QUESTIONS}
    for epoch in range(300):
        question, _, negatives = sampler.sample(epoch, by_index)
        for q, row in zip(question, negatives, strict=True):
            drawn[q].update(row.tolist())
    assert drawn == {0: {13, 30, 31}, 1: {10, 13, 19, 30, 31}}


@pytest.mark.once
def test_own_pools_without_wrong_answers_are_filled_from_everything():
    sampler = NegativeSampler(
        [0], [np.array([10])], [np.array([1])], everything=np.arange(10, 13)
    )
    negatives = sampler.sample(0, by_index)[2]
    assert negatives.shape == (1, 4)
    assert set(negatives[0].tolist()) <= {11, 12}
    only = NegativeSampler(
        [0], [np.array([10])], [np.array([1])], everything=np.array([11])
    )
    assert only.sample(0, by_index)[2].tolist() == [[11] * 4]
    with pytest.raises(ValueError, match="a wrong answer for every"):
        NegativeSampler(
            [0], [np.array([10])], [np.array([1])], everything=np.array([10])
        )


@pytest.mark.once
def test_shared_negatives_stay_uniform_over_the_wrong_answers():
    """Of ten answers, two are true for either question: 8 wrong ones each."""
    sampler = make(strategy="random", pool="all", negatives=4)
    rng = np.random.default_rng(0)
    true = {0: {10, 19}, 1: {14, 15}}
    counts = {q: np.zeros(20) for q in true}
    common = 0
    for epoch in range(1000):
        question, _, negatives = sampler.sample(epoch)
        shared = sampler.share(rng, question, negatives)
        for q, row in zip(question, shared, strict=True):
            assert not true[q] & set(row.tolist())
            counts[q] += np.bincount(row, minlength=20)
        common += (shared[0] == shared[1]).sum()
    # An answer that is true for one of the two is kept from that one alone.
    np.testing.assert_allclose(common / 4000, 6 / 10, atol=0.03)
    for q, found in counts.items():
        wrong = sorted(set(range(10, 20)) - true[q])
        np.testing.assert_allclose(found[wrong] / found.sum(), 1 / 8, rtol=0.1)


@pytest.mark.once
def test_epochs_differ_and_repeat():
    first = make(strategy="random", pool="all").sample(3)[2]
    assert (make(strategy="random", pool="all").sample(3)[2] == first).all()
    assert (make(strategy="random", pool="all").sample(4)[2] != first).any()
    other = make(strategy="random", pool="all", seed=1).sample(3)[2]
    assert (other != first).any()


@pytest.mark.once
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"strategy": "hard"}, "`strategy` must be one of.*'hard'"),
        ({"pool": "mine"}, "`pool` must be one of.*'mine'"),
        ({"negatives": 0}, "`negatives` must be a positive int.*negatives=0"),
        ({"seed": -1}, "`seed` must not be negative.*seed=-1"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        make(**arguments)


@pytest.mark.once
def test_max_needs_a_model():
    with pytest.raises(ValueError, match="`score` is needed"):
        make(strategy="max").sample(0)


@pytest.mark.once
def test_nothing_to_train_on():
    with pytest.raises(ValueError, match="at least one positive"):
        NegativeSampler([0], [np.array([1])], [np.array([0])])
    with pytest.raises(ValueError, match="a wrong answer for every"):
        NegativeSampler([0], [np.array([1])], [np.array([1])])


def test_labels_are_as_many_as_candidates():
    arguments = [0], [np.array([1, 2, 3])], [np.array([1, 0])]
    with pytest.raises(ValueError, match="0 with 3 candidates and 2 labels"):
        NegativeSampler(*arguments, 1, "random")
    with pytest.raises(ValueError, match="0 with 3 candidates and 2 labels"):
        right_and_wrong(*arguments)


def test_questions_are_as_many_as_lists_of_candidates():
    arguments = [0, 1], [np.array([1, 2])], [np.array([1, 0])]
    for take in (partial(NegativeSampler, negatives=1), right_and_wrong):
        with pytest.raises(ValueError, match="2 questions, 1 candidates, 1 l"):
            take(*arguments)


def test_labels_above_0_are_right():
    labels = [np.array([1, -1, 0])]
    sampler = NegativeSampler([0], [np.array([1, 2, 3])], labels, 1, "random")
    assert sampler.positive.tolist() == [1]


@pytest.mark.once
@pytest.mark.parametrize(("size", "least"), [(1, 0), (200, 950)])
def test_the_hardest_are_those_of_as_many_as_asked_for(size, least):
    """The best of n uniform numbers is n / (n + 1) of the way, on average."""
    sampler = NegativeSampler(
        *([0], [np.array([1000])], [np.array([1])]),
        negatives=1,
        strategy="max",
        pool="all",
        hard_pool_size=size,
        everything=np.arange(1000),
    )
    drawn = [
        sampler.sample(epoch, lambda questions, answers: answers)[2].item()
        for epoch in range(30)
    ]
    assert least < np.mean(drawn) < least + 700


@pytest.mark.once
def test_of_an_odd_number_the_odd_one_is_hard():
    sampler = NegativeSampler(
        *([0], [np.arange(10)], [np.array([1] + [0] * 9)]),
        negatives=3,
        strategy="mix",
    )
    rows = [
        sampler.sample(epoch, lambda questions, answers: answers)[2][0]
        for epoch in range(30)
    ]
    assert {(*row[:2].tolist(),) for row in rows} == {(9, 8)}
    assert len({row[2].item() for row in rows}) > 3


def test_a_right_answer_of_an_equal_question_is_not_wrong():
    lists = [np.array([0, 1, 2])] * 2
    _, right, wrong = right_and_wrong(
        np.array([7, 7]), lists, [np.array([1, 0, 0]), np.array([0, 1, 0])]
    )
    assert [one.tolist() for one in right] == [[0, 1]]
    assert [one.tolist() for one in wrong] == [[2]]
