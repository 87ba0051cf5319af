"""The error that all readers raise."""


class DatasetError(ValueError):
    """A data file is missing or malformed; the message names file and line."""
