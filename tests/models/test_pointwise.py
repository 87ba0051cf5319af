"""CTRN and its pointwise baselines against their equations in NumPy."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa.layers import AlignmentFeatures
from keras_qa.models import CTRN
from keras_qa.models import CNNRanker
from keras_qa.models import LSTMRanker
from keras_qa.models import QRNNRanker
from keras_qa.text.packing import RaggedTexts
from support.layer_checks import by_turns
from support.model_checks import check_l2
from support.model_checks import check_reload
from support.model_checks import l2_penalty
from support.pointwise_reference import ANSWER
from support.pointwise_reference import FEATURES
from support.pointwise_reference import LABELS
from support.pointwise_reference import MODELS
from support.pointwise_reference import OVERLAP
from support.pointwise_reference import QUESTION
from support.pointwise_reference import SIAMESE
from support.pointwise_reference import UNITS
from support.pointwise_reference import VOCABULARY
from support.pointwise_reference import WITH_WORDS
from support.pointwise_reference import embeddings_of
from support.pointwise_reference import expected_logits
from support.pointwise_reference import inputs_of
from support.pointwise_reference import make_model
from support.pointwise_reference import scored

BACKEND = keras.backend.backend()
SETTINGS = [
    (CTRN, {}),
    (CTRN, {"crossed_input": "partner", "kernel_size": 3, "zoneout": 0.3}),
    (CTRN, {"use_bias": True, "hidden_layers": 2, "overlap_features": 2}),
    (CTRN, {"pooling": "max", "pooled_normalization": True}),
    (CTRN, {"pooling": "attentive", "projection_layers": 2}),
    (CTRN, {"alignment_features": True, "overlap_features": FEATURES}),
    (QRNNRanker, {"overlap_features": FEATURES, "pooled_normalization": True}),
    (QRNNRanker, {"pooling": "attentive", "pooled_normalization": True}),
    (QRNNRanker, {"alignment_features": True}),
    (QRNNRanker, {"pooling": "last", "kernel_size": 1, "zoneout": 0.2}),
    (LSTMRanker, {"hidden_layers": 3, "pooling": "max"}),
    (LSTMRanker, {"pooling": "last", "use_bias": True}),
    (CNNRanker, {}),
    (CNNRanker, {"pooling": "mean", "kernel_size": 2, "use_bias": False}),
]


# Eagerly, the other tests run them.
@pytest.mark.once
@pytest.mark.parametrize(
    ("model_class", "settings", "mode"), by_turns(SETTINGS)
)
def test_the_score_is_the_log_odds_of_the_equations(
    model_class, settings, mode
):
    model = make_model(model_class, **settings)
    scores = scored(model, mode=mode)
    for row in WITH_WORDS:
        wrong, right = np.exp(expected_logits(model, row))
        odds = np.log(right / wrong)
        assert scores[row] == pytest.approx(odds, rel=1e-4, abs=1e-5)
    assert np.isfinite(scores).all()


@pytest.mark.once
@pytest.mark.parametrize("reduction", ["sum", "sum_over_batch_size"])
@pytest.mark.parametrize("model_class", MODELS)
def test_binary_cross_entropy_of_the_score_is_equation_3(
    model_class, reduction
):
    model = make_model(model_class, l2=0.01)
    model.compile(
        loss=keras.losses.BinaryCrossentropy(
            from_logits=True, reduction=reduction
        )
    )
    rows = np.array(WITH_WORDS)
    inputs = {name: array[rows] for name, array in inputs_of(model).items()}
    loss = model.evaluate(inputs, LABELS[rows], verbose=0)

    # Equations 2 and 3, with the softmax over both classes.
    logits = np.array([expected_logits(model, row) for row in rows])
    probability = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    y, s = LABELS[rows, 0], probability[:, 1]
    entropies = -(y * np.log(s) + (1 - y) * np.log(1 - s))
    entropy = entropies.sum() if reduction == "sum" else entropies.mean()
    assert loss == pytest.approx(entropy + l2_penalty(model, 0.01), rel=1e-5)


@pytest.mark.once
@pytest.mark.parametrize("trainable", [False, True])
@pytest.mark.parametrize("model_class", MODELS)
def test_l2_on_all_trainable_parameters(model_class, trainable):
    settings = {"use_bias": True, "hidden_layers": 2, "overlap_features": 2}
    settings |= {"pooled_normalization": True, "projection_layers": 2}
    model = make_model(
        model_class, l2=0.3, trainable_embeddings=trainable, **settings
    )
    check_l2(model, 0.3)
    assert not make_model(model_class, l2=0.0).losses


@pytest.mark.once
def test_parameter_counts_of_table_2():
    m, d, h, k = 300, 512, 128, 2
    dense = 2 * d * h + h
    counts = {
        CTRN: (3 * k * d * m + dense, 1_052_800),
        QRNNRanker: (3 * k * d * m + dense, 1_052_800),
        LSTMRanker: (4 * (m * d + d * d) + dense, 1_794_176),
        CNNRanker: (3 * m * d + d + dense, 592_512),
    }
    for model_class, (formula, number) in counts.items():
        model = model_class(10)
        assert model.core_parameters == formula == number
        left_out = 10 * 300 + 300 * m + 2 * h + 2
        assert model.count_params() == formula + left_out
        if model_class is not CNNRanker:
            biases = (3 if model_class is not LSTMRanker else 4) * d
            biased = model_class(10, use_bias=True)
            assert biased.core_parameters == number + biases


@pytest.mark.once
@pytest.mark.parametrize("model_class", MODELS)
def test_what_features_and_layers_add_to_the_count(model_class):
    plain = model_class(9, units=16).core_parameters
    features = model_class(9, units=16, overlap_features=4)
    assert features.core_parameters == plain + 4 * 128
    aligned = model_class(9, units=16, alignment_features=True)
    assert aligned.core_parameters == plain + 9 * 128
    deep = model_class(9, units=16, hidden_layers=3)
    assert deep.core_parameters == plain + 2 * 128 * 129
    for left_out in ({"trainable_embeddings": True}, {"projection_layers": 2}):
        assert model_class(9, units=16, **left_out).core_parameters == plain
    normalized = model_class(9, units=16, pooled_normalization=True)
    assert normalized.core_parameters == plain + 2 * 16


@pytest.mark.once
def test_normalization_makes_up_for_small_states():
    # Products of two gated states are near 0 in a new model.
    small = CTRN(VOCABULARY, 64, 64, 64, pooled_normalization=True)
    vectors = keras.Model(
        small.input, small.get_layer("pooled_normalization").output
    )
    (vector,) = ops.convert_to_numpy(
        vectors(inputs_of(small, QUESTION[:1], ANSWER[:1]))
    )
    assert vector.std() == pytest.approx(1, abs=0.05)


@pytest.mark.once
@pytest.mark.parametrize(("model_class", "settings"), SETTINGS)
def test_padding_changes_nothing(model_class, settings):
    model = make_model(model_class, **settings)
    expected = scored(model)
    wide = [np.pad(x, ((0, 0), (0, 9))) for x in (QUESTION, ANSWER)]
    np.testing.assert_allclose(scored(model, *wide), expected, atol=1e-5)
    np.testing.assert_allclose(
        scored(model, QUESTION, wide[1]), expected, atol=1e-5
    )


@pytest.mark.once
def test_padded_alignment_aligns_by_padded_lengths():
    model = make_model(CTRN, alignment="padded")
    # Without padding the two alignments are one.
    full = [x[:1] for x in (QUESTION, ANSWER)]
    np.testing.assert_allclose(
        scored(model, *full), scored(make_model(CTRN), *full), atol=1e-5
    )
    wide = np.pad(ANSWER, ((0, 0), (0, 9)))
    changes = np.abs(scored(model, QUESTION, wide) - scored(model))
    assert changes[0] > 1e-3


@pytest.mark.once
@pytest.mark.parametrize("model_class", MODELS)
def test_lengths_can_be_fixed(model_class):
    model = make_model(model_class, question_length=5, answer_length=3)
    shapes = {side: x.shape for side, x in model.input.items()}
    assert shapes == {"question": (None, 5), "answer": (None, 3)}
    np.testing.assert_allclose(
        scored(model), scored(make_model(model_class)), atol=1e-5
    )


@pytest.mark.once
# The features of alignment are those of an answer for a question.
@pytest.mark.parametrize(
    ("model_class", "settings"),
    [pair for pair in SETTINGS if not pair[1].get("alignment_features")],
)
def test_swapped_texts_are_swapped_vectors(model_class, settings):
    model = make_model(model_class, **settings)
    expected = scored(model)
    swapped = scored(model, ANSWER, QUESTION)
    assert np.abs(swapped - expected).max() > 1e-3
    hidden = model.head.get_layer("hidden_0")
    kernel = ops.convert_to_numpy(hidden.kernel)
    if model.pooling == "attentive":
        matrix = model.get_layer("attentive_pooling").kernel
        matrix.assign(ops.transpose(matrix))
    order = np.r_[UNITS : 2 * UNITS, :UNITS, 2 * UNITS : len(kernel)]
    hidden.kernel.assign(kernel[order])
    np.testing.assert_allclose(
        scored(model, ANSWER, QUESTION), expected, atol=1e-5
    )


@pytest.mark.once
@pytest.mark.parametrize("overlap_features", [0, FEATURES])
@pytest.mark.parametrize("model_class", SIAMESE)
def test_the_parts_called_alone_give_the_score(model_class, overlap_features):
    model = make_model(model_class, overlap_features=overlap_features)
    parts = {
        "question": model.question_encoder(QUESTION),
        "answer": model.answer_encoder(ANSWER),
    }
    assert parts["question"].shape == (3, UNITS)
    np.testing.assert_array_equal(ops.convert_to_numpy(parts["answer"])[2], 0)
    if overlap_features:
        parts["overlap"] = ops.convert_to_tensor(OVERLAP)
    np.testing.assert_allclose(
        ops.convert_to_numpy(model.head(parts))[:, 0], scored(model), rtol=1e-5
    )


@pytest.mark.once
def test_the_crossed_texts_have_no_vectors_of_their_own():
    model = make_model(CTRN)
    assert not hasattr(model, "question_encoder")
    # The same question beside two answers.
    crossed = keras.Model(model.input, model.encoder.output[0])
    first, second = (
        ops.convert_to_numpy(crossed(inputs_of(model, QUESTION[:1], answer)))
        for answer in (ANSWER[:1], ANSWER[1:2])
    )
    assert np.abs(first - second).max() > 1e-3


@pytest.mark.once
@pytest.mark.parametrize("model_class", MODELS)
def test_overlap_features_are_standardised_inside(model_class):
    model = make_model(model_class, overlap_features=FEATURES)
    standardised = (OVERLAP - OVERLAP.mean(0)) / OVERLAP.std(0)
    inputs = inputs_of(model)
    expected = model({**inputs, "overlap": standardised})
    model.adapt_overlap(OVERLAP)
    np.testing.assert_allclose(
        ops.convert_to_numpy(model(inputs)),
        ops.convert_to_numpy(expected),
        rtol=1e-4,
    )
    twin = model_class.from_config(model.get_config())
    twin.set_weights(model.get_weights())
    np.testing.assert_array_equal(scored(twin), scored(model))


@pytest.mark.once
def test_alignment_features_are_counted_and_standardised_inside():
    model = make_model(CTRN, alignment_features=True)
    texts = RaggedTexts.from_sequences([*QUESTION, *ANSWER, [3, 3]])
    pairs = np.array([0, 1]), np.array([3, 4])
    model.adapt_alignment(texts, *pairs)
    layer = AlignmentFeatures(VOCABULARY)
    # The other texts are in no pair.
    layer.adapt([texts[i] for i in (0, 1, 3, 4)])
    read = [QUESTION[:2].astype("int32"), ANSWER[:2].astype("int32")]
    vectors = [embeddings_of()[ids].astype("float32") for ids in read]
    features = ops.convert_to_numpy(layer([*read, *vectors]))
    standardize = model.head.get_layer("aligned_normalization")
    for weight, expected in (
        (standardize.mean, features.mean(0)),
        (standardize.deviation, features.std(0)),
    ):
        found = ops.convert_to_numpy(weight)
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)
    twin = CTRN.from_config(model.get_config())
    twin.set_weights(model.get_weights())
    np.testing.assert_array_equal(scored(twin), scored(model))
    with pytest.raises(ValueError, match="`alignment_features` must be True"):
        make_model(CTRN).adapt_alignment(texts, *pairs)


@pytest.mark.once
def test_dropout_spares_the_overlap_features():
    model = make_model(CTRN, overlap_features=FEATURES, dropout=0.5)
    joined = keras.Model(model.head.input, model.head.get_layer("join").output)
    ones = {
        side: np.ones((500, x.shape[1]), "float32")
        for side, x in model.head.input.items()
    }
    values = ops.convert_to_numpy(joined(ones, training=True))
    assert set(np.unique(values[:, : 2 * UNITS])) == {0.0, 2.0}
    assert (values[:, 2 * UNITS :] == 1).all()


@pytest.mark.once
@pytest.mark.parametrize(
    ("model_class", "settings"),
    [
        *SETTINGS,
        (CTRN, {"alignment": "padded", "name": "crossed", "dropout": 0.1}),
        (QRNNRanker, {"dtype": "mixed_bfloat16", "activation": "tanh"}),
        (LSTMRanker, {"l2": 0.1, "word_dropout": 0.3}),
        (QRNNRanker, {"question_length": 5, "answer_length": 3}),
        (
            CNNRanker,
            {"convolution_activation": "tanh", "trainable_embeddings": True},
        ),
    ],
)
def test_saves_and_reloads_without_the_matrix(model_class, settings, tmp_path):
    original = make_model(model_class, **settings)
    if original.overlap_features:
        original.adapt_overlap(OVERLAP)
    check_reload(original, scored, tmp_path)


PLAIN = {"jit_compile": False}
EAGERLY = {"run_eagerly": True}
COMPILED = {"jit_compile": True}


# XLA takes many seconds for CTRN, whose layer it compiles in
# `layers/test_cross_temporal_contract.py`; PyTorch needs a compiler of C++. A
# graph of the others takes longer to trace than ten steps.
@pytest.mark.parametrize(
    ("model_class", "how"),
    [
        (CTRN, {"tensorflow": PLAIN, "jax": COMPILED}.get(BACKEND, EAGERLY)),
        *(pytest.param(x, EAGERLY, marks=pytest.mark.once) for x in SIAMESE),
        pytest.param(
            CTRN, COMPILED, marks=[pytest.mark.once, pytest.mark.slow]
        ),
    ],
)
def test_fits_the_labels_and_keeps_the_embedding(model_class, how):
    keras.utils.set_random_seed(0)
    model = make_model(
        model_class, overlap_features=FEATURES, dropout=0.1, word_dropout=0.1
    )
    model.adapt_overlap(OVERLAP)
    before = model.get_weights()
    model.compile(
        keras.optimizers.Adam(0.1),
        loss=keras.losses.BinaryCrossentropy(from_logits=True),
        **how,
    )
    history = model.fit(inputs_of(model), LABELS, epochs=10, verbose=0)
    assert np.isfinite(history.history["loss"]).all()
    np.testing.assert_array_equal(scored(model) > 0, LABELS[:, 0] == 1)
    trained = {weight.path for weight in model.trainable_weights}
    for weight, old in zip(model.weights, before, strict=True):
        moved = (ops.convert_to_numpy(weight) != old).any()
        assert moved == (weight.path in trained), weight.path


@pytest.mark.once
@pytest.mark.parametrize("dtype", ["mixed_float16", "mixed_bfloat16"])
@pytest.mark.parametrize("model_class", MODELS)
def test_scores_in_float32_under_mixed_precision(model_class, dtype):
    model = make_model(model_class, dtype=dtype, overlap_features=FEATURES)
    scores = model(inputs_of(model))
    assert keras.backend.standardize_dtype(scores.dtype) == "float32"
    for weight in model.weights:
        assert keras.backend.standardize_dtype(weight.dtype) in (
            "float32",
            "int64",
            "uint32",
        )
    np.testing.assert_allclose(
        ops.convert_to_numpy(scores)[:, 0],
        scored(make_model(model_class, overlap_features=FEATURES)),
        rtol=0.05,
        atol=0.05,
    )


@pytest.mark.once
@pytest.mark.parametrize("model_class", MODELS)
def test_trains_the_embedding_if_asked(model_class):
    model = make_model(model_class, trainable_embeddings=True, l2=0.0)
    model.compile(keras.optimizers.SGD(1.0), loss="mse")
    model.fit(inputs_of(model), LABELS, verbose=0)
    moved = ops.convert_to_numpy(
        model.embedding.embeddings
    ) != embeddings_of().astype("float32")
    used = np.unique([*QUESTION.ravel(), *ANSWER.ravel()])
    assert moved.any()
    assert set(np.flatnonzero(moved.any(1))) <= set(used) - {0}


@pytest.mark.once
@pytest.mark.parametrize(
    ("model_class", "settings", "message"),
    [
        (CTRN, {"units": 0}, "`units` must be .* Received: units=0"),
        (CTRN, {"crossed_input": "both"}, "`crossed_input` must be one of"),
        (CTRN, {"alignment": "none"}, "`alignment` must be one of"),
        (CTRN, {"hidden_layers": 0}, "`hidden_layers` must be a positive"),
        (CTRN, {"answer_length": 0}, "`answer_length` must be a positive"),
        (CTRN, {"overlap_features": -1}, "`overlap_features` must not be neg"),
        (
            CTRN,
            {"embeddings": np.zeros((4, 5))},
            r"`embeddings` must have .* = \(30, 300\). Received: .*\(4, 5\)",
        ),
        (CTRN, {"pooling": "last"}, r"`pooling` .* \('mean', 'max', 'att"),
        (CTRN, {"projection_layers": 0}, "`projection_layers` must be a pos"),
        (QRNNRanker, {"pooling": "sum"}, r"`pooling` .* \('mean', 'last', "),
        (CNNRanker, {"pooling": "last"}, r"`pooling` .* \('max', 'mean'\)"),
        (CNNRanker, {"kernel_size": 0}, "`kernel_size` must be a positive"),
    ],
)
def test_errors(model_class, settings, message):
    with pytest.raises(ValueError, match=message):
        model_class(VOCABULARY, **settings)


@pytest.mark.once
def test_features_for_a_model_without():
    with pytest.raises(ValueError, match="`overlap_features` must be positive"):
        make_model(CTRN).adapt_overlap(OVERLAP)
    model = make_model(CTRN, overlap_features=FEATURES)
    with pytest.raises(ValueError, match=r"Received: .*\(3, 1\)"):
        model.adapt_overlap(OVERLAP[:, :1])
