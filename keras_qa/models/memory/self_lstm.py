"""Self-LSTM: several vectors of a question by self-attention, each matched."""

from typing import Any

import keras
import numpy as np
from keras import ops

from keras_qa.arguments import check_positive
from keras_qa.arguments import check_positive_or_none
from keras_qa.layers.self_attentive_pooling import SelfAttentivePooling
from keras_qa.models.building import full_policy
from keras_qa.models.building import l2_regularizers
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.memory.question_vectors import QuestionVectorsLSTM


@keras.saving.register_keras_serializable(package="keras_qa")
class SelfLSTM(QuestionVectorsLSTM):
    """The multihop network whose question is weighed by itself.

    1. One bidirectional LSTM reads both texts: states h_t of the question.
    2. `SelfAttentivePooling` takes K = `hops` means of the question's states,
       o_1 to o_K, each with weights of its own, which do not depend on those
       of the others.
    3. For each o_k, `SequentialAttention` averages the answer's states to a_k.
       All share its weights.
    4. The score is the sum of the cosines of o_k and a_k.

    So it is `MultihopSequentialLSTM` with another attention over the question.
    It is trained on pairs of a right and a wrong answer by a hinge with the
    margin 0.2.

    With m = `embedding_dim`, d = `units` and k = `attention_units`, the model
    has 8d(m + d + 1) + k(2d + K) + 8(3d^2 + d) parameters without the
    embedding: 1,056,936 at the defaults.

    Id 0 is padding and changes nothing. Texts may have any length; the cosines
    of a text without words are 0. Under mixed precision means and cosines are
    float32.

    Args:
        vocabulary_size: number of word ids, with padding (0) and the unknown
            word (1).
        embedding_dim: size of the word vectors.
        units: size of the state in each direction, of both LSTMs. Chosen here:
            that of `QALSTM`.
        hops: number K of vectors of the question. Chosen here: that of
            `MultihopSequentialLSTM`.
        attention_units: size of what the self-attention scores; by default
            that of the states, 2 `units`.
        embeddings: array `(vocabulary_size, embedding_dim)` to start the
            embedding with; uniform in (-.25, .25) without it. It is not part
            of the configuration but a weight, which is saved.
        trainable_embeddings: whether training changes the embedding.
        dropout: share of the LSTM's inputs and outputs dropped in training.
        l2: strength of the L2 regularisation of all trainable parameters.
        dtype: dtype policy; the global one by default.
        name: name of the model.
        trainable: whether the model is trainable.

    Call arguments:
        inputs: dict of int tensors `"question"` `(batch_size,
            question_length)` and `"answer"` `(batch_size, answer_length)`.

    Output:
        Float tensor `(batch_size, 1)` from -K to K, higher is better.

    Raises:
        ValueError: if an argument is out of range, or `embeddings` has
            another shape or values that are not finite.

    Example:
        >>> model = SelfLSTM(vocabulary_size=100)
        >>> pair = {"question": np.array([[5, 7]]), "answer": np.array([[9]])}
        >>> model(pair).shape
        (1, 1)

    Reference: Tran and Niederée, 2018, "Multihop Attention Networks for
    Question Answer Matching"; the attention over the question is that of Lin
    et al., 2017, "A Structured Self-attentive Sentence Embedding", equation 6.
    The paper of 2018 is not at hand: that its Self-LSTM has several vectors of
    a question is what MRNN's paper says, section 2. The authors' code has such
    an attention, which no model there uses.
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 300,
        units: int = 141,
        *,
        hops: int = 2,
        attention_units: int | None = None,
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = True,
        dropout: float = 0.0,
        l2: float = 0.0,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        check_positive(hops=hops)
        check_positive_or_none(attention_units=attention_units)

        def vectors_of(question: Any) -> list[Any]:
            pool = SelfAttentivePooling(
                attention_units,
                hops,
                **l2_regularizers(l2, "kernel"),
                dtype=full_policy(dtype),
                name="self_attention",
            )
            return ops.unstack(pool(question), hops, axis=1)

        # The base class reads both texts and matches the vectors.
        super().__init__(vectors_of)
