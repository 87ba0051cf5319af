"""Compressed vectors in lists on disk, for collections that outgrow memory.

Vectors are turned to their principal directions and rotated, assigned to the
nearest of many centroids, and stored in that centroid's list as a
product-quantised difference from it. A search compares a question with the
vectors of a few lists, which are mapped into memory from a file. All of this is
FAISS's: an `IndexIVFPQ` with `OnDiskInvertedLists`.

Source: Jégou, Douze and Schmid, "Product Quantization for Nearest Neighbor
Search", 2011.
"""

from collections.abc import Callable
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from keras_qa.errors import SearchError
from keras_qa.files.whole import write_whole
from keras_qa.progress import ProgressBar
from keras_qa.quiet import without_c_output
from keras_qa.search.faiss_index import import_faiss

# The largest number of bytes of a compressed vector; each stands for four
# numbers of the turned one. (OPQ, which learns the rotation, took minutes to
# train; what a search misses is in lists that it does not look at.)
CODE_BYTES = 64
# Lists for the square root of the number of answers, and vectors for each list
# to find its centroid: the least that FAISS's guidelines advise.
LISTS, SAMPLES = 4, 40
# As many vectors FAISS wants for the 256 centroids of a byte.
FEWEST = 39 * 256
LISTS_SUFFIX = ".lists"
# Number of vectors whose lists are collected in memory before they are written.
ROUND = 1 << 22

Blocks = Callable[[], Iterable[np.ndarray]]


def check_enough(total: int) -> None:
    """Checks that there are answers enough to train on.

    Raises:
        SearchError: if there are not.
    """
    if total < FEWEST:
        raise SearchError(
            f"An index of the kind ivf-pq is trained on at least {FEWEST:,} "
            f"readable answers; use flat or hnsw. Received: {total:,}"
        )


def build_ivf_pq(
    path: Path, blocks: Blocks, total: int, show_progress: bool = True
) -> None:
    """Builds and writes an index of compressed vectors.

    Next to `path` it writes a file with the suffix `.lists`, first; both are
    written atomically. Memory holds a sample of the vectors and the compressed
    vectors of a few million answers at a time.

    Args:
        path: the file of the index.
        blocks: returns float32 arrays `(n, columns)` in the order of the rows,
            from `Space.answer_places`; called twice.
        total: number of all rows.
        show_progress: True draws progress bars.

    Raises:
        SearchError: if there are too few rows, or columns, to train on.
    """
    faiss = import_faiss()
    from faiss.contrib.ondisk import merge_ondisk

    check_enough(total)
    lists = int(LISTS * np.sqrt(total))
    sample = _sample(blocks(), total, min(total, max(SAMPLES * lists, FEWEST)))
    index = _untrained(sample.shape[1], lists)
    index.train(sample)
    del sample

    def save_lists(scratch: Path) -> None:
        part, first = faiss.clone_index(index), 0
        rounds: list[str] = []
        for block in blocks():
            part.add_with_ids(block, np.arange(first, first + len(block)))
            first += len(block)
            bar.update(len(block))
            if part.ntotal >= ROUND or first == total:
                rounds.append(f"{scratch}.{len(rounds)}")
                faiss.write_index(part, rounds[-1])
                part.reset()
        with without_c_output():
            merge_ondisk(index, rounds, str(scratch))

    with ProgressBar(
        total=total,
        desc="Index (ivf-pq)",
        unit="answer",
        disable=not show_progress,
    ) as bar:
        write_whole(path.with_suffix(LISTS_SUFFIX), save_lists)
    write_whole(path, lambda scratch: faiss.write_index(index, str(scratch)))


def _untrained(columns: int, lists: int) -> Any:
    """An empty index with as many lists."""
    size = max(1, min(CODE_BYTES, columns // 4))
    return import_faiss().index_factory(
        columns, f"PCAR{4 * size},IVF{lists}_HNSW32,PQ{size}"
    )


def _sample(blocks: Iterable[np.ndarray], total: int, count: int) -> np.ndarray:
    """Rows at equal distances, float32 `(count, columns)`."""
    chosen = np.arange(count) * total // count
    found, start = [], 0
    for block in blocks:
        first, last = np.searchsorted(chosen, [start, start + len(block)])
        found.append(block[chosen[first:last] - start])
        start += len(block)
    return np.concatenate(found)
