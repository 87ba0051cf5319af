"""The k largest interactions of two texts' positions."""

from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_choice
from keras_qa.arguments import check_positive
from keras_qa.initializers import fresh
from keras_qa.layers.base_layer import MaskingLayer
from keras_qa.layers.pair_layer import PrecisePairLayer
from keras_qa.layers.sequences import mask_of
from keras_qa.vectors import unit_vectors

SIMILARITIES = ("cosine", "bilinear", "tensor")


@keras.saving.register_keras_serializable(package="keras_qa")
class KMaxInteractions(PrecisePairLayer, MaskingLayer):
    """The k largest similarities between positions of two texts.

    With the vectors u of a position of the question and v of one of the
    answer, the interaction of the two positions is

        s(u, v) = <u, v> / (|u| |v|)                        (cosine)
        s(u, v) = u^T M v + b                               (bilinear)
        s_c(u, v) = max(0, u^T M_c v + w_c . [u, v] + b_c)  (tensor)

    with c = 1, ..., `channels`. Of each channel's grid, of all positions of the
    question and all of the answer, the layer returns the `k` largest values,
    the largest first.

    Only the cells count that the masks mark as words in both texts. Missing
    values are 0, if there are fewer than `k` cells. Half-precision inputs are
    computed, and the values returned, in float32.

    Args:
        k: number of values of each grid.
        similarity: `"cosine"`, `"bilinear"` or `"tensor"`.
        channels: number of grids of `"tensor"`; the others have one.
        kernel_initializer: initialiser of M and w.
        kernel_regularizer: regulariser of M and w.
        bias_regularizer: regulariser of b.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: list `[question, answer]` of float tensors `(batch_size,
            question_length, dim)` and `(batch_size, answer_length, dim)`.
        mask: list of two bool tensors `(batch_size, length)`, true at words.
            Where there is none, all positions are words.

    Output:
        Float tensor `(batch_size, k)`, for `"tensor"` `(batch_size, channels *
        k)` with one channel's values after the other's. It has no mask.

    Raises:
        ValueError: if an argument is out of range, or the inputs are not two
            sequences of vectors of one size.

    Example:
        >>> question = keras.ops.array([[[1.0, 0.0], [0.0, 1.0]]])
        >>> answer = keras.ops.array([[[0.6, 0.8]]])
        >>> KMaxInteractions(k=3)([question, answer])
        [[0.8, 0.6, 0.0]]

    Reference: Wan et al., 2016, "A Deep Architecture for Semantic Matching
    with Multiple Positional Sentence Representations", sections on the
    interactions between two sentences and on k-max pooling.
    """

    def __init__(
        self,
        k: int = 5,
        similarity: str = "cosine",
        channels: int = 1,
        kernel_initializer: Any = "glorot_uniform",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        **kwargs: Any,
    ):
        # Autocasting would round the vectors to half precision on the way in.
        super().__init__(autocast=False, **kwargs)
        check_positive(k=k, channels=channels)
        check_choice("similarity", similarity, SIMILARITIES)
        self.k = k
        self.similarity = similarity
        self.channels = channels
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.kernel_regularizer = keras.regularizers.get(kernel_regularizer)
        self.bias_regularizer = keras.regularizers.get(bias_regularizer)
        self.grids = channels if similarity == "tensor" else 1

    def build(self, input_shape: Any) -> None:
        """Creates M, w and b, as far as the similarity has them."""
        dim = input_shape[0][-1]
        kernel = {"regularizer": self.kernel_regularizer}
        if self.similarity == "cosine":
            return
        self.kernel = self.add_precise_weight(
            name="kernel",
            shape=(self.grids, dim, dim),
            initializer=self.kernel_initializer,
            **kernel,
        )
        if self.similarity == "tensor":
            self.linear = self.add_precise_weight(
                name="linear",
                shape=(2, dim, self.grids),
                initializer=fresh(self.kernel_initializer),
                **kernel,
            )
        self.bias = self.add_precise_weight(
            name="bias",
            shape=(self.grids,),
            initializer="zeros",
            regularizer=self.bias_regularizer,
        )

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """Compares all positions and returns the largest values."""
        masks = mask or (None, None)
        asked, answered = map(mask_of, inputs, masks)
        # (batch_size, channels, question_length, answer_length)
        grid = self._interactions(*(ops.cast(x, self.precise) for x in inputs))
        cells = asked[:, None, :, None] & answered[:, None, None, :]
        lowest = -float("inf")
        grid = ops.where(cells, grid, lowest)
        # Each axis has its size, as an empty text leaves none to infer.
        batch, _, rows, columns = ops.shape(grid)
        flat = ops.reshape(grid, (batch, self.grids, rows * columns))
        missing = ops.full((batch, self.grids, self.k), lowest, flat.dtype)
        flat = ops.concatenate([flat, missing], axis=2)
        largest, _ = ops.top_k(flat, self.k, sorted=True)
        largest = ops.where(largest > lowest, largest, 0.0)
        return ops.reshape(largest, (batch, self.grids * self.k))

    def _interactions(self, question: Any, answer: Any) -> Any:
        if self.similarity == "cosine":
            units = map(unit_vectors, (question, answer))
            return ops.einsum("bqd,bad->bqa", *units)[:, None]
        products = ops.einsum("bqd,cde->bcqe", question, self.kernel)
        answers = ops.transpose(answer, (0, 2, 1))[:, None]
        grid = ops.matmul(products, answers) + self.bias[:, None, None]
        if self.similarity == "bilinear":
            return grid
        asked, answered = (
            ops.transpose(ops.matmul(x, self.linear[i]), (0, 2, 1))
            for i, x in enumerate((question, answer))
        )
        return ops.relu(grid + asked[..., None] + answered[:, :, None])

    def compute_output_shape(self, input_shape: Any) -> tuple:
        """`(batch_size, channels * k)`."""
        return (input_shape[0][0], self.grids * self.k)
