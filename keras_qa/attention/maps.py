"""The weights of MRNN's duplex attention for one pair, and their picture."""

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from keras_qa.attention.heatmaps import Heatmap
from keras_qa.attention.heatmaps import draw_heatmaps
from keras_qa.attention.pair import TextPair
from keras_qa.attention.pair import read_pair
from keras_qa.attention.pair import score_and_weights
from keras_qa.errors import AttentionError
from keras_qa.text.reading import TextReading
from keras_qa.text.sides import SIDES


@dataclass(frozen=True)
class AttentionMaps:
    """The weights of MRNN's two attentions for one pair.

    Attributes:
        model: the name of the model's class.
        score: its score of the pair, higher is better.
        question: the question's words.
        answer: the answer's words.
        unknown: the words that the vocabulary lacks, to the model one word.
        grams: for each block the number of words in its receptive field: 1, 3,
            5, ... for kernels of 3 words. As in the paper, pooling over
            neighbours is not counted.
        question_blocks: the weights of the blocks at each word of the
            question, float `(question_length, blocks)`; rows sum to 1.
        answer_blocks: the weights of the blocks at each word of the answer,
            float `(answer_length, blocks)`; rows sum to 1.
        positions: the weights of the answer's words for each word of the
            question, float `(question_length, answer_length)`; rows sum to 1.
    """

    model: str
    score: float
    question: tuple[str, ...]
    answer: tuple[str, ...]
    unknown: frozenset[str]
    grams: tuple[int, ...]
    question_blocks: np.ndarray
    answer_blocks: np.ndarray
    positions: np.ndarray

    def shown(self, word: str) -> str:
        """A word, in brackets if the vocabulary lacks it."""
        return f"[{word}]" if word in self.unknown else word


def attention_maps(
    model: Any,
    reading: TextReading | None,
    question: str | Sequence[str],
    answer: str | Sequence[str],
    *,
    inputs: Mapping[str, np.ndarray] | None = None,
) -> AttentionMaps:
    """Computes all attention weights of a pair (MRNN, Figure 5).

    Args:
        model: an `MRNN`, or a model of your own with the same inputs, an
            attribute `kernel_size`, and an attribute `attention_maps`, a model
            with the same inputs that returns a dict of `"question_blocks"`,
            `"answer_blocks"` and `"positions"`.
        reading: how the model read text in training. With `inputs`, only its
            vocabulary is used, to tell unknown words, and it may be None.
        question: the question, or with `inputs` its words.
        answer: the answer, or with `inputs` its words. The columns of
            `positions` of words beyond the model's `max_document_length` are 0.
        inputs: the model's inputs, for models of contextual vectors: arrays
            `"question"` `(1, question_length, dim)` and `"answer"`
            `(1, answer_length, dim)`, or without `dim` for ids, at least as
            long as the words and zero after them. A word whose vector is zero
            is padding to the model and has the weight 0 everywhere.

    Raises:
        AttentionError: if the model has no attribute `attention_maps`, a text
            has no word, or the inputs do not fit the words.
        RankerError: if the model has inputs that `reading` does not provide.

    Example:
        >>> maps = attention_maps(model, reading, "who wrote it", "ann")
        >>> draw_attention_maps(maps, "figure5.png")
    """
    weigh = getattr(model, "attention_maps", None)
    # Those of AP-BiLSTM and AP-CNN have no blocks.
    if weigh is None or "question_blocks" not in weigh.output:
        raise AttentionError(
            "`model` must have `attention_maps` of blocks and positions, as "
            "MRNN has. "
            f"Received: {type(model).__name__}"
        )
    if inputs is not None:
        pair = _with_inputs(question, answer, inputs)
    elif (
        isinstance(question, str)
        and isinstance(answer, str)
        and reading is not None
    ):
        pair = read_pair(model, reading, question, answer)
    else:
        raise AttentionError(
            "without `inputs`, `question` and `answer` must be texts and "
            "`reading` say how they are read. Received: "
            f"question={question!r}, answer={answer!r}, reading={reading}"
        )
    score, weights = score_and_weights(model, weigh, pair.inputs)
    question_words, answer_words = (tuple(pair.words[side]) for side in SIDES)
    return AttentionMaps(
        model=type(model).__name__,
        score=score,
        question=question_words,
        answer=answer_words,
        unknown=frozenset(
            word
            for word in question_words + answer_words
            if reading is not None and word not in reading.vocabulary
        ),
        grams=block_grams(model, weights["question_blocks"].shape[1]),
        question_blocks=weights["question_blocks"],
        answer_blocks=weights["answer_blocks"],
        positions=weights["positions"],
    )


def block_grams(model: Any, blocks: int) -> tuple[int, ...]:
    """For each block the words in its receptive field, without pooling.

    Args:
        model: a model with an attribute `kernel_size`.
        blocks: the number of blocks.
    """
    return tuple(1 + n * (model.kernel_size - 1) for n in range(blocks))


def _with_inputs(
    question: str | Sequence[str],
    answer: str | Sequence[str],
    inputs: Mapping[str, np.ndarray],
) -> TextPair:
    """The pair of words and arrays, without the arrays' padding."""
    words, cut = {}, {}
    for side, tokens in zip(SIDES, (question, answer), strict=True):
        if isinstance(tokens, str) or not tokens:
            raise AttentionError(
                f"with `inputs`, `{side}` must be a list of at least one word. "
                f"Received: {tokens!r}"
            )
        array = np.asarray(inputs.get(side, ()))
        count = len(tokens)
        if (
            array.ndim not in (2, 3)
            or len(array) != 1
            or array.shape[1] < count
            or array[:, count:].any()
        ):
            raise AttentionError(
                f"`inputs` must have the `{side}` as an array (1, length) or "
                f"(1, length, dim) of {count} words with zeros behind them. "
                f"Received: shape={array.shape}"
            )
        words[side], cut[side] = list(tokens), array[:, :count]
    return TextPair(words, cut)


def draw_attention_maps(
    maps: AttentionMaps, path: Path | str, title: str | None = None
) -> None:
    """Draws the three maps of a pair one below the other (MRNN, Figure 5).

    Map a) has a column for each word of the question and a row for each block,
    b) the same for the answer; c) has a row for each word of the question and
    a column for each word of the answer. Long texts take several lines. The
    darkest shade of a) and b) is the largest weight of both, that of c) its
    own largest weight. Words in brackets are not in the vocabulary.

    Args:
        maps: maps that `attention_maps` returned.
        path: the picture to write, such as a PNG, SVG or PDF file.
        title: the line above the maps; None for the model and the score.

    Raises:
        ImportError: if matplotlib is not installed.
        AttentionError: if matplotlib does not write files with that suffix, or
            pictures of the size that the texts need.
    """
    grams = tuple(f"{words}-gram" for words in maps.grams)
    question, answer = (
        tuple(map(maps.shown, words)) for words in (maps.question, maps.answer)
    )
    darkest = max(maps.question_blocks.max(), maps.answer_blocks.max())
    heatmaps = [
        Heatmap(
            "a) question, by block",
            grams,
            question,
            maps.question_blocks.T,
            darkest,
        ),
        Heatmap(
            "b) answer, by block",
            grams,
            answer,
            maps.answer_blocks.T,
            darkest,
        ),
        Heatmap(
            "c) what each word of the question looks up in the answer",
            question,
            answer,
            maps.positions,
            maps.positions.max(),
        ),
    ]
    if title is None:
        title = f"{maps.model}, score {maps.score:.4f}"
    draw_heatmaps(title, heatmaps, path)
