"""The conversion of texts to a model's inputs: word ids and word overlap."""

import json
from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any
from typing import TypedDict

import numpy as np

from keras_qa.arguments import check_choice
from keras_qa.arguments import check_equally_many
from keras_qa.errors import RankerError
from keras_qa.files.checks import read_json
from keras_qa.files.text_files import shorten
from keras_qa.text import tokenizer as tokenizers
from keras_qa.text.overlap import OverlapFeatures
from keras_qa.text.packing import RaggedTexts
from keras_qa.text.readable import LONE_STOP_WORDS
from keras_qa.text.readable import READABLE
from keras_qa.text.readable import UNREAD_SCORE
from keras_qa.text.readable import readable_ids
from keras_qa.text.report import TextReport
from keras_qa.text.sides import SIDES
from keras_qa.text.vocabulary import PADDING_ID
from keras_qa.text.vocabulary import UNKNOWN_ID
from keras_qa.text.vocabulary import Vocabulary
from keras_qa.text.word_pieces import READERS
from keras_qa.text.word_pieces import WORD_PIECES
from keras_qa.text.word_pieces import text_splitter
from keras_qa.version import __version__

READING = "reading.json"
VOCABULARY = "vocabulary.txt"
OVERLAP = "overlap.json"
READING_NAMES = (READING, VOCABULARY, OVERLAP)
"""What `TextReading.save` may write."""


class _Lengths(TypedDict):
    question: int | None
    answer: int | None


class _Stored(TypedDict):
    """The entries of `reading.json` that `TextReading.load` requires."""

    tokenizer: str
    max_length: _Lengths
    readable: str
    stop_words: list[str]


@dataclass(frozen=True, eq=False)
class TextReading:
    """How a model reads text, as it did in training.

    Attributes:
        vocabulary: the words by their ids.
        tokenizer: one of `tokenizer.TOKENIZERS` or `word_pieces.WORD_PIECES`.
            `"whitespace"`, for models trained on tokenised text, does not
            separate punctuation: `it.` is another word than `it`. The words
            of `"wordpiece"` and `"wordpiece-cased"` are the pieces of a
            BERT's vocabulary.
        max_question_length: number of tokens that questions are cut to; None
            keeps all.
        max_answer_length: number of tokens that answers are cut to; None keeps
            all.
        overlap: computes the model's input `"overlap"` from the cut tokens;
            None for a model without this input.
        report: counts unknown words and empty texts, if not None.
        readable: one of `keras_qa.text.readable.READABLE`: what an answer must
            contain, within its maximum length, for the model's score to count;
            other answers have the score `UNREAD_SCORE`. `"any"` keeps every
            score, as the papers do.
        stop_words: the words that `"content"` does not count, next to those
            without any letter or digit.

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
    readable: str = "content"
    stop_words: frozenset[str] = LONE_STOP_WORDS

    def __post_init__(self) -> None:
        check_choice("tokenizer", self.tokenizer, READERS, error=RankerError)
        check_choice("readable", self.readable, READABLE, error=RankerError)
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
        """The tokens of a text, cut as the model reads it.

        Args:
            side: `"question"` or `"answer"`.
            text: the text.

        Raises:
            ImportError: if it is read as word pieces and `tokenizers` is not
                installed.
        """
        return self.uncut(text)[: self.max_length[side]]

    def uncut(self, text: str) -> list[str]:
        """All tokens of a text; see `tokens`."""
        return self._split(text)

    def is_cut(self, side: str, text: str) -> bool:
        """True if the model does not read the end of a text."""
        most = self.max_length[side]
        if most is None:
            return False
        # A token has a character or more, but a word piece may have a part.
        few = len(text) <= most and self.tokenizer not in WORD_PIECES
        return not few and len(self.uncut(text)) > most

    @cached_property
    def _split(self) -> Callable[[str], list[str]]:
        return text_splitter(self.tokenizer, self.vocabulary)

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
            questions: `n` texts; equal ones are read once.
            answers: `n` texts, `answers[i]` to `questions[i]`.

        Returns:
            The arguments of `keras_qa.ranking.scoring.score_pairs` after the
            model: the word ids of the distinct questions and of all answers,
            the indices of questions and of answers, int64 `(n,)`, and a dict
            that contains `"overlap"`, float32 `(n, 4)`, if `overlap` is given.

        Raises:
            RankerError: if `questions` and `answers` differ in length.
        """
        check_equally_many(RankerError, questions=questions, answers=answers)
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

    @cached_property
    def readable_ids(self) -> np.ndarray | None:
        """See `keras_qa.text.readable.readable_ids`."""
        return readable_ids(self.vocabulary, self.readable, self.stop_words)

    def are_readable(self, texts: RaggedTexts) -> np.ndarray:
        """Returns True for each answer whose score counts, bool `(texts,)`."""
        if self.readable_ids is None:
            return np.ones(len(texts), bool)
        before = np.append(0, np.cumsum(self.readable_ids[texts.ids]))
        return np.diff(before[texts.offsets]) > 0

    def unread_last(
        self,
        scores: np.ndarray,
        texts: RaggedTexts,
        answers: np.ndarray | None = None,
    ) -> np.ndarray:
        """Replaces the scores of unreadable answers by `UNREAD_SCORE`.

        Args:
            scores: float `(n,)`, higher is better.
            texts: the word ids of texts.
            answers: the index of each answer in `texts`, `(n,)`; None if they
                are the texts, in order.

        Returns:
            The scores, of the same dtype, `(n,)`.
        """
        kept = self.are_readable(texts)
        if answers is not None:
            kept = kept[answers]
        return np.where(kept, scores, scores.dtype.type(UNREAD_SCORE))

    def for_model(self, model: Any) -> "TextReading":
        """Checks that the reading fits a model, and cuts texts to its lengths.

        Args:
            model: a Keras model. Its inputs and its `vocabulary_size` are
                checked if it has these attributes.

        Returns:
            The reading; maximum lengths that are None become the model's, if
            its inputs have fixed lengths.

        Raises:
            RankerError: if the model has inputs that the reading does not
                provide, lacks the input of `overlap`, has another number of
                words, or takes only shorter texts.
        """
        inputs = _inputs(model)
        size = getattr(model, "vocabulary_size", len(self.vocabulary))
        if size is None or not _takes_words(inputs):
            raise RankerError(
                "`model` must take word ids of a question and of an answer, "
                "and nothing else but features of overlap, to be given texts. "
                f"Received: {type(model).__name__}, which takes "
                f"{_described(inputs)}"
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
        """The same reading, with other maximum lengths.

        Args:
            lengths: number of tokens that texts are cut to, by side; the
                lengths of missing sides stay.
        """
        lengths = {**self.max_length, **lengths}
        return replace(
            self,
            max_question_length=lengths["question"],
            max_answer_length=lengths["answer"],
        )

    def _check_overlap(self, wanted: Any) -> None:
        """Checks that `overlap` fits a model's input of this name, or None."""
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

        Each line of `vocabulary.txt` is a word; the first has the id
        `first_word_id`. The other entries of `reading.json` say how to convert
        text to ids: find all matches of `pattern` in the lower-case text,
        replace those that `number_pattern` (if not null) fully matches by
        `number`, cut them to the side's `max_length`, look up their ids, with
        `unknown_id` for words not in the vocabulary, and pad with
        `padding_id`. If `oov_buckets` is not 0, the last that many lines of
        `vocabulary.txt` are no words: an unknown word has the id of one of
        them, as `keras_qa.text.vocabulary.bucket_of` counts from 0. `pattern`
        is null for word pieces, which are BERT's by the words of
        `vocabulary.txt`. Converted models give answers that are not
        `readable` the score `unread_score`; see `keras_qa.text.readable`.

        Args:
            folder: an existing folder.
            **entries: further entries of `reading.json`, JSON values.
        """
        splitter, _, numbers = self.tokenizer.partition("-")
        number = tokenizers.NUMBER_TOKEN if numbers == "num" else None
        pattern: str | None = None
        if self.tokenizer not in WORD_PIECES:
            word = tokenizers.word_regex().pattern
            pattern = word if splitter == "word" else r"\S+"
        write_reading(
            folder,
            **entries,
            tokenizer=self.tokenizer,
            pattern=pattern,
            number_pattern=None if number is None else number.pattern,
            number=tokenizers.NUMBER,
            max_length=self.max_length,
            padding_id=PADDING_ID,
            unknown_id=UNKNOWN_ID,
            first_word_id=UNKNOWN_ID + 1,
            oov_buckets=self.vocabulary.oov_buckets,
            readable=self.readable,
            unread_score=UNREAD_SCORE,
            stop_words=sorted(self.stop_words),
        )
        self.vocabulary.save(folder / VOCABULARY)
        if self.overlap is not None:
            self.overlap.save(folder / OVERLAP)

    @classmethod
    def load(cls, folder: Path, tokenizer: str | None = None) -> "TextReading":
        """Reads the files that `save` wrote.

        Args:
            folder: the folder.
            tokenizer: replaces the stored tokeniser, if not None.

        Raises:
            DatasetError: if the vocabulary or the counts are bad.
            RankerError: if `reading.json` is missing or bad.
        """
        path = folder / READING
        stored = read_json(path, _Stored, RankerError)
        return cls.of_files(
            folder,
            path,
            tokenizer=tokenizer or stored["tokenizer"],
            readable=stored["readable"],
            stop_words=frozenset(stored["stop_words"]),
            **{f"max_{s}_length": stored["max_length"][s] for s in SIDES},
        )

    @classmethod
    def of_files(
        cls, folder: Path, origin: Path, **settings: Any
    ) -> "TextReading":
        """A reading with the vocabulary and the counts in a folder.

        Args:
            folder: contains `vocabulary.txt` and optionally `overlap.json`.
            origin: the file that the settings are from, for error messages.
            **settings: other attributes, such as `tokenizer`.

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


def check_texts(name: str, texts: object) -> None:
    """Checks that texts are strings, and no single one, of characters.

    Args:
        name: of the argument, for the message.
        texts: the argument. The items of an iterator, which can be read but
            once, are not checked.

    Raises:
        RankerError: if it is a text or no list, or an item is no string.
    """
    if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
        raise RankerError(
            f"`{name}` must be a list of texts. Received: {shorten(texts)}"
        )
    for i, text in enumerate(texts if isinstance(texts, Collection) else ()):
        if not isinstance(text, str):
            raise RankerError(
                f"`{name}` must be a list of texts, all strings. "
                f"Received: {name}[{i}]={shorten(text)}"
            )


def fixed_width(model: Any, side: str) -> int | None:
    """The fixed length of a side of a functional model, or None."""
    inputs = getattr(model, "input", None)
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
    """Returns True for ids of both sides, and for unknown inputs."""
    if inputs is None:
        return True
    named = {*inputs} - {"overlap"} == set(SIDES)
    return named and all(len(inputs[side].shape) == 2 for side in SIDES)


def _described(inputs: dict[str, Any] | None) -> str:
    """The names, types and shapes of inputs, in words."""
    if inputs is None:
        return "inputs that it does not name"
    return ", ".join(
        f"{name} ({x.dtype}, {tuple(x.shape)})" for name, x in inputs.items()
    )


def _inputs(model: Any) -> dict[str, Any] | None:
    """The symbolic inputs of a functional model by name."""
    taken = getattr(model, "input", None)
    if taken is None or isinstance(taken, dict):
        return taken
    return {x.name: x for x in model.inputs}
