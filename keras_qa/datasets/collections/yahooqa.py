"""YahooQA: the published pickle of nested dictionaries.

Tay et al., "Learning to Rank Question Answer Pairs with Holographic Dual
LSTM Architecture", SIGIR 2017; HyperQA (4.1) uses the same splits.
"""

import pickle
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from keras_qa.datasets.collection import SPLITS
from keras_qa.datasets.collection import Collection
from keras_qa.datasets.collection import Stream
from keras_qa.datasets.collection import make_dataset
from keras_qa.datasets.collection import register
from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Dataset
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.questions_of_rows import position_id
from keras_qa.errors import DatasetError
from keras_qa.files.plain_pickle import loads
from keras_qa.files.text_files import READ_ERRORS
from keras_qa.files.text_files import check_text
from keras_qa.files.text_files import find_file
from keras_qa.files.text_files import open_bytes
from keras_qa.files.text_files import shorten


class YahooQA:
    """The splits in one pickle.

    The file contains one dictionary, `{"train": ..., "dev": ..., "test": ...}`.
    Each split maps a question to its answers with their labels,
    `{question: [[answer, 0], [answer, 1], ...]}`; the lists may be tuples, and
    other keys of the outer dictionary are ignored. The pickle is read on first
    use, without running code (see `plain_pickle`), and kept in memory.

    Args:
        path: the pickle, plain or `.gz`.
        max_words: answers with more words are skipped; HyperQA, 4.1: "we
            filtered answers that have more than 50 words and less than 5
            characters", interpreted as "or". None keeps them.
        min_characters: answers with fewer characters are skipped.
        encoding: encoding of strings that Python 2 pickled as bytes.
        max_bytes: the largest size of the decompressed pickle; a larger one
            raises an error.
    """

    def __init__(
        self,
        path: Path,
        max_words: int | None = 50,
        min_characters: int = 5,
        encoding: str = "utf-8",
        max_bytes: int = 2**28,
    ):
        self.path = Path(path)
        self.max_words = max_words
        self.min_characters = min_characters
        self.encoding = encoding
        self.max_bytes = max_bytes
        self._splits: dict[object, object] | None = None
        self._size = 0

    def questions(self, split: str) -> Iterator[Question]:
        """Streams the questions of a split.

        Args:
            split: `"train"`, `"dev"` or `"test"`.

        Yields:
            The questions, numbered from 1 in the order of the file;
            candidates have their position as id. A question without an
            answer of allowed length is skipped.

        Raises:
            DatasetError: if the pickle is unsafe, malformed or of another
                layout; the message names the split and the question.
        """
        questions = self._load().get(split)
        left = self._size
        if not isinstance(questions, dict):
            raise self._error(f"[{split!r}]", "a dictionary", questions)
        for number, (text, answers) in enumerate(questions.items(), start=1):
            where = f"[{split!r}], question {number}"
            check_text(self.path, 1, f"in {where}, the question", text)
            if not isinstance(answers, list | tuple):
                raise self._error(where, "a list of answers", answers)
            # In a forged pickle, many questions could share one long list.
            left -= len(answers)
            if left < 0:
                raise self._error(
                    where,
                    f"no more answers than the {self._size} bytes of the file",
                    len(answers),
                )
            candidates = tuple(self._candidates(where, answers))
            if candidates:
                yield Question(str(number), text, candidates)

    def _candidates(
        self, where: str, answers: list[object] | tuple[object, ...]
    ) -> Iterator[Candidate]:
        for position, pair in enumerate(answers):
            if not isinstance(pair, list | tuple) or len(pair) != 2:
                raise self._error(where, "pairs [answer, label]", pair)
            text, label = pair
            check_text(self.path, 1, f"in {where}, the answer", text)
            if not isinstance(label, int | float) or label not in (0, 1):
                raise self._error(where, "a label, 0 or 1", label)
            if self._fits(text):
                yield Candidate(position_id(position), text, int(label))

    def _fits(self, answer: str) -> bool:
        short_enough = (
            self.max_words is None or len(answer.split()) <= self.max_words
        )
        return short_enough and len(answer) >= self.min_characters

    def _load(self) -> dict[object, object]:
        if self._splits is None:
            try:
                with open_bytes(self.path) as stream:
                    data = stream.read(self.max_bytes + 1)
            except READ_ERRORS as error:
                raise self._error("", "a readable file", str(error)) from error
            if len(data) > self.max_bytes:
                raise self._error("", f"at most {self.max_bytes} bytes", "more")
            try:
                splits = loads(data, self.encoding)
            except pickle.UnpicklingError as error:
                expected = (
                    f"strings in {self.encoding}, or another `encoding`, such "
                    "as 'latin-1'"
                    if isinstance(error.__cause__, UnicodeDecodeError)
                    else "a pickle of dict, list, tuple, str, int and float "
                    "only"
                )
                raise self._error("", expected, str(error)) from error
            if not isinstance(splits, dict) or not set(SPLITS) & set(splits):
                found = list(splits) if isinstance(splits, dict) else splits
                raise self._error(
                    "", f"a dictionary with the keys {SPLITS}", found
                )
            self._splits = splits
            self._size = len(data)
        return self._splits

    def _error(
        self, where: str, expected: str, received: object
    ) -> DatasetError:
        # Places in a pickle are given by keys, as it has no lines.
        return DatasetError(
            f"{self.path}{where and ':'}{where}: expected {expected}. "
            f"Received: {shorten(received)}"
        )


def open_yahooqa(
    name: str, folder: Path, *, encoding: str = "utf-8"
) -> Dataset:
    """Opens YahooQA, whose splits are in one file.

    Args:
        name: the data set's name.
        folder: the folder with `env.pkl`, or `data/env.pkl` as published.
        encoding: encoding of strings that Python 2 pickled as bytes.

    Raises:
        DatasetError: if the folder contains neither.
    """
    splits: dict[str, Stream] = {}
    path = find_file(folder, "env.pkl") or find_file(folder, "data/env.pkl")
    if path is not None:
        collection = YahooQA(path, encoding=encoding)
        splits = {s: partial(collection.questions, s) for s in SPLITS}
    return make_dataset(name, folder, splits, ("env.pkl", "data/env.pkl"))


register(
    Collection(
        "yahooqa",
        "YahooQA",
        "with answers of 5 characters to 50 words",
        open_yahooqa,
        {"encoding": "that of strings which Python 2 pickled as bytes"},
    )
)
