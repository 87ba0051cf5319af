"""Writing `.keras` files, and loading those that may come from anywhere.

Keras itself runs no code of a file. Here, no other classes than those of the
library and of Keras are made, and no arrays larger than the file's weights.
"""

import json
import math
import zipfile
from collections.abc import Collection
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Any

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

# Keras's Lambda layer, and its marker of Python code.
_CODE = ("Lambda", "__lambda__")
_SMALLEST_LIMIT = 1 << 16
# Members of a configuration that may be any number: they are no sizes.
_ANY_NUMBER = ("seed", "shared_object_id")


def export_keras(model: "keras.Model", path: str | Path) -> None:
    """Writes a model for inference, without optimizer and loss.

    The file is whole or absent; one that exists is replaced. It loads with
    `load_model(path)`, or with `keras.models.load_model(path)` once the module
    that defines the model's class is imported.

    Args:
        model: a built model.
        path: file to write; must end in `.keras`.

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

    # Keras has no option to leave the optimizer out, so save an uncompiled
    # twin of the model.
    twin = keras.saving.deserialize_keras_object(model_config(model))
    twin.set_weights(model.get_weights())
    write_whole(path, twin.save)


def model_config(model: "keras.Model") -> dict[str, Any]:
    """What describes a model without its weights, optimizer and loss."""
    import keras

    config = keras.saving.serialize_keras_object(model)
    config.pop("compile_config", None)
    return config


def load_model(
    path: Path | str, packages: Collection[str] = ("keras_qa",)
) -> "keras.Model":
    """Loads what `export_keras` or Keras has written, without compiling it.

    Args:
        path: the file.
        packages: names under which classes may be registered, of
            `keras.saving.register_keras_serializable(package=...)`. Add that
            of your own models.

    Returns:
        The model, ready to be called.

    Raises:
        ModelFileError: if the file cannot be read or is damaged, has another
            member than those of `MEMBERS`, holds code (a Lambda layer) or
            classes of other packages, or describes a model with more weights
            than it has.
    """
    path = Path(path)
    try:
        config, weights_bytes = _read(path)
        check_config(path, config, weights_bytes, packages)
        import keras

        return keras.saving.load_model(path, compile=False, safe_mode=True)
    except ModelFileError:
        raise
    # Neither Keras nor h5py has an error of its own for bad files.
    except Exception as error:
        raise _error(
            path,
            "a model that this version of keras_qa can load",
            f"{type(error).__name__}: {error}",
        ) from error


def check_config(
    path: Path,
    config: dict[str, Any],
    weights_bytes: int,
    packages: Collection[str] = ("keras_qa",),
) -> None:
    """Refuses what describes more than a model of known classes.

    Args:
        path: the file, for a message.
        config: what describes a model.
        weights_bytes: size of the model's weights.
        packages: see `load_model`.

    Raises:
        ModelFileError: if it holds code or classes of other packages, or
            describes a model with more weights than there are.
    """
    # Keras finds the classes of models once they are imported.
    import keras_qa.initializers
    import keras_qa.models
    import keras_qa.optimizers.constraints  # noqa: F401

    for part in _parts(config):
        _check_part(path, part, packages, weights_bytes)
    _check_size(path, config, weights_bytes)


def _read(path: Path) -> tuple[dict[str, Any], int]:
    """The configuration, and the length of the weights."""
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
            # Found by this name, so that Keras imports no module for it.
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
        # Written so that NaN fails.
        if not -most <= part <= most:
            raise _error(path, f"sizes up to {most} in {CONFIG}", part)


def _check_size(path: Path, config: dict[str, Any], weights_bytes: int) -> None:
    """Makes the model without its weights, and counts the weights."""
    import keras

    def make() -> Any:
        with keras.StatelessScope(initialize_variables=False):
            return keras.saving.deserialize_keras_object(config, safe_mode=True)

    # Keras keeps the weights of each thread that are not filled yet, and would
    # fill them later. It forgets them with this thread.
    with ThreadPoolExecutor(max_workers=1) as pool:
        twin = pool.submit(make).result()
    if not isinstance(twin, keras.Model):
        raise _error(path, "a model", type(twin).__name__)
    count = sum(math.prod(weight.shape) for weight in twin.weights)
    # A weight takes two bytes at least.
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
    # Names in the file may hold what no terminal could print.
    shown = shown.encode("ascii", "backslashreplace").decode()
    return ModelFileError(f"{path}: expected {expected}. Received: {shown}")
