"""What the wrapped optimizer does stays its own: momentum, rates, state."""

import json

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa.optimizers.constraints import PoincareBall
from keras_qa.optimizers.riemannian import RiemannianOptimizer
from support.optimizer_checks import GRADIENTS
from support.optimizer_checks import POINTS
from support.optimizer_checks import exp_map
from support.optimizer_checks import row_factors
from support.optimizer_checks import step_once


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
        factors = (
            row_factors(ops.convert_to_numpy(plain))
            if conversion != "none"
            else 1
        )
        optimizer.apply([ops.array(gradient)], [wrapped])
        reference.apply([ops.array(gradient * factors)], [plain])
        np.testing.assert_allclose(
            ops.convert_to_numpy(wrapped),
            ops.convert_to_numpy(plain),
            rtol=1e-5,
        )


def test_manifold_steps_include_momentum_and_weight_decay():
    inner = keras.optimizers.SGD(0.1, momentum=0.5, weight_decay=0.2)
    optimizer = RiemannianOptimizer(inner, conversion="manifold")
    variable = keras.Variable(POINTS)
    variable.constraint = PoincareBall()
    point, velocity = POINTS.astype("float64"), 0.0
    for _ in range(3):
        optimizer.apply([ops.array(GRADIENTS)], [variable])
        velocity = 0.5 * velocity - 0.1 * row_factors(point) * GRADIENTS
        point = exp_map(point, velocity - 0.2 * 0.1 * point)
        np.testing.assert_allclose(
            ops.convert_to_numpy(variable), point, rtol=1e-5
        )


def test_clipping_sees_the_riemannian_gradient():
    inner = keras.optimizers.SGD(1.0, clipnorm=0.05)
    stepped = step_once(RiemannianOptimizer(inner))
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
    np.testing.assert_array_equal(ops.convert_to_numpy(variable), POINTS)
    optimizer.apply([ops.array(3 * GRADIENTS)], [variable])
    once = step_once(
        RiemannianOptimizer(keras.optimizers.SGD(0.1), conversion),
        gradients=2 * GRADIENTS,
        constraint=PoincareBall(),
    )
    np.testing.assert_allclose(ops.convert_to_numpy(variable), once, rtol=1e-5)


def test_moving_average_is_the_inner_optimizers():
    inner = keras.optimizers.SGD(0.1, use_ema=True, ema_momentum=0.5)
    optimizer = RiemannianOptimizer(inner)
    variable = keras.Variable(POINTS)
    for _ in range(2):
        optimizer.apply([ops.array(GRADIENTS)], [variable])
    last = ops.convert_to_numpy(variable).copy()
    optimizer.finalize_variable_values([variable])
    first = POINTS - 0.1 * 0.0289 * GRADIENTS
    np.testing.assert_allclose(
        ops.convert_to_numpy(variable), (first + last) / 2, rtol=1e-5
    )


def test_excluding_from_weight_decay():
    optimizer = RiemannianOptimizer(
        keras.optimizers.SGD(0.1, weight_decay=0.5), "none"
    )
    kept, decayed = keras.Variable(POINTS), keras.Variable(POINTS)
    optimizer.exclude_from_weight_decay(var_list=[kept])
    optimizer.apply([ops.zeros_like(POINTS)] * 2, [kept, decayed])
    np.testing.assert_array_equal(ops.convert_to_numpy(kept), POINTS)
    np.testing.assert_allclose(
        ops.convert_to_numpy(decayed), 0.95 * POINTS, rtol=1e-6
    )


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
        ops.convert_to_numpy(variable), POINTS - 1.75 * GRADIENTS, rtol=1e-5
    )


def test_own_variables_carry_the_state():
    optimizer = RiemannianOptimizer(keras.optimizers.Adam(0.1))
    variable = keras.Variable(POINTS)
    optimizer.apply([ops.array(GRADIENTS)], [variable])
    store = {}
    optimizer.save_own_variables(store)

    revived = RiemannianOptimizer.from_config(
        json.loads(json.dumps(optimizer.get_config()))
    )
    twin = keras.Variable(ops.convert_to_numpy(variable))
    revived.build([twin])
    revived.load_own_variables(store)
    for each, point in ((optimizer, variable), (revived, twin)):
        each.apply([ops.array(GRADIENTS)], [point])
    np.testing.assert_array_equal(
        ops.convert_to_numpy(twin), ops.convert_to_numpy(variable)
    )

    revived.set_weights([ops.convert_to_numpy(v) for v in optimizer.variables])
    assert int(revived.iterations) == 2


@pytest.mark.once
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
