"""The rankers with a BERT against one in NumPy."""

import numpy as np
import pytest
from keras import ops

from keras_qa.embeddings.bert.network import Bert
from keras_qa.embeddings.bert.piece_vocabulary import piece_vocabulary
from keras_qa.errors import VectorsError
from keras_qa.models import CrossEncoder
from keras_qa.models import LateInteraction
from keras_qa.models import SentenceEncoder
from keras_qa.text.reading import TextReading
from support import bert_reference

pytest.importorskip("keras_hub")
pytest.importorskip("safetensors")
pytest.importorskip("tokenizers")

pytestmark = pytest.mark.once

# [PAD] and [UNK] are not the first pieces, as in most vocabularies.
ORDER = [5, 6, 0, 2, 1, 3, 4, 7, 8, 9, 10, 11, 12, 13, 14]
PIECES = [bert_reference.PIECES[i] for i in ORDER]
WEIGHTS = bert_reference.make_weights()
# Five pieces and a word of two; two pieces; no piece.
QUESTION, ANSWER, EMPTY = "Who wrote emmas?", "a zebra", ""
PARTS = {
    QUESTION: ["who", "wrote", "emma", "##s", "?"],
    ANSWER: ["a", "[UNK]"],
    EMPTY: [],
}


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bert") / "tiny"
    weights = dict(WEIGHTS)
    name = "embeddings.word_embeddings.weight"
    weights[name] = weights[name][ORDER]
    bert_reference.write_bert(folder, weights)
    (folder / "vocab.txt").write_text("\n".join(PIECES) + "\n")
    return Bert(folder)


@pytest.fixture(scope="module")
def reading(bert):
    read = piece_vocabulary(bert)
    return TextReading(read.vocabulary, read.tokenizer)


def states(*texts):
    """The last states of [CLS] text [SEP] text [SEP], all of them."""
    pieces, segments = ["[CLS]"], [0]
    for i, text in enumerate(texts):
        pieces += [*PARTS[text], "[SEP]"]
        segments += [i] * (len(PARTS[text]) + 1)
    return bert_reference.framed_states(WEIGHTS, pieces, segments)[-1]


def scores(model, reading, pairs):
    texts, questions, answers, _ = reading.pairs(*zip(*pairs, strict=True))
    inputs = {
        "question": texts.padded(questions, 7),
        "answer": texts.padded(answers, 4),
    }
    return ops.convert_to_numpy(model(inputs, training=False))[:, 0]


PAIRS = [(QUESTION, ANSWER), (QUESTION, EMPTY), (ANSWER, QUESTION[:9])]
PARTS[QUESTION[:9]] = ["who", "wrote"]


def close(found, wanted):
    found = ops.convert_to_numpy(found)
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=2e-5)


def test_the_vocabulary_has_other_ids_in_berts_order(bert, reading):
    read = piece_vocabulary(bert)
    words = read.vocabulary.words
    assert [PIECES[i] for i in read.bert_ids] == ["[PAD]", *words[1:]]
    assert (words[read.cls_id], words[read.sep_id]) == ("[CLS]", "[SEP]")
    assert read.tokenizer == "wordpiece"
    for text, pieces in PARTS.items():
        assert reading.tokens("answer", text) == pieces


@pytest.mark.parametrize("pooling", ["cls", "mean"])
def test_cross_encoder(bert, reading, pooling):
    model = CrossEncoder.from_bert(bert, pooling=pooling)
    kernel, bias = model.get_layer("score").get_weights()
    wanted = []
    for pair in PAIRS:
        found = states(*pair)
        pooled = found[0] if pooling == "cls" else found.mean(axis=0)
        wanted.append((pooled @ kernel + bias)[0])
    close(scores(model, reading, PAIRS), wanted)
    assert not [w.path for w in model.weights if "match" in w.path]


def cosine(a, b):
    return a @ b / np.linalg.norm(a) / np.linalg.norm(b)


def test_cross_encoder_with_matches(bert, reading):
    model = CrossEncoder.from_bert(bert, matching=True)
    kernel, bias = model.get_layer("score").get_weights()
    (weights,) = model.get_layer("match_score").get_weights()
    np.testing.assert_array_equal(weights[:, 0], 5)
    wanted = []
    for pair in PAIRS:
        found = states(*pair)
        end = 1 + len(PARTS[pair[0]])
        question, answer = found[1:end], found[end + 1 : -1]
        score = (found[0] @ kernel + bias)[0]
        if len(answer):
            each = [[cosine(h, g) for g in answer] for h in question]
            means = cosine(question.mean(axis=0), answer.mean(axis=0))
            best = np.max(each, axis=1).mean(), np.max(each, axis=0).mean()
            score += 5 * (means + sum(best))
        wanted.append(score)
    close(scores(model, reading, PAIRS), wanted)


def test_sentence_encoder(bert, reading):
    model = SentenceEncoder.from_bert(bert, scale=7.0)
    wanted = []
    for pair in PAIRS:
        q, a = (states(text).mean(axis=0) for text in pair)
        wanted.append(7 * q @ a / np.linalg.norm(q) / np.linalg.norm(a))
    close(scores(model, reading, PAIRS), wanted)
    ids = reading.texts("answer", [QUESTION]).padded(np.array([0]))
    close(model.answer_encoder(ids)[0], states(QUESTION).mean(axis=0))


@pytest.mark.parametrize("reduce", ["sum", "mean"])
@pytest.mark.parametrize("projection_dim", [None, 3])
def test_late_interaction(bert, reading, reduce, projection_dim):
    model = LateInteraction.from_bert(
        bert, reduce=reduce, projection_dim=projection_dim, scale=2.0
    )
    kernel = np.eye(bert_reference.WIDTH)
    if projection_dim:
        (kernel,) = model.question_encoder.get_layer("projection").get_weights()

    def vectors(text):
        found = states(text) @ kernel
        return found / np.linalg.norm(found, axis=1, keepdims=True)

    wanted = []
    for question, answer in PAIRS:
        best = (vectors(question) @ vectors(answer).T).max(axis=1)
        wanted.append(2 * (best.sum() if reduce == "sum" else best.mean()))
    close(scores(model, reading, PAIRS), wanted)


@pytest.mark.parametrize(
    "model_class", [CrossEncoder, LateInteraction, SentenceEncoder]
)
def test_mixed_precision(bert, reading, model_class):
    model = model_class.from_bert(bert)
    half = model_class.from_config(
        {**model.get_config(), "dtype": "mixed_float16"}
    )
    half.set_weights(model.get_weights())
    found = scores(half, reading, PAIRS)
    assert found.dtype == np.float32
    np.testing.assert_allclose(
        found, scores(model, reading, PAIRS), rtol=0.02, atol=0.05
    )


def test_long_pairs_lose_the_end_of_the_answer(bert, reading):
    # The tiny BERT has 12 positions, three of them for the frame.
    PARTS["a b who"] = ["a", "b", "who"]
    PARTS["a b who ? . b a"] = ["a", "b", "who", "?"]
    pairs = [(QUESTION, "a b who ? . b a")]
    model = CrossEncoder.from_bert(bert)
    kernel, bias = model.get_layer("score").get_weights()
    texts, questions, answers, _ = reading.pairs(*zip(*pairs, strict=True))
    inputs = {
        "question": texts.padded(questions),
        "answer": texts.padded(answers),
    }
    close(model(inputs)[0], states(*pairs[0])[0] @ kernel + bias)


def test_frozen_layers_and_fewer_positions(bert):
    model = CrossEncoder.from_bert(bert, frozen_layers=2, max_sequence_length=8)
    names = {weight.path.split("/")[0] for weight in model.trainable_weights}
    assert names == {"transformer_layer_2", "score"}
    assert not CrossEncoder.from_config(
        {**model.get_config(), "trainable": False}
    ).trainable_weights
    copy = CrossEncoder.from_config(model.get_config())
    assert len(copy.trainable_weights) == len(model.trainable_weights)
    with pytest.raises(VectorsError, match=r"max_sequence_length=13 .*: 12"):
        CrossEncoder.from_bert(bert, max_sequence_length=13)


def test_errors(bert, tmp_path):
    sizes = {"num_layers": 1, "hidden_dim": 6, "num_heads": 2}
    for wrong, message in (
        ({"pooling": "max"}, r"`pooling` must be one of"),
        ({"frozen_layers": 2}, r"`frozen_layers` must be from 0 to"),
        ({"cls_id": 30}, r"`cls_id` must be below `vocabulary_size`"),
        ({"num_heads": 0}, r"`num_heads` must be a positive"),
    ):
        given = {**sizes, "cls_id": 2, "sep_id": 3, **wrong}
        with pytest.raises(ValueError, match=message):
            CrossEncoder(30, **given)
    with pytest.raises(ValueError, match=r"`scale` must be positive.*scale=0"):
        SentenceEncoder(30, **sizes, cls_id=2, sep_id=3, scale=0)
    folder = bert_reference.write_bert(
        tmp_path / "mixed", WEIGHTS, strip_accents=False
    )
    with pytest.raises(VectorsError, match="lower-cases and strips accents"):
        piece_vocabulary(folder)
