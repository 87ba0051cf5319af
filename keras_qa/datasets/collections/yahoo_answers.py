"""Yahoo! Answers Comprehensive Questions and Answers, Webscope L6.

Surdeanu, Ciaramita and Zaragoza, "Learning to Rank Answers on Large Online QA
Collections", ACL 2008. The 4,483,032 questions are one XML file of 12 GB,
published in two parts; Wu and Hao (IAM, 3.1) use the best answers. The corpus
has no wrong answers; `keras_qa.ranking.mining` finds candidates.
"""

import re
from collections.abc import Container
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
from keras_qa.datasets.mined import read_candidates
from keras_qa.datasets.questions_of_rows import check_id
from keras_qa.datasets.questions_of_rows import position_id
from keras_qa.errors import DatasetError
from keras_qa.files.xml_stream import XmlStream

NAME = "FullOct2007.xml"

_FIELDS = ("uri", "subject", "content", "bestanswer", "maincat", "qlang")
_REQUIRED = ("uri", "subject", "bestanswer")
# Bounds the memory; the site allowed some thousand characters in a text.
_MAX_CHARACTERS = 2**24
# Line breaks in the texts, in addition to line feeds.
_LINE_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)


def find_yahoo_answers(folder: Path) -> list[Path]:
    """The files of the corpus in a folder, in order.

    Args:
        folder: contains `FullOct2007.xml`, or else `FullOct2007.xml.part1` and
            `FullOct2007.xml.part2`, each plain, `.gz` or `.bz2`.

    Raises:
        DatasetError: if `folder` lacks these files.
    """
    whole = _with_ending(folder, NAME)
    if whole is not None:
        return [whole]
    first = _with_ending(folder, f"{NAME}.part1")
    second = _with_ending(folder, f"{NAME}.part2")
    if first is not None and second is not None:
        return [first, second]
    raise DatasetError(
        f"{folder}: expected {NAME}, or {NAME}.part1 and {NAME}.part2, plain, "
        ".gz or .bz2; see `keras-qa data fetch yahoo`. Received: "
        f"{(first or second or Path('neither')).name}"
    )


def _with_ending(folder: Path, name: str) -> Path | None:
    for ending in ("", ".gz", ".bz2"):
        path = Path(folder) / f"{name}{ending}"
        if path.is_file():
            return path
    return None


def read_yahoo_answers(
    *parts: Path,
    content: bool = False,
    categories: Container[str] | None = None,
    languages: Container[str] | None = None,
) -> Iterator[Question]:
    """Streams the questions of the corpus, each with its best answer.

    `<br />` and white space in texts become a space. A question without URI,
    subject or best answer is skipped. Few questions are in memory at a time,
    and ids are not checked for repetitions.

    Args:
        *parts: the file, or its parts in order, which are one XML document.
        content: True appends the asker's details (`content`) to the subject.
        categories: main categories (`"Travel"`) whose questions are read;
            None reads all.
        languages: values of `qlang` (`"en"`) whose questions are read; None
            reads all.

    Yields:
        The questions, with the URI as id and one candidate, labelled 1.

    Raises:
        DatasetError: if a file cannot be read or is not well-formed, declares
            entities, or contains a URI with white space or no question.
    """
    for fields in _Documents(*map(Path, parts)).read():
        if categories is not None and fields["maincat"] not in categories:
            continue
        if languages is not None and fields["qlang"] not in languages:
            continue
        text = fields["subject"]
        if content:
            text = f"{text} {fields['content']}"
        candidate = Candidate(position_id(0), fields["bestanswer"], 1)
        yield Question(fields["uri"], text.strip(), (candidate,))


class _Documents(XmlStream[dict[str, str]]):
    """Collects `_FIELDS` of the documents that have all `_REQUIRED` texts."""

    def __init__(self, *parts: Path):
        super().__init__(*parts)
        self._texts: dict[str, list[str]] | None = None
        self._text: list[str] | None = None
        self._size = 0
        self._count = 0

    def start(self, element: str, attributes: dict[str, str]) -> None:
        if element == "document":
            if self._texts is not None:
                raise self.error("</document>", f"<{element}>")
            self._texts = {}
            self._size = 0
        elif self._texts is not None and element in _FIELDS:
            self._texts[element] = self._text = []

    def data(self, text: str) -> None:
        if self._text is not None:
            self._size += len(text)
            if self._size > _MAX_CHARACTERS:
                raise self.error("a shorter document", text)
            self._text.append(text)

    def end(self, element: str) -> None:
        # Elements inside a text, which nobody expects, do not end it.
        if element in _FIELDS:
            self._text = None
        if element != "document" or self._texts is None:
            return
        fields = {
            name: _one_line("".join(self._texts.get(name, ())))
            for name in _FIELDS
        }
        self._texts = None
        if all(fields[name] for name in _REQUIRED):
            check_id(self.path, self.line, fields["uri"])
            self.emit(fields)
            self._count += 1

    def finish(self) -> None:
        if self._count == 0:
            raise self.error(
                f"at least one <document> with {', '.join(_REQUIRED)}", "none"
            )


def _one_line(text: str) -> str:
    return " ".join(_LINE_BREAK.sub(" ", text).split())


def open_yahoo(name: str, folder: Path) -> Dataset:
    """Opens the data set that `keras-qa mine yahoo` made from the corpus.

    Args:
        name: the data set's name.
        folder: the folder with `train.tsv.gz`, `dev.tsv.gz`, `test.tsv.gz`.

    Raises:
        DatasetError: if the folder contains none of the files.
    """
    paths = {split: folder / f"{split}.tsv.gz" for split in SPLITS}
    splits: dict[str, Stream] = {
        split: partial(read_candidates, path)
        for split, path in paths.items()
        if path.is_file()
    }
    made_of = f"which `keras-qa mine yahoo` makes of {NAME}"
    looked_for = [*(path.name for path in paths.values()), made_of]
    return make_dataset(name, folder, splits, looked_for)


register(
    Collection(
        "yahoo",
        "YahooL6",
        "the questions of Yahoo! Answers that `keras-qa mine yahoo` chose, "
        "with the candidates that it found",
        open_yahoo,
    )
)
