"""The encoder of NTN-LSTM and HD-LSTM."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import keras

from keras_qa.arguments import check_choice
from keras_qa.arguments import check_positive
from keras_qa.layers.bag_of_words import BagOfWords
from keras_qa.layers.head_tail import HeadTail
from keras_qa.layers.lstm import LSTM
from keras_qa.layers.max_over_time import MaxOverTime
from keras_qa.models.building import full_policy
from keras_qa.models.building import l2_regularizers
from keras_qa.models.encoders import bidirectional_lstm

POOLINGS = ("last", "mean", "max")


def lstm_encoder(given: SimpleNamespace) -> Callable[[], Callable]:
    """Returns the function that creates an encoder, for `SiameseRanker`.

    Args:
        given: the arguments of a model, as `HDLSTM` has them.

    Returns:
        A function without arguments that returns one from word ids and word
        vectors to the text's vector.

    Raises:
        ValueError: if `units` is not a positive integer or `pooling` unknown.
    """
    check_choice("pooling", given.pooling, POOLINGS)
    check_positive(units=given.units)
    policy = full_policy(given.dtype)
    precise = policy.variable_dtype

    def make_encoder() -> Callable[[Any, Any], Any]:
        if given.bidirectional:
            lstm = bidirectional_lstm(given.units, given.l2, policy)
        else:
            lstm = LSTM(
                given.units,
                return_sequences=given.pooling != "last",
                **l2_regularizers(given.l2, "kernel", "recurrent", "bias"),
                dtype=policy,
                name="lstm",
            )
        pool = {
            "mean": lambda: BagOfWords("mean", dtype=precise, name="mean"),
            "max": lambda: MaxOverTime(dtype=precise, name="max"),
            "last": lambda: (
                HeadTail(dtype=precise, name="last")
                if given.bidirectional
                # The layer returns no other state.
                else keras.layers.Identity(dtype=precise, name="last")
            ),
        }[given.pooling]()
        return lambda _, words: pool(lstm(words))

    return make_encoder
