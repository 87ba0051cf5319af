"""RiemannianOptimizer in compile and fit, saved and in other precision."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa import geometry
from keras_qa.optimizers.constraints import PoincareBall
from keras_qa.optimizers.riemannian import RiemannianOptimizer
from support.optimizer_checks import CONFIGURATIONS
from support.optimizer_checks import data
from support.optimizer_checks import model_with

pytestmark = pytest.mark.compiled


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
        # Sixty steps in one epoch, which costs less than epochs of one step.
        ids, targets = np.tile([0, 1], 60), np.tile(target, (60, 1))
        model.fit(ids, targets, batch_size=2, shuffle=False, verbose=0)
        np.testing.assert_allclose(
            embedding.get_weights()[0], target, atol=1e-4, err_msg=retraction
        )


def test_learning_rate_callbacks_reach_the_inner_optimizer():
    model = model_with(
        RiemannianOptimizer(keras.optimizers.SGD(0.1), norm="row")
    )
    model.fit(
        *data(),
        epochs=3,
        verbose=0,
        callbacks=[keras.callbacks.LearningRateScheduler(lambda e: 0.1 / 2**e)],
    )
    rate = float(model.optimizer.inner_optimizer.learning_rate)
    assert rate == pytest.approx(0.025)


def _fitted_weights(arguments, inner=None, epochs=3, **compile_arguments):
    inner = inner or keras.optimizers.SGD(0.1)
    model = model_with(
        RiemannianOptimizer(inner, **arguments), **compile_arguments
    )
    model.fit(*data(), epochs=epochs, batch_size=4, shuffle=False, verbose=0)
    return model.get_weights()


@pytest.mark.parametrize("arguments", CONFIGURATIONS)
def test_jit_compiled_steps_equal_plain_ones(arguments):
    if keras.backend.backend() == "torch":
        pytest.skip("TorchInductor needs a C++ toolchain and a minute")
    on_tensorflow = keras.backend.backend() == "tensorflow"
    plain = {"run_eagerly": True} if on_tensorflow else {"jit_compile": False}
    compiled = _fitted_weights(arguments, jit_compile=True)
    for left, right in zip(
        compiled, _fitted_weights(arguments, **plain), strict=True
    ):
        np.testing.assert_allclose(left, right, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    ("inner", "arguments"),
    [
        ("Adagrad", CONFIGURATIONS[2]),
        ("Adagrad", CONFIGURATIONS[3]),
        ("Adam", CONFIGURATIONS[4]),
    ],
)
def test_saved_training_resumes_where_it_stopped(tmp_path, inner, arguments):
    schedule = keras.optimizers.schedules.ExponentialDecay(0.05, 2, 0.9)
    whole = model_with(
        RiemannianOptimizer(
            getattr(keras.optimizers, inner)(schedule), **arguments
        )
    )
    fit_arguments = {"batch_size": 4, "shuffle": False, "verbose": 0}
    whole.fit(*data(), epochs=2, **fit_arguments)
    whole.save(tmp_path / "half.keras")
    resumed = keras.models.load_model(tmp_path / "half.keras")
    optimizer = resumed.optimizer
    assert isinstance(optimizer, RiemannianOptimizer)
    assert optimizer.get_config() == whole.optimizer.get_config()
    assert int(optimizer.iterations) == 4
    for model in (whole, resumed):
        model.fit(*data(), epochs=2, **fit_arguments)
    for left, right in zip(
        whole.get_weights(), resumed.get_weights(), strict=True
    ):
        np.testing.assert_array_equal(left, right)
    for left, right in zip(
        whole.optimizer.variables, resumed.optimizer.variables, strict=True
    ):
        np.testing.assert_array_equal(
            ops.convert_to_numpy(left), ops.convert_to_numpy(right)
        )


@pytest.mark.parametrize("arguments", CONFIGURATIONS[2:5])
def test_works_inside_a_loss_scale_optimizer(arguments):
    model = model_with(
        keras.optimizers.LossScaleOptimizer(
            RiemannianOptimizer(keras.optimizers.SGD(0.1), **arguments),
            initial_scale=8.0,
        )
    )
    model.fit(*data(), epochs=3, batch_size=4, shuffle=False, verbose=0)
    for scaled, plain in zip(
        model.get_weights(), _fitted_weights(arguments), strict=True
    ):
        np.testing.assert_allclose(scaled, plain, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
def test_mixed_precision(policy):
    keras.config.set_dtype_policy(policy)
    try:
        model = model_with(
            RiemannianOptimizer(
                keras.optimizers.SGD(0.1), conversion="manifold"
            )
        )
        before = model.get_weights()
        model.fit(*data(), epochs=5, batch_size=4, verbose=0)
    finally:
        keras.config.set_dtype_policy("float32")
    for old, new in zip(before, model.get_weights(), strict=True):
        assert np.isfinite(new).all()
        assert (new != old).any()
