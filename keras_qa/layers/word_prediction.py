"""Losses of predicting words from the states of a bidirectional stack."""

from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_positive
from keras_qa.arguments import check_positive_or_none
from keras_qa.initializers import uniform_initializers
from keras_qa.layers.base_layer import MaskingLayer
from keras_qa.layers.pair_layer import PrecisePairLayer
from keras_qa.layers.sequences import as_indices


@keras.saving.register_keras_serializable(package="keras_qa")
class WordPrediction(PrecisePairLayer, MaskingLayer):
    """Computes negative log-likelihoods of next and previous words.

    With `[f(t); b(t)]` the state at position t of a sentence x_1, ..., x_T
    that ends with x_{T+1} = `<EOS>`, and `class` the class of a word,

        p(x_{t+1} | x_1, ..., x_t) = softmax(W_f f(t) + c_f)[class(x_{t+1})]
        p(x_t | x_{t+1}, ..., x_{T+1}) = softmax(W_b b(t+1) + c_b)[class(x_t)]

    and the output is -log of both, for t = 1, ..., T, and 0 at padding. Both
    directions predict T words.

    The paper's equation 3 has a softmax over the *positions* of the sentence,
    from states at t that have read x_t: it can be maximised without learning
    language. This layer follows the paper's text: a language model after Bengio
    et al., with a softmax over the vocabulary, of words that the state has not
    read.

    Words of the same class are predicted as one, for example all rare words as
    the unknown word. The classes are a non-trainable weight; by default id i
    has the class i - 1.

    Half-precision states are multiplied by the kernels in half precision; the
    softmax is computed, and the losses are returned, in float32.

    Args:
        vocabulary_size: number of word ids, with padding (0) and `<EOS>`.
        class_count: number of classes; `vocabulary_size` - 1 by default.
        shared: whether both directions share the softmax, W_f = W_b and
            c_f = c_b.
        initializer_range: kernels and biases start uniform in (-range,
            range), as in the paper; `None` keeps the defaults of Keras.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: list `[states, ids]` of a float tensor `(batch_size, length +
            1, 2 units)` from `BidirectionalStack` and an int tensor
            `(batch_size, length + 1)` from `AppendToken`.

    Output:
        Float tensor `(batch_size, length, 2)`, forward and backward.

    Raises:
        ValueError: if an argument is out of range, or the inputs have other
            axes.

    Example:
        >>> states = keras.ops.zeros((1, 3, 8))
        >>> ids = keras.ops.array([[5, 9, 0]])
        >>> losses = WordPrediction(10)([states, ids])
        >>> losses.shape  # words, directions; all about log(9), then padding
        (1, 2, 2)

    Reference: Wu and Hao, "Cross-sentence Pre-trained model for Interactive
    QA matching", section 2.2, equation 3; Peters et al., 2018, "Deep
    contextualized word representations", section 3.1.
    """

    parts = {
        "states": ("batch_size", "length + 1", "2 units"),
        "ids": ("batch_size", "length + 1"),
    }

    def __init__(
        self,
        vocabulary_size: int,
        class_count: int | None = None,
        shared: bool = False,
        initializer_range: float | None = 0.05,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        check_positive(vocabulary_size=vocabulary_size)
        check_positive_or_none(class_count=class_count)
        if vocabulary_size < 2:
            raise ValueError(
                "`vocabulary_size` must be at least 2. "
                f"Received: vocabulary_size={vocabulary_size!r}"
            )
        self.vocabulary_size = vocabulary_size
        self.class_count = class_count or vocabulary_size - 1
        self.shared = shared
        self.initializer_range = initializer_range

    def build(self, input_shape: Any) -> None:
        """Creates the classes and the softmax of each direction."""
        self.classes = self.add_weight(
            shape=(self.vocabulary_size,),
            initializer=self._own_classes,
            dtype="int32",
            trainable=False,
            name="classes",
        )
        units = input_shape[0][-1] // 2
        self.forward_logits = self._logits("forward_logits", units)
        self.backward_logits = (
            self.forward_logits
            if self.shared
            else self._logits("backward_logits", units)
        )

    def _own_classes(self, shape: tuple, dtype: Any = None) -> Any:
        """Returns class i - 1 for id i, within the number of classes."""
        return ops.clip(
            ops.arange(shape[0], dtype=dtype) - 1, 0, self.class_count - 1
        )

    def _logits(self, name: str, units: int) -> keras.layers.Dense:
        layer = keras.layers.Dense(
            self.class_count,
            **uniform_initializers(self.initializer_range, "kernel", "bias"),
            dtype=self.dtype_policy,
            name=name,
        )
        layer.build((None, None, units))
        return layer

    def call(self, inputs: Any) -> Any:
        """Computes the negative log-likelihoods of the words, 0 on padding."""
        states, ids = inputs
        units = states.shape[-1] // 2
        ids = as_indices("inputs", ids)
        classes = ops.take(self.classes, ids, axis=0)
        losses = ops.stack(
            [
                self._minus_log_p(
                    self.forward_logits(states[:, :-1, :units]), classes[:, 1:]
                ),
                self._minus_log_p(
                    self.backward_logits(states[:, 1:, units:]), classes[:, :-1]
                ),
            ],
            axis=-1,
        )
        # A word is followed by a word or by <EOS>.
        real = ops.cast(ids[:, 1:] != 0, self.precise)
        return losses * real[:, :, None]

    def _minus_log_p(self, logits: Any, classes: Any) -> Any:
        return ops.sparse_categorical_crossentropy(
            classes, ops.cast(logits, self.precise), from_logits=True
        )

    def compute_output_shape(self, input_shape: Any) -> tuple:
        """`(batch_size, length, 2)`."""
        batch_size, length, _ = input_shape[0]
        return (batch_size, None if length is None else length - 1, 2)
