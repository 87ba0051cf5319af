"""MRNN: a distance of two texts from n-gram blocks and duplex attention."""

from collections.abc import Sequence
from typing import Any

import keras
import numpy as np
from keras import ops

from keras_qa.arguments import check_positive
from keras_qa.layers.bag_of_words import BagOfWords
from keras_qa.layers.duplex_attention import DuplexAttention
from keras_qa.layers.ngram_dense_block import NGramDenseBlock
from keras_qa.layers.sentence_distance import SentenceDistance
from keras_qa.models.building import full_policy
from keras_qa.models.building import word_embedding
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.word_model import WordModel
from keras_qa.text.sides import SIDES


@keras.saving.register_keras_serializable(package="keras_qa")
class MRNN(WordModel):
    """Scores a pair by a distance of two texts at several resolutions.

    1. `NGramDenseBlock` computes feature maps of both texts, for words and for
       n-grams of growing length (equations 1 to 3).
    2. `DuplexAttention` weighs the maps at each position, computes for each
       position of the question a weighted mean of the answer's vectors, and
       sums the distances of these means from the question's vectors
       (equations 4 to 12).
    3. The score is minus this distance.

    The paper trains it with a triplet loss on distances. `pair_distances`
    computes the distances of all questions from all documents of a batch.

    `question_encoder` and `answer_encoder` compute the part that does not
    depend on the other text, up to equation 8: a dict of `"vectors"`
    `(batch_size, length, filters)` and of `"mask"` `(batch_size, length)`, with
    `sentence_term` also of `"sentence"` `(batch_size, embedding_dim)`.
    `head` scores pairs of such dicts, and `encoded_distances` compares all
    questions with all answers. `attention` and `attention_maps` are models with
    the same inputs. `attention` returns a dict of `"answer"` `(batch_size,
    answer_length)`, the mean over the question's words of the weights of
    equation 10. `attention_maps` returns all weights, those of Figure 5, a dict
    of `"question_blocks"` and `"answer_blocks"` `(batch_size, length, blocks)`
    (equation 7) and `"positions"` `(batch_size, question_length,
    answer_length)` (equation 10).

    Id 0 is padding, must follow the words and changes nothing. Texts may have
    any length; an answer's words beyond `max_document_length` only affect the
    n-grams of earlier words. Under mixed precision weights, outputs of the
    encoders, and scores are float32.

    With w = `embedding_dim`, s = `filters`, N = `blocks` and k =
    `kernel_size`, the shared n-gram blocks have

        ws + k s^2 N (N - 1) / 2 + (3s + 1) N

    parameters, 19,193,860 at N = 4, s = 1024, w = 300 and k = 3. The softmax
    blocks without hidden layers have (N + 2) N and (L + 2) L, with L =
    `max_document_length`.

    Args:
        vocabulary_size: number of word ids, with padding (0) and the unknown
            word (1); `None` for a model that takes word vectors, such as those
            of BERT.
        embedding_dim: size w of the word vectors.
        filters: size s of the feature vectors.
        blocks: number N of blocks: 4 for WikiQA and TrecQA, 6 for SQuAD and
            QUASAR-T in the paper.
        kernel_size: number of words that the convolutions read from block 2
            on.
        max_document_length: see `DuplexAttention`.
        pool_size: see `NGramDenseBlock`.
        pooling: see `NGramDenseBlock`.
        momentum: see `NGramDenseBlock`.
        batch_normalization: see `NGramDenseBlock`.
        later_scale: see `NGramDenseBlock`.
        hidden_units: see `DuplexAttention`.
        n_gram_attention: see `DuplexAttention`.
        query_attention: see `DuplexAttention`.
        without_n_gram_attention: see `DuplexAttention`.
        share_blocks: whether both texts use the same n-gram blocks. The paper
            does not say. If so, training normalises questions and answers
            separately, and inference uses moving averages over both.
        share_attention: `share_sides` of `DuplexAttention`.
        alpha: initial slope of PReLU.
        block_initializer: see `DuplexAttention`.
        position_initializer: see `DuplexAttention`.
        sentence_term: initial weight w of a further term of the distance,
            w (1 - cos(q, a)) of the sums of both texts' word vectors, in which
            long vectors count for more (`SentenceDistance`); None leaves the
            term out, as the paper does.
        dropout: share of the word vectors' elements dropped in training. The
            paper has none.
        embeddings: array `(vocabulary_size, embedding_dim)` to start the
            embedding with; uniform in (-.25, .25) without it. It is not part
            of the configuration but a weight, which is saved.
        trainable_embeddings: whether training changes the embedding. The
            paper does not say.
        dtype: dtype policy; the global one by default.
        name: name of the model.
        trainable: whether the model is trainable.

    Call arguments:
        inputs: dict of int tensors `"question"` `(batch_size,
            question_length)` and `"answer"` `(batch_size, answer_length)`;
            with `vocabulary_size=None`, of float tensors `(batch_size, length,
            embedding_dim)`, in which vectors of zeros are padding.

    Output:
        Float tensor `(batch_size, 1)`, at most 0, higher is better. A question
        without words scores 0 with every answer, -w with `sentence_term`.

    Raises:
        ValueError: if an argument is out of range, or `embeddings` has
            another shape, values that are not finite, or no `vocabulary_size`.

    Example:
        >>> model = MRNN(vocabulary_size=100, filters=32)
        >>> question, answers = np.array([[5, 7]]), np.array([[9], [5]])
        >>> model({"question": question, "answer": answers[:1]}).shape
        (1, 1)
        >>> model.pair_distances(question, answers).shape
        (1, 2)

    Reference: MRNN (Cakaloglu et al., 2023, "MRNN: A Multi-Resolution Neural
    Network with Duplex Attention for Deep Ad-Hoc Retrieval"), section 3.
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int | None,
        embedding_dim: int = 300,
        filters: int = 1024,
        blocks: int = 4,
        kernel_size: int = 3,
        max_document_length: int = 256,
        *,
        pool_size: int = 2,
        pooling: str | None = "max",
        momentum: float = 0.99,
        batch_normalization: bool = True,
        later_scale: float = 1.0,
        hidden_units: Sequence[int] = (),
        n_gram_attention: bool = True,
        query_attention: bool = True,
        without_n_gram_attention: str = "mean",
        share_blocks: bool = True,
        share_attention: bool = True,
        alpha: float = 0.25,
        block_initializer: Any = "glorot_uniform",
        position_initializer: Any = "identity",
        sentence_term: float | None = None,
        dropout: float = 0.0,
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = False,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        check_positive(embedding_dim=embedding_dim)
        policy = full_policy(dtype)

        # === Layers ===
        embedding = None
        if vocabulary_size is not None:
            embedding = word_embedding(
                vocabulary_size,
                embedding_dim,
                embeddings,
                trainable_embeddings,
                dtype=policy,
            )
        elif embeddings is not None:
            raise ValueError(
                "`embeddings` must be None for a model of word vectors. "
                "Received: vocabulary_size=None, embeddings.shape="
                f"{np.shape(embeddings)}"
            )
        drop = keras.layers.Dropout(dropout, dtype=policy, name="dropout")
        feature_maps = [
            NGramDenseBlock(
                filters,
                blocks,
                kernel_size,
                pool_size,
                pooling,
                momentum,
                alpha,
                batch_normalization=batch_normalization,
                later_scale=later_scale,
                dtype=policy,
                name=name,
            )
            for name in ("blocks", "answer_blocks")[: 1 if share_blocks else 2]
        ]
        duplex = DuplexAttention(
            max_document_length,
            hidden_units,
            n_gram_attention,
            query_attention,
            without_n_gram_attention,
            share_attention,
            alpha,
            block_initializer,
            position_initializer,
            dtype=policy,
            name="duplex",
        )
        duplex.build([(None, blocks, None, filters)] * 2)
        # Sums and what is added to the distance stay in float32 under mixed
        # precision.
        add_up = BagOfWords("sum", dtype=policy.variable_dtype, name="sentence")
        sentence_distance = (
            None
            if sentence_term is None
            else SentenceDistance(
                sentence_term,
                dtype=policy.variable_dtype,
                name="sentence_distance",
            )
        )

        # === Functional models ===
        encoders, weighers = {}, {}
        for side in SIDES:
            words, vectors, mask = _words(embedding, embedding_dim, policy)
            maps = feature_maps[0 if side == "question" else -1](
                drop(vectors), mask=mask
            )
            contextual, weights = duplex.contextualize(maps, mask, side, True)
            # Sorted by name, the order in which Keras returns them: on PyTorch
            # the head takes nested inputs by position.
            encoded_text = {"mask": mask, "vectors": contextual}
            if sentence_distance is not None:
                sentence = add_up(vectors, mask=mask)
                encoded_text = {
                    "mask": mask,
                    "sentence": sentence,
                    "vectors": contextual,
                }
            encoders[side] = keras.Model(
                words,
                encoded_text,
                name=f"{side}_encoder",
            )
            weighers[side] = keras.Model(
                words, weights, name=f"{side}_block_weights"
            )

        encoded = {
            side: {
                name: keras.Input(
                    x.shape[1:], dtype=x.dtype, name=f"{side}_{name}"
                )
                for name, x in encoder.output.items()
            }
            for side, encoder in encoders.items()
        }
        distance, positions = _compared(duplex, encoded)
        if sentence_distance is not None:
            distance = distance + sentence_distance(
                [encoded[side]["sentence"] for side in SIDES]
            )
        head = keras.Model(encoded, -distance, name="head")

        texts = {
            side: keras.Input(
                encoder.input.shape[1:], dtype=encoder.input.dtype, name=side
            )
            for side, encoder in encoders.items()
        }
        read = {side: encoders[side](x) for side, x in texts.items()}
        super().__init__(texts, head(read))

        # === Config ===
        _, positions = _compared(duplex, read)
        asked = ops.cast(read["question"]["mask"], positions.dtype)
        count = ops.maximum(ops.sum(asked, axis=1, keepdims=True), 1)
        self.attention = keras.Model(
            texts,
            {"answer": ops.sum(positions, axis=1) / count},
            name="attention",
        )
        self.attention_maps = keras.Model(
            texts,
            {
                **{f"{s}_blocks": weighers[s](x) for s, x in texts.items()},
                "positions": positions,
            },
            name="attention_maps",
        )
        self.question_encoder = encoders["question"]
        self.answer_encoder = encoders["answer"]
        self.head = head
        self.embedding = embedding
        self.duplex = duplex
        self.sentence_distance = sentence_distance
        self.hidden_units = tuple(hidden_units)
        self.block_initializer = duplex.block_initializer
        self.position_initializer = duplex.position_initializer

    def start_principal(self, vectors: np.ndarray) -> None:
        """Starts the first block with principal directions of word vectors.

        Its kernel becomes orthonormal: with `batch_normalization=False` and
        `alpha=1` the first block then keeps, of all linear maps to `filters`
        numbers, the most of the vectors' differences.

        Args:
            vectors: word vectors `(n, embedding_dim)`, such as those of the
                words, or of the running words, of the training texts.

        Raises:
            ValueError: if `filters` exceeds `embedding_dim`, or there are no
                vectors.
        """
        from keras_qa.embeddings.components import PrincipalComponents

        if self.filters > self.embedding_dim:
            raise ValueError(
                "`filters` must not exceed `embedding_dim`, the number of "
                f"principal directions. Received: filters={self.filters}, "
                f"embedding_dim={self.embedding_dim}"
            )
        found = PrincipalComponents.fit(vectors, self.filters)
        for side in SIDES[: 1 if self.share_blocks else 2]:
            encoder = getattr(self, f"{side}_encoder")
            name = "blocks" if side == "question" else "answer_blocks"
            kernel = encoder.get_layer(name).stack[0].kernel
            # The first convolution sees one word.
            kernel.assign(found.directions[np.newaxis])

    def pair_distances(
        self, question: Any, answer: Any, training: bool | None = None
    ) -> Any:
        """Computes distances of all questions from all answers.

        Args:
            question: int tensor `(questions, question_length)` of word ids,
                or float tensor of word vectors.
            answer: the answers in the same form, `(answers, answer_length)`.
            training: whether the model is in training.

        Returns:
            Float tensor `(questions, answers)`, at least 0, lower is better.
            For the memory that it takes see `QueryAttention.pair_distances`.
        """
        return self.encoded_distances(
            self.question_encoder(question, training=training),
            self.answer_encoder(answer, training=training),
        )

    def encoded_distances(
        self, question: dict[str, Any], answer: dict[str, Any]
    ) -> Any:
        """Computes distances of all encoded questions from all encoded answers.

        Args:
            question: the output of `question_encoder`.
            answer: the output of `answer_encoder`, for any number of answers.

        Returns:
            Float tensor `(questions, answers)`.
        """
        distances = self.duplex.pair_distances(
            question["vectors"],
            answer["vectors"],
            question["mask"],
            answer["mask"],
        )
        if self.sentence_distance is not None:
            distances = distances + self.sentence_distance.pair_distances(
                question["sentence"], answer["sentence"]
            )
        return distances


def _words(
    embedding: keras.layers.Layer | None, dim: int, policy: Any
) -> tuple[Any, Any, Any]:
    """Returns an encoder's input, and its word vectors and mask."""
    if embedding is None:
        vectors = keras.Input(
            (None, dim), dtype=policy.variable_dtype, name="words"
        )
        return vectors, vectors, ops.any(ops.not_equal(vectors, 0), axis=-1)
    ids = keras.Input((None,), dtype="int32", name="words")
    return ids, embedding(ids), ops.not_equal(ids, 0)


def _compared(duplex: DuplexAttention, encoded: dict[str, Any]) -> Any:
    """Returns distances and weights of equation 10 of encoded pairs."""
    question, answer = (encoded[side] for side in SIDES)
    return duplex.distance(
        question["vectors"],
        answer["vectors"],
        question["mask"],
        answer["mask"],
        return_attention_scores=True,
    )
