"""FAISS indexes: which kinds there are, how they are made and adjusted."""

from collections.abc import Callable
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from keras_qa.errors import SearchError

# Uncompressed: eight-bit numbers and product codes find no more and take longer
# (python -m benchmarks.answer_search --answers 100000 --variants).
FACTORIES = {"flat": "Flat", "hnsw": "HNSW32,Flat", "ivf": "IVF{cells},Flat"}
KINDS = tuple(FACTORIES)

# Of a graph: how many nodes a new one is compared with; of cells: how many
# vectors find the centre of one.
CONSTRUCTION_EFFORT = 100
TRAINING_VECTORS = 64

EFFORTS = {"hnsw": 256, "ivf": 64}
"""Nodes of a graph, or cells, that a search looks at by default."""


def import_faiss() -> Any:
    """The package faiss.

    Raises:
        ImportError: if it is not installed; the message says how to get it.
    """
    try:
        import faiss
    except ImportError as error:
        raise ImportError(
            "An index of answers needs FAISS: pip install 'keras-qa[search]'"
        ) from error
    return faiss


def build_flat(
    blocks: Iterable[np.ndarray], total: int, show_progress: bool = True
) -> Any:
    """An index that compares a question with every answer.

    Args:
        blocks: what `Space.lift_answers` gives, in the order of the rows.
        total: number of all rows, for the progress bar.
        show_progress: whether to draw one.
    """
    faiss = import_faiss()
    index = None
    for block in _bar(blocks, total, "flat", show_progress):
        if index is None:
            index = faiss.IndexFlatIP(block.shape[1])
        index.add(block)
    return index


def build_approximate(
    kind: str,
    blocks: Callable[[], Iterable[np.ndarray]],
    total: int,
    sample: Callable[[int], np.ndarray],
    show_progress: bool = True,
) -> Any:
    """An index that looks at some of the answers.

    Args:
        kind: `"hnsw"`, `"ivf"`, or what FAISS's `index_factory` takes, in
            which `{cells}` stands for their number.
        blocks: function that streams what `Space.answer_places` gives, in the
            order of the rows.
        total: number of all rows.
        sample: function that draws so many rows, by which cells are found.
        show_progress: whether to draw a progress bar.
    """
    faiss = import_faiss()
    cells = cell_count(total)
    factory = FACTORIES.get(kind, kind).format(cells=cells)
    first = sample(1)
    index = faiss.index_factory(first.shape[1], factory, faiss.METRIC_L2)
    if not index.is_trained:
        index.train(sample(TRAINING_VECTORS * cells))
    if factory.startswith("HNSW"):
        index.hnsw.efConstruction = CONSTRUCTION_EFFORT
    for block in _bar(blocks(), total, kind, show_progress):
        index.add(block)
    return index


def cell_count(total: int) -> int:
    """Number of cells for so many answers: a power of 2 near 4 √total."""
    if total < TRAINING_VECTORS:
        return 1
    cells = 2 ** round(np.log2(4 * total**0.5))
    return int(min(cells, total // (TRAINING_VECTORS // 2)))


def set_effort(index: Any, effort: int) -> None:
    """Sets how many nodes or cells a search looks at.

    Args:
        index: an approximate index.
        effort: the number, at least 1.

    Raises:
        SearchError: if it is less than 1.
    """
    if effort < 1:
        raise SearchError(
            f"`effort` must be positive. Received: effort={effort}"
        )
    if hasattr(index, "hnsw"):
        # FAISS keeps it in 32 bits.
        index.hnsw.efSearch = min(effort, max(index.ntotal, 1))
    else:
        index.nprobe = min(effort, index.nlist)


def save_faiss(index: Any, path: Path) -> None:
    """Writes an index."""
    import_faiss().write_index(index, str(path))


def load_faiss(path: Path, kind: str) -> Any:
    """Reads an index.

    Args:
        path: the file.
        kind: one of `KINDS`.

    Raises:
        SearchError: if the file is none that FAISS can read, or of another
            kind.
    """
    faiss = import_faiss()
    try:
        index = faiss.read_index(str(path))
    except RuntimeError as error:
        raise SearchError(
            f"{path}: expected an index of FAISS. Received: {error}"
        ) from error
    types = {
        "flat": faiss.IndexFlatIP,
        "hnsw": faiss.IndexHNSWFlat,
        "ivf": faiss.IndexIVFFlat,
    }
    # Another one would be searched without complaint, and find nothing right.
    if not isinstance(index, types[kind]):
        raise SearchError(
            f"{path}: expected an index of the kind {kind}. "
            f"Received: {type(index).__name__}"
        )
    return index


def _bar(
    blocks: Iterable[np.ndarray], total: int, name: str, show_progress: bool
) -> Iterable[np.ndarray]:
    with tqdm(
        total=total,
        desc=f"Index ({name})",
        unit="answer",
        disable=not show_progress,
    ) as bar:
        for block in blocks:
            yield block
            bar.update(len(block))
