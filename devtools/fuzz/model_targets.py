"""Targets: the loader of `.keras` files."""

import io
import tempfile
import zipfile
from functools import cache
from pathlib import Path

from devtools.fuzz import structures
from devtools.fuzz.structures import Case
from devtools.fuzz.target import Target
from keras_qa.errors import ModelFileError
from keras_qa.export.keras_file import load_model


def targets() -> list[Target]:
    """The targets of this module."""
    return [
        Target(
            "keras file",
            lambda: {"model.keras": _archive(_members())},
            lambda folder: _load(folder / "model.keras"),
            (ModelFileError,),
            inputs=300,
            share=40,
        ),
        Target(
            "keras file's members",
            _members,
            _load_members,
            (ModelFileError,),
            inputs=300,
            share=40,
            structured=structures.json_file("config.json"),
        ),
    ]


@cache
def saved_model() -> bytes:
    """A `.keras` file of a model of five words."""
    # Imported here because most targets do not need Keras.
    from keras_qa.export.keras_file import export_keras
    from keras_qa.models import CosineQA

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.keras"
        export_keras(CosineQA(5, 3, projection_dim=2), path)
        return path.read_bytes()


def _members() -> Case:
    with zipfile.ZipFile(io.BytesIO(saved_model())) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _archive(members: Case) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in sorted(members.items()):
            archive.writestr(zipfile.ZipInfo(name), data)
    return file.getvalue()


def _load(path: Path) -> None:
    load_model(path).count_params()


def _load_members(folder: Path) -> None:
    members = {path.name: path.read_bytes() for path in folder.iterdir()}
    path = folder / "model.keras"
    path.write_bytes(_archive(members))
    _load(path)
