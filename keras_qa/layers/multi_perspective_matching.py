"""BiMPM: states of a text matched with another text from l perspectives."""

from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_positive
from keras_qa.initializers import fresh
from keras_qa.layers.head_tail import HeadTail
from keras_qa.layers.pair_layer import PrecisePairLayer
from keras_qa.layers.sequences import mask_of
from keras_qa.vectors import inverse_norms
from keras_qa.vectors import unit_vectors

STRATEGIES = ("full", "max_pooling", "attentive", "max_attentive")
DIRECTIONS = ("forward", "backward")


@keras.saving.register_keras_serializable(package="keras_qa")
class MultiPerspectiveMatching(PrecisePairLayer):
    """Matches each state of a text with all states of another text.

    The states of both texts are concatenated outputs of a forward and a
    backward direction. With the matrix W of l rows, l cosines compare two
    vectors of one direction:

        f(v, u; W)_k = cos(W_k * v, W_k * u)

    where * multiplies elementwise. In each direction, with p_i a state of the
    text, q_j those of the other text and a_ij = cos(p_i, q_j), a state has

        full           f(p_i, q_end; W)
        max_pooling    max over j of f(p_i, q_j; W)
        attentive      f(p_i, sum_j a_ij q_j / sum_j a_ij; W)
        max_attentive  f(p_i, q_m; W), m the j of the largest a_ij

    where q_end is the state in which a direction has read the whole text: the
    last forward, the first backward. Each strategy has a matrix W of its own in
    each direction.

    Only the words of the other text count. If it has none, all cosines are 0.
    A cosine does not depend on the length of its vectors: of the sum by which
    `"attentive"` divides, only the sign is used, as the sum may be near 0. The
    norms are bounded as in `CosineSimilarity`. Half-precision inputs are
    computed, and the cosines returned, in float32.

    Args:
        perspectives: number of cosines (the paper's l).
        strategies: different ones of `"full"`, `"max_pooling"`, `"attentive"`
            and `"max_attentive"`.
        kernel_initializer: initialiser of the matrices.
        kernel_regularizer: regulariser of the matrices.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: list `[text, other]` of float tensors `(batch_size, length, 2
            units)` and `(batch_size, other_length, 2 units)`, as returned by
            `keras.layers.Bidirectional` with `return_sequences=True`.
        mask: list of two bool tensors `(batch_size, length)`, true at words.
            Where there is none, all positions are words.

    Output:
        Float tensor `(batch_size, length, 2 * strategies * perspectives)`:
        forward, one strategy after the other, then backward. Its mask is that
        of the text; at padding it has no meaning.

    Raises:
        ValueError: if `perspectives` is not a positive integer, `strategies`
            are none, unknown or repeated, or the inputs are not two sequences
            of states of one even size.

    Example:
        >>> text = keras.ops.array([[[1.0, 0.0]]])
        >>> other = keras.ops.array([[[-2.0, 3.0], [4.0, 5.0]]])
        >>> MultiPerspectiveMatching(2, ["full"])([text, other])
        [[[1.0, 1.0, 0.0, 0.0]]]

    Reference: Wang et al., 2017, "Bilateral Multi-Perspective Matching for
    Natural Language Sentences", section 3.2.
    """

    parts = {
        "text": ("batch_size", "length", "dim"),
        "other": ("batch_size", "other_length", "dim"),
    }

    def __init__(
        self,
        perspectives: int = 20,
        strategies: Sequence[str] = STRATEGIES,
        kernel_initializer: Any = "glorot_uniform",
        kernel_regularizer: Any = None,
        **kwargs: Any,
    ):
        # Autocasting would round the vectors to half precision on the way in.
        super().__init__(autocast=False, **kwargs)
        check_positive(perspectives=perspectives)
        self.supports_masking = True
        self.perspectives = perspectives
        self.strategies = check_strategies(strategies)
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.kernel_regularizer = keras.regularizers.get(kernel_regularizer)
        self.ends = HeadTail(dtype=self.precise, name="ends")

    def build(self, input_shape: Any) -> None:
        """Creates a matrix for each strategy and direction."""
        # It checks that there are two halves.
        self.ends.build(input_shape[1])
        units = input_shape[0][-1] // 2
        self.kernels = {
            name: self.add_precise_weight(
                name=name,
                shape=(self.perspectives, units),
                # A seed of its own: the matrices start apart.
                initializer=fresh(self.kernel_initializer),
                regularizer=self.kernel_regularizer,
            )
            for name in (
                f"{direction}_{strategy}"
                for direction in DIRECTIONS
                for strategy in self.strategies
            )
        }

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """Matches both directions by all strategies."""
        text, other = (ops.cast(x, self.precise) for x in inputs)
        words = mask_of(other, None if mask is None else mask[1])
        ends = self.ends(other, mask=words)[:, None, :]
        halves = (ops.split(x, 2, axis=-1) for x in (text, other, ends))
        features = []
        for direction, p, q, end in zip(DIRECTIONS, *halves, strict=True):
            relevance = ops.matmul(
                unit_vectors(p), ops.swapaxes(unit_vectors(q), 1, 2)
            )
            for strategy in self.strategies:
                # The squares weigh the products of two vectors' elements.
                kernel = self.kernels[f"{direction}_{strategy}"]
                weights = ops.transpose(ops.square(kernel))
                if strategy == "max_pooling":
                    features.append(_largest_cosines(p, q, weights, words))
                    continue
                if strategy == "full":
                    matched = end
                elif strategy == "attentive":
                    matched = _mean(relevance, q, words)
                else:
                    matched = _most_relevant(relevance, q, words)
                dots = ops.matmul(p * matched, weights)
                norms = _inverse_norms(p, weights) * _inverse_norms(
                    matched, weights
                )
                features.append(dots * norms)
        return ops.cast(ops.concatenate(features, axis=-1), self.precise)

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        """The mask of the text."""
        return None if previous_mask is None else previous_mask[0]

    def compute_output_shape(self, input_shape: Any) -> tuple:
        """`(batch_size, length, 2 * strategies * perspectives)`."""
        size = len(DIRECTIONS) * len(self.strategies) * self.perspectives
        return (*input_shape[0][:2], size)


def check_strategies(strategies: Sequence[str]) -> list[str]:
    """Checks names of strategies.

    Args:
        strategies: names of strategies.

    Returns:
        The names, in the order of `STRATEGIES`.

    Raises:
        ValueError: if there are none, a name is unknown or repeated, or
            `strategies` is a string.
    """
    if (
        isinstance(strategies, str)
        or not strategies
        or set(strategies) - set(STRATEGIES)
        or len(set(strategies)) < len(strategies)
    ):
        raise ValueError(
            f"`strategies` must be different ones of {STRATEGIES}. "
            f"Received: strategies={strategies!r}"
        )
    return [name for name in STRATEGIES if name in strategies]


def _inverse_norms(x: Any, weights: Any) -> Any:
    """1 / |W_k * x| for each perspective, `(..., perspectives)`."""
    return inverse_norms(ops.matmul(ops.square(x), weights))


def _largest_cosines(p: Any, q: Any, weights: Any, words: Any) -> Any:
    """The largest of the cosines with all words, in each perspective."""
    scaled = p[:, None] * ops.transpose(weights)[None, :, None]
    # (batch_size, perspectives, length, other_length)
    dots = ops.matmul(scaled, ops.swapaxes(q, 1, 2)[:, None])
    norms = ops.swapaxes(_inverse_norms(q, weights), 1, 2)[:, :, None]
    cosines = ops.where(words[:, None, None], dots * norms, -float("inf"))
    largest = ops.swapaxes(ops.max(cosines, axis=-1), 1, 2)
    largest = ops.where(ops.any(words, axis=1)[:, None, None], largest, 0.0)
    # The norm of p does not change which is the largest.
    return largest * _inverse_norms(p, weights)


def _mean(relevance: Any, q: Any, words: Any) -> Any:
    """The attentive vector of each state, up to a positive factor."""
    weights = ops.where(words[:, None], relevance, 0.0)
    sign = ops.sign(ops.sum(weights, axis=-1, keepdims=True))
    return ops.matmul(weights * sign, q)


def _most_relevant(relevance: Any, q: Any, words: Any) -> Any:
    """The state of the other text that is most relevant to each state."""
    relevance = ops.where(words[:, None], relevance, -2.0)
    # Padding is the largest in a text without words only.
    words = ops.cast(words, q.dtype)[:, None]
    # TensorFlow Lite has no operation that `ops.argmax` needs.
    _, places = ops.top_k(relevance, 1)
    chosen = ops.one_hot(places[..., 0], ops.shape(q)[1], dtype=q.dtype)
    return ops.matmul(chosen * words, q)
