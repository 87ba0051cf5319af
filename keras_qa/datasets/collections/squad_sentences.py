"""SQuAD 1.1 as selection of the sentence of a paragraph that answers.

As `keras_qa.datasets.collections.squad`, but the position of the answer, which
the files mark, says which of the paragraph's sentences is right.
"""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from keras_qa.datasets.collection import Collection
from keras_qa.datasets.collection import make_dataset
from keras_qa.datasets.collection import register
from keras_qa.datasets.collections.squad import FILES
from keras_qa.datasets.collections.squad import member
from keras_qa.datasets.collections.squad import question_of
from keras_qa.datasets.collections.squad import text_member
from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Dataset
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.questions_of_rows import position_id
from keras_qa.files.json_stream import error_in
from keras_qa.files.json_stream import read_array
from keras_qa.files.text_files import find_file

# What may end a sentence: a mark and closing quotes or brackets before white
# space, if the next word does not start with a small ASCII letter.
_END = re.compile(
    r"""(?:[.!?]["'”’»)\]]*\s+|\s*\n\s*)(?=["'“‘«(\[]*[^\W_a-z])"""
)
# A period after these, or after a single capital, ends no sentence.
_ABBREVIATIONS = re.compile(
    r"(?:^|[\s(\[\"'“‘.])(?:[A-Z]|Mr|Mrs|Ms|Dr|Prof|Rev|Gen|Col|Capt|Lt|Sgt|"
    r"Gov|Sen|Rep|Hon|Pres|St|Mt|Ft|Jr|Sr|vs|v|cf|ca|c|approx|e\.g|i\.e|al|"
    r"etc|No|Nos|Vol|Fig|pp|p|Inc|Ltd|Co|Corp|Bros|Jan|Feb|Mar|Apr|Aug|Sept|"
    r"Sep|Oct|Nov|Dec)$"
)


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Divides a text into sentences.

    A sentence ends at a line's end, or at `.`, `!` or `?`, with quotes and
    brackets that close there, before white space and a word that does not
    start with a small letter. A period after a common abbreviation, such as
    `Dr.`, or after a single capital, such as an initial, ends none.

    Args:
        text: any string.

    Returns:
        Start and end of each sentence, without white space at its ends.

    Example:
        >>> sentence_spans("Dr. Who left. He came back.")
        [(0, 13), (14, 27)]
    """
    spans, start = [], 0
    for end in _END.finditer(text):
        mark = end.group().strip()
        if mark == "." and _ABBREVIATIONS.search(text[start : end.start()]):
            continue
        spans.append((start, end.end()))
        start = end.end()
    spans.append((start, len(text)))
    stripped = []
    for first, last in spans:
        own = text[first:last]
        if sentence := own.strip():
            first += len(own) - len(own.lstrip())
            stripped.append((first, first + len(sentence)))
    return stripped


def read_squad_sentences(
    path: Path, answered_only: bool = True
) -> Iterator[Question]:
    """Streams the questions of a file, each with its paragraph's sentences.

    A sentence is right if it contains an answer, from `answer_start` on; the
    files have one or several answers to a question. An answer that is in no
    sentence, but in two, makes none right.

    Args:
        path: `train-v1.1.json` or `dev-v1.1.json`, plain, `.gz` or `.bz2`.
        answered_only: True skips questions without a right sentence.

    Yields:
        The questions; the ids of candidates are their positions.

    Raises:
        DatasetError: as `read_paragraphs` of SQuAD, or if an answer is not at
            its place.
    """
    path = Path(path)
    seen: set[str] = set()
    for where, record in read_array(path, "data"):
        paragraphs = member(path, where, record, "paragraphs", list)
        for number, paragraph in enumerate(paragraphs):
            inside = f"{where}.paragraphs[{number}]"
            text = text_member(path, inside, paragraph, "context")
            spans = sentence_spans(text)
            asked = member(path, inside, paragraph, "qas", list)
            for i, one in enumerate(asked):
                place = f"{inside}.qas[{i}]"
                identifier, question = question_of(path, place, one, seen)
                answers = _answers(path, place, one, text)
                candidates = tuple(
                    Candidate(
                        position_id(position),
                        text[start:end],
                        int(any(start <= a and b <= end for a, b in answers)),
                    )
                    for position, (start, end) in enumerate(spans)
                )
                found = Question(identifier, question, candidates)
                if found.positives or not answered_only:
                    yield found


def _answers(
    path: Path, where: str, question: Any, text: str
) -> list[tuple[int, int]]:
    """Start and end of each answer of a question."""
    found = []
    for i, answer in enumerate(member(path, where, question, "answers", list)):
        place = f"{where}.answers[{i}]"
        words = text_member(path, place, answer, "text")
        start = member(path, place, answer, "answer_start", int)
        if start < 0 or not text.startswith(words, start):
            raise error_in(
                path,
                f"{place}.answer_start",
                f"the place of {words!r} in the paragraph",
                start,
            )
        start += len(words) - len(words.lstrip())
        found.append((start, start + len(words.strip())))
    return found


def open_squad_sentences(name: str, folder: Path) -> Dataset:
    """Opens SQuAD 1.1, all of whose files are one split to train on.

    Args:
        name: the data set's name.
        folder: the folder with the JSON files, or one of them.

    Raises:
        DatasetError: if the folder contains neither file.
    """
    paths = [p for file in FILES.values() if (p := find_file(folder, file))]
    splits = {"train": partial(_read_all, paths)} if paths else {}
    return make_dataset(name, folder, splits, FILES.values())


def _read_all(paths: list[Path]) -> Iterator[Question]:
    for path in paths:
        yield from read_squad_sentences(path)


register(
    Collection(
        "squad-sentences",
        "SQuAD",
        "SQuAD 1.1; a question's candidates are the sentences of its "
        "paragraph; train and dev together, to train on",
        open_squad_sentences,
    )
)
