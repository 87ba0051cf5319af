"""The two kinds of FAISS index: how they are made, adjusted and stored."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from keras_qa.errors import SearchError
from keras_qa.progress import ProgressBar

KINDS = ("flat", "hnsw")

# Neighbours of a node of the graph, and nodes that a new one is compared with.
NEIGHBOURS = 32
CONSTRUCTION_EFFORT = 100

EFFORT = 256
"""Nodes of a graph that a search compares with the question by default."""


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


def build_faiss(
    kind: str,
    blocks: Iterable[np.ndarray],
    total: int,
    show_progress: bool = True,
) -> Any:
    """Makes an index.

    Vectors are not compressed: with eight-bit numbers or product codes, a
    graph finds no more and takes longer.

    Args:
        kind: `"flat"` compares a question with every answer; `"hnsw"`, a
            graph, with some.
        blocks: what `Space.lift_answers` gives for a flat index,
            `Space.answer_places` for a graph, in the order of the rows.
        total: number of all rows, for the progress bar.
        show_progress: whether to draw one.
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


def set_effort(index: Any, effort: int) -> None:
    """Sets the number of nodes that a search compares with the question.

    Args:
        index: a graph.
        effort: the number, at least 1.

    Raises:
        SearchError: if it is less than 1.
    """
    if effort < 1:
        raise SearchError(
            f"`effort` must be positive. Received: effort={effort}"
        )
    # FAISS keeps it in 32 bits.
    index.hnsw.efSearch = min(effort, max(index.ntotal, 1))


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
    types = {"flat": faiss.IndexFlatIP, "hnsw": faiss.IndexHNSWFlat}
    # FAISS would search another kind without an error and find wrong answers.
    if not isinstance(index, types[kind]):
        raise SearchError(
            f"{path}: expected an index of the kind {kind}. "
            f"Received: {type(index).__name__}"
        )
    return index
