"""Reads pickles of plain containers and scalars, and runs no code for it.

A pickle is a program. The usual defence, a `pickle.Unpickler` whose
`find_class` refuses every name, stops calls but not the rest: its C code
reserves memory by numbers that the file states, and hashing a tuple nested a
million times ends the process. So this reader starts from Python's unpickler
in Python and keeps only the instructions that a dict, list, tuple, str, int
or float needs; there is none left that could name, build or call anything.
"""

import pickle
from collections.abc import Callable
from io import BytesIO
from typing import Any

# The names of instructions in the module `pickle`.
ALLOWED = (
    "PROTO FRAME MARK STOP "
    "INT BININT BININT1 BININT2 LONG LONG1 LONG4 FLOAT BINFLOAT "
    "NEWTRUE NEWFALSE "
    "STRING BINSTRING SHORT_BINSTRING "
    "UNICODE BINUNICODE SHORT_BINUNICODE BINUNICODE8 "
    "EMPTY_LIST LIST APPEND APPENDS "
    "EMPTY_TUPLE TUPLE TUPLE1 TUPLE2 TUPLE3 "
    "EMPTY_DICT DICT SETITEM SETITEMS "
    "PUT BINPUT LONG_BINPUT MEMOIZE GET BINGET LONG_BINGET"
)

MAX_KEY_BITS = 60


def _is_key(value: object) -> bool:
    """Returns True for keys of short hashes: long integers collide."""
    if type(value) is int:
        return value.bit_length() <= MAX_KEY_BITS
    return type(value) in (str, float)


class _Instructions(dict[int, Callable[[Any], None]]):
    """Instruction code to method; a code that is not here is an error."""

    def __missing__(self, code: int) -> Callable[[Any], None]:
        raise pickle.UnpicklingError(
            f"the instruction {chr(code)!r} makes something else"
        )


class _PlainUnpickler(pickle._Unpickler):
    """Python's own unpickler with a short list of instructions."""

    # Attributes of the superclass that its published types leave out.
    stack: list[Any]
    append: Callable[[object], None]
    pop_mark: Callable[[], list[Any]]

    def load_dict(self) -> None:
        items = self.pop_mark()
        self.append({})
        self._set_items(items)

    def load_setitem(self) -> None:
        value = self.stack.pop()
        self._set_items([self.stack.pop(), value])

    def load_setitems(self) -> None:
        self._set_items(self.pop_mark())

    def _set_items(self, items: list[object]) -> None:
        target = self.stack[-1]
        for key, value in zip(items[::2], items[1::2], strict=True):
            if type(target) is not dict or not _is_key(key):
                raise pickle.UnpicklingError(
                    f"a {type(key).__name__} cannot be a key here"
                )
            target[key] = value

    dispatch = _Instructions(
        (code, method)
        for name in ALLOWED.split()
        for code in getattr(pickle, name)
        for method in [pickle._Unpickler.dispatch[code]]
    )
    dispatch[pickle.DICT[0]] = load_dict
    dispatch[pickle.SETITEM[0]] = load_setitem
    dispatch[pickle.SETITEMS[0]] = load_setitems


def loads(data: bytes, encoding: str = "utf-8") -> object:
    """Loads a pickle of dicts, lists, tuples, strings and numbers.

    Args:
        data: the pickle, of any protocol.
        encoding: encoding of the strings that Python 2 wrote as bytes.

    Returns:
        The object. Parts may be shared, or contain themselves.

    Raises:
        pickle.UnpicklingError: if the pickle is malformed, or has anything
            else in it. Nothing in it is imported or called in any case.
    """
    try:
        return _PlainUnpickler(BytesIO(data), encoding=encoding).load()
    except pickle.UnpicklingError:
        raise
    # A forged stream can make any instruction fail in its own way: nothing on
    # the stack, bad UTF-8, a number too long, no memory.
    except Exception as error:
        reason = str(error) or type(error).__name__
        raise pickle.UnpicklingError(reason) from error
