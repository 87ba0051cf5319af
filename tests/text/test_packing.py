"""Ragged texts, and packed batches that describe them exactly."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from keras_qa.text.packing import RaggedTexts
from keras_qa.text.packing import next_size
from keras_qa.text.packing import pack

SEQUENCES = [[3, 4, 3], [], [9], [4, 4], []]


def _texts():
    return RaggedTexts.from_sequences([np.array(s, int) for s in SEQUENCES])


def test_texts_are_stored_one_after_the_other():
    texts = _texts()
    assert texts.ids.dtype == np.int32
    assert texts.ids.tolist() == [3, 4, 3, 9, 4, 4]
    assert texts.offsets.tolist() == [0, 3, 3, 4, 6, 6]
    assert len(texts) == 5
    assert texts.lengths.tolist() == [3, 0, 1, 2, 0]
    assert [texts[i].tolist() for i in range(5)] == SEQUENCES
    assert texts[-2].tolist() == [4, 4]
    assert [text.tolist() for text in texts] == SEQUENCES


def test_no_texts():
    texts = RaggedTexts.from_sequences([])
    assert len(texts) == 0
    assert texts.ids.dtype == np.int32


def test_padding_is_left_out():
    texts = RaggedTexts.from_sequences([[0, 5, 0, 6, 0], [0]])
    assert texts.ids.tolist() == [5, 6]
    assert texts.lengths.tolist() == [2, 0]


def test_take_repeats_and_reorders():
    taken = _texts().take(np.array([3, 1, 0, 3]))
    assert [text.tolist() for text in taken] == [[4, 4], [], [3, 4, 3], [4, 4]]


def test_padded():
    texts = _texts()
    assert texts.padded(np.array([1, 3])).tolist() == [[0, 0], [4, 4]]
    assert texts.padded(np.array([1])).tolist() == [[0]]
    assert texts.padded(np.array([0, 3]), 1).tolist() == [[3], [4]]
    assert texts.padded(np.array([0]), 4, rows=2).tolist() == [
        [3, 4, 3, 0],
        [0, 0, 0, 0],
    ]
    assert texts.padded(np.array([[0, 1], [2, 3]])).tolist() == [
        [[3, 4, 3], [0, 0, 0]],
        [[9, 0, 0], [4, 4, 0]],
    ]
    assert texts.padded(np.array([0])).dtype == np.int32


@pytest.mark.parametrize(
    ("ids", "offsets", "message"),
    [
        ([1, 2], [0, 1], r"`offsets` must rise from 0 to len\(ids\) = 2"),
        ([1, 2], [1, 2], r"`offsets` .* Received: offsets=\[1 2\]"),
        ([1, 2], [0, 2, 1, 2], "`offsets` must rise"),
        ([1, 0], [0, 2], "`ids` must not hold .* Received: 0 at position 1"),
    ],
)
def test_errors(ids, offsets, message):
    with pytest.raises(ValueError, match=message):
        RaggedTexts(np.array(ids, np.int32), np.array(offsets, np.int64))


def test_a_small_batch_by_hand():
    batch = pack(_texts(), np.array([0, 0]), np.array([[2, 3], [3, 1]]))
    # Texts 0 to 3 become rows 0 to 3; row 4 and slot 3 are padding.
    assert {name: array.tolist() for name, array in batch.items()} == {
        "question": [0, 0],
        "answers": [[2, 3], [3, 1]],
        "words": [3, 4, 9, 0],
        "lengths": [3, 0, 1, 2, 0],
        "slots_by_row": [0, 1, 0, 2, 1, 1, 3],
        "rows_by_row": [0, 0, 0, 2, 3, 3, 4],
        "slots_by_slot": [0, 0, 1, 1, 1, 2, 3],
        "rows_by_slot": [0, 0, 0, 3, 3, 2, 4],
    }
    assert {array.dtype.name for array in batch.values()} == {
        "int32",
        "float32",
    }


@given(
    st.lists(st.lists(st.integers(1, 30), max_size=6), min_size=1, max_size=8),
    st.data(),
    st.booleans(),
)
def test_a_packed_batch_says_which_words_its_texts_have(
    sequences, data, round_up
):
    texts = RaggedTexts.from_sequences(sequences)
    index = st.integers(0, len(sequences) - 1)
    groups = np.array(
        data.draw(st.lists(st.tuples(index, index, index), min_size=1))
    )
    batch = pack(texts, groups[:, 0], groups[:, 1:], round_up)

    words, rows = batch["words"], len(batch["lengths"])
    real = words[words > 0]
    assert len(np.unique(real)) == len(real)
    assert words[-1] == 0
    bags = [[] for _ in range(rows)]
    for slot, row in zip(
        batch["slots_by_row"], batch["rows_by_row"], strict=True
    ):
        if words[slot]:
            bags[row].append(words[slot])
    found = np.column_stack([batch["question"], batch["answers"]])
    for row, text in zip(found.ravel(), groups.ravel(), strict=True):
        assert bags[row] == sequences[text]
        assert batch["lengths"][row] == len(sequences[text])
    # Both orders list the same tokens, each sorted, up to the last segment.
    assert sorted(
        zip(batch["slots_by_row"], batch["rows_by_row"], strict=True)
    ) == list(zip(batch["slots_by_slot"], batch["rows_by_slot"], strict=True))
    assert (np.diff(batch["rows_by_row"]) >= 0).all()
    assert batch["rows_by_row"][-1] == rows - 1
    assert batch["slots_by_slot"][-1] == len(words) - 1
    assert rows - 1 not in found
    if round_up:
        for size in (len(words), rows, len(batch["rows_by_row"])):
            assert next_size(size) == size


def test_slots_beyond_16_bits_are_sorted_too():
    many = 1 << 17
    words = np.arange(1, many)[::-1].astype(np.int32)
    texts = RaggedTexts(words, np.array([0, many // 2, many - 1]))
    batch = pack(texts, np.array([0]), np.array([[1]]))
    assert (np.diff(batch["slots_by_slot"]) == 1).all()
    assert (np.diff(batch["rows_by_slot"][:-1]) <= 0).all()


def test_rounded_sizes():
    sizes = {next_size(n) for n in range(1, 50)}
    assert sorted(sizes) == [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64]
    assert all(n <= next_size(n) < 1.5 * n for n in range(2, 50))
