"""Texts between BERT's tokens [CLS] and [SEP], in one sequence."""

from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_positive
from keras_qa.layers.base_layer import ConfiguredLayer
from keras_qa.text.vocabulary import PADDING_ID


@keras.saving.register_keras_serializable(package="keras_qa")
class PackedTexts(ConfiguredLayer):
    """Puts one or two texts into the sequence that a BERT reads.

        [CLS] text [SEP]
        [CLS] first text [SEP] second text [SEP]

    without the padding between them, so that positions are those of the
    tokens. The segment of a second text and of its [SEP] is 1, all others are
    0. Where the sequence would be longer than `max_length`, the second text is
    cut, and the first if it alone is too long.

    Args:
        cls_id: id of the token [CLS].
        sep_id: id of the token [SEP].
        max_length: number of tokens of the longest sequence, at least 3.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: int tensor `(batch_size, length)`, 0 = padding, or a list of
            one or two of them.

    Output:
        Dict of int32 tensors `(batch_size, packed_length)`, with the sum of
        the lengths and of the special tokens as `packed_length`, at most
        `max_length`: `"token_ids"`, `"segment_ids"` and `"padding_mask"`,
        which is 1 at tokens and 0 at padding, where the others are 0.

    Raises:
        ValueError: if an argument is not a positive integer, `max_length` is
            less than 3, or there are not one or two texts.

    Example:
        >>> texts = [np.array([[5, 7, 0]]), np.array([[9, 0]])]
        >>> PackedTexts(cls_id=2, sep_id=3, max_length=512)(texts)["token_ids"]
        [[2, 5, 7, 3, 9, 3, 0, 0]]

    Reference: Devlin et al., 2019, "BERT: Pre-training of Deep Bidirectional
    Transformers for Language Understanding", section 3.
    """

    def __init__(
        self, cls_id: int, sep_id: int, max_length: int, **kwargs: Any
    ):
        super().__init__(**kwargs)
        check_positive(cls_id=cls_id, sep_id=sep_id, max_length=max_length)
        if max_length < 3:
            raise ValueError(
                "`max_length` must be at least 3. "
                f"Received: max_length={max_length}"
            )
        self.cls_id = cls_id
        self.sep_id = sep_id
        self.max_length = max_length

    def call(self, inputs: Any) -> dict[str, Any]:
        """Packs the texts."""
        texts = [ops.cast(text, "int32") for text in _listed(inputs)]
        single = ops.ones_like(texts[0][:, :1])
        room: Any = self.max_length - 1 - len(texts)
        parts = [single * self.cls_id]
        kept = [single > 0]
        segments = [single * 0]
        for segment, text in enumerate(texts):
            words = text != PADDING_ID
            words = words & (ops.cumsum(ops.cast(words, "int32"), 1) <= room)
            count = ops.sum(ops.cast(words, "int32"), 1, keepdims=True)
            room = room - count
            parts += [text, single * self.sep_id]
            kept += [words, single > 0]
            segments += [ops.ones_like(text) * segment, single * segment]
        real = ops.concatenate(kept, axis=1)
        place = ops.arange(ops.shape(real)[1], dtype="int32")
        order = ops.argsort(
            ops.where(real, place, place + ops.shape(real)[1]), axis=1
        )
        order = ops.cast(order[:, : self.max_length], "int32")
        total = ops.sum(ops.cast(real, "int32"), 1, keepdims=True)
        mask = ops.cast(place[: self.max_length] < total, "int32")

        def packed(columns: list[Any]) -> Any:
            joined = ops.concatenate(columns, axis=1)
            return ops.take_along_axis(joined, order, axis=1) * mask

        return {
            "token_ids": packed(parts),
            "segment_ids": packed(segments),
            "padding_mask": mask,
        }

    def compute_output_shape(self, input_shape: Any) -> dict[str, tuple]:
        """`(batch_size, packed_length)`, three times."""
        shapes = input_shape
        if not isinstance(input_shape[0], Sequence):
            shapes = [input_shape]
        lengths = [length for _, length in shapes]
        packed = None
        if None not in lengths:
            packed = min(sum(lengths) + len(lengths) + 1, self.max_length)
        shape = (shapes[0][0], packed)
        names = ("token_ids", "segment_ids", "padding_mask")
        return dict.fromkeys(names, shape)

    def compute_output_spec(self, inputs: Any) -> dict[str, keras.KerasTensor]:
        """The outputs' shapes, in int32."""
        shapes = [tuple(text.shape) for text in _listed(inputs)]
        return {
            name: keras.KerasTensor(shape, dtype="int32")
            for name, shape in self.compute_output_shape(shapes).items()
        }


def _listed(inputs: Any) -> list[Any]:
    texts = list(inputs) if isinstance(inputs, list | tuple) else [inputs]
    if len(texts) not in (1, 2) or any(len(t.shape) != 2 for t in texts):
        raise ValueError(
            "`inputs` must be one or two tensors (batch_size, length). "
            f"Received: shapes={[tuple(text.shape) for text in texts]}"
        )
    return texts
