"""Adds the ONNX form to a folder with a Keras model."""

from pathlib import Path

from keras_qa.errors import ExportError
from keras_qa.errors import RankerError
from keras_qa.export.forms import check_form
from keras_qa.export.keras_folder import folder_reading
from keras_qa.export.onnx_model import BESIDE
from keras_qa.export.onnx_model import ENCODER_FILE
from keras_qa.export.target import MODEL
from keras_qa.export.target import ONNX
from keras_qa.export.target import check_target
from keras_qa.export.tokenizer_file import TOKENIZERS
from keras_qa.files.whole import file_digest
from keras_qa.files.whole import write_whole
from keras_qa.text.reading import READING
from keras_qa.text.reading import READING_NAMES


def add_onnx(
    folder: str | Path, tokenizer: str | None = None, *, overwrite: bool = False
) -> Path:
    """Adds the ONNX form to a folder with a Keras model.

    `Ranker.load` of the folder, and so every command, then ranks by
    onnxruntime; it loads Keras only if the Keras model is asked for. If the
    Keras model of the folder is replaced later, the ONNX form is ignored. One
    that scores otherwise than the Keras model is not kept.

    Args:
        folder: the output folder of a run, or one that `Ranker.save` wrote.
        tokenizer: see `Ranker.load`.
        overwrite: whether an older ONNX form may be replaced.

    Returns:
        The subfolder that was written, an ONNX folder.

    Raises:
        ExportError: if Keras runs on another backend than TensorFlow, the
            model cannot be converted, or the ONNX form scores otherwise.
        FileExistsError: if there is one and `overwrite` is false, or something
            else is in its folder.
        ImportError: if tf2onnx, tokenizers or onnxruntime is not installed.
        ModelFileError: if the Keras model cannot be loaded.
        RankerError: if `folder` contains no Keras model that takes text.
    """
    folder = Path(folder)
    file, written = folder / MODEL, folder / BESIDE
    names = (ONNX, ENCODER_FILE, *READING_NAMES, *TOKENIZERS.values())
    check_target(written, overwrite, READING, {".": names})
    check_form(folder)
    if not file.is_file():
        raise RankerError(
            f"{folder}: expected a folder with {MODEL}. Received: another form"
        )
    from keras_qa.export.keras_file import load_model
    from keras_qa.export.onnx import export_onnx
    from keras_qa.export.verification import verify_onnx

    reading, digest = folder_reading(folder, tokenizer), file_digest(file)
    model = load_model(file)
    try:
        reading = reading.for_model(model)
    except RankerError as error:
        raise RankerError(f"{folder}: {error}") from error

    def save(place: Path) -> None:
        export_onnx(model, reading, place, source=digest)
        try:
            verify_onnx(place, model, reading)
        except (ExportError, RankerError) as error:
            # Every command would rank by it.
            raise ExportError(f"{written}: not written: {error}") from error

    write_whole(written, save)
    return written
