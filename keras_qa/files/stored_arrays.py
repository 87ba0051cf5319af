"""Arrays in `.npz` files that may be damaged, or may lie about their size."""

import math
import struct
import zipfile
import zlib

import numpy as np

# What NumPy and zipfile raise where a file was cut off, changed, or is
# another's: the last three for what an archive could have, but these have not.
DAMAGE = (
    *(ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error),
    *(struct.error, TypeError, IndexError, OverflowError, MemoryError),
    *(RuntimeError, NotImplementedError, AttributeError),
)


def stored_array(archive: zipfile.ZipFile, name: str) -> np.ndarray:
    """An array of an archive, which is as long as it says.

    Args:
        archive: the `.npz` file.
        name: the array's name.

    Raises:
        ValueError: if the array is compressed, of objects, or not that long;
            or another error of `DAMAGE`.
    """
    member = archive.getinfo(f"{name}.npy")
    if member.compress_type != zipfile.ZIP_STORED:
        raise ValueError(f"{name} is compressed")
    with archive.open(member) as stream:
        version = np.lib.format.read_magic(stream)
        if version != (1, 0):
            raise ValueError(f"{name} of the format {version}")
        shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
        length = math.prod(shape) * dtype.itemsize
        if stream.tell() + length != member.file_size:
            raise ValueError(f"{name} of {shape} in {member.file_size} bytes")
    with archive.open(member) as stream:
        return np.lib.format.read_array(stream, allow_pickle=False)
