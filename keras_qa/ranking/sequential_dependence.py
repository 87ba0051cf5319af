"""The weighted sequential dependence model of information retrieval."""

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Sequence

import numpy as np

from keras_qa.arguments import check_above_zero
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

# The changes of a weight that coordinate ascent tries; the weights of the plain
# model sum to 1, and the features lie in [0, 1].
STEPS = tuple(sign * 2.0**-n for n in range(9) for sign in (1, -1))
# The ascent has converged when the objective rises by less.
TOLERANCE = 1e-4


class WeightedSequentialDependence:
    """Ranks answers by the question's words and neighbouring pairs of words.

    The concepts c of a question are

    - its words,
    - `#1(a b)`, each two neighbouring words a, b in this order, and
    - `#uwN(a b)`, a and b in any order within N = `window` words: an
      occurrence of one counts if the other follows in the window.

    The score of an answer D is

        Σ_c λ(c) ln((tf(c, D) + μ cf(c) / |C|) / (|D| + μ)),
        λ(c) = w_0 + w_1 ln cf(c) / ln |C| + w_2 ln df(c) / ln N,

    with tf and cf the numbers of occurrences in the answer and in the
    collection, df the number of documents of the collection that contain c,
    |D| and |C| the lengths of the answer and of the collection in words, and N
    the number of documents. Each of the three kinds of concepts has three
    weights w. Concepts that do not occur in the collection are ignored. Only
    `fit` reads labels.

    With the default weights this is the sequential dependence model of Metzler
    and Croft (2005) with the usual λ = .85, .10 and .05. `fit` improves the
    weights by coordinate ascent on a metric.

    Bendersky et al. (2010) also count concepts in external collections
    (Google's n-grams, Wikipedia's titles, MSN's queries), which is not done
    here, and have one λ for both kinds of pairs; separate ones are the later
    form (Bendersky et al. 2011). Dividing the logarithms by their largest
    values only rescales the weights, and makes them comparable between
    collections of different sizes.

    Tokens without a letter or a digit are removed from cut texts first.

    Args:
        collection: documents of the collection in addition to the candidates
            of the questions, such as all answers of a data set.
        mu: strength of the Dirichlet smoothing, in words.
        window: width of the unordered window, in words, both ends included.
        weights: array `(3, 3)`: kinds of concepts in the order of `CONCEPTS`,
            features in the order of `FEATURES`.
        tokenizer: name of the tokeniser.
        max_question_length: number of tokens that questions are cut to.
        max_answer_length: number of tokens that answers are cut to.

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
        check_above_zero(mu=mu)
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
        """Optimises the weights by coordinate ascent.

        From the current weights on, each weight in turn takes the best of some
        values around it, until a round over all weights brings no improvement.

        Args:
            questions: questions with candidates. Those that lack correct or
                wrong ones only add documents to the collection.
            objective: the metric to maximise, one of `OBJECTIVES`. Among equal
                scores, wrong answers come first.
            max_cycles: largest number of rounds.

        Returns:
            The value of the objective with the new weights.

        Raises:
            ValueError: if `objective` is unknown, or no question has both
                correct and wrong candidates.
        """
        check_choice("objective", objective, OBJECTIVES)
        labels = [
            np.array([int(c.label > 0) for c in q.candidates])
            for q in questions
        ]
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
        """The features of which the score is a linear function.

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
    # Ids fit 32 bits, so that 64 bits hold a pair of them.
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
        # `(concepts, 3)`; `max` avoids dividing by ln 1 = 0.
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
    """The concepts of a text as integer codes, with repetitions."""
    if kind == "unigram":
        return ids.astype(np.int64)
    return _pairs(kind, ids[:-1], ids[1:], base)


def _pairs(
    kind: str, first: np.ndarray, second: np.ndarray, base: int
) -> np.ndarray:
    """Pairs of words as integer codes."""
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
    """The occurrences of the wanted concepts.

    Returns:
        Their first positions in the ids of all documents, and their indices
        in `wanted`.
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
    """The positions of the wanted keys, and their indices in `wanted`."""
    if len(wanted) == 0:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    place = np.minimum(np.searchsorted(wanted, keys), len(wanted) - 1)
    positions = np.flatnonzero(wanted[place] == keys)
    return positions, place[positions]


def _looked_up(
    codes: np.ndarray, counts: np.ndarray, asked: np.ndarray
) -> np.ndarray:
    """The counts of the codes `asked`, 0 for those not in `codes`."""
    place = np.minimum(np.searchsorted(codes, asked), len(codes) - 1)
    return np.where(codes[place] == asked, counts[place], 0)


class _Rankings:
    """Objectives of training; `evaluation` computes the reported metrics.

    Args:
        labels: for each question the labels of its candidates.
    """

    def __init__(self, labels: list[np.ndarray]):
        sizes = np.array([len(row) for row in labels])
        self.real = np.arange(sizes.max()) < sizes[:, None]
        self.labels = np.zeros(self.real.shape)
        self.labels[self.real] = np.concatenate(labels)
        # Wrong answers first, so that a stable sort keeps them first in ties.
        self.order = np.argsort(self.labels, axis=1, kind="stable")
        self.ranks = np.arange(1, sizes.max() + 1)

    def measure(self, scores: np.ndarray) -> dict[str, float]:
        """The objectives of the scores `(candidates,)` of all questions."""
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
    """Maximises an objective of `features @ weights`, one weight at a time.

    Args:
        start: the initial weights, `(n,)`.
        features: float array `(rows, n)`.
        objective: the function of scores `(rows,)` to maximise.
        max_cycles: largest number of rounds over all weights.

    Returns:
        The new weights and the value of the objective.
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
