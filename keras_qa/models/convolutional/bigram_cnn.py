"""The bigram and the unigram model of Yu et al."""

from typing import Any

import keras
import numpy as np

from keras_qa.arguments import check_choice
from keras_qa.layers.bag_of_words import BagOfWords
from keras_qa.layers.bilinear_similarity import BilinearSimilarity
from keras_qa.layers.narrow_convolution import NarrowConvolution
from keras_qa.models.building import full_policy
from keras_qa.models.building import l2_regularizers
from keras_qa.models.building import text_inputs
from keras_qa.models.building import vector_inputs
from keras_qa.models.building import word_vectors
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.word_model import WordModel
from keras_qa.text.sides import SIDES

NGRAMS = (1, 2)


@keras.saving.register_keras_serializable(package="keras_qa")
class BigramCNN(WordModel):
    """Scores a pair by a bilinear form of two means of bigrams.

    With s_i the vector of the i-th of L words, question and answer become

        s = sum_{i < L} tanh(T_L s_i + T_R s_{i+1} + b) / (L - 1)    (ngram=2)
        s = sum_i s_i / L                                            (ngram=1)

    and the probability that the answer a to the question q is right is

        p = sigma(q^T M a + b)

    whose argument, the log-odds, is the score. Both texts share T_L, T_R and
    b. "CNN + LR" of Yu et al., "CNN + Cnt" of Yang et al. (2015), is this
    score in a logistic regression with two counts of common words.

    With d = `embedding_dim`, without the embedding, the model has 3d^2 + d + 1
    parameters, 7,551 at the default d = 50, and d^2 + 1 of them, 2,501, with
    `ngram=1`.

    Id 0 is padding and changes nothing. Texts may have any length: the only
    bigram of a text of one word has the zero vector at its right, and the
    vector of a text without words is 0. `question_encoder` and
    `answer_encoder` compute the vector of a text, and `head` scores the vectors
    of a pair. Under mixed precision, bigrams are computed in half precision.

    Args:
        vocabulary_size: number of word ids, with padding (0) and the unknown
            word (1).
        embedding_dim: size of the word vectors (the paper's d).
        ngram: 2 for bigrams, 1 for the mean of the word vectors.
        embeddings: array `(vocabulary_size, embedding_dim)` to start the
            embedding with; uniform in (-.25, .25) without it. It is not part
            of the configuration but a weight, which is saved.
        trainable_embeddings: whether training changes the embedding.
        dropout: share of the entries of both vectors dropped in training. The
            paper has none.
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
        >>> model = BigramCNN(vocabulary_size=100)
        >>> pair = {"question": np.array([[5, 7]]), "answer": np.array([[9]])}
        >>> model(pair).shape
        (1, 1)

    Reference: Yu et al., 2014, "Deep Learning for Answer Sentence Selection",
    sections 3.1 (`ngram=1`) and 3.2 (`ngram=2`). The numbers of its equations
    are not at hand.
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 50,
        *,
        ngram: int = 2,
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = False,
        dropout: float = 0.0,
        l2: float = 0.0,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        check_choice("ngram", ngram, NGRAMS)
        policy = full_policy(dtype)
        # Vectors and scores stay in float32 under mixed precision.
        precise = policy.variable_dtype
        weights = l2_regularizers(l2, "kernel", "bias")

        # === Layers ===
        embedding = word_vectors(self.arguments)
        mean = BagOfWords("mean", dtype=precise, name="mean")
        drop = keras.layers.Dropout(dropout, dtype=precise, name="dropout")
        similarity = BilinearSimilarity(
            use_bias=True, **weights, dtype=precise, name="similarity"
        )

        # === Functional model ===
        ids = keras.Input((None,), dtype="int32", name="words")
        x = embedding(ids)
        if ngram > 1:
            x = NarrowConvolution(
                embedding_dim, ngram, **weights, dtype=policy, name="bigrams"
            )(x)
        encoder = keras.Model(ids, mean(x), name="text_encoder")
        vectors = vector_inputs(embedding_dim, precise)
        head = keras.Model(
            vectors,
            similarity([drop(vectors[side]) for side in SIDES]),
            name="head",
        )
        texts = text_inputs()
        super().__init__(
            texts, head({side: encoder(x) for side, x in texts.items()})
        )

        # === Config ===
        self.embedding = embedding
        self.question_encoder = encoder
        self.answer_encoder = encoder
        self.head = head
