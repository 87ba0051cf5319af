r"""Losses of every trainer on one and on several devices, to be compared.

    KERAS_BACKEND=jax XLA_FLAGS=--xla_force_host_platform_device_count=4 \
        python -m benchmarks.device_losses

prints a line of JSON for each trainer and number of devices, with the losses of
two epochs and the largest relative difference from those of the first number.
With `--hosts FILE`, each process is started with this command.
"""

import argparse
import json
import sys
from collections.abc import Callable
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import keras
import numpy as np

from keras_qa.batches.listwise import ListwiseBatches
from keras_qa.batches.negatives import NegativeSampler
from keras_qa.batches.pairs import EpochBatches
from keras_qa.batches.pairs import HardestNegativeBatches
from keras_qa.batches.pairs import PairwiseBatches
from keras_qa.batches.pairs import PointwiseBatches
from keras_qa.batches.triplets import TripletBatches
from keras_qa.devices import use_devices
from keras_qa.files.whole import write_text
from keras_qa.hosts import join_hosts
from keras_qa.hosts import read_hosts
from keras_qa.losses.in_batch import InBatchSoftmax
from keras_qa.losses.listwise import ListwiseSoftmax
from keras_qa.losses.pairwise import PairwiseHinge
from keras_qa.losses.triplet import TripletLoss
from keras_qa.models import MRNN
from keras_qa.models import QALSTM
from keras_qa.models import BidirectionalLanguageModel
from keras_qa.models import CosineQA
from keras_qa.models import HyperQA
from keras_qa.optimizers.riemannian import RiemannianOptimizer
from keras_qa.text.packing import RaggedTexts
from keras_qa.training.in_batch import InBatchTrainer
from keras_qa.training.language_model import LanguageModelBatches
from keras_qa.training.language_model import output_classes
from keras_qa.training.pairwise import HardestNegativeTrainer
from keras_qa.training.pairwise import PairwiseTrainer
from keras_qa.training.triplets import TripletTrainer

# 4 devices divide no batch evenly.
VOCABULARY, TEXTS, QUESTIONS, DIM = 40, 29, 7, 8

Fit = tuple[keras.Model, EpochBatches]

_rng = np.random.default_rng(0)
# Of one length, since JAX compiles for each shape.
_texts = RaggedTexts.from_sequences(_rng.integers(2, VOCABULARY, (TEXTS, 3)))
_questions = np.arange(QUESTIONS)
_candidates = [_rng.choice(np.arange(8, TEXTS), 5, False) for _ in _questions]
_labels = [np.array([1, 0, 1, 0, 0])] * QUESTIONS
_pairs = np.repeat(_questions, 5), np.concatenate(_candidates)


def _sampler(**settings: Any) -> NegativeSampler:
    return NegativeSampler(
        _questions, _candidates, _labels, 3, strategy="random", **settings
    )


def _pairwise(optimizer: Any, **settings: Any) -> PairwiseTrainer:
    model = HyperQA(VOCABULARY, DIM, 5, **settings)
    trainer = PairwiseTrainer(model)
    trainer.compile(optimizer, loss=PairwiseHinge(2.0))
    return trainer


def packed() -> Fit:
    """With a last batch of other size."""
    trainer = _pairwise("adagrad")
    return trainer, PairwiseBatches(_texts, _sampler().sample, 5)


def split() -> Fit:
    """With a trained table, which can be laid out in parts."""
    trainer = _pairwise("adam", trainable_embeddings=True)
    return trainer, PairwiseBatches(_texts, _sampler().sample, 14)


def padded() -> Fit:
    """With a conversion of gradients that is not linear."""
    released = RiemannianOptimizer(keras.optimizers.Adagrad(0.05), "gradient")
    trainer = _pairwise(released)
    return (
        trainer,
        PairwiseBatches(_texts, _sampler().sample, 14, packed=False),
    )


def pointwise() -> Fit:
    model = CosineQA(VOCABULARY, DIM, 5)
    loss = keras.losses.BinaryCrossentropy(from_logits=True)
    model.compile("adam", loss=loss)
    labels = np.concatenate(_labels)
    return model, PointwiseBatches(_texts, *_pairs, labels, 35)


def listwise() -> Fit:
    model = QALSTM(VOCABULARY, DIM, 4, dropout=0.2)
    trainer = PairwiseTrainer(model)
    trainer.compile("adam", loss=ListwiseSoftmax())
    batches = ListwiseBatches(
        _texts, _questions, _candidates, _labels, 7, packed=False
    )
    return trainer, batches


def hardest() -> Fit:
    model = CosineQA(VOCABULARY, DIM, 5)
    trainer = HardestNegativeTrainer(model)
    trainer.compile(keras.optimizers.SGD(0.5), loss=PairwiseHinge(0.2))
    batches = HardestNegativeBatches(_texts, _sampler(pool="all"), 14)
    return trainer, batches


def in_batch() -> Fit:
    model = CosineQA(VOCABULARY, DIM, 5)
    trainer = InBatchTrainer(model)
    trainer.compile("adam", loss=InBatchSoftmax())
    batches = TripletBatches(_texts, _questions, _candidates, _labels, 7)
    return trainer, batches


def triplets() -> Fit:
    model = MRNN(VOCABULARY, DIM, filters=4, blocks=1, dropout=0.1)
    trainer = TripletTrainer(model)
    trainer.compile("adamw", loss=TripletLoss(margin=0.5))
    batches = TripletBatches(
        _texts, _questions, _candidates, _labels, 7, chunk=12
    )
    return trainer, batches


def language_model() -> Fit:
    classes = output_classes(_texts, VOCABULARY)
    model = BidirectionalLanguageModel(
        VOCABULARY, DIM, 4, layers=1, classes=classes
    )
    model.compile(keras.optimizers.SGD(0.5))
    return model, LanguageModelBatches(_texts, TEXTS)


TRAINERS: dict[str, Callable[[], Fit]] = {
    function.__name__: function
    for function in (
        *(packed, padded, pointwise, listwise, hardest),
        *(in_batch, triplets, language_model, split),
    )
}


def train(name: str) -> list[float]:
    """The losses of two epochs."""
    keras.utils.set_random_seed(1)
    trainer, batches = TRAINERS[name]()
    fitted = trainer.fit(
        batches.feed(), **batches.fit_arguments(epochs=2, verbose=0)
    )
    losses: list[float] = fitted.history["loss"]
    return losses


def table(record: dict[str, Any]) -> str:
    """The largest differences of a record, for the documents."""
    found: dict[str, dict[int, float]] = {}
    for row in record["rows"]:
        of_trainer = found.setdefault(row["trainer"].replace("_", " "), {})
        of_trainer[row["devices"]] = row["difference"]
    counts = list(next(iter(found.values())))[1:]
    lines = [
        f"| trainer | {' | '.join(f'{n} devices' for n in counts)} |",
        f"|---|{'---|' * len(counts)}",
    ]
    for name, differences in found.items():
        cells = [f"{differences[n]:.1e}" for n in counts]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Trains and prints."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.device_losses",
        description=__doc__.split("\n")[0],
    )
    everything = {"devices": [1, 2, 4], "trainers": list(TRAINERS)}
    parser.add_argument("--devices", nargs="+", type=int, metavar="N")
    parser.add_argument("--trainers", nargs="+", choices=TRAINERS)
    parser.add_argument("--hosts", type=Path)
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="file of all lines (default: the one next to this script; none "
        "with --devices or --trainers)",
    )
    parser.set_defaults(**everything)
    arguments = parser.parse_args(argv)
    asked = {name: getattr(arguments, name) for name in everything}
    output = arguments.output
    if output is None and asked == everything:
        output = Path(__file__).with_suffix(".json")
    if arguments.hosts:
        join_hosts(read_hosts(arguments.hosts))
    rows = []
    for name in arguments.trainers:
        first: list[float] = []
        for count in arguments.devices:
            # Only the last trainer has a table that is trained.
            with use_devices(count, split_embeddings=name == "split"):
                losses = train(name)
            first = first or losses
            difference = np.max(np.abs(np.divide(losses, first) - 1))
            row = {"trainer": name, "devices": count, "loss": losses}
            rows.append({**row, "difference": float(difference)})
            print(json.dumps(rows[-1]), flush=True)
    if output:
        write_text(output, json.dumps({"rows": rows}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
