"""The numbers of weights of our models against the paper's Table 2."""

import pytest

from keras_qa.models import CTRN
from keras_qa.models import APBiLSTM
from keras_qa.models import LSTMRanker
from keras_qa.models import QRNNRanker
from reproductions.records.paper_figures import load_papers

# The sizes that the table is for, and its formulas at them.
d, m, h, k = 512, 300, 128, 2
LSTM = 4 * (m * d + d**2) + 2 * d * h + h
AP_BILSTM = 4 * (m * d + d**2) + 4 * d**2
QRNN = 3 * k * d * m + 2 * d * h + h
# What an embedding has does not count, nor does its projection.
SIZES = {
    "vocabulary_size": 2,
    "embedding_dim": 1,
    "projection_dim": m,
    "units": d,
}


@pytest.mark.parametrize(
    ("name", "model", "sizes", "formula", "ours"),
    [
        ("LSTM", LSTMRanker, {"hidden_units": h}, LSTM, 1_794_176),
        # The formula has one direction, the model both, and biases.
        ("AP-BiLSTM", APBiLSTM, {}, AP_BILSTM, 4_378_624),
        (
            "QRNN",
            QRNNRanker,
            {"hidden_units": h, "kernel_size": k},
            QRNN,
            1_052_800,
        ),
        (
            "CTRN",
            CTRN,
            {"hidden_units": h, "kernel_size": k},
            QRNN,
            1_052_800,
        ),
    ],
)
def test_weights_are_those_of_table_2(name, model, sizes, formula, ours):
    assert model(**SIZES, **sizes).core_parameters == ours
    table = load_papers()["ctrn"].table("Table 2")
    printed = {row[0]: row[2] for row in table.rows}[name]
    if model is APBiLSTM:
        assert formula == 2_711_552
        assert printed == "5.86M"
    else:
        assert formula == ours
        assert printed == f"{formula / 1e6:.2f}M"
