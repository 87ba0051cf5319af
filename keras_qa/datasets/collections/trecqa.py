"""TrecQA: the pseudo-XML files, and what makes the clean version clean.

Wang, Smith and Mitamura, "What is the Jeopardy Model?", EMNLP 2007, in the
form of Yao et al., "Answer Extraction as Sequence Tagging with Tree Edit
Distance", NAACL 2013.
"""

import re
from collections.abc import Iterable
from collections.abc import Iterator
from pathlib import Path

from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.questions_of_rows import check_id
from keras_qa.datasets.questions_of_rows import position_id
from keras_qa.files.text_files import error_at
from keras_qa.files.text_files import read_lines

_OPENING = re.compile(r"<QApairs id=(['\"])(.*)\1>")
_TAG = re.compile(r"</?(?:QApairs|question|positive|negative)\b[^\t]*>")

_Lines = Iterator[tuple[int, str]]


def read_trecqa_xml(path: Path) -> Iterator[Question]:
    """Streams TRAIN.xml, TRAIN-ALL.xml, DEV.xml or TEST.xml.

    The files look like XML but are not well-formed: nothing is escaped and
    there is no root. A line is either a tag or part of a block; the first
    line of a block has the tokens between tabs, the others are annotation
    (parts of speech, dependencies, entities, answers), which is skipped.

    The text is the tokens, lower-cased, between single blanks: exactly the
    line of the tokenised folders. One question of TRAIN and one of DEV have
    no candidates at all; they are yielded too, because the papers count them
    (94 and 82 questions). Nothing can be ranked there, so training and
    evaluation pass over them.

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
    """The clean version: questions with correct and with wrong candidates.

    Of the raw development and test set, 65 and 68 questions are left (Rao,
    He and Lin, "Noise-Contrastive Estimation for Answer Selection with Deep
    Neural Networks", CIKM 2016).
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
        if _TAG.fullmatch(line.strip()):
            expected = "a line of tokens" if tokens is None else f"</{block}>"
            raise error_at(path, number, expected, line)
        if tokens is None:
            tokens = " ".join(line.lower().split("\t"))
    raise error_at(
        path, start, f"</{block}> for the tag of this line", "end of file"
    )
