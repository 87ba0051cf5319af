"""Random damage to the bytes of files."""

import gzip
import random
import re
import struct
from collections.abc import Callable
from collections.abc import Sequence

MOST_BYTES = 1 << 17
"""No damaged file is longer."""

_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")
_NUMBERS = (
    *(b"0", b"-1", b"1", b"2", b"255", b"65536", b"4294967296", b"1e999"),
    *(b"2147483647", b"2147483648", b"9223372036854775807", b"1000000000"),
    *(b"99999999999999999999", b"nan", b"inf", b"-inf", b"1e39", b"0.5"),
    *(b"9" * 5000, b"0x10", b"", b"null", b"true"),
)
_INTEGERS = (0, 1, -1, 2, 127, 255, 2**15, 2**31 - 1, -(2**31), 2**40, 2**62)
_WORDS = (
    *(b"\n", b"\r\n", b"\r", b"\t", b" ", b'"', b"'", b"\\", b"\x00", b"\xff"),
    *(b"\xed\xa0\x80", b"\xc0\x80", "\u2028\ufeff\x85".encode(), b"\\ud800"),
    *(b"{", b"}", b"[", b"]", b",", b":", b"<", b">", b"&", b"]]>", b"[[[["),
    *(b"null", b"NaN", b"-Infinity", b"{}", b'{"a":1,"a":2}', b"[]" * 40),
)

Damage = Callable[[random.Random, bytes], bytes]


class Mutator:
    """Damages files at random.

    Args:
        seed: seed of the draws.
        words: pieces of the format to insert, in addition to common pieces.
        donors: other files, whose pieces are inserted.
    """

    def __init__(
        self,
        seed: int | str,
        words: Sequence[bytes] = (),
        donors: Sequence[bytes] = (),
    ):
        self.random = random.Random(seed)
        self._words = (*_WORDS, *words, *words)
        self._donors = tuple(donors)
        self._kinds: tuple[Damage, ...] = (
            *(_flip, _overwrite, self._insert, _delete, _duplicate, _repeat),
            *(_cut, self._splice, _swap_lines, _drop_line, _copy_line),
            *(_number, _number, _binary_number, _encode),
        )

    def damage(self, data: bytes) -> bytes:
        """Applies one to four random kinds of damage, one after the other."""
        for _ in range(self.random.choice((1, 1, 2, 3, 4))):
            data = self.random.choice(self._kinds)(self.random, data)
        return data[:MOST_BYTES]

    def files(
        self, files: dict[str, bytes], gzipped: bool = False
    ) -> dict[str, bytes]:
        """Damages one or two of several files.

        Args:
            files: the files by name.
            gzipped: True if a damaged file may be compressed, with `.gz` added
                to its name; it is damaged before or after compression.

        Returns:
            The files, damaged.
        """
        files = dict(files)
        names = sorted(files)
        for name in self.random.sample(
            names, min(len(names), self.random.choice((1, 1, 1, 2)))
        ):
            data = files.pop(name)
            if gzipped and self.random.random() < 0.1:
                if self.random.random() < 0.5:
                    packed = self.damage(gzip.compress(data, mtime=0))
                else:
                    packed = gzip.compress(self.damage(data), mtime=0)
                files[f"{name}.gz"] = packed
            else:
                files[name] = self.damage(data)
        return files

    def _insert(self, rng: random.Random, data: bytes) -> bytes:
        at = _place(rng, data)
        return data[:at] + rng.choice(self._words) + data[at:]

    def _splice(self, rng: random.Random, data: bytes) -> bytes:
        if not self._donors:
            return data
        donor = rng.choice(self._donors)
        start = _place(rng, donor)
        piece = donor[start : start + rng.randint(1, 400)]
        at = _place(rng, data)
        return data[:at] + piece + data[at + rng.choice((0, len(piece))) :]


def _place(rng: random.Random, data: bytes) -> int:
    # The beginning, where headers are, is chosen more often.
    most = len(data) if rng.random() < 0.8 else min(len(data), 40)
    return rng.randint(0, most)


def _range(rng: random.Random, data: bytes, most: int) -> tuple[int, int]:
    start = _place(rng, data)
    return start, start + rng.randint(1, most)


def _flip(rng: random.Random, data: bytes) -> bytes:
    found = bytearray(data)
    for _ in range(rng.randint(1, 3)):
        if found:
            at = min(_place(rng, data), len(found) - 1)
            found[at] ^= 1 << rng.randrange(8)
    return bytes(found)


def _overwrite(rng: random.Random, data: bytes) -> bytes:
    start, end = _range(rng, data, 8)
    return data[:start] + rng.randbytes(end - start) + data[end:]


def _delete(rng: random.Random, data: bytes) -> bytes:
    start, end = _range(rng, data, rng.choice((1, 8, 200)))
    return data[:start] + data[end:]


def _duplicate(rng: random.Random, data: bytes) -> bytes:
    start, end = _range(rng, data, rng.choice((8, 200)))
    at = _place(rng, data)
    return data[:at] + data[start:end] + data[at:]


def _repeat(rng: random.Random, data: bytes) -> bytes:
    start, end = _range(rng, data, rng.choice((1, 4, 60)))
    times = rng.choice((2, 10, 100, 1000, 20_000))
    times = min(times, MOST_BYTES // (end - start))
    # Long repetitions are rare, to save time.
    if times > 100 and rng.random() < 0.9:
        times = 10
    return data[:start] + data[start:end] * times + data[end:]


def _cut(rng: random.Random, data: bytes) -> bytes:
    return data[: rng.randint(0, len(data))]


def _lines(rng: random.Random, data: bytes) -> tuple[list[bytes], int, int]:
    lines = data.split(b"\n")
    return lines, rng.randrange(len(lines)), rng.randrange(len(lines))


def _swap_lines(rng: random.Random, data: bytes) -> bytes:
    lines, i, j = _lines(rng, data)
    lines[i], lines[j] = lines[j], lines[i]
    return b"\n".join(lines)


def _drop_line(rng: random.Random, data: bytes) -> bytes:
    lines, i, _ = _lines(rng, data)
    del lines[i]
    return b"\n".join(lines)


def _copy_line(rng: random.Random, data: bytes) -> bytes:
    lines, i, j = _lines(rng, data)
    lines.insert(j, lines[i])
    return b"\n".join(lines)


def _number(rng: random.Random, data: bytes) -> bytes:
    """Replaces a number in decimal digits by another."""
    at = _place(rng, data)
    found = _NUMBER.search(data, at) or _NUMBER.search(data)
    if found is None:
        return data
    return data[: found.start()] + rng.choice(_NUMBERS) + data[found.end() :]


def _binary_number(rng: random.Random, data: bytes) -> bytes:
    """Overwrites some bytes with a binary integer."""
    number = rng.choice(_INTEGERS)
    wide = rng.random() < 0.5 or abs(number) >= 2**31
    packed = struct.pack("<q" if wide else "<i", number)
    at = _place(rng, data)
    return data[:at] + packed + data[at + len(packed) :]


def _encode(rng: random.Random, data: bytes) -> bytes:
    kind = rng.randrange(5)
    if kind == 0:
        return b"\xef\xbb\xbf" + data
    if kind == 1:
        return data.replace(b"\n", b"\r\n")
    text = data.decode("utf-8", "replace")
    if kind == 2:
        return text.encode("utf-16")
    if kind == 3:
        return text.encode("latin-1", "replace")
    return b""
