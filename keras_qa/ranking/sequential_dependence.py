"""The weighted sequential dependence model of information retrieval."""

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Sequence

import numpy as np

from keras_qa.arguments import check_choice
from keras_qa.datasets.dataset import Question
from keras_qa.ranking.floors import search_terms
from keras_qa.text.packing import RaggedTexts
from keras_qa.text.vocabulary import Vocabulary

CONCEPTS = ("unigram", "ordered", "unordered")
FEATURES = ("constant", "log_cf", "log_df")

SEQUENTIAL_DEPENDENCE = np.array(
    [[0.85, 0.0, 0.0], [0.10, 0.0, 0.0], [0.05, 0.0, 0.0]]
)
"""The weights of the plain model: each concept of a kind counts the same."""

OBJECTIVES = ("MAP", "MRR", "P@1")

# What coordinate ascent adds to a weight and subtracts from it; the weights of
# the plain model sum to 1, and the features lie in [0, 1].
STEPS = tuple(sign * 2.0**-n for n in range(9) for sign in (1, -1))
# An objective that rises by less has converged.
TOLERANCE = 1e-4


class WeightedSequentialDependence:
    """Ranks answers by the question's words and neighbouring pairs of words.

    The concepts c of a question are

    - its words,
    - `#1(a b)`, each two neighbouring words a, b in this order, and
    - `#uwN(a b)`, the same two in any order within N = `window` words: an
      occurrence of one of them counts if the other follows within it.

    An answer D scores

        Σ_c λ(c) ln((tf(c, D) + μ cf(c) / |C|) / (|D| + μ)),
        λ(c) = w_0 + w_1 ln cf(c) / ln |C| + w_2 ln df(c) / ln N,

    with tf the number of occurrences in the answer, cf and df those in the
    collection and the number of its documents with one, |D| and |C| the
    words of the answer and of the collection, and N its documents. The three
    kinds of concepts have three weights w each. A concept that the collection
    does not hold is left out. No label is read but by `fit`.

    Without `fit` it is the sequential dependence model of Metzler and Croft
    (2005) with λ = .85, .10 and .05 for the three kinds, as usual. `fit` finds
    weights by coordinate ascent on a metric, from there.

    Bendersky et al. (2010) also count the concept in outside collections
    (Google's n-grams, Wikipedia's titles, MSN's queries), which this does
    not, and give both kinds of pairs the same λ; that each kind has its own
    is the later form (Bendersky et al. 2011). The logarithms are divided by
    the largest that they can be, which only rescales the weights, and lets
    them be used on a collection of another size.

    Tokens without a letter or a digit are left out before anything else.

    Args:
        collection: texts that are counted in addition to the candidates of the
            questions, such as all answers of a data set.
        mu: strength of the Dirichlet smoothing, in words.
        window: width of the unordered window, in words, both ends included.
        weights: array `(3, 3)`: kinds of concepts in the order of `CONCEPTS`,
            features in that of `FEATURES`.
        tokenizer: name of the tokeniser.
        max_question_length: questions are cut to this many tokens.
        max_answer_length: answers are cut to this many tokens.

    Attributes:
        weights: float array `(3, 3)`, the current weights.

    Raises:
        ValueError: if an argument is out of range.

    Example:
        >>> model = WeightedSequentialDependence()
        >>> model.fit(dataset.questions("train"))
        >>> evaluate(dev, model.scores(dev)).metrics

    Reference: Bendersky, Metzler and Croft, 2010, "Learning Concept
    Importance Using a Weighted Dependence Model" (WSDM); a baseline of Tan
    et al. (2016), section 4.2 and Table 3.
    """

    def __init__(
        self,
        collection: Iterable[str] = (),
        *,
        mu: float = 2500.0,
        window: int = 8,
        weights: np.ndarray = SEQUENTIAL_DEPENDENCE,
        tokenizer: str = "word",
        max_question_length: int | None = None,
        max_answer_length: int | None = None,
    ):
        if not mu > 0:
            raise ValueError(f"`mu` must be positive. Received: mu={mu}")
        if window < 2:
            raise ValueError(
                "`window` must have room for two words. "
                f"Received: window={window}"
            )
        if np.shape(weights) != (len(CONCEPTS), len(FEATURES)):
            raise ValueError(
                "`weights` must have the shape (3, 3). Received: "
                f"weights.shape={np.shape(weights)}"
            )
        self.collection = frozenset(collection)
        self.mu = mu
        self.window = window
        self.weights = np.array(weights, dtype=float)
        self.tokenizer = tokenizer
        self.max_question_length = max_question_length
        self.max_answer_length = max_answer_length

    def scores(self, questions: Sequence[Question]) -> list[np.ndarray]:
        """Scores every candidate.

        Args:
            questions: the questions with their candidates.

        Returns:
            For each question the scores of its candidates, float32.
        """
        return [
            (features @ self.weights.reshape(-1)).astype(np.float32)
            for features in self.features(questions)
        ]

    def fit(
        self,
        questions: Sequence[Question],
        objective: str = "MAP",
        max_cycles: int = 20,
    ) -> float:
        """Sets the weights to what ranks some questions best.

        In turn each weight moves to the best of some values around it while
        the others stay, until a round brings nothing. It starts with the
        current weights.

        Args:
            questions: questions with correct and wrong candidates. Of those
                without either only the words count.
            objective: the metric to raise, one of `OBJECTIVES`. Of equal
                scores those of wrong answers come first.
            max_cycles: largest number of rounds.

        Returns:
            The objective with the new weights.

        Raises:
            ValueError: if there is no such objective, or no question has
                both correct and wrong candidates.
        """
        check_choice("objective", objective, OBJECTIVES)
        labels = [np.array([c.label for c in q.candidates]) for q in questions]
        telling = [i for i, row in enumerate(labels) if len(set(row)) == 2]
        if not telling:
            raise ValueError(
                "`questions` must hold at least one with both correct and "
                f"wrong candidates. Received: {len(questions)} without"
            )
        rankings = _Rankings([labels[i] for i in telling])
        features = self.features(questions)
        weights, reached = _coordinate_ascent(
            self.weights.reshape(-1),
            np.concatenate([features[i] for i in telling]),
            lambda scores: rankings.measure(scores)[objective],
            max_cycles,
        )
        self.weights = weights.reshape(self.weights.shape)
        return reached

    def features(self, questions: Sequence[Question]) -> list[np.ndarray]:
        """The features that the score is a linear function of.

        Args:
            questions: the questions with their candidates.

        Returns:
            For each question a float array `(candidates, 9)`: by kind of
            concept and then by feature, the sum over the concepts of the
            feature times the smoothed log-likelihood.
        """
        answers = {c.text for q in questions for c in q.candidates}
        texts = sorted(self.collection | answers)
        index = {text: i for i, text in enumerate(texts)}
        tokens = [
            search_terms(text, self.tokenizer, self.max_answer_length)
            for text in texts
        ]
        vocabulary = Vocabulary.from_tokens(tokens)
        documents = RaggedTexts.from_sequences(map(vocabulary.encode, tokens))
        queries = [
            vocabulary.encode(
                search_terms(q.text, self.tokenizer, self.max_question_length)
            )
            for q in questions
        ]
        pools = [
            np.array([index[c.text] for c in q.candidates], dtype=np.int64)
            for q in questions
        ]
        columns = [
            _features(kind, documents, queries, pools, self.mu, self.window)
            for kind in CONCEPTS
        ]
        return [np.concatenate(c, axis=1) for c in zip(*columns, strict=True)]


def _features(
    kind: str,
    documents: RaggedTexts,
    queries: list[np.ndarray],
    pools: list[np.ndarray],
    mu: float,
    window: int,
) -> list[np.ndarray]:
    """For each query the features of its pool, for one kind of concepts.

    Args:
        kind: one of `CONCEPTS`.
        documents: the collection.
        queries: the word ids of the questions.
        pools: for each question the numbers of its candidates' documents.
        mu: strength of the smoothing.
        window: width of the unordered window.

    Returns:
        Float arrays `(candidates, 3)`.
    """
    # Ids fit 32 bits, so that a pair of them has one number of 64.
    base = int(documents.ids.max(initial=0)) + 1
    keys = [_concepts(kind, query, base) for query in queries]
    wanted = np.unique(np.concatenate([np.zeros(0, np.int64), *keys]))
    positions, concepts = _occurrences(kind, documents, wanted, base, window)
    number = np.repeat(np.arange(len(documents)), documents.lengths)
    codes, counts = np.unique(
        concepts * len(documents) + number[positions], return_counts=True
    )
    words = len(documents.ids)
    cf = np.bincount(concepts, minlength=len(wanted))
    df = np.bincount(codes // len(documents), minlength=len(wanted))
    result = []
    for query, pool in zip(keys, pools, strict=True):
        rows = np.searchsorted(wanted, query)
        rows = rows[cf[rows] > 0]
        tf = _looked_up(codes, counts, rows[:, None] * len(documents) + pool)
        likelihood = np.log(
            (tf + mu * cf[rows, None] / words) / (documents.lengths[pool] + mu)
        )
        # (concepts, 3); a collection of one word has nothing to divide by.
        importance = np.stack(
            [
                np.ones(len(rows)),
                np.log(cf[rows]) / np.log(max(2, words)),
                np.log(df[rows]) / np.log(max(2, len(documents))),
            ],
            axis=1,
        )
        result.append(likelihood.T @ importance)
    return result


def _concepts(kind: str, ids: np.ndarray, base: int) -> np.ndarray:
    """The concepts of a text, as numbers, repeated ones repeatedly."""
    if kind == "unigram":
        return ids.astype(np.int64)
    return _pairs(kind, ids[:-1], ids[1:], base)


def _pairs(
    kind: str, first: np.ndarray, second: np.ndarray, base: int
) -> np.ndarray:
    """Pairs of words as numbers."""
    if kind == "unordered":
        first, second = np.minimum(first, second), np.maximum(first, second)
    return first.astype(np.int64) * base + second


def _occurrences(
    kind: str,
    documents: RaggedTexts,
    wanted: np.ndarray,
    base: int,
    window: int,
) -> tuple[np.ndarray, np.ndarray]:
    """The positions where wanted concepts begin, and these concepts.

    Returns:
        Positions in the ids of all documents, and indices into `wanted`.
    """
    ids = documents.ids
    if kind == "unigram":
        return _found(ids, wanted)
    number = np.repeat(np.arange(len(documents)), documents.lengths)
    found = []
    for distance in range(1, window if kind == "unordered" else 2):
        keys = _pairs(kind, ids[:-distance], ids[distance:], base)
        keys[number[:-distance] != number[distance:]] = -1
        found.append(_found(keys, wanted))
    positions, concepts = map(np.concatenate, zip(*found, strict=True))
    # A word counts once, however often its partner follows in the window.
    once = np.unique(positions * max(1, len(wanted)) + concepts)
    return np.divmod(once, max(1, len(wanted)))


def _found(
    keys: np.ndarray, wanted: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Which keys are wanted: their positions, and indices into `wanted`."""
    if len(wanted) == 0:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    place = np.minimum(np.searchsorted(wanted, keys), len(wanted) - 1)
    positions = np.flatnonzero(wanted[place] == keys)
    return positions, place[positions]


def _looked_up(
    codes: np.ndarray, counts: np.ndarray, asked: np.ndarray
) -> np.ndarray:
    """The counts of some codes, 0 for those that are not there."""
    place = np.minimum(np.searchsorted(codes, asked), len(codes) - 1)
    return np.where(codes[place] == asked, counts[place], 0)


class _Rankings:
    """The labels of some questions' candidates, to measure scores with.

    This is what a training maximises, not what is reported: `evaluation`
    does that.

    Args:
        labels: for each question those of its candidates.
    """

    def __init__(self, labels: list[np.ndarray]):
        sizes = np.array([len(row) for row in labels])
        self.real = np.arange(sizes.max()) < sizes[:, None]
        self.labels = np.zeros(self.real.shape)
        self.labels[self.real] = np.concatenate(labels)
        # Wrong answers first, for a stable sort to leave them there.
        self.order = np.argsort(self.labels, axis=1, kind="stable")
        self.ranks = np.arange(1, sizes.max() + 1)

    def measure(self, scores: np.ndarray) -> dict[str, float]:
        """The objectives that scores `(candidates,)` of all pools reach."""
        negated = np.full(self.real.shape, np.inf)
        negated[self.real] = -scores
        by_label = np.take_along_axis(negated, self.order, axis=1)
        labels = np.take_along_axis(self.labels, self.order, axis=1)
        ranking = np.argsort(by_label, axis=1, kind="stable")
        labels = np.take_along_axis(labels, ranking, axis=1)
        precisions = labels * np.cumsum(labels, axis=1) / self.ranks
        return {
            "MAP": float((precisions.sum(1) / labels.sum(1)).mean()),
            "MRR": float((1 / (1 + labels.argmax(axis=1))).mean()),
            "P@1": float(labels[:, 0].mean()),
        }


def _coordinate_ascent(
    start: np.ndarray,
    features: np.ndarray,
    objective: Callable[[np.ndarray], float],
    max_cycles: int,
) -> tuple[np.ndarray, float]:
    """Raises an objective of `features @ weights`, a weight at a time.

    Args:
        start: the first weights, `(n,)`.
        features: float array `(rows, n)`.
        objective: what to raise, of scores `(rows,)`.
        max_cycles: largest number of rounds over all weights.

    Returns:
        The weights and the objective they reach.
    """
    weights = start.copy()
    best = objective(features @ weights)
    for _ in range(max_cycles):
        before = best
        for i in range(len(weights)):
            scores = features @ weights
            reached = [objective(scores + s * features[:, i]) for s in STEPS]
            if max(reached) > best:
                best = max(reached)
                weights[i] += STEPS[reached.index(best)]
        if best - before < TOLERANCE:
            break
    return weights, best
