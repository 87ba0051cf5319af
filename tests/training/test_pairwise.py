"""Pairwise training: batches, and the packed step against the padded one."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa.batches.pairs import PairwiseBatches
from keras_qa.losses.pairwise import PairwiseHinge
from keras_qa.models import CosineQA
from keras_qa.models import HyperQA
from keras_qa.text.packing import RaggedTexts
from keras_qa.text.vector_texts import VectorTexts
from keras_qa.training.pairwise import PairwiseTrainer
from support.layer_checks import quick_call

VOCABULARY, TEXTS, GROUPS, NEGATIVES = 40, 30, 11, 3


def _texts():
    """Texts of 0 to 8 words; few words, so that they repeat within a text."""
    rng = np.random.default_rng(0)
    return RaggedTexts.from_sequences(
        [
            rng.integers(2, VOCABULARY, size)
            for size in rng.integers(0, 9, TEXTS)
        ]
    )


def _sampler(epoch):
    """Questions are never among the answers: at distance 0, rounding decides
    the direction of the gradient."""
    rng = np.random.default_rng(epoch)
    return (
        rng.integers(0, 8, GROUPS),
        rng.integers(8, TEXTS, GROUPS),
        rng.integers(8, TEXTS, (GROUPS, NEGATIVES)),
    )


def _batches(**settings):
    return PairwiseBatches(
        _texts(), _sampler, **{"batch_size": 4, "seed": 3, **settings}
    )


def _model(model_class=HyperQA, **settings):
    keras.utils.set_random_seed(1)
    model = model_class(VOCABULARY, 6, 5, **settings)
    for weight in model.trainable_weights:
        if weight.path.endswith("bias"):
            weight.assign(np.full(weight.shape, 0.1))
    return model


def _numpy(values):
    return [ops.convert_to_numpy(value) for value in values]


def _gradients(model, batches):
    """The gradients of one batch's loss, as a step of rate 1 shows them."""
    trainer = PairwiseTrainer(model)
    trainer.compile(keras.optimizers.SGD(1.0), loss=PairwiseHinge(2.0))
    before = model.get_weights()
    trainer.train_on_batch(*batches[0])
    after = model.get_weights()
    model.set_weights(before)
    return [b - a for b, a in zip(before, after, strict=True)]


SETTINGS = {
    "paper": {},
    "expmap": {"projection": "expmap"},
    "fixed scale": {"projection": "expmap", "trainable_scale": False},
    "mean": {"pooling": "mean"},
    "three layers": {"projection_layers": 3, "activation": "tanh"},
    "l2": {"l2": 0.05},
    "concatenated": {"concatenate_embeddings": True},
    "embeddings": {"trainable_embeddings": True},
}
# What packing can do in another way on another backend.
EVERYWHERE = ("paper", "mean", "embeddings")


@pytest.mark.parametrize(
    ("model_class", "settings"),
    [
        *(
            pytest.param(
                HyperQA,
                settings,
                marks=[] if name in EVERYWHERE else pytest.mark.once,
            )
            for name, settings in SETTINGS.items()
        ),
        (CosineQA, {}),
        (CosineQA, {"pooling": "mean", "concatenate_embeddings": True}),
    ],
    ids=[*SETTINGS, "cosine", "cosine mean concatenated"],
)
def test_packed_and_padded_batches_train_alike(model_class, settings):
    model = _model(model_class, **settings)
    trainer = PairwiseTrainer(model)
    packed, padded = _batches(packed=True), _batches(packed=False)
    for index in range(len(packed)):
        scores = [
            ops.convert_to_numpy(quick_call(trainer, batches[index][0]))
            for batches in (packed, padded)
        ]
        assert scores[0].shape == (len(packed[index][1]), 1 + NEGATIVES)
        np.testing.assert_allclose(scores[0], scores[1], rtol=1e-5, atol=1e-5)
    found = _gradients(model, packed)
    expected = _gradients(model, padded)
    assert sum(np.abs(gradient).max() > 1e-3 for gradient in expected) >= 2
    for weight, a, b in zip(model.weights, found, expected, strict=True):
        scale = max(1, np.abs(b).max())
        np.testing.assert_allclose(
            a / scale, b / scale, rtol=1e-5, atol=1e-5, err_msg=weight.path
        )


@pytest.mark.parametrize("dtype", ["mixed_float16", "mixed_bfloat16"])
def test_packed_batches_keep_float32_scores_in_mixed_precision(dtype):
    trainer = PairwiseTrainer(_model(dtype=dtype))
    packed, padded = (
        quick_call(trainer, _batches(packed=packed)[0][0])
        for packed in (True, False)
    )
    assert keras.backend.standardize_dtype(packed.dtype) == "float32"
    np.testing.assert_allclose(*_numpy([packed, padded]), rtol=0.05, atol=0.2)


def test_gradient_of_the_projection_in_numpy():
    """The packed step against the chain rule through eq. 1, 2, 6 and 7.

    The distance gets weight 0 and the concatenated vectors a weight u each,
    so that the score is u (q + a).
    """
    texts = RaggedTexts.from_sequences([[2, 3, 2], [4], [3, 3]])
    model = HyperQA(
        5, 2, 3, concatenate_embeddings=True, activation=None, pooling="sum"
    )
    # Short vectors, which the clip leaves alone; no weight on the distance.
    model.embedding.embeddings.assign(
        np.array([[9, 9], [9, 9], [1, 2], [3, -1], [0, 2]]) * 0.01
    )
    u = np.array([1.0, -2.0, 0.5])
    for weight in model.trainable_weights:
        if weight.path == "score/kernel":
            weight.assign([[0.0]])
        if weight.path == "embeddings_score/kernel":
            weight.assign(np.concatenate([u, u])[:, None])
    batches = PairwiseBatches(
        texts, lambda _: (np.array([0]), np.array([1]), np.array([[2]])), 1
    )
    gradient = {
        weight.path: value
        for weight, value in zip(
            model.weights, _gradients(model, batches), strict=True
        )
    }
    # Loss = 2 - s(q, a) + s(q, a'), so dL/dW = sum of z (words of a' less
    # words of a) times u, and dL/db the same with 1 for z.
    z = np.array([0.06, -0.02]) - np.array([0.0, 0.02])
    np.testing.assert_allclose(
        gradient["projection/projection_0/kernel"], np.outer(z, u), atol=1e-5
    )
    np.testing.assert_allclose(
        gradient["projection/projection_0/bias"], (2 - 1) * u, atol=1e-5
    )


@pytest.mark.parametrize("packed", [True, False])
def test_empty_texts_give_finite_gradients(packed):
    texts = RaggedTexts.from_sequences([[], [2, 3]])
    groups = [0, 0, 1], [0, 1, 0], [[0], [0], [0]]
    batches = PairwiseBatches(
        texts, lambda _: tuple(map(np.array, groups)), 3, packed=packed
    )
    for model in (_model(), _model(projection="expmap"), _model(CosineQA)):
        for gradient in _gradients(model, batches):
            assert np.isfinite(gradient).all()


@pytest.mark.compiled
@pytest.mark.once
def test_fits_a_scorer_that_knows_nothing_of_packing():
    texts = {
        side: keras.Input((None,), dtype="int32", name=side)
        for side in ("question", "answer")
    }
    embedding = keras.layers.Embedding(VOCABULARY, 4)
    pooling = keras.layers.GlobalMaxPooling1D()
    vectors = [pooling(embedding(ids)) for ids in texts.values()]
    scorer = keras.Model(texts, keras.layers.Dot(1)(vectors))
    trainer = PairwiseTrainer(scorer)
    assert not trainer.supports_packing
    trainer.compile("adam", loss=PairwiseHinge())
    before = scorer.get_weights()
    history = trainer.fit(_batches(packed=False), epochs=2, verbose=0)
    assert np.isfinite(history.history["loss"]).all()
    assert (scorer.get_weights()[0] != before[0]).any()

    inputs, _ = _batches(packed=False)[0]
    scores = ops.convert_to_numpy(trainer(inputs))
    for row in range(4):
        for column in range(1 + NEGATIVES):
            pair = {
                "question": inputs["question"][row : row + 1],
                "answer": inputs["answers"][row, column][None],
            }
            np.testing.assert_allclose(
                scores[row, column],
                ops.convert_to_numpy(scorer(pair))[0, 0],
                rtol=1e-5,
            )


@pytest.mark.compiled
@pytest.mark.parametrize("packed", [True, False])
def test_training_separates_positives_from_negatives(packed):
    """The positive of each question holds its words, the negatives do not."""
    texts = RaggedTexts.from_sequences(
        [[2 + i, 12 + i] for i in range(10)] + [[12 + i, 25] for i in range(10)]
    )
    question = np.arange(10)

    def sampler(epoch):
        shift = np.random.default_rng(epoch).integers(1, 10, (10, 4))
        return question, 10 + question, 10 + (question[:, None] + shift) % 10

    keras.utils.set_random_seed(1)
    # Enough units to keep ten questions apart; embeddings of their own.
    trainer = PairwiseTrainer(HyperQA(VOCABULARY, 16, 16, activation="tanh"))
    trainer.compile(keras.optimizers.Adagrad(0.05), loss=PairwiseHinge(1.0))
    history = trainer.fit(
        PairwiseBatches(texts, sampler, 5, packed=packed), epochs=25, verbose=0
    )
    losses = history.history["loss"]
    assert losses[-1] < 0.5 * losses[0]


@pytest.mark.once
def test_the_loss_of_an_epoch_is_the_mean_over_groups():
    trainer = PairwiseTrainer(_model())
    trainer.compile(keras.optimizers.SGD(0.0), loss=PairwiseHinge())
    batches = _batches()
    history = trainer.fit(batches, verbose=0)
    scores = np.concatenate(
        _numpy(
            trainer(inputs) for inputs, _ in map(batches.__getitem__, range(3))
        )
    )
    assert scores.shape == (GROUPS, 1 + NEGATIVES)
    losses = np.maximum(0, 1 - scores[:, :1] + scores[:, 1:]).sum(1)
    np.testing.assert_allclose(
        history.history["loss"], losses.mean(), rtol=1e-5
    )


@pytest.mark.compiled
@pytest.mark.once
def test_trainer_saves_with_its_scorer(tmp_path):
    trainer = PairwiseTrainer(_model(projection="expmap"))
    trainer.compile("adagrad", loss=PairwiseHinge(2.0))
    trainer.fit(_batches(), verbose=0)
    trainer.save(tmp_path / "trainer.keras")
    reloaded = keras.models.load_model(tmp_path / "trainer.keras")
    inputs, _ = _batches()[0]
    np.testing.assert_array_equal(*_numpy([reloaded(inputs), trainer(inputs)]))
    assert reloaded.loss.margin == 2.0


@pytest.mark.once
def test_dropout_is_not_packed():
    trainer = PairwiseTrainer(_model(dropout=0.5))
    assert not trainer.supports_packing
    with pytest.raises(ValueError, match=r"`inputs` must be padded.*Received"):
        trainer(_batches()[0][0])
    trainer.compile("adagrad", loss=PairwiseHinge())
    trainer.fit(_batches(packed=False), verbose=0)


@pytest.mark.once
def test_each_epoch_is_drawn_once_before_it_starts():
    drawn = []

    def sampler(epoch):
        drawn.append(epoch)
        return _sampler(epoch)

    trainer = PairwiseTrainer(_model())
    trainer.compile("sgd", loss=PairwiseHinge())
    seen = []
    batches = PairwiseBatches(_texts(), sampler, 4)
    note = keras.callbacks.LambdaCallback(
        on_epoch_begin=lambda epoch, logs: seen.append(list(drawn))
    )
    trainer.fit(batches, initial_epoch=5, epochs=8, verbose=0, callbacks=[note])
    assert drawn == [5, 6, 7]
    assert seen == [[5], [5, 6], [5, 6, 7]]


@pytest.mark.compiled
@pytest.mark.once
def test_a_resumed_training_repeats_an_uninterrupted_one():
    model = _model()
    start = model.get_weights()
    histories = []
    for parts in ([(0, 4)], [(0, 2), (2, 4)]):
        model.set_weights(start)
        trainer = PairwiseTrainer(model)
        trainer.compile(keras.optimizers.SGD(0.1), loss=PairwiseHinge())
        losses = []
        for first, last in parts:
            losses += trainer.fit(
                _batches(batch_size=1),
                initial_epoch=first,
                epochs=last,
                verbose=0,
            ).history["loss"]
        histories.append(losses)
    np.testing.assert_allclose(*histories, rtol=1e-6)


def test_batches_depend_on_seed_and_epoch_alone():
    def answers(seed, epoch):
        batches = _batches(seed=seed, packed=False)
        batches.start_epoch(epoch)
        return [batches[i][0]["answers"].tolist() for i in range(len(batches))]

    assert answers(0, 0) == answers(0, 0)
    assert answers(0, 0) != answers(1, 0)
    assert answers(0, 0) != answers(0, 1)


@pytest.mark.parametrize("packed", [True, False])
def test_an_epoch_holds_every_group_once(packed):
    batches = _batches(packed=packed)
    assert len(batches) == 3
    sizes, lengths = [], []
    for index in range(3):
        inputs, labels = batches[index]
        np.testing.assert_array_equal(labels[:, 0], 1)
        np.testing.assert_array_equal(labels[:, 1:], 0)
        sizes.append(len(labels))
        if packed:
            lengths += inputs["lengths"][inputs["answers"]].ravel().tolist()
        else:
            lengths += (inputs["answers"] > 0).sum(2).ravel().tolist()
    assert sizes == [4, 4, 3]
    _, positive, negatives = _sampler(0)
    expected = _texts().lengths[[*positive, *negatives.ravel()]]
    assert sorted(lengths) == sorted(expected.tolist())


def test_padded_widths_of_the_first_batches_differ():
    batches = _batches(packed=False)
    if keras.backend.backend() == "jax":
        assert batches[0][0]["question"].shape[1] in (1, 2, 3, 4, 6, 8)
    else:
        for index in range(3):
            for ids in batches[index][0].values():
                assert ids.shape[-1] % 2 == index % 2


@pytest.mark.once
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"batch_size": 0}, "`batch_size` must be a positive int"),
        (
            {
                "sampler": lambda _: (
                    np.arange(3),
                    np.arange(2),
                    np.ones((3, 1)),
                )
            },
            r"`sampler` must return .* Received: \(3,\), \(2,\) and \(3, 1\)",
        ),
    ],
)
def test_errors(settings, message):
    arguments = {"sampler": _sampler, "batch_size": 4, **settings}
    with pytest.raises(ValueError, match=message):
        len(PairwiseBatches(_texts(), **arguments))


@pytest.mark.once
def test_arrays_and_weights_of_questions():
    """As with `keras.Model.fit`; a row's classes would be its columns."""
    trainer = PairwiseTrainer(CosineQA(VOCABULARY, 4, 3))
    trainer.compile(keras.optimizers.SGD(0.0), loss=PairwiseHinge())
    inputs, labels = _batches(packed=False)[0]
    for weight in (1.0, 0.0):
        weights = np.full(len(labels), weight)
        history = trainer.fit(inputs, labels, sample_weight=weights, verbose=0)
        assert (history.history["loss"][0] > 0) == (weight > 0)
    with pytest.raises(ValueError, match="`class_weight` must be None"):
        trainer.fit(inputs, labels, class_weight={0: 1.0, 1: 2.0})


def test_features_and_vectors_reach_the_scorer():
    """The score is the features' sum and that of both texts' numbers."""
    texts = VectorTexts(
        np.arange(24, dtype=np.float32).reshape(12, 2), np.array([0, 3, 7, 12])
    )
    inputs = {
        "question": keras.Input((None, 2), name="question"),
        "answer": keras.Input((None, 2), name="answer"),
        "overlap": keras.Input((3,), name="overlap"),
    }
    sums = [ops.sum(x, axis=tuple(range(1, x.ndim))) for x in inputs.values()]
    scorer = keras.Model(inputs, (sums[0] + sums[1] + sums[2])[:, None])
    batches = PairwiseBatches(
        texts,
        lambda _: (np.array([0, 1]), np.array([1, 0]), np.array([[2], [2]])),
        batch_size=1,
        packed=False,
        features=lambda q, a: {
            "overlap": np.stack([q, a, q * a], axis=1).astype(np.float32)
        },
    )
    totals = [texts[i].sum() for i in range(3)]
    for index in range(2):
        inputs, _ = batches[index]
        question = totals.index(inputs["question"].sum())
        answers = (1 - question, 2)
        expected = [
            totals[question] + totals[a] + question + a + question * a
            for a in answers
        ]
        found = ops.convert_to_numpy(PairwiseTrainer(scorer)(inputs))
        np.testing.assert_allclose(found, [expected])
