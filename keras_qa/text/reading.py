"""From texts to what a model reads of them: tokens, word ids, overlap."""

import json
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace
from pathlib import Path
from typing import Any
from typing import TypedDict

import numpy as np

from keras_qa.arguments import check_choice
from keras_qa.errors import RankerError
from keras_qa.files.checks import read_json
from keras_qa.text import tokenizer as tokenizers
from keras_qa.text.overlap import OverlapFeatures
from keras_qa.text.packing import RaggedTexts
from keras_qa.text.sides import SIDES
from keras_qa.text.tokenizer import TOKENIZERS
from keras_qa.text.tokenizer import tokenize
from keras_qa.text.unread import TextReport
from keras_qa.text.vocabulary import PADDING_ID
from keras_qa.text.vocabulary import UNKNOWN_ID
from keras_qa.text.vocabulary import Vocabulary
from keras_qa.version import __version__

READING = "reading.json"
VOCABULARY = "vocabulary.txt"
OVERLAP = "overlap.json"


class _Lengths(TypedDict):
    question: int | None
    answer: int | None


class _Stored(TypedDict):
    """What `reading.json` must have of what `TextReading.save` writes."""

    tokenizer: str
    max_length: _Lengths


@dataclass(frozen=True, eq=False)
class TextReading:
    """How a model reads text, as it did in training.

    Attributes:
        vocabulary: the words by their ids.
        tokenizer: one of `tokenizer.TOKENIZERS`. A model trained on tokenized
            text ("whitespace") splits what users type at white space only: to
            it, `it.` is another word than `it`.
        max_question_length: number of tokens that questions are cut to; None
            keeps them whole.
        max_answer_length: the same for answers.
        overlap: computes the model's input `"overlap"`, if it has one, from
            the tokens that the model reads.
        report: counts unknown words and empty texts; None does not count.

    Raises:
        RankerError: if an attribute is out of range.

    Example:
        >>> reading = TextReading(Vocabulary(["who", "wrote", "emma"]))
        >>> reading.tokens("question", "Who wrote Emma?")
        ['who', 'wrote', 'emma', '?']
    """

    vocabulary: Vocabulary
    tokenizer: str = "word"
    max_question_length: int | None = None
    max_answer_length: int | None = None
    overlap: OverlapFeatures | None = None
    report: TextReport | None = None

    def __post_init__(self) -> None:
        check_choice("tokenizer", self.tokenizer, TOKENIZERS, error=RankerError)
        for side, length in self.max_length.items():
            if length is not None and length < 1:
                raise RankerError(
                    f"`max_{side}_length` must be at least 1. "
                    f"Received: max_{side}_length={length}"
                )

    @property
    def max_length(self) -> dict[str, int | None]:
        """The number of tokens that texts are cut to, by side."""
        return {
            "question": self.max_question_length,
            "answer": self.max_answer_length,
        }

    def tokens(self, side: str, text: str) -> list[str]:
        """The tokens of a text that the model reads.

        Args:
            side: `"question"` or `"answer"`.
            text: the text.
        """
        return tokenize(text, self.tokenizer)[: self.max_length[side]]

    def ids(self, tokens: Iterable[Sequence[str]]) -> RaggedTexts:
        """The word ids of texts, given as tokens."""
        return RaggedTexts.from_sequences(
            [self.vocabulary.encode(text) for text in tokens]
        )

    def texts(self, side: str, texts: Iterable[str]) -> RaggedTexts:
        """The word ids of texts of one side."""
        return self.ids(self._counted([self.tokens(side, t) for t in texts]))

    def pairs(
        self, questions: Sequence[str], answers: Sequence[str]
    ) -> tuple[RaggedTexts, np.ndarray, np.ndarray, dict[str, np.ndarray]]:
        """Reads pairs of texts.

        Args:
            questions: `n` texts; of equal ones, the first is read for all.
            answers: `n` texts, `answers[i]` to `questions[i]`.

        Returns:
            What `keras_qa.ranking.scoring.score_pairs` takes after the model:
            the word ids of the texts, the indices of the questions and of the
            answers, int64 `(n,)`, and the input `"overlap"`, if `overlap` is
            given, float32 `(n, 4)`.

        Raises:
            RankerError: if there are not as many questions as answers.
        """
        check_pairs(questions, answers)
        places = {text: i for i, text in enumerate(dict.fromkeys(questions))}
        tokens = self._counted(
            [
                *(self.tokens("question", text) for text in places),
                *(self.tokens("answer", text) for text in answers),
            ]
        )
        asked = np.array([places[text] for text in questions], np.int64)
        answered = len(places) + np.arange(len(answers))
        features = {}
        if self.overlap is not None:
            features["overlap"] = self.overlap.pairs(tokens, asked, answered)
        return self.ids(tokens), asked, answered, features

    def for_model(self, model: Any) -> "TextReading":
        """The reading, with the lengths that a model takes.

        Args:
            model: a Keras model. What it does not say of itself (inputs,
                `vocabulary_size`) is not checked.

        Returns:
            The reading, with `max_question_length` and `max_answer_length` of
            a model whose inputs have fixed lengths, where they are None.

        Raises:
            RankerError: if the model takes anything but the ids of these
                words, and of `overlap`, or texts no longer than these.
        """
        inputs = _inputs(model)
        size = getattr(model, "vocabulary_size", len(self.vocabulary))
        if size is None or not _takes_words(inputs):
            raise RankerError(
                "`model` must take word ids of a question and of an answer, "
                "and nothing else but features of overlap, to be given texts. "
                f"Received: {type(model).__name__}, which takes {inputs}"
            )
        if size != len(self.vocabulary):
            raise RankerError(
                f"`vocabulary` must have the {size} words of the model. "
                f"Received: {len(self.vocabulary)} words"
            )
        lengths = {}
        for side, length in self.max_length.items():
            width = fixed_width(model, side)
            if width and length and length > width:
                raise RankerError(
                    f"`max_{side}_length` must not exceed the {width} tokens "
                    f"that the model takes. "
                    f"Received: max_{side}_length={length}"
                )
            lengths[side] = length or width
        self._check_overlap((inputs or {}).get("overlap"))
        return self.cut_to(lengths)

    def cut_to(self, lengths: Mapping[str, int | None]) -> "TextReading":
        """The same reading, with other lengths.

        Args:
            lengths: number of tokens that texts are cut to, by side; sides
                that are missing keep their length.
        """
        lengths = {**self.max_length, **lengths}
        return replace(
            self,
            max_question_length=lengths["question"],
            max_answer_length=lengths["answer"],
        )

    def _check_overlap(self, wanted: Any) -> None:
        """Checks that `overlap` is what a model takes as this input."""
        if self.overlap is None:
            if wanted is not None:
                raise RankerError(
                    "`overlap` must be given for a model with an input "
                    '"overlap". Received: overlap=None'
                )
        elif wanted is None:
            raise RankerError(
                "`overlap` must be None for a model without an input "
                f'"overlap". Received: overlap={self.overlap}'
            )
        elif wanted.shape[1] != len(self.overlap.names):
            raise RankerError(
                "`model` must take the features of `overlap` as its input "
                f'"overlap", {len(self.overlap.names)} columns. '
                f"Received: an input of shape {wanted.shape}"
            )

    def save(self, folder: Path, **entries: Any) -> None:
        """Writes `reading.json`, `vocabulary.txt` and, for `overlap`, its file.

        `vocabulary.txt` has a word in each line; the first has the id
        `first_word_id`. `reading.json` has what else makes ids of a text:
        split the lower-case text into what `pattern` finds, put `number` in
        place of the tokens that `number_pattern` matches whole (where it is
        not null), cut them to `max_length` of the side, look them up, take
        `unknown_id` for those that are not there, and fill up with
        `padding_id`.

        Args:
            folder: an existing folder.
            **entries: further entries of `reading.json`, JSON values.
        """
        splitter, _, numbers = self.tokenizer.partition("-")
        word, number = tokenizers.WORD, tokenizers.NUMBER_TOKEN
        write_reading(
            folder,
            **entries,
            tokenizer=self.tokenizer,
            pattern=word.pattern if splitter == "word" else r"\S+",
            number_pattern=number.pattern if numbers else None,
            number=tokenizers.NUMBER,
            max_length=self.max_length,
            padding_id=PADDING_ID,
            unknown_id=UNKNOWN_ID,
            first_word_id=UNKNOWN_ID + 1,
        )
        self.vocabulary.save(folder / VOCABULARY)
        if self.overlap is not None:
            self.overlap.save(folder / OVERLAP)

    @classmethod
    def load(cls, folder: Path, tokenizer: str | None = None) -> "TextReading":
        """Reads what `save` wrote.

        Args:
            folder: the folder.
            tokenizer: replaces the stored one.

        Raises:
            DatasetError: if the vocabulary or the counts are bad.
            RankerError: if `reading.json` is.
        """
        path = folder / READING
        stored = read_json(path, _Stored, RankerError)
        lengths = {f"max_{s}_length": stored["max_length"][s] for s in SIDES}
        return cls.of_files(
            folder,
            path,
            tokenizer=tokenizer or stored["tokenizer"],
            **lengths,
        )

    @classmethod
    def of_files(
        cls, folder: Path, origin: Path, **settings: Any
    ) -> "TextReading":
        """The reading of the words and counts in a folder.

        Args:
            folder: has `vocabulary.txt` and perhaps `overlap.json`.
            origin: the file that the settings are from, for a message.
            **settings: `tokenizer` and the lengths.

        Raises:
            DatasetError: if a file of the folder is missing or bad.
            RankerError: if a setting is out of range.
        """
        counts = folder / OVERLAP
        overlap = OverlapFeatures.load(counts) if counts.is_file() else None
        vocabulary = Vocabulary.load(folder / VOCABULARY)
        try:
            return cls(vocabulary, overlap=overlap, **settings)
        except RankerError as error:
            raise RankerError(f"{origin}: {error}") from error

    def _counted(self, tokens: list[list[str]]) -> list[list[str]]:
        if self.report is not None:
            self.report.add(tokens, self.vocabulary)
        return tokens


def check_pairs(questions: Sequence[str], answers: Sequence[str]) -> None:
    """Checks that there are as many questions as answers.

    Raises:
        RankerError: if not.
    """
    if len(questions) != len(answers):
        raise RankerError(
            "`questions` and `answers` must be equally many. "
            f"Received: {len(questions)} questions, {len(answers)} answers"
        )


def fixed_width(model: Any, side: str) -> int | None:
    """The only length of a side that a model takes; None if it takes any."""
    inputs = getattr(model, "input", None)  # a functional model's
    return inputs[side].shape[1] if isinstance(inputs, dict) else None


def write_reading(folder: Path, **entries: Any) -> None:
    """Writes `reading.json`, with the version of the library.

    Args:
        folder: an existing folder.
        **entries: JSON values.
    """
    content = {"keras_qa": __version__, **entries}
    text = json.dumps(content, ensure_ascii=False, indent=2)
    (folder / READING).write_text(f"{text}\n", "utf-8")


def _takes_words(inputs: Mapping[str, Any] | None) -> bool:
    """Returns True for ids of both sides, and if the inputs are not known."""
    if inputs is None:
        return True
    named = {*inputs} - {"overlap"} == set(SIDES)
    return named and all(len(inputs[side].shape) == 2 for side in SIDES)


def _inputs(model: Any) -> dict[str, Any] | None:
    """The symbolic inputs of a functional model by name."""
    taken = getattr(model, "input", None)
    if taken is None or isinstance(taken, dict):
        return taken
    return {x.name: x for x in model.inputs}
