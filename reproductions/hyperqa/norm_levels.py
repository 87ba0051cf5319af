"""Words by the norm of their vectors (HyperQA, Tables 8 and 9)."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from reproductions.report import markdown


def norm_edges(norms: np.ndarray, levels: int) -> np.ndarray:
    """Divides the range of norms into intervals of equal width.

    The paper's intervals have width 1 (Table 9), which fits its vectors; the
    levels of Table 8 are not defined. The last edge is the 99th percentile of
    the norms, so that a few long vectors do not leave levels empty; larger
    norms belong to the last level.

    Args:
        norms: float array, for example of all words of a data set.
        levels: number of intervals.

    Returns:
        Float array `(levels + 1,)`, from 0.
    """
    return np.linspace(0, np.percentile(norms, 99), levels + 1)


def norm_level(norms: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """The interval of each norm, an integer from 0 to `len(edges) - 2`."""
    return np.searchsorted(edges[1:-1], norms, side="right")


def words_by_norm(
    words: Sequence[str],
    norms: np.ndarray,
    edges: np.ndarray,
    words_per_interval: int = 10,
) -> str:
    """Lists words in each interval of norms (Table 9).

    Args:
        words: the words, most frequent first.
        norms: their norms, float array `(words,)`.
        edges: edges of the intervals, as `norm_edges` gives them.
        words_per_interval: number of words to list per interval, the most
            frequent ones.

    Returns:
        A Markdown table: interval, number of words, words.
    """
    found = norm_level(norms, edges)
    rows = []
    for level, (low, high) in enumerate(pairwise(edges)):
        members = np.flatnonzero(found == level)
        shown = [words[i] for i in members[:words_per_interval]]
        last = level == len(edges) - 2
        rows.append(
            [
                f"{low:.2f} and more" if last else f"{low:.2f}-{high:.2f}",
                f"{len(members):,}",
                ", ".join(shown),
            ]
        )
    return markdown.table(["Norm", "Words", "Most frequent"], rows)


def pair_by_norm_level(
    question: Sequence[str],
    question_norms: np.ndarray,
    answer: Sequence[str],
    answer_norms: np.ndarray,
    edges: np.ndarray,
) -> str:
    """Splits a question and its answer into levels by norm (Table 8).

    Args:
        question: the question's tokens.
        question_norms: the norms of their vectors, float array.
        answer: the answer's tokens.
        answer_norms: the norms of their vectors, float array.
        edges: edges of the levels, as `norm_edges` gives them.

    Returns:
        A Markdown table with the levels H1 (shortest vectors), H2, ... as
        columns, the question and the answer as rows; words that both have are
        bold. A repeated word appears once.
    """
    shared = set(question) & set(answer)
    rows = []
    for name, tokens, norms in (
        ("Q", question, question_norms),
        ("A", answer, answer_norms),
    ):
        found = norm_level(np.asarray(norms), edges)
        cells = []
        for level in range(len(edges) - 1):
            members = dict.fromkeys(
                token
                for token, own in zip(tokens, found, strict=True)
                if own == level
            )
            shown = [f"**{t}**" if t in shared else t for t in members]
            cells.append(", ".join(shown) or "-")
        rows.append([name, *cells])
    heads = [f"H{level}" for level in range(1, len(edges))]
    return markdown.table(["", *heads], rows)
