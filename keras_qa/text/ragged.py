"""What texts of words and texts of vectors share: rows without padding."""

from functools import cached_property

import numpy as np


class Ragged:
    """Texts one after the other in one array, told apart by offsets.

    Attributes:
        offsets: int64 `(texts + 1,)`; text i has the rows from `offsets[i]` to
            `offsets[i+1]`.
    """

    offsets: np.ndarray

    @property
    def rows(self) -> np.ndarray:
        """The words of all texts, one row each."""
        raise NotImplementedError

    def check_offsets(self, name: str) -> None:
        """Checks that the offsets divide the rows.

        Args:
            name: what a message calls the rows.

        Raises:
            ValueError: if they do not.
        """
        ends = (int(self.offsets[0]), int(self.offsets[-1]))
        if ends != (0, len(self.rows)) or (np.diff(self.offsets) < 0).any():
            raise ValueError(
                f"`offsets` must rise from 0 to len({name}) = "
                f"{len(self.rows)}. Received: offsets={self.offsets}"
            )

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: int) -> np.ndarray:
        """The rows of one text, a view."""
        index = range(len(self))[index]
        return self.rows[self.offsets[index] : self.offsets[index + 1]]

    @cached_property
    def lengths(self) -> np.ndarray:
        """The number of words of each text, int64 `(texts,)`."""
        return np.diff(self.offsets)

    def padded(
        self,
        indices: np.ndarray,
        width: int | None = None,
        rows: int | None = None,
    ) -> np.ndarray:
        """The texts at `indices`, padded at the end with 0.

        Args:
            indices: integer array of any shape.
            width: number of columns; longer texts are cut. By default the
                length of the longest text, at least 1.
            rows: number of rows; rows beyond `len(indices)` are padding. By
                default, there are none.

        Returns:
            Array `(*indices.shape, width)`, of vectors with one axis more,
            with `rows` in place of the first axis if given; int32 of word
            ids, float32 of vectors.
        """
        indices = np.asarray(indices)
        starts = self.offsets[indices]
        lengths = self.offsets[indices + 1] - starts
        if width is None:
            width = max(1, int(lengths.max(initial=0)))
        shape = (len(indices) if rows is None else rows, *indices.shape[1:])
        whole = np.issubdtype(self.rows.dtype, np.integer)
        result = np.zeros(
            (*shape, width, *self.rows.shape[1:]),
            np.int32 if whole else np.float32,
        )
        columns = np.arange(width)
        real = columns < lengths[..., None]
        position = (starts[..., None] + columns)[real]
        result[: len(indices)][real] = self.rows[position]
        return result
