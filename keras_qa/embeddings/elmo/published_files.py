"""Finding and reading the files of a published ELMo."""

import hashlib
from collections.abc import Iterator
from collections.abc import Mapping
from pathlib import Path

import h5py
import numpy as np

from keras_qa.embeddings.elmo.options import ElmoOptions
from keras_qa.embeddings.formats.vector_files import BLOCK_BYTES
from keras_qa.embeddings.formats.vector_files import PathLike
from keras_qa.errors import VectorsError

OPTIONS = "options.json"
WEIGHTS = "weights.hdf5"
# Numbers may be decompressed to this many times their stored length.
MOST_TIMES = 20


def find_elmo(source: PathLike) -> tuple[Path, Path]:
    """Finds the two files of an ELMo.

    Args:
        source: a directory with one file whose name ends with options.json
            and one whose name ends with weights.hdf5, as the published ones
            do (elmo_2x4096_512_2048cnn_2xhighway_options.json).

    Returns:
        The options and the weights.

    Raises:
        VectorsError: if the directory is missing, or does not contain exactly
            one file of each kind.
    """
    folder = Path(source).expanduser()
    if not folder.is_dir():
        raise VectorsError(
            f"`source` must be a directory with the files of an ELMo. "
            f"Received: source={str(source)!r}"
        )
    found = []
    for ending in (OPTIONS, WEIGHTS):
        paths = sorted(folder.glob(f"*{ending}"))
        if len(paths) != 1:
            names = ", ".join(sorted(path.name for path in folder.iterdir()))
            raise VectorsError(
                f"{folder}: expected one file whose name ends with {ending}. "
                f"Received: {names or 'an empty directory'}"
            )
        found.append(paths[0])
    return found[0], found[1]


def files_digest(paths: tuple[Path, ...]) -> str:
    """Hexadecimal digest of the contents of files."""
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            while block := file.read(BLOCK_BYTES):
                digest.update(block)
        digest.update(path.stat().st_size.to_bytes(8, "little"))
    return digest.hexdigest()


def read_weights(path: PathLike, options: ElmoOptions) -> dict[str, np.ndarray]:
    """Reads the weights.

    Args:
        path: the file.
        options: the sizes.

    Returns:
        float32 arrays by their names in the file.

    Raises:
        VectorsError: if the file is not HDF5, or an array is missing, in
            another file, of another shape, or not finite.
    """
    try:
        with h5py.File(path, "r") as file:
            return dict(_arrays(path, file, options.shapes))
    # h5py raises many types of errors for damaged files.
    except (
        *(OSError, RuntimeError, KeyError, ValueError, TypeError),
        *(AttributeError, OverflowError, MemoryError),
    ) as error:
        if isinstance(error, VectorsError):
            raise
        raise VectorsError(
            f"{path}: expected a whole HDF5 file. "
            f"Received: {str(error)[:200]!r}"
        ) from error


def _arrays(
    path: PathLike, file: h5py.File, shapes: Mapping[str, tuple[int, ...]]
) -> Iterator[tuple[str, np.ndarray]]:
    for name, shape in shapes.items():
        found = _dataset(file, name)
        if found is None or found.shape != shape:
            what = "none" if found is None else found.shape
            raise VectorsError(
                f"{path}: expected an array {name} of the shape {shape}, as "
                f"the options say. Received: {what}"
            )
        stored = found.id.get_storage_size()
        if found.dtype.kind != "f" or found.nbytes > MOST_TIMES * stored:
            raise VectorsError(
                f"{path}: expected {name} to hold {found.size} numbers. "
                f"Received: {found.dtype} in {stored} bytes"
            )
        array = found[()].astype(np.float32)
        if not np.isfinite(array).all():
            raise VectorsError(
                f"{path}: expected finite numbers in {name}. "
                "Received: NaN or infinity"
            )
        yield name, array


def _dataset(file: h5py.File, name: str) -> h5py.Dataset | None:
    """An array that the file itself contains, or None.

    HDF5 can refer to other files, by links or external and virtual arrays.
    """
    parts = name.split("/")
    for end in range(1, len(parts) + 1):
        part = "/".join(parts[:end])
        if file.get(part, getclass=True, getlink=True) is not h5py.HardLink:
            return None
    found = file[name]
    if (
        not isinstance(found, h5py.Dataset)
        or found.external
        or found.is_virtual
    ):
        return None
    return found
