"""A BERT that reads question and answer one by one, compared token by token."""

from typing import Any

import keras

from keras_qa.arguments import check_choice
from keras_qa.arguments import check_positive
from keras_qa.layers.max_similarity import REDUCTIONS
from keras_qa.layers.max_similarity import MaxSimilarity
from keras_qa.models.building import full_policy
from keras_qa.models.building import text_inputs
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.encoders import word_projection
from keras_qa.models.transformers.bert_backbone import BertRanker
from keras_qa.models.transformers.bert_backbone import BertReader
from keras_qa.models.transformers.bert_backbone import scaled_score
from keras_qa.text.sides import SIDES


@keras.saving.register_keras_serializable(package="keras_qa")
class LateInteraction(BertRanker):
    """Scores a pair by the best match of each question token in the answer.

    A text is read as `[CLS] text [SEP]`. Each of its tokens, these two too, has
    the unit vector of its last state, projected if `projection_dim` is given,
    and with `MaxSimilarity` the score is

        w sum_i max_j <q_i, a_j> + b    (equation 3)

    where `w` starts at `scale` and `b` at 0. The vectors of a text do not
    depend on the other text: `question_encoder` and `answer_encoder` compute
    them, a dict of `"vectors"` `(batch_size, tokens, dim)` and `"mask"`, and
    `head` scores those of a pair, so that `keras-qa index` supports the model.

    ColBERT's question is padded with [MASK] to a fixed length, its texts begin
    with a marker of their side, and its answers lose their punctuation; here
    they do not.

    Args, call arguments and output are those of `CrossEncoder`, without
    `pooling`, and with

    Args:
        projection_dim: size of the projected vectors (128 in the paper); None
            compares the states themselves, which needs no training.
        reduce: `"sum"` over the question's tokens (the paper) or `"mean"`.
        scale: initial value of `w`, positive.

    Reference: Khattab and Zaharia, 2020, "ColBERT: Efficient and Effective
    Passage Search via Contextualized Late Interaction over BERT", section 3.
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
        projection_dim: int | None = None,
        reduce: str = "sum",
        scale: float = 1.0,
        dropout: float = 0.1,
        frozen_layers: int = 0,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        check_choice("reduce", reduce, REDUCTIONS)
        if projection_dim is not None:
            check_positive(projection_dim=projection_dim)
        policy = full_policy(dtype)
        precise = policy.variable_dtype

        # === Layers ===
        reader = BertReader(self.arguments)
        project = None
        if projection_dim is not None:
            project = word_projection(projection_dim, 0.0, policy)
        units = keras.layers.UnitNormalization(dtype=precise, name="units")
        best = MaxSimilarity(reduce, dtype=precise, name="max_similarity")
        score = scaled_score(scale, precise)

        # === Functional model ===
        def encode(states: Any, mask: Any) -> dict[str, Any]:
            vectors = states if project is None else project(states)
            # Sorted by name, as in `EncodedTextRanker`.
            return {"mask": mask, "vectors": units(vectors)}

        encoder = reader.encoder("encoder", encode)
        shape = (None, projection_dim or hidden_dim)
        encoded = {
            side: {
                "mask": keras.Input((None,), dtype="bool", name=f"{side}_mask"),
                "vectors": keras.Input(
                    shape, dtype=precise, name=f"{side}_vectors"
                ),
            }
            for side in SIDES
        }
        similarity = best(
            [encoded[side]["vectors"] for side in SIDES],
            mask=[encoded[side]["mask"] for side in SIDES],
        )
        head = keras.Model(encoded, score(similarity), name="head")
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
