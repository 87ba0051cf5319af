"""The models of Tan et al. and Feng et al. against their equations in NumPy."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa.layers import GESD
from keras_qa.models import QACNN
from keras_qa.models import QALSTM
from keras_qa.models import AttentiveCNN
from keras_qa.models import AttentiveLSTM
from keras_qa.models import ConvBasedLSTM
from keras_qa.models import ConvPoolingLSTM
from keras_qa.models import FengCNN
from support.all_models import scores_of
from support.layer_checks import QUICKEST
from support.layer_checks import by_turns
from support.layer_checks import run
from support.model_checks import check_l2
from support.model_checks import check_reload
from support.qa_lstm_reference import ANSWER
from support.qa_lstm_reference import ATTENTIVE
from support.qa_lstm_reference import MODELS
from support.qa_lstm_reference import PAIRS
from support.qa_lstm_reference import QUESTION
from support.qa_lstm_reference import VOCABULARY
from support.qa_lstm_reference import WITH_WORDS
from support.qa_lstm_reference import cosine
from support.qa_lstm_reference import embeddings
from support.qa_lstm_reference import gesd
from support.qa_lstm_reference import small_model
from support.qa_lstm_reference import vectors

SETTINGS = [
    (AttentiveCNN, {}),
    (AttentiveCNN, {"kernel_size": 2, "activation": "linear"}),
    (AttentiveLSTM, {"attention_units": 3}),
    (AttentiveLSTM, {"pooling": "avg", "similarity": "gesd"}),
    (ConvBasedLSTM, {}),
    (ConvPoolingLSTM, {}),
    (ConvPoolingLSTM, {"kernel_size": 2, "use_bias": True}),
    (FengCNN, {}),
    (FengCNN, {"similarity": "gesd", "kernel_size": 3, "use_bias": False}),
    (QACNN, {"kernel_size": 2, "use_bias": True}),
    (QALSTM, {}),
    (QALSTM, {"pooling": "avg", "similarity": "gesd"}),
    (QALSTM, {"pooling": "head_tail"}),
]


def _score(model, question=QUESTION, answer=ANSWER, mode=QUICKEST):
    return scores_of(model, question, answer, mode)


# Eagerly, and in a graph in training, the other tests run them.
@pytest.mark.once
@pytest.mark.parametrize(
    ("model_class", "settings", "mode"),
    by_turns(SETTINGS),
)
def test_the_equations(model_class, settings, mode):
    model = small_model(model_class, **settings)
    similarity = gesd if settings.get("similarity") == "gesd" else cosine
    scores = _score(model, mode=mode)
    for row in WITH_WORDS:
        q, a, _ = vectors(model, QUESTION[row], ANSWER[row])
        assert scores[row] == pytest.approx(similarity(q, a), abs=1e-5)


@pytest.mark.once
@pytest.mark.parametrize("model_class", MODELS)
def test_texts_encoded_once_meet_all_others(model_class):
    model = small_model(model_class)
    rows, columns = (x.ravel() for x in np.indices((4, 4)))

    def by_parts(question, answer):
        questions = model.question_encoder(question)
        answers = model.answer_encoder(answer)
        encoded = {"question": questions, "answer": answers}
        crossed = {
            "question": ops.take(questions, rows, axis=0),
            "answer": keras.tree.map_structure(
                lambda x: ops.take(x, columns, axis=0), answers
            ),
        }
        return model.head(encoded), model.head(crossed)

    pairs, crossed = run(by_parts, *PAIRS.values(), mode=QUICKEST)
    np.testing.assert_allclose(pairs[:, 0], _score(model), rtol=0, atol=1e-7)
    expected = _score(model, QUESTION[rows], ANSWER[columns])
    np.testing.assert_allclose(crossed[:, 0], expected, atol=1e-6)
    assert (model.answer_encoder is model.question_encoder) == (
        model_class not in ATTENTIVE
    )


@pytest.mark.once
@pytest.mark.parametrize("model_class", MODELS)
def test_padding_changes_nothing(model_class):
    model = small_model(model_class)
    wide = [np.pad(x, ((0, 0), (2, 9))) for x in (QUESTION, ANSWER)]
    scores = _score(model)
    np.testing.assert_allclose(_score(model, *wide), scores, atol=1e-6)
    # A text without words has no direction.
    np.testing.assert_array_equal(scores[2:], 0)


@pytest.mark.once
@pytest.mark.parametrize("model_class", ATTENTIVE)
def test_attention_gives_the_weights_of_the_words(model_class):
    model = small_model(model_class)
    found = model.attention.predict(PAIRS, verbose=0)
    assert list(found) == ["answer"]
    found = found["answer"]
    assert found.shape == ANSWER.shape
    assert (found[ANSWER == 0] == 0).all()
    for row in WITH_WORDS:
        *_, expected = vectors(model, QUESTION[row], ANSWER[row])
        np.testing.assert_allclose(
            found[row, ANSWER[row] > 0], expected, rtol=1e-4
        )
    # The answer's words weigh something else for another question.
    others = {"question": PAIRS["question"][[1, 0, 2, 3]]}
    moved = model.attention.predict({**PAIRS, **others}, verbose=0)["answer"]
    assert np.abs(moved - found)[:2].max() > 1e-5


@pytest.mark.once
def test_a_new_lstm_remembers():
    model = QALSTM(9, 4, units=3)
    biases = [w for w in model.bilstm.weights if w.path.endswith("bias")]
    for bias in biases:
        # Input, forget, candidate, output.
        gates = ops.convert_to_numpy(bias).reshape(4, 3)
        np.testing.assert_array_equal(gates[:, 0], [0, 1, 0, 0])
    assert len(biases) == 2


@pytest.mark.once
def test_parameter_counts():
    lstm = 2 * 4 * (100 * 141 + 141 * 141 + 141)
    model = QALSTM(9)
    assert model.core_parameters == lstm == 272_976
    assert model.count_params() == lstm + 9 * 100
    # A single direction of 200 units, of "a comparable number".
    assert 4 * (100 * 200 + 200 * 200 + 200) == 240_800
    wide = lstm + 282 * 3 * 400
    assert ConvPoolingLSTM(9).core_parameters == wide == 611_376
    based = 100 * 3 * 282 + 2 * 4 * (282 * 200 + 200 * 200 + 200)
    assert ConvBasedLSTM(9).core_parameters == based == 857_400
    attention = 2 * 282 * 282 + 282
    attentive = AttentiveLSTM(9, trainable_embeddings=False)
    assert attentive.core_parameters == lstm + attention == 432_306
    assert QACNN(9).core_parameters == 100 * 3 * 400 == 120_000
    attention = 2 * 400 * 400 + 400
    assert AttentiveCNN(9).core_parameters == 120_000 + attention == 440_400
    feng = (100 * 200 + 200) + (200 * 2 * 4000 + 4000)
    assert FengCNN(9).core_parameters == feng == 1_624_200
    # TREC-QA: 300-d words, 600 states of both directions and 600 filters.
    sizes = {"embedding_dim": 300, "units": 300}
    trec = 2 * 4 * (300 * 300 + 300 * 300 + 300)
    assert QALSTM(9, **sizes).core_parameters == trec == 1_442_400


@pytest.mark.once
@pytest.mark.parametrize(
    ("model_class", "settings"),
    [
        (AttentiveCNN, {"kernel_size": 2, "activation": "linear"}),
        (AttentiveLSTM, {"pooling": "avg", "attention_units": 3, "l2": 0.1}),
        (ConvBasedLSTM, {"trainable_embeddings": False, "name": "based"}),
        (ConvPoolingLSTM, {"kernel_size": 2, "use_bias": True}),
        (FengCNN, {"similarity": "gesd", "use_bias": False, "dropout": 0.2}),
        (QACNN, {"similarity": GESD(0.5, c=2.0, name="similar")}),
        (QALSTM, {"pooling": "head_tail", "dtype": "mixed_bfloat16"}),
    ],
)
def test_saves_and_reloads_without_the_matrix(model_class, settings, tmp_path):
    check_reload(small_model(model_class, **settings), _score, tmp_path)


@pytest.mark.once
def test_similarity_may_be_a_layer():
    model = small_model(QALSTM, similarity=GESD(0.5, c=2.0))
    q, a, _ = vectors(model, QUESTION[0], ANSWER[0])
    assert _score(model)[0] == pytest.approx(gesd(q, a, 0.5, 2.0), abs=1e-6)


@pytest.mark.once
@pytest.mark.parametrize(
    ("model_class", "dtype"),
    [
        (AttentiveLSTM, "mixed_float16"),
        (ConvPoolingLSTM, "mixed_bfloat16"),
        (FengCNN, "mixed_float16"),
        (QALSTM, "mixed_bfloat16"),
    ],
)
def test_scores_in_float32_under_mixed_precision(model_class, dtype):
    model = small_model(model_class, dtype=dtype)
    scores = _score(model)
    assert scores.dtype == "float32"
    np.testing.assert_allclose(
        scores, _score(small_model(model_class)), atol=0.05
    )
    question = model.question_encoder(PAIRS["question"])
    assert keras.backend.standardize_dtype(question.dtype) == "float32"


@pytest.mark.once
@pytest.mark.parametrize("model_class", [AttentiveCNN, QACNN])
def test_dropout_is_of_the_vectors_that_are_compared(model_class):
    keras.utils.set_random_seed(0)
    model = small_model(model_class, dropout=0.5)
    encoded = {
        "question": model.question_encoder(PAIRS["question"], training=True),
        "answer": model.answer_encoder(PAIRS["answer"], training=True),
    }
    calm = ops.convert_to_numpy(model.head(encoded, training=False))[:, 0]
    np.testing.assert_allclose(calm, _score(model), atol=1e-6)
    dropped = ops.convert_to_numpy(model.head(encoded, training=True))[:, 0]
    assert (dropped != calm)[WITH_WORDS].any()


@pytest.mark.once
@pytest.mark.parametrize("model_class", MODELS)
def test_l2_on_all_trainable_parameters(model_class):
    model = small_model(model_class, l2=0.3)
    check_l2(model, 0.3)
    assert not small_model(model_class).losses


@pytest.mark.parametrize(
    "model_class",
    [
        AttentiveLSTM,
        pytest.param(ConvPoolingLSTM, marks=pytest.mark.once),
        pytest.param(FengCNN, marks=pytest.mark.once),
    ],
)
def test_training_moves_all_weights_and_the_words_that_it_saw(model_class):
    keras.utils.set_random_seed(0)
    model = small_model(model_class)
    before = [ops.convert_to_numpy(w).copy() for w in model.trainable_weights]
    model.compile(keras.optimizers.SGD(0.1), loss="mse")
    model.fit(PAIRS, np.ones((4, 1)), epochs=3, verbose=0)
    for weight, old in zip(model.trainable_weights, before, strict=True):
        assert (ops.convert_to_numpy(weight) != old).any(), weight.path
    moved = ops.convert_to_numpy(
        model.embedding.embeddings
    ) != embeddings().astype("float32")
    seen = {*QUESTION[:2].ravel(), *ANSWER[:2].ravel()}
    assert set(np.flatnonzero(moved.any(1))) == seen - {0}


@pytest.mark.once
@pytest.mark.parametrize(
    ("model_class", "settings", "message"),
    [
        (
            AttentiveCNN,
            {"attention_units": 0},
            r"`attention_units` must be .* attention_units=0",
        ),
        (AttentiveLSTM, {"pooling": "head_tail"}, r"`pooling` must be one of"),
        (ConvBasedLSTM, {"filters": 0}, r"`filters` must be .* filters=0"),
        (ConvPoolingLSTM, {"kernel_size": 0}, r"`kernel_size` must be a pos"),
        (FengCNN, {"hidden_units": 0}, r"`hidden_units` must be a positive"),
        (QACNN, {"similarity": "dot"}, r"`similarity` must be one of .*'dot'"),
        (QALSTM, {"pooling": "sum"}, r"`pooling` must be one of .*'sum'"),
        (
            QALSTM,
            {"embeddings": np.zeros((4, 5))},
            r"`embeddings` must have .* = \(30, 100\). Received: .*\(4, 5\)",
        ),
    ],
)
def test_errors(model_class, settings, message):
    with pytest.raises(ValueError, match=message):
        model_class(VOCABULARY, **settings)
