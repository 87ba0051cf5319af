"""Interactive attention: five terms weigh the positions of an answer."""

from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_choice
from keras_qa.arguments import check_positive
from keras_qa.initializers import fresh
from keras_qa.layers.base_layer import MaskingLayer
from keras_qa.layers.head_tail import HeadTail
from keras_qa.layers.pair_layer import check_parts
from keras_qa.layers.sequences import as_indices
from keras_qa.layers.sequences import cut_or_pad
from keras_qa.layers.sequences import masked_softmax
from keras_qa.layers.sequences import weighted_sum
from keras_qa.text.sides import SIDES
from keras_qa.vectors import unit_vectors

TERMS = ("question", "answer", "jump", "frequency", "match")
QUESTION_TERMS = ("aligned", "final")
# The axes of all inputs of the terms.
PARTS: Mapping[str, tuple[str, ...]] = {
    "answer_states": ("batch_size", "answer_length", "dim"),
    "question_states": ("batch_size", "question_length", "dim"),
    "jump": ("batch_size", "answer_length"),
    "answer_ids": ("batch_size", "answer_words"),
    "answer_tf_idf": ("batch_size", "answer_words"),
    "question_words": ("batch_size", "question_words", "word_dim"),
    "question_tf_idf": ("batch_size", "question_words"),
    "answer_words": ("batch_size", "answer_words", "word_dim"),
}
# The inputs of each term, in addition to the answer's states.
NEEDED: Mapping[str, tuple[str, ...]] = {
    "question": ("question_states",),
    "answer": (),
    "jump": ("jump",),
    "frequency": ("answer_ids", "answer_tf_idf"),
    "match": (
        "question_words",
        "question_tf_idf",
        "answer_words",
        "answer_tf_idf",
    ),
}


@keras.saving.register_keras_serializable(package="keras_qa")
class InteractiveAttention(MaskingLayer):
    """Weighs an answer's positions by the states and words of both texts.

    With `h_q(t)` and `h_a(t)` the states of question and answer, `jump(t)` the
    jump from position t of the answer to the next (`RBMJumpScore`), and `d_q`
    and `d_a` the tf-idf vectors of the texts (`TfIdf`),

        weight(t) = exp(e(t)) / sum over i of exp(e(i))       (equation 7)
        e(t) = tanh(u_h . h_q(t) + u_h . h_a(t) + v_1 jump(t)
                    + u_a . d_a + v_2 d_q^T M d_a)            (equation 8)

    over the positions that the mask marks as words: a weight on padding is
    exactly 0, and padding changes nothing. Each of the five terms can be left
    out, with its weights. Everything is computed, and returned, in float32.

    `M`, which compares all pairs of words of the vocabulary, is never built.
    It is factored as E W E^T, with the normalised word vectors as the rows of
    E. The matrix W is learnt and starts as the identity, where M contains the
    cosines of the word vectors, the paper's initial values. So the rank of M
    is at most that of E, and `d_q^T M d_a` is the product (E^T d_q)^T W
    (E^T d_a), whose factors are sums over the words of one text each.

    Limits of equation 8:

    - `e(t)` lies in (-1, 1), so the largest weight is at most e^2 = 7.4 times
      the smallest. `activation="linear"` removes the bound.
    - The tf-idf terms, and the term of the question's final state, are the same
      at all positions. A softmax ignores a common summand, so these terms act
      through the nonlinearity of tanh only; with `activation="linear"` they
      have no effect. `return_match` returns the term of both texts for another
      use.

    Args:
        terms: the terms of equation 8 to sum: `"question"`, `"answer"`,
            `"jump"`, `"frequency"` (`d_a` alone) and `"match"` (`d_q` with
            `d_a`). Without any, all words have the same weight.
        vocabulary_size: number of word ids, for `"frequency"`.
        question_term: the question's state in the term of position t:
            `"aligned"`, the state at position t of the question (as printed; 0
            after its end), or `"final"`, the final states of both directions.
        share_state_vector: whether both texts share one `u_h` (as printed).
        activation: the outer function of `e(t)`.
        kernel_initializer: initialiser of all weights but W.
        kernel_regularizer: regulariser of all weights.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: dict of tensors; those that no term needs may be missing:

            - `"answer_states"` `(batch_size, answer_length, dim)`, always.
            - `"question_states"` `(batch_size, question_length, dim)`, for
              `"question"`.
            - `"jump"` `(batch_size, answer_length)`, for `"jump"`.
            - `"answer_ids"`, int, and `"answer_tf_idf"` `(batch_size,
              answer_words)`, for `"frequency"`; weights of 0 at padding.
            - `"question_words"` `(batch_size, question_words, word_dim)`,
              `"question_tf_idf"` `(batch_size, question_words)`, and the same
              two of the answer, for `"match"`: word vectors, which the layer
              normalises, and their weights.
        mask: dict of bool tensors `(batch_size, length)`, true at words; those
            of `"question_states"` and `"answer_states"` are used. Without one,
            all positions are words.
        return_match: whether to return `d_q^T M d_a` as well, which the term
            `"match"` computes.

    Output:
        Float tensor `(batch_size, answer_length)`, weights that sum to 1; all 0
        for an answer without words. With `return_match`, a list of the weights
        and of `d_q^T M d_a` `(batch_size, 1)`, without the factor v_2.

    Raises:
        ValueError: if an argument is out of range, an input is missing, or
            `return_match` is true without the term `"match"`.

    Example:
        >>> states = keras.random.normal((2, 9, 8))
        >>> layer = InteractiveAttention(["answer"])
        >>> layer({"answer_states": states}).shape
        (2, 9)

    Reference: Wu and Hao, "Cross-sentence Pre-trained model for Interactive
    QA matching", section 2.4.
    """

    def __init__(
        self,
        terms: Sequence[str] = TERMS,
        vocabulary_size: int | None = None,
        question_term: str = "aligned",
        share_state_vector: bool = True,
        activation: Any = "tanh",
        kernel_initializer: Any = None,
        kernel_regularizer: Any = None,
        **kwargs: Any,
    ):
        # Autocasting would round the jumps to half precision on the way in.
        super().__init__(autocast=False, **kwargs)
        self.terms = check_terms(terms)
        check_choice("question_term", question_term, QUESTION_TERMS)
        if "frequency" in self.terms:
            check_positive(vocabulary_size=vocabulary_size)
        self.vocabulary_size = vocabulary_size
        self.question_term = question_term
        self.share_state_vector = share_state_vector
        self.activation = keras.activations.get(activation)
        self.kernel_initializer = keras.initializers.get(
            kernel_initializer or keras.initializers.RandomUniform(-0.05, 0.05)
        )
        self.kernel_regularizer = keras.regularizers.get(kernel_regularizer)
        self.ends = HeadTail(dtype=self.precise, name="ends")

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Checks the inputs and calls the layer."""
        needed = {"answer_states", *(n for t in self.terms for n in NEEDED[t])}
        found = inputs if isinstance(inputs, Mapping) else {}
        if needed - set(found) or not check_parts(
            {name: found[name] for name in needed}, PARTS
        ):
            axes = {name: PARTS[name] for name in sorted(needed)}
            shapes = {n: getattr(x, "shape", x) for n, x in found.items()}
            raise ValueError(
                f"`inputs` must be a dict that has {sorted(needed)}, with the "
                f"axes {axes}. Received: shapes={shapes or inputs!r}"
            )
        return super().__call__(inputs, *args, **kwargs)

    def build(self, input_shape: Any) -> None:
        """Creates those of `u_h`, `v_1`, `u_a`, `v_2` and W that terms need."""
        states = (input_shape["answer_states"][-1],)
        if "answer" in self.terms:
            self.answer_vector = self._weight("answer_vector", states)
        if "question" in self.terms:
            shared = self.share_state_vector and "answer" in self.terms
            self.question_vector = (
                self.answer_vector
                if shared
                else self._weight("question_vector", states)
            )
        if "jump" in self.terms:
            self.jump_scale = self._weight("jump_scale", ())
        if "frequency" in self.terms:
            self.frequency_vector = self._weight(
                "frequency_vector", (self.vocabulary_size,)
            )
        if "match" in self.terms:
            self.match_scale = self._weight("match_scale", ())
            dim = input_shape["answer_words"][-1]
            self.word_similarity = self._weight(
                "word_similarity", (dim, dim), "identity"
            )

    def _weight(
        self, name: str, shape: tuple, initializer: str | None = None
    ) -> Any:
        return self.add_precise_weight(
            name=name,
            shape=shape,
            initializer=initializer or fresh(self.kernel_initializer),
            regularizer=self.kernel_regularizer,
        )

    def call(
        self,
        inputs: Mapping[str, Any],
        mask: Mapping[str, Any] | None = None,
        return_match: bool = False,
    ) -> Any:
        """Sums the terms and takes their softmax."""
        self._check_match(return_match)
        mask = mask or {}
        states = ops.cast(inputs["answer_states"], self.precise)
        # (batch_size, answer_length)
        energy = ops.zeros_like(states[:, :, 0])
        if "question" in self.terms:
            question = self._question(inputs, mask.get("question_states"))
            if self.question_term == "aligned":
                question = cut_or_pad(question, ops.shape(energy)[1])
            energy = energy + question
        if "answer" in self.terms:
            energy = energy + ops.matmul(states, self.answer_vector)
        if "jump" in self.terms:
            jump = ops.cast(inputs["jump"], self.precise)
            energy = energy + self.jump_scale * jump
        if "frequency" in self.terms:
            energy = energy + self._frequency(inputs)[:, None]
        if "match" in self.terms:
            match = self._match(inputs)[:, None]
            energy = energy + self.match_scale * match
        weights = masked_softmax(
            self.activation(energy), mask.get("answer_states")
        )
        return [weights, match] if return_match else weights

    def _check_match(self, return_match: bool) -> None:
        if return_match and "match" not in self.terms:
            raise ValueError(
                '`return_match` needs the term "match". '
                f"Received: return_match=True, terms={self.terms}"
            )

    def _question(self, inputs: Mapping[str, Any], mask: Any) -> Any:
        """`u_h . h_q(t)` `(batch_size, question_length)`, or `(…, 1)`."""
        states = ops.cast(inputs["question_states"], self.precise)
        if self.question_term == "final":
            states = self.ends(states, mask=mask)[:, None, :]
            mask = None
        products = ops.matmul(states, self.question_vector)
        if mask is None:
            return products
        return ops.where(ops.cast(mask, "bool"), products, 0.0)

    def _frequency(self, inputs: Mapping[str, Any]) -> Any:
        """`u_a . d_a` `(batch_size,)`."""
        ids = as_indices("answer_ids", inputs["answer_ids"])
        values = ops.take(self.frequency_vector, ids, axis=0)
        weights = ops.cast(inputs["answer_tf_idf"], self.precise)
        return ops.sum(values * weights, axis=1)

    def _match(self, inputs: Mapping[str, Any]) -> Any:
        """`d_q^T E W E^T d_a` `(batch_size,)`."""
        question, answer = (
            self._bag(inputs[f"{side}_words"], inputs[f"{side}_tf_idf"])
            for side in SIDES
        )
        product = ops.matmul(question, self.word_similarity)
        return ops.sum(product * answer, axis=1)

    def _bag(self, words: Any, weights: Any) -> Any:
        """`E^T d` `(batch_size, word_dim)`."""
        weights = ops.cast(weights, self.precise)
        # (batch_size, 1, words) by (batch_size, words, word_dim)
        words = unit_vectors(ops.cast(words, self.precise))
        return weighted_sum(weights, words)

    def compute_output_shape(self, input_shape: Mapping[str, Any]) -> tuple:
        """`(batch_size, answer_length)`."""
        return tuple(input_shape["answer_states"][:2])

    def compute_output_spec(
        self,
        inputs: Mapping[str, Any],
        mask: Any = None,
        return_match: bool = False,
    ) -> Any:
        """The outputs' shapes and dtypes, with the match if asked for."""
        self._check_match(return_match)
        shape = tuple(inputs["answer_states"].shape[:2])
        shapes = [shape, (shape[0], 1)] if return_match else [shape]
        outputs = [keras.KerasTensor(s, dtype=self.precise) for s in shapes]
        return outputs if return_match else outputs[0]


def check_terms(terms: Sequence[str]) -> tuple[str, ...]:
    """Checks names of terms and sorts them in the order of equation 8.

    Args:
        terms: names of terms.

    Returns:
        The names, in the order of `TERMS`.

    Raises:
        ValueError: if a name is unknown or repeated, or `terms` is a string.
    """
    if (
        isinstance(terms, str)
        or set(terms) - set(TERMS)
        or len(set(terms)) < len(terms)
    ):
        raise ValueError(
            f"`terms` must be different ones of {TERMS}. "
            f"Received: terms={terms!r}"
        )
    return tuple(term for term in TERMS if term in terms)
