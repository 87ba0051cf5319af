"""How much memory does a training step of MRNN's n-gram blocks take?

Block n reads the maps of all blocks before it. The contenders compute the same
with the same weights:

- `summed`: `NGramBlock`, which adds up the convolutions of each earlier map
  with its rows of the kernel;
- `concatenated`: the convolution of the concatenation of the earlier maps,
  which is kept until its gradient is computed.

For N = 1, 2, ... blocks each contender trains in a separate process, forward
and backward, on random word vectors without padding. Memory is the increase of
the process's largest resident size by the step, after a step on a single text.
It is also given in maps, the `texts * words * filters` outputs of one block. By
arithmetic the concatenations have N (N - 1) / 2 maps; all other memory grows
linearly with N. The backend is Keras's (`KERAS_BACKEND`).

    python -m devtools.benchmarks.ngram_blocks          # about 10 minutes
    python -m devtools.benchmarks.ngram_blocks --smoke  # a trial run

Bounds, on 2 cores: with 6 blocks `summed` takes at most .9 times the
memory of `concatenated`, and at most 1.15 times the time.
"""

import resource
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from unittest import mock

import numpy as np

from benchmarks.options import option_parser
from benchmarks.processes import alone
from benchmarks.results import at_most
from benchmarks.results import conclude
from benchmarks.results import paired_ratio
from benchmarks.results import verdict

WAYS = ("summed", "concatenated")
MAX_MEMORY = 0.9
MAX_TIME = 1.15

# Unit of `getrusage`'s largest resident size, in bytes.
UNIT = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True)
class Settings:
    """Sizes of the workload and of the measurement."""

    texts: int = 64
    words: int = 100
    embedding_dim: int = 300
    filters: int = 512
    kernel_size: int = 3
    blocks: int = 6
    rounds: int = 3
    cores: int = 2
    seed: int = 0


def measure(settings: Settings, way: str, blocks: int) -> dict[str, Any]:
    """Trains some blocks.

    Returns:
        A dict with the `"bytes"` and the `"loss"` of the first step on all
        texts, and the `"seconds"` of each of the following steps.
    """
    import keras
    from keras import ops

    from keras_qa.layers import NGramDenseBlock
    from keras_qa.layers.ngram_dense_block import NGramBlock

    def concatenated(block: NGramBlock, inputs: list[Any]) -> Any:
        joined = ops.concatenate(inputs, axis=-1)
        return ops.conv(joined, block.kernel, padding="same")

    convolve = NGramBlock.convolve if way == "summed" else concatenated
    keras.utils.set_random_seed(settings.seed)
    with mock.patch.object(NGramBlock, "convolve", convolve):
        words = keras.Input((settings.words, settings.embedding_dim))
        maps = NGramDenseBlock(settings.filters, blocks, settings.kernel_size)(
            words
        )
        model = keras.Model(words, ops.mean(maps, axis=(1, 2, 3)))
        model.compile(keras.optimizers.SGD(0.01), loss="mse")
        rng = np.random.default_rng(settings.seed)
        x = rng.normal(size=(settings.texts, *words.shape[1:]))
        x, y = x.astype("float32"), np.ones(settings.texts, "float32")
        model.train_on_batch(x[:1], y[:1])
        before = _largest_size()
        loss = model.train_on_batch(x, y)
        taken = _largest_size() - before
        seconds = []
        for _ in range(settings.rounds):
            start = time.perf_counter()
            model.train_on_batch(x, y)
            seconds.append(time.perf_counter() - start)
    return {"bytes": taken, "seconds": seconds, "loss": float(loss)}


def _largest_size() -> int:
    """The largest resident size that this process has had, in bytes."""
    return UNIT * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def run(settings: Settings) -> dict[str, Any]:
    """Calls `measure` in a separate process for each way and size."""
    measured: dict[str, Any] = {way: {} for way in WAYS}
    for blocks in range(1, settings.blocks + 1):
        for way in WAYS:
            measured[way][str(blocks)] = alone(
                measure, settings, way, blocks, cores=settings.cores
            )
    return measured


def summarise(settings: Settings, measured: dict[str, Any]) -> dict[str, Any]:
    """Memory by blocks, ratios, and which bounds were reached.

    Args:
        settings: the settings of the measurement.
        measured: what `measure` returned, by way and number of blocks.
    """
    one_map = 4 * settings.texts * settings.words * settings.filters
    last = str(settings.blocks)
    summed, concatenated = (measured[way][last] for way in WAYS)
    memory = summed["bytes"] / max(1, concatenated["bytes"])
    seconds = paired_ratio(summed["seconds"], concatenated["seconds"])
    return {
        "bytes_of_a_map": one_map,
        "maps": {
            way: {n: found["bytes"] / one_map for n, found in rows.items()}
            for way, rows in measured.items()
        },
        "seconds": {
            way: {
                n: statistics.median(found["seconds"])
                for n, found in rows.items()
            }
            for way, rows in measured.items()
        },
        "bounds": {
            "memory": at_most(memory, MAX_MEMORY),
            "time": at_most(seconds, MAX_TIME),
        },
    }


def report(
    settings: Settings, measured: dict[str, Any], summary: dict[str, Any]
) -> None:
    """Prints the curve."""
    print(
        f"\nA training step on {settings.texts} texts of {settings.words} "
        f"words, s = {settings.filters}: one map is "
        f"{summary['bytes_of_a_map'] / 1e6:.0f} MB\n"
        " N" + "".join(f"{way:>15}: MB   maps       s" for way in WAYS)
    )
    for n in measured[WAYS[0]]:
        print(
            f"{n:>2}"
            + "".join(
                f"{measured[way][n]['bytes'] / 1e6:19.0f}"
                f"{summary['maps'][way][n]:7.1f}"
                f"{summary['seconds'][way][n]:8.2f}"
                for way in WAYS
            )
        )
    print(f"\nBounds at N = {settings.blocks}, summed against concatenated")
    for name, bound in summary["bounds"].items():
        reached = f"{bound['bound']} {verdict(bound)}"
        print(f"  {name:<8}{bound['ratio']:6.2f}  {reached}")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = option_parser(
        __file__,
        "Measures the training memory of n-gram blocks.",
        Settings,
        ("texts", "words", "filters", "blocks", "rounds", "cores"),
    )
    options = vars(parser.parse_args(arguments))
    path, smoke = options.pop("json"), options.pop("smoke")
    if smoke:
        tiny = {"texts": 2, "words": 5, "filters": 4, "blocks": 2, "rounds": 1}
        options = {**options, **tiny, "embedding_dim": 3}
    settings = Settings(**options)
    conclude(
        path,
        settings,
        settings.cores,
        lambda: {"measured": run(settings)},
        lambda _, found: summarise(settings, found["measured"]),
        lambda _, found, summary: report(settings, found["measured"], summary),
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
