"""TrecQA: the pseudo-XML files, and the clean version.

Wang, Smith and Mitamura, "What is the Jeopardy Model?", EMNLP 2007, in the
form of Yao et al., "Answer Extraction as Sequence Tagging with Tree Edit
Distance", NAACL 2013.
"""

import re
from collections.abc import Iterable
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
from keras_qa.datasets.questions_of_rows import position_id
from keras_qa.datasets.toks import is_toks_folder
from keras_qa.datasets.toks import read_toks
from keras_qa.datasets.toks import refuse_others
from keras_qa.files.text_files import error_at
from keras_qa.files.text_files import find_file
from keras_qa.files.text_files import read_lines

_OPENING = re.compile(r"<QApairs id=(['\"])(.*)\1>")
_TAG = re.compile(r"</?(?:QApairs|question|positive|negative)\b[^\t]*>")

_Lines = Iterator[tuple[int, str]]


def read_trecqa_xml(path: Path) -> Iterator[Question]:
    """Streams TRAIN.xml, TRAIN-ALL.xml, DEV.xml or TEST.xml.

    The files look like XML but are not well-formed: nothing is escaped and
    there is no root. A line is either a tag or part of a block; the first
    line of a block has the tokens, separated by tabs, the other lines are
    annotations (parts of speech, dependencies, entities, answers), which are
    skipped.

    A text is the lower-case tokens separated by single spaces, which is
    exactly the line of the tokenised folders. One question of TRAIN and one of
    DEV have no candidates; they are yielded, because the papers count them (94
    and 82 questions), but training and evaluation skip them.

    Args:
        path: the file, plain or `.gz`.

    Yields:
        The questions; candidates have their position as id.

    Raises:
        DatasetError: if a tag is missing or misplaced, a block is empty, or
            an id is used twice.
    """
    path = Path(path)
    lines = read_lines(path)
    seen: set[str] = set()
    for number, line in lines:
        if not line.strip():
            continue
        opening = _OPENING.fullmatch(line.rstrip())
        if not opening:
            raise error_at(path, number, "<QApairs id='...'>", line)
        identifier = check_id(path, number, opening[2])
        if identifier in seen:
            raise error_at(
                path, number, "another id for each question", identifier
            )
        seen.add(identifier)
        yield _read_question(path, lines, number, identifier)


def both_labels_only(questions: Iterable[Question]) -> Iterator[Question]:
    """Selects questions with correct and wrong candidates, the clean version.

    65 questions of the raw development set and 68 of the raw test set remain
    (Rao, He and Lin, "Noise-Contrastive Estimation for Answer Selection with
    Deep Neural Networks", CIKM 2016).
    """
    return (q for q in questions if q.positives and q.negatives)


def _read_question(
    path: Path, lines: _Lines, start: int, question_id: str
) -> Question:
    """Reads the blocks up to `</QApairs>`."""
    text = None
    candidates: list[Candidate] = []
    for number, line in lines:
        tag = line.strip()
        if text is None:
            if tag != "<question>":
                raise error_at(path, number, "<question>", line)
            text = _read_block(path, lines, number, "question")
        elif tag in ("<positive>", "<negative>"):
            tokens = _read_block(path, lines, number, tag[1:-1])
            label = int(tag == "<positive>")
            identifier = position_id(len(candidates))
            candidates.append(Candidate(identifier, tokens, label))
        elif tag == "</QApairs>":
            return Question(question_id, text, tuple(candidates))
        else:
            expected = "<positive>, <negative> or </QApairs>"
            raise error_at(path, number, expected, line)
    raise error_at(
        path, start, "</QApairs> for the tag of this line", "end of file"
    )


def _read_block(path: Path, lines: _Lines, start: int, block: str) -> str:
    """Reads up to the closing tag; returns the tokens of the first line."""
    tokens = None
    for number, line in lines:
        if line.strip() == f"</{block}>" and tokens is not None:
            return tokens
        blank = tokens is None and not line.strip()
        if blank or _TAG.fullmatch(line.strip()):
            expected = "a line of tokens" if tokens is None else f"</{block}>"
            raise error_at(path, number, expected, line)
        if tokens is None:
            tokens = " ".join(line.lower().split("\t"))
    raise error_at(
        path, start, f"</{block}> for the tag of this line", "end of file"
    )


# The names of a split's tokenised folder and of its original file.
_TRAIN = ("train", "TRAIN.xml")
_TRAIN_ALL = ("train-all", "TRAIN-ALL.xml")
_RAW = {"dev": ("raw-dev", "DEV.xml"), "test": ("raw-test", "TEST.xml")}


def open_trecqa(
    name: str, folder: Path, *, prefer_original: bool = False
) -> Dataset:
    """Opens a variant of TrecQA, from tokenised folders or XML files.

    Args:
        name: `"trecqa-raw"`, `"trecqa-clean"` or `"trecqa-all"`. If TRAIN-ALL
            exists, the first two have a split `train-all`.
        folder: the folder that contains either kind of files, or both.
        prefer_original: True prefers XML files to tokenised folders, which
            lack the questions without candidates.

    Raises:
        DatasetError: if the folder contains neither, or files of WikiQA, which
            also has a tokenised folder `train`.
    """
    if name == "trecqa-all":
        files = {"train": _TRAIN_ALL, **_RAW}
    else:
        files = {"train": _TRAIN, **_RAW, "train-all": _TRAIN_ALL}
    splits: dict[str, Stream] = {}
    for split, (toks_name, xml_name) in files.items():
        toks, xml = folder / toks_name, find_file(folder, xml_name)
        if is_toks_folder(toks) and not (xml and prefer_original):
            if toks_name == "train":
                refuse_others(name, folder)
            splits[split] = partial(read_toks, toks)
        elif xml is not None:
            splits[split] = partial(read_trecqa_xml, xml)
    if name == "trecqa-clean":
        for split in _RAW:
            published = folder / f"clean-{split}"
            if is_toks_folder(published):
                splits[split] = partial(read_toks, published)
            elif split in splits:
                splits[split] = partial(_clean, splits[split])
    looked_for = [f"{toks}/a.toks" for toks, _ in files.values()]
    looked_for += [xml for _, xml in files.values()]
    # The published folds divide TRAIN, not TRAIN-ALL.
    has_folds = name != "trecqa-all"
    return make_dataset(
        name, folder, splits, looked_for, "whitespace", has_folds=has_folds
    )


def _clean(raw: Stream) -> Iterator[Question]:
    return both_labels_only(raw())


_ABOUT = {
    "trecqa-raw": "TRAIN, and DEV and TEST as they are",
    "trecqa-clean": "TRAIN as it is; of DEV and TEST the questions that have "
    "both correct and wrong candidates",
    "trecqa-all": "TRAIN-ALL, and DEV and TEST as they are",
}
_OWN_FILES = (
    *(toks for toks, _ in (_TRAIN_ALL, *_RAW.values())),
    *(f"clean-{split}" for split in _RAW),
    *(xml for _, xml in (_TRAIN, _TRAIN_ALL, *_RAW.values())),
)
register(
    *(
        Collection(
            name,
            "TrecQA",
            about,
            open_trecqa,
            {"prefer_original": "read the XML files, not the folders"},
            _OWN_FILES,
        )
        for name, about in _ABOUT.items()
    )
)
