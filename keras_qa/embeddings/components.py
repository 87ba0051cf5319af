"""Principal component analysis of vectors."""

from dataclasses import dataclass

import numpy as np

# Number of vectors in double precision at a time; bounds the memory.
CHUNK = 1 << 14


@dataclass(frozen=True)
class PrincipalComponents:
    """Principal components of vectors.

    Attributes:
        mean: float64 `(width,)`, the mean of the fitted vectors.
        directions: float64 `(width, dim)`, orthonormal columns in descending
            order of variance; the entry of largest magnitude is positive.
        explained: share of the variance in these directions.
    """

    mean: np.ndarray
    directions: np.ndarray
    explained: float

    @classmethod
    def fit(cls, vectors: np.ndarray, dim: int) -> "PrincipalComponents":
        """Computes the principal components.

        Args:
            vectors: `(n, width)`, at least one.
            dim: number of components.

        Raises:
            ValueError: if `dim` is not between 1 and the width, or there are
                no vectors.
        """
        width = vectors.shape[-1]
        if not 1 <= dim <= width:
            raise ValueError(
                f"`dim` must be between 1 and {width}, the width of the "
                f"vectors. Received: dim={dim}"
            )
        if not len(vectors):
            raise ValueError("`vectors` must not be empty. Received: 0 rows")
        mean = vectors.mean(axis=0, dtype=np.float64)
        scatter = np.zeros((width, width))
        for start in range(0, len(vectors), CHUNK):
            centred = vectors[start : start + CHUNK] - mean
            scatter += centred.T @ centred
        variances, directions = np.linalg.eigh(scatter)
        # `eigh` returns the variances in ascending order.
        directions = directions[:, ::-1][:, :dim]
        largest = np.abs(directions).argmax(axis=0)
        directions = directions * np.sign(directions[largest, np.arange(dim)])
        kept = variances[::-1][:dim].sum() / max(variances.sum(), 1e-300)
        return cls(mean, directions, float(kept))

    def apply(self, vectors: np.ndarray) -> np.ndarray:
        """Coordinates of vectors, `(..., width)` to float32 `(..., dim)`."""
        return ((vectors - self.mean) @ self.directions).astype(np.float32)
