"""IARNN: the question weighs the answer's words before a GRU reads them."""

from typing import Any

import keras
import numpy as np

from keras_qa.arguments import check_positive
from keras_qa.layers.bag_of_words import BagOfWords
from keras_qa.layers.inner_attention import InnerAttentionGRU
from keras_qa.layers.sequences import without_padding
from keras_qa.models.building import full_policy
from keras_qa.models.building import l2_regularizers
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.qa_lstm.encoded import EncodedTextRanker


@keras.saving.register_keras_serializable(package="keras_qa")
class IARNN(EncodedTextRanker):
    """Compares the mean states of GRUs that read the answer for the question.

    1. A GRU in each direction reads the question; the mean of its states is
       the question's vector.
    2. The same GRUs read the answer by `InnerAttentionGRU`: the question's
       vector weighs words, or changes gates, before there is a state. The mean
       of the states is the answer's vector.
    3. The score is the GESD of the two vectors, between 0 and 1.

    The paper's four models are IARNN-WORD (`inner_attention="word"`), -CONTEXT
    (`"context"`), -GATE (`"gate"`) and -OCCAM, which is one of the first two
    with `occam`: a loss is added, as a regulariser's, that grows with the sum
    of the weights, by a factor that depends on the question. `model.losses`
    has it.

    `answer_encoder` returns the words of an answer and its mask, since all
    states depend on the question, and `head` reads them.

    Id 0 is padding: it is skipped and changes nothing. Texts may have any
    length; the vector of a text without words is 0. Under mixed precision
    means and similarity are float32.

    With m = `embedding_dim`, u = `units` and D directions, the model has
    D (3um + 3u^2) parameters without the embedding, and in addition
    D^2 um (word), D^2 um + D um (context) or 2 D^2 u^2 (gate), and D^2 u with
    `occam`: 320,000 at the defaults.

    Args:
        vocabulary_size: number of word ids, with padding (0) and the unknown
            word (1).
        embedding_dim: size of the word vectors. Chosen here.
        units: size of a GRU's state. Chosen here.
        inner_attention: `"word"`, `"context"` or `"gate"`, see
            `InnerAttentionGRU`.
        occam: the paper's lambda, the smallest factor of the sum of the
            weights in the loss; None for no such loss. `"gate"` takes none.
        bidirectional: whether a second GRU reads each text backwards.
        similarity: `"gesd"`, `"cosine"`, or a layer that takes the list of
            both vectors.
        dropout: share of the vectors' entries dropped in training.
        embeddings: array `(vocabulary_size, embedding_dim)` to start the
            embedding with; uniform in (-.25, .25) without it. It is not part
            of the configuration but a weight, which is saved.
        trainable_embeddings: whether training changes the embedding. Chosen
            here.
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
        >>> model = IARNN(vocabulary_size=100)
        >>> pair = {"question": np.array([[5, 7]]), "answer": np.array([[9]])}
        >>> model(pair).shape
        (1, 1)

    Reference: Wang, Liu and Zhao, 2016, "Inner Attention based Recurrent Neural
    Networks for Answer Selection". The paper is not at hand: the equations are
    those that others quote, without their numbers.
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 300,
        units: int = 100,
        *,
        inner_attention: str = "gate",
        occam: float | None = None,
        bidirectional: bool = True,
        similarity: Any = "gesd",
        dropout: float = 0.0,
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = False,
        l2: float = 0.0,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        check_positive(embedding_dim=embedding_dim, units=units)
        policy = full_policy(dtype)
        precise = policy.variable_dtype
        directions = ("forward", "backward") if bidirectional else ("forward",)

        # === Layers ===
        grus = [
            InnerAttentionGRU(
                units,
                inner_attention,
                occam,
                go_backwards=direction == "backward",
                **l2_regularizers(l2, "kernel", "recurrent"),
                dtype=policy,
                name=direction,
            )
            for direction in directions
        ]
        for gru in grus:
            gru.build([(None, None, embedding_dim), (None, units * len(grus))])
        mean = BagOfWords("mean", dtype=precise, name="mean")
        join = keras.layers.Concatenate(dtype=precise, name="directions")

        # === Functional model ===
        def question_vector(words: Any) -> Any:
            return joined([mean(gru([words])) for gru in grus])

        def answer_vector(question: Any, answer: dict[str, Any]) -> Any:
            inputs, mask = [answer["words"], question], answer["mask"]
            return joined(
                [
                    mean(gru(inputs, mask=[mask, None]), mask=mask)
                    for gru in grus
                ]
            )

        def joined(means: list[Any]) -> Any:
            return join(means) if bidirectional else means[0]

        # The base class looks up the words and connects encoders and head.
        super().__init__(
            question_vector,
            lambda words, mask: {"words": without_padding(words, mask)},
            answer_vector,
        )
