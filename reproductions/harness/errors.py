"""The errors of the experiments; messages are as those of the library."""

from keras_qa.errors import KerasQAError
from keras_qa.errors import RunFolderError


class SettingsError(KerasQAError, ValueError):
    """A setting does not exist, or has a value that is not allowed."""


class StageError(RunFolderError):
    """A stage that was to be reused is not there."""


class FigureError(KerasQAError, ValueError):
    """A figure or table cannot be made of the runs or texts that were given."""
