"""Duplex attention: over the n-grams of each text, then between two texts."""

from collections.abc import Sequence
from typing import Any

import keras

from keras_qa.arguments import check_positive_lists
from keras_qa.initializers import fresh
from keras_qa.layers.base_layer import MaskingLayer
from keras_qa.layers.ngram_attention import NGramAttention
from keras_qa.layers.pair_layer import PairLayer
from keras_qa.layers.query_attention import QueryAttention
from keras_qa.text.sides import SIDES


@keras.saving.register_keras_serializable(package="keras_qa")
class DuplexAttention(PairLayer, MaskingLayer):
    """Computes the distance of a question and a document from feature maps.

    1. `NGramAttention` combines the vectors of the N blocks at each position of
       both texts into one (equations 4 to 8);
    2. `QueryAttention` sums the distances of the question's positions from the
       weighted means of the document (equations 9 to 12).

    `contextualize` does the first step for one text, `distance` the second for
    pairs, and `pair_distances` the second for all pairs of questions and
    documents, so that a text of many pairs needs the first step once.

    Padding, which must follow the words of a document, changes nothing. Under
    mixed precision all but the sums of equation 8 is computed in float32.

    Args:
        max_document_length: the most positions of a document; longer documents
            are cut before the second step. The paper does not give it.
        hidden_units: sizes of the hidden layers of each softmax block. The
            paper has "fully connected layers" without a number; the default
            has no hidden layer, so that a block is one layer.
        n_gram_attention: whether the first step is an attention.
        query_attention: whether the second step is an attention; otherwise all
            words of the document have the same weight.
        without_n_gram_attention: the first step if it is no attention: the
            `"mean"` of the blocks or the `"last"` block.
        share_sides: whether both texts use the same softmax block of equation
            7. The paper does not say.
        alpha: initial slope of PReLU.
        block_initializer: initialiser of the kernels of equation 7, see
            `NGramAttention`.
        position_initializer: initialiser of the kernels of equation 10, see
            `QueryAttention`.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: list `[question, document]` of float tensors `(batch_size,
            blocks, question_length, filters)` and `(batch_size, blocks,
            document_length, filters)`.
        mask: list of two bool tensors `(batch_size, length)`, true at words;
            `NGramDenseBlock` passes them on. Without masks, all positions are
            words.
        return_attention_scores: whether the weights are returned too.

    Output:
        Distances, a float tensor `(batch_size, 1)`, lower is better; with
        `return_attention_scores`, a list of the distances, the weights of
        equation 7 for the question `(batch_size, question_length, blocks)` and
        for the document `(batch_size, document_length, blocks)`, and the
        weights of equation 10 `(batch_size, question_length,
        document_length)`.

    Raises:
        ValueError: if an argument is out of range, or the inputs have another
            number of axes.

    Example:
        >>> question = keras.random.normal((2, 4, 5, 8))
        >>> document = keras.random.normal((2, 4, 9, 8))
        >>> DuplexAttention(max_document_length=20)([question, document]).shape
        (2, 1)

    Reference: MRNN, section 3.3.
    """

    parts = {
        "question": ("batch_size", "blocks", "question_length", "filters"),
        "document": ("batch_size", "blocks", "document_length", "filters"),
    }

    def __init__(
        self,
        max_document_length: int,
        hidden_units: Sequence[int] = (),
        n_gram_attention: bool = True,
        query_attention: bool = True,
        without_n_gram_attention: str = "mean",
        share_sides: bool = True,
        alpha: float = 0.25,
        block_initializer: Any = "glorot_uniform",
        position_initializer: Any = "identity",
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        check_positive_lists(hidden_units=hidden_units)
        if without_n_gram_attention not in ("mean", "last"):
            raise ValueError(
                '`without_n_gram_attention` must be "mean" or "last". '
                "Received: without_n_gram_attention="
                f"{without_n_gram_attention!r}"
            )
        self.max_document_length = max_document_length
        self.hidden_units = tuple(hidden_units)
        self.n_gram_attention = n_gram_attention
        self.query_attention = query_attention
        self.without_n_gram_attention = without_n_gram_attention
        self.share_sides = share_sides
        self.alpha = alpha
        self.block_initializer = keras.initializers.get(block_initializer)
        self.position_initializer = keras.initializers.get(position_initializer)
        self.resolution = {
            side: NGramAttention(
                "softmax" if n_gram_attention else without_n_gram_attention,
                hidden_units,
                alpha,
                fresh(self.block_initializer),
                dtype=self.dtype_policy,
                name=f"{side}_resolution",
            )
            for side in SIDES[: 1 if share_sides else 2]
        }
        self.matching = QueryAttention(
            max_document_length,
            "softmax" if query_attention else "mean",
            hidden_units,
            alpha,
            self.position_initializer,
            dtype=self.dtype_policy,
            name="matching",
        )

    def build(self, input_shape: Any) -> None:
        """Builds the softmax blocks."""
        shapes = [tuple(shape) for shape in input_shape]
        for layer, shape in zip(self.resolution.values(), shapes, strict=False):
            layer.build(shape)
        self.matching.build([(b, length, s) for b, _, length, s in shapes])

    def contextualize(
        self,
        maps: Any,
        mask: Any = None,
        side: str = "question",
        return_attention_scores: bool = False,
    ) -> Any:
        """Computes the first step for texts of one side.

        Args:
            maps: float tensor `(batch_size, blocks, length, filters)`.
            mask: bool tensor `(batch_size, length)` or None.
            side: `"question"` or `"answer"`, the latter for documents.
            return_attention_scores: whether the weights are returned too.

        Returns:
            Float tensor `(batch_size, length, filters)`; with
            `return_attention_scores`, a list of this tensor and the weights
            `(batch_size, length, blocks)`.
        """
        layer = self.resolution.get(side, self.resolution["question"])
        return layer(
            maps, mask=mask, return_attention_scores=return_attention_scores
        )

    def distance(
        self,
        question: Any,
        document: Any,
        question_mask: Any = None,
        document_mask: Any = None,
        return_attention_scores: bool = False,
    ) -> Any:
        """Computes the second step for pairs.

        Args:
            question: the result of `contextualize`, `(batch_size,
                question_length, filters)`.
            document: the result of `contextualize`, `(batch_size,
                document_length, filters)`.
            question_mask: bool tensor `(batch_size, question_length)` or None.
            document_mask: bool tensor `(batch_size, document_length)` or None.
            return_attention_scores: whether the weights are returned too.

        Returns:
            Distances `(batch_size, 1)`; with `return_attention_scores`, a list
            of the distances and the weights `(batch_size, question_length,
            document_length)`.
        """
        return self.matching(
            [question, document],
            mask=[question_mask, document_mask],
            return_attention_scores=return_attention_scores,
        )

    def pair_distances(
        self,
        question: Any,
        document: Any,
        question_mask: Any = None,
        document_mask: Any = None,
    ) -> Any:
        """Computes the second step for all pairs.

        Args:
            question: float tensor `(questions, question_length, filters)`.
            document: float tensor `(documents, document_length, filters)`.
            question_mask: bool tensor `(questions, question_length)` or None.
            document_mask: bool tensor `(documents, document_length)` or None.

        Returns:
            Distances `(questions, documents)`. For the memory that they take
            see `QueryAttention.pair_distances`.
        """
        return self.matching.pair_distances(
            question, document, question_mask, document_mask
        )

    def call(
        self,
        inputs: Any,
        mask: Any = None,
        return_attention_scores: bool = False,
    ) -> Any:
        """Computes the distances of pairs."""
        masks = list(mask or (None, None))
        (question, q_weights), (document, d_weights) = (
            self.contextualize(maps, text_mask, side, True)
            for maps, text_mask, side in zip(inputs, masks, SIDES, strict=True)
        )
        distances, matches = self.matching(
            [question, document], mask=masks, return_attention_scores=True
        )
        if return_attention_scores:
            return [distances, q_weights, d_weights, matches]
        return distances

    def compute_output_shape(self, input_shape: Any) -> tuple:
        """`(batch_size, 1)`."""
        return (input_shape[0][0], 1)

    def compute_output_spec(
        self,
        inputs: Any,
        mask: Any = None,
        return_attention_scores: bool = False,
    ) -> Any:
        """The outputs' shapes and dtypes, with the weights if asked for."""
        batch_size, blocks, question_length, _ = inputs[0].shape
        document_length = inputs[1].shape[2]
        shapes = [
            (batch_size, 1),
            (batch_size, question_length, blocks),
            (batch_size, document_length, blocks),
            (batch_size, question_length, document_length),
        ]
        outputs = [keras.KerasTensor(s, dtype=self.precise) for s in shapes]
        return outputs if return_attention_scores else outputs[0]
