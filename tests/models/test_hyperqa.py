"""HyperQA and its twins against equations 1 to 6 in NumPy."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa.models import CosineQA
from keras_qa.models import HyperQA
from keras_qa.models import LogCosineQA
from keras_qa.models.hyperqa import ROUNDING
from keras_qa.models.hyperqa import TANGENT
from keras_qa.optimizers.constraints import PoincareBall

VOCABULARY, DIM, UNITS = 30, 5, 4
EPSILON = 1e-3
MODELS = [HyperQA, CosineQA, LogCosineQA]


def _embeddings():
    return np.random.default_rng(0).normal(size=(VOCABULARY, DIM)) * 0.3


def _model(model_class=HyperQA, **settings):
    """A small model whose weights are all random, biases too."""
    model = model_class(
        VOCABULARY, DIM, UNITS, embeddings=_embeddings(), **settings
    )
    rng = np.random.default_rng(1)
    for weight in model.trainable_weights:
        if not weight.path.endswith(("embeddings", "log_scale")):
            weight.assign(rng.normal(size=weight.shape) * 0.5)
    return model


QUESTION = np.array([[3, 7, 7, 2], [9, 0, 0, 0], [0, 0, 0, 0]], "int32")
ANSWER = np.array([[8, 3, 1], [5, 6, 0], [4, 0, 0]], "int32")
PAIRS = {"question": QUESTION, "answer": ANSWER}


def _score(model, question=QUESTION, answer=ANSWER):
    scores = model({"question": question, "answer": answer})
    assert scores.shape == (len(question), 1)
    return ops.convert_to_numpy(scores)[:, 0]


def _weights(model, name):
    return [
        ops.convert_to_numpy(w).astype("float64")
        for w in model.trainable_weights
        if w.path.split("/")[0] == name
    ]


def _projected(model, ids):
    """Equation 1 for the words of one text."""
    words = _embeddings().astype("float32").astype("float64")[ids[ids > 0]]
    weights = _weights(model, "projection")
    for kernel, bias in zip(weights[::2], weights[1::2], strict=True):
        words = np.maximum(0, words @ kernel + bias)
    return words


def _text_vector(model, ids, pooling):
    """Equations 1 and 2 for one text."""
    words = _projected(model, ids)
    if len(words) == 0:
        return np.zeros(UNITS)
    return words.sum(0) if pooling == "sum" else words.mean(0)


def _in_ball(y, projection, epsilon):
    norm = np.linalg.norm(y)
    if projection == "expmap":
        y = np.tanh(0.05 * norm) * y / norm if norm else y
        norm = np.linalg.norm(y)
    return y * (1 - epsilon) / norm if norm > 1 - epsilon else y


def _expected(model, similarity, pooling, space):
    kernel, bias = _weights(model, "score")
    scores = []
    for question, answer in zip(QUESTION, ANSWER, strict=True):
        q = space(_text_vector(model, question, pooling))
        a = space(_text_vector(model, answer, pooling))
        score = kernel[0, 0] * similarity(q, a) + bias[0]
        if model.concatenate_embeddings:
            (rest,) = _weights(model, "embeddings_score")
            score += np.concatenate([q, a]) @ rest[:, 0]
        scores.append(score)
    return scores


def _distance(q, a):
    # The model bounds 1 - ||y||^2 a little above the sphere of the clip.
    bound = 1 - (1 - EPSILON) ** 2 + ROUNDING
    gap_q, gap_a = max(1 - q @ q, bound), max(1 - a @ a, bound)
    return np.arccosh(1 + 2 * (q - a) @ (q - a) / (gap_q * gap_a))


def _cosine(q, a):
    norms = np.linalg.norm(q) * np.linalg.norm(a)
    return q @ a / norms if norms else 0.0


SETTINGS = [
    {},
    {"pooling": "mean"},
    {"projection_layers": 3},
    {"concatenate_embeddings": True, "l2": 0.01},
]


@pytest.mark.once
@pytest.mark.parametrize("projection", ["clip", "expmap"])
@pytest.mark.parametrize("settings", SETTINGS)
def test_hyperqa_is_equations_1_to_6(settings, projection):
    model = _model(HyperQA, projection=projection, epsilon=EPSILON, **settings)
    expected = _expected(
        model,
        _distance,
        settings.get("pooling", "sum"),
        lambda y: _in_ball(y, projection, EPSILON),
    )
    np.testing.assert_allclose(_score(model), expected, rtol=1e-4)


def _tangent(model, projection, words):
    """The tangent vector of a text's projected words `(words, dim)`."""
    weights = {
        w.name: ops.convert_to_numpy(w).astype("float64")
        for w in model.trainable_weights
    }
    if len(words) == 0:
        return np.zeros(UNITS)
    if projection == "einstein":
        points = 2 * np.exp(weights["log_scale"]) * words
        radii = np.linalg.norm(points, axis=1, keepdims=True)
        total = (np.sinh(radii) * points / radii).sum(0)
        middle = total / np.cosh(radii).sum()
        norm = np.linalg.norm(middle)
        return np.arctanh(norm) * middle / norm
    y = words.sum(0)
    if projection == "lorentz":
        return 2 * np.exp(weights["log_scale"]) * y
    norm = np.linalg.norm(y)
    z = weights["radius_bias"]
    if projection == "radius":
        z = z + weights["radius_kernel"] @ y / norm
        z = z + weights["radius_slope"] * np.log(1 + norm)
    return 2 * np.arctanh(1 / (1 + np.exp(-z))) * y / norm


@pytest.mark.once
@pytest.mark.parametrize("projection", TANGENT)
def test_points_of_radius_and_direction(projection):
    asked = {"trainable_curvature": True, "asymmetric": True, "scale": 0.2}
    model = _model(HyperQA, projection=projection, **asked)
    curvature, asymmetry = map(float, model.head.get_layer("distance").space())
    assert curvature != 1 and asymmetry != 0
    kernel, bias = _weights(model, "score")
    found = _score(model)
    for i, texts in enumerate(zip(QUESTION, ANSWER, strict=True)):
        points = [
            np.sqrt(curvature)
            * _tangent(model, projection, _projected(model, ids))
            for ids in texts
        ]
        (q, r), (a, s) = ((x, np.linalg.norm(x)) for x in points)
        cosh = np.cosh(r) * np.cosh(s)
        if r and s:
            cosh -= np.sinh(r) * np.sinh(s) * (q @ a) / (r * s)
        half = np.sqrt((cosh - 1) / 2) * np.exp(asymmetry * (s - r))
        distance = 2 * np.arcsinh(half) / np.sqrt(curvature)
        expected = kernel[0, 0] * distance + bias[0]
        assert found[i] == pytest.approx(expected, rel=1e-4)


@pytest.mark.once
def test_lorentz_has_the_points_of_expmap():
    ball = _model(HyperQA, projection="expmap", scale=0.1, rounding=0.0)
    polar = _model(HyperQA, projection="lorentz", scale=0.1)
    polar.set_weights(ball.get_weights())
    np.testing.assert_allclose(_score(polar), _score(ball), rtol=1e-5)


@pytest.mark.once
@pytest.mark.parametrize("settings", SETTINGS)
def test_cosineqa_has_the_cosine_of_the_unclipped_sums(settings):
    model = _model(CosineQA, **settings)
    pooling = settings.get("pooling", "sum")
    expected = _expected(model, _cosine, pooling, lambda y: y)
    np.testing.assert_allclose(_score(model), expected, rtol=1e-4, atol=1e-6)


@pytest.mark.once
@pytest.mark.parametrize("settings", SETTINGS)
def test_logcosineqa_has_the_logarithm_of_the_unclipped_sums(settings):
    model = _model(LogCosineQA, epsilon=EPSILON, **settings)

    def logarithm(q, a):
        directions = [x / (np.linalg.norm(x) or 1) for x in (q, a)]
        square = ((directions[0] - directions[1]) ** 2).sum()
        return np.log(square + EPSILON)

    pooling = settings.get("pooling", "sum")
    expected = _expected(model, logarithm, pooling, lambda y: y)
    np.testing.assert_allclose(_score(model), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.once
def test_clipped_hyperqa_scores_as_logcosineqa_but_for_a_constant():
    hyperqa = _model(HyperQA, epsilon=EPSILON, rounding=0.0)
    control = _model(LogCosineQA, epsilon=1e-12)
    # Weights of one size each, so that all sums are clipped.
    for model in (hyperqa, control):
        for weight in model.word_projection.weights:
            weight.assign(ops.abs(weight) * 10)
    gap = 1 - (1 - EPSILON) ** 2
    constant = np.log(4 * (1 - EPSILON) ** 2 / gap**2)
    kernel, _ = _weights(hyperqa, "score")
    found = (_score(hyperqa) - _score(control))[:2] / kernel.item()
    np.testing.assert_allclose(found, constant, rtol=1e-3)


@pytest.mark.once
@pytest.mark.parametrize("model_class", MODELS)
@pytest.mark.parametrize(
    ("units", "count"), [(300, 90_300), (150, 45_150)], ids=["90K", "45K"]
)
def test_parameter_counts_of_the_paper(model_class, units, count):
    model = model_class(10, embedding_dim=300, projection_dim=units)
    assert model.word_projection.count_params() == count
    trainable = sum(np.prod(w.shape) for w in model.trainable_weights)
    assert trainable == count + 2
    assert model.count_params() == count + 2 + 10 * 300


@pytest.mark.once
@pytest.mark.parametrize(
    ("model_class", "sign"), [(HyperQA, -1), (CosineQA, 1), (LogCosineQA, -1)]
)
def test_a_higher_score_is_a_better_answer_from_the_start(model_class, sign):
    keras.utils.set_random_seed(0)
    model = model_class(VOCABULARY, DIM, 32, embeddings=_embeddings())
    kernel, bias = _weights(model, "score")
    assert (kernel.item(), bias.item()) == (sign, 0)
    question = np.array([[3, 7], [3, 7]])
    same, other = _score(model, question, np.array([[7, 3], [2, 9]]))
    assert same > other


@pytest.mark.once
def test_the_scale_of_the_cosine():
    model = CosineQA(VOCABULARY, DIM, UNITS, score_scale=7.5)
    assert _weights(model, "score")[0].item() == 7.5
    with pytest.raises(ValueError, match="`score_scale` must be positive"):
        CosineQA(VOCABULARY, score_scale=0)


@pytest.mark.once
def test_the_concatenated_vectors_start_without_effect():
    model = HyperQA(VOCABULARY, DIM, UNITS, concatenate_embeddings=True)
    plain = HyperQA(VOCABULARY, DIM, UNITS)
    plain.set_weights(
        [w for w in model.get_weights() if w.shape != (2 * UNITS, 1)]
    )
    np.testing.assert_allclose(_score(model), _score(plain), rtol=1e-6)


@pytest.mark.once
@pytest.mark.parametrize("model_class", MODELS)
@pytest.mark.parametrize("pooling", ["sum", "mean"])
def test_padding_changes_nothing(model_class, pooling):
    model = _model(model_class, pooling=pooling)
    wide = [np.pad(x, ((0, 0), (0, 9))) for x in (QUESTION, ANSWER)]
    np.testing.assert_allclose(_score(model, *wide), _score(model), rtol=1e-5)


@pytest.mark.once
@pytest.mark.parametrize("model_class", MODELS)
def test_the_parts_called_alone_give_the_score(model_class):
    model = _model(model_class, concatenate_embeddings=True)
    vectors = {
        "question": model.question_encoder(QUESTION),
        "answer": model.answer_encoder(ANSWER),
    }
    assert vectors["question"].shape == (3, UNITS)
    np.testing.assert_allclose(
        ops.convert_to_numpy(model.head(vectors))[:, 0],
        _score(model),
        rtol=1e-5,
    )


@pytest.mark.once
def test_encoders_give_points_of_the_ball_and_sums():
    model = _model()
    sums = ops.convert_to_numpy(model.text_encoder(QUESTION))
    points = ops.convert_to_numpy(model.question_encoder(QUESTION))
    assert np.linalg.norm(sums, axis=1).max() > 1
    assert (np.linalg.norm(points, axis=1) < 1).all()
    for row, ids in zip(sums, QUESTION, strict=True):
        np.testing.assert_allclose(
            row, _text_vector(model, ids, "sum"), rtol=1e-5, atol=1e-6
        )


@pytest.mark.once
@pytest.mark.parametrize(
    "model",
    [
        (HyperQA, {"projection": "expmap", "scale": 0.2, "epsilon": 1e-3}),
        (HyperQA, {"projection": "radius", "asymmetric": True, "radius": 2.0}),
        (HyperQA, {"projection": "einstein", "pooling": "mean"}),
        (HyperQA, {"projection_layers": 2, "activation": "tanh", "l2": 0.1}),
        (CosineQA, {"pooling": "mean", "dropout": 0.2, "name": "twin"}),
        (CosineQA, {"concatenate_embeddings": True, "score_scale": 3.0}),
        (LogCosineQA, {"epsilon": 1e-4, "pooling": "mean"}),
    ],
    ids=[
        "expmap",
        "radius",
        "einstein",
        "layers",
        "mean",
        "concatenated",
        "logarithm",
    ],
)
def test_saves_and_reloads_without_the_matrix(model, tmp_path):
    model_class, settings = model
    original = _model(model_class, **settings)
    original.save(tmp_path / "model.keras")
    reloaded = keras.models.load_model(tmp_path / "model.keras")
    assert type(reloaded) is model_class
    assert reloaded.get_config() == original.get_config()
    np.testing.assert_array_equal(_score(reloaded), _score(original))


@pytest.mark.parametrize(
    "model_class",
    [HyperQA, *(pytest.param(x, marks=pytest.mark.once) for x in MODELS[1:])],
)
def test_fits_and_keeps_the_embedding(model_class):
    model = _model(model_class, dropout=0.1)
    before = model.get_weights()
    model.compile(keras.optimizers.Adagrad(0.1), loss="mse")
    history = model.fit(PAIRS, np.array([1.0, 0.0, 0.0]), verbose=0)
    assert np.isfinite(history.history["loss"]).all()
    moved = {
        weight.path: (old != new).any()
        for weight, old, new in zip(
            model.weights, before, model.get_weights(), strict=True
        )
    }
    assert moved.pop("embedding/embeddings") is np.False_
    assert moved.pop("score/kernel")
    assert moved.pop("projection/projection_0/kernel")


@pytest.mark.once
def test_trains_the_embedding_if_asked():
    model = _model(trainable_embeddings=True)
    model.compile(keras.optimizers.SGD(0.1), loss="mse")
    model.fit(PAIRS, np.array([1.0, 0.0, 0.0]), verbose=0)
    moved = ops.convert_to_numpy(
        model.embedding.embeddings
    ) != _embeddings().astype("float32")
    used = np.unique([*QUESTION.ravel(), *ANSWER.ravel()])
    assert not moved[0].any()
    assert set(np.flatnonzero(moved.any(1))) <= set(used[used > 0])
    assert moved.any()


@pytest.mark.once
def test_l2_penalises_the_projection_matrices_alone():
    model = _model(l2=0.5, projection_layers=2)
    first, _, second, _ = _weights(model, "projection")
    expected = 0.5 * ((first**2).sum() + (second**2).sum())
    np.testing.assert_allclose(float(sum(model.losses)), expected, rtol=1e-5)


@pytest.mark.once
@pytest.mark.parametrize("dtype", ["mixed_float16", "mixed_bfloat16"])
def test_scores_in_float32_under_mixed_precision(dtype):
    model = _model(dtype=dtype)
    scores = model(PAIRS)
    assert keras.backend.standardize_dtype(scores.dtype) == "float32"
    np.testing.assert_allclose(
        ops.convert_to_numpy(scores)[:, 0], _score(_model()), rtol=0.1, atol=0.2
    )
    points = ops.convert_to_numpy(model.question_encoder(QUESTION))
    assert (np.linalg.norm(points, axis=1) < 1).all()


@pytest.mark.once
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"embeddings": np.zeros((4, 5))},
            r"`embeddings` must have the shape .* = \(30, 5\). "
            r"Received: embeddings.shape=\(4, 5\)",
        ),
        ({"pooling": "max"}, "`pooling` must be one of"),
        ({"projection": "klein"}, "`projection` must be one of"),
        ({"epsilon": 0}, "`epsilon` must lie"),
        ({"trainable_curvature": True}, "`trainable_curvature` and `asymm"),
        ({"asymmetric": True}, "expect a projection .*projection='clip'"),
        ({"projection_layers": 0}, "`projection_layers` must be a positive"),
    ],
)
def test_errors(settings, message):
    with pytest.raises(ValueError, match=message):
        HyperQA(VOCABULARY, DIM, UNITS, **settings)


@pytest.mark.once
def test_rows_of_the_projection_can_live_in_the_ball(tmp_path):
    model = HyperQA(
        VOCABULARY,
        DIM,
        UNITS,
        kernel_initializer=keras.initializers.RandomUniform(-2, 2),
        kernel_constraint=PoincareBall(),
    )
    model.compile("sgd", "mse")
    model.fit(PAIRS, np.ones((3, 1)), verbose=0)
    kernel, _ = _weights(model, "projection")
    norms = np.linalg.norm(kernel, axis=1)
    assert norms.max() == pytest.approx(1, abs=1e-4)
    assert (norms < 1).all()
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    np.testing.assert_allclose(_score(loaded), _score(model), atol=1e-6)
    constraint = loaded.word_projection.kernel_constraint
    assert isinstance(constraint, PoincareBall)


@pytest.mark.once
def test_equal_layers_start_differently():
    model = HyperQA(VOCABULARY, UNITS, UNITS, projection_layers=2)
    first, _, second, _ = _weights(model, "projection")
    assert np.abs(first - second).max() > 0.1


@pytest.mark.once
def test_rounding_shortens_clipped_distances_and_can_be_switched_off():
    # Both texts are clipped: their distance is log-like in 1 / (1 - |y|^2).
    epsilon, rounding = 1e-3, 1e-3
    bound = epsilon * (2 - epsilon)
    scores = {}
    for value in (0.0, rounding):
        model = _model(epsilon=epsilon, rounding=value)
        for weight in model.trainable_weights:
            if weight.path.startswith("projection"):
                weight.assign(weight * 100)
        question, answer = (
            (1 - epsilon) * vector / np.linalg.norm(vector)
            for vector in (
                _text_vector(model, QUESTION[0], "sum"),
                _text_vector(model, ANSWER[0], "sum"),
            )
        )
        gap = ((question - answer) ** 2).sum()
        distance = np.arccosh(1 + 2 * gap / (bound + value) ** 2)
        w, b = _weights(model, "score")
        expected = w[0, 0] * distance + b[0]
        scores[value] = _score(model)[0]
        assert scores[value] == pytest.approx(expected, rel=2e-3)
    assert scores[0.0] != pytest.approx(scores[rounding], rel=2e-2)
    assert HyperQA.from_config(model.get_config()).rounding == rounding
    with pytest.raises(ValueError, match="`rounding` must not be negative"):
        HyperQA(VOCABULARY, rounding=-1.0)
