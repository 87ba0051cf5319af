"""Tf-idf vectors of texts, one weight for each position."""

from collections.abc import Iterable
from typing import Any

import keras
import numpy as np
from keras import ops

from keras_qa.arguments import check_choice
from keras_qa.arguments import check_positive
from keras_qa.layers.base_layer import MaskingLayer
from keras_qa.layers.base_layer import PreciseLayer
from keras_qa.layers.sequences import as_indices

NORMS = ("l2", None)


@keras.saving.register_keras_serializable(package="keras_qa")
class TfIdf(PreciseLayer, MaskingLayer):
    """Weighs the words of a text by frequency and inverse document frequency.

    A text's vector d has one dimension for each word w of the vocabulary,

        d(w) = tf(w) idf(w)

    with tf(w) the number of times that the text has w. The layer returns d
    sparse, as a weight for each position. The weights of the positions of w sum
    to d(w), so that a sum over the vocabulary, such as a scalar product with d,
    becomes a sum over the text.

    Id 0 is padding: it has the weight 0 and changes nothing. The unknown word
    is a word like others. The weights are float32 under mixed precision too.

    `adapt` computes the idf from documents; until then, without `idf`, every
    idf is 1.

    Args:
        vocabulary_size: number of word ids, with padding (0).
        idf: float array `(vocabulary_size,)`, the idf of each word. It is not
            part of the configuration but a weight, which is saved.
        norm: `"l2"` to divide d by its Euclidean norm, or None.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: int tensor `(batch_size, length)` of word ids.

    Output:
        Float tensor `(batch_size, length)`.

    Raises:
        ValueError: if an argument is out of range, or `idf` has another shape
            or values that are negative or not finite.

    Example:
        >>> layer = TfIdf(5, norm=None)
        >>> layer.adapt([[2, 3], [2, 2, 4], [2]], smooth=False)
        >>> layer(np.array([[3, 2, 3, 0]]))
        [[1.0986123, 0., 1.0986123, 0.]]

    Reference: Wu and Hao, "Cross-sentence Pre-trained model for Interactive
    QA matching", section 2.4: the vectors d of equation 8. The paper gives no
    formula of tf-idf.
    """

    input_spec = keras.layers.InputSpec(ndim=2)
    not_kept = ("idf",)

    def __init__(
        self,
        vocabulary_size: int,
        idf: np.ndarray | None = None,
        norm: str | None = "l2",
        **kwargs: Any,
    ):
        # Autocasting would round the weights to half precision.
        super().__init__(autocast=False, **kwargs)
        check_positive(vocabulary_size=vocabulary_size)
        check_choice("norm", norm, NORMS)
        self.vocabulary_size = vocabulary_size
        self.norm = norm
        self.build((None, None))
        if idf is not None:
            self._assign(np.asarray(idf, dtype=np.float64))

    def build(self, input_shape: tuple) -> None:
        """Creates the idf of the words."""
        # The constructor calls it; a layer around this one may do so again.
        if self.built:
            return
        self.idf = self.add_precise_weight(
            name="idf",
            shape=(self.vocabulary_size,),
            initializer="ones",
            trainable=False,
        )

    def _assign(self, idf: np.ndarray) -> None:
        if idf.shape != (self.vocabulary_size,):
            raise ValueError(
                "`idf` must have the shape (vocabulary_size,) = "
                f"{(self.vocabulary_size,)}. Received: idf.shape={idf.shape!r}"
            )
        wrong = ~np.isfinite(idf) | (idf < 0)
        if wrong.any():
            raise ValueError(
                "`idf` must be finite and not negative. "
                f"Received: {idf[wrong][0]} for word {int(np.argmax(wrong))}"
            )
        self.idf.assign(idf)

    def adapt(self, texts: Iterable[Any], smooth: bool = True) -> None:
        """Sets each idf from the number of documents that have the word.

        With N documents, of which df(w) have w,

            idf(w) = ln((1 + N) / (1 + df(w))) + 1      if `smooth`
            idf(w) = ln(N / max(df(w), 1))              if not.

        The first, which is scikit-learn's, gives words of all documents a
        positive idf.

        Args:
            texts: the documents, integer vectors of word ids. Use those of
                the training data only.
            smooth: whether to use the first formula.

        Raises:
            ValueError: if there is no document, or an id is out of range.
        """
        distinct = [np.unique(np.asarray(text, dtype=int)) for text in texts]
        if not distinct:
            raise ValueError(
                "`texts` must hold at least one document. Received: none"
            )
        ids = np.concatenate(distinct)
        wrong = (ids < 0) | (ids >= self.vocabulary_size)
        if wrong.any():
            raise ValueError(
                f"`texts` must hold ids from 0 to {self.vocabulary_size - 1}. "
                f"Received: {ids[wrong][0]}"
            )
        frequency = np.bincount(ids, minlength=self.vocabulary_size)
        if smooth:
            idf = np.log((1 + len(distinct)) / (1 + frequency)) + 1
        else:
            idf = np.log(len(distinct) / np.maximum(frequency, 1))
        self._assign(idf)

    def call(self, inputs: Any) -> Any:
        """Looks up the idf and normalises the weights."""
        ids = as_indices("inputs", inputs)
        idf = ops.take(self.idf, ids, axis=0)
        weights = ops.where(ops.not_equal(inputs, 0), idf, 0.0)
        if self.norm is None:
            return weights
        # tf of the word at each position.
        equal = ops.equal(inputs[:, :, None], inputs[:, None, :])
        frequency = ops.sum(ops.cast(equal, weights.dtype), axis=-1)
        # Σ_w (tf(w) idf(w))², as a sum over the tf(w) positions of each w
        squared = ops.sum(
            frequency * ops.square(weights), axis=-1, keepdims=True
        )
        return weights / ops.sqrt(ops.where(squared > 0, squared, 1.0))

    def compute_output_shape(self, input_shape: tuple) -> tuple:
        """The shape of the inputs."""
        return input_shape
