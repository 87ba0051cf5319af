"""Self-LSTM: the vectors of self-attentive LSTMs, compared by their cosine."""

from typing import Any

import keras
import numpy as np

from keras_qa.arguments import check_positive_or_none
from keras_qa.layers.self_attentive_pooling import SelfAttentivePooling
from keras_qa.models.building import full_policy
from keras_qa.models.building import l2_regularizers
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.encoders import bidirectional_lstm
from keras_qa.models.qa_lstm.encoded import EncodedTextRanker


@keras.saving.register_keras_serializable(package="keras_qa")
class SelfLSTM(EncodedTextRanker):
    """Compares two texts, each weighed by itself.

    1. One bidirectional LSTM computes the states of both texts.
    2. `SelfAttentivePooling`, with weights that both texts share, takes a
       weighted mean of each text's states.
    3. The score is the cosine of the two vectors.

    No vector depends on the other text: `question_encoder` and
    `answer_encoder`, which are one model, compute them, and `head` compares
    them. The paper trains with a hinge of margin 0.2.

    Id 0 is padding and changes nothing. Texts may have any length; the cosine
    of a text without words is 0. Under mixed precision weights, means and
    similarity are float32.

    With m = `embedding_dim`, d = `units` and k = `attention_units`, the model
    has 8d(m + d + 1) + 2dk + k parameters without the embedding: 578,382 at
    the defaults.

    Args:
        vocabulary_size: number of word ids, with padding (0) and the unknown
            word (1).
        embedding_dim: size of the word vectors.
        units: size of the LSTM's state in each direction; that of `QALSTM`.
        attention_units: size of what the attention scores; by default that of
            the states, 2 `units`.
        similarity: `"cosine"`, `"gesd"`, or a layer that takes the list of
            both vectors.
        dropout: share of the vectors' entries dropped in training.
        embeddings: array `(vocabulary_size, embedding_dim)` to start the
            embedding with; uniform in (-.25, .25) without it. It is not part
            of the configuration but a weight, which is saved.
        trainable_embeddings: whether training changes the embedding.
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
        >>> model = SelfLSTM(vocabulary_size=100)
        >>> pair = {"question": np.array([[5, 7]]), "answer": np.array([[9]])}
        >>> model(pair).shape
        (1, 1)

    Reference: Tran and Niederée, 2018, "Multihop Attention Networks for
    Question Answer Matching"; the attention is that of Lin et al., 2017, "A
    Structured Self-attentive Sentence Embedding", equations 5 and 6 with one
    hop. The paper of 2018 is not at hand: which model it calls Self-LSTM is
    assumed.
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 300,
        units: int = 141,
        *,
        attention_units: int | None = None,
        similarity: Any = "cosine",
        dropout: float = 0.0,
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = False,
        l2: float = 0.0,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        check_positive_or_none(attention_units=attention_units)
        policy = full_policy(dtype)

        # === Layers ===
        encoder = bidirectional_lstm(units, l2, policy)
        pool = SelfAttentivePooling(
            attention_units,
            **l2_regularizers(l2, "kernel"),
            dtype=policy,
            name="self_attention",
        )

        # === Functional model ===
        # The base class looks up the words and connects encoders and head.
        super().__init__(lambda words: pool(encoder(words)))
