"""Counting of a data set's content in one pass over every split."""

import re
from collections import Counter
from collections.abc import Iterable
from collections.abc import Iterator
from dataclasses import fields
from itertools import chain
from itertools import combinations

import numpy as np

from keras_qa.datasets.audit.published import published_counts
from keras_qa.datasets.audit.results import PERCENTILES
from keras_qa.datasets.audit.results import Audit
from keras_qa.datasets.audit.results import Overlap
from keras_qa.datasets.audit.results import PoolAudit
from keras_qa.datasets.audit.results import SplitAudit
from keras_qa.datasets.dataset import Dataset
from keras_qa.datasets.dataset import Pool
from keras_qa.datasets.dataset import Question
from keras_qa.text.normal_forms import normal_text
from keras_qa.text.normal_forms import words_of
from keras_qa.text.tokenizer import tokenize

# A tag, or an entity by its name or its number.
_HTML = re.compile(r"</?[a-zA-Z][^<>]*>|&(?:[a-zA-Z]+|#\d+|#x[0-9a-fA-F]+);")


class _Answers:
    """Maps a text to its number as an answer, its length and if it has HTML.

    Texts that differ only in case and white space have the same number. All
    are cached, because pools repeat texts many times.
    """

    def __init__(self, tokenizer: str):
        self._tokenizer = tokenizer
        self._texts: dict[str, tuple[int, int, bool]] = {}
        self._numbers: dict[str, int] = {}

    def __getitem__(self, text: str) -> tuple[int, int, bool]:
        if text not in self._texts:
            normal = normal_text(text)
            number = self._numbers.setdefault(normal, len(self._numbers))
            length = len(tokenize(text, self._tokenizer))
            self._texts[text] = number, length, bool(_HTML.search(text))
        return self._texts[text]


# The numbers of the answers by question text, as arrays to save memory: pools
# of 1,500 make many millions of pairs.
_Pairs = dict[str, list[np.ndarray]]


def audit_dataset(dataset: Dataset) -> Audit:
    """Counts the content of a data set, reading every split once.

    Args:
        dataset: the data set; its questions are streamed, and only distinct
            texts are kept in memory.

    Raises:
        DatasetError: if a file is bad.
    """
    answers = _Answers(dataset.tokenizer)
    splits: dict[str, SplitAudit] = {}
    pairs: dict[str, _Pairs] = {}
    pools: dict[str, PoolAudit] = {}
    for split, stream in dataset.splits.items():
        if split in dataset.unions:
            continue
        pairs[split] = {}
        questions = stream()
        if split in dataset.pools:
            # The same questions, but ids without a text raise no error.
            checks = _PoolChecks(dataset.pool_size)
            questions = checks.watch(dataset.pools[split]())
        splits[split] = _audit_split(
            questions, dataset.tokenizer, answers, pairs[split]
        )
        if split in dataset.pools:
            pools[split] = checks.result()
    overlaps = [
        _overlap(first, second, pairs[first], pairs[second])
        for first, second in combinations(splits, 2)
    ]
    return Audit(
        dataset.name,
        dataset.tokenizer,
        splits,
        overlaps,
        dataset.pool_size,
        pools,
        published_counts(dataset.name),
    )


class _PoolChecks:
    """Counts the errors of pools, while their questions are read."""

    def __init__(self, size: int | None):
        self._size = size
        self._counts: Counter[str] = Counter()

    def watch(self, pools: Iterable[Pool]) -> Iterator[Question]:
        for pool in pools:
            self._counts.update(
                repeated=pool.repeated,
                unknown=pool.unknown,
                golds_unknown=pool.golds_unknown,
                golds_outside=pool.golds_outside,
            )
            if pool.listed is not None:
                self._counts.update(
                    pools=1,
                    other_size=pool.listed != self._size,
                    without_gold=pool.golds == pool.golds_outside,
                )
            yield pool.question

    def result(self) -> PoolAudit:
        return PoolAudit(**{f.name: self._counts[f.name] for f in _POOL_FIELDS})


_POOL_FIELDS = fields(PoolAudit)


def _overlap(
    first: str, second: str, of_first: _Pairs, of_second: _Pairs
) -> Overlap:
    questions = of_first.keys() & of_second.keys()
    answers, more_answers = (
        np.unique(_joined(chain.from_iterable(pairs.values())))
        for pairs in (of_first, of_second)
    )
    return Overlap(
        first,
        second,
        len(questions),
        len(np.intersect1d(answers, more_answers, assume_unique=True)),
        sum(
            len(np.intersect1d(_joined(of_first[q]), _joined(of_second[q])))
            for q in questions
        ),
    )


def _joined(numbers: Iterable[np.ndarray]) -> np.ndarray:
    return np.concatenate([np.zeros(0, np.int32), *numbers])


def _audit_split(
    questions: Iterable[Question],
    tokenizer: str,
    answers: _Answers,
    pairs: _Pairs,
) -> SplitAudit:
    pools: list[int] = []
    question_lengths: Counter[int] = Counter()
    answer_lengths: Counter[int] = Counter()
    grades: Counter[int] = Counter()
    positives = negatives_only = positives_only = duplicates = conflicts = 0
    marked_up = 0
    for question in questions:
        size, correct = len(question.candidates), len(question.positives)
        pools.append(size)
        positives += correct
        negatives_only += size > 0 and correct == 0
        positives_only += size > 0 and correct == size
        question_lengths[len(tokenize(question.text, tokenizer))] += 1
        marked_up += bool(_HTML.search(question.text))
        labels: dict[int, int] = {}
        for candidate in question.candidates:
            number, length, has_html = answers[candidate.text]
            marked_up += has_html
            answer_lengths[length] += 1
            grades[candidate.label] += 1
            duplicates += number in labels
            conflicts += labels.setdefault(number, candidate.label) != (
                candidate.label
            )
        numbers = np.fromiter(labels, np.int32)
        pairs.setdefault(words_of(question.text), []).append(numbers)
    return SplitAudit(
        questions=len(pools),
        candidates=sum(pools),
        positives=positives,
        pool_sizes=_percentiles(Counter(pools), (0, 50, 100)),
        without_candidates=pools.count(0),
        negatives_only=negatives_only,
        positives_only=positives_only,
        duplicates=duplicates,
        conflicts=conflicts,
        question_lengths=_percentiles(question_lengths, PERCENTILES),
        answer_lengths=_percentiles(answer_lengths, PERCENTILES),
        empty_questions=question_lengths[0],
        empty_answers=answer_lengths[0],
        marked_up=marked_up,
        grades=dict(sorted(grades.items()))
        if max(grades, default=0) > 1
        else {},
    )


def _percentiles(counts: Counter[int], at: tuple[int, ...]) -> list[int]:
    if not counts:
        return [0] * len(at)
    values = np.repeat(list(counts), list(counts.values()))
    # A percentile is the smallest value that this share does not exceed.
    return np.percentile(values, at, method="inverted_cdf").tolist()
