"""CTRN: Cross Temporal Recurrent Networks."""

from typing import Any

import keras
import numpy as np

from keras_qa.layers.cross_temporal import CrossTemporalLayer
from keras_qa.models.building import full_policy
from keras_qa.models.building import l2_regularizers
from keras_qa.models.building import text_inputs
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.ctrn.pointwise import PointwiseRanker
from keras_qa.models.ctrn.pointwise import PooledStates
from keras_qa.models.ctrn.pointwise import ProjectedWords
from keras_qa.models.ctrn.pointwise import dense_head

POOLINGS = ("mean", "max", "attentive")


@keras.saving.register_keras_serializable(package="keras_qa")
class CTRN(PointwiseRanker):
    """Scores a pair of texts, each encoded with its own and the other's gates.

    1. The words of both texts are looked up and projected, linearly and
       without a bias, by one `embedding_dim` x `projection_dim` matrix.
    2. `CrossTemporalLayer` computes both sequences of joint states, with the
       same convolutions for both texts.
    3. The means of the states over the words of each text are concatenated,
       with the overlap and alignment features if there are any.
    4. One to three dense layers and two logits follow (equation 2).

    The score is the log-odds of the class "correct",

        score = logits[1] - logits[0],    s(q, a) = sigmoid(score)

    so that `keras.losses.BinaryCrossentropy(from_logits=True)` on the score
    is the cross-entropy of equation 3, as a mean over the batch;
    `reduction="sum"` sums over the batch, not over all N training pairs as
    printed. The regularisation is in the model's `losses`, whole in each
    batch, so that next to the mean it weighs N times what is printed.

    Id 0 is padding and, with `alignment="lengths"`, changes nothing. Texts may
    have any length, including 0. Under mixed precision means, features and
    scores are float32.

    At `projection_dim = 300`, `units = 512`, `hidden_units = 128` and
    `kernel_size = 2` the model has 3kdm + 2dh + h = 1,052,800 parameters
    without embedding, projection and softmax layer (Table 2), like
    `QRNNRanker`. See `core_parameters`.

    Args:
        vocabulary_size: number of word ids, with padding (0) and the unknown
            word (1).
        embedding_dim: size of the word vectors (the paper's n).
        projection_dim: size of the projected vectors (the paper's m).
        units: size of the hidden states (the paper's d).
        kernel_size: number of words that a gate reads (the paper's k).
        crossed_input: input of the second recurrence: `"own"` (the paper's
            text and figures) or `"partner"` (its equations). See
            `CrossTemporalLayer`.
        alignment: how steps of the two texts correspond: by their numbers of
            words (`"lengths"`), or by the padded lengths (`"padded"`), so
            that padding changes scores.
        zoneout: share of the forget gates set to 1 in training. The paper
            has none.
        use_bias: whether convolutions have biases. The paper's parameter
            count has none.
        pooling: `"mean"` of the joint states of a text (the paper), `"max"`,
            or `"attentive"`, the mean with the weights that the texts give to
            each other's words (`AttentivePooling`, with `units ** 2` weights).
        pooled_normalization: whether a `LayerNormalization`, the same for both
            texts, follows the pooling. The paper has none.
        hidden_units: size of each dense layer (the paper's h).
        hidden_layers: number of dense layers; the paper tunes it from 1 to 3.
        projection_layers: number of projections of the words, with the
            activation of the dense layers between them; the paper has 1.
        embeddings: array `(vocabulary_size, embedding_dim)` to start the
            embedding with; uniform in (-.25, .25) without it. It is not part
            of the configuration but a weight, which is saved.
        trainable_embeddings: whether training changes the embedding. In the
            paper it is fixed.
        activation: activation of the dense layers. The paper gives none.
        dropout: share dropped in training of the texts' concatenated vectors
            and of each dense layer's outputs, but not of the overlap features.
            The paper gives the share .5, but not its place.
        word_dropout: share of the projected words' elements dropped in
            training.
        l2: strength of the L2 regularisation of all trainable parameters
            (the paper's lambda).
        overlap_features: number of word overlap features that the model takes
            as a third input; the paper has 4 on TrecQA and none elsewhere. The
            model standardises them: call `adapt_overlap` with those of the
            training data before training.
        alignment_features: whether the nine `AlignmentFeatures` of the words
            and their vectors, before the projection, are used in the same way.
            The model computes them from the word ids; call `adapt_alignment`
            with the training data before training. The paper has none.
        question_length: length to which all questions are padded; None if it
            varies. With `alignment="padded"` a fixed length makes the scores
            independent of the batch.
        answer_length: length to which all answers are padded, or None.
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
        >>> model = CTRN(vocabulary_size=100)
        >>> question, answer = np.array([[5, 7, 3]]), np.array([[9, 0]])
        >>> model({"question": question, "answer": answer}).shape
        (1, 1)

    Reference: Tay et al., 2018, "Cross Temporal Recurrent Networks for
    Ranking Question Answer Pairs", section "Our Proposed Approach",
    equations 1 to 3.
    """

    @keeps_arguments
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
        pooling: str = "mean",
        pooled_normalization: bool = False,
        hidden_units: int = 128,
        hidden_layers: int = 1,
        projection_layers: int = 1,
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = False,
        activation: Any = "relu",
        dropout: float = 0.5,
        word_dropout: float = 0.0,
        l2: float = 4e-6,
        overlap_features: int = 0,
        alignment_features: bool = False,
        question_length: int | None = None,
        answer_length: int | None = None,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        policy = full_policy(dtype)

        # === Layers ===
        crossing = CrossTemporalLayer(
            units,
            kernel_size,
            crossed_input=crossed_input,
            alignment=alignment,
            zoneout=zoneout,
            use_bias=use_bias,
            **l2_regularizers(l2, "kernel", "bias"),
            dtype=policy,
            name="cross_temporal",
        )
        words = ProjectedWords(self.arguments)
        pooling_of_both = PooledStates(self.arguments, POOLINGS)
        head = dense_head(self.arguments)

        # === Functional model ===
        texts = text_inputs(question_length, answer_length)
        states = crossing([words(ids) for ids in texts.values()])
        vectors = pooling_of_both(states)
        super().__init__(texts, vectors, words, crossing, head)
