"""AI-CNN: attentive pooling of the interactions of two texts' segments."""

from typing import Any

import keras
import numpy as np

from keras_qa.arguments import check_positive
from keras_qa.arguments import check_positive_or_none
from keras_qa.layers.interactive_pooling import InteractivePooling
from keras_qa.models.building import full_policy
from keras_qa.models.building import l2_regularizers
from keras_qa.models.building import text_inputs
from keras_qa.models.building import word_vectors
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.encoders import text_convolution
from keras_qa.models.word_model import WordModel
from keras_qa.text.sides import SIDES


@keras.saving.register_keras_serializable(package="keras_qa")
class AICNN(WordModel):
    """Scores a pair by pooled interactions of its convolved segments.

    1. A convolution computes `filters` features of each segment, the words
       around a word, of both texts.
    2. `InteractivePooling` multiplies the vectors of all pairs of segments
       elementwise, takes the maxima over the rows and over the columns of the
       products, and averages these with attention to a vector of each text.
    3. A hidden layer reads both vectors, and the score is linear in its units,
       the difference of the two classes of a softmax.

    The steps are those of the paper's abstract. The paper is not at hand: the
    elementwise product, the form of the attention, shared by both texts, and
    all sizes are assumptions.

    With m = `embedding_dim`, c = `filters`, k = `kernel_size`, a =
    `attention_units` and h = `hidden_units`, the model has kmc + c + ca + 2a +
    2ch + 2h + 1 parameters without the embedding: 260,801 at the defaults, and
    140,801 with words of 100 elements, where Tay et al. (2018, "HyperQA",
    Table 4) print 140K.

    `attention` is a model with the same inputs that returns the weights of the
    segments, a dict of `"question"` `(batch_size, question_length)` and
    `"answer"` `(batch_size, answer_length)`.

    Id 0 is padding and changes nothing. Texts may have any length; all pairs
    with a text without words have the same score. Under mixed precision
    pooling and score are float32.

    Args:
        vocabulary_size: number of word ids, with padding (0) and the unknown
            word (1).
        embedding_dim: size of the word vectors.
        filters: size of the segments' vectors.
        kernel_size: number of words in a segment.
        attention_units: size of the attention's hidden layer; None for
            `filters`.
        hidden_units: size of the hidden layer.
        activation: activation of the convolution and the hidden layer.
        embeddings: array `(vocabulary_size, embedding_dim)` to start the
            embedding with; uniform in (-.25, .25) without it. It is not part
            of the configuration but a weight, which is saved.
        trainable_embeddings: whether training changes the embedding.
        dropout: share dropped in training of the word vectors and of the two
            texts' vectors.
        l2: strength of the L2 regularisation of all trainable parameters.
        dtype: dtype policy; the global one by default.
        name: name of the model.
        trainable: whether the model is trainable.

    Call arguments:
        inputs: dict of int tensors `"question"` `(batch_size,
            question_length)` and `"answer"` `(batch_size, answer_length)`.

    Output:
        Float tensor `(batch_size, 1)`, higher is better.

    Raises:
        ValueError: if an argument is out of range, or `embeddings` has
            another shape or values that are not finite.

    Example:
        >>> model = AICNN(vocabulary_size=100)
        >>> pair = {"question": np.array([[5, 7]]), "answer": np.array([[9]])}
        >>> model(pair).shape
        (1, 1)

    Reference: Zhang et al., 2017, "Attentive Interactive Neural Networks for
    Answer Selection in Community Question Answering".
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 300,
        filters: int = 200,
        *,
        kernel_size: int = 3,
        attention_units: int | None = None,
        hidden_units: int = 100,
        activation: Any = "tanh",
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = False,
        dropout: float = 0.0,
        l2: float = 0.0,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        check_positive(hidden_units=hidden_units)
        check_positive_or_none(attention_units=attention_units)
        policy = full_policy(dtype)
        # Pooling and score stay in float32 under mixed precision.
        precise = policy.variable_dtype
        regularizers = l2_regularizers(l2, "kernel", "bias")

        # === Layers ===
        embedding = word_vectors(self.arguments)
        drop_words, drop_vectors = (
            keras.layers.Dropout(dropout, dtype=policy, name=name)
            for name in ("word_dropout", "vector_dropout")
        )
        convolution = text_convolution(
            filters, kernel_size, activation, True, l2, policy
        )
        pooling = InteractivePooling(
            attention_units,
            **regularizers,
            dtype=precise,
            name="interactive_pooling",
        )
        pair = keras.layers.Concatenate(dtype=precise, name="pair")
        hidden = keras.layers.Dense(
            hidden_units,
            activation,
            **regularizers,
            dtype=precise,
            name="hidden",
        )
        score = keras.layers.Dense(
            1, **regularizers, dtype=precise, name="score"
        )

        # === Functional model ===
        texts = text_inputs()
        segments = [
            convolution(drop_words(embedding(ids))) for ids in texts.values()
        ]
        *vectors, asked, answered = pooling(
            segments, return_attention_scores=True
        )
        super().__init__(texts, score(hidden(drop_vectors(pair(vectors)))))

        # === Config ===
        self.activation = keras.activations.get(activation)
        self.embedding = embedding
        self.pooling = pooling
        self.attention = keras.Model(
            texts,
            dict(zip(SIDES, (asked, answered), strict=True)),
            name="attention",
        )
