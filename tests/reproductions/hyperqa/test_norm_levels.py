"""The words and pairs of the tables by norm."""

import numpy as np

from reproductions.hyperqa.norm_levels import norm_edges
from reproductions.hyperqa.norm_levels import norm_level
from reproductions.hyperqa.norm_levels import pair_by_norm_level
from reproductions.hyperqa.norm_levels import words_by_norm


def test_edges_are_equally_wide():
    # The 99th percentile of 0, 1, ..., 100 is 99.
    edges = norm_edges(np.arange(101.0), 3)
    np.testing.assert_allclose(edges, [0, 33, 66, 99])
    np.testing.assert_array_equal(
        norm_level(np.array([0, 32.9, 33, 66, 99, 1000]), edges),
        [0, 0, 1, 2, 2, 2],
    )


def test_words_stand_in_their_interval():
    table = words_by_norm(
        ["the", "of", "put", "ebay", "to"],
        np.array([0.1, 0.9, 1.5, 7.0, 0.5]),
        np.array([0.0, 1.0, 2.0]),
        words_per_interval=2,
    )
    assert table.splitlines()[2:] == [
        "| 0.00-1.00 | 3 | the, of |",
        "| 1.00 and more | 2 | put, ebay |",
    ]


def test_pair_is_split_by_level():
    table = pair_by_norm_level(
        ["who", "is", "the", "founder", "of", "the", "site"],
        np.array([1.5, 0.1, 0.2, 2.5, 0.3, 0.2, 2.1]),
        ["the", "founder", "sold", "it"],
        np.array([0.2, 2.5, 1.1, 0.4]),
        np.array([0.0, 1.0, 2.0, 3.0, 4.0]),
    )
    assert table.splitlines() == [
        "|  | H1 | H2 | H3 | H4 |",
        "| --- | --- | --- | --- | --- |",
        "| Q | is, **the**, of | who | **founder**, site | - |",
        "| A | **the**, it | sold | **founder** | - |",
    ]
