"""MedQuAD: medical questions with their right answers alone.

Ben Abacha and Demner-Fushman, "A Question-Entailment Approach to Question
Answering", BMC Bioinformatics 2019 (abachaa/MedQuAD), as one table.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from keras_qa.datasets.collection import Collection
from keras_qa.datasets.collection import make_dataset
from keras_qa.datasets.collection import register
from keras_qa.datasets.dataset import Dataset
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.questions_of_rows import Row
from keras_qa.datasets.questions_of_rows import group_rows
from keras_qa.files.text_files import error_at
from keras_qa.files.text_files import find_file
from keras_qa.files.text_files import read_lines

FILE = "medquad.tsv"
HEADER = ("source", "qid", "question", "answer")


def read_medquad(path: Path) -> Iterator[Question]:
    """Streams the pairs of the table.

    Args:
        path: the file, plain, `.gz` or `.bz2`: a header, and one pair a line.

    Yields:
        A question for each pair, whose id is the pair's number, with the right
        answer as only candidate; `keras_qa.ranking.mining.mine_candidates`
        finds wrong ones.

    Raises:
        DatasetError: if the header or a line is malformed.
    """
    return group_rows(path, _rows(Path(path)))


def _rows(path: Path) -> Iterator[Row]:
    lines = read_lines(path)
    _, header = next(lines, (1, ""))
    if tuple(header.split("\t")) != HEADER:
        raise error_at(path, 1, f"the header {'<TAB>'.join(HEADER)}", header)
    for number, (line, text) in enumerate(lines, start=1):
        fields = text.split("\t")
        if len(fields) != len(HEADER):
            raise error_at(
                path, line, f"{len(HEADER)} fields between tabs", text
            )
        yield Row(line, str(number), fields[2], None, fields[3], 1)


def open_medquad(name: str, folder: Path) -> Dataset:
    """Opens MedQuAD, all of which is one split to train on.

    Args:
        name: the data set's name.
        folder: the folder with the file.

    Raises:
        DatasetError: if the folder does not contain the file.
    """
    path = find_file(folder, FILE)
    splits = {"train": partial(read_medquad, path)} if path else {}
    return make_dataset(name, folder, splits, [FILE])


register(
    Collection(
        "medquad",
        "MedQuAD",
        "medical questions, each with its right answer as only candidate",
        open_medquad,
    )
)
