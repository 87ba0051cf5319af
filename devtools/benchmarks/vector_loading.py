"""How fast, and in how much memory, are the vectors of a vocabulary loaded?

Writes a text file of vectors in GloVe's format, loads all of it with gensim and
the vectors of a vocabulary with `keras_qa.embeddings.load_vectors`, each in a
separate process, and compares times, peak memory and vectors.

    python -m devtools.benchmarks.vector_loading               # 3-5 minutes
    python -m devtools.benchmarks.vector_loading --rows 20000  # a quick look

Bounds, at full size: at least 8 times as fast as gensim, with less than a tenth
of its memory, and vectors equal bit for bit.
"""

import argparse
import json
import multiprocessing
import os
import platform
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

MIN_SPEEDUP = 8.0
MAX_MEMORY_SHARE = 0.1
FULL_ROWS = 400_000
FULL_DIM = 300
FULL_VOCABULARY = 30_000

# Rows are made of formatted chunks, to write a gigabyte in seconds.
CHUNK = 10
CHUNKS = 1 << 16
SYLLABLES = [c + v for c in "bcdfghjklmnprstvwz" for v in "aeioué"]


def nth_word(rank: int) -> str:
    """The word of a frequency rank, from 0; frequent words are short."""
    syllables = []
    rank += 1
    while rank:
        rank, digit = divmod(rank - 1, len(SYLLABLES))
        syllables.append(SYLLABLES[digit])
    return "".join(syllables)


def write_vectors(path: Path, rows: int, dim: int, seed: int) -> None:
    """Writes random vectors with five significant digits, as in GloVe."""
    rng = np.random.default_rng(seed)
    numbers = [f"{x:.5g}" for x in rng.normal(0, 0.4, CHUNKS * CHUNK)]
    chunks = [
        " ".join(numbers[i : i + CHUNK]) for i in range(0, len(numbers), CHUNK)
    ]
    with path.open("w", encoding="utf-8", buffering=1 << 20) as file:
        for rank in range(rows):
            drawn = rng.integers(CHUNKS, size=dim // CHUNK).tolist()
            row = " ".join([chunks[i] for i in drawn])
            file.write(f"{nth_word(rank)} {row}\n")


def draw_vocabulary(rows: int, size: int, seed: int) -> list[str]:
    """Distinct words by Zipf's law: a word of rank r has weight 1 / r."""
    rng = np.random.default_rng(seed + 1)
    # The Gumbel trick: a weighted sample without replacement.
    keys = rng.gumbel(size=rows) - np.log(np.arange(1, rows + 1))
    return [nth_word(int(rank)) for rank in np.argsort(-keys)[:size]]


def memory(field: str) -> float:
    """`VmRSS` (resident memory) or `VmHWM` (its peak), in MiB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) / 1024
    raise RuntimeError(f"/proc/self/status has no {field}; this needs Linux")


def measure(
    loader: str, path: Path, vocabulary: list[str], result: Path
) -> dict[str, float]:
    """Loads the file in this process, which must be a new one.

    Writes the vocabulary's vectors to `result`, a `.npy` file.
    """
    from gensim.models import KeyedVectors

    from keras_qa.embeddings import load_vectors

    # Resets VmHWM to the present VmRSS.
    Path("/proc/self/clear_refs").write_text("5")
    before = memory("VmRSS")
    start = time.perf_counter()
    if loader == "gensim":
        vectors = KeyedVectors.load_word2vec_format(path, no_header=True)
    else:
        vectors = load_vectors(path, vocabulary=vocabulary)
    seconds = time.perf_counter() - start
    peak = memory("VmHWM") - before
    np.save(result, vectors[vocabulary])
    return {"seconds": seconds, "peak_mb": peak, "rows": len(vectors)}


def measure_in_new_process(
    loader: str, path: Path, vocabulary: list[str], result: Path
) -> dict[str, float]:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(measure, loader, path, vocabulary, result).result()


def compare(rows: int, dim: int, size: int, seed: int, folder: Path) -> dict:
    """Runs both loaders on one file and compares their figures."""
    path = folder / "vectors.txt"
    start = time.perf_counter()
    write_vectors(path, rows, dim, seed)
    vocabulary = draw_vocabulary(rows, size, seed)
    megabytes = path.stat().st_size / 1e6
    print(
        f"{rows:,} x {dim} in {megabytes:,.0f} MB, vocabulary of {size:,} "
        f"words, written in {time.perf_counter() - start:.0f} s",
        flush=True,
    )
    figures = {}
    for loader in ("gensim", "ours"):
        result = folder / f"{loader}.npy"
        figures[loader] = measure_in_new_process(
            loader, path, vocabulary, result
        )
        print(
            f"{loader:8}{figures[loader]['seconds']:8.2f} s"
            f"{figures[loader]['peak_mb']:9.1f} MB more at the peak"
            f"{figures[loader]['rows']:10,} vectors",
            flush=True,
        )
    theirs, ours = (np.load(folder / f"{x}.npy") for x in figures)
    speedup = figures["gensim"]["seconds"] / figures["ours"]["seconds"]
    share = figures["ours"]["peak_mb"] / figures["gensim"]["peak_mb"]
    return {
        "rows": rows,
        "dim": dim,
        "vocabulary": size,
        "seed": seed,
        "file_mb": megabytes,
        **figures,
        "speedup": speedup,
        "memory_share": share,
        "equal": theirs.tobytes() == ours.tobytes(),
        "python": platform.python_version(),
        "cpus": os.cpu_count(),
    }


def report(figures: dict) -> bool:
    """Prints the verdicts; returns True unless one of them is a failure."""
    checks = {
        f"{figures['speedup']:.1f} times as fast "
        f"(at least {MIN_SPEEDUP:g})": figures["speedup"] >= MIN_SPEEDUP,
        f"{figures['memory_share']:.1%} of the memory "
        f"(less than {MAX_MEMORY_SHARE:.0%})": (
            figures["memory_share"] < MAX_MEMORY_SHARE
        ),
    }
    full = (
        figures["rows"] >= FULL_ROWS
        and figures["dim"] == FULL_DIM
        and figures["vocabulary"] >= FULL_VOCABULARY
    )
    for text, passed in checks.items():
        verdict = "PASS" if passed else "FAIL"
        print(f"{verdict}  {text}" if full else f"{text}: not at this size")
    verdict = "PASS" if figures["equal"] else "FAIL"
    print(f"{verdict}  vectors equal bit for bit")
    return figures["equal"] and (not full or all(checks.values()))


def write_json(path: Path, figures: dict) -> None:
    temporary = path.with_name(path.name + ".part")
    temporary.write_text(json.dumps(figures, indent=2) + "\n", "utf-8")
    os.replace(temporary, path)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--rows", type=int, default=FULL_ROWS)
    parser.add_argument("--dim", type=int, default=FULL_DIM)
    parser.add_argument(
        "--vocabulary",
        type=int,
        help="number of wanted words (default: 3/40 of the rows)",
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--folder", type=Path, help="where the file is written, and removed"
    )
    parser.add_argument("--output", type=Path, help="JSON file for the figures")
    args = parser.parse_args(arguments)
    size = args.vocabulary or args.rows * FULL_VOCABULARY // FULL_ROWS
    if args.dim < 1 or args.dim % CHUNK:
        parser.error(
            f"`--dim` must be a multiple of {CHUNK}. Received: {args.dim}"
        )
    if not 0 < size <= args.rows:
        parser.error(
            "`--vocabulary` must be positive and at most `--rows`. "
            f"Received: {size} of {args.rows}"
        )
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        figures = compare(args.rows, args.dim, size, args.seed, Path(folder))
    passed = report(figures)
    if args.output:
        write_json(args.output, figures)
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
