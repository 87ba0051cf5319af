"""WikiQA: the original TSV files and the tokenised folders.

Yang, Yih and Meek, "WikiQA: A Challenge Dataset for Open-Domain Question
Answering", EMNLP 2015.
"""

from collections.abc import Iterable
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from keras_qa.datasets.collection import SPLITS
from keras_qa.datasets.collection import Collection
from keras_qa.datasets.collection import Stream
from keras_qa.datasets.collection import make_dataset
from keras_qa.datasets.collection import register
from keras_qa.datasets.dataset import Dataset
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.questions_of_rows import Row
from keras_qa.datasets.questions_of_rows import group_rows
from keras_qa.datasets.questions_of_rows import parse_label
from keras_qa.datasets.toks import is_toks_folder
from keras_qa.datasets.toks import read_toks
from keras_qa.datasets.toks import refuse_others
from keras_qa.files.text_files import error_at
from keras_qa.files.text_files import find_file
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

    Fields are separated by tabs and not quoted; quotation marks are text.

    Args:
        path: the file, plain or `.gz`.
        answered_only: True skips questions without a correct candidate, as
            the papers do: 873 of 2,118, 126 of 296 and 243 of 633 remain.

    Yields:
        The questions; candidates have their SentenceID as id.

    Raises:
        DatasetError: if the file, its header or a line is malformed.
    """
    return _filter(group_rows(path, _rows(Path(path))), answered_only)


def read_wikiqa_toks(folder: Path) -> Iterator[Question]:
    """Streams a tokenised folder of WikiQA.

    Questions without a correct candidate, which the published folders do not
    contain, are skipped.

    Args:
        folder: the folder; see `read_toks`.

    Raises:
        DatasetError: see `read_toks`.
    """
    return _filter(read_toks(folder), answered_only=True)


def read_wikiqa_numbered(
    path: Path, answered_only: bool = True
) -> Iterator[Question]:
    """Streams a TSV file with the question ids of the tokenised folders.

    The folders number the questions of the unfiltered file from 1.

    Args:
        path: see `read_wikiqa_tsv`, as for `answered_only`.
        answered_only: True skips questions without a correct candidate.

    Raises:
        DatasetError: see `read_wikiqa_tsv`.
    """
    every = read_wikiqa_tsv(path, answered_only=False)
    numbered = (replace(q, id=str(n)) for n, q in enumerate(every, start=1))
    return _filter(numbered, answered_only)


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


def open_wikiqa(
    name: str, folder: Path, *, prefer_original: bool = False
) -> Dataset:
    """Opens WikiQA, from tokenised folders or TSV files.

    The two kinds need different tokenisers, so all splits are of one kind.

    Args:
        name: the data set's name.
        folder: the folder that contains either kind of files, or both.
        prefer_original: True prefers TSV files to tokenised folders.

    Raises:
        DatasetError: if the folder contains neither, or files of TrecQA, which
            also has a tokenised folder `train`.
    """
    toks: dict[str, Stream] = {
        split: partial(read_wikiqa_toks, folder / split)
        for split in SPLITS
        if is_toks_folder(folder / split)
    }
    tsv: dict[str, Stream] = {
        split: partial(read_wikiqa_tsv, path)
        for split in SPLITS
        if (path := find_file(folder, f"WikiQA-{split}.tsv"))
    }
    looked_for = [f"WikiQA-{split}.tsv" for split in SPLITS]
    looked_for += [f"{split}/a.toks" for split in SPLITS]
    if tsv and (prefer_original or not toks):
        return make_dataset(name, folder, tsv, looked_for)
    if toks:
        refuse_others(name, folder)
    return make_dataset(name, folder, toks, looked_for, "whitespace")


def open_wikiqa_full(
    name: str, folder: Path, *, answered_only: bool = True
) -> Dataset:
    """Opens the TSV files of WikiQA, with the ids of the tokenised folders.

    Answers are not cut at 40 tokens and keep their case. The ids let runs and
    `train-folds.tsv` be those of the same questions of `"wikiqa"`.

    Args:
        name: the data set's name.
        folder: the folder that contains the files, or has them in `full`.
        answered_only: True skips questions without a correct candidate.

    Raises:
        DatasetError: if the folder contains none of the files.
    """
    splits: dict[str, Stream] = {}
    for split in SPLITS:
        file = f"WikiQA-{split}.tsv"
        path = find_file(folder / "full", file) or find_file(folder, file)
        if path is not None:
            splits[split] = partial(read_wikiqa_numbered, path, answered_only)
    looked_for = [f"WikiQA-{split}.tsv" for split in SPLITS]
    return make_dataset(
        name,
        folder,
        splits,
        looked_for,
        # The folds are of the questions with an answer.
        has_folds=answered_only,
    )


def open_wikiqa_all(name: str, folder: Path) -> Dataset:
    """Opens the TSV files of WikiQA, unfiltered; see `open_wikiqa_full`."""
    return open_wikiqa_full(name, folder, answered_only=False)


register(
    Collection(
        "wikiqa",
        "WikiQA",
        "the filtered version, in which every question has an answer",
        open_wikiqa,
        {"prefer_original": "read the TSV files, not the tokenised folders"},
        own_files=("dev", "test", *(f"WikiQA-{s}.tsv" for s in SPLITS)),
    ),
    Collection(
        "wikiqa-full",
        "WikiQA",
        "the same questions, with uncut answers and capitals",
        open_wikiqa_full,
        {"answered_only": "leave out questions without a correct answer"},
    ),
    Collection(
        "wikiqa-all",
        "WikiQA",
        "the same files with all questions, of which most have no right answer",
        open_wikiqa_all,
    ),
)
