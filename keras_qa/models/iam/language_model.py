"""The bidirectional language model of IAM's first training stage."""

from typing import Any

import keras
import numpy as np
from keras import ops

from keras_qa.arguments import check_choice
from keras_qa.arguments import check_positive
from keras_qa.layers.append_token import AppendToken
from keras_qa.layers.bidirectional_stack import BidirectionalStack
from keras_qa.layers.word_prediction import WordPrediction
from keras_qa.models.building import full_policy
from keras_qa.models.configured import ConfiguredModel
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.iam.sentence_embedding import sentence_embedding

LOSS_UNITS = ("sentence", "word")


@keras.saving.register_keras_serializable(package="keras_qa")
class BidirectionalLanguageModel(ConfiguredModel):
    """Predicts the words of a sentence forwards and backwards.

    1. `AppendToken` appends `<EOS>`, whose id is `vocabulary_size`, to each
       sentence.
    2. `BidirectionalStack` reads the word vectors with two independent stacks
       of LSTMs.
    3. `WordPrediction` computes -log p of the next word from the forward state
       at each word, and of the previous word from the backward state.

    The loss is part of the model: `compile` takes an optimizer only, and
    `fit` only sentences. It is the sum over both directions of

        -(1/M) sum over i of log p(x_i)      (`loss_per="sentence"`)

    over the M sentences x_i of a batch, or of the mean of -log p over all words
    of the batch (`loss_per="word"`), which does not grow with their number. The
    choice matters little for Adam; for SGD it scales the learning rate by the
    mean length.

    `encoder` is a model from the same ids to the states for the later stages:
    a dict of `"mask"` `(batch_size, length + 1)`, true at words and at
    `<EOS>`, and `"states"` `(batch_size, length + 1, 2 units)`, 0 elsewhere.
    `embedding` and `stack` are its layers.

    Id 0 is padding and changes nothing; the loss of a sentence without words is
    0. Under mixed precision the softmax is float32.

    Without embedding and softmax it has 2 * 4 (md + d^2 + d) + (n - 1) * 2 *
    4 (2d^2 + d) parameters, with m = `embedding_dim`, d = `units` and n =
    `layers`: 321,600 at the defaults.

    Args:
        vocabulary_size: number of word ids, with padding (0) and the unknown
            word (1), without `<EOS>`.
        embedding_dim: size of the word vectors (the paper's K).
        units: size of the state of each direction.
        layers: number of stacked LSTMs in each direction.
        classes: int array `(vocabulary_size + 1,)` of the class of each word
            id, which the model predicts instead of the word
            (`keras_qa.training.language_model.output_classes`). Without it each
            word is a class. It is not part of the configuration but a weight,
            which is saved.
        class_count: number of classes; by default the largest of `classes`
            + 1, or `vocabulary_size`.
        dropout: share of the word vectors, of the states between the LSTMs and
            of the states before the softmax that is dropped in training.
        embeddings: array `(vocabulary_size, embedding_dim)` to start the
            embedding with; uniform in (-.25, .25) without it. It is not part
            of the configuration either.
        trainable_embeddings: whether training changes the embedding. The
            paper does not say; with a fixed embedding the models of questions
            and answers can share it with the matcher.
        shared_softmax: whether both directions share the softmax, as in Peters
            et al.; the paper's equation 3 has a matrix for each direction.
        loss_per: `"sentence"` (the log-likelihood that the paper maximises)
            or `"word"`.
        initializer_range: all weights but the word vectors start uniform in
            (-range, range); `None` keeps the defaults of Keras. With two
            layers, the paper's .05 and the defaults of Keras make the upper
            states so small that the loss stays for long at that of a unigram
            model; .2 does not.
        dtype: dtype policy; the global one by default.
        name: name of the model.
        trainable: whether the model is trainable.

    Call arguments:
        inputs: int tensor `(batch_size, length)` of word ids, padded at the
            end.

    Output:
        Float tensor `(batch_size, length, 2)`: at position t -log p of the
        word or `<EOS>` at t + 1 given the words up to t, and of the word at t
        given those after it; 0 on padding.

    Raises:
        ValueError: if an argument is out of range, or an array has another
            shape.

    Example:
        >>> model = BidirectionalLanguageModel(vocabulary_size=100)
        >>> model.compile(keras.optimizers.SGD(0.1, global_clipnorm=5))
        >>> batches = LanguageModelBatches(texts, batch_size=50)
        >>> model.fit(batches.feed(), **batches.fit_arguments(epochs=20))
        >>> model.encoder(np.array([[5, 7, 0]]))["states"].shape
        (1, 4, 200)

    Reference: Wu and Hao, "Cross-sentence Pre-trained model for Interactive
    QA matching", sections 2.2, 2.6 and 3.1, equation 3.
    """

    not_kept = ("embeddings", "classes", "layers")

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 100,
        units: int = 100,
        layers: int = 2,
        *,
        classes: np.ndarray | None = None,
        class_count: int | None = None,
        dropout: float = 0.5,
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = False,
        shared_softmax: bool = False,
        loss_per: str = "sentence",
        initializer_range: float | None = 0.05,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        check_positive(
            vocabulary_size=vocabulary_size, embedding_dim=embedding_dim
        )
        check_choice("loss_per", loss_per, LOSS_UNITS)
        if classes is not None:
            classes = _checked(classes, vocabulary_size + 1, class_count)
            class_count = class_count or int(classes.max()) + 1
        policy = full_policy(dtype)

        # === Layers ===
        append = AppendToken(vocabulary_size, dtype=policy, name="append_end")
        embedding = sentence_embedding(
            vocabulary_size,
            embedding_dim,
            embeddings,
            trainable_embeddings,
            dtype=policy,
        )
        stack = BidirectionalStack(
            units,
            layers,
            dropout,
            initializer_range,
            dtype=policy,
            name="stack",
        )
        drop = keras.layers.Dropout(dropout, dtype=policy, name="dropout")
        prediction = WordPrediction(
            vocabulary_size + 1,
            class_count,
            shared_softmax,
            initializer_range,
            dtype=policy,
            name="prediction",
        )

        # === Functional model ===
        words = keras.Input((None,), dtype="int32", name="words")
        ids = append(words)
        states = stack(embedding(ids))
        encoder = keras.Model(
            words,
            {"mask": ops.not_equal(ids, 0), "states": states},
            name="encoder",
        )
        super().__init__(words, prediction([drop(states), ids]))
        if classes is not None:
            prediction.classes.assign(classes)

        # === Config ===
        self.class_count = prediction.class_count
        self.embedding = embedding
        self.stack = stack
        self.prediction = prediction
        self.encoder = encoder
        # On TensorFlow, XLA would compile again for nearly every batch shape.
        self.supports_jit = keras.backend.backend() != "tensorflow"

    def compute_loss(
        self,
        x: Any = None,
        y: Any = None,
        y_pred: Any = None,
        sample_weight: Any = None,
        training: bool = True,
    ) -> Any:
        """Computes the loss of a batch; `fit` and `evaluate` call it.

        Args:
            x: the word ids `(batch_size, length)`.
            y: ignored, as there are no labels.
            y_pred: the output of the model, `(batch_size, length, 2)`.
            sample_weight: ignored.
            training: ignored.

        Returns:
            Float scalar.
        """
        if self.loss_per == "sentence":
            count = ops.shape(y_pred)[0]
        else:
            words = ops.cast(ops.not_equal(x, 0), y_pred.dtype)
            count = ops.maximum(ops.sum(words), 1)
        return ops.sum(y_pred) / ops.cast(count, y_pred.dtype)

    @property
    def core_parameters(self) -> int:
        """Number of trainable parameters without embedding and softmax."""
        return self.stack.count_params()

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments, without the arrays."""
        return {**super().get_config(), "layers": self.stack.num_layers}


def _checked(classes: Any, size: int, class_count: int | None) -> np.ndarray:
    """Returns the classes as int32, after checks."""
    classes = np.asarray(classes)
    if classes.shape != (size,) or classes.dtype.kind not in "iu":
        raise ValueError(
            "`classes` must be integers of the shape (vocabulary_size + 1,) = "
            f"{(size,)}. Received: classes of the dtype {classes.dtype} and "
            f"the shape {classes.shape}"
        )
    lowest, highest = int(classes.min()), int(classes.max())
    if lowest < 0 or (class_count is not None and highest >= class_count):
        raise ValueError(
            "`classes` must be at least 0 and below `class_count`. Received: "
            f"classes from {lowest} to {highest}, class_count={class_count!r}"
        )
    return classes.astype(np.int32)
