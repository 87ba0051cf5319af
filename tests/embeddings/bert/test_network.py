"""BERT through keras-hub, against one in NumPy; under each backend."""

import random

import numpy as np
import pytest

from keras_qa.embeddings.bert.network import Bert
from keras_qa.embeddings.bert.word_pieces import encode_words
from keras_qa.errors import VectorsError
from support import bert_reference

pytest.importorskip("keras_hub")
pytest.importorskip("safetensors")

WEIGHTS = bert_reference.make_weights()


@pytest.fixture(scope="module")
def bert(folder):
    return Bert(folder)


def expected(pieces, layer=-1):
    return bert_reference.all_states(WEIGHTS, pieces.split())[layer]


def assert_near(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=2e-5)


@pytest.mark.once
def test_pieces_are_those_of_berts_own_tokenizer(bert):
    words = ["Emmas", "Café", "?.", "", " ", "[UNK]", "zebra", "x" * 101]
    names = {
        word: [bert_reference.PIECES[i] for i in ids]
        for word, ids in bert.pieces(words).items()
    }
    assert names == {
        "Emmas": ["emma", "##s"],
        "Café": ["cafe"],
        "?.": ["?", "."],
        "": [],
        " ": [],
        "[UNK]": ["[UNK]"],
        "zebra": ["[UNK]"],
        "x" * 101: ["[UNK]"],
    }
    assert bert_reference.PIECES[bert.unknown] == "[UNK]"


@pytest.mark.once
@pytest.mark.parametrize("stated", [False, True])
def test_accents_are_stripped_as_the_directory_says(tmp_path, stated):
    folder = bert_reference.write_bert(
        tmp_path / "other", WEIGHTS, strip_accents=stated
    )
    found = Bert(folder).pieces(["café"])["café"]
    assert found == [bert_reference.PIECES.index("cafe" if stated else "[UNK]")]


def test_pieces_of_a_word_are_averaged(bert):
    texts = [["Who", "wrote", "Emmas", "", "?"], ["emma"]]
    long, short = encode_words(bert, texts)
    states = expected("who wrote emma ##s ?")
    assert long.dtype == np.float32
    assert_near(long[:3], [states[0], states[1], states[2:4].mean(axis=0)])
    assert_near(long[4], states[4])
    assert not long[3].any()
    # The padding beside the longer text changes nothing.
    assert_near(short, expected("emma"))


@pytest.mark.parametrize("batch_pieces", [1, 9, 1000])
def test_batches_change_nothing(bert, batch_pieces):
    texts = [["a"], ["b", "a", "who"], ["emma", "?"], [], ["a", "b"]]
    found = encode_words(bert, texts, batch_pieces)
    assert [rows.shape for rows in found] == [(len(t), 6) for t in texts]
    for rows, text in zip(found, texts, strict=True):
        assert_near(rows, expected(" ".join(text)))


def test_layers(folder):
    for layers, wanted in [
        (0, expected("a b", 0)),
        (2, expected("a b", 2)),
        ((-1, -2), (expected("a b", 3) + expected("a b", 2)) / 2),
    ]:
        found = encode_words(Bert(folder, layers), [["a", "b"]])[0]
        assert_near(found, wanted)
    both = Bert(folder, (-1, 0), combine="concat")
    assert both.width == 12
    found = encode_words(both, [["a", "", "b"]])[0]
    wanted = np.hstack([expected("a b", 3), expected("a b", 0)])
    assert_near(found[[0, 2]], wanted)
    assert not found[1].any()
    with pytest.raises(ValueError, match=r"`combine` must.*combine='sum'"):
        Bert(folder, combine="sum")
    with pytest.raises(ValueError, match=r"between -4 and 3.*layers=\(4,\)"):
        encode_words(Bert(folder, 4), [["a"]])
    with pytest.raises(ValueError, match=r"must not be empty.*layers=\[\]"):
        Bert(folder, [])


def test_long_texts_are_read_in_parts(bert):
    assert bert.room == 10
    # Nine pieces, a word of two that does not fit, then one of twelve.
    text = [*"abababaab", "emmas", "." * 12]
    found = encode_words(bert, [text])[0]
    assert_near(found[:9], expected(" ".join(text[:9])))
    assert_near(found[9], expected("emma ##s").mean(axis=0))
    assert_near(found[10], expected(". " * 10).mean(axis=0))


@pytest.mark.once
def test_loading_draws_nothing_from_pythons_generator(folder):
    random.seed(3)
    state = random.getstate()
    assert Bert(folder).width == 6
    assert random.getstate() == state


@pytest.mark.once
def test_presets_are_loaded_by_name(folder, tmp_path, monkeypatch):
    from keras_hub.src.utils import preset_utils

    other = dict(WEIGHTS)
    other["embeddings.LayerNorm.bias"] = 2 * other["embeddings.LayerNorm.bias"]
    changed = bert_reference.write_bert(tmp_path / "other", other)
    for name, path in {"one": folder, "two": folder, "three": changed}.items():
        # What keras-hub looks a name up in; it would be downloaded.
        handle = {"kaggle_handle": str(path)}
        monkeypatch.setitem(preset_utils.BUILTIN_PRESETS, name, handle)
    one, two, three = Bert("one"), Bert("two"), Bert("three")
    assert_near(encode_words(one, [["emma"]])[0], expected("emma"))
    assert one.fingerprint == two.fingerprint != three.fingerprint
    with pytest.raises(VectorsError, match="nonesuch: expected a BERT that"):
        Bert("nonesuch").fingerprint  # noqa: B018


@pytest.mark.once
def test_directories_that_keras_hub_saved(folder, tmp_path):
    from keras_hub.models import BertBackbone
    from keras_hub.models import BertTokenizer

    saved = tmp_path / "saved"
    BertBackbone.from_preset(str(folder)).save_to_preset(str(saved))
    BertTokenizer.from_preset(str(folder)).save_to_preset(str(saved))
    found = encode_words(Bert(saved), [["Café", "emma"]])[0]
    assert_near(found, expected("cafe emma"))
