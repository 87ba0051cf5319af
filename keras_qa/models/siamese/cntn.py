"""CNTN: two convolved texts, compared by a neural tensor layer."""

from collections.abc import Callable
from typing import Any

import keras
import numpy as np
from keras import ops

from keras_qa.arguments import check_positive
from keras_qa.layers.k_max_pooling import KMaxPooling
from keras_qa.layers.neural_tensor import NeuralTensor
from keras_qa.layers.wide_convolution import WideConvolution
from keras_qa.models.building import full_policy
from keras_qa.models.building import l2_regularizers
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.siamese.siamese import SiameseRanker


@keras.saving.register_keras_serializable(package="keras_qa")
class CNTN(SiameseRanker):
    """The convolutional neural tensor network.

    1. `WideConvolution` computes `filters` features of each window of
       `kernel_size` words.
    2. `KMaxPooling` takes each feature's k_l largest values, in their order: in
       layer l of L = `blocks`, of a text of s words, k_l = max(`k`, ceil((L -
       l) s / L)).
    3. 1 and 2 are repeated, `blocks` times in all; `k` values of each feature
       remain.
    4. A fully connected layer makes a vector of `units` of these, v_q or v_a.
    5. `NeuralTensor` and the vector u give the score (equations 6 and 7):

        s = u^T f(v_q^T M^[1:r] v_a + V [v_q; v_a] + b)

    The encoder is the dynamic convolutional network of Kalchbrenner et al.
    (2014). Their filters read one dimension of the vectors each; these read
    all dimensions.

    With m = `embedding_dim`, w = `kernel_size`, c = `filters`, n = `units` and
    r = `slices`, the model has wmc + c + (L - 1)(wc^2 + c) + `k` cn + n +
    r(n^2 + 2n + 2) parameters without the embedding: 48,210 at the defaults.

    Id 0 is padding and changes nothing. Texts may have any length: where a text
    has fewer than k values, zeros follow. `question_encoder` and
    `answer_encoder` compute the vector of a text, and `head` scores the vectors
    of a pair. Under mixed precision, convolutions are computed in half
    precision. The paper trains it with a hinge of margin 1: `PairwiseTrainer`
    and `PairwiseHinge(margin=1.0)`. The default sizes are choices of this kit.

    Args:
        vocabulary_size: number of word ids, with padding (0) and the unknown
            word (1).
        embedding_dim: size of the word vectors.
        filters: number of features of a window.
        units: size of a text's vector (the paper's n_s).
        kernel_size: number of words in a window, and of positions in those of
            later layers.
        blocks: number of convolutions, each with its pooling.
        k: number of values of each feature that the last pooling takes (k_top).
        slices: number of slices of the tensor (the paper's r).
        activation: activation of convolutions, vectors and tensor layer.
        shared_encoder: whether question and answer share all layers up to the
            vectors; False gives each side its own.
        embeddings: array `(vocabulary_size, embedding_dim)` to start the
            embedding with; uniform in (-.25, .25) without it. It is not part
            of the configuration but a weight, which is saved.
        trainable_embeddings: whether training changes the embedding.
        dropout: share of the vectors' entries dropped in training.
        l2: strength of the L2 regularisation of all trainable parameters.
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
        >>> model = CNTN(vocabulary_size=100)
        >>> pair = {"question": np.array([[5, 7]]), "answer": np.array([[9]])}
        >>> model(pair).shape
        (1, 1)

    Reference: Qiu and Huang, 2015, "Convolutional Neural Tensor Network
    Architecture for Community-based Question Answering", equations 6 and 7 (the
    numbers of its sections are not at hand); Kalchbrenner et al., 2014, "A
    Convolutional Neural Network for Modelling Sentences", section 3.
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 50,
        filters: int = 50,
        units: int = 50,
        *,
        kernel_size: int = 3,
        blocks: int = 3,
        k: int = 5,
        slices: int = 5,
        activation: Any = "tanh",
        shared_encoder: bool = True,
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = True,
        dropout: float = 0.0,
        l2: float = 0.0,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        check_positive(units=units, blocks=blocks, slices=slices)
        policy = full_policy(dtype)
        precise = policy.variable_dtype
        weights = l2_regularizers(l2, "kernel", "bias")

        # === Layers ===
        def make_encoder() -> Callable[[Any, Any], Any]:
            pairs = [
                (
                    WideConvolution(
                        filters,
                        kernel_size,
                        activation,
                        use_bias=True,
                        **weights,
                        dtype=policy,
                        name=f"convolution_{i}",
                    ),
                    KMaxPooling(
                        k,
                        layer=i,
                        layers=blocks,
                        dtype=policy,
                        name=f"pooling_{i}",
                    ),
                )
                for i in range(1, blocks + 1)
            ]
            vector = keras.layers.Dense(
                units, activation, **weights, dtype=precise, name="vector"
            )

            def encode(ids: Any, x: Any) -> Any:
                words = ops.not_equal(ids, 0)
                for convolution, pooling in pairs:
                    x = pooling([convolution(x), words])
                return vector(ops.reshape(x, (-1, k * filters)))

            return encode

        drop = keras.layers.Dropout(dropout, dtype=precise, name="dropout")
        tensor = NeuralTensor(
            slices, activation, **weights, dtype=precise, name="tensor"
        )
        score = keras.layers.Dense(
            1,
            use_bias=False,
            **l2_regularizers(l2, "kernel"),
            dtype=precise,
            name="score",
        )

        # === Functional model ===
        def join(question: Any, answer: Any, _: Any) -> Any:
            return score(tensor([drop(question), drop(answer)]))

        # The base class looks up the words and connects encoders and head.
        super().__init__(make_encoder, join)

        # === Config ===
        self.activation = keras.activations.get(activation)
