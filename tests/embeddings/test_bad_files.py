"""Files that were found, or made, to break a loader; each is refused."""

import gzip
import json
import struct
import zipfile

import h5py
import numpy as np
import pytest

from keras_qa.embeddings import load_fasttext
from keras_qa.embeddings import load_glove
from keras_qa.embeddings import load_vectors
from keras_qa.embeddings import load_word2vec_binary
from keras_qa.embeddings import load_word2vec_text
from keras_qa.embeddings.bert.directory_checks import check_directory
from keras_qa.embeddings.cache import VectorCache
from keras_qa.embeddings.cache import cache_key
from keras_qa.embeddings.elmo.options import read_options
from keras_qa.embeddings.elmo.published_files import read_weights
from keras_qa.errors import VectorsError
from keras_qa.errors import VectorsWarning
from support import elmo_reference


@pytest.fixture
def written(tmp_path):
    def write(content, name="file"):
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write


# === Word vectors ===


def test_files_that_cannot_be_opened(tmp_path):
    for path, said in (
        (tmp_path / "nowhere.txt", "No such file or directory"),
        (tmp_path, "Is a directory"),
    ):
        with pytest.raises(VectorsError) as caught:
            load_vectors(path)
        assert str(caught.value) == (
            f"{path}: expected a readable file. Received: {said}"
        )


@pytest.mark.parametrize("load", [load_word2vec_text, load_word2vec_binary])
def test_headers_that_promise_too_much(written, load):
    path = written(b"1000000000 1000000000\na " + bytes(4096))
    with pytest.raises(VectorsError, match=r"file:1: expected a head.* 65536"):
        load(path)


@pytest.mark.parametrize("load", [load_glove, load_word2vec_text])
def test_lines_that_do_not_end(written, load):
    packed = gzip.compress(b"1 2\n" + b"a" + b" 1" * 2**21)
    if load is load_glove:
        packed = gzip.compress(b"a" + b" 1" * 2**21)
    with pytest.raises(VectorsError, match=r"expected a line of less than"):
        load(written(packed))


def test_the_first_row_makes_no_large_matrix(written):
    import tracemalloc

    path = written(b"a" + b" 1" * 60_000 + b"\n")
    tracemalloc.start()
    assert load_glove(path)["a"].shape == (60_000,)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50 * path.stat().st_size + 2**23


@pytest.mark.parametrize("load", [load_vectors, load_fasttext])
def test_vectors_that_unpack_out_of_all_proportion(
    written, fasttext_file, load
):
    if load is load_vectors:
        line = b"a" + b" 1" * 50_000 + b"\n"
        packed = gzip.compress(line * 10) * 100
    else:
        packed = gzip.compress(fasttext_file.read_bytes())
        packed += gzip.compress(bytes(1 << 20)) * 100
    with pytest.raises(VectorsError, match=r"a whole gzip.* unpacks to more"):
        load(written(packed), ["b"])


def fasttext(word, longest):
    """A model of one word and no buckets."""
    return b"".join(
        [
            struct.pack("<ii", 793712314, 12),
            struct.pack("<12id", 1, 5, 1, 1, 5, 1, 2, 2, 0, 1, longest, 1, 1),
            struct.pack("<3i2q", 1, 1, 0, 1, -1),
            word + b"\0" + struct.pack("<qb", 1, 0),
            struct.pack("<?2qf", False, 1, 1, 0.5),
        ]
    )


def test_subwords_do_not_multiply(written):
    assert load_fasttext(written(fasttext(b"cat", 6)))["cat"] == 0.5
    with pytest.raises(VectorsError, match=r"lengths of subwords.*1 to 100000"):
        load_fasttext(written(fasttext(b"x" * 1000, 100_000)))
    with pytest.raises(VectorsError, match=r"the word of record 1.*70000 byte"):
        load_fasttext(written(fasttext(b"x" * 70_000, 6)))


# === ELMo ===


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [
        ("lstm", "n_layers", 10**9),
        ("lstm", "dim", 10**9),
        ("lstm", "dim", 5.5),
        ("lstm", "cell_clip", "3"),
        ("char_cnn", "n_highway", 10**9),
        ("char_cnn", "n_highway", True),
        ("char_cnn", "max_characters_per_token", 10**9),
        ("char_cnn", "filters", [[float("inf"), 2]]),
    ],
)
def test_options_of_absurd_sizes(written, part, name, value):
    options = elmo_reference.make_options()
    options[part][name] = value
    path = written(json.dumps(options).encode())
    with pytest.raises(VectorsError, match=r"file: expected the options.*Rec"):
        read_options(path)


def test_options_nested_too_deep(written):
    with pytest.raises(VectorsError, match=r"options.*RecursionError"):
        read_options(written(b'{"lstm":' * 100_000))


NAME = "CNN_proj/W_proj"


def external_link(file, shape):
    file[NAME] = h5py.ExternalLink("/etc/passwd", "/x")


def link_in_the_path(file, shape):
    file["elsewhere"] = np.zeros(shape, "f4")
    file[NAME] = h5py.SoftLink("/elsewhere")


def outside_storage(file, shape):
    size = 4 * int(np.prod(shape))
    file.create_dataset(NAME, shape, "f4", external=[("/etc/passwd", 0, size)])


def virtual(file, shape):
    layout = h5py.VirtualLayout(shape, "f4")
    layout[:] = h5py.VirtualSource("/etc/passwd", "x", shape)
    file.create_virtual_dataset(NAME, layout)


def not_stored(file, shape):
    file.create_dataset(NAME, shape, "f4", chunks=(1, 1))


def strings(file, shape):
    file.create_dataset(NAME, shape, h5py.string_dtype())


@pytest.mark.parametrize(
    "make",
    [
        external_link,
        link_in_the_path,
        outside_storage,
        virtual,
        not_stored,
        strings,
    ],
)
def test_weights_that_are_not_in_the_file(tmp_path, make):
    weights = elmo_reference.make_weights()
    folder = elmo_reference.write_elmo(tmp_path / "elmo", weights)
    path = folder / "elmo_small_weights.hdf5"
    options = read_options(folder / "elmo_small_options.json")
    assert read_weights(path, options).keys() == weights.keys()
    with h5py.File(path, "r+") as file:
        del file[NAME]
        make(file, weights[NAME].shape)
    with pytest.raises(VectorsError, match=rf"expected (an array )?{NAME}"):
        read_weights(path, options)


# === The cache ===


@pytest.fixture
def cache(tmp_path):
    cache = VectorCache(tmp_path / "cache")
    cache.write({cache_key("a"): np.ones((2, 3), "f4")})
    return cache


def test_compressed_members_are_not_believed(cache):
    (path,) = cache.folder.iterdir()
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    with pytest.warns(VectorsWarning, match="keys is compressed"):
        assert list(cache.read([cache_key("a")])) == []
    assert not path.exists()


def test_shapes_beyond_the_file_are_not_believed(tmp_path):
    cache = VectorCache(tmp_path)
    cache.write({cache_key("a"): np.ones((2000, 3), "f4")})
    (path,) = cache.folder.iterdir()
    raw = path.read_bytes()
    assert raw.count(b"(2000, 3), }     ") == 1
    # The sums of the archive would tell, but only behind the numbers.
    raw = raw.replace(b"(2000, 3), }     ", b"(2000, 30000), } ")
    path.write_bytes(raw)
    with pytest.warns(VectorsWarning, match=r"vectors of \(2000, 30000\)"):
        assert list(cache.read([cache_key("a")])) == []


@pytest.mark.parametrize("field", ["flag", "method"])
def test_archives_of_other_kinds_are_not_believed(cache, field):
    (path,) = cache.folder.iterdir()
    raw = bytearray(path.read_bytes())
    at = raw.index(b"PK\x01\x02") + (8 if field == "flag" else 10)
    raw[at] = 1 if field == "flag" else 99
    path.write_bytes(raw)
    with pytest.warns(VectorsWarning, match="expected a whole file of vectors"):
        assert list(cache.read([cache_key("a")])) == []


def test_what_may_not_be_read_stays(cache):
    (path,) = cache.folder.iterdir()
    path.unlink()
    path.mkdir()
    with pytest.raises(IsADirectoryError):
        list(cache.read([cache_key("a")]))
    assert path.exists()


# === BERT ===

CONFIG = {
    "num_hidden_layers": 1,
    "hidden_size": 4,
    "intermediate_size": 4,
    "vocab_size": 7,
    "max_position_embeddings": 6,
}


def bert(folder, config, index=None):
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "model.safetensors").write_bytes(bytes(1000))
    if index is not None:
        path = folder / "model.safetensors.index.json"
        path.write_text(json.dumps(index))
    return folder


def test_sizes_that_the_weights_bear_out(tmp_path):
    check_directory(bert(tmp_path / "a", CONFIG))
    names = {
        "num_layers": 1,
        "hidden_dim": 4,
        "intermediate_dim": 4,
        "vocabulary_size": 7,
        "max_sequence_length": 6,
    }
    index = {"weight_map": {"a": "model.safetensors", "b": ["x.h5"]}}
    check_directory(bert(tmp_path / "b", {"config": names}, index))


@pytest.mark.parametrize(
    ("config", "index", "message"),
    [
        (CONFIG | {"vocab_size": 10**9}, None, r"config\.json: expected a BER"),
        (CONFIG | {"num_hidden_layers": 10**9}, None, "at most as many weight"),
        (CONFIG | {"hidden_size": 4.5}, None, "a positive number hidden_size"),
        (CONFIG | {"hidden_size": 0}, None, "a positive number hidden_size"),
        ({}, None, "a positive number num_hidden_layers .*Received: 'None'"),
        ([], None, "expected a JSON object"),
        (CONFIG, {"weight_map": {"a": "../b"}}, "names of files next to it"),
        (CONFIG, {"weight_map": {"a": 7}}, "names of files next to it"),
        (CONFIG, {"weight_map": {"a": ["/b"]}}, "names of files next to it"),
        (CONFIG, {}, "an object `weight_map`"),
    ],
)
def test_directories_that_ask_for_too_much(tmp_path, config, index, message):
    with pytest.raises(VectorsError, match=message):
        check_directory(bert(tmp_path / "a", config, index))


def test_what_keras_hub_says_is_named(tmp_path):
    pytest.importorskip("keras_hub")
    pytest.importorskip("safetensors")
    from keras_qa.embeddings.bert.network import Bert

    folder = bert(tmp_path / "a", CONFIG)
    with pytest.raises(VectorsError, match=r"a: expected a BERT that keras-h"):
        Bert(folder).pieces(["a"])
