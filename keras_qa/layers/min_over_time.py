"""The smallest value of each feature over a text's words."""

from typing import Any

import keras

from keras_qa.layers.max_over_time import MaxOverTime


@keras.saving.register_keras_serializable(package="keras_qa")
class MinOverTime(MaxOverTime):
    """Takes each feature's minimum over the positions of a text.

        y_j = min(x_1j, ..., x_Mj)

    over the M positions that the mask marks as words: padding changes nothing,
    even if all values are positive. A text without words becomes the zero
    vector.

    Args:
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: float tensor `(batch_size, length, dim)`.
        mask: bool tensor `(batch_size, length)`, true at words; usually
            comes from `Embedding(mask_zero=True)`. Without one, all positions
            are words.

    Output:
        Float tensor `(batch_size, dim)`, without a mask.

    Example:
        >>> words = keras.ops.array([[[3.0], [2.0], [0.0]]])
        >>> mask = keras.ops.array([[True, True, False]])
        >>> MinOverTime()(words, mask=mask)
        [[2.]]

    Reference: He et al., 2015, "Multi-Perspective Sentence Similarity Modeling
    with Convolutional Neural Networks", the types of pooling.
    """

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """Takes the minimum over the axis of positions."""
        return -super().call(-inputs, mask)
