"""ABCNN: convolutions of two texts with attention before or after them."""

from typing import Any

import keras
import numpy as np
from keras import ops

from keras_qa.arguments import check_choice
from keras_qa.arguments import check_not_negative
from keras_qa.arguments import check_positive
from keras_qa.layers.attention_feature_maps import AttentionFeatureMaps
from keras_qa.layers.bag_of_words import BagOfWords
from keras_qa.layers.cosine_similarity import CosineSimilarity
from keras_qa.layers.distance_matches import DistanceMatches
from keras_qa.layers.feature_standardization import FeatureStandardization
from keras_qa.layers.fixed_length import FixedLength
from keras_qa.layers.wide_convolution import WideConvolution
from keras_qa.layers.window_pooling import WindowPooling
from keras_qa.models.building import full_policy
from keras_qa.models.building import l2_regularizers
from keras_qa.models.building import text_inputs
from keras_qa.models.building import word_vectors
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.word_model import OverlapModel

ATTENTIONS = (None, 1, 2, 3)


@keras.saving.register_keras_serializable(package="keras_qa")
class ABCNN(OverlapModel):
    """Scores a pair by the cosines of its texts after each convolution.

    Both texts pass through `blocks` blocks, whose convolutions they share:

    1. with `attention` 1 and 3, `AttentionFeatureMaps` appends a feature map
       of the attention matrix to each text;
    2. a `WideConvolution` computes `filters` tanh features of each window;
    3. `WindowPooling` averages each window of the result, the input of the
       next block (w-ap), and the whole of it (all-ap). With `attention` 2 and
       3 it sums instead, with the sums of the rows and of the columns of the
       attention matrix of the convolved texts as weights.

    The score is a logistic regression, here its logit, on the cosines of the
    all-ap of the two texts, one for each block, and on further features if
    there are any. `attention=None` is the paper's BCNN.

    Id 0 is padding and, after the words, changes nothing. Texts may have any
    length, but with `attention` 1 and 3 words beyond the fixed lengths are
    ignored. Under mixed precision the attention matrices and the score are
    float32.

    With m = `embedding_dim`, f = `filters`, w = `kernel_size` and B = `blocks`,
    the model without attention has, without the embedding,

        (wm + 1) f + (B - 1) (wf + 1) f + B + 1

    parameters. Feature maps add another wmf + (B - 1) w f^2 to the
    convolutions, and (m + (B - 1) f) (l_q + l_a) for `W_0` and `W_1`, with the
    fixed lengths: 168,103 at the defaults.

    Args:
        vocabulary_size: number of word ids, with padding (0) and the unknown
            word (1).
        embedding_dim: size of the word vectors (the paper's d0).
        filters: size of the convolutions' outputs (the paper's d1).
        attention: 1, 2 or 3 for the paper's ABCNN of this number; None for
            BCNN.
        blocks: number of convolutions.
        kernel_size: number of positions in a window (the paper's w).
        question_length: number of words to which questions are cut or padded
            with `attention` 1 and 3.
        answer_length: the same for answers.
        shared_feature_maps: whether `W_1` is `W_0` with `attention` 1 and 3, as
            in the authors' experiments; both lengths are then equal.
        input_cosine: whether the cosine of the means of the word vectors is a
            feature, too, as in the authors' code.
        overlap_features: number of features that the model takes as a third
            input, such as the paper's two counts of common words. The model
            standardises them: call `adapt_overlap` with those of the training
            data before training.
        embeddings: array `(vocabulary_size, embedding_dim)` to start the
            embedding with; uniform in (-.25, .25) without it. It is not part
            of the configuration but a weight, which is saved.
        trainable_embeddings: whether training changes the embedding. In the
            paper it is fixed.
        dropout: share of the word vectors' elements dropped in training. The
            paper has none.
        l2: strength of the L2 regularisation of all trainable parameters.
        dtype: dtype policy; the global one by default.
        name: name of the model.
        trainable: whether the model is trainable.

    Call arguments:
        inputs: dict of int tensors `"question"` `(batch_size,
            question_length)` and `"answer"` `(batch_size, answer_length)`,
            and with `overlap_features` a float tensor `"overlap"`
            `(batch_size, overlap_features)`.

    Output:
        Float tensor `(batch_size, 1)`, higher is better.

    Raises:
        ValueError: if an argument is out of range, or `embeddings` has
            another shape or values that are not finite.

    Example:
        >>> model = ABCNN(vocabulary_size=100, attention=2)
        >>> pair = {"question": np.array([[5, 7]]), "answer": np.array([[9]])}
        >>> model(pair).shape
        (1, 1)

    Reference: Yin et al., 2016, "ABCNN: Attention-Based Convolutional Neural
    Network for Modeling Sentence Pairs", sections 3 (BCNN) and 4.1 to 4.3
    (ABCNN-1 to ABCNN-3). The numbers of its equations are not at hand.
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 300,
        filters: int = 50,
        *,
        attention: int | None = 3,
        blocks: int = 2,
        kernel_size: int = 4,
        question_length: int = 40,
        answer_length: int = 40,
        shared_feature_maps: bool = False,
        input_cosine: bool = False,
        overlap_features: int = 0,
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = False,
        dropout: float = 0.0,
        l2: float = 0.0,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        check_choice("attention", attention, ATTENTIONS)
        check_positive(
            blocks=blocks,
            question_length=question_length,
            answer_length=answer_length,
        )
        check_not_negative(overlap_features=overlap_features)
        policy = full_policy(dtype)
        # Matches and score stay in float32 under mixed precision.
        precise = policy.variable_dtype
        before, after = attention in (1, 3), attention in (2, 3)

        # === Layers ===
        embedding = word_vectors(self.arguments)
        lengths = {"question": question_length, "answer": answer_length}
        cuts = {
            side: FixedLength(length, dtype="int32", name=f"{side}_cut")
            for side, length in lengths.items()
        }
        drop = keras.layers.Dropout(dropout, dtype=policy, name="word_dropout")
        feature_maps = [
            AttentionFeatureMaps(
                shared_feature_maps,
                **l2_regularizers(l2, "kernel"),
                dtype=policy,
                name=f"feature_maps_{i}",
            )
            for i in range(blocks)
        ]
        convolutions = [
            WideConvolution(
                filters,
                kernel_size,
                use_bias=True,
                **l2_regularizers(l2, "kernel", "bias"),
                dtype=policy,
                name=f"convolution_{i}",
            )
            for i in range(blocks)
        ]
        matches = DistanceMatches(dtype=precise, name="matches")
        pool = WindowPooling(kernel_size, dtype=precise, name="pooling")
        mean = BagOfWords("mean", dtype=precise, name="mean")
        cosine = CosineSimilarity(dtype=precise, name="cosine")
        join = keras.layers.Concatenate(dtype=precise, name="features")
        standardize = FeatureStandardization(
            dtype=precise, name="overlap_normalization"
        )
        score = keras.layers.Dense(
            1,
            **l2_regularizers(l2, "kernel", "bias"),
            dtype=precise,
            name="score",
        )

        # === Functional model ===
        inputs = text_inputs()
        pair = [
            drop(embedding(cuts[side](ids) if before else ids))
            for side, ids in inputs.items()
        ]
        features = [cosine([mean(x) for x in pair])] if input_cosine else []
        for block in range(blocks):
            if before:
                pair = feature_maps[block](pair)
            pair = [convolutions[block](x) for x in pair]
            weighted: list[Any] = pair
            if after:
                grid = matches(pair)
                sums = ops.sum(grid, axis=2), ops.sum(grid, axis=1)
                weighted = [[x, w] for x, w in zip(pair, sums, strict=True)]
            pooled = [pool(x) for x in weighted]
            pair = [windows for windows, _ in pooled]
            features.append(cosine([text for _, text in pooled]))
        if overlap_features:
            inputs["overlap"] = keras.Input(
                (overlap_features,), dtype=precise, name="overlap"
            )
            features.append(standardize(inputs["overlap"]))
        joined = join(features) if len(features) > 1 else features[0]
        super().__init__(inputs, score(joined))

        # === Config ===
        self.embedding = embedding
        self.overlap_normalization = standardize if overlap_features else None
