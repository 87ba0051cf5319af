"""How much faster are training and encoding with more cores?

A network of sums (`HyperQA`) and a recurrent one (`QALSTM`) train on batches of
pairs and encode answers, in a process that may use 1 core, then 2, and so on:

- strong scaling: the same batch on more cores; the speed-up is the time on one
  core over the time on N, at best N;
- weak scaling: a batch N times as large on N cores; the efficiency is the time
  on one core over the time on N, at best 1.

The rounds take the numbers of cores in turn; the figures are medians.

    python -m benchmarks.scaling             # three minutes
    python -m benchmarks.scaling --smoke     # one round of tiny sizes
"""

import os
import statistics
import time
from collections.abc import Callable
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.options import option_parser
from benchmarks.processes import alone
from benchmarks.results import conclude

MODELS = ("HyperQA", "QALSTM")
WORK = ("train", "encode")
SCALINGS = ("strong", "weak")


@dataclass(frozen=True)
class Settings:
    """Sizes of the batches and models, and the number of rounds."""

    rounds: int = 3
    steps: int = 8
    batch_size: int = 256
    length: int = 40
    vocabulary: int = 20_000
    dim: int = 300
    units: int = 141
    cores: int = 2
    seed: int = 0


def make_model(name: str, settings: Settings) -> Any:
    """A model of random weights."""
    import keras

    import keras_qa

    keras.utils.set_random_seed(settings.seed)
    size = settings.dim if name == "HyperQA" else settings.units
    model = getattr(keras_qa, name)(settings.vocabulary, settings.dim, size)
    model.compile("adam", keras.losses.BinaryCrossentropy(from_logits=True))
    return model


def measure_one(settings: Settings, cores: int) -> dict[str, float]:
    """The seconds of a step, by `model work scaling`."""
    found = {}
    for name in MODELS:
        model = make_model(name, settings)
        for scaling in SCALINGS:
            batch = settings.batch_size * (cores if scaling == "weak" else 1)
            for work, step in _steps(model, settings, batch).items():
                found[f"{name} {work} {scaling}"] = _median(step, settings)
    return found


def _steps(
    model: Any, settings: Settings, batch: int
) -> dict[str, Callable[[], Any]]:
    rng = np.random.default_rng(settings.seed)
    shape = (batch, settings.length)
    pair = {
        side: rng.integers(2, settings.vocabulary, shape).astype("int32")
        for side in ("question", "answer")
    }
    labels = rng.integers(0, 2, (batch, 1)).astype("float32")
    return {
        "train": lambda: model.train_on_batch(pair, labels),
        "encode": lambda: model.answer_encoder.predict_on_batch(pair["answer"]),
    }


def _median(step: Callable[[], Any], settings: Settings) -> float:
    # The first call compiles.
    step()
    seconds = []
    for _ in range(settings.steps):
        start = time.perf_counter()
        step()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def run(settings: Settings) -> dict[str, Any]:
    """The seconds of each round, by number of cores."""
    numbers = range(1, settings.cores + 1)
    found: dict[str, list[dict[str, float]]] = {str(n): [] for n in numbers}
    for _ in range(settings.rounds):
        for n in numbers:
            found[str(n)].append(alone(measure_one, settings, n, cores=n))
    return {"seconds": found}


def summarise(settings: Settings, measured: dict[str, Any]) -> dict[str, Any]:
    """Median seconds, speed-ups and efficiencies."""
    medians = {
        cores: {
            key: statistics.median(one[key] for one in rounds)
            for key in rounds[0]
        }
        for cores, rounds in measured["seconds"].items()
    }
    ratios = {
        cores: {key: medians["1"][key] / row[key] for key in row}
        for cores, row in medians.items()
    }
    return {
        "batch_size": settings.batch_size,
        "median_seconds": medians,
        "one_core_over_these": ratios,
    }


def table(result: dict[str, Any]) -> str:
    """The figures of a record, in Markdown."""
    summary = result["summary"]
    lines = [
        "| model | work | cores | pairs or texts a second | speed-up, "
        "same batch | efficiency, a batch for each core |",
        "|---|---|---|---|---|---|",
    ]
    for name in MODELS:
        for work in WORK:
            for cores, seconds in summary["median_seconds"].items():
                rate = summary["batch_size"] / seconds[f"{name} {work} strong"]
                ratios = summary["one_core_over_these"][cores]
                lines.append(
                    f"| `{name}` | {work} | {cores} | {rate:,.0f} "
                    f"| {ratios[f'{name} {work} strong']:.2f} "
                    f"| {ratios[f'{name} {work} weak']:.2f} |"
                )
    return "\n".join(lines)


def report(
    settings: Settings, measured: dict[str, Any], summary: dict[str, Any]
) -> None:
    """Prints the table."""
    print(f"median of {settings.rounds}, batches of {settings.batch_size}")
    print(table({"summary": summary}))


def main(arguments: Sequence[str] | None = None) -> int:
    defaults = replace(Settings(), cores=len(os.sched_getaffinity(0)))
    parser = option_parser(
        __file__,
        "Measures training and encoding on 1 to N cores.",
        defaults,
        ("rounds", "cores", "seed"),
    )
    options = parser.parse_args(arguments)
    settings = replace(
        defaults, rounds=options.rounds, cores=options.cores, seed=options.seed
    )
    if options.smoke:
        settings = replace(
            settings,
            **{"rounds": 1, "steps": 1, "batch_size": 4, "length": 5},
            **{"vocabulary": 50, "dim": 8, "units": 3},
        )
    conclude(
        options.json,
        settings,
        settings.cores,
        lambda: run(settings),
        summarise,
        report,
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
