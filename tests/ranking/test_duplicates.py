"""Nearly equal texts, against the comparison of all pairs."""

import numpy as np
import pytest

from keras_qa.ranking.duplicates import near_duplicates


@pytest.mark.parametrize("threshold", [0.3, 0.5, 0.75, 0.9, 1.0])
def test_all_pairs_and_no_others(threshold):
    rng = np.random.default_rng(0)
    texts = [
        " ".join(rng.choice([f"w{i}" for i in range(8)], rng.integers(0, 9)))
        for _ in range(80)
    ]
    words = [set(text.split()) for text in texts]
    expected = [
        (i, j, len(words[i] & words[j]) / len(words[i] | words[j]))
        for i in range(80)
        for j in range(i + 1, 80)
        if words[i] and words[j]
    ]
    expected = [pair for pair in expected if pair[2] >= threshold]
    assert len(expected) > 10
    assert near_duplicates(texts, threshold) == expected


def test_case_and_marks_do_not_count():
    texts = ["Call us, today!", "today call US", "?", "!"]
    assert near_duplicates(texts) == [(0, 1, 1.0)]
    assert near_duplicates([]) == []
    for threshold in (0, 1.1):
        with pytest.raises(ValueError, match="`threshold` must be above 0"):
            near_duplicates(texts, threshold)
