"""MP-CNN: many views of two texts, compared with several measures."""

from typing import Any

import keras
import numpy as np
from keras import ops

from keras_qa.arguments import check_positive
from keras_qa.arguments import check_positive_or_none
from keras_qa.layers.bag_of_words import BagOfWords
from keras_qa.layers.max_over_time import MaxOverTime
from keras_qa.layers.min_over_time import MinOverTime
from keras_qa.layers.narrow_convolution import NarrowConvolution
from keras_qa.layers.per_dimension_convolution import PerDimensionConvolution
from keras_qa.layers.vector_comparison import VectorComparison
from keras_qa.models.building import full_policy
from keras_qa.models.building import l2_regularizers
from keras_qa.models.building import text_inputs
from keras_qa.models.building import word_vectors
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.word_model import WordModel
from keras_qa.text.sides import SIDES

HOLISTIC = ("max", "min", "mean")
PER_DIMENSION = ("max", "min")


@keras.saving.register_keras_serializable(package="keras_qa")
class MPCNN(WordModel):
    """Multi-perspective CNN: compares two texts in thousands of ways.

    Question and answer share all filters. With d = `embedding_dim`, the widths
    1 to n = `max_width` and m = `per_dimension_filters`, a text has these
    vectors of the size d:

    1. Block A: for each of max, min and mean pooling and each width, the
       pooled outputs of d `NarrowConvolution` filters of their own; and
       the pooled word vectors themselves, the width infinity.
    2. Block B: for each of max and min pooling, each width and each i of m,
       the pooled outputs of the i-th filters of `PerDimensionConvolution`, one
       of each dimension.

    They are compared by `VectorComparison`:

    3. Algorithm 1, horizontal: for each pooling and each of the d entries of
       block A, the vectors of this entry over the widths by cosine and
       distance (comU2).
    4. Algorithm 2, vertical: for each pooling, block A of each width of the
       question with that of each width of the answer, and block B of each
       pooling, width and i with its counterpart, by cosine, distance and
       absolute differences (comU1).

    A tanh layer of all these numbers, and a linear one, give the score. The
    paper's log-softmax of two classes is equal to one logit, which is the
    difference of theirs.

    At the defaults, without the embedding, the model has 9,611,401 parameters:
    7,880,550 of them read 52,536 comparisons, 1,622,700 are in block A and
    108,000 in block B. Tay et al. (2018, "HyperQA", Tables 2 and 5) print
    10.0M. This is the size of He et al.'s released code, 10,045,712: there, a
    tanh layer of d units that the paper does not describe comes before each
    filter bank of block A that is wider than 1, all dimensions share the
    filters of block B, and there are two outputs.

    To train it as Rao et al. (2016), who rank instead of classify, take

    - `PairwiseTrainer` with `PairwiseHinge(margin=1.0)`,
    - `PairwiseBatches` with `packed=False` and a `NegativeSampler` of
      `pool="own"` and of the `strategy` `"random"`, `"max"` or `"mix"`, the
      three of their paper, and
    - `hidden_units=None` and `dropout=0.5`, as in their released code.

    The sampler's hardest answers have the highest scores; in their code, the
    highest cosine between their comparisons and those of the correct answer.
    `HardestNegativeTrainer` takes the hardest of each batch instead.

    Id 0 is padding and changes nothing. Texts may have any length; a text that
    is shorter than a filter has one window, filled up with zeros (the released
    code fills up with the unknown word), and all vectors of a text without
    words are 0. `question_encoder` and `answer_encoder` compute the vectors of
    a text, `(batch_size, 3 (n + 1) + 2 n m, d)`, and `head` scores those of a
    pair. Under mixed precision, convolutions and hidden layer are computed in
    half precision.

    Args:
        vocabulary_size: number of word ids, with padding (0) and the unknown
            word (1).
        embedding_dim: size of the word vectors, and number of filters in each
            bank of block A (the paper's numFilter_A): algorithm 1 puts the
            pooled words next to outputs of filters.
        max_width: the widest filters, in words.
        per_dimension_filters: number of filters of each dimension, width and
            pooling in block B (the paper's numFilter_B).
        hidden_units: size of the hidden layer; None scores the comparisons
            without one.
        embeddings: array `(vocabulary_size, embedding_dim)` to start the
            embedding with; uniform in (-.25, .25) without it. It is not part
            of the configuration but a weight, which is saved.
        trainable_embeddings: whether training changes the embedding. In the
            paper it is fixed.
        dropout: share of the last layer's inputs dropped in training. He et
            al. have none.
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
        >>> model = MPCNN(vocabulary_size=100, embedding_dim=50)
        >>> pair = {"question": np.array([[5, 7]]), "answer": np.array([[9]])}
        >>> model(pair).shape
        (1, 1)

    Reference: He et al., 2015, "Multi-Perspective Sentence Similarity Modeling
    with Convolutional Neural Networks", algorithms 1 and 2; Rao et al., 2016,
    "Noise-Contrastive Estimation for Answer Selection with Deep Neural
    Networks".
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 300,
        *,
        max_width: int = 3,
        per_dimension_filters: int = 20,
        hidden_units: int | None = 150,
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = False,
        dropout: float = 0.0,
        l2: float = 0.0,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        check_positive(
            max_width=max_width, per_dimension_filters=per_dimension_filters
        )
        check_positive_or_none(hidden_units=hidden_units)
        policy = full_policy(dtype)
        # Vectors, comparisons and scores stay in float32 under mixed precision.
        precise = policy.variable_dtype
        weights = l2_regularizers(l2, "kernel", "bias")
        widths = range(1, max_width + 1)

        # === Layers ===
        embedding = word_vectors(self.arguments)
        pools = {
            "max": MaxOverTime(dtype=precise, name="max"),
            "min": MinOverTime(dtype=precise, name="min"),
            "mean": BagOfWords("mean", dtype=precise, name="mean"),
        }
        block_a = {
            (pooling, width): NarrowConvolution(
                embedding_dim,
                width,
                **weights,
                dtype=policy,
                name=f"holistic_{pooling}_{width}",
            )
            for pooling in HOLISTIC
            for width in widths
        }
        block_b = {
            (pooling, width): PerDimensionConvolution(
                per_dimension_filters,
                width,
                **weights,
                pooling=pooling,
                dtype=policy,
                name=f"per_dimension_{pooling}_{width}",
            )
            for pooling in PER_DIMENSION
            for width in widths
        }
        compare = VectorComparison(dtype=precise, name="comU1")
        compare_entries = VectorComparison(False, dtype=precise, name="comU2")
        hidden = (
            keras.layers.Dense(
                hidden_units, "tanh", **weights, dtype=policy, name="hidden"
            )
            if hidden_units
            else keras.layers.Identity(dtype=policy, name="hidden")
        )
        drop = keras.layers.Dropout(dropout, dtype=precise, name="dropout")
        score = keras.layers.Dense(1, **weights, dtype=precise, name="score")

        # === Functional model ===
        ids = keras.Input((None,), dtype="int32", name="words")
        words = embedding(ids)
        pooled = []
        for pooling in HOLISTIC:
            for width in widths:
                pooled.append(pools[pooling](block_a[pooling, width](words)))
            pooled.append(pools[pooling](words))
        pooled += [convolution(words) for convolution in block_b.values()]
        # The vectors of block A by pooling and width, infinity being the last;
        # then those of block B.
        in_a = len(HOLISTIC) * (max_width + 1)
        in_b = len(block_b) * per_dimension_filters
        vectors = keras.layers.Reshape(
            (in_a + in_b, embedding_dim), dtype=precise, name="vectors"
        )(keras.layers.Concatenate(dtype=precise, name="all")(pooled))
        encoder = keras.Model(ids, vectors, name="text_encoder")

        encoded = {
            side: keras.Input(vectors.shape[1:], dtype=precise, name=side)
            for side in SIDES
        }
        transpose = keras.layers.Permute((2, 1), dtype=precise)
        comparisons = []
        # Block A of each pooling, then block B. (The gradient of a split is one
        # tensor, that of a slice has zeros in the place of all others.)
        ends = [i * (max_width + 1) for i in range(1, len(HOLISTIC) + 1)]
        *block_a_pairs, block_b_pair = zip(
            *(ops.split(encoded[side], ends, axis=1) for side in SIDES),
            strict=True,
        )
        for q, a in block_a_pairs:
            comparisons += [
                # (batch_size, entry, 2)
                compare_entries([transpose(q), transpose(a)]),
                # (batch_size, question's width, answer's width, 2 + d)
                compare([q[:, :, None], a[:, None]]),
            ]
        # (batch_size, 2 n m, 2 + d)
        comparisons.append(compare(list(block_b_pair)))
        flatten = keras.layers.Flatten(dtype=precise)
        numbers = keras.layers.Concatenate(dtype=precise, name="comparisons")(
            [flatten(x) for x in comparisons]
        )
        head = keras.Model(encoded, score(drop(hidden(numbers))), name="head")

        texts = text_inputs()
        super().__init__(
            texts, head({side: encoder(x) for side, x in texts.items()})
        )

        # === Config ===
        self.embedding = embedding
        self.question_encoder = encoder
        self.answer_encoder = encoder
        self.head = head
