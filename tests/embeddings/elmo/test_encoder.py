"""ELMo in Keras, against one in NumPy; under each backend."""

import json

import h5py
import numpy as np
import pytest

from keras_qa.embeddings.elmo.characters import character_ids
from keras_qa.embeddings.elmo.encoder import Elmo
from keras_qa.errors import VectorsError
from support import elmo_reference

WEIGHTS = elmo_reference.make_weights()
TEXTS = [
    ["who", "wrote", "Emmas", "", "?"],
    ["naïve-looking"],
    [],
    ["who", "who"],
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("elmo") / "small"
    return elmo_reference.write_elmo(path, WEIGHTS)


@pytest.fixture(scope="module")
def elmo(folder):
    return Elmo(folder, (0, 1, 2))


def expected(words, **options):
    """The layers side by side."""
    states = elmo_reference.all_states(WEIGHTS, words, **options)
    return np.concatenate(list(states), axis=-1)


def assert_near(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=2e-5)


@pytest.mark.once
def test_characters_by_hand():
    short, mark, long = character_ids(["aé", "<S>", "abcdef"], 6).tolist()
    assert short == [259, 98, 196, 170, 260, 261]
    assert mark == [259, 257, 260, 261, 261, 261]
    # Four bytes are read.
    assert long == [259, 98, 99, 100, 101, 260]


@pytest.mark.parametrize("batch_words", [1, 10, 1000])
def test_states_whatever_the_batches_are(elmo, batch_words):
    assert elmo.width == 24
    found = elmo.encode(TEXTS, batch_words)
    for rows, text in zip(found, TEXTS, strict=True):
        assert rows.dtype == np.float32
        assert rows.shape == (len(text), 24)
        if text:
            assert_near(rows, expected(text))


def test_clips_and_skips_are_those_of_the_options(tmp_path):
    text = TEXTS[0]
    printed = expected(text)
    cases = {
        "cell": ({"cell_clip": 0}, {"clips": (None, 0.6)}),
        "projection": ({"proj_clip": None}, {"clips": (0.9, None)}),
        "skip": ({"use_skip_connections": False}, {"skip": False}),
    }
    for name, (lstm, options) in cases.items():
        wanted = expected(text, **options)
        assert np.abs(wanted - printed).max() > 0.05
        other = elmo_reference.write_elmo(
            tmp_path / name, WEIGHTS, elmo_reference.make_options(**lstm)
        )
        assert_near(Elmo(other, (0, 1, 2)).encode([text])[0], wanted)


def test_layers(folder):
    states = elmo_reference.all_states(WEIGHTS, ["who"])
    top = Elmo(folder)
    assert_near(top.encode([["who"]])[0], states[-1])
    both = Elmo(folder, (2, 0)).encode([["who"]])[0]
    assert_near(both, np.hstack([states[2], states[0]]))
    assert top.identity.label == "ELMo"
    for layers in ((), (3,), (0, -4)):
        with pytest.raises(ValueError, match=r"between -3 and 2.*Received"):
            Elmo(folder, layers)


@pytest.mark.once
def test_the_fingerprint_is_that_of_the_files(folder, tmp_path):
    copy = elmo_reference.write_elmo(tmp_path / "copy", WEIGHTS)
    other = elmo_reference.write_elmo(
        tmp_path / "other", elmo_reference.make_weights(1)
    )
    first, second, third = (Elmo(f).fingerprint for f in (folder, copy, other))
    assert first == second != third


@pytest.mark.once
def test_bad_directories(tmp_path):
    with pytest.raises(VectorsError, match=r"`source` must be.*nonesuch'"):
        Elmo(tmp_path / "nonesuch")
    with pytest.raises(VectorsError, match=r"options\.json\. .*an empty dir"):
        Elmo(tmp_path)
    (tmp_path / "a_options.json").write_text("{}")
    with pytest.raises(VectorsError, match=r"weights\.hdf5\. .*a_options"):
        Elmo(tmp_path)
    (tmp_path / "a_weights.hdf5").touch()
    with pytest.raises(VectorsError, match=r"a_options.json: .*'char_cnn'"):
        Elmo(tmp_path)


@pytest.mark.once
@pytest.mark.parametrize(
    ("part", "name", "value", "message"),
    [
        ("char_cnn", "activation", "gelu", r"activation 'gelu'"),
        ("char_cnn", "filters", [], r"not positive"),
        ("char_cnn", "filters", [[1, 0]], r"not positive"),
        ("char_cnn", "max_characters_per_token", 3, r"per_token 3"),
        ("char_cnn", "embedding", 3, r"TypeError"),
        ("lstm", "dim", -1, r"not positive"),
        ("lstm", "cell_clip", -3, r"cell_clip -3"),
        ("lstm", "n_layers", "two", r"a size of two"),
    ],
)
def test_bad_options(tmp_path, part, name, value, message):
    options = elmo_reference.make_options()
    options[part][name] = value
    folder = elmo_reference.write_elmo(tmp_path / "bad", {}, options)
    with pytest.raises(VectorsError, match=rf"options of an ELMo.*{message}"):
        Elmo(folder)


@pytest.mark.once
@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("CNN_proj/b_proj", np.zeros(3), r"shape \(4,\).*Received: \(3,\)"),
        ("char_embed", None, r"array char_embed of.*Received: none"),
        ("CNN/b_cnn_0", np.array([0, np.nan]), r"finite numbers in CNN/b_cnn"),
    ],
)
def test_bad_weights(tmp_path, name, values, message):
    weights = {key: array for key, array in WEIGHTS.items() if key != name}
    if values is not None:
        weights[name] = values
    folder = elmo_reference.write_elmo(tmp_path / "bad", weights)
    with pytest.raises(VectorsError, match=message):
        Elmo(folder).encode([["a"]])


@pytest.mark.once
def test_damaged_files(tmp_path):
    folder = elmo_reference.write_elmo(tmp_path / "bad", WEIGHTS)
    path = folder / "elmo_small_weights.hdf5"
    path.write_bytes(path.read_bytes()[:3000])
    with pytest.raises(VectorsError, match=r"a whole HDF5 file\. Received"):
        Elmo(folder).encode([["a"]])
    (folder / "elmo_small_options.json").write_text("{")
    with pytest.raises(VectorsError, match=r"Received: JSONDecodeError"):
        Elmo(folder)


@pytest.mark.once
def test_the_published_layout_by_its_sizes(tmp_path):
    # Of elmo_2x4096_512_2048cnn_2xhighway, said to have 93.6 million.
    filters = [[1, 32], [2, 32], [3, 64], [4, 128], [5, 256], [6, 512]]
    options = elmo_reference.make_options(
        dim=4096, projection_dim=512, cell_clip=3, proj_clip=3
    )
    options["char_cnn"] |= {
        "filters": [*filters, [7, 1024]],
        "embedding": {"dim": 16},
        "max_characters_per_token": 50,
    }
    folder = elmo_reference.write_elmo(tmp_path / "large", {}, options)
    shapes = Elmo(folder).options.shapes
    assert sum(np.prod(shape) for shape in shapes.values()) == 93_600_848
    assert json.loads(next(folder.glob("*json")).read_text()) == options
    assert h5py.is_hdf5(next(folder.glob("*hdf5")))
