"""The base class of texts of word ids and of texts of word vectors."""

from functools import cached_property

import numpy as np


class Ragged:
    """Texts of different lengths, concatenated in one array.

    Attributes:
        offsets: int64 `(texts + 1,)`; text i has the rows from `offsets[i]` to
            `offsets[i+1]`, exclusive.
    """

    offsets: np.ndarray

    @property
    def rows(self) -> np.ndarray:
        """The words of all texts, one row each."""
        raise NotImplementedError

    def check_offsets(self, name: str) -> None:
        """Checks that the offsets rise from 0 to the number of rows.

        Args:
            name: the rows' name in an error message.

        Raises:
            ValueError: if the offsets do not.
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
            rows: size of the first axis, at least `len(indices)`, its default;
                further rows are padding.

        Returns:
            int32 `(*indices.shape, width)` for word ids, or float32
            `(*indices.shape, width, dim)` for vectors.
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
