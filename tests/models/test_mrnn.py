"""MRNN against its equations in NumPy, by parts, saved and trained."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa.attention.weights import attention_weights
from keras_qa.models import MRNN
from keras_qa.ranking import scoring
from keras_qa.ranking.scoring import score_pairs
from keras_qa.text.packing import RaggedTexts
from keras_qa.text.reading import TextReading
from keras_qa.text.vocabulary import Vocabulary
from keras_qa.training.pairwise import HardestNegativeTrainer
from support.all_models import scores_of
from support.layer_checks import MODES
from support.layer_checks import QUICKEST
from support.layer_checks import run
from support.model_checks import check_reload
from support.mrnn_reference import contextualize
from support.mrnn_reference import dense_maps
from support.mrnn_reference import distance
from support.mrnn_reference import randomize

VOCABULARY, DIM = 30, 3
SIZES = {"filters": 4, "blocks": 2, "max_document_length": 5}
QUESTION = np.array([[3, 7, 7, 2], [9, 0, 0, 0], [4, 5, 0, 0], [0] * 4])
ANSWER = np.array([[8, 3, 1], [5, 6, 0], [0] * 3, [4, 0, 0]])
PAIRS = {"question": QUESTION.astype("int32"), "answer": ANSWER.astype("int32")}


def _embeddings():
    return np.random.default_rng(0).normal(size=(VOCABULARY, DIM))


def _model(vocabulary_size=VOCABULARY, **settings):
    if vocabulary_size is not None:
        settings = {"embeddings": _embeddings(), **settings}
    model = MRNN(vocabulary_size, DIM, **{**SIZES, **settings})
    for layer in model.duplex, *_blocks(model):
        randomize(layer, 0.5)
    return model


def _blocks(model):
    """The n-gram blocks of the question and of the answer."""
    return [
        encoder.get_layer(name)
        for encoder, name in (
            (model.question_encoder, "blocks"),
            (
                model.answer_encoder,
                "blocks" if model.share_blocks else "answer_blocks",
            ),
        )
    ]


def _expected(model, question, answer):
    """Score and weights of a pair of ids; those of the blocks first."""
    table = _embeddings().astype("float32").astype(float)
    layers = list(model.duplex.resolution.values())
    read = [
        contextualize(dense_maps([table[ids[ids > 0]]], blocks)[0], layer)
        for ids, blocks, layer in zip(
            (question, answer),
            _blocks(model),
            (layers[0], layers[-1]),
            strict=True,
        )
    ]
    far, positions = distance(read[0][0], read[1][0], model.duplex.matching)
    if model.sentence_term is not None:
        q, a = (table[ids[ids > 0]].sum(0) for ids in (question, answer))
        cosine = q @ a / np.linalg.norm(q) / np.linalg.norm(a)
        far += model.sentence_term * (1 - cosine)
    return -far, read[0][1], read[1][1], positions


def _score(model, question=QUESTION, answer=ANSWER, mode=QUICKEST):
    return scores_of(model, question, answer, mode)


# Eagerly, and in a graph in training, the other tests run them.
@pytest.mark.once
@pytest.mark.parametrize("mode", MODES[1:] or MODES)
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {
            "share_blocks": False,
            "share_attention": False,
            "hidden_units": (3,),
            "max_document_length": 2,
        },
        {"blocks": 1, "query_attention": False, "pooling": "avg"},
        {"batch_normalization": False, "sentence_term": 1.5},
        {
            "n_gram_attention": False,
            "without_n_gram_attention": "last",
            "kernel_size": 2,
            "pool_size": 3,
        },
    ],
)
def test_the_equations(settings, mode):
    model = _model(**settings)
    scores = _score(model, mode=mode)
    for row in (0, 1):
        expected, *_ = _expected(model, QUESTION[row], ANSWER[row])
        assert scores[row] == pytest.approx(expected, rel=1e-4)
    assert scores[3] == -(model.sentence_term or 0)
    assert (scores[:3] < 0).all()


@pytest.mark.once
@pytest.mark.parametrize("sentence_term", [None, 1.5])
def test_texts_encoded_once_meet_all_others(sentence_term):
    model = _model(share_blocks=False, sentence_term=sentence_term)
    rows, columns = (x.ravel() for x in np.indices((4, 4)))

    def by_parts(question, answer):
        encoded = {
            "question": model.question_encoder(question),
            "answer": model.answer_encoder(answer),
        }
        crossed = {
            side: keras.tree.map_structure(
                lambda x, i=i: ops.take(x, i, axis=0), encoded[side]
            )
            for side, i in (("question", rows), ("answer", columns))
        }
        all_pairs = model.pair_distances(question, answer)
        return model.head(encoded), model.head(crossed), all_pairs

    pairs, crossed, distances = run(by_parts, *PAIRS.values(), mode=QUICKEST)
    np.testing.assert_allclose(pairs[:, 0], _score(model), atol=1e-6)
    expected = _score(model, QUESTION[rows], ANSWER[columns])
    np.testing.assert_allclose(crossed[:, 0], expected, rtol=1e-5)
    np.testing.assert_allclose(-distances.ravel(), expected, rtol=1e-4)


@pytest.mark.once
def test_padding_behind_the_words_changes_nothing():
    model = _model(max_document_length=9)
    wide = [np.pad(x, ((0, 0), (0, 8))) for x in (QUESTION, ANSWER)]
    np.testing.assert_allclose(_score(model, *wide), _score(model), rtol=1e-5)


@pytest.mark.once
def test_attention_gives_all_weights():
    model = _model(max_document_length=2)
    words = model.attention.predict(PAIRS, verbose=0)
    maps = model.attention_maps.predict(PAIRS, verbose=0)
    assert list(words) == ["answer"]
    assert words["answer"].shape == ANSWER.shape
    for row in (0, 1):
        n, m = (int((x[row] > 0).sum()) for x in (QUESTION, ANSWER))
        _, question, answer, positions = _expected(
            model, QUESTION[row], ANSWER[row]
        )
        found = maps["question_blocks"][row, :n]
        np.testing.assert_allclose(found, question, rtol=1e-4)
        found = maps["answer_blocks"][row, :m]
        np.testing.assert_allclose(found, answer, rtol=1e-4)
        # The third word of the first answer is cut off.
        found = maps["positions"][row, :n]
        np.testing.assert_allclose(found[:, :2], positions, rtol=1e-4)
        np.testing.assert_array_equal(found[:, 2:], 0)
        np.testing.assert_allclose(
            words["answer"][row], found.mean(0), rtol=1e-5
        )


@pytest.mark.once
def test_word_vectors_in_place_of_ids():
    model, twin = _model(None), _model()
    vectors = {
        side: _embeddings()[ids].astype("float32") * (ids > 0)[..., None]
        for side, ids in PAIRS.items()
    }
    found = ops.convert_to_numpy(model(vectors))[:, 0]
    np.testing.assert_allclose(found, _score(twin), rtol=1e-5)
    distances = ops.convert_to_numpy(
        model.pair_distances(vectors["question"], vectors["answer"])
    )
    np.testing.assert_allclose(-np.diag(distances), found, rtol=1e-4)
    assert model.embedding is None
    assert model.core_parameters == twin.core_parameters


@pytest.mark.once
@pytest.mark.parametrize("share_blocks", [False, True])
def test_a_principal_start_keeps_what_vectors_differ_in(share_blocks):
    rng = np.random.default_rng(3)
    plane = np.linalg.qr(rng.normal(size=(DIM, 2)))[0]
    # Two directions have all but a little of the variance.
    vectors = rng.normal(size=(50, 2)) @ plane.T + 5
    vectors += 1e-6 * rng.normal(size=vectors.shape)
    model = _model(filters=2, share_blocks=share_blocks)
    model.start_principal(vectors)
    for blocks in _blocks(model):
        kernel = ops.convert_to_numpy(blocks.stack[0].kernel)[0]
        np.testing.assert_allclose(kernel.T @ kernel, np.eye(2), atol=1e-5)
        np.testing.assert_allclose(
            kernel @ kernel.T, plane @ plane.T, atol=1e-5
        )
    with pytest.raises(ValueError, match="`filters` must not exceed"):
        _model(filters=4).start_principal(vectors)


@pytest.mark.once
def test_parameter_counts():
    blocks = 300 * 1024 + 6 * 3 * 1024**2 + (3 * 1024 + 1) * 4
    assert blocks == 19_193_860
    attention = 6 * 4 + 258 * 256
    assert MRNN(9).core_parameters == blocks + attention
    pair = MRNN(9, share_blocks=False, share_attention=False)
    assert pair.core_parameters == 2 * blocks + attention + 6 * 4


@pytest.mark.once
@pytest.mark.parametrize(
    "settings",
    [
        {
            "n_gram_attention": False,
            "position_initializer": keras.initializers.Identity(0.5),
            "momentum": 0.5,
            "dropout": 0.1,
            "name": "other",
        },
        {"hidden_units": [3], "share_blocks": False, "pooling": None},
        {
            "vocabulary_size": None,
            "dtype": "mixed_bfloat16",
            "sentence_term": 2.0,
            "batch_normalization": False,
            "later_scale": 0.05,
        },
    ],
)
def test_saves_and_reloads_without_the_matrix(settings, tmp_path):
    original = _model(**settings)
    inputs = PAIRS
    if original.vocabulary_size is None:
        inputs = {s: np.ones((2, 3, DIM), "float32") for s in PAIRS}
    check_reload(original, lambda m: ops.convert_to_numpy(m(inputs)), tmp_path)


@pytest.mark.once
@pytest.mark.parametrize("dtype", ["mixed_bfloat16", "mixed_float16"])
def test_scores_in_float32_under_mixed_precision(dtype):
    model, full = _model(dtype=dtype), _model()
    scores = _score(model)
    assert scores.dtype == "float32"
    np.testing.assert_allclose(scores, _score(full), rtol=0.05)
    vectors = model.answer_encoder(PAIRS["answer"])["vectors"]
    assert keras.backend.standardize_dtype(vectors.dtype) == "float32"


def test_training_moves_all_weights_but_the_words():
    keras.utils.set_random_seed(0)
    model = _model(hidden_units=(3,), momentum=0.5, dropout=0.1)
    before = [ops.convert_to_numpy(w).copy() for w in model.weights]
    model.compile(keras.optimizers.SGD(0.01), loss="mse")
    model.fit(PAIRS, np.zeros((4, 1)), epochs=2, verbose=0)
    for weight, old in zip(model.weights, before, strict=True):
        new = ops.convert_to_numpy(weight)
        assert np.isfinite(new).all()
        moved = not weight.path.startswith("embedding")
        assert (new != old).any() == moved, weight.path


@pytest.mark.once
def test_moving_averages_are_over_both_texts():
    """A step moves them to the answers' statistics, then to the questions'."""
    model = _model(momentum=0.75)
    first = _blocks(model)[0].stack[0]
    moving = (
        first.normalization.moving_mean,
        first.normalization.moving_variance,
    )
    old = [ops.convert_to_numpy(x) for x in moving]
    kernel = ops.convert_to_numpy(first.kernel)[0]
    texts = [_embeddings()[ids[ids > 0]] @ kernel for ids in (ANSWER, QUESTION)]
    model.compile(keras.optimizers.SGD(0.01), loss="mse")
    model.fit(PAIRS, np.zeros((4, 1)), verbose=0)
    for found, start, of in zip(moving, old, (np.mean, np.var), strict=True):
        expected = start
        for text in texts:
            expected = 0.75 * expected + 0.25 * of(text, axis=0)
        np.testing.assert_allclose(
            ops.convert_to_numpy(found), expected, rtol=1e-4, atol=1e-5
        )


@pytest.mark.once
def test_questions_of_all_lengths_are_encoded_once(monkeypatch):
    monkeypatch.setattr(scoring, "POSITIONS", 64)
    monkeypatch.setattr(scoring, "NUMBERS", 16 * 20 * 4)
    rng = np.random.default_rng(0)
    texts = RaggedTexts.from_sequences(
        [rng.integers(2, VOCABULARY, n) for n in (0, 1, 3, 17, 40)]
    )
    model = _model(max_document_length=30)
    questions, answers = (rng.integers(0, 5, 20) for _ in range(2))
    expected = _score(model, texts.padded(questions), texts.padded(answers))
    found = score_pairs(model, texts, questions, answers)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.once
def test_the_hardest_negatives_are_found_by_parts():
    model = _model()
    question, answer = np.array([[0, 1], [0, 0], [1, 3], [2, 1]]).T
    inputs = {
        "question": PAIRS["question"],
        "parts": [
            {
                "pairs": np.stack([question, answer], 1).astype("int32"),
                "texts": PAIRS["answer"],
            }
        ],
        "choice": np.array([[0, 1], [3, 2]]),
    }
    found = ops.convert_to_numpy(HardestNegativeTrainer(model).mine(inputs))
    expected = _score(model, QUESTION[question], ANSWER[answer])
    np.testing.assert_allclose(found, expected[inputs["choice"]], rtol=1e-5)


@pytest.mark.once
@pytest.mark.skipif(
    keras.backend.backend() == "jax", reason="slow where it is not compiled"
)
def test_attention_of_texts():
    words = Vocabulary([f"w{i}" for i in range(VOCABULARY - 2)])
    reading = TextReading(words)
    seen = attention_weights(_model(), reading, "w1 w2", "w3 w4 w5")
    assert [word.weight for word in seen.question] == [None, None]
    assert sum(word.weight for word in seen.answer) == pytest.approx(1)


@pytest.mark.once
@pytest.mark.skipif(
    keras.backend.backend() != "tensorflow", reason="a graph of TensorFlow"
)
def test_ranks_texts_in_a_graph():
    from keras_qa.export.text_graph import TextEncoder
    from keras_qa.export.text_graph import text_signatures

    words = Vocabulary([f"w{i}" for i in range(VOCABULARY - 2)])
    model, any_length = _model(), {"question": None, "answer": None}
    rank = text_signatures(
        model, TextEncoder(words.words), TextReading(words), any_length
    )["rank"]
    found = rank(question="w1 w2", candidates=["w3 w1", "w2"])["scores"]
    expected = _score(model, np.array([[3, 4]] * 2), np.array([[5, 3], [4, 0]]))
    np.testing.assert_allclose(found, expected, rtol=1e-5)


@pytest.mark.once
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"vocabulary_size": 0}, "`vocabulary_size` must .*=0"),
        ({"embedding_dim": 0}, "`embedding_dim` must .*=0"),
        ({"filters": 0}, "`filters` must be .*=0"),
        ({"max_document_length": 0}, "`max_document_length` must .*=0"),
        (
            {"embeddings": np.zeros((4, 5))},
            r"`embeddings` must have .* = \(30, 300\). Received: .*\(4, 5\)",
        ),
        (
            {"vocabulary_size": None, "embeddings": np.zeros((4, 5))},
            r"`embeddings` must be None .* embeddings.shape=\(4, 5\)",
        ),
    ],
)
def test_errors(settings, message):
    with pytest.raises(ValueError, match=message):
        MRNN(**{"vocabulary_size": VOCABULARY, **settings})
