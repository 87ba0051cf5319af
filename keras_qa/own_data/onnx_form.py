"""The ONNX form of a finished run, by which commands start without Keras."""

from pathlib import Path

from keras_qa.errors import ExportError
from keras_qa.export.forms import check_packages
from keras_qa.export.onnx_beside import add_onnx
from keras_qa.files.locks import owned_folder
from keras_qa.ranker import Ranker


def ensure_onnx(folder: Path) -> None:
    """Adds the ONNX form to a run that has none.

    Args:
        folder: a finished run; nothing of it changes but its subfolder `onnx`.

    Raises:
        ExportError: if the form cannot be written, for whatever reason, or
            scores otherwise than the Keras model.
        ImportError: if a package is missing.
    """
    check_packages()
    try:
        if Ranker.load(folder).engine == "keras":
            # Until it is checked, other processes keep off.
            with owned_folder(folder):
                add_onnx(folder, overwrite=True)
    # Converters raise many types of errors for a model that they cannot take.
    except Exception as error:
        raise ExportError(
            f"{folder}: the ranker is saved, but expected to add its ONNX "
            f"form. Received: {type(error).__name__}: {error}"
        ) from error
