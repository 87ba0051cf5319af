"""A reader of pickles of plain containers and scalars that runs no code.

A pickle is a program. The usual defence, a `pickle.Unpickler` whose
`find_class` rejects every name, prevents calls, but its C code allocates memory
by numbers in the file, and hashing a tuple nested a million times crashes the
process. This reader therefore uses Python's pure-Python unpickler, restricted
to the instructions for dict, list, tuple, str, int, float and bool; none of
them can import, build or call anything.
"""

import pickle
from collections.abc import Callable
from io import BytesIO
from typing import Any

# The allowed instructions, by their names in the module `pickle`.
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
    """Returns True for safe keys; hashes of long integers can collide."""
    if type(value) is int:
        return value.bit_length() <= MAX_KEY_BITS
    return type(value) in (str, float)


class _Instructions(dict[int, Callable[[Any], None]]):
    """Methods by instruction code; a missing code is an error."""

    def __missing__(self, code: int) -> Callable[[Any], None]:
        raise pickle.UnpicklingError(
            f"the instruction {chr(code)!r} makes something else"
        )


class _PlainUnpickler(pickle._Unpickler):
    """The pure-Python unpickler with a short list of instructions."""

    # Attributes of the superclass that its type stubs lack.
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
        The object. Its parts may be shared, or contain themselves.

    Raises:
        pickle.UnpicklingError: if the pickle is malformed, or contains other
            objects.
    """
    try:
        return _PlainUnpickler(BytesIO(data), encoding=encoding).load()
    except pickle.UnpicklingError:
        raise
    # In a forged stream, instructions can fail in many ways: an empty stack,
    # bad UTF-8, a number that is too long, no memory.
    except Exception as error:
        reason = str(error) or type(error).__name__
        raise pickle.UnpicklingError(reason) from error
