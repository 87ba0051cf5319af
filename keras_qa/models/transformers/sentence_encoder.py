"""A BERT that reads question and answer one by one, compared by the cosine."""

from typing import Any

import keras

from keras_qa.layers.bag_of_words import BagOfWords
from keras_qa.layers.cosine_similarity import CosineSimilarity
from keras_qa.models.building import full_policy
from keras_qa.models.building import text_inputs
from keras_qa.models.building import vector_inputs
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.transformers.bert_backbone import BertRanker
from keras_qa.models.transformers.bert_backbone import BertReader
from keras_qa.models.transformers.bert_backbone import scaled_score


@keras.saving.register_keras_serializable(package="keras_qa")
class SentenceEncoder(BertRanker):
    """Scores a pair by the cosine of two texts, each the mean of BERT's states.

    A text is read as `[CLS] text [SEP]`, and its vector is the mean of the last
    states of all its tokens, these two too. The score is `w cos(q, a) + b`,
    where `w` starts at `scale` and `b` at 0: with the weights of a BERT that
    was trained for it, such as all-MiniLM-L6-v2, the model ranks without any
    training. A text's vector does not depend on the other text:
    `question_encoder` and `answer_encoder` compute it, and `head` scores the
    vectors of a pair, so that `keras-qa index` supports the model.

    Args, call arguments and output are those of `CrossEncoder`, without
    `pooling`, and with

    Args:
        scale: initial value of `w`, positive: the inverse of the temperature
            of a softmax over cosines.

    Reference: Reimers and Gurevych, 2019, "Sentence-BERT: Sentence Embeddings
    using Siamese BERT-Networks", section 3.
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        num_layers: int = 6,
        num_heads: int = 12,
        hidden_dim: int = 384,
        intermediate_dim: int = 1536,
        max_sequence_length: int = 512,
        *,
        cls_id: int = 101,
        sep_id: int = 102,
        scale: float = 20.0,
        dropout: float = 0.1,
        frozen_layers: int = 0,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        precise = full_policy(dtype).variable_dtype

        # === Layers ===
        reader = BertReader(self.arguments)
        mean = BagOfWords("mean", dtype=precise, name="mean")
        cosine = CosineSimilarity(dtype=precise, name="cosine")
        score = scaled_score(scale, precise)

        # === Functional model ===
        encoder = reader.encoder(
            "encoder", lambda states, mask: mean(states, mask=mask)
        )
        vectors = vector_inputs(hidden_dim, precise)
        pair = [vectors["question"], vectors["answer"]]
        head = keras.Model(vectors, score(cosine(pair)), name="head")
        texts = text_inputs()
        super().__init__(
            texts,
            head({side: encoder(ids) for side, ids in texts.items()}),
            reader,
        )

        # === Config ===
        self.question_encoder = encoder
        self.answer_encoder = encoder
        self.head = head
