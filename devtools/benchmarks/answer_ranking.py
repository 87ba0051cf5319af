"""How fast do the models of Tan et al. rank answers and train, K = 50?

Ranking: 100 questions, each with a pool of 500 answers, of synthetic text with
the lengths of InsuranceQA's, truncated to 200 words. The contenders have the
same weights:

- `encoded`: `keras_qa.ranking.scoring.score_pairs`, which encodes each distinct
  text once; for `AttentiveLSTM`, all of an answer but the attention;
- `batches`: each pair separately, with both texts encoded, in batches of pairs
  of similar lengths, as `score_pairs` does for models without encoders; padding
  to powers of two makes answers 1.4 times as long, which the ratios include;
- `single`: each pair in a separate call, without padding.

There are two workloads. In `one pool` all questions have the same 500 answers:
the 50,000 pairs have 500 distinct answers and 100 questions to encode. In `own
pools` each question's 500 answers are drawn from 24,981, as in InsuranceQA: the
50,000 pairs then have about 21,600 distinct answers, so that encoding each once
saves little. `batches` and `single` are measured on a sample of the pairs.

Training: a step of `HardestNegativeTrainer.fit` on the same 20 questions and
positives, including the data pipeline:

- `K = 1`: one random negative, no mining;
- `K = 50`: the hardest of 50 random negatives drawn for each question;
- `K = 50, shared`: the hardest of 50 random negatives drawn for each batch.

In every round each contender is measured once, so that other load slows all of
them alike; ratios are medians of the ratios within rounds. The backend is
Keras's (`KERAS_BACKEND`).

    python -m devtools.benchmarks.answer_ranking          # about 15 minutes
    python -m devtools.benchmarks.answer_ranking --smoke  # a trial run

Bounds, on 2 cores: with one pool `encoded` is at least 50 times as fast as
`batches` for `QALSTM`, 3 times for `AttentiveLSTM`; a step with K = 50 takes at
most 4 times a step with K = 1.
"""

import os
import statistics
import time
from collections.abc import Callable
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.options import option_parser
from benchmarks.processes import alone
from benchmarks.results import at_least
from benchmarks.results import at_most
from benchmarks.results import conclude
from benchmarks.results import paired_ratio
from benchmarks.results import print_bounds
from keras_qa.batches.negatives import NegativeSampler
from keras_qa.text.packing import RaggedTexts
from keras_qa.text.packing import next_size

MODELS = ("QALSTM", "AttentiveLSTM")
POOLS = ("one pool", "own pools")
SCORING = ("encoded", "batches", "single")
STEPS = ("K = 1", "K = 50", "K = 50, shared")
MIN_SPEEDUP = {"QALSTM": 50.0, "AttentiveLSTM": 3.0}
MAX_STEP = 4.0

# Shares of InsuranceQA's answers that have at most these numbers of words.
SHARES = (0, 0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 1)
WORDS = (20, 49, 59, 75, 106, 159, 206, 400)

Seconds = dict[str, dict[str, list[float]]]


@dataclass(frozen=True)
class Settings:
    """Sizes of the workload and of the measurement."""

    vocabulary: int = 22_353
    answers: int = 24_981
    questions: int = 100
    pool: int = 500
    longest: int = 200
    embedding_dim: int = 100
    units: int = 141
    batch_size: int = 20
    negatives: int = 50
    margin: float = 0.2
    learning_rate: float = 1.1
    steps: int = 8
    rounds: int = 5
    batched_pairs: int = 2_000
    single_pairs: int = 50
    cores: int = 2
    seed: int = 0


def make_texts(settings: Settings) -> RaggedTexts:
    """The answers' texts, then those of all questions, of 4 to 11 words."""
    rng = np.random.default_rng(settings.seed)
    shares = rng.random(settings.answers)
    answers = np.interp(shares, SHARES, WORDS).astype(int)
    count = max(settings.questions, settings.steps * settings.batch_size)
    lengths = np.concatenate(
        [np.minimum(answers, settings.longest), rng.integers(4, 12, count)]
    )
    ids = rng.integers(2, settings.vocabulary, lengths.sum(), dtype=np.int32)
    return RaggedTexts(ids, np.concatenate([[0], np.cumsum(lengths)]))


def make_pairs(settings: Settings, pools: str) -> tuple[np.ndarray, np.ndarray]:
    """Text indices of a workload's questions and answers, `(pairs,)` each."""
    rng = np.random.default_rng([settings.seed, POOLS.index(pools)])
    drawn = [
        rng.permutation(settings.answers)[: settings.pool]
        for _ in range(settings.questions)
    ]
    if pools == "one pool":
        drawn = drawn[:1] * settings.questions
    questions = settings.answers + np.arange(settings.questions)
    return np.repeat(questions, settings.pool), np.concatenate(drawn)


def make_sampler(settings: Settings, negatives: int) -> NegativeSampler:
    """Questions with one positive each and negatives from all answers."""
    rng = np.random.default_rng(settings.seed)
    size = settings.steps * settings.batch_size
    return NegativeSampler(
        settings.answers + np.arange(size),
        list(rng.integers(settings.answers, size=(size, 1))),
        [np.array([1])] * size,
        negatives=negatives,
        strategy="random",
        pool="all",
        seed=settings.seed,
        everything=np.arange(settings.answers),
    )


class Ranking:
    """The contenders for scoring with a model."""

    def __init__(self, settings: Settings, texts: RaggedTexts, model: Any):
        import keras

        from keras_qa.ranking.scoring import score_pairs

        self.settings = settings
        self.texts = texts
        self.model = model
        # The same layers without encoders.
        self.plain = keras.Model(model.input, model.output)
        self.score_pairs = score_pairs
        self.few_shapes = keras.backend.backend() == "jax"

    def measure(self, contender: str, pools: str) -> tuple[float, np.ndarray]:
        """Seconds per pair, and the scores of a sample's first pairs."""
        pairs = make_pairs(self.settings, pools)
        sample = np.random.default_rng(self.settings.seed).permutation(
            len(pairs[0])
        )
        if contender == "batches":
            sample = sample[: self.settings.batched_pairs]
        elif contender == "single":
            sample = sample[: self.settings.single_pairs]
        start = time.perf_counter()
        scores = getattr(self, f"_{contender}")(
            *(side[sample] for side in pairs)
        )
        seconds = (time.perf_counter() - start) / len(sample)
        return seconds, scores[: self.settings.single_pairs]

    def _encoded(
        self, questions: np.ndarray, answers: np.ndarray
    ) -> np.ndarray:
        return self.score_pairs(self.model, self.texts, questions, answers)

    def _batches(
        self, questions: np.ndarray, answers: np.ndarray
    ) -> np.ndarray:
        return self.score_pairs(self.plain, self.texts, questions, answers)

    def _single(self, questions: np.ndarray, answers: np.ndarray) -> np.ndarray:
        scores = [
            self.plain.predict_on_batch(
                {"question": self._alone(q), "answer": self._alone(a)}
            )[0, 0]
            for q, a in zip(questions, answers, strict=True)
        ]
        return np.array(scores)

    def _alone(self, index: int) -> np.ndarray:
        width = int(self.texts.lengths[index])
        if self.few_shapes:
            width = next_size(width)
        return self.texts.padded(np.array([index]), width)


class Training:
    """A model's training steps."""

    def __init__(self, settings: Settings, texts: RaggedTexts, model: Any):
        import keras

        from keras_qa.batches.pairs import HardestNegativeBatches
        from keras_qa.losses.pairwise import PairwiseHinge
        from keras_qa.training.pairwise import HardestNegativeTrainer

        self.trainers, self.batches = {}, {}
        for step in STEPS:
            negatives = 1 if step == "K = 1" else settings.negatives
            self.batches[step] = HardestNegativeBatches(
                texts,
                make_sampler(settings, negatives),
                settings.batch_size,
                seed=settings.seed,
                shared=step.endswith("shared"),
            )
            # One trainer each: inputs of another structure are recompiled.
            trainer = self.trainers[step] = HardestNegativeTrainer(model)
            trainer.compile(
                keras.optimizers.SGD(settings.learning_rate),
                loss=PairwiseHinge(settings.margin),
            )

    def measure(self, step: str) -> float:
        """Seconds per step of a fit of one epoch."""
        start = time.perf_counter()
        self.trainers[step].fit(self.batches[step], verbose=0)
        return (time.perf_counter() - start) / len(self.batches[step])

    def pipeline(self, step: str) -> float:
        """Seconds per batch of making the data."""
        batches = self.batches[step]
        start = time.perf_counter()
        for index in range(len(batches)):
            batches[index]
        return (time.perf_counter() - start) / len(batches)


def run(settings: Settings, backend: str) -> dict[str, Any]:
    """Measures all rounds of all contenders."""
    import keras

    from keras_qa import models

    texts = make_texts(settings)
    measured: dict[str, Any] = {"backend": backend, "differences": {}}
    scoring: dict[tuple[str, str], Callable] = {}
    training: dict[str, Training] = {}
    for name in MODELS:
        keras.utils.set_random_seed(settings.seed)
        model = getattr(models, name)(
            settings.vocabulary, settings.embedding_dim, settings.units
        )
        ranking = Ranking(settings, texts, model)
        # The first call compiles, and shows how far results differ.
        for pools in POOLS:
            found = [ranking.measure(c, pools)[1] for c in SCORING]
            measured["differences"][f"{name}, {pools}"] = float(
                max(np.abs(found[0] - scores).max() for scores in found[1:])
            )
            scoring[name, pools] = ranking.measure
        training[name] = Training(settings, texts, model)
        for step in STEPS:
            training[name].measure(step)

    seconds: Seconds = {}
    for _ in range(settings.rounds):
        for (name, pools), measure in scoring.items():
            for contender in SCORING:
                _note(seconds, f"{name}, {pools}", contender)(
                    measure(contender, pools)[0]
                )
        for name, steps in training.items():
            for step in STEPS:
                _note(seconds, name, step)(steps.measure(step))
    measured["pipeline"] = {
        step: training[MODELS[0]].pipeline(step) for step in STEPS
    }
    return {**measured, "seconds": seconds}


def _note(seconds: Seconds, row: str, contender: str) -> Callable:
    return seconds.setdefault(row, {}).setdefault(contender, []).append


def summarise(settings: Settings, measured: dict[str, Any]) -> dict[str, Any]:
    """Rates, ratios, and which bounds were reached."""
    seconds = measured["seconds"]
    summary: dict[str, Any] = {"scoring": {}, "training": {}, "bounds": {}}
    for name in MODELS:
        for pools in POOLS:
            times = seconds[f"{name}, {pools}"]
            summary["scoring"][f"{name}, {pools}"] = {
                "questions_per_second": {
                    contender: 1 / (settings.pool * statistics.median(s))
                    for contender, s in times.items()
                },
                "speedup": {
                    contender: paired_ratio(times[contender], times["encoded"])
                    for contender in SCORING[1:]
                },
            }
        times = seconds[name]
        summary["training"][name] = {
            "seconds_per_step": {
                step: statistics.median(s) for step, s in times.items()
            },
            "times_of_k_1": {
                step: paired_ratio(times[step], times["K = 1"])
                for step in STEPS[1:]
            },
        }
        ratio = summary["scoring"][f"{name}, one pool"]["speedup"]["batches"]
        summary["bounds"][f"{name}: encoded against batches, one pool"] = (
            at_least(ratio, MIN_SPEEDUP[name])
        )
        for step, ratio in summary["training"][name]["times_of_k_1"].items():
            summary["bounds"][f"{name}: {step} against K = 1"] = at_most(
                ratio, MAX_STEP
            )
    return summary


def report(
    settings: Settings, measured: dict[str, Any], summary: dict[str, Any]
) -> None:
    """Prints the tables."""
    print(
        f"\nRanking {settings.questions} questions with {settings.pool} "
        f"answers each ({measured['backend']}, {settings.cores} cores)\n"
        "questions per second"
        + " " * 10
        + "".join(f"{c:>9}" for c in SCORING)
        + "   encoded is faster than batches, single   largest difference"
    )
    for row, found in summary["scoring"].items():
        rates = found["questions_per_second"]
        speedup = found["speedup"]
        print(
            f"  {row:<28}"
            + "".join(f"{rates[c]:9.2f}" for c in SCORING)
            + f"{speedup['batches']:25.1f} x{speedup['single']:9.1f} x"
            f"{measured['differences'][row]:16.0e}"
        )
    print("\nTraining, ms per step" + "".join(f"{s:>18}" for s in STEPS))
    for name, found in summary["training"].items():
        times = found["seconds_per_step"]
        print(
            f"  {name:<19}" + "".join(f"{1e3 * times[s]:18.0f}" for s in STEPS)
        )
    pipeline = measured["pipeline"]
    print(
        f"  {'of it, the batch':<19}"
        + "".join(f"{1e3 * pipeline[s]:18.1f}" for s in STEPS)
    )
    print("\nBounds, set for 2 cores")
    print_bounds(summary)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = option_parser(
        __file__,
        "Compares ranking and training with their plain forms.",
        Settings,
        ("rounds", "cores", "seed"),
    )
    options = parser.parse_args(arguments)
    sizes: dict[str, int] = {"rounds": options.rounds}
    if options.smoke:
        sizes = {
            "rounds": 1,
            "vocabulary": 50,
            "answers": 30,
            "questions": 3,
            "pool": 5,
            "longest": 6,
            "embedding_dim": 4,
            "units": 3,
            "batch_size": 2,
            "negatives": 3,
            "steps": 2,
            "batched_pairs": 8,
            "single_pairs": 3,
        }
    settings = Settings(**sizes, cores=options.cores, seed=options.seed)
    backend = os.environ.get("KERAS_BACKEND") or "tensorflow"
    cores = settings.cores
    conclude(
        options.json,
        settings,
        cores,
        lambda: alone(run, settings, backend, cores=cores, backend=backend),
        summarise,
        report,
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
