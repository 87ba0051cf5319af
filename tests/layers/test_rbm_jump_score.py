"""RBMJumpScore: equations 10 and 13 in NumPy, masks, hard cases, and `fit`."""

import keras
import numpy as np
import pytest
from keras import ops
from scipy import optimize

from keras_qa.layers import RBMJumpScore
from support.layer_checks import MODES
from support.layer_checks import QUICKEST
from support.layer_checks import check_layer
from support.layer_checks import gradients
from support.layer_checks import one_compiled
from support.layer_checks import run
from support.rbm_reference import ExactPairs
from support.rbm_reference import neighbours

RNG = np.random.default_rng(0)
STATES = np.tanh(RNG.normal(size=(5, 4, 3))).astype("float32")
MASK = np.array(
    [
        [True] * 4,
        [True, True, True, False],
        [True, True, False, True],
        [False, False, False, True],
        [False] * 4,
    ]
)
# Positions whose next position is a word as they are.
PAIRS = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (2, 0)]
SCALES = ["exp", "log"]


def _layer(dim=3, mean_exponent=0.0, deviation=1.0, **settings):
    layer = RBMJumpScore(**settings)
    layer.build((None, None, dim))
    rng = np.random.default_rng(1)
    for weight in layer.trainable_weights:
        weight.assign(rng.normal(size=weight.shape))
    if layer.offset == "mean":
        layer.mean_exponent.assign(mean_exponent)
    if layer.temperature == "deviation":
        layer.deviation.assign(deviation)
    return layer


def _call(layer, states=STATES, mask=MASK, mode=QUICKEST):
    return run(
        lambda s, m: layer(s, mask=m),
        np.asarray(states, "float32"),
        np.asarray(mask),
        mode=mode,
    )


def test_layer_contract():
    output = check_layer(
        RBMJumpScore, {}, STATES, (5, 4), 3, non_trainable_weights=2
    )
    assert (output[:, -1] == 0).all()
    check_layer(
        RBMJumpScore,
        {"offset": "none", "temperature": "none", "scale": "log"},
        STATES,
        (5, 4),
        3,
    )


def test_the_energy_by_hand():
    layer = _layer(2, offset="none", temperature="none")
    values = [[[1.0, 2.0], [3.0, 4.0]], [0.5, -1.0], [0.0, 10.0]]
    layer.set_weights([np.array(value) for value in values])
    # h Q = (0.5, 0.5) [[1, 2], [3, 4]] = (2, 3)
    # E = (2, 3) . (1, -0.5) + 0.25 - 0.5 - 5 = 0.5 - 5.25
    states = [[[0.5, 0.5], [1.0, -0.5]]]
    found = ops.convert_to_numpy(layer.energy(*np.float32(states[0])[:, None]))
    np.testing.assert_allclose(found, [-4.75])
    jump = _call(layer, states, [[True, True]])
    np.testing.assert_allclose(jump, [[np.exp(4.75), 0]], rtol=1e-6)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("scale", SCALES)
def test_the_equations_over_pairs_of_words(scale, mode):
    layer = _layer(
        scale=scale, mean_exponent=0.7, deviation=2, max_exponent=0.2
    )
    q, q1, q2 = (
        ops.convert_to_numpy(w).astype(float) for w in layer.trainable_weights
    )
    expected = np.zeros((5, 4))
    for row, t in PAIRS:
        h, following = STATES[row, t : t + 2].astype(float)
        exponent = -(h @ q @ following + q1 @ h + q2 @ following) - 0.7
        exponent /= 2
        if scale == "exp":
            exponent = np.exp(min(exponent, 0.2))
        expected[row, t] = exponent
    clipped = np.exp(0.2) if scale == "exp" else 0.3023
    np.testing.assert_allclose(expected.max(), clipped, rtol=2e-4)
    found = _call(layer, mode=mode)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    assert (found[expected == 0] == 0).all()


def test_without_a_mask_all_positions_are_words():
    layer = _layer()
    np.testing.assert_array_equal(
        ops.convert_to_numpy(layer(STATES)),
        _call(layer, mask=np.ones((5, 4), bool)),
    )


@pytest.mark.parametrize("length", [0, 1])
def test_texts_of_at_most_a_word_have_no_jump(length):
    found = _call(_layer(), STATES[:, :length], MASK[:, :length])
    np.testing.assert_array_equal(found, np.zeros((5, length)))


def test_padding_changes_nothing():
    layer = _layer()
    wide = np.pad(STATES, ((0, 0), (2, 3), (0, 0)), constant_values=50)
    found = _call(layer, wide, np.pad(MASK, ((0, 0), (2, 3))))
    expected = np.pad(_call(layer), ((0, 0), (2, 3)))
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_a_mask_from_the_model_is_used_and_ends_here():
    word = keras.Input((None, 3))
    masked = keras.layers.Masking()(word)
    layer = _layer()
    jump = layer(masked)
    assert getattr(jump, "_keras_mask", None) is None
    model = keras.Model(word, jump)
    states = np.where(MASK[..., None], STATES, 0)
    np.testing.assert_allclose(
        model.predict(states, verbose=0), _call(layer), rtol=1e-5
    )


@pytest.mark.parametrize(("scale", "constant"), [("exp", 1), ("log", 0)])
def test_without_weights_the_score_is_constant(scale, constant):
    found = _call(_layer_of_zeros(scale))
    for row, t in PAIRS:
        assert found[row, t] == constant


def _layer_of_zeros(scale):
    layer = _layer(scale=scale)
    for weight in layer.trainable_weights:
        weight.assign(np.zeros(weight.shape))
    return layer


@pytest.mark.parametrize(("sign", "mode"), one_compiled([(-1.0,), (1.0,)]))
@pytest.mark.parametrize("scale", SCALES)
def test_large_weights_overflow_neither_value_nor_gradient(scale, sign, mode):
    # 200 units at +1 or -1; each weight has the norm 100.
    layer = _layer(200, scale=scale, max_exponent=80.0)
    states = np.sign(RNG.normal(size=(2, 4, 200))).astype("float32")
    for weight in layer.trainable_weights:
        value = np.ones(weight.shape) if sign > 0 else -np.ones(weight.shape)
        weight.assign(100 * value / np.linalg.norm(value))
    states[0] = 1
    mask = np.ones((2, 4), bool)
    found = _call(layer, states, mask, mode)
    assert np.isfinite(found).all()
    # E = 100 / 200 * 200 ** 2 + 2 * 100 * sqrt(200).
    exponent = -sign * (20_000 + 200 * np.sqrt(200))
    expected = exponent if scale == "log" else np.exp(min(exponent, 80))
    np.testing.assert_allclose(found[0, :3], expected, rtol=1e-5)
    [slopes] = gradients(lambda s: layer(s), states, mode=mode)
    assert np.isfinite(slopes).all()
    seed = keras.random.SeedGenerator(0)
    for drawn in layer.reconstruct(states[0], 3, seed):
        assert (np.abs(ops.convert_to_numpy(drawn)) <= 1).all()


def _fitted(texts, mask=None, layer=None, **settings):
    layer = layer or RBMJumpScore(initializer_range=0.05)
    settings = {"verbose": 0, **settings}
    history = layer.fit(texts, mask, **settings)
    return layer, history.history


def test_a_mask_goes_with_one_array():
    states = np.zeros((2, 3, 2))
    with pytest.raises(ValueError, match="`mask` goes with one array"):
        _fitted([(states, None)], np.ones((2, 3), bool))


@pytest.mark.compiled
def test_fit_reaches_the_most_likely_weights():
    dim = 2
    exact, texts = ExactPairs(dim), neighbours(100, 21, dim)
    optimum = optimize.minimize(
        lambda theta: -exact.log_likelihood(theta, texts),
        np.zeros(dim * (dim + 2)),
        jac=lambda theta: -exact.gradient(theta, texts),
        options={"gtol": 1e-8},
    )
    keras.utils.set_random_seed(0)
    layer = RBMJumpScore()
    layer.build((None, None, dim))
    start = exact.log_likelihood(exact.parameters(layer), texts)
    rate = keras.optimizers.schedules.ExponentialDecay(1.0, 60, 0.5)
    likelihoods = [start]

    def measure(epoch, logs):
        theta = exact.parameters(layer)
        likelihoods.append(exact.log_likelihood(theta, texts))

    _, history = _fitted(
        texts,
        layer=layer,
        epochs=20,
        batch_size=100,
        learning_rate=rate,
        k=5,
        callbacks=[keras.callbacks.LambdaCallback(on_epoch_end=measure)],
    )
    theta = exact.parameters(layer)
    assert start < likelihoods[1] < likelihoods[-1]
    # All but a hundredth of what there is to gain.
    gain = -optimum.fun - start
    assert gain > 0.1
    assert 0 <= -optimum.fun - likelihoods[-1] < 0.01 * gain
    np.testing.assert_allclose(theta, optimum.x, atol=0.15)
    assert len(history["loss"]) == len(history["reconstruction_error"]) == 20


@pytest.mark.once
@pytest.mark.parametrize("temperature", ["deviation", "none"])
@pytest.mark.parametrize("offset", ["mean", "none"])
def test_fit_measures_mean_and_deviation(offset, temperature):
    texts = neighbours(5, 4, 3)
    layer = _layer(offset=offset, temperature=temperature)
    _fitted(texts, MASK, layer=layer, epochs=1)
    h, following = (
        np.stack([texts[row, t + shift] for row, t in PAIRS])
        for shift in (0, 1)
    )
    exponents = -ops.convert_to_numpy(layer.energy(h, following))
    logs = np.log([_call(layer, texts)[pair] for pair in PAIRS])
    mean = 0 if offset == "mean" else exponents.mean()
    deviation = exponents.std()
    if temperature == "deviation":
        mean, deviation = mean / deviation, 1
    np.testing.assert_allclose(logs.mean(), mean, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(logs.std(), deviation, rtol=1e-4)


def test_equal_energies_have_no_deviation_to_divide_by():
    layer = RBMJumpScore()
    _fitted(STATES[:1, :2], layer=layer, epochs=1)
    np.testing.assert_allclose(_call(layer)[0, 0], 1, rtol=1e-5)


@pytest.mark.compiled
@pytest.mark.once
def test_fit_is_repeatable_and_reads_batches():
    texts, mask = neighbours(5, 4, 3), MASK
    found = []
    for seed, batches in [
        (1, (texts, mask)),
        (1, ([(texts[:3], mask[:3]), (texts[3:], mask[3:])],)),
        (2, (texts, mask)),
    ]:
        layer = _layer()
        _fitted(*batches, layer=layer, seed=seed, epochs=1)
        found.append(layer.get_weights()[0])
    np.testing.assert_array_equal(found[0], found[1])
    assert (found[0] != found[2]).any()


def test_fit_clips_the_gradient_of_all_weights():
    layer = _layer()
    before = np.concatenate([w.ravel() for w in layer.get_weights()[:3]])
    _fitted(STATES, layer=layer, epochs=1, learning_rate=1.0, clipnorm=1e-3)
    after = np.concatenate([w.ravel() for w in layer.get_weights()[:3]])
    np.testing.assert_allclose(np.linalg.norm(after - before), 1e-3, rtol=1e-2)


@pytest.mark.once
def test_fit_warns_of_a_bound_that_hides_the_jumps():
    layer = _layer(offset="none", temperature="none", max_exponent=0.1)
    with pytest.warns(
        UserWarning, match=r"have an exponent above max_exp.*0.1"
    ):
        _fitted(STATES, layer=layer, epochs=1)


@pytest.mark.once
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"max_exponent": 0.0},
            r"`max_exponent` .* Received: max_exponent=0.0",
        ),
        ({"max_exponent": 89}, "float32 overflows. Received: max_exponent=89"),
        (
            {"offset": "median"},
            r"`offset` must be .* Received: offset='median'",
        ),
        ({"temperature": 2}, r"`temperature` .* Received: temperature=2"),
        ({"scale": "sqrt"}, r"`scale` must be .* Received: scale='sqrt'"),
        ({"initializer_range": -1}, "Received: initializer_range=-1"),
    ],
)
def test_errors(settings, message):
    with pytest.raises(ValueError, match=message):
        RBMJumpScore(**settings)


def test_a_frozen_layer_cannot_be_fitted():
    with pytest.raises(ValueError, match="needs a trainable layer"):
        _fitted(STATES, layer=RBMJumpScore(trainable=False))


def test_states_out_of_range_are_refused_while_no_graph_is_traced():
    layer, states = RBMJumpScore(), np.zeros((2, 3, 4), "float32")
    states[1, 2, 0] = -1.5
    message = r"`inputs` must lie in \[-1, 1\] at words.*Received: .* size 1.5"
    with pytest.raises(ValueError, match=message):
        layer(states)
    with pytest.raises(ValueError, match="size nan"):
        layer(np.full_like(states, np.nan))
    # Padding may be anything, and a traced graph has no values.
    layer(states, mask=np.array([[True] * 3, [True, True, False]]))
    layer(states[:, :0])
    if MODES != ["eager"]:
        run(layer, states, mode=MODES[-1])
