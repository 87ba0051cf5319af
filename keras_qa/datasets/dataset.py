"""Data sets, questions and candidates, the types that all readers use."""

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from pathlib import Path

import numpy as np

from keras_qa.arguments import check_choice
from keras_qa.datasets.folds import read_held_out
from keras_qa.errors import DatasetError
from keras_qa.text.normal_forms import words_of


@dataclass(frozen=True, slots=True)
class Candidate:
    """One candidate answer of a question.

    Attributes:
        id: identifier, unique among the candidates of its question.
        text: the answer's text, as read.
        label: 0 for a wrong answer, 1 for a correct one; up to 3 where a file
            grades correct answers.
    """

    id: str
    text: str
    label: int


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its candidate answers.

    Attributes:
        id: identifier, unique within a split; a string such as `"1.4"`.
        text: the question's text, as read.
        candidates: the candidates in the order of the file.
        missed: number of right answers that the search for candidates missed;
            metrics count them as unranked.
    """

    id: str
    text: str
    candidates: tuple[Candidate, ...]
    # Not in `repr`, from which fingerprints of questions are computed.
    missed: int = field(default=0, repr=False)

    @property
    def positives(self) -> tuple[Candidate, ...]:
        """The correct answers."""
        return tuple(c for c in self.candidates if c.label)

    @property
    def negatives(self) -> tuple[Candidate, ...]:
        """The wrong answers."""
        return tuple(c for c in self.candidates if not c.label)


@dataclass(frozen=True, slots=True)
class Pool:
    """A question of a file that lists candidates by id, and the list's errors.

    Attributes:
        question: the question with the distinct candidates that have a text.
        listed: number of ids in the file's pool; None if the file has no
            pools, only correct answers.
        repeated: number of listed ids that repeat an earlier one.
        unknown: number of distinct ids in the pool or among the correct
            answers that the file of answers lacks.
        golds: number of distinct correct answers.
        golds_outside: number of correct answers that the pool does not list.
        golds_unknown: number of correct answers that the file of answers
            lacks.
    """

    question: Question
    listed: int | None
    repeated: int
    unknown: int
    golds: int
    golds_outside: int
    golds_unknown: int


@dataclass(frozen=True)
class Dataset:
    """A named collection of splits, each read on first use.

    Attributes:
        name: the data set's name on the command line.
        splits: functions that stream the questions of a split, by its name
            (`"train"`, `"dev"`, `"test"`, ...).
        tokenizer: name of the tokeniser for the files, `"whitespace"` for text
            that is tokenised already, `"word"` for running text.
        folds: file that divides the training questions into `train` and
            `dev`, one `question id<TAB>fold` per line, or None.
        answers: function that returns the distinct texts of all answers; None
            if there are only the candidates.
        pools: functions that stream the pools of a split, for an audit, if its
            file lists candidates by id.
        pool_size: number of candidates that a pool should list.
        unions: names of splits that are unions of other splits.
        add_pools: function of questions without wrong candidates and a seed
            that returns them with pools like those of the other splits.
        documents: functions that return the texts of all documents, by split,
            if questions have only their right documents as candidates;
            `keras_qa.ranking.first_stage` finds candidates among them.
    """

    name: str
    splits: Mapping[str, Callable[[], Iterator[Question]]]
    tokenizer: str = "word"
    folds: Path | None = None
    answers: Callable[[], list[str]] | None = None
    pools: Mapping[str, Callable[[], Iterator[Pool]]] = field(
        default_factory=dict
    )
    pool_size: int | None = None
    unions: frozenset[str] = frozenset()
    add_pools: Callable[[Sequence[Question], int], list[Question]] | None = None
    documents: Mapping[str, Callable[[], list[str]]] = field(
        default_factory=dict
    )
    _cache: dict[str, list[Question]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def questions(self, split: str) -> list[Question]:
        """All questions of a split, read on first use and kept in memory.

        Raises:
            DatasetError: if the split does not exist, or its file is bad.
        """
        note = f" for the data set {self.name!r}"
        names = sorted(self.splits)
        check_choice("split", split, names, note=note, error=DatasetError)
        if split not in self._cache:
            self._cache[split] = list(self.splits[split]())
        return self._cache[split]

    def held_out_fold(
        self, split: str = "train", fraction: float = 0.15, seed: int = 0
    ) -> tuple[list[Question], list[Question]]:
        """Divides training questions into a part to fit and one to select.

        Args:
            split: the split to divide.
            fraction: share of the questions that is held out at random if
                `folds` is None or the split is another than `"train"`, and
                with them all that have the same words.
            seed: seed of the random division and of the pools.

        Returns:
            `(train, dev)`, two lists of questions; those of `dev` have pools
            of `add_pools`, if it is not None.

        Raises:
            DatasetError: if the folds file is malformed or lacks a question.
        """
        questions = self.questions(split)
        if self.folds is not None and split == "train":
            ranked = [q.id for q in questions if q.candidates]
            held_out = read_held_out(self.folds, ranked)
        else:
            # Of questions, not of texts as in `split_questions`: where no two
            # are equal, folds are those of the recorded runs.
            order = np.random.default_rng(seed).permutation(len(questions))
            chosen = order[: max(1, round(fraction * len(questions)))]
            texts = {words_of(questions[i].text) for i in chosen}
            held_out = {q.id for q in questions if words_of(q.text) in texts}
        train = [q for q in questions if q.id not in held_out]
        dev = [q for q in questions if q.id in held_out]
        if self.add_pools is not None:
            dev = self.add_pools(dev, seed)
        return train, dev
