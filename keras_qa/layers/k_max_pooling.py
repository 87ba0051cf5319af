"""The k largest values of each feature over a text's positions."""

from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_positive
from keras_qa.layers.base_layer import ConfiguredLayer
from keras_qa.layers.pair_layer import PairLayer


@keras.saving.register_keras_serializable(package="keras_qa")
class KMaxPooling(PairLayer, ConfiguredLayer):
    """Takes each feature's k largest values over the positions of a text.

    The values stand in the order of their positions, or from the largest to
    the smallest. Of equal values, the earlier ones are taken. Only positions
    that the mask marks as words count: padding changes nothing. Where a text
    has fewer than k of them, zeros follow.

    In the l-th of L layers of convolution and pooling, k depends on the number
    s of the text's words (dynamic k-max pooling):

        k_l = max(k_top, ceil((L - l) s / L))

    which is k_top in the last layer, the default. Before it, the output has the
    length of the inputs, with zeros after the k_l values of each text.

    Args:
        k: the number of values, k_top.
        ordered: True keeps the order of the positions, False sorts the values
            from the largest to the smallest.
        layer: the layer's number l, from 1 on.
        layers: the number of layers L.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: float tensor `(batch_size, length, dim)`, or a list of it and
            of a bool tensor `(batch_size, text_length)`, true at the words of
            the text, which gives s: after a wide convolution, the sequence has
            more positions than the text. By default, s is the number of true
            positions of the mask.
        mask: bool tensor `(batch_size, length)`, true at words; usually
            comes from `Embedding(mask_zero=True)`; of a list, a list of two,
            the second of which is not used. Without one, all positions are
            words.

    Output:
        Float tensor `(batch_size, k, dim)`, with a mask that is true at the
        values taken; in a layer before the last, `(batch_size, length, dim)`.

    Raises:
        ValueError: if `k`, `layer` or `layers` is not a positive integer,
            `layer` exceeds `layers`, or the inputs have other axes.

    Example:
        >>> x = keras.ops.array([[[3.0], [1.0], [5.0], [4.0]]])
        >>> KMaxPooling(3)(x)
        [[[3.], [5.], [4.]]]
        >>> KMaxPooling(3, ordered=False)(x)
        [[[5.], [4.], [3.]]]

    Reference: Kalchbrenner et al., 2014, "A Convolutional Neural Network for
    Modelling Sentences", sections 3.2 and 3.3.
    """

    parts = {
        "sequence": ("batch_size", "length", "dim"),
        "words": ("batch_size", "text_length"),
    }
    optional = ("words",)
    alone = True
    not_kept = ("layers",)

    def __init__(
        self,
        k: int,
        ordered: bool = True,
        layer: int = 1,
        layers: int = 1,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        check_positive(k=k, layer=layer, layers=layers)
        if layer > layers:
            raise ValueError(
                "`layer` must not exceed `layers`. "
                f"Received: layer={layer!r}, layers={layers!r}"
            )
        self.k = k
        self.ordered = ordered
        self.layer = layer
        # `Layer.layers` would be sub-layers for Keras.
        self.num_layers = layers
        self.supports_masking = True

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """Takes the largest values."""
        sequence, real, words = _parts(inputs, mask)
        taken = self._taken(real, words)[:, None, :]
        if self.layer == self.num_layers:
            # Positions of no word, so that there are `k` at least.
            sequence = ops.pad(sequence, ((0, 0), (0, self.k), (0, 0)))
            real = ops.pad(ops.cast(real, "int32"), ((0, 0), (0, self.k)))
            real = ops.cast(real, "bool")
        # (batch_size, dim, length)
        values = ops.transpose(sequence, (0, 2, 1))
        lowest = ops.cast(-float("inf"), values.dtype)
        values = ops.where(real[:, None, :], values, lowest)
        positions = ops.cast(ops.argsort(-values, axis=-1), "int32")
        if self.layer == self.num_layers:
            positions = positions[:, :, : self.k]
        if self.ordered:
            # What is not taken goes to the end.
            end = ops.shape(values)[-1] - 1
            positions = ops.sort(ops.where(taken, positions, end), axis=-1)
        largest = ops.take_along_axis(values, positions, axis=-1)
        return ops.transpose(ops.where(taken, largest, 0), (0, 2, 1))

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        """True at the values taken."""
        _, real, words = _parts(inputs, previous_mask)
        return self._taken(real, words)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {**super().get_config(), "layers": self.num_layers}

    def compute_output_shape(self, input_shape: Any) -> tuple:
        """`(batch_size, k, dim)`, before the last layer that of the inputs."""
        shape = input_shape
        if isinstance(input_shape[0], list | tuple):
            shape = input_shape[0]
        batch_size, length, dim = shape
        return (
            batch_size,
            self.k if self.layer == self.num_layers else length,
            dim,
        )

    def _taken(self, real: Any, words: Any) -> Any:
        """True at the values that a text has, the first of its output."""
        present, count = (
            ops.sum(ops.cast(x, "int32"), axis=1, keepdims=True)
            for x in (real, words)
        )
        if self.layer == self.num_layers:
            order = ops.arange(1, self.k + 1, dtype="int32")[None, :]
        else:
            order = ops.cumsum(ops.ones_like(real, dtype="int32"), axis=1)
        share = (self.num_layers - self.layer) * count + self.num_layers - 1
        k = ops.maximum(share // self.num_layers, self.k)
        return ops.less_equal(order, ops.minimum(k, present))


def _parts(inputs: Any, mask: Any) -> tuple[Any, Any, Any]:
    """The sequence, its mask, and where the text has words."""
    words = None
    if isinstance(inputs, list | tuple):
        inputs, *given = inputs
        words = given[0] if given else None
        mask = mask[0] if isinstance(mask, list | tuple) else mask
    real = (
        ops.ones_like(inputs[:, :, 0], dtype="bool")
        if mask is None
        else ops.cast(mask, "bool")
    )
    return inputs, real, real if words is None else ops.cast(words, "bool")
