"""aNMM: weights shared by values of the cosines of all words."""

from typing import Any

import keras
import numpy as np

from keras_qa.layers.value_shared_matching import ValueSharedMatching
from keras_qa.models.building import full_policy
from keras_qa.models.building import l2_regularizers
from keras_qa.models.building import text_inputs
from keras_qa.models.building import word_vectors
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.word_model import WordModel


@keras.saving.register_keras_serializable(package="keras_qa")
class ANMM(WordModel):
    """Scores a pair by the cosines of its words, weighed by their values.

    The score is that of `ValueSharedMatching`: each cosine of a question's and
    an answer's word is multiplied by the weight of its bin, the products of a
    question's word are summed and pass through a logistic function, and the
    question's words are averaged with weights that depend on their vectors.
    The authors train it on pairs of a correct and a wrong answer, with the
    hinge `PairwiseHinge(margin=1)`.

    Without the embedding the model has `bins` + `embedding_dim` parameters,
    with `sets` `bins` * `sets` + `sets` + `embedding_dim`: 900 at the defaults.

    Id 0 is padding and changes nothing; the unknown word is a word like others,
    and matches itself. Texts may have any length; a question without words
    scores 0, and all answers without words have one score, .5 without `sets`.
    Under mixed precision cosines and scores are float32.

    Args:
        vocabulary_size: number of word ids, with padding (0) and the unknown
            word (1).
        embedding_dim: size of the word vectors.
        bins: number of bins of the cosines, one of them for exact matches. The
            authors' commands have 600, and 200 with `sets`.
        sets: number of sets of weights (aNMM-2), of which the authors' code has
            10; None for aNMM-1.
        embeddings: array `(vocabulary_size, embedding_dim)` to start the
            embedding with; uniform in (-.25, .25) without it. It is not part
            of the configuration but a weight, which is saved.
        trainable_embeddings: whether training changes the embedding, through
            the cosines but not through the bins. For the authors it is fixed.
        kernel_initializer: initialiser of the weights.
        dropout: share of the word vectors' elements dropped in training. The
            paper has none.
        l2: strength of the L2 regularisation of all trainable parameters.
        dtype: dtype policy; the global one by default.
        name: name of the model.
        trainable: whether the model is trainable.

    Call arguments:
        inputs: dict of int tensors `"question"` `(batch_size,
            question_length)` and `"answer"` `(batch_size, answer_length)`.

    Output:
        Float tensor `(batch_size, 1)` from 0 to 1, higher is better.

    Raises:
        ValueError: if an argument is out of range, or `embeddings` has
            another shape or values that are not finite.

    Example:
        >>> model = ANMM(vocabulary_size=100)
        >>> pair = {"question": np.array([[5, 7]]), "answer": np.array([[9]])}
        >>> model(pair).shape
        (1, 1)

    Reference: Yang et al., 2016, "aNMM: Ranking Short Answer Texts with
    Attention-Based Neural Matching Model", its sections on value-shared weights
    and on the question attention network. The paper is not at hand: no numbers
    of sections or equations are cited.
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 300,
        *,
        bins: int = 600,
        sets: int | None = None,
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = False,
        kernel_initializer: Any = "glorot_uniform",
        dropout: float = 0.0,
        l2: float = 0.0,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        policy = full_policy(dtype)

        # === Layers ===
        embedding = word_vectors(self.arguments)
        drop = keras.layers.Dropout(dropout, dtype=policy, name="word_dropout")
        # The score stays in float32 under mixed precision.
        matching = ValueSharedMatching(
            bins,
            sets,
            kernel_initializer,
            **l2_regularizers(l2, "kernel"),
            dtype=policy.variable_dtype,
            name="matching",
        )

        # === Functional model ===
        texts = text_inputs()
        words = [drop(embedding(ids)) for ids in texts.values()]
        super().__init__(texts, matching(words))

        # === Config ===
        self.kernel_initializer = matching.kernel_initializer
        self.embedding = embedding
        self.matching = matching
