"""AttentiveBiLSTM: the layer contract, the whole layer in NumPy, padding."""

import keras
import numpy as np
import pytest

from keras_qa.layers import AttentiveBiLSTM
from keras_qa.layers import TextConvolution
from support.layer_checks import MODES
from support.layer_checks import QUICKEST
from support.layer_checks import check_layer
from support.layer_checks import run
from support.pair_texts import weights_of
from support.text_reference import attend
from support.text_reference import bilstm
from support.text_reference import convolution

RNG = np.random.default_rng(0)
TEXTS = [RNG.normal(size=(3, length, 4)).astype("float32") for length in (3, 5)]
MASKS = [
    np.arange(text.shape[1]) < np.array(lengths)[:, None]
    for text, lengths in zip(TEXTS, ([3, 1, 0], [2, 5, 4]), strict=True)
]
ENCODERS = ["convolution", "lstm"]


def _arguments(encoder):
    if encoder == "lstm":
        return {"units": 2}
    return {"encoder": TextConvolution(3, 2, activation="tanh")}


def _layer(encoder="lstm", **settings):
    layer = AttentiveBiLSTM(**_arguments(encoder), **settings)
    layer.build([text.shape for text in TEXTS])
    rng = np.random.default_rng(1)
    for weight in layer.weights:
        weight.assign(rng.normal(size=weight.shape))
    return layer


def _call(layer, texts=TEXTS, masks=MASKS, mode=QUICKEST):
    return run(
        lambda q, a, m_q, m_a: layer(
            [q, a], mask=[m_q, m_a], return_attention_scores=True
        ),
        *texts,
        *masks,
        mode=mode,
    )


@pytest.mark.parametrize("encoder", ENCODERS)
def test_layer_contract(encoder):
    dim = 4 if encoder == "lstm" else 3
    check_layer(
        AttentiveBiLSTM,
        {"attention_units": 5, **_arguments(encoder)},
        TEXTS,
        [(3, dim), (3, dim)],
        trainable_weights=9 if encoder == "lstm" else 5,
    )


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("encoder", "pooling"), [("convolution", "avg"), ("lstm", "max")]
)
def test_the_equations(encoder, pooling, mode):
    layer = _layer(encoder, pooling=pooling, attention_units=5)
    o_q, o_a, weights = _call(layer, mode=mode)
    for row in (0, 1):
        pair = []
        for text, mask in zip(TEXTS, MASKS, strict=True):
            words = text[row, mask[row]].astype(float)
            if encoder == "lstm":
                pair.append(bilstm(words, weights_of(layer.encoder)))
            else:
                kernel, bias = weights_of(layer.encoder)
                pair.append(np.tanh(convolution(words, kernel, bias)))
        question = pair[0].max(0) if pooling == "max" else pair[0].mean(0)
        attention = layer.attention
        answer, expected = attend(
            question,
            pair[1],
            *weights_of(attention.answer_projection),
            *weights_of(attention.question_projection),
            weights_of(attention.score)[0][:, 0],
            pooling,
        )
        np.testing.assert_allclose(o_q[row], question, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(o_a[row], answer, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(
            weights[row, MASKS[1][row]], expected, rtol=1e-4
        )
    assert (weights[~MASKS[1]] == 0).all()
    np.testing.assert_array_equal(o_q[2], 0)


@pytest.mark.parametrize("encoder", ENCODERS)
def test_padding_changes_nothing(encoder):
    layer = _layer(encoder)
    wide = [
        np.pad(text, ((0, 0), (1, 2), (0, 0)), constant_values=50)
        for text in TEXTS
    ]
    masks = [np.pad(mask, ((0, 0), (1, 2))) for mask in MASKS]
    for found, expected in zip(
        _call(layer, wide, masks)[:2], _call(layer)[:2], strict=True
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-7)


@pytest.mark.once
def test_masks_come_from_the_embedding():
    ids = [np.where(mask, 1 + np.arange(mask.shape[1]), 0) for mask in MASKS]
    table = RNG.normal(size=(6, 4)).astype("float32")
    embedding = keras.layers.Embedding(6, 4, mask_zero=True)
    embedding.build((None,))
    embedding.embeddings.assign(table)
    layer = _layer()
    inputs = [keras.Input((None,), dtype="int32") for _ in range(2)]
    outputs = layer(
        [embedding(x) for x in inputs], return_attention_scores=True
    )
    assert [x.shape for x in outputs] == [(None, 4), (None, 4), (None, None)]
    model = keras.Model(inputs, outputs)
    expected = _call(layer, [table[x] for x in ids])
    for found, value in zip(
        model.predict(ids, verbose=0), expected, strict=True
    ):
        np.testing.assert_allclose(found, value, rtol=1e-5, atol=1e-7)


@pytest.mark.once
def test_parameters_of_the_paper():
    layer = AttentiveBiLSTM(141)
    layer.build([(None, None, 100)] * 2)
    # Four gates and two directions; then W_am, W_qm and w_ms.
    lstm = 2 * 4 * (100 * 141 + 141 * 141 + 141)
    assert layer.encoder.count_params() == lstm == 272_976
    attention = 282 * 282 + 282 * 282 + 282
    assert layer.count_params() == lstm + attention == 432_306


@pytest.mark.parametrize(
    "arguments", [{}, {"units": 3, "encoder": TextConvolution(3, 2)}]
)
def test_takes_units_or_an_encoder(arguments):
    with pytest.raises(ValueError, match=r"Exactly one of .*Received"):
        AttentiveBiLSTM(**arguments)
