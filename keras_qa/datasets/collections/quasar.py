"""QUASAR-T: trivia questions with passages that a search engine found.

Dhingra, Mazaitis and Cohen, "Quasar: Datasets for Question Answering by
Search and Reading", 2017; MRNN, 4.1.3. A question has 100 short passages
(sentences) or 20 long ones, found by Lucene in ClueWeb09, best first.
"""

from collections.abc import Iterator
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

from keras_qa.arguments import check_choice
from keras_qa.arguments import check_positive_or_none
from keras_qa.datasets.collection import SPLITS
from keras_qa.datasets.collection import Collection
from keras_qa.datasets.collection import Stream
from keras_qa.datasets.collection import make_dataset
from keras_qa.datasets.collection import register
from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Dataset
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.questions_of_rows import check_id
from keras_qa.datasets.questions_of_rows import position_id
from keras_qa.errors import DatasetError
from keras_qa.files.json_stream import read_records
from keras_qa.files.text_files import check_text
from keras_qa.files.text_files import error_at
from keras_qa.files.text_files import find_file
from keras_qa.text.tokenizer import lower_case
from keras_qa.text.tokenizer import tokenize

CONTEXTS = ("short", "long")
RELEVANCE = ("words", "characters")

# Number of words of an answer that a quick check looks for.
_QUICK_PARTS = 8


def read_quasar(
    questions: Path,
    contexts: Path,
    *,
    relevance: str = "words",
    most: int | None = None,
) -> Iterator[Question]:
    """Streams the questions of a split with their passages.

    Each line of `questions` is `{"uid": ..., "question": ..., "answer": ...,
    "tags": [...]}`, the same line of `contexts` is `{"uid": ..., "contexts":
    [[score, passage], ...]}`. One question is in memory at a time.

    The files do not say which passages answer a question. As in the
    literature (Wang et al. 2018, Htut et al. 2018), passages that contain the
    answer are right, even if they do not support it.

    Args:
        questions: `questions/SPLIT_questions.json`, plain or `.gz`.
        contexts: `contexts/KIND/SPLIT_contexts.json`, plain or `.gz`.
        relevance: how a passage contains the answer: `"words"`, as a sequence
            of lower-case tokens (so that "art" is not in "party"), or
            `"characters"`, as a lower-case string.
        most: number of passages of a question that are read; None reads all.

    Yields:
        The questions; candidates keep the order of the search engine and have
        their position as id. Where none of them contains the answer, `missed`
        is 1.

    Raises:
        DatasetError: if a line is malformed, an id is used twice, or the files
            differ in their questions or the order of these.
        ValueError: if `relevance` is unknown or `most` is not positive.
    """
    check_choice("relevance", relevance, RELEVANCE)
    check_positive_or_none(most=most)
    questions, contexts = Path(questions), Path(contexts)
    seen: set[str] = set()
    pairs = zip_longest(read_records(questions), read_records(contexts))
    for asked, found in pairs:
        if asked is None or found is None:
            raise _other_lengths(questions, contexts, asked is None)
        line, record = asked
        uid = check_id(questions, line, _text(questions, line, record, "uid"))
        if uid in seen:
            raise error_at(questions, line, "another uid in each line", uid)
        seen.add(uid)
        text = _text(questions, line, record, "question")
        answer = _text(questions, line, record, "answer")
        line, record = found
        if record.get("uid") != uid:
            raise error_at(
                contexts,
                line,
                f"the uid {uid!r}, as in the same line of {questions}",
                record.get("uid"),
            )
        passages = _passages(contexts, line, record.get("contexts"))[:most]
        contains = _Answer(answer, relevance)
        candidates = tuple(
            Candidate(position_id(i), passage, int(passage in contains))
            for i, passage in enumerate(passages)
        )
        missed = int(not any(c.label for c in candidates))
        yield Question(uid, text, candidates, missed)


class _Answer:
    """A container of the texts that contain an answer."""

    def __init__(self, answer: str, relevance: str):
        self._words = relevance == "words"
        # A quick check: each token must occur in the lower-case passage.
        self._parts = (
            tokenize(answer) if self._words else [lower_case(answer).strip()]
        )
        self._spelled = f" {' '.join(self._parts)} "
        self._parts = self._parts[:_QUICK_PARTS]

    def __contains__(self, passage: str) -> bool:
        lowered = lower_case(passage)
        if not all(self._parts) or not self._parts:
            return False
        if not all(part in lowered for part in self._parts):
            return False
        return not self._words or self._spelled in (
            f" {' '.join(tokenize(passage))} "
        )


def _text(path: Path, line: int, record: dict[str, Any], name: str) -> str:
    return check_text(path, line, f"`{name}`", record.get(name))


def _passages(path: Path, line: int, contexts: object) -> list[str]:
    if not isinstance(contexts, list):
        raise error_at(path, line, "`contexts` to be an array", contexts)
    passages = []
    for pair in contexts:
        if not isinstance(pair, list) or len(pair) != 2:
            raise error_at(path, line, "pairs [score, passage]", pair)
        passages.append(check_text(path, line, "the passage", pair[1]))
    return passages


def _other_lengths(
    questions: Path, contexts: Path, more_contexts: bool
) -> DatasetError:
    longer, shorter = (
        (contexts, questions) if more_contexts else (questions, contexts)
    )
    return DatasetError(
        f"{longer}: expected as many lines as {shorter} has. Received: more"
    )


def open_quasar(
    name: str,
    folder: Path,
    *,
    contexts: str = "short",
    relevance: str = "words",
    pool_size: int = 500,
) -> Dataset:
    """Opens QUASAR-T; a split needs its questions and its passages.

    Args:
        name: the data set's name.
        folder: the folder that contains `questions` and `contexts`.
        contexts: `"short"`, 100 sentences for each question, or `"long"`, 20
            longer passages.
        relevance: which passages are right; see `read_quasar`.
        pool_size: number of the first passages of each question that are read.

    Raises:
        DatasetError: if the folder has no split.
        ValueError: if `contexts` or `relevance` is unknown.
    """
    check_choice("contexts", contexts, CONTEXTS)
    check_choice("relevance", relevance, RELEVANCE)
    looked_for: list[str] = []
    splits: dict[str, Stream] = {}
    for split in SPLITS:
        names = (
            f"questions/{split}_questions.json",
            f"contexts/{contexts}/{split}_contexts.json",
        )
        looked_for += names
        paths = [path for file in names if (path := find_file(folder, file))]
        if len(paths) == len(names):
            splits[split] = partial(
                read_quasar, *paths, relevance=relevance, most=pool_size
            )
    return make_dataset(name, folder, splits, looked_for)


register(
    Collection(
        "quasar-t",
        "quasar-t",
        "QUASAR-T, whose passages are right if they contain the answer",
        open_quasar,
        {
            "contexts": "'short' passages (default) or 'long' ones",
            "relevance": "how a right passage contains the answer: as "
            "'words' (default) or 'characters'",
            "pool_size": "passages of a question at most; default: 500",
        },
        retrieval=True,
    )
)
