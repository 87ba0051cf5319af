"""Multihop-Sequential-LSTM: several vectors of a question, each matched."""

from typing import Any

import keras
import numpy as np
from keras import ops

from keras_qa.arguments import check_positive
from keras_qa.layers.bag_of_words import BagOfWords
from keras_qa.layers.softmax_pooling import SoftmaxPooling
from keras_qa.models.building import full_policy
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.encoders import word_projection
from keras_qa.models.memory.question_vectors import QuestionVectorsLSTM


@keras.saving.register_keras_serializable(package="keras_qa")
class MultihopSequentialLSTM(QuestionVectorsLSTM):
    """A multihop attention network with sequential attention.

    1. One bidirectional LSTM reads both texts: states h_t of the question.
    2. The question has K + 1 vectors: o_0 is the mean of its states, the other
       ones K = `hops` means with weights that depend on those before:

        e_t = w_k . (tanh(W_k h_t) * tanh(V_k m_{k-1}))
        o_k = sum over t of softmax_t(e) h_t
        m_0 = o_0,  m_k = m_{k-1} + o_k

    3. For each o_k, `SequentialAttention` averages the answer's states to a_k.
       All share its weights.
    4. The score is the sum of the cosines of o_k and a_k, from k = 0 on.

    It is trained on pairs of a right and a wrong answer by a hinge with the
    margin 0.2. Steps 1 to 4 are those of the authors' code, except that this
    code adds o_{k-1}, not o_k, to the memory, so that m_1 = 2 o_0.

    With m = `embedding_dim` and d = `units`, the model has 8(md + d^2 + d) +
    8(3d^2 + d) + K(8d^2 + 2d) parameters without the embedding: 1,295,508 at
    the defaults.

    Id 0 is padding and changes nothing. Texts may have any length; the cosines
    of a text without words are 0. Under mixed precision means and cosines are
    float32.

    Args:
        vocabulary_size: number of word ids, with padding (0) and the unknown
            word (1).
        embedding_dim: size of the word vectors. Chosen here.
        units: size of the state in each direction, of both LSTMs. Chosen here:
            that of `QALSTM`.
        hops: number K of weighted means of the question.
        embeddings: array `(vocabulary_size, embedding_dim)` to start the
            embedding with; uniform in (-.25, .25) without it. It is not part
            of the configuration but a weight, which is saved.
        trainable_embeddings: whether training changes the embedding, as in the
            authors' code.
        dropout: share of the LSTM's inputs and outputs dropped in training.
        l2: strength of the L2 regularisation of all trainable parameters.
        dtype: dtype policy; the global one by default.
        name: name of the model.
        trainable: whether the model is trainable.

    Call arguments:
        inputs: dict of int tensors `"question"` `(batch_size,
            question_length)` and `"answer"` `(batch_size, answer_length)`.

    Output:
        Float tensor `(batch_size, 1)` from -K - 1 to K + 1, higher is better.

    Raises:
        ValueError: if an argument is out of range, or `embeddings` has
            another shape or values that are not finite.

    Example:
        >>> model = MultihopSequentialLSTM(vocabulary_size=100)
        >>> pair = {"question": np.array([[5, 7]]), "answer": np.array([[9]])}
        >>> model(pair).shape
        (1, 1)

    Reference: Tran and Niederée, 2018, "Multihop Attention Networks for
    Question Answer Matching". The paper is not at hand: the equations are those
    of the authors' code.
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 300,
        units: int = 141,
        *,
        hops: int = 2,
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = True,
        dropout: float = 0.0,
        l2: float = 0.0,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        check_positive(hops=hops)
        policy = full_policy(dtype)

        def vectors_of(question: Any) -> list[Any]:
            # Means stay in float32 under mixed precision.
            precise = policy.variable_dtype
            mean = BagOfWords("mean", dtype=precise, name="mean")
            of_states, of_memory, scoring = (
                [
                    word_projection(size, l2, dtype, f"hop_{k}_{name}")
                    for k in range(1, hops + 1)
                ]
                for name, size, dtype in (
                    ("states", 2 * units, policy),
                    ("memory", 2 * units, policy),
                    ("scores", 1, precise),
                )
            )
            pool = SoftmaxPooling(dtype=precise, name="pool")
            memory = mean(question)
            vectors = [memory]
            for states, remembered, score in zip(
                of_states, of_memory, scoring, strict=True
            ):
                gate = ops.expand_dims(ops.tanh(remembered(memory)), 1)
                scores = score(ops.tanh(states(question)) * gate)
                vectors.append(pool([question, ops.squeeze(scores, -1)]))
                memory = memory + vectors[-1]
            return vectors

        # The base class reads both texts and matches the vectors.
        super().__init__(vectors_of)
