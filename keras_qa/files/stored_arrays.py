"""Reading of arrays from `.npz` files that may be damaged or forged."""

import math
import struct
import zipfile
import zlib

import numpy as np

# Errors of NumPy and zipfile for a file that was cut off or changed, or is of
# another format; the last three for features that these archives never use.
DAMAGE = (
    *(ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error),
    *(struct.error, TypeError, IndexError, OverflowError, MemoryError),
    *(RuntimeError, NotImplementedError, AttributeError),
)


def stored_array(archive: zipfile.ZipFile, name: str) -> np.ndarray:
    """Reads an uncompressed array, after checking its size in the header.

    Args:
        archive: the `.npz` file.
        name: the array's name.

    Raises:
        ValueError: if the array is compressed or of objects, or its size is
            not that of its header; or another error of `DAMAGE`.
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
