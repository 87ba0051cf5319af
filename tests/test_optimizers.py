"""RiemannianOptimizer: each conversion by hand, and everything it forwards."""

import json

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa import geometry
from keras_qa.constraints import PoincareBall
from keras_qa.optimizers import RiemannianOptimizer

ON_TENSORFLOW = keras.backend.backend() == "tensorflow"
needs_tensorflow = pytest.mark.skipif(
    not ON_TENSORFLOW, reason="only TensorFlow has sparse gradients"
)

POINTS = np.array([[0.6, 0.0], [0.0, -0.5], [0.1, 0.2]], "float32")
GRADIENTS = np.array([[1.0, -2.0], [0.5, 0.25], [-3.0, 1.0]], "float32")


def _numpy(tensor):
    return ops.convert_to_numpy(tensor)


def _step(optimizer, points=POINTS, gradients=GRADIENTS, constraint=None):
    """The value of one variable after one step."""
    variable = keras.Variable(points)
    variable.constraint = constraint
    optimizer.apply([ops.array(gradients)], [variable])
    return _numpy(variable)


def _metric_factor(norm_squared):
    return (1 - norm_squared) ** 2 / 4


def _row_factors(points):
    return _metric_factor(np.sum(points**2, -1, keepdims=True))


def _exp_map(x, v):
    """Exponential map in float64, by the usual formulas."""
    x, v = x.astype("float64"), v.astype("float64")
    x2 = np.sum(x * x, -1, keepdims=True)
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    y = np.tanh(length / (1 - x2)) * v / length
    xy = np.sum(x * y, -1, keepdims=True)
    y2 = np.sum(y * y, -1, keepdims=True)
    top = (1 + 2 * xy + y2) * x + (1 - x2) * y
    return top / (1 + 2 * xy + x2 * y2)


def test_none_is_the_inner_optimizer():
    stepped = _step(
        RiemannianOptimizer(keras.optimizers.SGD(0.1), conversion="none")
    )
    np.testing.assert_allclose(stepped, POINTS - 0.1 * GRADIENTS, rtol=1e-6)


def test_parameter_scales_by_the_norm_of_the_tensor():
    stepped = _step(RiemannianOptimizer(keras.optimizers.SGD(0.1)))
    # |θ|² = .36 + .25 + .05 = .66, and (1 - .66)² / 4 = .0289
    np.testing.assert_allclose(
        stepped, POINTS - 0.1 * 0.0289 * GRADIENTS, rtol=1e-5
    )


def test_parameter_scales_by_the_norm_of_each_row():
    stepped = _step(RiemannianOptimizer(keras.optimizers.SGD(0.1), norm="row"))
    # (1 - .36)² / 4, (1 - .25)² / 4, (1 - .05)² / 4
    factors = np.array([[0.1024], [0.140625], [0.225625]])
    np.testing.assert_allclose(
        stepped, POINTS - 0.1 * factors * GRADIENTS, rtol=1e-5
    )


def test_parameter_factor_grows_outside_the_ball():
    points = 10 * POINTS
    stepped = _step(RiemannianOptimizer(keras.optimizers.SGD(1e-4)), points)
    np.testing.assert_allclose(
        stepped, points - 1e-4 * (1 - 66) ** 2 / 4 * GRADIENTS, rtol=1e-5
    )


def test_eq_9_would_freeze_a_scalar_at_one():
    kernel, scale = keras.Variable(POINTS), keras.Variable([-1.0])
    gradients = [ops.array(GRADIENTS), ops.array([5.0])]
    RiemannianOptimizer(keras.optimizers.SGD(0.1)).apply(
        gradients, [kernel, scale]
    )
    np.testing.assert_allclose(_numpy(scale), [-1.5])

    kernel, scale = keras.Variable(POINTS), keras.Variable([-1.0])
    everything = RiemannianOptimizer(
        keras.optimizers.SGD(0.1), variable_pattern=""
    )
    everything.apply(gradients, [kernel, scale])
    np.testing.assert_allclose(_numpy(scale), [-1.0])


def test_variable_pattern_chooses_by_path():
    chosen = keras.Variable(POINTS, name="projection")
    other = keras.Variable(POINTS, name="other")
    gradients = [ops.array(GRADIENTS)] * 2
    RiemannianOptimizer(
        keras.optimizers.SGD(0.1), variable_pattern="^proj"
    ).apply(gradients, [chosen, other])
    np.testing.assert_allclose(
        _numpy(chosen), POINTS - 0.1 * 0.0289 * GRADIENTS, rtol=1e-5
    )
    np.testing.assert_allclose(
        _numpy(other), POINTS - 0.1 * GRADIENTS, rtol=1e-6
    )


def _released(gradient, value=10.0, norm=1.0, convert=True):
    """What the code released with the paper does to one gradient."""
    if convert:
        scale = (1 - np.sum(gradient**2)) ** 2 + 1e-5
        gradient = gradient * scale / 4
    gradient = np.clip(gradient, -value, value)
    return gradient * norm / max(np.linalg.norm(gradient), norm)


@pytest.mark.parametrize("size", [1e-3, 0.1, 1.0, 100.0])
def test_gradient_is_what_was_released(size):
    kernel, bias = keras.Variable(POINTS), keras.Variable([0.0, 0.0])
    by_kernel = (size * GRADIENTS).astype("float32")
    by_bias = np.array([3.0 * size, -4.0 * size], "float32")
    RiemannianOptimizer(keras.optimizers.SGD(1.0), conversion="gradient").apply(
        [ops.array(by_kernel), ops.array(by_bias)], [kernel, bias]
    )
    np.testing.assert_allclose(
        _numpy(kernel),
        POINTS - _released(by_kernel.astype("float64")),
        rtol=1e-5,
        atol=1e-6,
    )
    # Vectors and scalars were clipped, but not converted.
    np.testing.assert_allclose(
        _numpy(bias), -_released(by_bias, convert=False), rtol=1e-5
    )


def test_gradient_arguments():
    optimizer = RiemannianOptimizer(
        keras.optimizers.SGD(1.0),
        conversion="gradient",
        gradient_offset=100.0,
        gradient_clip_value=20.0,
        gradient_clip_norm=1000.0,
    )
    squared = np.sum(GRADIENTS**2)
    factor = ((1 - squared) ** 2 + 100) / 4
    expected = POINTS - np.clip(factor * GRADIENTS, -20, 20)
    np.testing.assert_allclose(_step(optimizer), expected, rtol=1e-5)


def test_gradient_is_converted_without_the_loss_scale():
    inner = keras.optimizers.SGD(1.0, loss_scale_factor=8.0)
    optimizer = RiemannianOptimizer(inner, conversion="gradient")
    assert float(optimizer.scale_loss(ops.array(2.0))) == 16
    scaled = _step(optimizer, gradients=8 * 0.1 * GRADIENTS)
    plain = _step(
        RiemannianOptimizer(keras.optimizers.SGD(1.0), conversion="gradient"),
        gradients=0.1 * GRADIENTS,
    )
    np.testing.assert_allclose(scaled, plain, rtol=1e-6)


def test_manifold_follows_the_geodesic():
    optimizer = RiemannianOptimizer(
        keras.optimizers.SGD(0.1), conversion="manifold"
    )
    stepped = _step(optimizer, constraint=PoincareBall())
    tangent = -0.1 * _row_factors(POINTS) * GRADIENTS
    np.testing.assert_allclose(stepped, _exp_map(POINTS, tangent), rtol=1e-5)
    assert np.abs(stepped - (POINTS + tangent)).max() > 1e-3


def test_manifold_with_projection_steps_straight():
    optimizer = RiemannianOptimizer(
        keras.optimizers.SGD(0.1),
        conversion="manifold",
        retraction="projection",
    )
    stepped = _step(optimizer, constraint=PoincareBall())
    tangent = -0.1 * _row_factors(POINTS) * GRADIENTS
    np.testing.assert_allclose(stepped, POINTS + tangent, rtol=1e-5)


@pytest.mark.parametrize("retraction", ["exp", "projection"])
def test_manifold_never_leaves_the_ball(retraction):
    optimizer = RiemannianOptimizer(
        keras.optimizers.SGD(100.0),
        conversion="manifold",
        retraction=retraction,
    )
    stepped = _step(optimizer, constraint=PoincareBall(0.01))
    norms = np.linalg.norm(stepped, axis=-1)
    np.testing.assert_allclose(norms, 0.99, rtol=1e-5)


def test_manifold_converts_only_variables_in_the_ball():
    in_ball, other = keras.Variable(POINTS), keras.Variable(POINTS)
    ball = PoincareBall()
    in_ball.constraint = ball
    RiemannianOptimizer(keras.optimizers.SGD(0.1), conversion="manifold").apply(
        [ops.array(GRADIENTS)] * 2, [in_ball, other]
    )
    np.testing.assert_allclose(
        _numpy(other), POINTS - 0.1 * GRADIENTS, rtol=1e-6
    )
    # The constraint that follows the geodesic is there for the step only.
    assert in_ball.constraint is ball
    assert other.constraint is None


def test_manifold_walks_to_a_known_target():
    target = np.array([[0.3, -0.6], [-0.2, 0.1]], "float32")
    start = np.array([[-0.5, 0.2], [0.8, 0.3]], "float32")
    for retraction in ("exp", "projection"):
        embedding = keras.layers.Embedding(
            2, 2, embeddings_constraint=PoincareBall()
        )
        model = keras.Sequential([keras.Input((), dtype="int32"), embedding])
        embedding.set_weights([start])
        model.compile(
            RiemannianOptimizer(
                keras.optimizers.SGD(0.4),
                conversion="manifold",
                retraction=retraction,
            ),
            loss=lambda true, found: ops.square(geometry.distance(true, found)),
        )
        model.fit(np.array([0, 1]), target, epochs=60, batch_size=2, verbose=0)
        np.testing.assert_allclose(
            embedding.get_weights()[0], target, atol=1e-4, err_msg=retraction
        )


def test_manifold_goes_straight_to_the_target_in_the_metric():
    # Half the gradient of d² is -log_θ(target): a step of rate ½ is one jump.
    target = np.array([[0.3, -0.6]], "float32")
    start = np.array([[-0.5, 0.2]], "float32")
    tangent = _numpy(geometry.log_map(start, target))
    gradient = -tangent / _row_factors(start)
    optimizer = RiemannianOptimizer(
        keras.optimizers.SGD(1.0), conversion="manifold"
    )
    np.testing.assert_allclose(
        _step(optimizer, start, gradient, PoincareBall()), target, rtol=1e-5
    )


@pytest.mark.parametrize("conversion", ["none", "parameter", "manifold"])
@pytest.mark.parametrize("inner", ["Adam", "Adagrad", "RMSprop", "SGD"])
def test_wrapped_optimizer_sees_the_converted_gradient(inner, conversion):
    optimizer_class = getattr(keras.optimizers, inner)
    wrapped, plain = keras.Variable(POINTS), keras.Variable(POINTS)
    wrapped.constraint = PoincareBall()
    optimizer = RiemannianOptimizer(
        optimizer_class(0.01), conversion, norm="row", retraction="projection"
    )
    reference = optimizer_class(0.01)
    for step in range(3):
        gradient = GRADIENTS * (step + 1)
        factors = _row_factors(_numpy(plain)) if conversion != "none" else 1
        optimizer.apply([ops.array(gradient)], [wrapped])
        reference.apply([ops.array(gradient * factors)], [plain])
        np.testing.assert_allclose(_numpy(wrapped), _numpy(plain), rtol=1e-5)


def test_adagrad_by_hand():
    inner = keras.optimizers.Adagrad(0.1, initial_accumulator_value=0.01)
    stepped = _step(RiemannianOptimizer(inner))
    gradient = 0.0289 * GRADIENTS
    expected = POINTS - 0.1 * gradient / np.sqrt(0.01 + gradient**2 + 1e-7)
    np.testing.assert_allclose(stepped, expected, rtol=1e-5)


def test_manifold_steps_include_momentum_and_weight_decay():
    inner = keras.optimizers.SGD(0.1, momentum=0.5, weight_decay=0.2)
    optimizer = RiemannianOptimizer(inner, conversion="manifold")
    variable = keras.Variable(POINTS)
    variable.constraint = PoincareBall()
    point, velocity = POINTS.astype("float64"), 0.0
    for _ in range(3):
        optimizer.apply([ops.array(GRADIENTS)], [variable])
        velocity = 0.5 * velocity - 0.1 * _row_factors(point) * GRADIENTS
        point = _exp_map(point, velocity - 0.2 * 0.1 * point)
        np.testing.assert_allclose(_numpy(variable), point, rtol=1e-5)


def test_clipping_sees_the_riemannian_gradient():
    inner = keras.optimizers.SGD(1.0, clipnorm=0.05)
    stepped = _step(RiemannianOptimizer(inner))
    gradient = 0.0289 * GRADIENTS
    gradient *= 0.05 / np.linalg.norm(gradient)
    np.testing.assert_allclose(stepped, POINTS - gradient, rtol=1e-5)


@pytest.mark.parametrize("conversion", ["parameter", "manifold"])
def test_accumulated_gradients_step_once(conversion):
    inner = keras.optimizers.SGD(0.1, gradient_accumulation_steps=2)
    optimizer = RiemannianOptimizer(inner, conversion)
    variable = keras.Variable(POINTS)
    variable.constraint = PoincareBall()
    optimizer.apply([ops.array(GRADIENTS)], [variable])
    np.testing.assert_array_equal(_numpy(variable), POINTS)
    optimizer.apply([ops.array(3 * GRADIENTS)], [variable])
    once = _step(
        RiemannianOptimizer(keras.optimizers.SGD(0.1), conversion),
        gradients=2 * GRADIENTS,
        constraint=PoincareBall(),
    )
    np.testing.assert_allclose(_numpy(variable), once, rtol=1e-5)


def test_moving_average_is_the_inner_optimizers():
    inner = keras.optimizers.SGD(0.1, use_ema=True, ema_momentum=0.5)
    optimizer = RiemannianOptimizer(inner)
    variable = keras.Variable(POINTS)
    for _ in range(2):
        optimizer.apply([ops.array(GRADIENTS)], [variable])
    last = _numpy(variable).copy()
    optimizer.finalize_variable_values([variable])
    first = POINTS - 0.1 * 0.0289 * GRADIENTS
    np.testing.assert_allclose(_numpy(variable), (first + last) / 2, rtol=1e-5)


def test_excluding_from_weight_decay():
    optimizer = RiemannianOptimizer(
        keras.optimizers.SGD(0.1, weight_decay=0.5), "none"
    )
    kept, decayed = keras.Variable(POINTS), keras.Variable(POINTS)
    optimizer.exclude_from_weight_decay(var_list=[kept])
    optimizer.apply([ops.zeros_like(POINTS)] * 2, [kept, decayed])
    np.testing.assert_array_equal(_numpy(kept), POINTS)
    np.testing.assert_allclose(_numpy(decayed), 0.95 * POINTS, rtol=1e-6)


def test_learning_rate_and_schedule_are_the_inner_optimizers():
    optimizer = RiemannianOptimizer(keras.optimizers.SGD(0.1))
    assert float(optimizer.learning_rate) == pytest.approx(0.1)
    optimizer.learning_rate = 0.3
    assert float(optimizer.inner_optimizer.learning_rate) == pytest.approx(0.3)

    schedule = keras.optimizers.schedules.ExponentialDecay(1.0, 1, 0.5)
    optimizer = RiemannianOptimizer(keras.optimizers.SGD(schedule), "none")
    variable = keras.Variable(POINTS)
    for step, rate in enumerate([1, 0.5, 0.25]):
        assert int(optimizer.iterations) == step
        assert float(optimizer.learning_rate) == pytest.approx(rate)
        optimizer.apply_gradients([(ops.array(GRADIENTS), variable)])
    np.testing.assert_allclose(
        _numpy(variable), POINTS - 1.75 * GRADIENTS, rtol=1e-5
    )


def test_learning_rate_callbacks_reach_the_inner_optimizer():
    model = _model(RiemannianOptimizer(keras.optimizers.SGD(0.1), norm="row"))
    model.fit(
        *_data(),
        epochs=3,
        verbose=0,
        callbacks=[keras.callbacks.LearningRateScheduler(lambda e: 0.1 / 2**e)],
    )
    rate = float(model.optimizer.inner_optimizer.learning_rate)
    assert rate == pytest.approx(0.025)


# Training through compile and fit


def _data():
    rng = np.random.default_rng(0)
    return rng.integers(0, 6, (8, 3)), rng.normal(size=(8, 1))


def _model(optimizer, **compile_arguments):
    """Ids to a score: an embedding in the ball, a kernel and a bias."""
    keras.utils.set_random_seed(3)
    model = keras.Sequential(
        [
            keras.Input((3,), dtype="int32"),
            keras.layers.Embedding(
                6,
                4,
                embeddings_initializer="random_uniform",
                embeddings_constraint=PoincareBall(),
            ),
            keras.layers.Flatten(),
            keras.layers.Dense(1),
        ]
    )
    model.compile(optimizer, loss="mse", **compile_arguments)
    return model


CONFIGURATIONS = [
    {"conversion": "none"},
    {"conversion": "parameter"},
    {"conversion": "parameter", "norm": "row"},
    {"conversion": "gradient"},
    {"conversion": "manifold", "retraction": "exp"},
    {"conversion": "manifold", "retraction": "projection"},
]


def _fitted_weights(arguments, inner=None, epochs=3, **compile_arguments):
    inner = inner or keras.optimizers.SGD(0.1)
    model = _model(RiemannianOptimizer(inner, **arguments), **compile_arguments)
    model.fit(*_data(), epochs=epochs, batch_size=4, shuffle=False, verbose=0)
    return model.get_weights()


@pytest.mark.parametrize("arguments", CONFIGURATIONS)
def test_jit_compiled_steps_equal_plain_ones(arguments):
    if keras.backend.backend() == "torch":
        pytest.skip("TorchInductor needs a C++ toolchain and a minute")
    plain = {"run_eagerly": True} if ON_TENSORFLOW else {"jit_compile": False}
    compiled = _fitted_weights(arguments, jit_compile=True)
    for left, right in zip(
        compiled, _fitted_weights(arguments, **plain), strict=True
    ):
        np.testing.assert_allclose(left, right, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    ("inner", "arguments"),
    [("Adagrad", arguments) for arguments in CONFIGURATIONS]
    + [("Adam", CONFIGURATIONS[4])],
)
def test_saved_training_resumes_where_it_stopped(tmp_path, inner, arguments):
    schedule = keras.optimizers.schedules.ExponentialDecay(0.05, 2, 0.9)
    whole = _model(
        RiemannianOptimizer(
            getattr(keras.optimizers, inner)(schedule), **arguments
        )
    )
    fit_arguments = {"batch_size": 4, "shuffle": False, "verbose": 0}
    whole.fit(*_data(), epochs=2, **fit_arguments)
    whole.save(tmp_path / "half.keras")
    resumed = keras.models.load_model(tmp_path / "half.keras")
    optimizer = resumed.optimizer
    assert isinstance(optimizer, RiemannianOptimizer)
    assert optimizer.get_config() == whole.optimizer.get_config()
    assert int(optimizer.iterations) == 4
    for model in (whole, resumed):
        model.fit(*_data(), epochs=2, **fit_arguments)
    for left, right in zip(
        whole.get_weights(), resumed.get_weights(), strict=True
    ):
        np.testing.assert_array_equal(left, right)
    for left, right in zip(
        whole.optimizer.variables, resumed.optimizer.variables, strict=True
    ):
        np.testing.assert_array_equal(_numpy(left), _numpy(right))


def test_own_variables_carry_the_state():
    optimizer = RiemannianOptimizer(keras.optimizers.Adam(0.1))
    variable = keras.Variable(POINTS)
    optimizer.apply([ops.array(GRADIENTS)], [variable])
    store = {}
    optimizer.save_own_variables(store)

    revived = RiemannianOptimizer.from_config(
        json.loads(json.dumps(optimizer.get_config()))
    )
    twin = keras.Variable(_numpy(variable))
    revived.build([twin])
    revived.load_own_variables(store)
    for each, point in ((optimizer, variable), (revived, twin)):
        each.apply([ops.array(GRADIENTS)], [point])
    np.testing.assert_array_equal(_numpy(twin), _numpy(variable))

    revived.set_weights([_numpy(v) for v in optimizer.variables])
    assert int(revived.iterations) == 2


def test_config_round_trip():
    optimizer = RiemannianOptimizer(
        keras.optimizers.Adagrad(0.2, initial_accumulator_value=0.01),
        conversion="gradient",
        norm="row",
        variable_pattern="kernel",
        retraction="projection",
        gradient_offset=1e-3,
        gradient_clip_value=5.0,
        gradient_clip_norm=2.0,
        name="converter",
    )
    serialized = json.loads(
        json.dumps(keras.saving.serialize_keras_object(optimizer))
    )
    revived = keras.saving.deserialize_keras_object(serialized)
    assert revived.get_config() == optimizer.get_config()
    assert revived.inner_optimizer.initial_accumulator_value == 0.01
    by_name = RiemannianOptimizer("adagrad").inner_optimizer
    assert isinstance(by_name, keras.optimizers.Adagrad)


@pytest.mark.parametrize("arguments", CONFIGURATIONS)
def test_works_inside_a_loss_scale_optimizer(arguments):
    model = _model(
        keras.optimizers.LossScaleOptimizer(
            RiemannianOptimizer(keras.optimizers.SGD(0.1), **arguments),
            initial_scale=8.0,
        )
    )
    model.fit(*_data(), epochs=3, batch_size=4, shuffle=False, verbose=0)
    for scaled, plain in zip(
        model.get_weights(), _fitted_weights(arguments), strict=True
    ):
        np.testing.assert_allclose(scaled, plain, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
def test_mixed_precision(policy):
    keras.config.set_dtype_policy(policy)
    try:
        model = _model(
            RiemannianOptimizer(
                keras.optimizers.SGD(0.1), conversion="manifold"
            )
        )
        before = model.get_weights()
        model.fit(*_data(), epochs=5, batch_size=4, verbose=0)
    finally:
        keras.config.set_dtype_policy("float32")
    for old, new in zip(before, model.get_weights(), strict=True):
        assert np.isfinite(new).all()
        assert (new != old).any()


# Sparse gradients


def _sparse(rows, indices, count):
    import tensorflow as tf

    return tf.IndexedSlices(
        tf.constant(rows), tf.constant(indices), tf.constant([count, 2])
    )


@needs_tensorflow
@pytest.mark.parametrize("arguments", CONFIGURATIONS)
@pytest.mark.parametrize("inner", ["SGD", "Adagrad", "Adam", "RMSprop"])
def test_sparse_rows_equal_dense_rows(inner, arguments):
    # Row 2 is touched three times, rows 1 and 4 not at all.
    points = np.random.default_rng(1).uniform(-0.5, 0.5, (5, 2))
    points = points.astype("float32")
    rows = np.random.default_rng(2).normal(size=(5, 2)).astype("float32")
    indices = [2, 0, 2, 3, 2]
    dense = np.zeros_like(points)
    np.add.at(dense, indices, rows)

    results = []
    for gradient in (_sparse(rows, indices, 5), ops.array(dense)):
        optimizer = RiemannianOptimizer(
            getattr(keras.optimizers, inner)(0.1), **arguments
        )
        variable = keras.Variable(points)
        variable.constraint = PoincareBall()
        for _ in range(2):
            optimizer.apply([gradient], [variable])
        results.append(_numpy(variable))
    np.testing.assert_allclose(*results, rtol=1e-5, atol=1e-7)
    if inner == "SGD":
        np.testing.assert_array_equal(results[0][[1, 4]], points[[1, 4]])


@needs_tensorflow
@pytest.mark.parametrize("arguments", CONFIGURATIONS)
def test_sparse_gradients_reach_the_inner_optimizer_sparse(arguments):
    import tensorflow as tf

    seen = []

    class Recorder(keras.optimizers.SGD):
        def update_step(self, gradient, variable, learning_rate):
            seen.append(gradient)
            super().update_step(gradient, variable, learning_rate)

    model = _model(
        RiemannianOptimizer(Recorder(0.1), **arguments), jit_compile=False
    )
    model.fit(*_data(), batch_size=4, verbose=0)
    by_table = [g for g in seen if isinstance(g, tf.IndexedSlices)]
    assert by_table
    assert all(g.values.shape[-1] == 4 for g in by_table)


# Errors


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"conversion": "hyperbolic"},
            r"`conversion` must be one of \('none', .*"
            r"Received: conversion='hyperbolic'",
        ),
        ({"norm": "column"}, r"`norm` must be one of .*norm='column'"),
        (
            {"retraction": "log"},
            r"`retraction` must be one of .*Received: retraction='log'",
        ),
        (
            {"conversion": "manifold", "variable_pattern": "kernel"},
            r"`variable_pattern` must be None.*variable_pattern='kernel'",
        ),
    ],
)
def test_argument_errors(arguments, message):
    with pytest.raises(ValueError, match=message):
        RiemannianOptimizer(keras.optimizers.SGD(0.1), **arguments)


def test_inner_optimizer_errors():
    with pytest.raises(ValueError, match=r"must not be a LossScaleOptimizer"):
        RiemannianOptimizer(
            keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD(0.1))
        )
    with pytest.raises(ValueError, match=r"must have use_ema=False"):
        RiemannianOptimizer(
            keras.optimizers.SGD(0.1, use_ema=True), conversion="manifold"
        )


@pytest.mark.parametrize(
    "arguments",
    [
        {"conversion": "manifold"},
        {"conversion": "parameter", "variable_pattern": "kernel"},
    ],
)
def test_nothing_to_convert_is_an_error(arguments):
    optimizer = RiemannianOptimizer(keras.optimizers.SGD(0.1), **arguments)
    variable = keras.Variable(POINTS, name="points")
    with pytest.raises(
        ValueError, match=r"at least one variable to convert.*\['points'\]"
    ):
        optimizer.build([variable])


def test_apply_errors():
    optimizer = RiemannianOptimizer(keras.optimizers.SGD(0.1))
    with pytest.raises(ValueError, match=r"`trainable_variables` must be giv"):
        optimizer.apply([ops.array(GRADIENTS)])
    with pytest.raises(ValueError, match=r"Received: 2 gradients, 1 variables"):
        optimizer.apply([ops.array(GRADIENTS)] * 2, [keras.Variable(POINTS)])
