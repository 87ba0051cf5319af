"""InsuranceQA, versions 1 and 2: files of word ids and answer ids.

Feng, Xiang, Glass, Wang and Zhou, "Applying Deep Learning to Answer
Selection: A Study and An Open Task", ASRU 2015.
"""

from collections.abc import Container
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from functools import partial
from pathlib import Path

import numpy as np

from keras_qa.datasets.collection import SPLITS
from keras_qa.datasets.collection import Collection
from keras_qa.datasets.collection import Stream
from keras_qa.datasets.collection import listing
from keras_qa.datasets.collection import make_dataset
from keras_qa.datasets.collection import register
from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Dataset
from keras_qa.datasets.dataset import Pool
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.questions_of_rows import check_id
from keras_qa.errors import DatasetError
from keras_qa.files.text_files import error_at
from keras_qa.files.text_files import find_file
from keras_qa.files.text_files import read_lines

# The tab-separated fields of a line in each kind of question file.
V1_TRAIN = ("question", "golds")
V1_POOL = ("golds", "question", "pool")
V2 = ("domain", "question", "golds", "pool")

# Bounds the memory, since short ids in an answer could repeat a long word.
_MAX_WORD = 256


class InsuranceQA:
    """The vocabulary and the answers, to which all question files refer.

    Each line of the vocabulary is `idx_N<TAB>word`, each line of the answers
    `id<TAB>idx_1 idx_2 ...`. Both are read on first use and kept in memory. A
    text is its words separated by single spaces; questions that list the same
    answer share one string and one candidate.

    Args:
        vocabulary: the file `vocabulary`, plain or `.gz`.
        answers: V1's `answers.label.token_idx` or V2's
            `InsuranceQA.label2answer.token.encoded`, plain or `.gz`.
    """

    def __init__(self, vocabulary: Path, answers: Path):
        self.vocabulary = Path(vocabulary)
        self.answers = Path(answers)

    @cached_property
    def words(self) -> dict[str, str]:
        """The vocabulary, `{"idx_1": word, ...}`.

        Raises:
            DatasetError: if the file or a line is malformed.
        """
        words: dict[str, str] = {}
        form = "`idx_N<TAB>word` with another N in each line"
        for number, name, word in _entries(self.vocabulary, "idx_", form):
            if len(word) > _MAX_WORD:
                raise error_at(
                    self.vocabulary,
                    number,
                    f"a word of at most {_MAX_WORD} characters",
                    word,
                )
            words[name] = word
        return words

    @cached_property
    def texts(self) -> dict[str, str]:
        """All answers, `{id: text}`, in the order of the file.

        Raises:
            DatasetError: if a file or a line is malformed.
        """
        texts: dict[str, str] = {}
        form = "`id<TAB>words` with another id in each line"
        for number, name, tokens in _entries(self.answers, "", form):
            check_id(self.answers, number, name)
            texts[name] = self._text(self.answers, number, tokens)
        return texts

    def answer_texts(self) -> list[str]:
        """The distinct texts of all answers, in the order of the file."""
        return list(dict.fromkeys(self.texts.values()))

    def questions(
        self,
        path: Path,
        fields: tuple[str, ...],
        split: str,
        add_golds: bool = False,
    ) -> Iterator[Question]:
        """Streams the questions of a file.

        Args:
            path: the file, plain or `.gz`.
            fields: the fields of its lines: `V1_TRAIN`, `V1_POOL` or `V2`.
            split: the prefix of the questions' ids, `{split}-{line}`; the
                files have no ids.
            add_golds: True makes correct answers that the pool does not list
                candidates, too. Where lines have no pool, the correct answers
                are the only candidates.

        Yields:
            The questions; candidates have the ids of the answers, in the
            order of the pool. An id that a pool repeats is read once.

        Raises:
            DatasetError: if a line has another number of fields or no correct
                answer, a word is not in the vocabulary, or an id is not in
                the file of answers.
        """
        for pool in self._read(path, fields, split, add_golds, strict=True):
            yield pool.question

    def pools(
        self,
        path: Path,
        fields: tuple[str, ...],
        split: str,
        add_golds: bool = False,
    ) -> Iterator[Pool]:
        """Streams the same questions with the errors of their pools.

        Ids that are not in the file of answers are only counted.
        """
        return self._read(path, fields, split, add_golds, strict=False)

    def add_pools(
        self, questions: Sequence[Question], seed: int, size: int
    ) -> list[Question]:
        """Draws pools for questions, as those of V1's dev and test sets.

        V1's pools were made "by including the correct answer(s) and randomly
        selected candidates from the complete set of unique answers" (Tan et
        al. 2016, section 4); here, the order is random, too.

        Correct answers of a question are in no pool of an equal one as wrong.

        Args:
            questions: the questions, with their correct candidates.
            seed: seed of the draws.
            size: number of candidates of each question; fewer if there are
                fewer answers.

        Returns:
            The questions with their pools.
        """
        rng = np.random.default_rng(seed)
        ids = list(self.texts)
        correct: dict[str, set[str]] = {}
        for question in questions:
            own = correct.setdefault(question.text, set())
            own |= {c.text for c in question.candidates}
        pooled = []
        for question in questions:
            own = correct[question.text]
            count = min(len(ids), size + len(own))
            drawn = [ids[i] for i in rng.choice(len(ids), count, replace=False)]
            others = [i for i in drawn if self.texts[i] not in own]
            room = max(0, size - len(question.candidates))
            pool = [
                *question.candidates,
                *map(self._candidates[0].__getitem__, others[:room]),
            ]
            order = rng.permutation(len(pool))
            pooled.append(
                replace(question, candidates=tuple(pool[i] for i in order))
            )
        return pooled

    @cached_property
    def _candidates(self) -> list[dict[str, Candidate]]:
        """Every answer by its id, as wrong candidates and as correct ones."""
        return [
            {name: Candidate(name, t, label) for name, t in self.texts.items()}
            for label in (0, 1)
        ]

    def _read(
        self,
        path: Path,
        fields: tuple[str, ...],
        split: str,
        add_golds: bool,
        strict: bool,
    ) -> Iterator[Pool]:
        for number, line in read_lines(path):
            values = line.split("\t")
            if len(values) != len(fields):
                expected = "<TAB>".join(fields)
                raise error_at(path, number, f"`{expected}`", line)
            entry = dict(zip(fields, values, strict=True))
            golds = dict.fromkeys(entry["golds"].split())
            if not golds:
                raise error_at(path, number, "ids of correct answers", line)
            listed = entry["pool"].split() if "pool" in entry else []
            ids = dict.fromkeys(listed)
            outside = [name for name in golds if name not in ids]
            if add_golds or "pool" not in entry:
                ids |= dict.fromkeys(outside)
            unknown = {i for i in ids | golds if i not in self.texts}
            if unknown and strict:
                raise error_at(
                    path, number, f"ids that {self.answers} has", min(unknown)
                )
            yield Pool(
                Question(
                    f"{split}-{number}",
                    self._text(path, number, entry["question"]),
                    tuple(self._chosen(ids, golds, unknown)),
                ),
                listed=len(listed) if "pool" in entry else None,
                repeated=len(listed) - len(set(listed)),
                unknown=len(unknown),
                golds=len(golds),
                golds_outside=len(outside) if "pool" in entry else 0,
                golds_unknown=len(unknown & golds.keys()),
            )

    def _chosen(
        self,
        ids: Iterable[str],
        golds: Container[str],
        unknown: Container[str],
    ) -> Iterator[Candidate]:
        wrong, correct = self._candidates
        for name in ids:
            if name not in unknown:
                yield (correct if name in golds else wrong)[name]

    def _text(self, path: Path, number: int, tokens: str) -> str:
        try:
            return " ".join(map(self.words.__getitem__, tokens.split()))
        except KeyError as error:
            raise error_at(
                path, number, f"words of {self.vocabulary}", error.args[0]
            ) from None


def _entries(
    path: Path, begin: str, expected: str
) -> Iterator[tuple[int, str, str]]:
    """Yields number, name and value of each line; names are distinct."""
    seen: set[str] = set()
    for number, line in read_lines(path):
        name, tab, value = line.partition("\t")
        if not tab or not name.startswith(begin) or name in seen:
            raise error_at(path, number, expected, line)
        seen.add(name)
        yield number, name, value


# The folder in which a version is published, and its file of answers.
_VERSIONS = {
    "insuranceqa-v1": ("V1", "answers.label.token_idx"),
    "insuranceqa-v2": ("V2", "InsuranceQA.label2answer.token.encoded"),
}


def open_insuranceqa(
    name: str, folder: Path, *, pool_size: int = 500
) -> Dataset:
    """Opens a version of InsuranceQA.

    Args:
        name: `"insuranceqa-v1"` or `"insuranceqa-v2"`.
        folder: the folder with the files, or with the sub-folder `V1` or `V2`.
        pool_size: number of candidates per question. V1's own pools have 500;
            its held-out training questions get pools of this size. For V2,
            it selects the files, 100, 500, 1000 or 1500.

    Raises:
        DatasetError: if the vocabulary, the answers or all questions are
            missing, or both versions share a folder, whose vocabulary would
            be ambiguous.
    """
    version, answers_name = _VERSIONS[name]
    files = _question_files(version, pool_size)
    looked_for = ["vocabulary", answers_name]
    looked_for += [file for file, _ in files.values()]
    found = {
        file: path
        for file in looked_for
        for home in (folder, folder / version)
        if (path := find_file(home, file))
    }
    if not {"vocabulary", answers_name} < found.keys():
        return make_dataset(name, folder, {}, looked_for)
    vocabulary, answers = found["vocabulary"], found[answers_name]
    others = [n for _, n in _VERSIONS.values() if n != answers_name]
    beside = [n for n in others if find_file(vocabulary.parent, n)]
    if beside or vocabulary.parent != answers.parent:
        raise DatasetError(
            f"{vocabulary}: expected a vocabulary next to {answers_name} and "
            "next to no other version's answers, since the words do not show "
            "which version they are of. Received: a folder with "
            f"{listing(vocabulary.parent)}"
        )
    collection = InsuranceQA(vocabulary, answers)
    arguments = {
        split: (found[file], fields, split, fields is V2 and split == "train")
        for split, (file, fields) in files.items()
        if file in found
    }
    splits: dict[str, Stream] = {
        split: partial(collection.questions, *values)
        for split, values in arguments.items()
    }
    tests = [splits[s] for s in ("test1", "test2") if s in splits]
    if tests:
        splits["test"] = partial(_joined, tests)
    return make_dataset(
        name,
        answers.parent,
        splits,
        looked_for,
        "whitespace",
        answers=collection.answer_texts,
        pools={
            split: partial(collection.pools, *values)
            for split, values in arguments.items()
        },
        pool_size=pool_size,
        unions=frozenset(["test"] if tests else []),
        # Only V1's training questions have no pools.
        add_pools=partial(collection.add_pools, size=pool_size)
        if version == "V1"
        else None,
    )


def _question_files(
    version: str, pool_size: int
) -> dict[str, tuple[str, tuple[str, ...]]]:
    """The name of the file and the fields of its lines, by split."""
    if version == "V1":
        pools = {
            split: (f"question.{split}.label.token_idx.pool", V1_POOL)
            for split in ("dev", "test1", "test2")
        }
        return {"train": ("question.train.token_idx.label", V1_TRAIN), **pools}
    start = f"InsuranceQA.question.anslabel.token.{pool_size}.pool.solr"
    return {
        split: (f"{start}.{part}.encoded", V2)
        for split, part in zip(SPLITS, ("train", "valid", "test"), strict=True)
    }


def _joined(streams: list[Stream]) -> Iterator[Question]:
    for stream in streams:
        yield from stream()


register(
    Collection(
        "insuranceqa-v1",
        "InsuranceQA",
        "the training questions have only their correct answers as candidates, "
        "until a fold of them is held out; dev, test1 and test2 have pools, "
        "and test joins the last two",
        open_insuranceqa,
        {"pool_size": "candidates of a held-out question; default: 500"},
    ),
    Collection(
        "insuranceqa-v2",
        "InsuranceQA",
        "in train, correct answers that are not in the pool are candidates "
        "all the same; dev and test have the pools alone, and about a fifth "
        "of the pools of 500 lack the correct answer",
        open_insuranceqa,
        {"pool_size": "files to read: 100, 500 (default), 1000 or 1500"},
    ),
)
