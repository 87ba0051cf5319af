"""A ranker of word pieces in all its forms."""

import json

import keras
import numpy as np
import pytest

from keras_qa.errors import ExportError
from keras_qa.models import CrossEncoder
from keras_qa.models import SentenceEncoder
from keras_qa.ranker import Ranker
from keras_qa.search.build import build_index
from keras_qa.search.index import AnswerIndex
from keras_qa.text.reading import TextReading
from keras_qa.text.vocabulary import Vocabulary

pytest.importorskip("keras_hub")
pytest.importorskip("tokenizers")

PIECES = "[CLS] [SEP] emma ##s who wrote jane aust ##en ? . it"
PIECES = PIECES.split()
SIZES = {"num_layers": 1, "num_heads": 2, "hidden_dim": 6}
SIZES |= {"intermediate_dim": 5, "max_sequence_length": 20}
SIZES |= {"cls_id": 2, "sep_id": 3}
QUESTION = "Who wrote Emmas?"
ANSWERS = ["Jane Austen wrote Emma.", "it", "[SEP] Jané", "who wrote it " * 9]


def ranker(model_class):
    keras.utils.set_random_seed(1)
    vocabulary = Vocabulary(PIECES)
    model = model_class(len(vocabulary), **SIZES)
    for weight in model.trainable_weights:
        values = np.random.default_rng(weight.path.count("a")).normal
        weight.assign(weight + values(0, 0.3, weight.shape))
    reading = TextReading(vocabulary, "wordpiece", 5, 9, readable="any")
    return Ranker(model, reading)


def close(found, wanted):
    np.testing.assert_allclose(found, wanted, atol=1e-5)


@pytest.mark.filterwarnings("ignore::keras_qa.errors.TextWarning")
def test_every_form_scores_alike(tmp_path):
    made = ranker(CrossEncoder)
    scores = made.scores(QUESTION, ANSWERS)
    assert np.ptp(scores) > 1e-3
    made.save(tmp_path / "kit")
    close(Ranker.load(tmp_path / "kit").scores(QUESTION, ANSWERS), scores)
    noted = json.loads((tmp_path / "kit/reading.json").read_text())
    assert (noted["tokenizer"], noted["pattern"]) == ("wordpiece", None)
    with pytest.raises(ExportError, match=r"word pieces: write.*'wordpiece'"):
        made.export(tmp_path / "saved", "saved_model")
    pytest.importorskip("tf2onnx")
    onnxruntime = pytest.importorskip("onnxruntime")
    made.export(tmp_path / "onnx", "onnx")
    close(Ranker.load(tmp_path / "onnx").scores(QUESTION, ANSWERS), scores)
    # As another program does it, without the kit.
    from tokenizers import Tokenizer

    session = onnxruntime.InferenceSession(tmp_path / "onnx/model.onnx")
    texts = {"question": [QUESTION] * 4, "answer": ANSWERS}
    ids = {}
    for side, given in texts.items():
        path = str(tmp_path / f"onnx/{side}_tokenizer.json")
        encoded = Tokenizer.from_file(path).encode_batch(given)
        ids[side] = np.array([one.ids for one in encoded], np.int32)
    close(session.run(["score"], ids)[0][:, 0], scores)


@pytest.mark.filterwarnings("ignore::keras_qa.errors.TextWarning")
def test_a_sentence_encoder_is_searched(tmp_path):
    pytest.importorskip("faiss")
    made = ranker(SentenceEncoder)
    made.save(tmp_path / "kit")
    file = tmp_path / "answers.txt"
    file.write_text("\n".join(ANSWERS) + "\n")
    folder = tmp_path / "index"
    loaded = Ranker.load(tmp_path / "kit")
    build_index(loaded, file, folder, show_progress=False)
    index = AnswerIndex(folder)
    rows, scores = index.search(index.encode(QUESTION), 4)
    best = made.rank(QUESTION, ANSWERS)
    assert rows.tolist() == [i for i, _ in best]
    close(scores, [score for _, score in best])
