"""The base of rankers with a BERT: the network, its weights and its frame."""

from collections.abc import Callable
from typing import Any
from typing import Self

import keras
from keras import ops

from keras_qa.arguments import check_above_zero
from keras_qa.arguments import check_positive
from keras_qa.embeddings.bert.network import Bert
from keras_qa.embeddings.bert.network import keras_hub_package
from keras_qa.embeddings.bert.piece_vocabulary import piece_vocabulary
from keras_qa.embeddings.bert.source import MINILM
from keras_qa.embeddings.formats.vector_files import PathLike
from keras_qa.errors import VectorsError
from keras_qa.layers.packed_texts import PackedTexts
from keras_qa.models.building import full_policy
from keras_qa.models.configured import ConfiguredModel

# Layers below the first of the transformer's.
_EMBEDDINGS = (
    *("token_embedding", "position_embedding", "segment_embedding"),
    "embeddings_layer_norm",
)
# The arguments of a BERT's size, by their names in keras-hub and here.
SIZES = (
    *("num_layers", "num_heads", "hidden_dim", "intermediate_dim"),
    "max_sequence_length",
)


class BertRanker(ConfiguredModel):
    """The base of the rankers with a BERT.

    A subclass makes the layers with `BertReader(self.arguments)` and passes
    its graph to this class.

    Args:
        inputs: symbolic inputs of the graph.
        outputs: symbolic outputs of the graph.
        reader: what the graph's texts are read with.

    Attributes:
        bert: the network, a `keras.Model` from `"token_ids"`, `"segment_ids"`
            and `"padding_mask"` to states.
    """

    not_kept = ()

    def __init__(self, inputs: Any, outputs: Any, reader: "BertReader"):
        super().__init__(inputs, outputs)
        self.bert = reader.bert
        # After the model's own `trainable`, which all layers take over.
        freeze(reader.bert, self.arguments.frozen_layers)

    @classmethod
    def from_bert(
        cls, source: PathLike | Bert = MINILM, **arguments: Any
    ) -> Self:
        """A model with the weights of a BERT.

        Its texts are read with what `piece_vocabulary` of the same source
        returns.

        Args:
            source: a BERT, or its name or directory; see
                `keras_qa.embeddings.bert.source.find_bert`.
            **arguments: arguments of the model other than the sizes. A smaller
                `max_sequence_length` than BERT's cuts its positions.

        Raises:
            ImportError: if keras-hub, or the package of `"minilm"`, is not
                installed.
            keras_qa.errors.VectorsError: if there is no BERT, or it has fewer
                positions than asked for.

        Example:
            >>> model = SentenceEncoder.from_bert("minilm")
        """
        bert = source if isinstance(source, Bert) else Bert(source)
        read, network = piece_vocabulary(bert), bert.backbone
        sizes = {name: getattr(network, name) for name in SIZES}
        # A subclass has these arguments.
        make: Any = cls
        model: Self = make(
            vocabulary_size=len(read.vocabulary),
            cls_id=read.cls_id,
            sep_id=read.sep_id,
            **{**sizes, **arguments},
        )
        model._take_weights(bert, read.bert_ids)
        return model

    def _take_weights(self, bert: Bert, bert_ids: Any) -> None:
        """Copies the weights of a BERT, with its pieces in another order."""
        for layer in self.bert.layers:
            if not layer.weights:
                continue
            values = bert.backbone.get_layer(layer.name).get_weights()
            if layer.name == "token_embedding":
                values[0] = values[0][bert_ids]
            elif layer.name == "position_embedding":
                values[0] = values[0][: self.max_sequence_length]
                if len(values[0]) < self.max_sequence_length:
                    raise VectorsError(
                        f"{bert.source}: expected at least "
                        f"max_sequence_length={self.max_sequence_length} "
                        f"positions. Received: {len(values[0])}"
                    )
            layer.set_weights(values)


class BertReader:
    """The layers that read texts: [CLS] and [SEP] around them, and a BERT.

    Args:
        given: the arguments of a `BertRanker`.

    Attributes:
        bert: the network.
        frame: the layer that packs texts.

    Raises:
        ImportError: if keras-hub is not installed.
        ValueError: if an argument is out of range.
    """

    def __init__(self, given: Any):
        sizes = {name: getattr(given, name) for name in SIZES}
        check_positive(
            vocabulary_size=given.vocabulary_size,
            **sizes,
            cls_id=given.cls_id,
            sep_id=given.sep_id,
        )
        for name in ("cls_id", "sep_id"):
            if getattr(given, name) >= given.vocabulary_size:
                raise ValueError(
                    f"`{name}` must be below `vocabulary_size`. Received: "
                    f"{name}={getattr(given, name)}, "
                    f"vocabulary_size={given.vocabulary_size}"
                )
        if not 0 <= given.frozen_layers <= given.num_layers:
            raise ValueError(
                "`frozen_layers` must be from 0 to `num_layers`. Received: "
                f"frozen_layers={given.frozen_layers}, "
                f"num_layers={given.num_layers}"
            )
        policy = full_policy(given.dtype)
        backbone = keras_hub_package().models.BertBackbone(
            vocabulary_size=given.vocabulary_size,
            dropout=given.dropout,
            dtype=policy,
            **sizes,
        )
        # Without the pooler, whose weights no score would use.
        self.bert = keras.Model(
            backbone.input, backbone.output["sequence_output"], name="bert"
        )
        self.frame = PackedTexts(
            given.cls_id, given.sep_id, given.max_sequence_length, name="frame"
        )

    def __call__(self, texts: Any) -> tuple[Any, Any]:
        """Reads one text, or two as a pair.

        Args:
            texts: symbolic ids `(batch_size, length)`, or a list of them.

        Returns:
            The states of all tokens `(batch_size, packed_length, hidden_dim)`
            and their mask, bool `(batch_size, packed_length)`.
        """
        return self._read(self.frame(texts))

    def pair(self, question: Any, answer: Any) -> tuple[Any, Any, list[Any]]:
        """Reads two texts together.

        Args:
            question: symbolic ids `(batch_size, question_length)`.
            answer: symbolic ids `(batch_size, answer_length)`.

        Returns:
            What calling this object returns, and the masks, bool `(batch_size,
            packed_length)`, of the question's and the answer's own tokens.
        """
        packed = self.frame([question, answer])
        states, mask = self._read(packed)
        ids, segments = packed["token_ids"], packed["segment_ids"]
        own = mask
        for special in (self.frame.cls_id, self.frame.sep_id):
            own = ops.logical_and(own, ops.not_equal(ids, special))
        sides = [
            ops.logical_and(own, ops.equal(segments, side)) for side in (0, 1)
        ]
        return states, mask, sides

    def _read(self, packed: Any) -> tuple[Any, Any]:
        return self.bert(packed), ops.not_equal(packed["padding_mask"], 0)

    def encoder(
        self, name: str, encode: Callable[[Any, Any], Any]
    ) -> keras.Model:
        """A model of one text, by a function of its states and mask."""
        ids = keras.Input((None,), dtype="int32", name="words")
        return keras.Model(ids, encode(*self(ids)), name=name)


def freeze(bert: keras.Model, layers: int) -> None:
    """Excludes the embeddings and the first layers of a BERT from training.

    Args:
        bert: the network of a `BertReader`.
        layers: number of layers; 0 trains everything.
    """
    if not layers:
        return
    names = [f"transformer_layer_{i}" for i in range(layers)]
    for name in (*_EMBEDDINGS, *names):
        bert.get_layer(name).trainable = False


def scaled_score(scale: float, dtype: str) -> keras.layers.Dense:
    """The layer `w x + b` from a similarity to the score.

    Args:
        scale: initial value of `w`; `b` starts at 0.
        dtype: dtype of the score.

    Returns:
        A layer with the name `"score"`.

    Raises:
        ValueError: if `scale` is not positive.
    """
    check_above_zero(scale=scale)
    return keras.layers.Dense(
        1,
        kernel_initializer=keras.initializers.Constant(scale),
        dtype=dtype,
        name="score",
    )
