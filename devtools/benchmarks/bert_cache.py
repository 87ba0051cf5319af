"""How much faster is an epoch if its BERT vectors are cached?

The pairs are the first of the bundled sample's training questions with their
candidates, shuffled with a seed. Every word of question and answer has a vector
in its text, by all-MiniLM-L6-v2 unless `--source` says otherwise. An epoch is
one pass over the same batches of 50 pairs, with

- `in the loop`: each batch is run through the BERT, texts of similar lengths
  together (`keras_qa.embeddings.bert.word_pieces.encode_words`);
- `cached`: each batch is taken from the array that
  `keras_qa.embeddings.bert_text_vectors` returned.

Each batch is used in one of three ways:

- `nothing`: its vectors are made and not used;
- `mean`: a training step of a small ranker, which compares the means of the
  question's and the answer's vectors;
- `BiLSTM`: a training step of a ranker that reads both texts with two layers of
  100 units in each direction, the size of IAM's.

Measured once: `bert_text_vectors` with an empty cache, including loading and
compiling the BERT, which is the additional cost of the first epoch; and with a
full cache, as after a restart. In every round each contender is measured once,
so that other load slows all of them alike; ratios are medians of the ratios
within rounds. The backend is Keras's (`KERAS_BACKEND`).

    python -m devtools.benchmarks.bert_cache             # about 3 minutes
    python -m devtools.benchmarks.bert_cache --smoke     # a trial run

Bounds, on 2 cores: with `nothing` and with `mean`, an epoch is at least 20
times as fast cached as in the loop. `BiLSTM` has no bound: this BERT takes less
than 20 times the work of the ranker's step.
"""

import os
import statistics
import tempfile
import time
from collections.abc import Callable
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.options import option_parser
from benchmarks.processes import alone
from benchmarks.results import at_least
from benchmarks.results import conclude
from benchmarks.results import paired_ratio
from benchmarks.results import verdict
from keras_qa.datasets import open_dataset
from keras_qa.datasets import tokenize
from keras_qa.embeddings import bert_text_vectors
from keras_qa.embeddings.bert.network import Bert
from keras_qa.embeddings.bert.word_pieces import encode_words

CONTENDERS = ("in the loop", "cached")
READERS = ("nothing", "mean", "BiLSTM")
BOUNDED = ("nothing", "mean")
MIN_SPEEDUP = 20.0

# Returns the vectors of texts by their numbers, `(n, length, width)`.
Vectors = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Settings:
    """Sizes of the workload and of the measurement."""

    source: str = "minilm"
    batch_size: int = 50
    steps: int = 20
    units: int = 100
    layers: int = 2
    learning_rate: float = 0.1
    rounds: int = 5
    cores: int = 2
    seed: int = 0


@dataclass(frozen=True)
class Pairs:
    """Question-answer pairs, as numbers of texts.

    Attributes:
        texts: the words of each distinct text.
        questions: numbers of the questions, `(pairs,)`.
        answers: numbers of the answers, `(pairs,)`.
        labels: float32 `(pairs, 1)`.
    """

    texts: list[tuple[str, ...]]
    questions: np.ndarray
    answers: np.ndarray
    labels: np.ndarray

    @property
    def length(self) -> int:
        """Number of words of the longest text."""
        return max(map(len, self.texts))


def make_pairs(settings: Settings) -> Pairs:
    """The sample's first training pairs, for all steps, shuffled."""
    wanted = settings.steps * settings.batch_size
    rows = [
        (tuple(tokenize(q.text)), tuple(tokenize(c.text)), c.label)
        for q in open_dataset("sample").questions("train")
        for c in q.candidates
    ]
    if wanted > len(rows):
        raise ValueError(
            f"`steps` times `batch_size` must be at most {len(rows)}. "
            f"Received: steps={settings.steps}, "
            f"batch_size={settings.batch_size}"
        )
    order = np.random.default_rng(settings.seed).permutation(wanted)
    rows = [rows[i] for i in order]
    texts = list(dict.fromkeys(text for row in rows for text in row[:2]))
    number = {text: i for i, text in enumerate(texts)}
    return Pairs(
        texts,
        np.array([number[question] for question, _, _ in rows]),
        np.array([number[answer] for _, answer, _ in rows]),
        np.array([[label] for _, _, label in rows], np.float32),
    )


def in_the_loop(bert: Bert, pairs: Pairs) -> Vectors:
    """A function that runs the texts of a batch through a BERT."""

    def vectors(numbers: np.ndarray) -> np.ndarray:
        found = encode_words(bert, [pairs.texts[i] for i in numbers])
        padded = np.zeros((len(found), pairs.length, bert.width), np.float32)
        for row, rows in zip(padded, found, strict=True):
            row[: len(rows)] = rows
        return padded

    return vectors


def make_reader(settings: Settings, reader: str, width: int) -> Any:
    """A compiled ranker over the vectors of two texts."""
    import keras

    inputs = [keras.Input((None, width)) for _ in range(2)]
    texts = [keras.layers.Masking()(one) for one in inputs]
    if reader == "BiLSTM":
        for _ in range(settings.layers):
            layer = keras.layers.Bidirectional(
                keras.layers.LSTM(settings.units, return_sequences=True)
            )
            texts = [layer(one) for one in texts]
    means = [keras.layers.GlobalAveragePooling1D()(one) for one in texts]
    joint = keras.layers.concatenate([*means, keras.layers.multiply(means)])
    model = keras.Model(inputs, keras.layers.Dense(1)(joint))
    model.compile(
        keras.optimizers.SGD(settings.learning_rate),
        loss=keras.losses.BinaryCrossentropy(from_logits=True),
    )
    return model


def epoch(
    settings: Settings, pairs: Pairs, vectors: Vectors, model: Any
) -> float:
    """Seconds of a pass over all batches, without a model only of its data."""
    start = time.perf_counter()
    for step in range(settings.steps):
        batch = slice(
            step * settings.batch_size, (step + 1) * settings.batch_size
        )
        # One call for both sides, so that the BERT gets the larger batches.
        numbers = np.concatenate([pairs.questions[batch], pairs.answers[batch]])
        question, answer = np.split(vectors(numbers), 2)
        if model is not None:
            model.train_on_batch([question, answer], pairs.labels[batch])
    return time.perf_counter() - start


def run(settings: Settings, backend: str) -> dict[str, Any]:
    """Measures all rounds of all contenders."""
    import keras

    keras.utils.set_random_seed(settings.seed)
    pairs = make_pairs(settings)
    bert = Bert(settings.source)
    loop = in_the_loop(bert, pairs)
    once: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in ("computing the cache", "reading it"):
            start = time.perf_counter()
            array = bert_text_vectors(
                pairs.texts,
                settings.source,
                cache_dir=folder,
                progress=name == "computing the cache",
            )
            once[name] = time.perf_counter() - start
    everything = np.arange(len(pairs.texts))
    parts = np.array_split(everything, -(-len(everything) // 100))
    difference = max(
        float(np.abs(loop(part) - array[part]).max()) for part in parts
    )
    vectors: dict[str, Vectors] = {
        "in the loop": loop,
        "cached": lambda numbers: array[numbers],
    }
    models = {
        reader: make_reader(settings, reader, bert.width)
        for reader in READERS[1:]
    }
    seconds: dict[str, dict[str, list[float]]] = {
        reader: {contender: [] for contender in CONTENDERS}
        for reader in READERS
    }
    # The first round compiles and is not counted.
    for number in range(1 + settings.rounds):
        for reader in READERS:
            for contender in CONTENDERS:
                taken = epoch(
                    settings, pairs, vectors[contender], models.get(reader)
                )
                if number:
                    seconds[reader][contender].append(taken)
    return {
        "backend": backend,
        "pairs": {
            "texts": len(pairs.texts),
            "words": sum(map(len, pairs.texts)),
            "words_per_pair": float(
                np.mean(
                    [
                        len(pairs.texts[i]) + len(pairs.texts[j])
                        for i, j in zip(
                            pairs.questions, pairs.answers, strict=True
                        )
                    ]
                )
            ),
        },
        "largest_difference": difference,
        "once": once,
        "seconds": seconds,
    }


def summarise(settings: Settings, measured: dict[str, Any]) -> dict[str, Any]:
    """Medians, ratios, and which bounds were reached."""
    summary: dict[str, Any] = {"epochs": {}, "bounds": {}}
    for reader in READERS:
        times = measured["seconds"][reader]
        ratio = paired_ratio(times["in the loop"], times["cached"])
        summary["epochs"][reader] = {
            "seconds": {c: statistics.median(times[c]) for c in CONTENDERS},
            "speedup": ratio,
        }
        if reader in BOUNDED:
            summary["bounds"][reader] = at_least(ratio, MIN_SPEEDUP)
    return summary


def report(
    settings: Settings, measured: dict[str, Any], summary: dict[str, Any]
) -> None:
    """Prints the tables."""
    pairs = measured["pairs"]
    print(
        f"\nAn epoch of {settings.steps} batches of {settings.batch_size} pairs"
        f" ({settings.source}, {measured['backend']}, {settings.cores} cores)\n"
        f"{pairs['words_per_pair']:.1f} words in a pair; {pairs['texts']} "
        f"different texts with {pairs['words']} words\n\n"
        "seconds per epoch"
        + "".join(f"{c:>14}" for c in CONTENDERS)
        + "  ratio"
    )
    for reader, found in summary["epochs"].items():
        bound = summary["bounds"].get(reader)
        reached = f"  {bound['bound']} {verdict(bound)}" if bound else ""
        print(
            f"  {reader:<15}"
            + "".join(f"{found['seconds'][c]:14.3f}" for c in CONTENDERS)
            + f"{found['speedup']:7.1f}{reached}"
        )
    print("\nonce, seconds")
    for name, taken in measured["once"].items():
        print(f"  {name:<22}{taken:7.2f}")
    print(
        "\nlargest difference of a vector's entries: "
        f"{measured['largest_difference']:.0e}"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = option_parser(
        __file__,
        "Compares epochs with a BERT's cached vectors and without.",
        Settings,
        ("rounds", "cores", "seed"),
    )
    parser.add_argument("--source", default=Settings.source)
    options = parser.parse_args(arguments)
    sizes: dict[str, int] = {"rounds": options.rounds}
    if options.smoke:
        sizes = {"rounds": 1, "batch_size": 2, "steps": 2, "units": 3}
    settings = Settings(
        **sizes, source=options.source, cores=options.cores, seed=options.seed
    )
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
