"""CAM: each word of the answer compared with what it attends to."""

from typing import Any

import keras
import numpy as np

from keras_qa.arguments import check_choice
from keras_qa.arguments import check_positive
from keras_qa.layers.max_over_time import MaxOverTime
from keras_qa.layers.narrow_convolution import NarrowConvolution
from keras_qa.layers.soft_alignment import SoftAlignment
from keras_qa.layers.word_comparison import FUNCTIONS
from keras_qa.layers.word_comparison import WordComparison
from keras_qa.models.building import full_policy
from keras_qa.models.building import l2_regularizers
from keras_qa.models.building import text_inputs
from keras_qa.models.building import word_vectors
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.word_model import WordModel


@keras.saving.register_keras_serializable(package="keras_qa")
class CompareAggregate(WordModel):
    """Scores a pair by comparing the answer's words with the question's.

    1. Preprocessing: gates choose what of each word matters,
       `s(W_i x + b_i) * tanh(W_u x + b_u)`, of both texts by the same weights
       (equation 1).
    2. Attention: `SoftAlignment` sets next to each word of the answer a mean of
       the question's words, weighted by a bilinear score (equation 2).
    3. Comparison: `WordComparison` compares the two vectors of each word, by
       one of the paper's six functions (equations 3 to 8).
    4. Aggregation: for each width of 1 to `max_width` words, a convolution of
       rectified units reads the comparisons, and the maximum of each filter
       over the windows is kept (equation 9).
    5. A tanh layer reads all maxima, and the score is linear in its units
       (equation 10).

    The paper takes a softmax of the scores of all candidates of a question,
    and trains by its divergence from the labels: `ListwiseSoftmax`.

    With d = `embedding_dim`, l = `units` and n = `max_width` the model has
    2 (dl + l) + l^2 + l + n (n + 1) / 2 l^2 + nl + nl^2 + 2l + 1 parameters
    without the embedding and the comparison: 564,001 at the defaults.

    Id 0 is padding and changes nothing. An answer that is shorter than a window
    has one, filled up with zeros, in place of unknown words. Under mixed
    precision, the maxima and the score are float32.

    Args:
        vocabulary_size: number of word ids, with padding (0) and the unknown
            word (1).
        embedding_dim: size of the word vectors.
        units: size of all hidden layers, filters and comparisons (the paper's
            l).
        comparison: `"nn"`, `"ntn"`, `"euclidean_cosine"`, `"subtract"`,
            `"multiply"` or `"submult_nn"`, see `WordComparison`. The default is
            the best of the paper on WikiQA.
        max_width: the widest windows of the convolution, in words.
        embeddings: array `(vocabulary_size, embedding_dim)` to start the
            embedding with; uniform in (-.25, .25) without it. It is not part
            of the configuration but a weight, which is saved.
        trainable_embeddings: whether training changes the embedding. In the
            paper it is fixed.
        dropout: share of the word vectors' entries dropped in training; the
            paper tunes it.
        l2: strength of the L2 regularisation of all trainable parameters. The
            paper has none.
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
        >>> model = CompareAggregate(vocabulary_size=100)
        >>> pair = {"question": np.array([[5, 7]]), "answer": np.array([[9]])}
        >>> model(pair).shape
        (1, 1)

    Reference: Wang and Jiang, 2017, "A Compare-Aggregate Model for Matching
    Text Sequences", sections 2.2 (steps 1 and 2), 2.3 (step 3), 2.4 (step 4)
    and 3.1 (step 5).
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 300,
        units: int = 150,
        *,
        comparison: str = "multiply",
        max_width: int = 5,
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = False,
        dropout: float = 0.0,
        l2: float = 0.0,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        check_positive(units=units, max_width=max_width)
        check_choice("comparison", comparison, FUNCTIONS)
        policy = full_policy(dtype)
        # Maxima and score stay in float32 under mixed precision.
        precise = policy.variable_dtype
        weights = l2_regularizers(l2, "kernel", "bias")

        # === Layers ===
        embedding = word_vectors(self.arguments)
        drop = keras.layers.Dropout(dropout, dtype=policy, name="dropout")
        gate, content = (
            keras.layers.Dense(
                units, activation, **weights, dtype=policy, name=name
            )
            for name, activation in {
                "gate": "sigmoid",
                "content": "tanh",
            }.items()
        )
        multiply = keras.layers.Multiply(dtype=policy, name="gated")
        align = SoftAlignment(
            "bilinear", **weights, dtype=policy, name="alignment"
        )
        compare = WordComparison(
            comparison, units, **weights, dtype=policy, name="comparison"
        )
        convolutions = [
            NarrowConvolution(
                units,
                width,
                "relu",
                **weights,
                dtype=policy,
                name=f"convolution_{width}",
            )
            for width in range(1, max_width + 1)
        ]
        pool = MaxOverTime(dtype=precise, name="max")
        join = keras.layers.Concatenate(dtype=precise, name="aggregation")
        hidden = keras.layers.Dense(
            units, "tanh", **weights, dtype=precise, name="hidden"
        )
        score = keras.layers.Dense(1, **weights, dtype=precise, name="score")

        # === Functional model ===
        texts = text_inputs()
        gated = {}
        for side, ids in texts.items():
            words = drop(embedding(ids))
            gated[side] = multiply([gate(words), content(words)])
        answer = gated["answer"]
        comparisons = compare([answer, align([answer, gated["question"]])])
        maxima = [pool(convolve(comparisons)) for convolve in convolutions]
        # `Concatenate` takes two inputs at least.
        joined = join(maxima) if len(maxima) > 1 else maxima[0]
        super().__init__(texts, score(hidden(joined)))

        # === Config ===
        self.embedding = embedding
