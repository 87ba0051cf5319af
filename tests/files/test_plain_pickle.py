import collections
import datetime
import os
import pickle
import struct

import numpy as np
import pytest

from keras_qa.files.plain_pickle import loads

PLAIN = {
    "text": ["a", "ä", "日本", "", "x" * 300],
    "numbers": (0, 1, -1, 255, 256, 65536, -(2**31), 2**40, 2**3000, 1.5),
    "flags": [True, False],
    "nested": {"empty": [[], (), {}], 1: (1,), 2.5: (1, 2, 3, 4)},
}


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_plain_objects_of_every_protocol(protocol):
    assert loads(pickle.dumps(PLAIN, protocol)) == PLAIN


def test_parts_may_be_shared():
    pair = ["answer", 1]
    loaded = loads(pickle.dumps({"a": [pair, pair]}))
    assert loaded["a"][0] is loaded["a"][1]


def test_strings_of_python_2():
    # What Python 2 writes for {'caf\xc3\xa9': ['a']}, protocols 0 and 2.
    old = b"(dp0\nS'caf\\xc3\\xa9'\np1\n(lp2\nS'a'\np3\nas."
    new = b"\x80\x02}q\x00U\x05caf\xc3\xa9q\x01]q\x02U\x01aq\x03as."
    for data in (old, new):
        assert loads(data) == {"café": ["a"]}
        assert loads(data, encoding="latin1") == {"cafÃ©": ["a"]}
        with pytest.raises(pickle.UnpicklingError, match="ascii"):
            loads(data, encoding="ascii")


class Call:
    """Pickles as a call of any function."""

    def __init__(self, function, *arguments):
        self.reduction = function, arguments

    def __reduce__(self):
        return self.reduction


class State:
    """Pickles as an object with a state to set."""

    def __setstate__(self, state):
        os.mkdir(state["path"])

    def __getstate__(self):
        return {"path": "pwned"}


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize(
    "wrap",
    [
        lambda bad: bad,
        lambda bad: {"train": {"q": [["a", 1], [bad, 0]]}},
        lambda bad: [({"x": (bad,)},)],
    ],
    ids=["bare", "in an answer", "deep"],
)
def test_calls_are_refused_and_never_made(
    tmp_path, monkeypatch, protocol, wrap
):
    monkeypatch.chdir(tmp_path)
    for bad in (Call(os.system, "touch pwned"), Call(os.mkdir, "pwned")):
        data = pickle.dumps(wrap(bad), protocol)
        with pytest.raises(pickle.UnpicklingError, match="the instruction"):
            loads(data)
    with pytest.raises(pickle.UnpicklingError, match="the instruction"):
        loads(pickle.dumps(wrap(State()), protocol))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "data",
    [
        b"cos\nsystem\n(S'touch pwned'\ntR.",
        b"(S'touch pwned'\nios\nsystem\n.",
        b"(cos\nsystem\nS'touch pwned'\no.",
        b"\x80\x02cos\nsystem\nU\x0btouch pwned\x85\x81.",
        b"\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x0btouch pwned\x85R.",
        b"}\x82\x01.",
        b"}\x83\x01\x00.",
        b"}\x84\x01\x00\x00\x00.",
        b"}}b.",
        b"Pos.system\n.",
        b"S'x'\nQ.",
        b"\x80\x05\x97.",
        b"\x80\x04\x8f.",
        b"C\x01x.",
        b"N.",
    ],
    ids=[
        *("global", "inst", "obj", "newobj", "stack global"),
        *("ext1", "ext2", "ext4", "build", "persistent id", "binary id"),
        *("buffer", "set", "bytes", "none"),
    ],
)
def test_every_other_instruction_is_refused(tmp_path, monkeypatch, data):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(pickle.UnpicklingError, match="the instruction"):
        loads(data)
    assert not list(tmp_path.iterdir())


def test_other_types_are_refused():
    for value in (
        {1, 2},
        b"bytes",
        None,
        1j,
        datetime.date(2018, 2, 5),
        collections.OrderedDict(a=1),
        np.zeros(2),
        np.float64(1),
    ):
        with pytest.raises(pickle.UnpicklingError, match="the instruction"):
            loads(pickle.dumps({"a": value}))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b".",
        b"]",
        b"0.",
        b"]a.",
        b"t.",
        b"}(S'a'\nu.",
        b"]S'a'\nS'b'\ns.",
        b"g7\n.",
        b"h\x07.",
        b"I12x\n.",
        b"L" + b"9" * 10_000 + b"L\n.",
        b"\x80\xff.",
        b"\x8a\xffx.",
        b"\x8b\xff\xff\xff\xff.",
        b"X\xff\xff\xff\x7fx.",
        b"\x8d\xff\xff\xff\xff\xff\xff\xff\x7fx.",
        b"X\x01\x00\x00\x00\xff.",
        b"Sx\n.",
        b"}" + b")S'a'\ns.",
        b"}]S'a'\ns.",
        b"}}S'a'\ns.",
        b"](" + b"(" * 5000 + b"e.",
    ],
)
def test_malformed_pickles(data):
    with pytest.raises(pickle.UnpicklingError):
        loads(data)


def test_forged_sizes_take_no_memory():
    # A memo position for which the unpickler in C would reserve 64 GB.
    assert loads(b"]r" + struct.pack("<I", 2**32 - 1) + b".") == []
    # A frame of 2**63 - 1 bytes.
    assert loads(b"\x95" + struct.pack("<Q", 2**63 - 1) + b"].") == []


def test_a_deep_tuple_as_key_does_not_end_the_process():
    data = b"}" + b")" + b"\x85" * 1_000_000 + b"K\x01s."
    with pytest.raises(pickle.UnpicklingError, match="tuple cannot be a key"):
        loads(data)
