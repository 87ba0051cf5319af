"""AP-BiLSTM and AP-CNN against their equations in NumPy."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa.batches.pairs import PairwiseBatches
from keras_qa.losses.pairwise import PairwiseHinge
from keras_qa.models import APCNN
from keras_qa.models import APBiLSTM
from keras_qa.ranking.scoring import score_pairs
from keras_qa.text.packing import RaggedTexts
from keras_qa.training.pairwise import PairwiseTrainer
from support.all_models import scores_of
from support.inner_reference import softmax
from support.layer_checks import QUICKEST
from support.layer_checks import by_turns
from support.layer_checks import run
from support.model_checks import check_l2
from support.model_checks import check_reload
from support.pair_texts import weights_of
from support.text_reference import convolution
from support.text_reference import lstm

VOCABULARY, DIM, PROJECTED, UNITS = 30, 5, 4, 3
MODELS = [APBiLSTM, APCNN]
# Compilation takes longer than eager steps but on JAX, where an LSTM is slow
# without; torch.compile needs a compiler.
JIT_COMPILE = {
    "tensorflow": [(APBiLSTM, None), (APCNN, True)],
    "jax": [(APBiLSTM, True), (APCNN, True)],
}.get(keras.backend.backend(), [(APBiLSTM, False), (APCNN, False)])

QUESTION = np.array([[3, 7, 7, 2], [9, 0, 0, 0], [0] * 4, [4, 5, 0, 0]])
ANSWER = np.array([[8, 3, 1], [5, 6, 0], [4, 0, 0], [0] * 3])
PAIRS = {"question": QUESTION.astype("int32"), "answer": ANSWER.astype("int32")}
WITH_WORDS = [0, 1]


def _embeddings():
    return np.random.default_rng(0).normal(size=(VOCABULARY, DIM))


def _model(model_class, **settings):
    """A small model whose weights are all random, biases too."""
    settings = {"projection_dim": PROJECTED, **settings}
    model = model_class(
        VOCABULARY, DIM, units=UNITS, embeddings=_embeddings(), **settings
    )
    rng = np.random.default_rng(1)
    for weight in model.weights:
        if not weight.path.startswith("embedding"):
            weight.assign(rng.normal(size=weight.shape) * 0.5)
    return model


def _score(model, question=QUESTION, answer=ANSWER, mode=QUICKEST):
    return scores_of(model, question, answer, mode)


def _states(model, ids):
    words = _embeddings().astype("float32").astype(float)[ids[ids > 0]]
    if model.projection is not None:
        words = words @ weights_of(model.projection)[0]
    weights = weights_of(model.encoder)
    if isinstance(model, APCNN):
        states = convolution(words, *weights)
        tanh = model.activation is keras.activations.tanh
        return np.tanh(states) if tanh else states
    half = len(weights) // 2
    return np.concatenate(
        [
            lstm(words, *weights[:half]),
            lstm(words[::-1], *weights[half:])[::-1],
        ],
        axis=1,
    )


def _expected(model, question, answer):
    """Score and both weightings of one pair of unpadded texts."""
    question, answer = _states(model, question), _states(model, answer)
    (kernel,) = weights_of(model.pooling)
    fit = np.tanh(question @ kernel @ answer.T)
    w_q, w_a = softmax(fit.max(axis=1)), softmax(fit.max(axis=0))
    r_q, r_a = question.T @ w_q, answer.T @ w_a
    return r_q @ r_a / np.linalg.norm(r_q) / np.linalg.norm(r_a), w_q, w_a


SETTINGS = [
    (APBiLSTM, {}),
    (APBiLSTM, {"use_bias": False, "projection_dim": None}),
    (APCNN, {}),
    (APCNN, {"kernel_size": 2, "activation": "tanh", "use_bias": False}),
]


# Eagerly, the other tests run them.
@pytest.mark.once
@pytest.mark.parametrize(
    ("model_class", "settings", "mode"), by_turns(SETTINGS)
)
def test_the_equations(model_class, settings, mode):
    model = _model(model_class, **settings)
    scores = _score(model, mode=mode)
    for row in WITH_WORDS:
        expected, *_ = _expected(model, QUESTION[row], ANSWER[row])
        assert scores[row] == pytest.approx(expected, abs=1e-5)


@pytest.mark.once
@pytest.mark.parametrize(("model_class", "settings"), SETTINGS)
def test_attention_gives_the_weights_of_the_words(model_class, settings):
    model = _model(model_class, **settings)
    weights = run(
        lambda q, a: model.attention({"question": q, "answer": a}),
        *PAIRS.values(),
        mode=QUICKEST,
    )
    for i, (side, ids) in enumerate(PAIRS.items()):
        found = weights[side]
        assert found.shape == ids.shape
        assert (found[ids == 0] == 0).all()
        for row in WITH_WORDS:
            expected = _expected(model, QUESTION[row], ANSWER[row])[1 + i]
            np.testing.assert_allclose(
                found[row, ids[row] > 0], expected, rtol=1e-4
            )


@pytest.mark.once
@pytest.mark.parametrize("model_class", MODELS)
def test_a_text_without_words_has_the_cosine_0(model_class):
    np.testing.assert_array_equal(_score(_model(model_class))[2:], 0)


@pytest.mark.once
@pytest.mark.parametrize("model_class", MODELS)
def test_padding_changes_nothing(model_class):
    model = _model(model_class)
    wide = [np.pad(x, ((0, 0), (0, 9))) for x in (QUESTION, ANSWER)]
    np.testing.assert_allclose(_score(model, *wide), _score(model), atol=1e-6)


@pytest.mark.once
@pytest.mark.parametrize("model_class", MODELS)
def test_texts_swap_if_the_comparison_is_symmetric(model_class):
    model = _model(model_class)
    assert np.abs(_score(model, ANSWER, QUESTION) - _score(model)).max() > 1e-3
    (kernel,) = weights_of(model.pooling)
    model.pooling.kernel.assign(kernel + kernel.T)
    np.testing.assert_allclose(
        _score(model, ANSWER, QUESTION), _score(model), atol=1e-6
    )


@pytest.mark.once
def test_parameter_counts():
    m, d, k = 300, 512, 3
    size = {"embedding_dim": m, "projection_dim": m, "units": d}
    both = 2 * 4 * (m * d + d * d) + 4 * d * d
    assert APBiLSTM(9, **size).core_parameters == both + 8 * d == 4_378_624
    lean = APBiLSTM(9, **size, use_bias=False)
    assert lean.core_parameters == both == 4_374_528
    assert lean.count_params() == both + 9 * m + m * m
    # What Table 2 prints, as a formula and as a number.
    assert 4 * (m * d + d * d) + 4 * d * d == 2_711_552
    assert 4 * (m * d + d * d) + 4 * (2 * d) ** 2 == 5_857_280
    convolution_and_u = k * m * d + d + d * d
    assert APCNN(9, **size).core_parameters == convolution_and_u == 723_456


@pytest.mark.once
@pytest.mark.parametrize(
    ("model_class", "settings"),
    [
        *SETTINGS,
        (APBiLSTM, {"dropout": 0.2, "l2": 0.1, "name": "pooled"}),
        (APCNN, {"trainable_embeddings": True, "dtype": "mixed_bfloat16"}),
        (APCNN, {"kernel_initializer": "orthogonal"}),
    ],
)
def test_saves_and_reloads_without_the_matrix(model_class, settings, tmp_path):
    check_reload(_model(model_class, **settings), _score, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(("model_class", "jit_compile"), JIT_COMPILE)
def test_learns_pairwise_to_prefer_the_positives(model_class, jit_compile):
    keras.utils.set_random_seed(0)
    rng = np.random.default_rng(2)
    texts = RaggedTexts.from_sequences(
        [list(rng.integers(2, VOCABULARY, size=n)) for n in (3, 2, 4, 1, 5, 2)]
    )
    groups = np.array([0, 1]), np.array([2, 3]), np.array([[3, 4], [5, 2]])
    batches = PairwiseBatches(texts, lambda epoch: groups, 2, packed=False)
    model = _model(model_class, dropout=0.1)
    before = model.get_weights()
    trainer = PairwiseTrainer(model)
    assert not trainer.supports_packing
    trainer.supports_jit = True
    trainer.compile(
        keras.optimizers.Adam(0.05),
        loss=PairwiseHinge(0.5),
        jit_compile=jit_compile,
    )
    trainer.fit(batches, epochs=15, verbose=0)
    for weight, old in zip(model.weights, before, strict=True):
        moved = (ops.convert_to_numpy(weight) != old).any()
        assert moved != weight.path.startswith("embedding"), weight.path
    positive = score_pairs(model, texts, groups[0], groups[1])
    for negatives in groups[2].T:
        negative = score_pairs(model, texts, groups[0], negatives)
        assert (positive > negative).all()


@pytest.mark.once
@pytest.mark.parametrize("trainable", [False, True])
@pytest.mark.parametrize("model_class", MODELS)
def test_l2_on_all_trainable_parameters(model_class, trainable):
    model = _model(model_class, l2=0.3, trainable_embeddings=trainable)
    check_l2(model, 0.3)
    assert not _model(model_class).losses


@pytest.mark.once
@pytest.mark.parametrize("dtype", ["mixed_float16", "mixed_bfloat16"])
@pytest.mark.parametrize("model_class", MODELS)
def test_scores_in_float32_under_mixed_precision(model_class, dtype):
    model = _model(model_class, dtype=dtype)
    scores = model(PAIRS)
    assert keras.backend.standardize_dtype(scores.dtype) == "float32"
    np.testing.assert_allclose(
        ops.convert_to_numpy(scores)[:, 0],
        _score(_model(model_class)),
        atol=0.03,
    )
    for weights in model.attention(PAIRS).values():
        assert keras.backend.standardize_dtype(weights.dtype) == "float32"


@pytest.mark.once
@pytest.mark.parametrize("model_class", MODELS)
def test_trains_the_embedding_if_asked(model_class):
    model = _model(model_class, trainable_embeddings=True)
    model.compile(keras.optimizers.SGD(0.1), loss="mse")
    model.fit(PAIRS, np.ones((4, 1)), verbose=0)
    moved = ops.convert_to_numpy(
        model.embedding.embeddings
    ) != _embeddings().astype("float32")
    assert set(np.flatnonzero(moved.any(1))) == set(
        np.unique([*QUESTION[:2].ravel(), *ANSWER[:2].ravel()])
    ) - {0}


@pytest.mark.once
@pytest.mark.parametrize(
    ("model_class", "settings", "message"),
    [
        (APBiLSTM, {"units": 0}, "`units` must be .* Received: units=0"),
        (APBiLSTM, {"projection_dim": 0}, "`projection_dim` must be a pos"),
        (APCNN, {"kernel_size": 0}, "`kernel_size` must be a positive"),
        (
            APCNN,
            {"embeddings": np.zeros((4, 5))},
            r"`embeddings` must have .* = \(30, 300\). Received: .*\(4, 5\)",
        ),
    ],
)
def test_errors(model_class, settings, message):
    with pytest.raises(ValueError, match=message):
        model_class(VOCABULARY, **settings)
