"""WikiQA: the original TSV files and the tokenised folders.

Yang, Yih and Meek, "WikiQA: A Challenge Dataset for Open-Domain Question
Answering", EMNLP 2015.
"""

from collections.abc import Iterable
from collections.abc import Iterator
from pathlib import Path

from keras_qa.datasets.collections.toks import read_toks
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.questions_of_rows import Row
from keras_qa.datasets.questions_of_rows import group_rows
from keras_qa.datasets.questions_of_rows import parse_label
from keras_qa.files.text_files import error_at
from keras_qa.files.text_files import read_lines

HEADER = (
    "QuestionID",
    "Question",
    "DocumentID",
    "DocumentTitle",
    "SentenceID",
    "Sentence",
    "Label",
)


def read_wikiqa_tsv(
    path: Path, answered_only: bool = True
) -> Iterator[Question]:
    """Streams one of the files WikiQA-train.tsv, -dev.tsv and -test.tsv.

    Fields stand between tabs and are not quoted; a quotation mark is part of
    the text.

    Args:
        path: the file, plain or `.gz`.
        answered_only: leave out questions without a correct candidate, as
            the papers do: 873 of 2,118, 126 of 296 and 243 of 633 are left.

    Yields:
        The questions; candidates have their SentenceID as id.

    Raises:
        DatasetError: if the file, its header or a line is malformed.
    """
    return _filter(group_rows(path, _rows(Path(path))), answered_only)


def read_wikiqa_toks(
    folder: Path, answered_only: bool = True
) -> Iterator[Question]:
    """Streams a tokenised folder of WikiQA.

    Args:
        folder: the folder; see `read_toks`.
        answered_only: leave out questions without a correct candidate; the
            published folders have none.

    Yields:
        The questions.

    Raises:
        DatasetError: see `read_toks`.
    """
    return _filter(read_toks(folder), answered_only)


def _filter(
    questions: Iterable[Question], answered_only: bool
) -> Iterator[Question]:
    for question in questions:
        if question.positives or not answered_only:
            yield question


def _rows(path: Path) -> Iterator[Row]:
    lines = read_lines(path)
    _, header = next(lines, (1, ""))
    if tuple(header.split("\t")) != HEADER:
        raise error_at(path, 1, f"the header {'<TAB>'.join(HEADER)}", header)
    for number, line in lines:
        fields = line.split("\t")
        if len(fields) != len(HEADER):
            raise error_at(
                path, number, f"{len(HEADER)} fields between tabs", line
            )
        question_id, question, _, _, sentence_id, sentence, label = fields
        yield Row(
            number,
            question_id,
            question,
            sentence_id,
            sentence,
            parse_label(path, number, label),
        )
