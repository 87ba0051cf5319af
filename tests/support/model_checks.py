"""Checks that models of several papers must pass."""

import keras
import numpy as np
import pytest
from keras import ops

from support.all_models import scores_of
from support.layer_checks import QUICKEST

VOCABULARY, DIM = 30, 4
# The last two lack a text.
QUESTION = np.array(
    [[3, 7, 7, 2, 5], [9, 4, 0, 0, 0], [0] * 5, [4] + [0] * 4], "int32"
)
ANSWER = np.array([[8, 3, 1, 4], [5, 6, 0, 0], [4, 2, 0, 0], [0] * 4], "int32")


def random_model(model_class, factor, **settings):
    """A small model whose weights are all random, biases too."""
    embeddings = np.random.default_rng(0).normal(size=(VOCABULARY, DIM))
    model = model_class(VOCABULARY, DIM, embeddings=embeddings, **settings)
    rng = np.random.default_rng(1)
    for weight in model.trainable_weights:
        weight.assign(rng.normal(size=weight.shape) * factor)
    return model


def weights_of(model, layer):
    weights = model.get_layer(layer).weights
    return [ops.convert_to_numpy(w).astype(float) for w in weights]


def words_of(model, ids):
    """The vectors of a text without its padding."""
    return weights_of(model, "embedding")[0][ids[ids > 0]]


def dense(model, layer, x):
    kernel, bias = weights_of(model, layer)
    return x @ kernel + bias


def check_scores(model, score):
    """Scores of texts, padded or not, are those of the equations."""
    found = scores_of(model, QUESTION, ANSWER, QUICKEST)
    expected = [score(model, *p) for p in zip(QUESTION, ANSWER, strict=True)]
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    more = [np.pad(x, ((0, 0), (0, 2))) for x in (QUESTION, ANSWER)]
    padded = scores_of(model, *more, "eager")
    np.testing.assert_allclose(padded, found, rtol=1e-5, atol=1e-6)


def check_features(model, score, question, answer):
    """Overlap features are standardised and joined; the last pair is empty."""
    features = np.array([[0.5, 3.0], [0.1, 1.0], [0.2, -2.0], [0, 0]])
    model.adapt_overlap(features)
    inputs = {"question": question, "answer": answer, "overlap": features}
    scores = ops.convert_to_numpy(model(inputs))[:, 0]
    standard = (features - features.mean(0)) / features.std(0)
    for row in range(3):
        expected = score(model, question[row], answer[row], standard[row])
        assert scores[row] == pytest.approx(expected, abs=1e-4)
    with pytest.raises(ValueError, match="overlap_features=0"):
        type(model)(9, 3).adapt_overlap(features)


def check_parts(model, question, answer):
    """Encoders and head give the model's scores, of padded texts, too."""
    more = [np.pad(x, ((0, 0), (0, 4))) for x in (question, answer)]
    encoded = {
        "question": model.question_encoder(more[0]),
        "answer": model.answer_encoder(more[1]),
    }
    found = ops.convert_to_numpy(model.head(encoded))[:, 0]
    expected = scores_of(model, question, answer, QUICKEST)
    np.testing.assert_allclose(found, expected, atol=1e-5)


def check_reload(model, score, folder):
    """A saved model is as it was; returns it as it is loaded."""
    model.save(folder / "model.keras")
    reloaded = keras.models.load_model(folder / "model.keras")
    assert type(reloaded) is type(model)
    assert reloaded.get_config() == model.get_config()
    assert reloaded.core_parameters == model.core_parameters
    np.testing.assert_array_equal(score(reloaded), score(model))
    return reloaded


def l2_penalty(model, factor):
    return factor * sum(
        (ops.convert_to_numpy(w).astype(float) ** 2).sum()
        for w in model.trainable_weights
    )


def check_l2(model, factor):
    """The losses of a model are the penalty of all trainable weights."""
    found = ops.convert_to_numpy(sum(model.losses))
    np.testing.assert_allclose(found, l2_penalty(model, factor), rtol=1e-5)
