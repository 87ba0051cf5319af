"""InnerAttentionGRU against loops over the words of a text."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa.layers import InnerAttentionGRU
from keras_qa.layers.inner_attention import ATTENTIONS
from support.inner_reference import inner_attention_gru
from support.layer_checks import by_turns
from support.layer_checks import check_layer
from support.layer_checks import run

RNG = np.random.default_rng(0)
WORDS = RNG.normal(size=(4, 5, 3)).astype("float32")
# With opposite questions, not all factors of Occam's loss are lambda.
QUESTION = RNG.normal(size=(4, 2)).astype("float32")
QUESTION[1] = -QUESTION[0]
# Padding may stand anywhere.
MASK = np.array(
    [
        [True] * 5,
        [True, True, False, False, False],
        [False, True, False, True, True],
        [False] * 5,
    ]
)


def make(attention, **settings):
    layer = InnerAttentionGRU(3, attention, **settings)
    layer.build([(None, None, 3), (None, 2)])
    rng = np.random.default_rng(1)
    for weight in layer.weights:
        weight.assign(rng.normal(size=weight.shape))
    return layer


def named_weights(layer):
    return {
        w.name: ops.convert_to_numpy(w).astype(float) for w in layer.weights
    }


def test_layer_contract():
    # The setting that has all weights; above a small limit, all are trained.
    check_layer(
        InnerAttentionGRU,
        {"units": 4, "attention": "context", "occam": 1e-6},
        [WORDS, QUESTION],
        (4, 5, 4),
        trainable_weights=5,
    )


@pytest.mark.parametrize(
    ("attention", "go_backwards", "mode"),
    by_turns(
        [(name, i % 2 > 0) for i, name in enumerate([*ATTENTIONS, "alone"])]
    ),
)
def test_the_equations(attention, go_backwards, mode):
    alone = attention == "alone"
    layer = make("word" if alone else attention, go_backwards=go_backwards)
    given = [WORDS] if alone else [WORDS, QUESTION]

    def call(mask, *inputs):
        return layer(list(inputs), mask=[mask, None][: len(inputs)])

    found = run(call, MASK, *given, mode=mode)
    for row, words, question, mask in zip(
        found, WORDS, QUESTION, MASK, strict=True
    ):
        states, _ = inner_attention_gru(
            named_weights(layer),
            words[mask],
            None if alone else question,
            layer.attention,
            go_backwards,
        )
        np.testing.assert_allclose(row[mask], states, rtol=1e-4, atol=1e-5)
        assert (row[~mask] == 0).all()


@pytest.mark.parametrize("attention", ["word", "context"])
def test_occams_loss(attention):
    layer = make(attention, occam=0.5)
    layer([WORDS], mask=[MASK])
    assert not layer.losses
    layer([WORDS, QUESTION], mask=[MASK, None])
    weights = named_weights(layer)
    factors, losses = [], []
    for words, question, mask in zip(WORDS, QUESTION, MASK, strict=True):
        _, a = inner_attention_gru(weights, words[mask], question, attention)
        factors.append(max((question @ weights["penalty_kernel"])[0], 0.5))
        losses.append(factors[-1] * sum(a))
    assert min(factors) == 0.5 < max(factors)
    (loss,) = layer.losses
    assert float(loss) == pytest.approx(np.mean(losses), rel=1e-5)


@pytest.mark.once
def test_gradients_of_occams_loss_reach_its_factor():
    words, question = keras.Input((None, 3)), keras.Input((2,))
    layer = make("word", occam=0.0)
    model = keras.Model([words, question], layer([words, question]))
    before = named_weights(layer)["penalty_kernel"]
    model.compile("sgd", loss=lambda true, found: 0 * ops.sum(found))
    model.fit([WORDS, QUESTION], WORDS, batch_size=4, verbose=0)
    assert (named_weights(layer)["penalty_kernel"] != before).any()


@pytest.mark.once
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"units": 0}, "`units` must be a positive integer"),
        ({"units": 2, "attention": "all"}, "`attention` must be one of"),
        ({"units": 2, "occam": -1.0}, "`occam` must be None or at least 0"),
        ({"units": 2, "occam": np.nan}, "Received: occam=nan"),
        ({"units": 2, "attention": "gate", "occam": 0.1}, "no weights"),
    ],
)
def test_wrong_arguments(settings, message):
    with pytest.raises(ValueError, match=message):
        InnerAttentionGRU(**settings)


@pytest.mark.once
def test_wrong_inputs():
    with pytest.raises(ValueError, match="must have a question the first time"):
        InnerAttentionGRU(2)([WORDS])
    message = r"must be a list \[words, question \(optional\)\]"
    for inputs in (WORDS, [], [WORDS, WORDS], [WORDS, QUESTION, QUESTION]):
        with pytest.raises(ValueError, match=message):
            make("word")(inputs)
