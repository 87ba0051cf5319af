"""How fast are the distances of one question from 1,000 documents with MRNN?

The contenders compute the same distances with the same weights:

- `maps once`: the documents' maps, up to equation 8, were computed before. The
  question is encoded and compared with all of them by `MRNN.encoded_distances`;
- `pair by pair`: each document is encoded again for the question, as a scorer
  of pairs does, in batches. It is measured on a sample of the pairs.

The documents are synthetic, have one length and repeat those of the sample,
since time does not depend on their words. In every round each contender is
measured once; the ratio is the median of the ratios within rounds. The
backend is Keras's (`KERAS_BACKEND`).

Memory, by arithmetic: the documents' maps take `4 * documents * words *
filters` bytes, and the comparison about 3 times `4 * documents * words *
question_words`.

    python -m devtools.benchmarks.document_distances          # 2 minutes
    python -m devtools.benchmarks.document_distances --smoke  # a trial run

Bound: `maps once` is at least 10 times as fast.
"""

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.options import option_parser
from benchmarks.results import at_least
from benchmarks.results import conclude
from benchmarks.results import paired_ratio
from benchmarks.results import verdict

MIN_SPEEDUP = 10.0
CONTENDERS = ("maps once", "pair by pair")


@dataclass(frozen=True)
class Settings:
    """Sizes of the workload and of the measurement."""

    documents: int = 1_000
    words: int = 100
    question_words: int = 10
    embedding_dim: int = 300
    filters: int = 1_024
    blocks: int = 4
    pairs: int = 8
    rounds: int = 5
    vocabulary: int = 1_000
    seed: int = 0


def run(settings: Settings) -> dict[str, Any]:
    """Measures both contenders.

    Returns:
        A dict with the `"backend"`, the `"seconds"` of each round for all
        documents by contender, the `"seconds_to_encode"` all documents, and the
        largest relative `"difference"` of the contenders' distances.
    """
    import keras
    from keras import ops

    from keras_qa.models import MRNN

    keras.utils.set_random_seed(settings.seed)
    model = MRNN(
        settings.vocabulary,
        settings.embedding_dim,
        settings.filters,
        settings.blocks,
        max_document_length=settings.words,
    )
    rng = np.random.default_rng(settings.seed)
    question, sample = (
        rng.integers(2, settings.vocabulary, shape).astype("int32")
        for shape in (
            (1, settings.question_words),
            (settings.pairs, settings.words),
        )
    )
    pairs = {
        "question": np.repeat(question, settings.pairs, axis=0),
        "answer": sample,
    }
    rows = np.arange(settings.documents) % settings.pairs
    encoded = model.answer_encoder.predict_on_batch(sample)
    start = time.perf_counter()
    model.answer_encoder.predict_on_batch(sample)
    encoding = (time.perf_counter() - start) / settings.pairs
    documents = keras.tree.map_structure(
        lambda x: ops.convert_to_tensor(x[rows]), encoded
    )

    def maps_once() -> np.ndarray:
        asked = keras.tree.map_structure(
            ops.convert_to_tensor,
            model.question_encoder.predict_on_batch(question),
        )
        return ops.convert_to_numpy(model.encoded_distances(asked, documents))

    # The first call compiles, and shows how far results differ.
    apart = -model.predict_on_batch(pairs)[:, 0]
    difference = np.abs(maps_once()[0, : settings.pairs] - apart) / apart
    seconds: dict[str, list[float]] = {name: [] for name in CONTENDERS}
    for _ in range(settings.rounds):
        start = time.perf_counter()
        maps_once()
        seconds["maps once"].append(time.perf_counter() - start)
        start = time.perf_counter()
        model.predict_on_batch(pairs)
        share = settings.documents / settings.pairs
        taken = time.perf_counter() - start
        seconds["pair by pair"].append(share * taken)
    return {
        "backend": keras.backend.backend(),
        "seconds": seconds,
        "seconds_to_encode": settings.documents * encoding,
        "difference": float(difference.max()),
    }


def summarise(settings: Settings, measured: dict[str, Any]) -> dict[str, Any]:
    """The ratio, the memory in bytes, and whether the bound was reached."""
    once, pairs = (measured["seconds"][name] for name in CONTENDERS)
    ratio = paired_ratio(pairs, once)
    numbers = settings.documents * settings.words
    return {
        "seconds": {
            "maps once": statistics.median(once),
            "pair by pair": statistics.median(pairs),
        },
        "bytes_of_maps": 4 * numbers * settings.filters,
        "bytes_of_comparison": 3 * 4 * numbers * settings.question_words,
        "bounds": {
            "maps once against pair by pair": at_least(ratio, MIN_SPEEDUP)
        },
    }


def report(
    settings: Settings, measured: dict[str, Any], summary: dict[str, Any]
) -> None:
    """Prints the figures."""
    print(
        f"\nOne question, {settings.documents} documents of {settings.words} "
        f"words, s = {settings.filters}, N = {settings.blocks} "
        f"({measured['backend']})"
    )
    for name, taken in summary["seconds"].items():
        print(f"  {name:<14}{taken:10.3f} s")
    print(
        f"  to encode the documents, once {measured['seconds_to_encode']:.1f} s"
        f"\n  memory: maps {summary['bytes_of_maps'] / 1e6:.0f} MB, "
        f"comparison about {summary['bytes_of_comparison'] / 1e6:.0f} MB"
        f"\n  largest relative difference {measured['difference']:.0e}"
    )
    for name, bound in summary["bounds"].items():
        reached = f"{bound['bound']} {verdict(bound)}"
        print(f"  {name}: {bound['ratio']:.0f}, {reached}")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = option_parser(
        __file__,
        "Compares one question with many documents.",
        Settings,
        ("documents", "words", "filters", "blocks", "pairs", "rounds"),
    )
    options = vars(parser.parse_args(arguments))
    path, smoke = options.pop("json"), options.pop("smoke")
    if smoke:
        tiny = {"documents": 5, "words": 6, "filters": 4, "blocks": 2}
        options = {**tiny, "pairs": 2, "rounds": 1, "embedding_dim": 3}
    settings = Settings(**options)
    conclude(path, settings, 2, lambda: run(settings), summarise, report)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
