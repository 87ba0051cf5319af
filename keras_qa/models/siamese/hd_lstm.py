"""HD-LSTM: the vectors of an LSTM, composed by circular correlation."""

from typing import Any

import keras
import numpy as np

from keras_qa.arguments import check_positive
from keras_qa.layers.bilinear_similarity import BilinearSimilarity
from keras_qa.layers.circular_correlation import CircularCorrelation
from keras_qa.models.building import full_policy
from keras_qa.models.building import l2_regularizers
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.siamese.recurrent import lstm_encoder
from keras_qa.models.siamese.siamese import SiameseRanker


@keras.saving.register_keras_serializable(package="keras_qa")
class HDLSTM(SiameseRanker):
    """HD-LSTM, the holographic dual LSTM.

    1. An LSTM reads each text; its last state is the text's vector, q or a.
    2. `CircularCorrelation` composes the two vectors to one of their size, and
       `BilinearSimilarity` compares them: sim(q, a) = q^T M a.
    3. A hidden layer reads both and the overlap features X_feat, if there are
       any (more layers may follow):

        h = f(W [q * a; sim(q, a); X_feat] + b)

    4. A linear layer gives the score. The paper's softmax of two classes is
       equal to one logit, which is the difference of theirs.

    With m = `embedding_dim`, d = `units`, h = `hidden_units` and f features,
    the model with one hidden layer has 4(md + d^2 + d) + d^2 + h(d + f + 1) +
    2h + 1 parameters without the embedding: 1,993,089 at the defaults.

    Id 0 is padding and changes nothing. Texts may have any length; the vector
    of a text without words is 0. `question_encoder` and `answer_encoder`
    compute the vector of a text, and `head` scores the vectors of a pair. Under
    mixed precision, LSTM and hidden layers are computed in half precision. The
    default sizes are those of `CTRN`, of the same first author.

    Args:
        vocabulary_size: number of word ids, with padding (0) and the unknown
            word (1).
        embedding_dim: size of the word vectors.
        units: size of the LSTM's state in each direction.
        hidden_units: size of the hidden layers.
        hidden_layers: number of hidden layers.
        activation: activation of the hidden layers.
        pooling: `"last"` state, as in the paper, `"mean"` or `"max"` of the
            states. Of a bidirectional LSTM, `"last"` is the final state of each
            direction.
        bidirectional: whether the LSTM has two directions, whose states are
            concatenated.
        shared_encoder: whether question and answer share the LSTM; False gives
            each side its own.
        overlap_features: number of additional features X_feat: 0, or 4 for
            those of `keras_qa.datasets.OverlapFeatures`. They are the input
            `"overlap"`; `adapt_overlap` standardises them.
        embeddings: array `(vocabulary_size, embedding_dim)` to start the
            embedding with; uniform in (-.25, .25) without it. It is not part
            of the configuration but a weight, which is saved.
        trainable_embeddings: whether training changes the embedding.
        dropout: share of the entries of the texts' vectors and of the hidden
            layers dropped in training.
        l2: strength of the L2 regularisation of all trainable parameters.
        dtype: dtype policy; the global one by default.
        name: name of the model.
        trainable: whether the model is trainable.

    Call arguments:
        inputs: dict of int tensors `"question"` `(batch_size,
            question_length)` and `"answer"` `(batch_size, answer_length)`;
            with features, also of `"overlap"`, a float tensor `(batch_size,
            overlap_features)`.

    Output:
        Float tensor `(batch_size, 1)`, higher is better: the log-odds that the
        answer is right, if it is trained with
        `keras.losses.BinaryCrossentropy(from_logits=True)`.

    Raises:
        ValueError: if an argument is out of range, or `embeddings` has
            another shape or values that are not finite.

    Example:
        >>> model = HDLSTM(vocabulary_size=100)
        >>> pair = {"question": np.array([[5, 7]]), "answer": np.array([[9]])}
        >>> model(pair).shape
        (1, 1)

    Reference: Tay et al., 2017, "Learning to Rank Question Answer Pairs with
    Holographic Dual LSTM Architecture", section 3, equations 8 to 12.
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 300,
        units: int = 512,
        *,
        hidden_units: int = 128,
        hidden_layers: int = 1,
        activation: Any = "relu",
        pooling: str = "last",
        bidirectional: bool = False,
        shared_encoder: bool = True,
        overlap_features: int = 0,
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = False,
        dropout: float = 0.0,
        l2: float = 0.0,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        check_positive(hidden_units=hidden_units, hidden_layers=hidden_layers)
        policy = full_policy(dtype)
        precise = policy.variable_dtype
        weights = l2_regularizers(l2, "kernel", "bias")

        # === Layers ===
        compose = CircularCorrelation(dtype=precise, name="correlation")
        similarity = BilinearSimilarity(
            **l2_regularizers(l2, "kernel"), dtype=precise, name="similarity"
        )
        hidden = [
            keras.layers.Dense(
                hidden_units,
                activation,
                **weights,
                dtype=policy,
                name=f"hidden_{i}",
            )
            for i in range(hidden_layers)
        ]
        # One for the texts' vectors and one for each hidden layer's outputs.
        dropouts = [
            keras.layers.Dropout(dropout, dtype=precise, name=f"dropout_{i}")
            for i in range(hidden_layers + 1)
        ]
        concatenate = keras.layers.Concatenate(dtype=precise, name="join")
        score = keras.layers.Dense(1, **weights, dtype=precise, name="score")

        # === Functional model ===
        def join(question: Any, answer: Any, features: Any) -> Any:
            pair = [dropouts[0](question), dropouts[0](answer)]
            parts = [compose(pair), similarity(pair)]
            x = concatenate(parts + ([] if features is None else [features]))
            for layer, drop in zip(hidden, dropouts[1:], strict=True):
                x = drop(layer(x))
            return score(x)

        # The base class looks up the words and connects encoders and head.
        super().__init__(lstm_encoder(self.arguments), join)

        # === Config ===
        self.activation = keras.activations.get(activation)
