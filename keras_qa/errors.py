"""The errors of the kit; each message says what was expected and received.

Errors about values are also `ValueError`s; errors about files and folders that
cannot be used now are also `RuntimeError`s or `OSError`s.
"""

from collections.abc import Sequence


class KerasQAError(Exception):
    """The base of all errors of the kit."""


class DatasetError(KerasQAError, ValueError):
    """A data file is missing or malformed; the message names file and line."""


class MissingColumnError(DatasetError):
    """A table lacks a column.

    Attributes:
        columns: names of the columns that it has.
    """

    def __init__(self, message: str, columns: Sequence[str]):
        super().__init__(message)
        self.columns = columns


class VectorsError(KerasQAError, ValueError):
    """A file of vectors is missing or malformed; the message names it."""


class ModelFileError(KerasQAError, ValueError):
    """A file contains no model that may be loaded; the message names it."""


class RankerError(KerasQAError, ValueError):
    """A model cannot be loaded or used with text; the message says why."""


class AttentionError(KerasQAError, ValueError):
    """The attention of a model cannot be shown; the message says why."""


class SearchError(KerasQAError, ValueError):
    """Answers cannot be indexed, searched or ranked; the message says why."""


class DevicesError(KerasQAError, ValueError):
    """Devices or hosts cannot be trained on; the message says why."""


class ExportError(KerasQAError, ValueError):
    """A model cannot be exported as requested; the message says why."""


class DivergedError(KerasQAError, ArithmeticError):
    """The loss or a metric of a training is no number, or infinite."""


class RunFolderError(KerasQAError, RuntimeError):
    """A run's folder is broken, in use, not writable, or of another run."""


class OwnedError(KerasQAError, RuntimeError):
    """Another process uses a file or folder; the message names the process."""


class UnpackingError(KerasQAError, OSError):
    """A compressed file unpacks to far more than text or vectors do."""


class VectorsWarning(UserWarning):
    """Word vectors are irregular, or rows of their file are left out."""


class TextWarning(UserWarning):
    """Texts contain words that the model does not know, or no words."""
