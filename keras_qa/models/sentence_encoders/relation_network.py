"""A relation network over all pairs of a question's and an answer's words."""

from typing import Any

import keras
import numpy as np

from keras_qa.arguments import check_positive
from keras_qa.layers.relation_sum import RelationSum
from keras_qa.models.building import full_policy
from keras_qa.models.building import l2_regularizers
from keras_qa.models.building import text_inputs
from keras_qa.models.building import word_vectors
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.word_model import WordModel


@keras.saving.register_keras_serializable(package="keras_qa")
class RelationNetwork(WordModel):
    """A relation network as a ranker, whose objects are words.

        score = f(sum over i, j of g([q_i; a_j]))

    1. `RelationSum` applies the network g to each pair of a word of the
       question and one of the answer and sums its outputs.
    2. The network f, hidden layers of rectified units and a linear layer, turns
       the sum into the score.

    The relations are those of words of two texts, as in Htut et al. (2018),
    whose ranker MRNN's Table 6 prints. The sizes are those that Santoro et al.
    use for pictures: four layers of 256 units in g, and two in f. That one has
    a dropout of half the units in f's second layer, here `dropout`, of all.

    With m = `embedding_dim`, d = `units`, n = `depth`, h = `hidden_units` and
    k = `hidden_layers`, the model has 2md + d + (n - 1)(d^2 + d) + dh + h +
    (k - 1)(h^2 + h) + h + 1 parameters without the embedding: 483,073 at the
    defaults.

    Id 0 is padding and changes nothing. Texts may have any length; the sum is
    0 if a text has no words. Time and memory grow with the product of the
    lengths. Under mixed precision g is computed in half precision; sum, f and
    score are float32.

    Args:
        vocabulary_size: number of word ids, with padding (0) and the unknown
            word (1).
        embedding_dim: size of the word vectors.
        units: size of g's layers.
        depth: number of g's layers.
        hidden_units: size of f's hidden layers.
        hidden_layers: number of f's hidden layers.
        activation: activation of the layers of g and f.
        embeddings: array `(vocabulary_size, embedding_dim)` to start the
            embedding with; uniform in (-.25, .25) without it. It is not part
            of the configuration but a weight, which is saved.
        trainable_embeddings: whether training changes the embedding.
        dropout: share of the units of f's hidden layers dropped in training.
        l2: strength of the L2 regularisation of all trainable parameters.
        dtype: dtype policy; the global one by default.
        name: name of the model.
        trainable: whether the model is trainable.

    Call arguments:
        inputs: dict of int tensors `"question"` `(batch_size,
            question_length)` and `"answer"` `(batch_size, answer_length)`.

    Output:
        Float tensor `(batch_size, 1)`, higher is better: the log-odds that the
        answer is right, if it is trained with
        `keras.losses.BinaryCrossentropy(from_logits=True)`.

    Raises:
        ValueError: if an argument is out of range, or `embeddings` has
            another shape or values that are not finite.

    Example:
        >>> model = RelationNetwork(vocabulary_size=100)
        >>> pair = {"question": np.array([[5, 7]]), "answer": np.array([[9]])}
        >>> model(pair).shape
        (1, 1)

    Reference: Santoro et al., 2017, "A Simple Neural Network Module for
    Relational Reasoning", section 2, equation 1.
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 300,
        units: int = 256,
        *,
        depth: int = 4,
        hidden_units: int = 256,
        hidden_layers: int = 2,
        activation: Any = "relu",
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
        # Sum, f and score stay in float32 under mixed precision.
        precise = policy.variable_dtype
        weights = l2_regularizers(l2, "kernel", "bias")

        # === Layers ===
        embedding = word_vectors(self.arguments)
        relations = RelationSum(
            units, depth, activation, **weights, dtype=policy, name="relations"
        )
        hidden = [
            keras.layers.Dense(
                hidden_units,
                activation,
                **weights,
                dtype=precise,
                name=f"hidden_{i}",
            )
            for i in range(hidden_layers)
        ]
        dropouts = [
            keras.layers.Dropout(dropout, dtype=precise, name=f"dropout_{i}")
            for i in range(hidden_layers)
        ]
        score = keras.layers.Dense(1, **weights, dtype=precise, name="score")

        # === Functional model ===
        texts = text_inputs()
        x = relations([embedding(ids) for ids in texts.values()])
        for layer, drop in zip(hidden, dropouts, strict=True):
            x = drop(layer(x))
        super().__init__(texts, score(x))

        # === Config ===
        self.activation = keras.activations.get(activation)
        self.embedding = embedding
        self.relations = relations
