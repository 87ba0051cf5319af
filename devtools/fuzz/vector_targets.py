"""Targets: loaders of word vectors, ELMo and BERT; the cache of vectors."""

import io
import json
import struct
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import h5py
import numpy as np
from gensim.models import KeyedVectors
from hypothesis import strategies as st

from devtools.fuzz import structures
from devtools.fuzz.structures import Case
from devtools.fuzz.structures import Cases
from devtools.fuzz.target import Target
from keras_qa.embeddings import load_glove
from keras_qa.embeddings import load_vectors
from keras_qa.embeddings.bert.network import Bert
from keras_qa.embeddings.cache import VectorCache
from keras_qa.embeddings.cache import cache_key
from keras_qa.embeddings.elmo.options import read_options
from keras_qa.embeddings.elmo.published_files import read_weights
from keras_qa.errors import VectorsError
from keras_qa.errors import VectorsWarning

_WORDS = [*(f"word{i}" for i in range(10)), "naïve", "東京"]
_NUMBERS = np.random.default_rng(0).normal(size=(12, 5)).astype("<f4")
_ROWS = "".join(
    f"{word} {' '.join(map(str, row))}\n"
    for word, row in zip(_WORDS, _NUMBERS, strict=True)
).encode()
_HEADER = b"12 5\n"
_BINARY = b"".join(
    word.encode() + b" " + row.tobytes()
    for word, row in zip(_WORDS, _NUMBERS, strict=True)
)
_KEYS = [cache_key(name) for name in "abc"]
_Shapes = dict[str, tuple[int, ...]]
# Sizes of a BERT of some kilobytes.
_HIDDEN, _PIECES = 4, ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "##b")


def targets() -> list[Target]:
    """The targets of this module."""
    return [
        _vectors("glove", lambda: _ROWS, load_glove),
        _vectors("word2vec text", lambda: _HEADER + _ROWS, header=True),
        _vectors("word2vec binary", lambda: _HEADER + _BINARY, header=True),
        _vectors("fasttext", _fasttext),
        Target(
            "vector cache",
            _cache_files,
            _read_cache,
            (VectorsError,),
            inputs=6_000,
            structured=_odd_cache_files,
            # The cache removes damaged files with a warning.
            warnings=(VectorsWarning,),
            refuses=False,
        ),
        Target(
            "elmo options",
            lambda: {"options.json": json.dumps(_OPTIONS).encode()},
            lambda folder: read_options(folder / "options.json").shapes,
            (VectorsError,),
            inputs=6_000,
            structured=structures.json_file("options.json"),
            guided="options.json",
        ),
        Target(
            "elmo weights",
            _elmo_files,
            _read_elmo,
            (VectorsError,),
            inputs=4_000,
        ),
        Target(
            "bert directory",
            _bert_files,
            _read_bert,
            (VectorsError,),
            inputs=200,
            share=20,
            structured=structures.json_file("config.json"),
        ),
    ]


def _vectors(
    name: str,
    make: Callable[[], bytes],
    load: Callable[..., KeyedVectors] = load_vectors,
    header: bool = False,
) -> Target:
    def read(folder: Path) -> None:
        for vocabulary in (None, ["word3", "東京", "cat"]):
            found = load(folder / "vectors", vocabulary)
            finite = np.isfinite(found.vectors).all()
            if not finite or len(found.vectors) != len(found.index_to_key):
                raise TypeError(f"{found} with odd rows")

    return Target(
        name,
        lambda: {"vectors": make()},
        read,
        (VectorsError,),
        words=(b" 1.5", b" -0.25 nan", b"12 5\n", b"word1", b" 1e39", b"\xa0"),
        structured=_odd_headers if header else None,
        warnings=(VectorsWarning,),
        guided="vectors",
    )


def _odd_headers(case: Case) -> Cases:
    """Headers with random counts and widths."""
    numbers = st.one_of(
        st.integers(-2, 14),
        st.sampled_from([10**6, 2**31, 10**9, 2**63, 10**17, 10**18]),
    )
    rows = case["vectors"].partition(b"\n")[2]
    return st.builds(
        lambda count, dim, end: {
            "vectors": f"{count} {dim}{end}\n".encode() + rows
        },
        *(numbers, numbers, st.sampled_from(["", " ", "\r", " 3"])),
    )


@cache
def _fasttext() -> bytes:
    """A model of four words and six buckets in the layout of `saveModel`."""
    words = (b"cat", b"the", b"caf\xc3\xa9", b"word3")
    rows = np.random.default_rng(1).normal(size=(10, 3)).astype("<f4")
    parts = [
        struct.pack("<ii", 793712314, 12),
        struct.pack("<12id", 3, 5, 1, 1, 5, 1, 2, 2, 6, 2, 4, 100, 1e-4),
        struct.pack("<3i2q", 4, 4, 0, 40, -1),
    ]
    parts += [word + b"\0" + struct.pack("<qb", 10, 0) for word in words]
    parts += [struct.pack("<?2q", False, 10, 3), rows.tobytes()]
    return b"".join(parts)


def _cache_files() -> Case:
    with tempfile.TemporaryDirectory() as folder:
        VectorCache(folder).write(
            {key: np.full((i + 1, 3), i, "f4") for i, key in enumerate(_KEYS)}
        )
        return {p.name: p.read_bytes() for p in Path(folder).iterdir()}


def _odd_cache_files(case: Case) -> Cases:
    """Archives whose arrays have random types and shapes."""
    kinds = st.sampled_from(["u1", "i8", "f4", "f8", "U3", "?", "c8", "M8[s]"])
    shapes = st.lists(st.integers(0, 4), max_size=3)
    arrays = st.builds(lambda kind, shape: np.zeros(shape, kind), kinds, shapes)
    names = ("keys", "lengths", "vectors")
    good = {
        "keys": np.frombuffer(b"".join(_KEYS), np.uint8).reshape(-1, 16),
        "lengths": np.array([1, 2, 3]),
        "vectors": np.zeros((6, 3), "f4"),
    }

    def archive(changed: dict[str, np.ndarray], lengths: list[int]) -> Case:
        file = io.BytesIO()
        found = good | {"lengths": np.array(lengths)} | changed
        np.savez(file, **found)  # type: ignore[arg-type]
        return {next(iter(case)): file.getvalue()}

    return st.builds(
        archive,
        st.dictionaries(st.sampled_from(names), arrays, max_size=2),
        st.lists(st.integers(-3, 9), max_size=4) | st.just([1, 2, 3]),
    )


def _read_cache(folder: Path) -> None:
    for key, rows in VectorCache(folder).read(_KEYS):
        odd = rows.ndim != 2 or rows.dtype != np.float32
        if key not in _KEYS or odd or not np.isfinite(rows).all():
            raise TypeError(f"{key!r}: {rows}")


_OPTIONS = {
    "lstm": {
        "use_skip_connections": True,
        "projection_dim": 2,
        "cell_clip": 3,
        "proj_clip": 3,
        "dim": 3,
        "n_layers": 1,
    },
    "char_cnn": {
        "activation": "relu",
        "filters": [[1, 2], [2, 2]],
        "n_highway": 1,
        "embedding": {"dim": 2},
        "n_characters": 262,
        "max_characters_per_token": 9,
    },
}


@cache
def _elmo_weights() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "options.json"
        path.write_text(json.dumps(_OPTIONS))
        shapes = read_options(path).shapes
    file = io.BytesIO()
    rng = np.random.default_rng(2)
    with h5py.File(file, "w") as weights:
        for name, shape in shapes.items():
            weights[name] = rng.normal(size=shape).astype("f4")
    return file.getvalue()


def _elmo_files() -> Case:
    return {
        "options.json": json.dumps(_OPTIONS).encode(),
        "weights.hdf5": _elmo_weights(),
    }


def _read_elmo(folder: Path) -> None:
    options = read_options(folder / "options.json")
    weights = read_weights(folder / "weights.hdf5", options)
    if not all(np.isfinite(array).all() for array in weights.values()):
        raise TypeError("weights that are not finite")


@cache
def _bert_weights() -> bytes:
    from safetensors.numpy import save

    rng = np.random.default_rng(3)
    square: _Shapes = {"weight": (_HIDDEN, _HIDDEN), "bias": (_HIDDEN,)}
    norm: _Shapes = {"weight": (_HIDDEN,), "bias": (_HIDDEN,)}
    layer = "encoder.layer.0"
    shapes: dict[str, _Shapes] = {
        "embeddings.word_embeddings": {"weight": (len(_PIECES), _HIDDEN)},
        "embeddings.position_embeddings": {"weight": (6, _HIDDEN)},
        "embeddings.token_type_embeddings": {"weight": (2, _HIDDEN)},
        "embeddings.LayerNorm": norm,
        "pooler.dense": square,
        f"{layer}.attention.self.query": square,
        f"{layer}.attention.self.key": square,
        f"{layer}.attention.self.value": square,
        f"{layer}.attention.output.dense": square,
        f"{layer}.attention.output.LayerNorm": norm,
        f"{layer}.intermediate.dense": square,
        f"{layer}.output.dense": square,
        f"{layer}.output.LayerNorm": norm,
    }
    return save(
        {
            f"{part}.{name}": rng.normal(size=shape).astype("f4")
            for part, both in shapes.items()
            for name, shape in both.items()
        },
        {"format": "pt"},
    )


def _bert_files() -> Case:
    config = {
        "architectures": ["BertModel"],
        "model_type": "bert",
        "vocab_size": len(_PIECES),
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "hidden_size": _HIDDEN,
        "intermediate_size": _HIDDEN,
        "max_position_embeddings": 6,
        "type_vocab_size": 2,
    }
    tokenizer = {"do_lower_case": True, "tokenizer_class": "BertTokenizer"}
    return {
        "config.json": json.dumps(config).encode(),
        "tokenizer_config.json": json.dumps(tokenizer).encode(),
        "vocab.txt": "".join(f"{piece}\n" for piece in _PIECES).encode(),
        "model.safetensors": _bert_weights(),
    }


def _read_bert(folder: Path) -> None:
    bert = Bert(folder)
    pieces = bert.pieces(["ab", "a"])
    states = bert.states([pieces["ab"][: bert.room]])
    if states.ndim != 3:
        raise TypeError(f"states {states.shape}")
