"""How long does an epoch wait for TensorFlow, without `SeededEpochs.feed`?

A small model is fitted to the same batches in two ways, in turn: given the
batches, a `keras.utils.PyDataset`, and given what their `feed` returns. An
epoch of the first can end with a pause of the thread that tunes the dataset,
which doubles from 10 ms on, so that the ratio depends on the number of steps.

    python -m devtools.benchmarks.feeding            # six minutes
    python -m devtools.benchmarks.feeding --smoke    # a trial run of seconds
"""

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace
from typing import Any

from benchmarks.options import option_parser
from benchmarks.processes import alone
from benchmarks.results import conclude
from benchmarks.results import paired_ratio

WAYS = ("batches", "feed")


@dataclass(frozen=True)
class Settings:
    """Steps of the epochs, sizes, and the number of rounds."""

    steps: tuple[int, ...] = (200, 300, 500, 800, 1300, 2000)
    rounds: int = 5
    epochs: int = 2
    batch_size: int = 32
    words: int = 20
    cores: int = 1
    seed: int = 0


def measure(settings: Settings) -> dict[str, Any]:
    """Seconds per epoch of each number of steps, way and round."""
    import keras
    import numpy as np

    from keras_qa.batches.pairs import PointwiseBatches
    from keras_qa.models.hyperqa import HyperQA
    from keras_qa.text.packing import RaggedTexts

    keras.utils.set_random_seed(settings.seed)
    rng = np.random.default_rng(settings.seed)
    texts = RaggedTexts.from_sequences(
        [rng.integers(1, 1000, settings.words) for _ in range(500)]
    )
    model = HyperQA(1000, 50, 50)
    model.compile("adagrad", "mse")

    def fit(steps: int, way: str) -> float:
        pairs = steps * settings.batch_size
        questions, answers = rng.integers(0, 500, (2, pairs))
        batches = PointwiseBatches(
            texts, questions, answers, np.ones(pairs), settings.batch_size
        )
        given = batches.feed() if way == "feed" else batches
        arguments = batches.fit_arguments(epochs=settings.epochs, verbose=0)
        start = time.perf_counter()
        # HyperQA's own `fit` would feed both ways.
        keras.Model.fit(model, given, **arguments)
        return (time.perf_counter() - start) / settings.epochs

    for way in WAYS:
        fit(2, way)
    return {
        "seconds": {
            str(steps): [
                {way: fit(steps, way) for way in WAYS}
                for _ in range(settings.rounds)
            ]
            for steps in settings.steps
        }
    }


def summarise(settings: Settings, measured: dict[str, Any]) -> dict[str, Any]:
    """Medians of the seconds, and the ratio of the two ways."""
    rows = {}
    for steps, rounds in measured["seconds"].items():
        taken = {way: [row[way] for row in rounds] for way in WAYS}
        rows[steps] = {
            **{way: statistics.median(taken[way]) for way in WAYS},
            "ratio": paired_ratio(taken["batches"], taken["feed"]),
        }
    return {"by_steps": rows}


def report(
    settings: Settings, measured: dict[str, Any], summary: dict[str, Any]
) -> None:
    """Prints a line for each number of steps."""
    print(f"seconds per epoch, median of {settings.rounds}")
    print(f"{'steps':>6} {'batches':>8} {'feed':>8} {'ratio':>6}")
    for steps, row in summary["by_steps"].items():
        print(
            f"{steps:>6} {row['batches']:8.2f} {row['feed']:8.2f} "
            f"{row['ratio']:6.2f}"
        )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = option_parser(
        __file__,
        "Measures what an epoch waits for TensorFlow.",
        Settings,
        ("rounds", "cores", "seed"),
    )
    options = parser.parse_args(arguments)
    settings = Settings(
        rounds=options.rounds, cores=options.cores, seed=options.seed
    )
    if options.smoke:
        settings = replace(settings, steps=(2, 3), rounds=1)
    conclude(
        options.json,
        settings,
        settings.cores,
        lambda: alone(
            measure, settings, cores=settings.cores, backend="tensorflow"
        ),
        summarise,
        report,
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
