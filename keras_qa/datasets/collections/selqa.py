"""SelQA: questions about Wikipedia with the sentences of a section.

Jurczyk, Zhai and Choi, "SelQA: A New Benchmark for Selection-based Question
Answering", ICTAI 2016 (emorynlp/selqa).
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from keras_qa.datasets.collection import SPLITS
from keras_qa.datasets.collection import Collection
from keras_qa.datasets.collection import make_dataset
from keras_qa.datasets.collection import register
from keras_qa.datasets.dataset import Dataset
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.questions_of_rows import Row
from keras_qa.datasets.questions_of_rows import group_rows
from keras_qa.datasets.questions_of_rows import parse_label
from keras_qa.files.text_files import error_at
from keras_qa.files.text_files import find_file
from keras_qa.files.text_files import read_lines

FILES = {split: f"selqa-ass-{split}.tsv" for split in SPLITS}
"""The name of each part's file."""


def read_selqa(*paths: Path) -> Iterator[Question]:
    """Streams the questions of files of answer sentence selection.

    Fields are separated by tabs, without a header: question, sentence, label.
    Neighbouring lines with the same question are one question; one file asks
    the same twice, about two sections.

    Args:
        *paths: the files, plain, `.gz` or `.bz2`, read one after another.

    Yields:
        The questions; their ids are the file's name and the question's number
        in it, such as `"selqa-ass-dev-1"`.

    Raises:
        DatasetError: if a line is malformed.
    """
    for path in map(Path, paths):
        yield from group_rows(path, _rows(path))


def _rows(path: Path) -> Iterator[Row]:
    part = path.name.partition(".")[0]
    number, before = 0, None
    for line, text in read_lines(path):
        fields = text.split("\t")
        if len(fields) != 3:
            raise error_at(path, line, "3 fields between tabs", text)
        question, sentence, label = fields
        number += question != before
        before = question
        yield Row(
            line,
            f"{part}-{number}",
            question,
            None,
            sentence,
            parse_label(path, line, label),
        )


def open_selqa(name: str, folder: Path) -> Dataset:
    """Opens SelQA, all of whose parts are one split to train on.

    Args:
        name: the data set's name.
        folder: the folder that contains the files, or some of them.

    Raises:
        DatasetError: if the folder contains none of the files.
    """
    paths = [p for file in FILES.values() if (p := find_file(folder, file))]
    splits = {"train": partial(read_selqa, *paths)} if paths else {}
    return make_dataset(name, folder, splits, FILES.values(), "whitespace")


register(
    Collection(
        "selqa",
        "SelQA",
        "sentences of Wikipedia; all parts together, to train on",
        open_selqa,
    )
)
