"""Samples and splits: sizes, seeds and what must stay together."""

from collections import Counter
from math import comb

import pytest

from keras_qa.datasets.dataset import Question
from keras_qa.datasets.splitting import sample
from keras_qa.datasets.splitting import split_questions
from keras_qa.text.normal_forms import normal_text


def test_a_sample_is_of_the_stream_and_in_its_order():
    chosen = sample(iter(range(1000)), 50, seed=3)
    assert len(set(chosen)) == 50
    assert chosen == sorted(chosen)
    assert set(chosen) <= set(range(1000))
    assert chosen == sample(range(1000), 50, seed=3)
    assert chosen != sample(range(1000), 50, seed=4)
    assert sample(range(7), 50) == list(range(7))


def test_every_sample_is_equally_likely():
    runs = 2000
    counts = Counter(tuple(sample("abcde", 2, seed=s)) for s in range(runs))
    assert len(counts) == comb(5, 2)
    # The standard deviation of each count is 13.
    assert all(abs(n - runs / 10) < 60 for n in counts.values())


def questions(texts):
    return [Question(str(i), text, ()) for i, text in enumerate(texts)]


def test_parts_have_their_shares_and_nothing_is_lost():
    given = questions(f"question {i}" for i in range(100))
    parts = split_questions(given, (8, 1, 1), seed=1)
    assert [len(part) for part in parts] == [80, 10, 10]
    assert {q.id for part in parts for q in part} == {q.id for q in given}
    assert all([int(q.id) for q in p] == sorted(int(q.id) for q in p)
               for p in parts)  # fmt: skip
    assert parts == split_questions(given, (0.8, 0.1, 0.1), seed=1)
    assert parts != split_questions(given, (8, 1, 1), seed=2)
    assert [len(p) for p in split_questions(given, (1, 0, 1))] == [50, 0, 50]


def test_questions_of_one_text_stay_together():
    texts = [f"{'WHY'[: i % 2 + 2]}  number {i % 10}?" for i in range(40)]
    texts += [text.lower().replace("  ", "\t") for text in texts]
    parts = split_questions(questions(texts), (1, 1), seed=0)
    first, second = ({normal_text(q.text) for q in part} for part in parts)
    assert first and second and not first & second


def test_punctuation_makes_no_other_question():
    texts = [f"why {i % 20}{('', '?', ' ?', '.')[i // 20]}" for i in range(80)]
    for part in split_questions(questions([*texts, "???", "!"]), (1, 1)):
        asked = [q.text.strip(" ?.") for q in part if q.text[0] == "w"]
        assert len(asked) == 4 * len(set(asked)) > 0


@pytest.mark.parametrize("shares", [(), (0, 0), (1, -1), (1, float("nan"))])
def test_bad_shares(shares):
    with pytest.raises(ValueError, match=r"`shares` must be.*Received: shares"):
        split_questions(questions("ab"), shares)


def test_bad_size():
    with pytest.raises(ValueError, match=r"`size` must be a positive.*size=0"):
        sample("ab", 0)
