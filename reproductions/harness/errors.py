"""The errors of the experiments; messages follow the library's form."""

from keras_qa.errors import KerasQAError
from keras_qa.errors import RunFolderError


class SettingsError(KerasQAError, ValueError):
    """A setting does not exist, or has a value that is not allowed."""


class StageError(RunFolderError):
    """A stage that a run needs does not exist."""


class FigureError(KerasQAError, ValueError):
    """A figure or table cannot be made of the runs or texts that were given."""


class QueueError(KerasQAError, RuntimeError):
    """The journal of a queue of runs is broken."""
