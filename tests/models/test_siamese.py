"""ARC-I, CNTN, NTN-LSTM and HD-LSTM against NumPy loops."""

import numpy as np
import pytest

from keras_qa.models import ARCI
from keras_qa.models import CNTN
from keras_qa.models import HDLSTM
from keras_qa.models import NTNLSTM
from support import siamese_reference
from support.all_models import scores_of
from support.convolutional_reference import make_model
from support.layer_checks import QUICKEST
from support.model_checks import check_features
from support.model_checks import check_parts

# Texts of all lengths, so also of fewer words than a filter has.
QUESTION = np.array(
    [[3, 7, 7, 2, 9], [9, 4, 0, 0, 0], [4, 0, 0, 0, 0], [0] * 5], "int32"
)
ANSWER = np.array(
    [
        [8, 3, 1, 5, 9, 2, 6],
        [5, 1, 1, 4, 0, 0, 0],
        [4, 5, 2] + [0] * 4,
        [0] * 7,
    ],
    "int32",
)
WITH_WORDS = range(3)
CNTN_SIZES = {"filters": 3, "units": 4, "blocks": 2, "k": 2, "slices": 2}
ARCI_SIZES = {"filters": 4, "hidden_units": 3}
SETTINGS = [
    (ARCI, ARCI_SIZES),
    (ARCI, {**ARCI_SIZES, "blocks": 1, "shared_encoder": False}),
    (CNTN, CNTN_SIZES),
    (CNTN, {**CNTN_SIZES, "blocks": 3, "k": 4}),
    (NTNLSTM, {"units": 3, "slices": 2}),
    (NTNLSTM, {"units": 3, "pooling": "max"}),
    (HDLSTM, {"units": 3, "hidden_units": 4}),
    (HDLSTM, {"units": 2, "bidirectional": True, "hidden_layers": 2}),
    (HDLSTM, {"units": 3, "pooling": "mean", "shared_encoder": False}),
]
SMALLEST = [
    (ARCI, ARCI_SIZES),
    (CNTN, {**CNTN_SIZES, "shared_encoder": False}),
    (NTNLSTM, {"units": 3}),
    (HDLSTM, {"units": 3, "bidirectional": True}),
]


# The tests of the layers compile them.
@pytest.mark.once
@pytest.mark.parametrize(("model_class", "settings"), SETTINGS)
def test_the_equations(model_class, settings):
    model = make_model(model_class, **settings)
    scores = scores_of(model, QUESTION, ANSWER, QUICKEST)
    for row in WITH_WORDS:
        expected = siamese_reference.score(model, QUESTION[row], ANSWER[row])
        assert scores[row] == pytest.approx(expected, abs=1e-4), row
    assert np.isfinite(scores).all()


@pytest.mark.once
@pytest.mark.parametrize("model_class", [NTNLSTM, HDLSTM])
def test_features_are_standardised_and_joined(model_class):
    model = make_model(model_class, units=3, overlap_features=2)
    check_features(model, siamese_reference.score, QUESTION, ANSWER)


@pytest.mark.once
@pytest.mark.parametrize(("model_class", "settings"), SMALLEST)
def test_padding_changes_nothing_and_parts_give_the_scores(
    model_class, settings
):
    model = make_model(model_class, **settings)
    check_parts(model, QUESTION, ANSWER)
    shared = model.question_encoder is model.answer_encoder
    assert shared == model.shared_encoder


@pytest.mark.once
def test_the_sizes_are_those_of_a_pencil():
    m, k, c, h = 50, 3, 200, 200
    convolutions = k * m * c + c + k * c * c + c
    pencil = convolutions + 2 * c * h + h + h + 1
    assert ARCI(9).core_parameters == pencil == 230_801

    m, c, n, r, top = 50, 50, 50, 5, 5
    convolutions = k * m * c + c + 2 * (k * c * c + c)
    tensor = r * (n * n + 2 * n + 1) + r
    pencil = convolutions + top * c * n + n + tensor
    assert CNTN(9).core_parameters == pencil == 48_210
    apart = CNTN(9, shared_encoder=False).core_parameters
    assert apart == 2 * pencil - tensor

    m, d, h, f = 300, 512, 128, 4
    lstm = 4 * (m * d + d * d + d)
    tensor = r * (d * d + 2 * d + 1) + r
    assert NTNLSTM(9).core_parameters == lstm + tensor == 2_980_874
    head = d * d + (d + 1) * h + h + h + 1
    assert HDLSTM(9).core_parameters == lstm + head == 1_993_089
    for model_class, size in ((HDLSTM, f * h), (NTNLSTM, f)):
        small, more = (
            model_class(9, 3, 2, overlap_features=count).core_parameters
            for count in (0, f)
        )
        assert more - small == size


@pytest.mark.once
@pytest.mark.parametrize(
    ("model_class", "settings", "message"),
    [
        (ARCI, {"blocks": 0}, "`blocks` must be a positive integer"),
        (CNTN, {"k": 0}, "`k` must be a positive integer"),
        (HDLSTM, {"pooling": "min"}, "`pooling` must be one of"),
        (NTNLSTM, {"overlap_features": -1}, "`overlap_features` must"),
    ],
)
def test_wrong_arguments(model_class, settings, message):
    with pytest.raises(ValueError, match=message):
        model_class(9, 3, **settings)
