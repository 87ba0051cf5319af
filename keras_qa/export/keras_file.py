"""Writing `.keras` files, and loading files from untrusted sources.

Keras's safe mode runs no code from a file. In addition, `load_model` creates
only classes of the library, of Keras and of packages that the caller names, and
no arrays larger than the file's weights.
"""

import io
import json
import math
import re
import zipfile
from collections.abc import Collection
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Any

import numpy as np

from keras_qa.errors import ExportError
from keras_qa.errors import ModelFileError
from keras_qa.files.decompression import FREE_BYTES
from keras_qa.files.decompression import MOST_TIMES
from keras_qa.files.whole import write_whole

if TYPE_CHECKING:
    import keras

CONFIG = "config.json"
WEIGHTS = "model.weights.h5"
MEMBERS = (CONFIG, "metadata.json", WEIGHTS)

MODULES = ("keras", "keras_qa", "builtins")
"""The packages of which a file may name classes and functions."""

# Keras's Lambda layer, and its marker of serialized Python code.
_CODE = ("Lambda", "__lambda__")
# The weights of an embedding, by their name in the file.
_EMBEDDING = re.compile(r"/embedding(_\d+)?/vars/0$")
_SMALLEST_LIMIT = 1 << 16
# Members of a configuration that are not sizes and may be any number.
_ANY_NUMBER = ("seed", "shared_object_id")


def export_keras(model: "keras.Model", path: str | Path) -> None:
    """Writes a model for inference, without optimizer and loss.

    The file is written atomically. It loads with `load_model(path)`, or with
    `keras.models.load_model(path)` once the module that defines the model's
    class is imported.

    Args:
        model: a built model.
        path: file to write; must end in `.keras`. An existing file is replaced.

    Raises:
        ExportError: if `path` has another ending.
        IsADirectoryError: if `path` is a folder.
    """
    path = Path(path)
    if path.suffix != ".keras":
        raise ExportError(f"`path` must end in .keras. Received: path={path}")
    if path.is_dir():
        raise IsADirectoryError(
            f"`path` must not be a folder. Received: path={path}"
        )
    import keras

    # Keras has no option to leave the optimizer out of a file.
    twin = keras.saving.deserialize_keras_object(model_config(model))
    twin.set_weights(model.get_weights())
    write_whole(path, twin.save)


def model_config(model: "keras.Model") -> dict[str, Any]:
    """The configuration of a model, without weights, optimizer and loss."""
    import keras

    config = keras.saving.serialize_keras_object(model)
    config.pop("compile_config", None)
    return config


def load_model(
    path: Path | str, packages: Collection[str] = ("keras_qa",)
) -> "keras.Model":
    """Loads a model that `export_keras` or Keras wrote, without compiling it.

    Args:
        path: the file.
        packages: packages whose registered classes may be loaded, as given to
            `keras.saving.register_keras_serializable(package=...)`. Add the
            package of your own models.

    Returns:
        The model, ready to be called.

    Raises:
        ModelFileError: if the file cannot be read or is damaged, its members
            are not `MEMBERS`, it contains code (a Lambda layer) or classes of
            other packages, or it describes more weights than it contains.
    """
    import keras

    path = Path(path)
    try:
        config, weights_bytes = _read(path)
        check_config(path, config, weights_bytes, packages)
        return keras.saving.load_model(path, compile=False, safe_mode=True)
    except ModelFileError:
        raise
    # Keras and h5py raise many types of errors for bad files.
    except Exception as error:
        raise _error(
            path,
            "a model that this version of keras_qa can load",
            f"{type(error).__name__}: {error}",
        ) from error


def stored_word_vectors(path: Path | str, words: int) -> np.ndarray | None:
    """The word vectors in a model's file, read without Keras.

    Args:
        path: the file.
        words: number of word ids.

    Returns:
        The weights of its word embedding, `(words, dim)`; None if it has none,
        or several that differ.

    Raises:
        ModelFileError: if the file cannot be read or is damaged.
    """
    import h5py

    path = Path(path)
    found: list[np.ndarray] = []
    try:
        _, weights_bytes = _read(path)

        def keep(name: str, item: Any) -> None:
            # Neither arrays of other files, which links and external or
            # virtual storage name, nor larger ones than the file.
            if (
                _EMBEDDING.search(name)
                and isinstance(item, h5py.Dataset)
                and not (item.external or item.is_virtual)
                and item.nbytes <= weights_bytes
                and item.ndim == 2
                and len(item) == words
            ):
                found.append(item[()])

        with (
            zipfile.ZipFile(path) as archive,
            h5py.File(io.BytesIO(archive.read(WEIGHTS)), "r") as weights,
        ):
            weights.visititems(keep)
    except ModelFileError:
        raise
    # h5py raises many types of errors for bad files.
    except Exception as error:
        raise _error(path, "the weights of a model", error) from error
    same = found and all(np.array_equal(found[0], one) for one in found)
    return found[0] if same else None


def check_config(
    path: Path,
    config: dict[str, Any],
    weights_bytes: int,
    packages: Collection[str] = ("keras_qa",),
) -> None:
    """Checks that a configuration describes only a model of allowed classes.

    Args:
        path: the file, for error messages.
        config: the configuration of a model.
        weights_bytes: size of the stored weights.
        packages: see `load_model`.

    Raises:
        ModelFileError: if `config` contains code or classes of other packages,
            or describes a model with more weights than are stored.
    """
    # Imported so that their classes are registered with Keras.
    import keras_qa.initializers
    import keras_qa.models
    import keras_qa.optimizers.constraints  # noqa: F401

    for part in _parts(config):
        _check_part(path, part, packages, weights_bytes)
    _check_size(path, config, weights_bytes)


def _read(path: Path) -> tuple[dict[str, Any], int]:
    """The configuration, and the size of the weights in bytes."""
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        names = sorted(member.filename for member in members)
        if names != sorted(MEMBERS):
            raise _error(path, f"the members {', '.join(MEMBERS)}", names)
        for member in members:
            most = max(FREE_BYTES, MOST_TIMES * member.compress_size)
            if member.file_size > most:
                raise _error(
                    path,
                    f"{member.filename} of at most {most} bytes",
                    member.file_size,
                )
        config = json.loads(archive.read(CONFIG))
        weights_bytes = archive.getinfo(WEIGHTS).file_size
    if not isinstance(config, dict):
        raise _error(path, f"an object in {CONFIG}", config)
    return config, weights_bytes


def _parts(value: Any) -> Iterator[Any]:
    """Every object and number of a configuration."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting.extend(value)
        else:
            yield value
        if isinstance(value, dict):
            waiting.extend(
                inner
                for name, inner in value.items()
                if name not in _ANY_NUMBER
            )


def _check_part(
    path: Path, part: Any, packages: Collection[str], weights_bytes: int
) -> None:
    import keras

    if isinstance(part, dict) and "class_name" in part:
        if part["class_name"] in _CODE:
            raise _error(path, "a model without code in it", part["class_name"])
        module = part.get("module")
        registered = part.get("registered_name")
        # For a class that is not registered, this is its bare name or None.
        package, mark, _ = str(registered).partition(">")
        if mark:
            # Keras imports no module for a class that it finds by this name.
            found = keras.saving.get_registered_object(registered)
            known = package in packages and found is not None
        else:
            known = module is None or (
                isinstance(module, str) and module.split(".")[0] in MODULES
            )
        if not known:
            raise _error(
                path,
                f"classes of {', '.join(MODULES)}, registered by "
                f"{', '.join(sorted(packages))}",
                f"{module}: {registered or part['class_name']}",
            )
    elif isinstance(part, int | float):
        most = max(_SMALLEST_LIMIT, weights_bytes)
        # This form of the comparison rejects NaN.
        if not -most <= part <= most:
            raise _error(path, f"sizes up to {most} in {CONFIG}", part)


def _check_size(path: Path, config: dict[str, Any], weights_bytes: int) -> None:
    """Checks the number of weights of a model created without their values."""
    import keras

    def make() -> Any:
        with keras.StatelessScope(initialize_variables=False):
            return keras.saving.deserialize_keras_object(config, safe_mode=True)

    # Keras lists uninitialised weights by thread and would initialise them
    # later; the list of this thread is dropped when the thread ends.
    with ThreadPoolExecutor(max_workers=1) as pool:
        twin = pool.submit(make).result()
    if not isinstance(twin, keras.Model):
        raise _error(path, "a model", type(twin).__name__)
    count = sum(math.prod(weight.shape) for weight in twin.weights)
    # A weight takes at least two bytes.
    if 2 * count > weights_bytes:
        raise _error(
            path,
            f"a model of at most {weights_bytes // 2} weights, as {WEIGHTS} "
            "has that many bytes",
            count,
        )


def _error(path: Path, expected: str, received: object) -> ModelFileError:
    text = str(received)
    shown = text if len(text) <= 200 else f"{text[:197]}..."
    # Names in the file may contain unprintable characters.
    shown = shown.encode("ascii", "backslashreplace").decode()
    return ModelFileError(f"{path}: expected {expected}. Received: {shown}")
