"""The convolutional ranker of Severyn and Moschitti."""

from typing import Any

import keras
import numpy as np

from keras_qa.arguments import check_not_negative
from keras_qa.layers.bilinear_similarity import BilinearSimilarity
from keras_qa.layers.feature_standardization import FeatureStandardization
from keras_qa.layers.max_over_time import MaxOverTime
from keras_qa.layers.wide_convolution import WideConvolution
from keras_qa.models.building import full_policy
from keras_qa.models.building import l2_regularizers
from keras_qa.models.building import text_inputs
from keras_qa.models.building import vector_inputs
from keras_qa.models.building import word_vectors
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.word_model import OverlapModel
from keras_qa.text.sides import SIDES


@keras.saving.register_keras_serializable(package="keras_qa")
class SeverynMoschitti(OverlapModel):
    """Joins two convolved texts, their bilinear similarity and features.

    Question and answer have convolutions of their own.

    1. `WideConvolution` computes `filters` features of each window of
       `kernel_size` words, and their maxima over the windows are the text's
       vector, x_q or x_a.
    2. `BilinearSimilarity` compares them: sim = x_q^T M x_a.
    3. A hidden layer, as large as its input, reads the join of x_q, sim, x_a
       and the features x_feat of the pair, if there are any.
    4. A linear layer gives the score. The paper's softmax of two classes is
       equal to one logit, which is the difference of theirs.

    With c = `filters`, k = `kernel_size`, m = `embedding_dim`, f features and
    j = 2c + 1 + f, it has 2(kmc + c) + c^2 + j^2 + 2j + 1 parameters without
    the embedding: 101,004 at the defaults and 102,636 with four features.

    Id 0 is padding and changes nothing. Texts may have any length; the vector
    of a text without words is 0. `question_encoder` and `answer_encoder`
    compute the vector of a text, and `head` scores the vectors of a pair.
    Under mixed precision, convolutions and hidden layer are computed in half
    precision.

    Args:
        vocabulary_size: number of word ids, with padding (0) and the unknown
            word (1).
        embedding_dim: size of the word vectors.
        filters: size of a text's vector.
        kernel_size: number of words in a window.
        activation: activation of convolutions and hidden layer: `"relu"` in
            the paper, `"tanh"` in its released code.
        overlap_features: number of additional features x_feat: 0, or 4 for
            those of `keras_qa.datasets.OverlapFeatures`, the paper's. They
            are the input `"overlap"`; `adapt_overlap` standardises them.
        embeddings: array `(vocabulary_size, embedding_dim)` to start the
            embedding with; uniform in (-.25, .25) without it. It is not part
            of the configuration but a weight, which is saved.
        trainable_embeddings: whether training changes the embedding. In the
            paper it is fixed.
        dropout: share of the hidden layer's outputs dropped in training.
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
        >>> model = SeverynMoschitti(vocabulary_size=100)
        >>> pair = {"question": np.array([[5, 7]]), "answer": np.array([[9]])}
        >>> model(pair).shape
        (1, 1)

    Reference: Severyn and Moschitti, 2015, "Learning to Rank Short Text Pairs
    with Convolutional Deep Neural Networks", sections 3.1 (step 1) and 3.2
    (steps 2 to 4). The numbers of its equations are not at hand.
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 50,
        filters: int = 100,
        *,
        kernel_size: int = 5,
        activation: Any = "relu",
        overlap_features: int = 0,
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = False,
        dropout: float = 0.0,
        l2: float = 0.0,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        check_not_negative(overlap_features=overlap_features)
        policy = full_policy(dtype)
        # Vectors and scores stay in float32 under mixed precision.
        precise = policy.variable_dtype
        weights = l2_regularizers(l2, "kernel", "bias")

        # === Layers ===
        embedding = word_vectors(self.arguments)
        convolutions = {
            side: WideConvolution(
                filters,
                kernel_size,
                activation,
                use_bias=True,
                **weights,
                dtype=policy,
                name=f"{side}_convolution",
            )
            for side in SIDES
        }
        pool = MaxOverTime(dtype=precise, name="max")
        similarity = BilinearSimilarity(
            **l2_regularizers(l2, "kernel"), dtype=precise, name="similarity"
        )
        standardize = FeatureStandardization(
            dtype=precise, name="overlap_normalization"
        )
        hidden = keras.layers.Dense(
            2 * filters + 1 + overlap_features,
            activation,
            **weights,
            dtype=policy,
            name="hidden",
        )
        drop = keras.layers.Dropout(dropout, dtype=precise, name="dropout")
        score = keras.layers.Dense(1, **weights, dtype=precise, name="score")

        # === Functional model ===
        encoders = {}
        for side, convolution in convolutions.items():
            ids = keras.Input((None,), dtype="int32", name="words")
            encoders[side] = keras.Model(
                ids, pool(convolution(embedding(ids))), name=f"{side}_encoder"
            )
        pair = vector_inputs(filters, precise)
        question, answer = (pair[side] for side in SIDES)
        join = [question, similarity([question, answer]), answer]
        features = {}
        if overlap_features:
            features["overlap"] = keras.Input(
                (overlap_features,), dtype=precise, name="overlap"
            )
            join.append(standardize(features["overlap"]))
        x = keras.layers.Concatenate(dtype=precise, name="join")(join)
        head = keras.Model(
            {**pair, **features}, score(drop(hidden(x))), name="head"
        )

        texts = text_inputs()
        vectors = {side: encoders[side](ids) for side, ids in texts.items()}
        super().__init__({**texts, **features}, head({**vectors, **features}))

        # === Config ===
        self.activation = keras.activations.get(activation)
        self.embedding = embedding
        self.question_encoder = encoders["question"]
        self.answer_encoder = encoders["answer"]
        self.head = head
        self.overlap_normalization = standardize if overlap_features else None
