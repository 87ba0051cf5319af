"""DuplexAttention: the layer contract, equations 4 to 12, its switches."""

import numpy as np
import pytest
from keras import ops

from keras_qa.layers import DuplexAttention
from support.layer_checks import QUICKEST
from support.layer_checks import check_layer
from support.layer_checks import run
from support.mrnn_reference import contextualize
from support.mrnn_reference import distance
from support.mrnn_reference import randomize

RNG = np.random.default_rng(0)
MAPS = [RNG.normal(size=(2, 2, n, 3)).astype("float32") for n in (3, 4)]
LENGTHS = [3, 1], [2, 4]
MASKS = [
    np.arange(maps.shape[2]) < np.array(lengths)[:, None]
    for maps, lengths in zip(MAPS, LENGTHS, strict=True)
]


def _layer(**settings):
    layer = DuplexAttention(5, **settings)
    layer.build([maps.shape for maps in MAPS])
    randomize(layer, 0.5)
    return layer


def _call(layer, maps=MAPS, masks=MASKS):
    return run(
        lambda q, d, m_q, m_d: layer(
            [q, d], mask=[m_q, m_d], return_attention_scores=True
        ),
        *maps,
        *masks,
        mode=QUICKEST,
    )


@pytest.mark.parametrize(
    ("settings", "count"),
    [
        (
            {
                "hidden_units": [2],
                "share_sides": False,
                "position_initializer": {
                    "class_name": "Identity",
                    "config": {"gain": 0.5},
                },
            },
            18,
        ),
        ({"n_gram_attention": False, "query_attention": False}, 0),
    ],
)
def test_layer_contract(settings, count):
    check_layer(
        DuplexAttention,
        {"max_document_length": 5, **settings},
        MAPS,
        (2, 1),
        trainable_weights=count,
    )


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"hidden_units": (2,), "share_sides": False},
        {"n_gram_attention": False},
        {"n_gram_attention": False, "without_n_gram_attention": "last"},
        {"query_attention": False},
    ],
)
def test_the_equations_over_real_positions(settings):
    layer = _layer(**settings)
    distances, *weights = _call(layer)
    sides = [layer.resolution["question"], list(layer.resolution.values())[-1]]
    for row in range(2):
        lengths = [side[row] for side in LENGTHS]
        read = [
            contextualize(maps[row, :, :length].astype(float), side)
            for maps, length, side in zip(MAPS, lengths, sides, strict=True)
        ]
        expected, positions = distance(read[0][0], read[1][0], layer.matching)
        np.testing.assert_allclose(distances[row, 0], expected, rtol=1e-4)
        blocks = [
            found[row, :length]
            for found, length in zip(weights, lengths, strict=False)
        ]
        for found, (_, aw) in zip(blocks, read, strict=True):
            np.testing.assert_allclose(found, aw, rtol=1e-4)
        found = weights[2][row, : lengths[0], : lengths[1]]
        np.testing.assert_allclose(found, positions, rtol=1e-4)


def test_documents_read_once_meet_all_questions():
    layer = _layer(share_sides=False)
    question, document = MASKS

    def by_parts(*maps):
        texts = [
            layer.contextualize(x, mask, side)
            for x, mask, side in zip(
                maps, MASKS, ("question", "answer"), strict=True
            )
        ]
        return layer.pair_distances(*texts, *MASKS), layer.distance(
            *texts, *MASKS
        )

    found, apart = run(by_parts, *MAPS, mode=QUICKEST)
    rows, columns = (x.ravel() for x in np.indices((2, 2)))
    expected, *_ = _call(
        layer,
        [MAPS[0][rows], MAPS[1][columns]],
        [question[rows], document[columns]],
    )
    np.testing.assert_allclose(found.ravel(), expected[:, 0], rtol=1e-4)
    np.testing.assert_allclose(apart[:, 0], np.diag(found), rtol=1e-4)


@pytest.mark.once
def test_without_masks_all_positions_are_words():
    layer = _layer()
    everything = [np.ones_like(mask) for mask in MASKS]
    np.testing.assert_allclose(
        ops.convert_to_numpy(layer(MAPS)),
        _call(layer, masks=everything)[0],
        rtol=1e-6,
    )


def test_rejects_another_stand_in():
    with pytest.raises(ValueError, match=r"must be .* Received: .*='first'"):
        DuplexAttention(5, without_n_gram_attention="first")
