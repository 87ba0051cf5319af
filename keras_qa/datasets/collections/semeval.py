"""SemEval-2016 Task 3, subtask A: rank the comments of a forum thread.

Nakov et al., "SemEval-2016 Task 3: Community Question Answering", SemEval
2016 (English, Qatar Living forum).
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from keras_qa.datasets.collection import Collection
from keras_qa.datasets.collection import Stream
from keras_qa.datasets.collection import make_dataset
from keras_qa.datasets.collection import register
from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Dataset
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.questions_of_rows import check_id
from keras_qa.files.text_files import error_at
from keras_qa.files.text_files import find_file
from keras_qa.files.xml_stream import XmlStream

LABELS = {"Good": 1, "PotentiallyUseful": 0, "Bad": 0}
SKIP = "SubtaskA_Skip_Because_Same_As_RelQuestion_ID"

_TEXTS = ("RelQSubject", "RelQBody", "RelCText")
# A thread has ten comments of at most some thousand characters each.
_MAX_THREAD_CHARACTERS = 2**24


def read_semeval(
    *paths: Path, skip_repeated: bool = True
) -> Iterator[Question]:
    """Streams the threads of one or several SemEval-2016 Task 3 files.

    A question is the subject and the body of a `RelQuestion`; its candidates
    are the `RelComment`s, of which "Good" ones are positive, all others
    negative.

    Args:
        *paths: the files, plain, `.gz` or `.bz2`, read one after another.
        skip_repeated: True skips threads that the organisers marked as
            repetitions, with the attribute
            `SubtaskA_Skip_Because_Same_As_RelQuestion_ID`; 379 of 670 threads
            of train-part2 remain, 244 of 500 of dev.

    Yields:
        The questions with the ids of the file (`RELQ_ID`, `RELC_ID`).

    Raises:
        DatasetError: if a file is not well-formed, declares entities, lacks
            an element, an attribute or a label, or an id is used twice.
    """
    seen: set[str] = set()
    for path in map(Path, paths):
        for line, repeated, question in _Threads(path).read():
            if question.id in seen:
                raise error_at(
                    path, line, "another id for each question", question.id
                )
            seen.add(question.id)
            if not (repeated and skip_repeated):
                yield question


class _Threads(XmlStream[tuple[int, bool, Question]]):
    """Collects `(line, repeated, question)` for each thread of a file."""

    def __init__(self, path: Path):
        super().__init__(path)
        self._thread: dict[str, str] | None = None
        self._text: list[str] = []
        self._count = 0

    def finish(self) -> None:
        if self._count == 0:
            raise self.error("at least one <Thread>", "none")

    def start(self, element: str, attributes: dict[str, str]) -> None:
        if element == "Thread":
            if self._thread is not None:
                raise self.error("</Thread>", f"<{element}>")
            self._thread = attributes
            self._question: dict[str, str] = {}
            self._texts: dict[str, list[str]] = {}
            self._candidates: dict[str, Candidate] = {}
            self._size = 0
        elif self._thread is not None:
            if element in _TEXTS:
                self._texts[element] = self._text = []
            elif element == "RelQuestion":
                self._question = attributes
            elif element == "RelComment":
                self._comment = attributes

    def data(self, text: str) -> None:
        if self._thread is not None:
            self._size += len(text)
            if self._size > _MAX_THREAD_CHARACTERS:
                raise self.error("a shorter thread", text)
            self._text.append(text)

    def end(self, element: str) -> None:
        # Elements inside a text, which nobody expects, do not end it.
        if element in _TEXTS:
            self._text = []
        if self._thread is None:
            return
        if element == "RelComment":
            self._add_candidate()
        elif element == "Thread":
            self._add_question()

    def _add_candidate(self) -> None:
        identifier = self._attribute("RelComment", self._comment, "RELC_ID")
        label = self._attribute(
            "RelComment", self._comment, "RELC_RELEVANCE2RELQ"
        )
        if label not in LABELS:
            raise self.error(f"a label of {list(LABELS)}", label)
        if identifier in self._candidates:
            raise self.error("another RELC_ID for each comment", identifier)
        text = self._take_text("RelCText")
        self._candidates[identifier] = Candidate(
            identifier, text, LABELS[label]
        )

    def _add_question(self) -> None:
        identifier = self._attribute("RelQuestion", self._question, "RELQ_ID")
        parts = self._take_text("RelQSubject"), self._take_text("RelQBody")
        question = Question(
            identifier,
            " ".join(filter(None, parts)),
            tuple(self._candidates.values()),
        )
        repeated = self._thread is not None and SKIP in self._thread
        self.emit((self.line, repeated, question))
        self._count += 1
        self._thread = None

    def _attribute(
        self, element: str, attributes: dict[str, str], name: str
    ) -> str:
        if name not in attributes:
            raise self.error(
                f"<{element}> with the attribute {name}", attributes
            )
        value = attributes[name]
        if name.endswith("_ID"):
            check_id(self.path, self.line, value)
        return value

    def _take_text(self, element: str) -> str:
        """The text of an element of this thread, which may be empty."""
        if element not in self._texts:
            raise self.error(f"an element <{element}>", sorted(self._texts))
        return "".join(self._texts.pop(element)).strip()


_PARTS = {
    "train": ("train-part1", "train-part2"),
    "dev": ("dev",),
    "test": ("test",),
}


def open_semeval(name: str, folder: Path) -> Dataset:
    """Opens subtask A; the existing parts of train make one split.

    Args:
        name: the data set's name.
        folder: the folder with the XML files.

    Raises:
        DatasetError: if the folder contains none of the files.
    """
    looked_for = []
    splits: dict[str, Stream] = {}
    for split, parts in _PARTS.items():
        names = [f"SemEval2016-Task3-CQA-QL-{part}.xml" for part in parts]
        looked_for += names
        paths = [p for name in names if (p := find_file(folder, name))]
        if paths:
            splits[split] = partial(read_semeval, *paths)
    return make_dataset(name, folder, splits, looked_for)


register(
    Collection(
        "semeval",
        "SemEval2016-Task3",
        "SemEval-2016 Task 3 A without the repeated threads",
        open_semeval,
    )
)
