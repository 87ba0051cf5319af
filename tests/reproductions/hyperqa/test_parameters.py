"""The numbers of weights of our models against the paper's Tables 3 and 4.

Section 4.3.3 states word vectors of 300 elements for Table 3, and of 100, 200
or 300 for Table 4. No other size of these models is printed.
"""

import pytest

from keras_qa.models import AICNN
from keras_qa.models import APCNN
from keras_qa.models import QACNN
from keras_qa.models import QALSTM
from keras_qa.models import APBiLSTM
from reproductions.records.paper_figures import load_papers

m = 300
POOLED = {"vocabulary_size": 9, "embedding_dim": m, "projection_dim": None}


def printed(table, system):
    rows = load_papers()["hyperqa"].table(table).rows
    (found,) = (row for row in rows if row.model.startswith(system))
    return found.parameters


def test_lstms_of_300_have_the_sizes_of_table_3():
    d = 300
    bilstm = 2 * 4 * (m * d + d * d + d)
    assert QALSTM(9, m, d).core_parameters == bilstm == 1_442_400
    pooled = APBiLSTM(**POOLED, units=d).core_parameters
    assert pooled == bilstm + (2 * d) ** 2 == 1_802_400
    assert printed("Table 3", "AP-BiLSTM") == 1_800_000
    # The printed 1.40M has the one decimal of 1.44M.
    assert printed("Table 3", "QA-BiLSTM") == 1_400_000
    assert round(bilstm / 1e6, 1) == 1.4


def test_no_filters_give_both_cnns_of_table_3():
    k, c = 3, 101
    qa_cnn = QACNN(9, m, filters=c, kernel_size=k).core_parameters
    assert qa_cnn == k * m * c == printed("Table 3", "QA-CNN") == 90_900
    pooled = APCNN(**POOLED, units=c, kernel_size=k).core_parameters
    assert pooled == k * m * c + c + c * c == 101_202
    # k c = 303 is all that QA-CNN's number says.
    others = [303 * m + c + c * c for c in (1, 3, 101, 303)]
    assert max(others) == 183_012
    five = APCNN(**POOLED, units=300, kernel_size=5).core_parameters
    assert five == 5 * m * 300 + 300 + 300**2 == 540_300
    assert printed("Table 3", "AP-CNN") == 540_000
    assert QACNN(9, m, filters=300, kernel_size=5).core_parameters == 450_000


@pytest.mark.parametrize(
    ("dim", "ours"), [(100, 140_801), (200, 200_801), (300, 260_801)]
)
def test_ai_cnn_has_the_size_of_table_4_with_words_of_100(dim, ours):
    c, k, h = 200, 3, 100
    convolution, attention = k * dim * c + c, c * c + 2 * c
    head = 2 * c * h + h + h + 1
    found = AICNN(9, dim).core_parameters
    assert found == convolution + attention + head == ours
    # The printed number is cut, as HyperQA's 90K for 90,302 and more is.
    table = printed("Table 4", "AI-CNN (")
    assert (found // 1000 * 1000 == table) == (dim == 100)
