"""RiemannianOptimizer: each conversion by hand."""

from types import SimpleNamespace

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa import geometry
from keras_qa.optimizers.constraints import PoincareBall
from keras_qa.optimizers.riemannian import RiemannianOptimizer
from support.optimizer_checks import GRADIENTS
from support.optimizer_checks import POINTS
from support.optimizer_checks import exp_map
from support.optimizer_checks import row_factors
from support.optimizer_checks import step_once


def test_none_is_the_inner_optimizer():
    stepped = step_once(
        RiemannianOptimizer(keras.optimizers.SGD(0.1), conversion="none")
    )
    np.testing.assert_allclose(stepped, POINTS - 0.1 * GRADIENTS, rtol=1e-6)


def test_parameter_scales_by_the_norm_of_the_tensor():
    stepped = step_once(RiemannianOptimizer(keras.optimizers.SGD(0.1)))
    # |θ|² = .36 + .25 + .05 = .66, and (1 - .66)² / 4 = .0289
    np.testing.assert_allclose(
        stepped, POINTS - 0.1 * 0.0289 * GRADIENTS, rtol=1e-5
    )


def test_parameter_scales_by_the_norm_of_each_row():
    stepped = step_once(
        RiemannianOptimizer(keras.optimizers.SGD(0.1), norm="row")
    )
    # (1 - .36)² / 4, (1 - .25)² / 4, (1 - .05)² / 4
    factors = np.array([[0.1024], [0.140625], [0.225625]])
    np.testing.assert_allclose(
        stepped, POINTS - 0.1 * factors * GRADIENTS, rtol=1e-5
    )


def test_parameter_factor_grows_outside_the_ball():
    points = 10 * POINTS
    stepped = step_once(RiemannianOptimizer(keras.optimizers.SGD(1e-4)), points)
    np.testing.assert_allclose(
        stepped, points - 1e-4 * (1 - 66) ** 2 / 4 * GRADIENTS, rtol=1e-5
    )


def test_eq_9_would_freeze_a_scalar_at_one():
    kernel, scale = keras.Variable(POINTS), keras.Variable([-1.0])
    gradients = [ops.array(GRADIENTS), ops.array([5.0])]
    RiemannianOptimizer(keras.optimizers.SGD(0.1)).apply(
        gradients, [kernel, scale]
    )
    np.testing.assert_allclose(ops.convert_to_numpy(scale), [-1.5])

    kernel, scale = keras.Variable(POINTS), keras.Variable([-1.0])
    everything = RiemannianOptimizer(
        keras.optimizers.SGD(0.1), variable_pattern=""
    )
    everything.apply(gradients, [kernel, scale])
    np.testing.assert_allclose(ops.convert_to_numpy(scale), [-1.0])


def test_variable_pattern_chooses_by_path():
    chosen = keras.Variable(POINTS, name="projection")
    other = keras.Variable(POINTS, name="other")
    gradients = [ops.array(GRADIENTS)] * 2
    RiemannianOptimizer(
        keras.optimizers.SGD(0.1), variable_pattern="^proj"
    ).apply(gradients, [chosen, other])
    np.testing.assert_allclose(
        ops.convert_to_numpy(chosen),
        POINTS - 0.1 * 0.0289 * GRADIENTS,
        rtol=1e-5,
    )
    np.testing.assert_allclose(
        ops.convert_to_numpy(other), POINTS - 0.1 * GRADIENTS, rtol=1e-6
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
        ops.convert_to_numpy(kernel),
        POINTS - _released(by_kernel.astype("float64")),
        rtol=1e-5,
        atol=1e-6,
    )
    # Vectors and scalars were clipped, but not converted.
    np.testing.assert_allclose(
        ops.convert_to_numpy(bias),
        -_released(by_bias, convert=False),
        rtol=1e-5,
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
    np.testing.assert_allclose(step_once(optimizer), expected, rtol=1e-5)


def test_gradient_is_converted_without_the_loss_scale():
    inner = keras.optimizers.SGD(1.0, loss_scale_factor=8.0)
    optimizer = RiemannianOptimizer(inner, conversion="gradient")
    assert float(optimizer.scale_loss(ops.array(2.0))) == 16
    scaled = step_once(optimizer, gradients=8 * 0.1 * GRADIENTS)
    plain = step_once(
        RiemannianOptimizer(keras.optimizers.SGD(1.0), conversion="gradient"),
        gradients=0.1 * GRADIENTS,
    )
    np.testing.assert_allclose(scaled, plain, rtol=1e-6)


def test_manifold_follows_the_geodesic():
    optimizer = RiemannianOptimizer(
        keras.optimizers.SGD(0.1), conversion="manifold"
    )
    stepped = step_once(optimizer, constraint=PoincareBall())
    tangent = -0.1 * row_factors(POINTS) * GRADIENTS
    np.testing.assert_allclose(stepped, exp_map(POINTS, tangent), rtol=1e-5)
    assert np.abs(stepped - (POINTS + tangent)).max() > 1e-3


def test_manifold_with_projection_steps_straight():
    optimizer = RiemannianOptimizer(
        keras.optimizers.SGD(0.1),
        conversion="manifold",
        retraction="projection",
    )
    stepped = step_once(optimizer, constraint=PoincareBall())
    tangent = -0.1 * row_factors(POINTS) * GRADIENTS
    np.testing.assert_allclose(stepped, POINTS + tangent, rtol=1e-5)


@pytest.mark.parametrize("retraction", ["exp", "projection"])
def test_manifold_never_leaves_the_ball(retraction):
    optimizer = RiemannianOptimizer(
        keras.optimizers.SGD(100.0),
        conversion="manifold",
        retraction=retraction,
    )
    stepped = step_once(optimizer, constraint=PoincareBall(0.01))
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
        ops.convert_to_numpy(other), POINTS - 0.1 * GRADIENTS, rtol=1e-6
    )
    # The constraint that follows the geodesic is there for the step only.
    assert in_ball.constraint is ball
    assert other.constraint is None


def test_manifold_goes_straight_to_the_target_in_the_metric():
    # Half the gradient of d² is -log_θ(target): a step of rate ½ is one jump.
    target = np.array([[0.3, -0.6]], "float32")
    start = np.array([[-0.5, 0.2]], "float32")
    tangent = ops.convert_to_numpy(geometry.log_map(start, target))
    gradient = -tangent / row_factors(start)
    optimizer = RiemannianOptimizer(
        keras.optimizers.SGD(1.0), conversion="manifold"
    )
    np.testing.assert_allclose(
        step_once(optimizer, start, gradient, PoincareBall()), target, rtol=1e-5
    )


def test_adagrad_by_hand():
    inner = keras.optimizers.Adagrad(0.1, initial_accumulator_value=0.01)
    stepped = step_once(RiemannianOptimizer(inner))
    gradient = 0.0289 * GRADIENTS
    expected = POINTS - 0.1 * gradient / np.sqrt(0.01 + gradient**2 + 1e-7)
    np.testing.assert_allclose(stepped, expected, rtol=1e-5)


@pytest.mark.once
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
        ({"variable_pattern": "("}, r"`variable_pattern` must be a reg.*'\('"),
        ({"gradient_offset": -1.0}, r"`gradient_offset` must not.*=-1.0"),
        ({"gradient_clip_value": -1}, r"positive.*gradient_clip_value=-1"),
        ({"gradient_clip_norm": 0.0}, r"positive.*gradient_clip_norm=0.0"),
    ],
)
def test_argument_errors(arguments, message):
    with pytest.raises(ValueError, match=message):
        RiemannianOptimizer(keras.optimizers.SGD(0.1), **arguments)


@pytest.mark.once
def test_inner_optimizer_errors():
    with pytest.raises(ValueError, match=r"must not be a LossScaleOptimizer"):
        RiemannianOptimizer(
            keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD(0.1))
        )
    with pytest.raises(ValueError, match=r"must have use_ema=False"):
        RiemannianOptimizer(
            keras.optimizers.SGD(0.1, use_ema=True), conversion="manifold"
        )


@pytest.mark.once
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


@pytest.mark.once
def test_geodesic_steps_need_a_single_replica():
    class Mirrored(keras.Variable):
        @property
        def value(self):
            strategy = SimpleNamespace(num_replicas_in_sync=2)
            return SimpleNamespace(distribute_strategy=strategy)

    variable = Mirrored(POINTS)
    variable.constraint = PoincareBall()
    optimizer = RiemannianOptimizer(
        keras.optimizers.SGD(0.1), conversion="manifold"
    )
    with pytest.raises(
        ValueError, match=r"be \"projection\" .*=.*, 2 replicas"
    ):
        optimizer.build([variable])


@pytest.mark.once
def test_apply_errors():
    optimizer = RiemannianOptimizer(keras.optimizers.SGD(0.1))
    with pytest.raises(ValueError, match=r"`trainable_variables` must be giv"):
        optimizer.apply([ops.array(GRADIENTS)])
    with pytest.raises(ValueError, match=r"Received: 2 gradients, 1 variables"):
        optimizer.apply([ops.array(GRADIENTS)] * 2, [keras.Variable(POINTS)])
