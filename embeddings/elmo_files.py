"""Finding and reading the files of a published ELMo."""

import hashlib
from collections.abc import Iterator
from collections.abc import Mapping
from pathlib import Path

import h5py
import numpy as np

from embeddings.elmo_options import ElmoOptions
from embeddings.files import BLOCK_BYTES
from embeddings.files import PathLike
from embeddings.files import VectorsError

OPTIONS = "options.json"
WEIGHTS = "weights.hdf5"


def find_elmo(source: PathLike) -> tuple[Path, Path]:
    """Finds the two files of an ELMo.

    Args:
        source: a directory with one file whose name ends with options.json
            and one whose name ends with weights.hdf5, as the published ones
            do (elmo_2x4096_512_2048cnn_2xhighway_options.json).

    Returns:
        The options and the weights.

    Raises:
        VectorsError: if the directory is missing or holds no such files.
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
    """Digest of the contents of some files, hexadecimal."""
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
        VectorsError: if it is no HDF5, or an array is missing, of another
            shape, or not finite.
    """
    try:
        with h5py.File(path, "r") as file:
            return dict(_arrays(path, file, options.shapes))
    except OSError as error:
        raise VectorsError(
            f"{path}: expected a whole HDF5 file. Received: {error}"
        ) from error


def _arrays(
    path: PathLike, file: h5py.File, shapes: Mapping[str, tuple[int, ...]]
) -> Iterator[tuple[str, np.ndarray]]:
    for name, shape in shapes.items():
        found = file.get(name)
        if not isinstance(found, h5py.Dataset) or found.shape != shape:
            what = found.shape if isinstance(found, h5py.Dataset) else "none"
            raise VectorsError(
                f"{path}: expected an array {name} of the shape {shape}, as "
                f"the options say. Received: {what}"
            )
        array = found[()].astype(np.float32)
        if not np.isfinite(array).all():
            raise VectorsError(
                f"{path}: expected finite numbers in {name}. "
                "Received: NaN or infinity"
            )
        yield name, array
