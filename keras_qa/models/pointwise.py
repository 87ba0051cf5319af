"""CTRN and the rankers it is compared with: QRNN, LSTM and CNN."""

from typing import Any

import keras
import numpy as np

from keras_qa.layers.bag_of_words import BagOfWords
from keras_qa.layers.cross_temporal import CrossTemporalLayer
from keras_qa.layers.feature_standardization import FeatureStandardization
from keras_qa.layers.max_over_time import MaxOverTime
from keras_qa.layers.qrnn import QRNNLayer
from keras_qa.layers.text_convolution import TextConvolution
from keras_qa.models.common import check_positive
from keras_qa.models.common import count_parameters
from keras_qa.models.common import full_policy
from keras_qa.models.common import l2_regularizers
from keras_qa.models.common import word_embedding


class PointwiseRanker(keras.Model):
    """What the four rankers share: words, dense layers and a score.

    Args:
        encoder: layer from a text's words to its hidden states, or to one
            vector if `pooling` is `"last"`; or from `[question, answer]` to
            both, where the two texts are encoded together.
        poolings: the values that `pooling` may have.
        pooling: how the hidden states become one vector: `"mean"`, `"max"`,
            or `"last"`.
        **kwargs: the arguments that `CTRN` documents.
    """

    encodes_pairs = False
    """Whether the encoder takes both texts at once."""

    def __init__(
        self,
        encoder: keras.layers.Layer,
        poolings: tuple[str, ...],
        pooling: str,
        vocabulary_size: int,
        embedding_dim: int,
        projection_dim: int,
        units: int,
        hidden_units: int = 128,
        hidden_layers: int = 1,
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = False,
        activation: Any = "relu",
        dropout: float = 0.5,
        word_dropout: float = 0.0,
        l2: float = 4e-6,
        overlap_features: int = 0,
        question_length: int | None = None,
        answer_length: int | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ):
        check_positive(
            vocabulary_size=vocabulary_size,
            embedding_dim=embedding_dim,
            projection_dim=projection_dim,
            units=units,
            hidden_units=hidden_units,
            hidden_layers=hidden_layers,
            question_length=1 if question_length is None else question_length,
            answer_length=1 if answer_length is None else answer_length,
        )
        if overlap_features < 0:
            raise ValueError(
                "`overlap_features` must not be negative. "
                f"Received: overlap_features={overlap_features}"
            )
        if pooling not in poolings:
            raise ValueError(
                f"`pooling` must be one of {poolings}. "
                f"Received: pooling={pooling!r}"
            )
        policy = full_policy(dtype)
        # Means, features and scores stay in float32 under mixed precision.
        precise = policy.variable_dtype
        dense_l2 = l2_regularizers(l2, "kernel", "bias")

        # === Layers ===
        embedding = word_embedding(
            vocabulary_size,
            embedding_dim,
            embeddings,
            trainable_embeddings,
            l2,
            dtype=policy,
        )
        projection = keras.layers.Dense(
            projection_dim,
            use_bias=False,
            **l2_regularizers(l2, "kernel"),
            dtype=policy,
            name="projection",
        )
        drop_words = keras.layers.Dropout(
            word_dropout, dtype=policy, name="word_dropout"
        )
        pool = {
            "mean": lambda: BagOfWords("mean", dtype=precise, name="mean"),
            "max": lambda: MaxOverTime(dtype=precise, name="max"),
            "last": lambda: keras.layers.Identity(dtype=precise, name="last"),
        }[pooling]()
        standardize = (
            FeatureStandardization(dtype=precise, name="overlap_normalization")
            if overlap_features
            else None
        )
        hidden = [
            keras.layers.Dense(
                hidden_units,
                activation=activation,
                **dense_l2,
                dtype=policy,
                name=f"hidden_{i}",
            )
            for i in range(hidden_layers)
        ]
        # One before each dense layer.
        dropouts = [
            keras.layers.Dropout(dropout, dtype=policy, name=f"dropout_{i}")
            for i in range(hidden_layers + 1)
        ]
        softmax = keras.layers.Dense(
            2, **dense_l2, dtype=precise, name="softmax"
        )

        # === Functional model ===
        vectors = {
            side: keras.Input((units,), dtype=precise, name=side)
            for side in ("question", "answer")
        }
        x = keras.layers.Concatenate(dtype=precise, name="pair")(
            [vectors["question"], vectors["answer"]]
        )
        x = dropouts[0](x)
        features = {}
        if standardize is not None:
            features["overlap"] = keras.Input(
                (overlap_features,), dtype=precise, name="overlap"
            )
            x = keras.layers.Concatenate(dtype=precise, name="join")(
                [x, standardize(features["overlap"])]
            )
        for layer, drop in zip(hidden, dropouts[1:], strict=True):
            x = drop(layer(x))
        logits = softmax(x)
        head = keras.Model(
            {**vectors, **features}, logits[:, 1:] - logits[:, :1], name="head"
        )

        texts = {
            side: keras.Input((length,), dtype="int32", name=side)
            for side, length in (
                ("question", question_length),
                ("answer", answer_length),
            )
        }

        def words(ids: Any) -> Any:
            return drop_words(projection(embedding(ids)))

        if self.encodes_pairs:
            text_encoder = None
            states = encoder([words(texts["question"]), words(texts["answer"])])
            pooled = [pool(sequence) for sequence in states]
        else:
            ids = keras.Input((None,), dtype="int32", name="words")
            text_encoder = keras.Model(
                ids, pool(encoder(words(ids))), name="text_encoder"
            )
            pooled = [text_encoder(texts[s]) for s in ("question", "answer")]
        super().__init__(
            inputs={**texts, **features},
            outputs=head(
                {"question": pooled[0], "answer": pooled[1], **features}
            ),
            **kwargs,
        )

        # === Config ===
        self.vocabulary_size = vocabulary_size
        self.embedding_dim = embedding_dim
        self.projection_dim = projection_dim
        self.units = units
        self.hidden_units = hidden_units
        self.hidden_layers = hidden_layers
        self.trainable_embeddings = trainable_embeddings
        self.activation = keras.activations.get(activation)
        self.pooling = pooling
        self.dropout = dropout
        self.word_dropout = word_dropout
        self.l2 = l2
        self.overlap_features = overlap_features
        self.question_length = question_length
        self.answer_length = answer_length
        self.policy = policy
        self.embedding = embedding
        self.projection = projection
        self.encoder = encoder
        self.overlap_normalization = standardize
        self.softmax = softmax
        self.head = head
        if text_encoder is not None:
            self.question_encoder = text_encoder
            self.answer_encoder = text_encoder

    @property
    def core_parameters(self) -> int:
        """Number of trainable parameters as the paper's Table 2 counts them.

        Embedding, projection and softmax layer are left out. Each feature of
        overlap adds `hidden_units`, each hidden layer after the first
        `hidden_units * (hidden_units + 1)`.
        """
        return count_parameters(
            self, self.embedding, self.projection, self.softmax
        )

    def adapt_overlap(self, features: np.ndarray) -> None:
        """Learns mean and deviation of the features of overlap.

        Args:
            features: float array `(pairs, overlap_features)`, those of the
                training data.

        Raises:
            ValueError: if the model has no such features, or the array has
                another shape or values that are not finite.
        """
        if self.overlap_normalization is None:
            raise ValueError(
                "`overlap_features` must be positive, for the model to take "
                f"features. Received: overlap_features={self.overlap_features}"
            )
        self.overlap_normalization.adapt(features)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments, without the embedding matrix.

        A saved model finds the matrix among its weights.
        """
        return {
            "name": self.name,
            "trainable": self.trainable,
            "vocabulary_size": self.vocabulary_size,
            "embedding_dim": self.embedding_dim,
            "projection_dim": self.projection_dim,
            "units": self.units,
            "hidden_units": self.hidden_units,
            "hidden_layers": self.hidden_layers,
            "trainable_embeddings": self.trainable_embeddings,
            "activation": keras.activations.serialize(self.activation),
            "dropout": self.dropout,
            "word_dropout": self.word_dropout,
            "l2": self.l2,
            "overlap_features": self.overlap_features,
            "question_length": self.question_length,
            "answer_length": self.answer_length,
            "dtype": keras.dtype_policies.serialize(self.policy),
        }


@keras.saving.register_keras_serializable(package="keras_qa")
class CTRN(PointwiseRanker):
    """Scores a pair by two texts that are encoded with each other's gates.

    1. The words of both texts are looked up and projected, linearly and
       without a bias, by one `embedding_dim` x `projection_dim` matrix.
    2. `CrossTemporalLayer` computes both sequences of joint states, with one
       set of convolutions for both texts.
    3. Their means over the texts' words are concatenated, and the features
       of overlap, if there are any, with them.
    4. One to three dense layers follow, and two logits (equation 2).

    The score is the log-odds of the class "correct",

        score = logits[1] - logits[0],    s(q, a) = sigmoid(score)

    so that `keras.losses.BinaryCrossentropy(from_logits=True)` on the score
    is the cross-entropy of equation 3, with the mean over the batch in place
    of its sum (`reduction="sum"` is the printed one), and the regularisation
    is among the model's losses.

    Id 0 is padding and changes nothing. Texts may have any length, 0 too.
    Under mixed precision means, features and scores keep float32.

    At `projection_dim = 300`, `units = 512`, `hidden_units = 128` and
    `kernel_size = 2` the model has 3kdm + 2dh + h = 1,052,800 parameters
    without embedding, projection and softmax layer (Table 2), as many as
    `QRNNRanker`. See `core_parameters`.

    Args:
        vocabulary_size: number of word ids, with padding (0) and the unknown
            word (1).
        embedding_dim: size of the word vectors (the paper's n).
        projection_dim: size of the projected vectors (the paper's m).
        units: size of the hidden states (the paper's d).
        kernel_size: number of words that a gate sees (the paper's k).
        crossed_input: input of the second cell: `"own"` (the paper's prose
            and figures) or `"partner"` (its equations). See
            `CrossTemporalLayer`.
        alignment: lengths that align the steps of the two texts: `"lengths"`
            (their words) or `"padded"`, with which padding changes scores.
        zoneout: share of the forget gates set to 1 in training. The paper
            has none.
        use_bias: whether convolutions have biases. The paper's count has
            none.
        hidden_units: size of each dense layer (the paper's h).
        hidden_layers: number of dense layers; the paper tunes it from 1 to 3.
        embeddings: array `(vocabulary_size, embedding_dim)` to start the
            embedding with; uniform in (-.25, .25) without it. It is not part
            of the configuration: a saved model carries it in its weights.
        trainable_embeddings: whether training changes the embedding. The
            paper keeps it.
        activation: activation of the dense layers. The paper states none.
        dropout: share dropped in training of the texts' concatenated vectors
            and of each dense layer's outputs, never of the features of
            overlap. The paper says .5, but not where.
        word_dropout: share of the projected words' elements dropped in
            training.
        l2: strength of the L2 regularisation of all trainable parameters
            (the paper's lambda).
        overlap_features: number of features of word overlap that the model
            takes as a third input; the paper has 4 on TrecQA and none
            elsewhere. They are standardised inside: call `adapt_overlap` with
            those of the training data before training.
        question_length: length that questions are padded to, if it is to be
            one. With `alignment="padded"` it makes the scores a matter of the
            texts alone.
        answer_length: the same for answers.
        dtype: dtype policy; the global one by default.
        **kwargs: `name` and `trainable`.

    Call arguments:
        inputs: dict of int tensors `"question"` `(batch_size,
            question_length)` and `"answer"` `(batch_size, answer_length)`,
            and with `overlap_features` a float tensor `"overlap"`
            `(batch_size, overlap_features)`.

    Output:
        Float tensor `(batch_size, 1)`, higher is better.

    Raises:
        ValueError: if an argument is out of range, or `embeddings` has
            another shape.

    Example:
        >>> model = CTRN(vocabulary_size=100)
        >>> question, answer = np.array([[5, 7, 3]]), np.array([[9, 0]])
        >>> model({"question": question, "answer": answer}).shape
        (1, 1)

    Reference: Tay et al., 2018, "Cross Temporal Recurrent Networks for
    Ranking Question Answer Pairs", section "Our Proposed Approach",
    equations 1 to 3.
    """

    encodes_pairs = True

    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 300,
        projection_dim: int = 300,
        units: int = 512,
        *,
        kernel_size: int = 2,
        crossed_input: str = "own",
        alignment: str = "lengths",
        zoneout: float = 0.0,
        use_bias: bool = False,
        l2: float = 4e-6,
        dtype: Any = None,
        **kwargs: Any,
    ):
        check_positive(units=units, kernel_size=kernel_size)
        super().__init__(
            encoder=CrossTemporalLayer(
                units,
                kernel_size,
                crossed_input=crossed_input,
                alignment=alignment,
                zoneout=zoneout,
                use_bias=use_bias,
                **l2_regularizers(l2, "kernel", "bias"),
                dtype=full_policy(dtype),
                name="cross_temporal",
            ),
            poolings=("mean",),
            pooling="mean",
            vocabulary_size=vocabulary_size,
            embedding_dim=embedding_dim,
            projection_dim=projection_dim,
            units=units,
            l2=l2,
            dtype=dtype,
            **kwargs,
        )
        self.kernel_size = kernel_size
        self.crossed_input = crossed_input
        self.alignment = alignment
        self.zoneout = zoneout
        self.use_bias = use_bias

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments, without the embedding matrix."""
        return {
            **super().get_config(),
            "kernel_size": self.kernel_size,
            "crossed_input": self.crossed_input,
            "alignment": self.alignment,
            "zoneout": self.zoneout,
            "use_bias": self.use_bias,
        }


@keras.saving.register_keras_serializable(package="keras_qa")
class QRNNRanker(PointwiseRanker):
    """CTRN without the crossing: each text is encoded by itself.

    `QRNNLayer` takes the place of `CrossTemporalLayer`, with the same weights;
    all else is as in `CTRN`. As no text sees the other, `question_encoder` and
    `answer_encoder` compute the vector of a text alone and `head` scores two
    such vectors.

    Args, call arguments and output are those of `CTRN`, without
    `crossed_input` and `alignment`, and with

    Args:
        pooling: `"mean"` of the hidden states (as in `CTRN`) or the `"last"`
            one. The paper does not say which its baseline has.

    Reference: Tay et al., 2018, "Cross Temporal Recurrent Networks for
    Ranking Question Answer Pairs", equation 1; Bradbury et al., 2016,
    "Quasi-Recurrent Neural Networks".
    """

    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 300,
        projection_dim: int = 300,
        units: int = 512,
        *,
        kernel_size: int = 2,
        pooling: str = "mean",
        zoneout: float = 0.0,
        use_bias: bool = False,
        l2: float = 4e-6,
        dtype: Any = None,
        **kwargs: Any,
    ):
        check_positive(units=units, kernel_size=kernel_size)
        super().__init__(
            encoder=QRNNLayer(
                units,
                kernel_size,
                zoneout=zoneout,
                use_bias=use_bias,
                return_sequences=pooling != "last",
                **l2_regularizers(l2, "kernel", "bias"),
                dtype=full_policy(dtype),
                name="qrnn",
            ),
            poolings=("mean", "last"),
            pooling=pooling,
            vocabulary_size=vocabulary_size,
            embedding_dim=embedding_dim,
            projection_dim=projection_dim,
            units=units,
            l2=l2,
            dtype=dtype,
            **kwargs,
        )
        self.kernel_size = kernel_size
        self.zoneout = zoneout
        self.use_bias = use_bias

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments, without the embedding matrix."""
        return {
            **super().get_config(),
            "kernel_size": self.kernel_size,
            "pooling": self.pooling,
            "zoneout": self.zoneout,
            "use_bias": self.use_bias,
        }


@keras.saving.register_keras_serializable(package="keras_qa")
class LSTMRanker(PointwiseRanker):
    """The LSTM baseline: `QRNNRanker` with an LSTM for the QRNN.

    It has 4(md + d^2) + 2dh + h = 1,794,176 parameters where CTRN has
    1,052,800. The printed count has no biases; `use_bias=True` adds 4d, those
    of the forget gate started at 1.

    Args, call arguments and output are those of `CTRN`, without
    `kernel_size`, `crossed_input`, `alignment` and `zoneout`, and with

    Args:
        pooling: `"mean"` of the hidden states (as in `CTRN`) or the `"last"`
            one. The paper does not say which its baseline has.

    Reference: Tay et al., 2018, "Cross Temporal Recurrent Networks for
    Ranking Question Answer Pairs", Table 2.
    """

    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 300,
        projection_dim: int = 300,
        units: int = 512,
        *,
        pooling: str = "mean",
        use_bias: bool = False,
        l2: float = 4e-6,
        dtype: Any = None,
        **kwargs: Any,
    ):
        check_positive(units=units)
        super().__init__(
            encoder=keras.layers.LSTM(
                units,
                use_bias=use_bias,
                return_sequences=pooling != "last",
                **l2_regularizers(l2, "kernel", "recurrent", "bias"),
                dtype=full_policy(dtype),
                name="lstm",
            ),
            poolings=("mean", "last"),
            pooling=pooling,
            vocabulary_size=vocabulary_size,
            embedding_dim=embedding_dim,
            projection_dim=projection_dim,
            units=units,
            l2=l2,
            dtype=dtype,
            **kwargs,
        )
        self.use_bias = use_bias

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments, without the embedding matrix."""
        return {
            **super().get_config(),
            "pooling": self.pooling,
            "use_bias": self.use_bias,
        }


@keras.saving.register_keras_serializable(package="keras_qa")
class CNNRanker(PointwiseRanker):
    """The CNN baseline: `QRNNRanker` with a convolution for the QRNN.

    `TextConvolution` gives each word a vector that depends on the words
    around it, and the largest value of each feature over the text's words is
    the text's vector. The paper reports its "vanilla CNN" from others and
    describes none: filters, activation and pooling are those common since
    Severyn and Moschitti (2015).

    Args, call arguments and output are those of `CTRN`, without
    `crossed_input`, `alignment` and `zoneout`, and with

    Args:
        kernel_size: number of words that a filter sees, the middle one and
            those around it.
        convolution_activation: activation of the convolution.
        pooling: `"max"` or `"mean"`, over the words of a text.
        use_bias: whether the convolution has a bias.

    Reference: Severyn and Moschitti, 2015, "Learning to Rank Short Text Pairs
    with Convolutional Deep Neural Networks", section 3.2.
    """

    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 300,
        projection_dim: int = 300,
        units: int = 512,
        *,
        kernel_size: int = 3,
        convolution_activation: Any = "relu",
        pooling: str = "max",
        use_bias: bool = True,
        l2: float = 4e-6,
        dtype: Any = None,
        **kwargs: Any,
    ):
        check_positive(units=units, kernel_size=kernel_size)
        super().__init__(
            encoder=TextConvolution(
                units,
                kernel_size,
                activation=convolution_activation,
                use_bias=use_bias,
                **l2_regularizers(l2, "kernel", "bias"),
                dtype=full_policy(dtype),
                name="convolution",
            ),
            poolings=("max", "mean"),
            pooling=pooling,
            vocabulary_size=vocabulary_size,
            embedding_dim=embedding_dim,
            projection_dim=projection_dim,
            units=units,
            l2=l2,
            dtype=dtype,
            **kwargs,
        )
        self.kernel_size = kernel_size
        self.convolution_activation = keras.activations.get(
            convolution_activation
        )
        self.use_bias = use_bias

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments, without the embedding matrix."""
        return {
            **super().get_config(),
            "kernel_size": self.kernel_size,
            "convolution_activation": keras.activations.serialize(
                self.convolution_activation
            ),
            "pooling": self.pooling,
            "use_bias": self.use_bias,
        }
