"""ARC-II: convolutions over the grid of all pairs of windows."""

from typing import Any

import keras
import numpy as np

from keras_qa.arguments import check_positive
from keras_qa.layers.fixed_length import FixedLength
from keras_qa.layers.gated_convolution_2d import GatedConvolution2D
from keras_qa.layers.pair_convolution import PairConvolution
from keras_qa.models.building import full_policy
from keras_qa.models.building import l2_regularizers
from keras_qa.models.building import text_inputs
from keras_qa.models.building import word_vectors
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.word_model import WordModel


@keras.saving.register_keras_serializable(package="keras_qa")
class ARCII(WordModel):
    """Scores a pair by convolutions over all pairs of their windows.

    1. `PairConvolution` computes `filters` features of each pair of a window
       of the question and one of the answer.
    2. The maximum of each feature over 2 by 2 cells follows, then `blocks` - 1
       times a `GatedConvolution2D` and such a maximum.
    3. A hidden layer reads the last grid, and the score is linear in its
       units.

    The size of the last grid depends on the lengths of the texts, which are
    fixed, as in the paper: longer texts are cut and shorter ones padded, whose
    windows the gates of the convolutions set to 0. So padding after the words
    changes nothing up to the fixed lengths.

    The score is the paper's s(x, y), trained with a hinge of margin 1:
    `PairwiseTrainer` and `PairwiseHinge(margin=1.0)`.

    With m = `embedding_dim`, f = `filters`, k = `kernel_size` and the last grid
    of g cells, the model has, without the embedding,

        (2km + 1) f + (blocks - 1) (k^2 f + 1) f + (gf + 1) h + h + 1

    parameters, h = `hidden_units`: 1,280,801 at the defaults.

    Args:
        vocabulary_size: number of word ids, with padding (0) and the unknown
            word (1).
        embedding_dim: size of the word vectors.
        filters: number of feature maps of each convolution, in the paper from
            200 to 500.
        blocks: number of convolutions, each with a maximum.
        kernel_size: number of words, or of rows and columns, of a window.
        hidden_units: size of the hidden layer. The paper gives none.
        question_length: number of words to which questions are cut or padded.
            The paper gives none.
        answer_length: number of words to which answers are cut or padded.
        activation: activation of the convolutions and the hidden layer.
        embeddings: array `(vocabulary_size, embedding_dim)` to start the
            embedding with; uniform in (-.25, .25) without it. It is not part
            of the configuration but a weight, which is saved.
        trainable_embeddings: whether training changes the embedding. In the
            paper it is fixed.
        dropout: share dropped in training of the last grid and of the hidden
            layer. The paper uses dropout on small data sets, without figures.
        l2: strength of the L2 regularisation of all trainable parameters.
        dtype: dtype policy; the global one by default.
        name: name of the model.
        trainable: whether the model is trainable.

    Call arguments:
        inputs: dict of int tensors `"question"` `(batch_size,
            question_length)` and `"answer"` `(batch_size, answer_length)`, of
            any length.

    Output:
        Float tensor `(batch_size, 1)`, higher is better.

    Raises:
        ValueError: if an argument is out of range, or `embeddings` has
            another shape or values that are not finite.

    Example:
        >>> model = ARCII(vocabulary_size=100, filters=8)
        >>> pair = {"question": np.array([[5, 7]]), "answer": np.array([[9]])}
        >>> model(pair).shape
        (1, 1)

    Reference: Hu et al., 2014, "Convolutional Neural Network Architectures for
    Matching Natural Language Sentences", sections 3.2 and 4, with the gate of
    section 2. The numbers of section 3.2's equations are not at hand.
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 50,
        filters: int = 200,
        *,
        blocks: int = 3,
        kernel_size: int = 3,
        hidden_units: int = 100,
        question_length: int = 40,
        answer_length: int = 40,
        activation: Any = "relu",
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = False,
        dropout: float = 0.0,
        l2: float = 0.0,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        check_positive(
            blocks=blocks,
            hidden_units=hidden_units,
            question_length=question_length,
            answer_length=answer_length,
        )
        policy = full_policy(dtype)
        regularizers = l2_regularizers(l2, "kernel", "bias")

        # === Layers ===
        embedding = word_vectors(self.arguments)
        lengths = {"question": question_length, "answer": answer_length}
        cuts = {
            side: FixedLength(length, dtype="int32", name=f"{side}_cut")
            for side, length in lengths.items()
        }
        convolution = PairConvolution(
            filters,
            kernel_size,
            activation,
            **regularizers,
            dtype=policy,
            name="pair_convolution",
        )
        convolutions = [
            GatedConvolution2D(
                filters,
                kernel_size,
                activation,
                **regularizers,
                dtype=policy,
                name=f"convolution_{i}",
            )
            for i in range(1, blocks)
        ]
        pools = [
            keras.layers.MaxPooling2D(
                2,
                padding="same",
                data_format="channels_last",
                dtype=policy,
                name=f"max_{i}",
            )
            for i in range(blocks)
        ]
        flatten = keras.layers.Flatten(dtype=policy, name="grid")
        dropouts = [
            keras.layers.Dropout(dropout, dtype=policy, name=f"dropout_{i}")
            for i in range(2)
        ]
        hidden = keras.layers.Dense(
            hidden_units,
            activation,
            **regularizers,
            dtype=policy,
            name="hidden",
        )
        # The score stays in float32 under mixed precision.
        score = keras.layers.Dense(
            1, **regularizers, dtype=policy.variable_dtype, name="score"
        )

        # === Functional model ===
        texts = text_inputs()
        grid = pools[0](
            convolution([embedding(cuts[s](ids)) for s, ids in texts.items()])
        )
        for convolve, pool in zip(convolutions, pools[1:], strict=True):
            grid = pool(convolve(grid))
        x = hidden(dropouts[0](flatten(grid)))
        super().__init__(texts, score(dropouts[1](x)))

        # === Config ===
        self.activation = keras.activations.get(activation)
        self.embedding = embedding
