"""What a reader should know about a candidate before believing its rank."""

from collections.abc import Sequence
from dataclasses import dataclass

from keras_qa.text.reading import TextReading
from keras_qa.text.tokenizer import tokenize
from keras_qa.text.word_pieces import word_tokenizer


@dataclass(frozen=True)
class TextNotes:
    """What stands out in a text, as a model reads it.

    Attributes:
        unread: True if its score does not count; see `TextReading.readable`.
        repeats_question: True if it has the question's words and no others,
            apart from case and punctuation.
        cut_after: number of tokens that the model reads, of a text that has
            more.
        unknown: the words that the model does not know, each once.
    """

    unread: bool = False
    repeats_question: bool = False
    cut_after: int | None = None
    unknown: tuple[str, ...] = ()

    def __str__(self) -> str:
        """The notes as words, such as `not readable; unknown: emma`."""
        notes = [
            *["not readable"] * self.unread,
            *["repeats the question"] * self.repeats_question,
        ]
        if self.cut_after:
            notes.append(f"cut after {self.cut_after:,} tokens")
        if self.unknown:
            notes.append(f"unknown: {' '.join(self.unknown)}")
        return "; ".join(notes)


def question_notes(reading: TextReading, question: str) -> TextNotes:
    """What a model does not read of a question."""
    tokens = reading.tokens("question", question)
    return TextNotes(
        cut_after=_cut_after(reading, "question", question),
        unknown=_unknown(reading, tokens),
    )


def answer_notes(
    reading: TextReading, question: str, answers: Sequence[str]
) -> list[TextNotes]:
    """What stands out in each candidate of a question.

    Args:
        reading: how the model reads text.
        question: the question.
        answers: its candidates.
    """
    asked = _words(reading, question)
    tokens = [reading.tokens("answer", text) for text in answers]
    readable = reading.are_readable(reading.ids(tokens))
    return [
        TextNotes(
            unread=not kept,
            repeats_question=bool(asked) and _words(reading, text) == asked,
            cut_after=_cut_after(reading, "answer", text),
            unknown=_unknown(reading, words),
        )
        for text, words, kept in zip(
            answers, tokens, readable.tolist(), strict=True
        )
    ]


def _cut_after(reading: TextReading, side: str, text: str) -> int | None:
    return reading.max_length[side] if reading.is_cut(side, text) else None


def _unknown(reading: TextReading, tokens: Sequence[str]) -> tuple[str, ...]:
    return tuple(
        w for w in dict.fromkeys(tokens) if w not in reading.vocabulary
    )


def _words(reading: TextReading, text: str) -> list[str]:
    tokens = tokenize(text, word_tokenizer(reading.tokenizer))
    words = ("".join(filter(str.isalnum, token)) for token in tokens)
    return [word for word in words if word]
