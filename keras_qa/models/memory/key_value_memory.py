"""A key-value memory network whose memory is the answer."""

from typing import Any

import keras
import numpy as np

from keras_qa.arguments import check_choice
from keras_qa.arguments import check_positive
from keras_qa.initializers import fresh
from keras_qa.layers.bag_of_words import BagOfWords
from keras_qa.layers.softmax_pooling import SoftmaxPooling
from keras_qa.layers.window_sums import WindowSums
from keras_qa.models.building import full_policy
from keras_qa.models.building import l2_regularizers
from keras_qa.models.building import text_inputs
from keras_qa.models.building import word_vectors
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.word_model import WordModel

VALUES = ("center", "window")


@keras.saving.register_keras_serializable(package="keras_qa")
class KeyValueMemory(WordModel):
    """A key-value memory network, KV-MemNN, as a ranker of answers.

    1. The memory has a slot for each word of the answer. Its key k_i is the bag
       of words of the window around this word, and its value v_i the word, or
       the window, too.
    2. The query q_1 is the question's bag of words. A hop weighs the slots by
       their keys, reads their values and updates the query:

        p_i = softmax_i(q_h . k_i)
        q_{h+1} = R_h (q_h + sum over i of p_i v_i)

    3. The score is the product of the last query with the answer's bag of
       words: q_{H+1} . y.

    One embedding serves for A and B, all bags of words. In the paper the memory
    has windows of all sentences of the article that share a word with the
    question (key hashing), and the answer only takes part in step 3; a model of
    pairs knows no other text. The softmax over the candidates is the loss,
    `ListwiseSoftmax`.

    With m = `embedding_dim` and H = `hops`, the model has H m^2 parameters
    without the embedding: 180,000 at the defaults.

    Id 0 is padding and changes nothing. Texts may have any length; a pair with
    an answer without words scores 0. Under mixed precision word vectors are
    rounded to half precision, and all else is computed in float32.

    Args:
        vocabulary_size: number of word ids, with padding (0) and the unknown
            word (1).
        embedding_dim: size of the word vectors.
        hops: number H of reads of the memory.
        kernel_size: number of words in a window.
        values: what a slot's value is: `"center"`, the word in the window's
            middle, or `"window"`.
        kernel_initializer: initialiser of the matrices R. By the identity, an
            untrained model compares the words themselves. Chosen here.
        embeddings: array `(vocabulary_size, embedding_dim)` to start the
            embedding with; uniform in (-.25, .25) without it. It is not part
            of the configuration but a weight, which is saved.
        trainable_embeddings: whether training changes the embedding.
        dropout: share of the word vectors' elements dropped in training.
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
        >>> model = KeyValueMemory(vocabulary_size=100)
        >>> pair = {"question": np.array([[5, 7]]), "answer": np.array([[9]])}
        >>> model(pair).shape
        (1, 1)

    Reference: Miller et al., 2016, "Key-Value Memory Networks for Directly
    Reading Documents", sections 3.1 and 3.2. The numbers of its equations are
    not at hand.
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 300,
        *,
        hops: int = 2,
        kernel_size: int = 7,
        values: str = "center",
        kernel_initializer: Any = "identity",
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = False,
        dropout: float = 0.0,
        l2: float = 0.0,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        check_positive(hops=hops)
        check_choice("values", values, VALUES)
        policy = full_policy(dtype)
        # Sums of words and their products stay in float32.
        precise = policy.variable_dtype
        initializer = keras.initializers.get(kernel_initializer)

        # === Layers ===
        embedding = word_vectors(self.arguments)
        drop = keras.layers.Dropout(dropout, dtype=policy, name="word_dropout")
        bag = BagOfWords("sum", dtype=precise, name="bag")
        windows = WindowSums(kernel_size, dtype=precise, name="windows")
        address = keras.layers.Dot((1, 2), dtype=precise, name="address")
        read = SoftmaxPooling(dtype=precise, name="read")
        add = keras.layers.Add(dtype=precise, name="add")
        updates = [
            keras.layers.Dense(
                embedding_dim,
                use_bias=False,
                # One initialiser gives all matrices the same values.
                kernel_initializer=fresh(initializer),
                **l2_regularizers(l2, "kernel"),
                dtype=precise,
                name=f"update_{hop}",
            )
            for hop in range(1, hops + 1)
        ]
        score = keras.layers.Dot(1, dtype=precise, name="score")

        # === Functional model ===
        texts = text_inputs()
        asked, answered = (drop(embedding(ids)) for ids in texts.values())
        keys = windows(answered)
        stored = answered if values == "center" else keys
        query = bag(asked)
        for update in updates:
            found = read([stored, address([query, keys])])
            query = update(add([query, found]))
        super().__init__(texts, score([query, bag(answered)]))

        # === Config ===
        self.kernel_initializer = initializer
        self.embedding = embedding
