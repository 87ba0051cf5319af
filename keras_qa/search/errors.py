"""The error of all that searches."""


class SearchError(ValueError):
    """Answers cannot be indexed, searched or ranked; the message says why."""
