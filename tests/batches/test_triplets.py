"""Batches of questions with the documents of all of them."""

import keras
import numpy as np
import pytest

from keras_qa.batches.triplets import TripletBatches
from keras_qa.text.packing import next_size
from support.numbered_texts import numbered_texts

QUESTIONS, DOCUMENTS = 11, 40
TEXTS = QUESTIONS + DOCUMENTS
NUMBERED = numbered_texts(TEXTS, 12)
JAX = keras.backend.backend() == "jax"


def _groups():
    """Candidates with 0 to 4 relevant ones; the last question is the first."""
    rng = np.random.default_rng(1)
    questions = np.array([*range(QUESTIONS), 0])
    candidates, labels = [], []
    for i in range(QUESTIONS + 1):
        candidates.append(
            rng.choice(np.arange(QUESTIONS, TEXTS), 7, replace=False)
        )
        labels.append((np.arange(7) < i % 5).astype(int))
    return questions, candidates, labels


def _relevant():
    """The relevant documents of each question text."""
    found = {}
    for question, texts, label in zip(*_groups(), strict=True):
        found.setdefault(int(question), set()).update(texts[label > 0].tolist())
    return {q: documents for q, documents in found.items() if documents}


def _batches(**settings):
    settings = {"batch_size": 4, "seed": 3, **settings}
    return TripletBatches(NUMBERED, *_groups(), **settings)


def _named(batch):
    """The texts of a batch, told by their first words, and the labels."""
    inputs, labels = batch
    sides = (
        np.concatenate([part[:, 0] - 2 for part in inputs[side]])
        for side in ("question", "texts")
    )
    return *sides, labels


def _epoch(batches, epoch):
    batches.start_epoch(epoch)
    return [batches[index] for index in range(len(batches))]


@pytest.mark.once
@pytest.mark.parametrize("chunk", [None, 1, 3])
def test_a_batch_has_all_relevant_documents_and_says_whose_they_are(chunk):
    relevant = _relevant()
    seen = []
    for batch in _epoch(_batches(chunk=chunk), 2):
        questions, documents, labels = _named(batch)
        assert labels.shape == (len(questions), len(documents))
        assert labels.dtype == np.float32
        rows, columns = ((labels != -1).any(axis) for axis in (1, 0))
        # Everything that is asked, and that belongs to it, once.
        seen += questions[rows].tolist()
        assert len(set(documents[columns])) == columns.sum()
        asked = set(questions[rows].tolist())
        assert set(documents[columns]) == set.union(
            *(relevant[q] for q in asked)
        )
        # The rest repeats them, and is ignored.
        assert set(questions) == asked
        assert set(documents) == set(documents[columns])
        for question, label in zip(questions[rows], labels[rows], strict=True):
            for document, y in zip(documents, label, strict=True):
                assert y in (-1, int(document in relevant[question]))
        assert (labels[rows][:, columns] >= 0).all()
    assert sorted(seen) == sorted(relevant)
    assert len(relevant) < QUESTIONS


@pytest.mark.once
def test_a_document_of_two_questions_is_nobodys_negative():
    batches = TripletBatches(
        NUMBERED, [0, 1, 1], [np.array([20]), [20], [21]], [[1], [1], [1]], 2
    )
    (batch,) = _epoch(batches, 0)
    questions, documents, labels = _named(batch)
    found = {
        (q, d): y
        for q, row in zip(questions, labels, strict=True)
        for d, y in zip(documents, row, strict=True)
        if y >= 0
    }
    assert found == {(0, 20): 1, (0, 21): 0, (1, 20): 1, (1, 21): 1}


@pytest.mark.once
def test_so_many_are_drawn_as_are_asked_for():
    relevant = _relevant()
    wrong = {}
    for question, texts, label in zip(*_groups(), strict=True):
        wrong.setdefault(int(question), set()).update(texts[label == 0])
    batches = _batches(batch_size=1, positives=1, negatives=2)
    drawn = {}
    for epoch in range(12):
        for batch in _epoch(batches, epoch):
            (question,), documents, labels = _named(batch)
            good = documents[labels[0] == 1]
            assert len(good) == 1
            bad = set(documents[labels[0] == 0].tolist())
            assert len(bad) == 2
            assert bad <= wrong[question] - relevant[question]
            drawn.setdefault(question, set()).update(good.tolist())
    # One after the other comes up.
    assert drawn == relevant


@pytest.mark.once
@pytest.mark.parametrize("chunk", [2, 5])
def test_parts_are_small_and_of_like_lengths(chunk):
    batches = _batches(chunk=chunk)
    counts = set()
    for epoch in range(6):
        for inputs, labels in _epoch(batches, epoch):
            counts.add(tuple(len(inputs[s]) for s in ("question", "texts")))
            for part in inputs["texts"]:
                assert len(part) <= (next_size(chunk) if JAX else chunk + 1)
            for part in inputs["question"]:
                assert len(part) <= chunk
                assert part.shape == inputs["question"][0].shape
            lengths = np.concatenate(
                [(part > 0).sum(1) for part in inputs["texts"]]
            )
            real = lengths[(labels >= 0).any(0)]
            np.testing.assert_array_equal(lengths[: len(real)], np.sort(real))
    # Keras needs one structure for all batches.
    assert len(counts) == 1


@pytest.mark.once
def test_sizes_suit_the_backend():
    batches = _batches(chunk=3)
    longest = batches.texts.lengths.max()
    assert len(batches) > 1
    for index, (inputs, _) in enumerate(_epoch(batches, 1)):
        for part in inputs["texts"]:
            rows, width = part.shape
            if JAX:
                assert rows == next_size(rows)
                assert width in (next_size(width), longest)
                assert width == inputs["texts"][-1].shape[1]
            else:
                assert rows % 2 == width % 2 == index % 2


@pytest.mark.once
def test_an_only_batch_keeps_its_shapes_whatever_is_drawn():
    batches = _batches(batch_size=100, positives=1, chunk=4)
    shapes = set()
    for epoch in range(20):
        inputs, labels = _epoch(batches, epoch)[0]
        widths = tuple(part.shape for part in inputs["texts"])
        shapes.add((labels.shape, inputs["question"][0].shape, widths))
    assert len(shapes) == 1 or JAX


@pytest.mark.once
def test_order_depends_on_seed_and_epoch_alone():
    def told(batches, epoch):
        return [
            [side.tolist() for side in _named(batch)]
            for batch in _epoch(batches, epoch)
        ]

    batches = _batches(positives=1)
    first = told(batches, 0)
    assert told(batches, 1) != first
    assert told(batches, 0) == first == told(_batches(positives=1), 0)
    assert told(_batches(positives=1, seed=4), 0) != first


@pytest.mark.once
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"batch_size": 0}, "`batch_size` must be a positive int"),
        ({"positives": 0}, "`positives` must be a positive .*positives=0"),
        ({"negatives": -1}, "`negatives` must not be negative.*negatives=-1"),
        ({"negatives": 0.5}, "`negatives` .* an integer.*negatives=0.5"),
        ({"chunk": 0}, "`chunk` must be a positive integer or.*chunk=0"),
        ({"seed": -1}, "`seed` must not be negative.*seed=-1"),
    ],
)
def test_errors(settings, message):
    with pytest.raises(ValueError, match=message):
        _batches(**settings)


@pytest.mark.once
def test_no_relevant_document_at_all():
    with pytest.raises(ValueError, match=r"`labels` .* Received: 1 q"):
        TripletBatches(NUMBERED, [0], [np.array([20])], [np.array([0])])
