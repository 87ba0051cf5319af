"""Matches of two texts in the states of one network that read both."""

from typing import Any

import keras
from keras import ops

from keras_qa.layers.pair_layer import PrecisePairLayer
from keras_qa.vectors import unit_vectors


@keras.saving.register_keras_serializable(package="keras_qa")
class StateMatches(PrecisePairLayer):
    """Compares the states of a question with those of its answer.

    With the states h_i of the question's tokens and g_j of the answer's, three
    features of each pair:

    1. cos(mean_i h_i, mean_j g_j)
    2. mean_i max_j cos(h_i, g_j)
    3. mean_j max_i cos(h_i, g_j)

    All are 0 if a text has no token. Half-precision states are compared, and
    the features returned, in float32. Masks are not passed on.

    Args:
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: list of the states, a float tensor `(batch_size, length, dim)`,
            and of the masks of the question's and of the answer's tokens among
            them, bool tensors `(batch_size, length)`.

    Output:
        Float tensor `(batch_size, 3)`, from -1 to 1.

    Example:
        >>> states = keras.ops.array([[[1.0, 0.0], [0.6, 0.8], [0.6, -0.8]]])
        >>> question = keras.ops.array([[True, False, False]])
        >>> answer = keras.ops.logical_not(question)
        >>> StateMatches()([states, question, answer])
        [[1.0, 0.6, 0.6]]
    """

    parts = {
        "states": ("batch_size", "length", "dim"),
        "question_mask": ("batch_size", "length"),
        "answer_mask": ("batch_size", "length"),
    }

    def __init__(self, **kwargs: Any):
        # Autocasting would round the states to half precision on the way in.
        super().__init__(autocast=False, **kwargs)

    def call(self, inputs: Any) -> Any:
        """Computes the features."""
        states, *masks = inputs
        states = ops.cast(states, self.precise)
        asked, answered = masks
        weights = [ops.cast(mask, states.dtype) for mask in masks]
        sums = [ops.einsum("bl,bld->bd", w, states) for w in weights]
        means = ops.sum(unit_vectors(sums[0]) * unit_vectors(sums[1]), axis=-1)
        units = unit_vectors(states)
        cosines = ops.einsum("bid,bjd->bij", units, units)
        features = [
            means,
            _mean_of_best(cosines, answered, weights[0]),
            _mean_of_best(cosines, asked, weights[1]),
        ]
        return ops.stack(features, axis=1)

    def compute_output_shape(self, input_shape: Any) -> tuple:
        """`(batch_size, 3)`."""
        return (input_shape[0][0], 3)


def _mean_of_best(cosines: Any, others: Any, weights: Any) -> Any:
    """The mean over some tokens of their best cosine with others."""
    # Less than any cosine, so that it is chosen only if there are no others.
    best = ops.max(ops.where(others[:, None, :], cosines, -2.0), axis=2)
    best = ops.where(best > -2.0, best, 0.0)
    count = ops.maximum(ops.sum(weights, axis=1), 1.0)
    return ops.sum(best * weights, axis=1) / count
