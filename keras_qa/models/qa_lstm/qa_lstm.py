"""QA-LSTM, its two convolutional variants, and QA-CNN."""

import functools
from collections.abc import Callable
from typing import Any

import keras
import numpy as np

from keras_qa.arguments import check_choice
from keras_qa.arguments import check_positive
from keras_qa.layers.bag_of_words import BagOfWords
from keras_qa.layers.head_tail import HeadTail
from keras_qa.layers.max_over_time import MaxOverTime
from keras_qa.layers.wide_convolution import WideConvolution
from keras_qa.models.building import full_policy
from keras_qa.models.building import l2_regularizers
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.encoders import bidirectional_lstm
from keras_qa.models.encoders import text_convolution
from keras_qa.models.qa_lstm.encoded import EncodedTextRanker

POOLINGS: dict[str, Callable[..., keras.layers.Layer]] = {
    "max": MaxOverTime,
    "avg": functools.partial(BagOfWords, "mean"),
    "head_tail": HeadTail,
}


@keras.saving.register_keras_serializable(package="keras_qa")
class QALSTM(EncodedTextRanker):
    """Scores a pair by the cosine of two texts, encoded with one LSTM.

    1. One bidirectional LSTM (equations 1 to 6) reads both texts.
    2. The text's vector is the maximum or mean of its states, of the size 2
       `units`, over the words, or the final state of each direction.
    3. The score is the cosine of the two vectors.

    A text's vector does not depend on the other text: `question_encoder` and
    `answer_encoder` compute it, and `head` scores the vectors of a pair. All
    models of the paper have these three.

    Id 0 is padding and changes nothing. Texts may have any length; the cosine
    of a text without words is 0. Under mixed precision pooling and similarity
    are float32.

    The model has 2 * 4 (md + d^2 + d) parameters without the embedding, with
    m = `embedding_dim` and d = `units`: 272,976 at the paper's m = 100 and
    d = 141.

    Args:
        vocabulary_size: number of word ids, with padding (0) and the unknown
            word (1).
        embedding_dim: size of the word vectors (the paper's E).
        units: size of the state of each direction.
        pooling: `"max"` (rows C and D of Table 3), `"avg"` (B) or
            `"head_tail"` (A).
        similarity: `"cosine"` (the paper), `"gesd"` (see `GESD`), or a layer
            from `[question, answer]` vectors to `(batch_size, 1)`, such as
            `GESD(gamma=0.5)`.
        dropout: share of both texts' vectors dropped in training. The paper
            has dropout there, but does not give the share.
        embeddings: array `(vocabulary_size, embedding_dim)` to start the
            embedding with; uniform in (-.25, .25) without it. It is not part
            of the configuration but a weight, which is saved.
        trainable_embeddings: whether training changes the embedding, as in
            the paper.
        l2: strength of the L2 regularisation of all trainable parameters. The
            paper has none.
        dtype: dtype policy; the global one by default.
        name: name of the model.
        trainable: whether the model is trainable.

    Call arguments:
        inputs: dict of int tensors `"question"` `(batch_size,
            question_length)` and `"answer"` `(batch_size, answer_length)`.

    Output:
        Float tensor `(batch_size, 1)`, higher is better: in [-1, 1] for the
        cosine, in (0, 1) for GESD.

    Raises:
        ValueError: if an argument is out of range, or `embeddings` has
            another shape or values that are not finite.

    Example:
        >>> model = QALSTM(vocabulary_size=100)
        >>> question, answer = np.array([[5, 7, 3]]), np.array([[9, 0]])
        >>> model({"question": question, "answer": answer}).shape
        (1, 1)
        >>> model.answer_encoder(answer).shape
        (1, 282)

    Reference: Tan et al., 2016, "Improved Representation Learning for
    Question Answer Matching", section 3.1.
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 100,
        units: int = 141,
        *,
        pooling: str = "max",
        similarity: Any = "cosine",
        dropout: float = 0.0,
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = True,
        l2: float = 0.0,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        check_choice("pooling", pooling, tuple(POOLINGS))
        policy = full_policy(dtype)

        # === Layers ===
        bilstm = bidirectional_lstm(units, l2, policy)
        pool = POOLINGS[pooling](dtype=policy.variable_dtype, name=pooling)

        # === Functional model ===
        # The base class looks up the words and compares the two vectors.
        super().__init__(lambda words: pool(bilstm(words)))
        self.bilstm = bilstm


@keras.saving.register_keras_serializable(package="keras_qa")
class ConvPoolingLSTM(EncodedTextRanker):
    """QA-LSTM whose pooling is a convolution over the states.

    `WideConvolution` computes tanh features of every window of `kernel_size`
    states (equation 8), and the text's vector is the maximum of each feature
    over the windows (equation 9).

    The convolution adds 2 `units` * `kernel_size` * `filters` parameters to
    those of `QALSTM`: 338,400 at the defaults.

    Args, call arguments and output are those of `QALSTM`, without `pooling`,
    and with

    Args:
        filters: size of a text's vector (the paper's c: 4000, 200 and 400 in
            rows E, F and G of Table 3).
        kernel_size: number of states in a window (the paper's k). The paper
            gives 3 for QA-CNN only.
        use_bias: whether the convolution has a bias. Equation 8 has none.

    Reference: Tan et al., 2016, "Improved Representation Learning for
    Question Answer Matching", section 3.2.1.
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 100,
        units: int = 141,
        *,
        filters: int = 400,
        kernel_size: int = 3,
        use_bias: bool = False,
        similarity: Any = "cosine",
        dropout: float = 0.0,
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = True,
        l2: float = 0.0,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        check_positive(units=units, filters=filters, kernel_size=kernel_size)
        policy = full_policy(dtype)

        # === Layers ===
        bilstm = bidirectional_lstm(units, l2, policy)
        convolution = WideConvolution(
            filters,
            kernel_size,
            use_bias=use_bias,
            **l2_regularizers(l2, "kernel", "bias"),
            dtype=policy,
            name="convolution",
        )
        pool = MaxOverTime(dtype=policy.variable_dtype, name="max")

        # === Functional model ===
        super().__init__(lambda words: pool(convolution(bilstm(words))))
        self.bilstm = bilstm
        self.convolution = convolution


@keras.saving.register_keras_serializable(package="keras_qa")
class ConvBasedLSTM(EncodedTextRanker):
    """QA-LSTM on a convolution of the words.

    A convolution computes `filters` tanh features of the window of
    `kernel_size` words centred at each word (equation 10). One bidirectional
    LSTM reads these features, and the text's vector is the maximum of its
    states over the words.

    Without the embedding the model has kmc + 2 * 4 (cd + d^2 + d) parameters,
    with m = `embedding_dim`, c = `filters`, k = `kernel_size` and d =
    `units`: 857,400 at the defaults.

    Args, call arguments and output are those of `QALSTM`, without `pooling`,
    and with

    Args:
        units: size of the state of each direction. The paper's |h|, 200 and
            400 in rows H and I of Table 3, is, as in equation 8, the size of
            both directions together, and `units` is 100 and 200.
        filters: number of features of a word (the paper's c).
        kernel_size: number of words in a window (the paper's k). The paper
            gives 3 for QA-CNN only.
        use_bias: whether the convolution has a bias. Equation 10 has none.

    Reference: Tan et al., 2016, "Improved Representation Learning for
    Question Answer Matching", section 3.2.2.
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 100,
        units: int = 200,
        *,
        filters: int = 282,
        kernel_size: int = 3,
        use_bias: bool = False,
        similarity: Any = "cosine",
        dropout: float = 0.0,
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = True,
        l2: float = 0.0,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        policy = full_policy(dtype)

        # === Layers ===
        convolution = text_convolution(
            filters, kernel_size, "tanh", use_bias, l2, policy
        )
        bilstm = bidirectional_lstm(units, l2, policy)
        pool = MaxOverTime(dtype=policy.variable_dtype, name="max")

        # === Functional model ===
        super().__init__(lambda words: pool(bilstm(convolution(words))))
        self.convolution = convolution
        self.bilstm = bilstm


@keras.saving.register_keras_serializable(package="keras_qa")
class QACNN(EncodedTextRanker):
    """QA-LSTM with a convolution instead of the LSTM.

    A convolution computes `filters` features of the window of `kernel_size`
    words centred at each word, and the text's vector is the maximum of each
    feature over the words. Without the embedding the model has kmc parameters,
    with m = `embedding_dim`, c = `filters` and k = `kernel_size`: 120,000 at
    the defaults.

    Args, call arguments and output are those of `QALSTM`, without `units` and
    `pooling`, and with

    Args:
        filters: size of a text's vector (the paper's c).
        kernel_size: number of words in a window (the paper's k).
        activation: activation of the features, tanh as in equation 10. The
            paper gives none for this model.
        use_bias: whether the convolution has a bias. Equations 8 and 10 have
            none.

    Reference: Tan et al., 2016, "Improved Representation Learning for
    Question Answer Matching", section 4.3, row J of Table 3.
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 100,
        *,
        filters: int = 400,
        kernel_size: int = 3,
        activation: Any = "tanh",
        use_bias: bool = False,
        similarity: Any = "cosine",
        dropout: float = 0.0,
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = True,
        l2: float = 0.0,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        policy = full_policy(dtype)

        # === Layers ===
        convolution = text_convolution(
            filters, kernel_size, activation, use_bias, l2, policy
        )
        pool = MaxOverTime(dtype=policy.variable_dtype, name="max")

        # === Functional model ===
        super().__init__(lambda words: pool(convolution(words)))
        self.activation = convolution.activation
        self.convolution = convolution
