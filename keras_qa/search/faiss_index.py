"""The kinds of FAISS index: building, adjusting and storing them."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from keras_qa.errors import SearchError
from keras_qa.progress import ProgressBar
from keras_qa.quiet import without_c_output

KINDS = ("flat", "hnsw", "ivf-pq")

# HNSW's M, the neighbours of a node, and efConstruction, the number of nodes
# that a new node is compared with.
NEIGHBOURS = 32
CONSTRUCTION_EFFORT = 100

# Nodes of the graph of an `ivf-pq`'s centroids that are compared at least.
CENTROID_EFFORT = 16

EFFORTS = {"hnsw": 256, "ivf-pq": 256}
"""How many nodes of a graph, or lists of an `ivf-pq`, a search compares with
the question by default."""


def import_faiss() -> Any:
    """Returns the package faiss.

    Raises:
        ImportError: if faiss is not installed.
    """
    try:
        import faiss
    except ImportError as error:
        raise ImportError(
            "An index of answers needs FAISS: pip install 'keras-qa[search]'"
        ) from error
    return faiss


def build_faiss(
    kind: str,
    blocks: Iterable[np.ndarray],
    total: int,
    show_progress: bool = True,
) -> Any:
    """Builds an index of vectors, which are not compressed.

    With scalar or product quantisation, a graph was found to have no better
    recall and to take longer.

    Args:
        kind: `"flat"` compares a question with every answer; `"hnsw"`, a
            graph, with some. `keras_qa.search.ivf_pq` builds the third kind.
        blocks: float32 arrays `(n, columns)` in the order of the rows, from
            `Space.lift_answers` for a flat index, `Space.answer_places` for a
            graph.
        total: number of all rows, for the progress bar.
        show_progress: True draws a progress bar.

    Returns:
        The index; None if there are no blocks.
    """
    faiss = import_faiss()
    index = None
    with ProgressBar(
        total=total,
        desc=f"Index ({kind})",
        unit="answer",
        disable=not show_progress,
    ) as bar:
        for block in blocks:
            if index is None and kind == "flat":
                index = faiss.IndexFlatIP(block.shape[1])
            elif index is None:
                index = faiss.IndexHNSWFlat(block.shape[1], NEIGHBOURS)
                index.hnsw.efConstruction = CONSTRUCTION_EFFORT
            index.add(block)
            bar.update(len(block))
    return index


def set_effort(index: Any, kind: str, effort: int | None, top: int = 1) -> None:
    """Sets how much a search of an approximate index compares.

    Args:
        index: the index.
        kind: its kind, a key of `EFFORTS`.
        effort: the number of nodes or lists, at least 1; None takes that of
            `EFFORTS`.
        top: the number of answers that are wanted. A graph finds no more nodes
            than it looks at: at least twice as many are looked at.

    Raises:
        SearchError: if `effort` is less than 1.
    """
    if effort is None:
        effort = EFFORTS[kind]
    if effort < 1:
        raise SearchError(
            f"`effort` must be positive. Received: effort={effort}"
        )
    # FAISS stores the number in 32 bits.
    most = max(index.ntotal, 1)
    effort = min(effort, most)
    if kind == "hnsw":
        index.hnsw.efSearch = max(effort, min(2 * top, most))
        return
    lists = import_faiss().extract_index_ivf(index)
    lists.nprobe = min(effort, lists.nlist)
    # The graph of the centroids, too, finds no more than it looks at.
    graph = import_faiss().downcast_index(lists.quantizer).hnsw
    graph.efSearch = max(CENTROID_EFFORT, 2 * lists.nprobe)


def save_faiss(index: Any, path: Path) -> None:
    """Writes an index."""
    import_faiss().write_index(index, str(path))


def load_faiss(path: Path, kind: str) -> Any:
    """Reads an index.

    Args:
        path: the file.
        kind: one of `KINDS`.

    Raises:
        SearchError: if FAISS cannot read the file, or the index is of another
            kind.
    """
    faiss = import_faiss()
    # Large indexes are not read whole, but mapped into memory.
    flags = faiss.IO_FLAG_READ_ONLY | faiss.IO_FLAG_ONDISK_SAME_DIR
    if kind == "flat":
        flags = faiss.IO_FLAG_MMAP_IFC
    try:
        with without_c_output():
            index = faiss.read_index(str(path), flags)
    except RuntimeError as error:
        raise SearchError(
            f"{path}: expected an index of FAISS. Received: {error}"
        ) from error
    types = {
        "flat": faiss.IndexFlatIP,
        "hnsw": faiss.IndexHNSWFlat,
        "ivf-pq": faiss.IndexPreTransform,
    }
    # FAISS would search an index of another kind and find wrong answers.
    if not isinstance(index, types[kind]):
        raise SearchError(
            f"{path}: expected an index of the kind {kind}. "
            f"Received: {type(index).__name__}"
        )
    return index
