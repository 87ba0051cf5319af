"""Arrays in `.npz` files that may be damaged, or may state a wrong size."""

import math
import struct
import zipfile
import zlib

import numpy as np

# What NumPy and zipfile raise for a file that was cut off or changed, or is of
# another format; the last three for features that these archives never have.
DAMAGE = (
    *(ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error),
    *(struct.error, TypeError, IndexError, OverflowError, MemoryError),
    *(RuntimeError, NotImplementedError, AttributeError),
)


def stored_array(archive: zipfile.ZipFile, name: str) -> np.ndarray:
    """Reads an array whose length is the one that its header states.

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
