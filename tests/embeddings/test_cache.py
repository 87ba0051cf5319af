import numpy as np
import pytest

from keras_qa.embeddings.cache import VectorCache
from keras_qa.embeddings.cache import cache_key
from keras_qa.errors import VectorsWarning

RNG = np.random.default_rng(0)
ENTRIES = {
    cache_key(name): RNG.normal(size=(length, 3)).astype(np.float32)
    for name, length in [("a", 2), ("b", 1), ("c", 0), ("d", 4)]
}


@pytest.fixture
def cache(tmp_path):
    cache = VectorCache(tmp_path / "cache")
    cache.write(ENTRIES)
    return cache


def file_of(cache):
    (path,) = cache.folder.iterdir()
    return path


def test_what_was_written_is_found(cache):
    more = {cache_key("e"): np.ones((1, 3), np.float32)}
    cache.write(more)
    everything = ENTRIES | more
    keys = [*everything, cache_key("f")]
    found = list(VectorCache(cache.folder).read(keys))
    assert len(found) == len(dict(found)) == 5
    for key, rows in found:
        np.testing.assert_array_equal(rows, everything[key])
        assert rows.dtype == np.float32
    assert [key for key, _ in cache.read([cache_key("b")])] == [cache_key("b")]


def test_keys_tell_texts_apart():
    values = ["ab", ["ab"], ["a", "b"], ["a b"], ['a", "b'], ["a", "b", ""]]
    values += [["\ud800"], ["\0"], []]
    assert len({cache_key(value) for value in values}) == len(values)
    assert len(cache_key("a")) == 16


def test_the_same_entries_are_kept_once(cache):
    before = file_of(cache).name
    cache.write(ENTRIES)
    assert file_of(cache).name == before


def test_an_empty_or_missing_folder_has_nothing(tmp_path):
    assert list(VectorCache(tmp_path / "none").read(ENTRIES)) == []
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("share", [0, 0.3, 0.7, 0.99])
def test_a_file_that_was_cut_off_is_removed(cache, share):
    path = file_of(cache)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])
    with pytest.warns(VectorsWarning, match=rf"{path.name}: expected a whole"):
        assert list(cache.read(ENTRIES)) == []
    assert not path.exists()
    cache.write(ENTRIES)
    assert dict(cache.read(ENTRIES)).keys() == ENTRIES.keys()


def test_a_changed_number_is_noticed(cache):
    path = file_of(cache)
    whole = bytearray(path.read_bytes())
    place = whole.find(ENTRIES[cache_key("d")].tobytes())
    assert place > 0
    whole[place + 5] ^= 1
    path.write_bytes(whole)
    with pytest.warns(VectorsWarning, match="CRC"):
        assert list(cache.read(ENTRIES)) == []


def test_other_files_are_not_believed(cache):
    path = file_of(cache)
    keys = np.frombuffer(b"".join(ENTRIES), np.uint8).reshape(-1, 16)
    good = {
        "keys": keys,
        "lengths": np.array([2, 1, 0, 4]),
        "vectors": np.ones((7, 3), np.float32),
    }
    objects = np.array([[object()] * 3] * 7)
    bad = [
        {"vectors": np.ones((7, 3))},
        {"vectors": np.ones((6, 3), np.float32)},
        {"vectors": np.full((7, 3), np.nan, np.float32)},
        {"vectors": objects},
        {"lengths": np.array([2, 5])},
    ]
    for change in bad:
        np.savez(path, **(good | change))
        with pytest.warns(VectorsWarning):
            assert list(cache.read(ENTRIES)) == []
    np.savez(path, keys=keys)
    with pytest.warns(VectorsWarning, match="lengths"):
        assert list(cache.read(ENTRIES)) == []
    np.savez(path, **good)
    assert len(list(cache.read(ENTRIES))) == 4
