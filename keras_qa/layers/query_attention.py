"""Document-aware query attention: the distance of a query and a document."""

from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_positive
from keras_qa.layers.pair_layer import PairLayer
from keras_qa.layers.sequences import cut_or_pad
from keras_qa.layers.sequences import mask_of
from keras_qa.layers.softmax_block import SoftmaxWeighting


@keras.saving.register_keras_serializable(package="keras_qa")
class QueryAttention(PairLayer, SoftmaxWeighting):
    """Computes the distance of a query and a document.

    With q(i) and d(j) the vectors at the positions of query and document,

        aw(i)  = softmax block of [q(i) . d(1), q(i) . d(2), ...]
                                                              (equation 10)
        sae(i) = sum over j of aw_j(i) d(j)                   (equation 11)
        qe(i)  = |sae(i) - q(i)|                     (equation 9, euclidean)
        dist   = sum over i of qe(i)                          (equation 12)

    Only positions that the masks mark as words count: padding after the words
    changes nothing. The softmax block is fully connected over the positions of
    the document, with a kernel `(max_document_length, max_document_length)`:
    longer documents are cut, and, unlike in other layers, padding must follow
    the words. sae is 0 for a document without words; the distance is 0 for a
    query without words.

    By default the softmax block starts as the identity, so that equation 10 is
    dot-product attention at first. The paper does not give the initial kernels;
    with random ones the initial weight of a word does not depend on the word.

    The layer computes, and returns, float32 under mixed precision. Where sae
    and q are equal the gradient is 0.

    Args:
        max_document_length: the most positions of a document.
        weighting: `"softmax"` as above; `"mean"` gives all words of the
            document the same weight: a network without this attention.
        hidden_units: sizes of the hidden layers of the softmax block.
        alpha: initial slope of PReLU.
        kernel_initializer: initialiser of the softmax block's kernels.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: list `[query, document]` of float tensors `(batch_size,
            query_length, dim)` and `(batch_size, document_length, dim)`.
        mask: list of two bool tensors `(batch_size, length)`, true at words.
            Without masks, all positions are words.
        return_attention_scores: whether the weights are returned too.

    Output:
        Distances, a float tensor `(batch_size, 1)`, lower is better; with
        `return_attention_scores`, a list of the distances and the weights
        `(batch_size, query_length, document_length)`, 0 at the padding of
        either text.

    Raises:
        ValueError: if an argument is out of range, or the inputs are not two
            sequences.

    Example:
        >>> query = keras.random.normal((2, 5, 8))
        >>> document = keras.random.normal((2, 9, 8))
        >>> QueryAttention(max_document_length=20)([query, document]).shape
        (2, 1)

    Reference: MRNN, section 3.3.2.
    """

    parts = {
        "query": ("batch_size", "query_length", "dim"),
        "document": ("batch_size", "document_length", "dim"),
    }
    weightings = ("softmax", "mean")

    def __init__(
        self,
        max_document_length: int,
        weighting: str = "softmax",
        hidden_units: Sequence[int] = (),
        alpha: float = 0.25,
        kernel_initializer: Any = "identity",
        **kwargs: Any,
    ):
        super().__init__(
            weighting,
            hidden_units,
            alpha,
            kernel_initializer,
            # Autocasting would round the vectors to half precision.
            autocast=False,
            **kwargs,
        )
        check_positive(max_document_length=max_document_length)
        self.max_document_length = max_document_length

    def build(self, input_shape: Any) -> None:
        """Creates the softmax block over the document's positions."""
        self.build_softmax_block(self.max_document_length)

    def call(
        self,
        inputs: Any,
        mask: Any = None,
        return_attention_scores: bool = False,
    ) -> Any:
        """Computes the distance of each query from its document."""
        (query, query_mask), whole = (
            self._prepared(text, text_mask)
            for text, text_mask in zip(
                inputs, mask or (None, None), strict=True
            )
        )
        document, document_mask = self._cut(*whole)
        dots = ops.matmul(query, ops.transpose(document, (0, 2, 1)))
        weights = self._weights(dots, document_mask[:, None, :])
        difference = ops.matmul(weights, document) - query
        squares = ops.sum(ops.square(difference), axis=-1)
        distances = self._aggregated(squares, query_mask)[:, None]
        if not return_attention_scores:
            return distances
        weights = ops.where(query_mask[:, :, None], weights, 0)
        # Words that were cut off have no weight.
        width = ops.shape(inputs[1])[1]
        weights = cut_or_pad(ops.transpose(weights, (0, 2, 1)), width)
        return [distances, ops.transpose(weights, (0, 2, 1))]

    def pair_distances(
        self,
        query: Any,
        document: Any,
        query_mask: Any = None,
        document_mask: Any = None,
    ) -> Any:
        """Computes the distances of all queries from all documents.

        The vectors `sae(i)` of all pairs, `dim` numbers for each pair and query
        position, are not computed. With the dot products `q . d(j)` of equation
        10 and `D = [d(j) . d(k)]`, once for each document,

            |sae - q|² = aw D aw - 2 sum over j of aw_j (q . d(j)) + q . q

        The largest tensors have the size of the dot products of all pairs of
        positions: `queries * query_length * documents * document_length`
        float32 numbers. About 3 of them exist at once in inference, 9 in
        training.
        1 query of 20 words and 1,000 documents of 150 words take 36 MB, in
        addition to the vectors of the documents, 614 MB at 1,024 features. `D`
        of all documents has `documents * document_length²` numbers.

        Terms of the size of `|q|²` cancel where a distance is small. The error
        of a squared distance is about 1e-6 |q|² in float32 and 1e-4 |q|² in
        TF32, which GPUs may use instead; `call` has no such error.

        Args:
            query: float tensor `(queries, query_length, dim)`.
            document: float tensor `(documents, document_length, dim)`.
            query_mask: bool tensor `(queries, query_length)` or None.
            document_mask: bool tensor `(documents, document_length)` or None.

        Returns:
            Float tensor `(queries, documents)`.
        """
        query, query_mask = self._prepared(query, query_mask)
        document, document_mask = self._cut(
            *self._prepared(document, document_mask)
        )
        queries, query_length, dim = ops.shape(query)
        documents, length, _ = ops.shape(document)
        # With all queries' positions as rows, one matrix product suffices.
        rows = ops.reshape(query, (queries * query_length, dim))
        dots = ops.matmul(
            ops.reshape(document, (documents * length, dim)),
            ops.transpose(rows),
        )
        dots = ops.transpose(
            ops.reshape(dots, (documents, length, queries * query_length)),
            (0, 2, 1),
        )
        # (documents, rows, length), or (documents, 1, length) for "mean"
        weights = self._weights(dots, document_mask[:, None, :])
        products = ops.matmul(document, ops.transpose(document, (0, 2, 1)))
        squares = (
            ops.sum(ops.matmul(weights, products) * weights, axis=-1)
            - 2 * ops.sum(weights * dots, axis=-1)
            + ops.sum(ops.square(rows), axis=-1)
        )
        squares = ops.reshape(squares, (documents, queries, query_length))
        return ops.transpose(self._aggregated(squares, query_mask))

    def _prepared(self, text: Any, mask: Any) -> tuple[Any, Any]:
        """Returns a text in float32 and its mask, all true without one."""
        return ops.cast(text, self.precise), mask_of(text, mask)

    def _cut(self, document: Any, mask: Any) -> tuple[Any, Any]:
        """Cuts documents to `max_document_length`."""
        longest = self.max_document_length
        return document[:, :longest], mask[:, :longest]

    def _weights(self, dots: Any, mask: Any) -> Any:
        """Computes the weights of equation 10.

        Args:
            dots: dot products `(n, m, document_length)`.
            mask: bool tensor `(n, 1, document_length)`.

        Returns:
            `(n, m, document_length)`, or `(n, 1, document_length)` for
            `"mean"`, which does not use the dot products.
        """
        if self.weighting == "softmax":
            # The block mixes positions, so padding must be 0.
            return self.softmax_block(ops.where(mask, dots, 0), mask=mask)
        words = ops.cast(mask, self.precise)
        total = ops.sum(words, axis=-1, keepdims=True)
        return words / ops.maximum(total, 1)

    def _aggregated(self, squares: Any, mask: Any) -> Any:
        """Computes equation 12 from squared distances `(..., query_length)`."""
        # A root has an infinite gradient at 0; rounding may give less than 0.
        apart = mask & (squares > 0)
        roots = ops.sqrt(ops.where(apart, squares, 1))
        return ops.sum(ops.where(apart, roots, 0), axis=-1)

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
        query, document = (tuple(text.shape) for text in inputs)
        distances = keras.KerasTensor((query[0], 1), dtype=self.precise)
        weights = keras.KerasTensor(
            (*query[:2], document[1]), dtype=self.precise
        )
        return [distances, weights] if return_attention_scores else distances
