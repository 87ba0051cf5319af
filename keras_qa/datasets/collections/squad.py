"""SQuAD 1.1 as retrieval of the paragraph that answers a question.

Rajpurkar, Zhang, Lopyrev and Liang, "SQuAD: 100,000+ Questions for Machine
Comprehension of Text", EMNLP 2016; MRNN, 4.1.1. The position of the answer in
the paragraph, which the files mark, is ignored.
"""

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from keras_qa.arguments import check_choice
from keras_qa.datasets.collection import Collection
from keras_qa.datasets.collection import make_dataset
from keras_qa.datasets.collection import register
from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Dataset
from keras_qa.datasets.dataset import Question
from keras_qa.files.json_stream import error_in
from keras_qa.files.json_stream import read_array
from keras_qa.files.text_files import find_file

FILES = {"train": "train-v1.1.json", "dev": "dev-v1.1.json"}
"""The name of each split's file; the test set is not published."""

DEV_ARTICLE = 4
"""In `squad-articles` every fourth article of the file is of the split dev."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph of an article.

    Attributes:
        id: indices of the article and of the paragraph in it, such as `"12-3"`.
        text: the paragraph.
        questions: ids and texts of the questions that were asked about it.
    """

    id: str
    text: str
    questions: tuple[tuple[str, str], ...]


def read_paragraphs(path: Path) -> Iterator[Paragraph]:
    """Streams the paragraphs of `train-v1.1.json` or `dev-v1.1.json`.

    One article is in memory at a time.

    Args:
        path: the file, plain, `.gz` or `.bz2`.

    Yields:
        All paragraphs, with or without questions, in the order of the file.

    Raises:
        DatasetError: if the file is malformed, an id is used twice, or a
            question is an unanswerable one of SQuAD 2.0; the message names
            the place, such as `data[12].paragraphs[3].qas[0].question`.
    """
    path = Path(path)
    seen: set[str] = set()
    for article, (where, record) in enumerate(read_array(path, "data")):
        paragraphs = member(path, where, record, "paragraphs", list)
        for number, paragraph in enumerate(paragraphs):
            inside = f"{where}.paragraphs[{number}]"
            text = text_member(path, inside, paragraph, "context")
            asked = member(path, inside, paragraph, "qas", list)
            yield Paragraph(
                f"{article}-{number}",
                text,
                tuple(
                    question_of(path, f"{inside}.qas[{i}]", question, seen)
                    for i, question in enumerate(asked)
                ),
            )


def read_squad(path: Path) -> Iterator[Question]:
    """Streams the questions of a file, each with its paragraph.

    Args:
        path: see `read_paragraphs`.

    Yields:
        The questions with one candidate, labelled 1;
        `keras_qa.ranking.first_stage` finds other candidates.

    Raises:
        DatasetError: see `read_paragraphs`.
    """
    yield from _questions(read_paragraphs(path))


def _questions(paragraphs: Iterable[Paragraph]) -> Iterator[Question]:
    for paragraph in paragraphs:
        candidates = (Candidate(paragraph.id, paragraph.text, 1),)
        for identifier, text in paragraph.questions:
            yield Question(identifier, text, candidates)


def paragraph_texts(*paths: Path) -> list[str]:
    """The distinct texts of the paragraphs of files, in order.

    Args:
        *paths: see `read_paragraphs`.

    Raises:
        DatasetError: see `read_paragraphs`.
    """
    texts = (p.text for path in paths for p in read_paragraphs(path))
    return list(dict.fromkeys(texts))


def split_articles(path: Path, split: str) -> Iterator[Paragraph]:
    """Streams the paragraphs of the articles of one split of a file.

    Args:
        path: see `read_paragraphs`.
        split: `"dev"` for every fourth article, `"train"` for the others.

    Raises:
        DatasetError: see `read_paragraphs`.
    """
    for paragraph in read_paragraphs(path):
        article = int(paragraph.id.partition("-")[0]) + 1
        if (article % DEV_ARTICLE == 0) == (split == "dev"):
            yield paragraph


def question_of(
    path: Path, where: str, record: object, seen: set[str]
) -> tuple[str, str]:
    """The checked id and text of a question; its id is added to `seen`."""
    identifier = text_member(path, where, record, "id")
    text = text_member(path, where, record, "question")
    if identifier.split() != [identifier] or identifier in seen:
        raise error_in(
            path, f"{where}.id", "an id of its own, without blanks", identifier
        )
    seen.add(identifier)
    if isinstance(record, dict) and record.get("is_impossible"):
        raise error_in(
            path, where, "a question of SQuAD 1.1", "is_impossible of SQuAD 2.0"
        )
    return identifier, text


def text_member(path: Path, where: str, record: object, name: str) -> str:
    """A checked text of a JSON object at a place of a file."""
    text = member(path, where, record, name, str)
    try:
        text.encode("utf-8")
    # Escapes can produce surrogates, which UTF-8 cannot encode.
    except UnicodeEncodeError:
        raise error_in(
            path, f"{where}.{name}", "a text without surrogates", text
        ) from None
    return text


def member(
    path: Path, where: str, record: object, name: str, kind: type
) -> Any:
    """A member of a JSON object at a place of a file, of a given type."""
    found = record.get(name) if isinstance(record, dict) else record
    if not isinstance(record, dict) or not isinstance(found, kind):
        what = {str: "a string", int: "a number"}.get(kind, "an array")
        raise error_in(path, f"{where}.{name}", what, found)
    return found


def open_squad(name: str, folder: Path, *, paragraphs: str = "all") -> Dataset:
    """Opens SQuAD 1.1, which has no published test set.

    Args:
        name: the data set's name.
        folder: the folder with the JSON files.
        paragraphs: the documents among which a question's paragraph is
            searched for: `"all"` paragraphs (20,958 distinct ones in train and
            dev), or those of the question's `"split"`.

    Raises:
        DatasetError: if the folder contains neither file.
        ValueError: if `paragraphs` is unknown.
    """
    check_choice("paragraphs", paragraphs, ("all", "split"))
    files = {
        split: path
        for split, file in FILES.items()
        if (path := find_file(folder, file))
    }
    texts = partial(paragraph_texts, *files.values())
    return make_dataset(
        name,
        folder,
        {split: partial(read_squad, path) for split, path in files.items()},
        FILES.values(),
        answers=texts,
        documents={
            split: texts
            if paragraphs == "all"
            else partial(paragraph_texts, path)
            for split, path in files.items()
        },
    )


def open_articles(name: str, folder: Path) -> Dataset:
    """Opens the articles of SQuAD's dev file, some for training, some for dev.

    For those who have that file alone. A question's paragraph is searched for
    among the paragraphs of the articles of its split.

    Args:
        name: the data set's name.
        folder: the folder with the JSON file.

    Raises:
        DatasetError: if the folder does not contain the file.
    """
    path = find_file(folder, FILES["dev"])
    streams = {
        split: partial(split_articles, path, split)
        for split in FILES
        if path is not None
    }
    texts = {
        split: partial(_texts, stream) for split, stream in streams.items()
    }
    return make_dataset(
        name,
        folder,
        {split: partial(_read, stream) for split, stream in streams.items()},
        [FILES["dev"]],
        answers=texts.get("train"),
        documents=texts,
    )


def _read(stream: Callable[[], Iterator[Paragraph]]) -> Iterator[Question]:
    return _questions(stream())


def _texts(stream: Callable[[], Iterator[Paragraph]]) -> list[str]:
    return list(dict.fromkeys(paragraph.text for paragraph in stream()))


register(
    Collection(
        "squad-articles",
        "SQuAD",
        "the articles of SQuAD's dev file, every fourth one for dev, the "
        "others for training; paragraphs are found among those of the split",
        open_articles,
        retrieval=True,
    )
)
register(
    Collection(
        "squad",
        "SQuAD",
        "SQuAD 1.1; each question has its paragraph as only candidate, to be "
        "found among all paragraphs; there is no test set",
        open_squad,
        {
            "paragraphs": "find a question's paragraph among 'all' (default) "
            "or those of its 'split'",
        },
        retrieval=True,
    )
)
