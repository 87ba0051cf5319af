"""A BERT that reads question and answer together."""

from typing import Any

import keras

from keras_qa.arguments import check_choice
from keras_qa.layers.bag_of_words import BagOfWords
from keras_qa.layers.state_matches import StateMatches
from keras_qa.models.building import full_policy
from keras_qa.models.building import text_inputs
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.transformers.bert_backbone import BertRanker
from keras_qa.models.transformers.bert_backbone import BertReader

POOLINGS = ("cls", "mean")
# The deviation of new weights in BERT's own training.
START = 0.02
MATCH = 5.0


@keras.saving.register_keras_serializable(package="keras_qa")
class CrossEncoder(BertRanker):
    """Scores a pair by a BERT that reads `[CLS] question [SEP] answer [SEP]`.

    The score is linear in the last state of [CLS], or in the mean of all
    states. Its weights are new and have to be trained; those of the BERT come
    from `from_bert`. With `matching`, the score is in addition linear in the
    three features of `StateMatches`, whose weights start at 5: it ranks
    before it is trained if the BERT is one of sentences, as MiniLM is, and
    needs far fewer questions than [CLS] alone, whose state says nothing about
    matches at the start.

    The inputs are word pieces, by a reading with the tokeniser and the
    vocabulary that `piece_vocabulary` returns, and without [CLS] and [SEP].
    Pairs of more than `max_sequence_length` tokens lose the end of the answer.
    Under mixed precision the score is float32.

    Args:
        vocabulary_size: number of word ids, with padding (0) and the unknown
            piece (1).
        num_layers: number of transformer layers.
        num_heads: number of attention heads of each layer.
        hidden_dim: size of the states.
        intermediate_dim: size between the two dense layers of each layer.
        max_sequence_length: number of positions.
        cls_id: id of [CLS].
        sep_id: id of [SEP].
        pooling: `"cls"` or `"mean"`.
        matching: whether the features of `StateMatches` are scored, too.
        dropout: share of the states dropped in training, in the BERT and
            before the score.
        frozen_layers: number of first layers that are not trained, nor the
            embeddings; 0 trains everything.
        dtype: dtype policy; the global one by default.
        name: name of the model.
        trainable: whether the model is trainable.

    Call arguments:
        inputs: dict of int tensors `"question"` `(batch_size,
            question_length)` and `"answer"` `(batch_size, answer_length)`.

    Output:
        Float tensor `(batch_size, 1)`, higher is better: log-odds, if trained
        as such.

    Raises:
        ImportError: if keras-hub is not installed.
        ValueError: if an argument is out of range.

    Example:
        >>> read = piece_vocabulary("minilm")
        >>> model = CrossEncoder.from_bert("minilm")
        >>> reading = TextReading(read.vocabulary, read.tokenizer)
        >>> Ranker(model, reading).rank("who wrote emma", ["Jane Austen."])

    Reference: Nogueira and Cho, 2019, "Passage Re-ranking with BERT", section
    2; Devlin et al., 2019, "BERT: Pre-training of Deep Bidirectional
    Transformers for Language Understanding".
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
        pooling: str = "cls",
        matching: bool = False,
        dropout: float = 0.1,
        frozen_layers: int = 0,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        check_choice("pooling", pooling, POOLINGS)
        precise = full_policy(dtype).variable_dtype

        # === Layers ===
        reader = BertReader(self.arguments)
        mean = BagOfWords("mean", dtype=precise, name="mean")
        drop = keras.layers.Dropout(dropout, dtype=precise, name="dropout")
        score = keras.layers.Dense(
            1,
            kernel_initializer=keras.initializers.RandomNormal(stddev=START),
            dtype=precise,
            name="score",
        )

        # === Functional model ===
        texts = text_inputs()
        states, mask, own = reader.pair(texts["question"], texts["answer"])
        pooled = states[:, 0]
        if pooling == "mean":
            pooled = mean(states, mask=mask)
        scores = score(drop(pooled))
        if matching:
            matches = StateMatches(dtype=precise, name="matches")
            match_score = keras.layers.Dense(
                1,
                use_bias=False,
                kernel_initializer=keras.initializers.Constant(MATCH),
                dtype=precise,
                name="match_score",
            )
            scores = scores + match_score(matches([states, *own]))
        super().__init__(texts, scores, reader)
