"""The attention weight of each word of a pair, as text or picture."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from keras_qa.attention.figure import CHARACTER_WIDTH
from keras_qa.attention.figure import COLOR
from keras_qa.attention.figure import FONT
from keras_qa.attention.figure import new_figure
from keras_qa.attention.figure import save_figure
from keras_qa.attention.pair import read_pair
from keras_qa.attention.pair import score_and_weights
from keras_qa.errors import AttentionError
from keras_qa.text.reading import TextReading
from keras_qa.text.sides import SIDES

BAR = 24
"""Characters of the longest bar."""

# The picture's characters per line, font size in points, and line height as a
# multiple of the font size.
COLUMNS = 72
FONT_SIZE = 9
LINE_HEIGHT = 2
# The strongest shade, on which black words are still readable.
STRONGEST = 0.8


@dataclass(frozen=True)
class Word:
    """A word as the model reads it.

    Attributes:
        word: the token.
        known: True if the vocabulary contains the word; all unknown words are
            one word to the model.
        weight: attention weight, in [0, 1]; None if the model does not weigh
            this side.
    """

    word: str
    known: bool
    weight: float | None


@dataclass(frozen=True)
class Attention:
    """The score of a pair, and the weights of its words.

    Attributes:
        model: the name of the model's class.
        score: the model's score of the pair, higher is better.
        question: the question's words.
        answer: the answer's words. The weights of a side sum to 1.
    """

    model: str
    score: float
    question: tuple[Word, ...]
    answer: tuple[Word, ...]


def attention_weights(
    model: Any, reading: TextReading, question: str, answer: str
) -> Attention:
    """Computes the weights that a model gives the words of a pair.

    Args:
        model: a Keras model with inputs `{"question", "answer"}` and an
            attribute `attention`, a model with the same inputs that returns a
            dict of weights `(batch_size, length)` of one or both sides:
            `APBiLSTM`, `APCNN`, `AttentiveLSTM`, `AttentiveCNN`, `MRNN`,
            `IAM`, `AICNN`, or one of your own.
        reading: how it read text in training.
        question: the question.
        answer: the answer.

    Returns:
        The words with their weights.

    Raises:
        AttentionError: if the model has no attribute `attention`, or a text
            has no word.
        RankerError: if the model has inputs that `reading` does not provide.

    Example:
        >>> seen = attention_weights(model, reading, "who wrote it", "ann")
        >>> print(format_attention(seen))
    """
    weigh = getattr(model, "attention", None)
    if weigh is None:
        raise AttentionError(
            "Expected a model with attention: MRNN, IAM, attentive LSTM or "
            "CNN, AP-BiLSTM, AP-CNN or AI-CNN, which the papers' scripts "
            "train, such as `python -m reproductions.mrnn`, or one of your own "
            "with an attribute `attention`. The models of `keras-qa train` "
            f"have none. Received: {type(model).__name__}"
        )
    pair = read_pair(model, reading, question, answer)
    score, weights = score_and_weights(model, weigh, pair.inputs)
    return Attention(
        model=type(model).__name__,
        score=score,
        **{
            side: tuple(
                Word(
                    word,
                    word in reading.vocabulary,
                    float(weights[side][i]) if side in weights else None,
                )
                for i, word in enumerate(pair.words[side])
            )
            for side in SIDES
        },
    )


def format_attention(attention: Attention) -> str:
    """The weights as plain text: a line and a bar for each word.

    The longest bar of a side belongs to its largest weight. Words in brackets
    are not in the vocabulary; all of them are one word to the model.

    Args:
        attention: the weights that `attention_weights` returned.

    Returns:
        Lines, each with a line end.
    """
    return "".join(f"{line}\n" for line in _lines(attention))


def _lines(attention: Attention) -> Iterator[str]:
    yield f"{attention.model}, score {attention.score:.4f}"
    for side in SIDES:
        words: tuple[Word, ...] = getattr(attention, side)
        yield ""
        yield _heading(side, words)
        if words[0].weight is None:
            yield f"  {' '.join(map(_shown, words))}"
            continue
        for word, weight, share in _weighted(words):
            bar = "█" * round(BAR * share)
            yield f"  {weight:.3f}  {bar.ljust(BAR)}  {_shown(word)}"


def _weighted(
    words: tuple[Word, ...],
) -> Iterator[tuple[Word, float, float]]:
    """The words, their weights, and the weights divided by their maximum."""
    weights = np.array([word.weight for word in words], dtype=float)
    largest = weights.max()
    for word, weight in zip(words, weights.tolist(), strict=True):
        yield word, weight, weight / largest if largest > 0 else 0.0


def _heading(side: str, words: tuple[Word, ...]) -> str:
    """The name of a side, and the weight of each word if all were equal."""
    if words[0].weight is None:
        return f"{side}, not weighed"
    return f"{side}, {1 / len(words):.3f} if all words weighed the same"


def _shown(word: Word) -> str:
    return word.word if word.known else f"[{word.word}]"


def draw_attention(attention: Attention, path: Path | str) -> None:
    """Draws both texts with a shade behind each word, darker for more weight.

    The darkest shade of a side is its largest weight, which the side's heading
    gives.

    Args:
        attention: the weights that `attention_weights` returned.
        path: the picture to write, such as a PNG, SVG or PDF file.

    Raises:
        ImportError: if matplotlib is not installed.
        AttentionError: if matplotlib does not write files with that suffix, or
            pictures of the size that the texts need.
    """
    items = list(_layout(attention))
    lines = items[-1].line + 1
    margin = 2  # columns
    width, height = COLUMNS + 2 * margin, lines + 2
    figure = new_figure(
        width * CHARACTER_WIDTH * FONT_SIZE / 72,
        height * LINE_HEIGHT * FONT_SIZE / 72,
    )
    # `new_figure` has found matplotlib.
    from matplotlib.colors import to_rgb
    from matplotlib.patches import Rectangle

    full = np.array(to_rgb(COLOR))
    axes = figure.add_axes((0, 0, 1, 1), frameon=False)
    axes.set_axis_off()
    axes.set_xlim(-margin, COLUMNS + margin)
    axes.set_ylim(lines + 1, -1)
    for item in items:
        if item.share > 0:
            axes.add_patch(
                Rectangle(
                    (item.column - 0.25, item.line + 0.08),
                    len(item.text) + 0.5,
                    0.84,
                    # Mixed with white: PostScript has no transparency.
                    facecolor=1 - STRONGEST * item.share * (1 - full),
                    linewidth=0,
                )
            )
        axes.text(
            item.column,
            item.line + 0.5,
            item.text,
            family=FONT,
            size=FONT_SIZE,
            weight="bold" if item.heading else "normal",
            va="center_baseline",
            parse_math=False,
        )
    save_figure(figure, path)


@dataclass(frozen=True)
class _Item:
    """A text of the picture, its line and column, and its shade in [0, 1]."""

    line: int
    column: int
    text: str
    share: float = 0.0
    heading: bool = False


def _layout(attention: Attention) -> Iterator[_Item]:
    """The headings and the words, in lines of at most `COLUMNS`."""
    title = f"{attention.model}, score {attention.score:.4f}"
    yield _Item(0, 0, title, heading=True)
    line = 0
    for side in SIDES:
        words: tuple[Word, ...] = getattr(attention, side)
        heading, shares = _heading(side, words), [0.0] * len(words)
        if words[0].weight is not None:
            weighted = list(_weighted(words))
            shares = [share for *_, share in weighted]
            heading += f"; darkest {max(w for _, w, _ in weighted):.3f}"
        line, column = line + 2, 0
        yield _Item(line, 0, heading, heading=True)
        line += 1
        for word, share in zip(words, shares, strict=True):
            text = _shown(word)
            if column and column + len(text) > COLUMNS:
                line, column = line + 1, 0
            yield _Item(line, column, text, share)
            column += len(text) + 1
