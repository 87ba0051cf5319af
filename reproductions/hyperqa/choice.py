"""The cross-validation that chose the values of HyperQA's recipes.

    python -m reproductions.hyperqa.choice --data-dir DIR \
        --embeddings minilm-static-300d.bin skipgram \
        --output reproductions/hyperqa/choice.jsonl

Each entry of a list of settings is trained four times on three quarters of
WikiQA's training questions and ranks the fourth quarter; its figure is the
highest mean MAP of the folds after any epoch. Dev and test are never read. One
line per entry is appended to the output file; entries in the file with the same
vectors are skipped, so the command can be given again after an interruption. An
entry takes about a minute on 2 cores. `--group vectors` measures a single
entry, to compare vectors: give it once per choice of `--embeddings`. `--group
twins` is of CosineQA with what equation 9 gives HyperQA, and of LogCosineQA; it
was measured with `minilm-static-300d-length3.bin`, in which each vector of
`minilm-static-300d.bin` is scaled to the length 3.

Limits of these figures:

* The skip-gram vectors are trained on the text, not the labels, of all
  training questions, including the held-out fold.
* The best epoch is chosen on the folds that are reported: the figures serve
  to compare settings, and are too high as estimates of quality.
* Differences under about 0.007 are noise, as the two seeds of one setting in
  the file show.
* Settings without an entry were not compared, and the recipe has the paper's
  value or the nearest to it: among others `batch_size`, `l2`,
  `projection_dim`, `conversion`, `projection`, `sampler_pool`, the paper's
  margins above 5 and, for sums of words, its learning rates above 0.01.
* Most recorded entries of HyperQA were measured with earlier training code
  (with another order of the batches, for example). In the present code, the
  first epochs of the best entry are lower than recorded by about the difference
  between two seeds, so the record does not show that this entry is better than
  its neighbours, such as margin 1.0.
"""

import argparse
import dataclasses
import functools
import sys
import time
from collections.abc import Iterable
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import keras_qa
from keras_qa.datasets.corpus import Corpus
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.registry import open_dataset
from keras_qa.progress import ProgressBar
from keras_qa.ranking.evaluation import evaluate
from reproductions.harness.command import add_data_dir
from reproductions.harness.command import with_messages
from reproductions.harness.memory import forget_models
from reproductions.harness.settings import resolve_settings
from reproductions.hyperqa.experiment import EXPERIMENT
from reproductions.hyperqa.settings import HyperQASettings
from reproductions.records.runs import append_run
from reproductions.records.runs import read_runs

Changes = dict[str, Any]

FOLDS = 4
FOLDS_SEED = 0
# Seed of the vectors: both seeds of an entry have the same vectors.
VECTORS_SEED = 1


@dataclasses.dataclass(frozen=True)
class Entry:
    """One line of the comparison.

    Attributes:
        model: `"hyperqa"`, `"cosineqa"` or `"logcosineqa"`.
        epochs: number of epochs; each is measured.
        settings: changes to the recipe `paper`.
        seed: seed of the model, the negatives and the batches.
    """

    model: str
    epochs: int
    settings: Changes
    seed: int = 1


def _entries(
    model: str, epochs: int, base: Changes, changes: Iterable[Changes]
) -> list[Entry]:
    # Named in records, whose meaning must not depend on present defaults.
    fixed = {"pooling": "sum", "negatives": 4, "batch_size": 50}
    return [Entry(model, epochs, fixed | base | change) for change in changes]


NARROW: Changes = {"learning_rate": 0.01, "margin": 0.5}

RECIPES = [
    # The paper's lists (section 4.3.3) around its smallest learning rate and
    # margin, and smaller values, since the best was at the end of the lists.
    *_entries(
        "hyperqa",
        8,
        {"learning_rate": 0.01, "margin": 1.0},
        [
            {},
            {"learning_rate": 0.005},
            {"learning_rate": 0.002},
            {"pooling": "mean", "learning_rate": 0.05},
            {"pooling": "mean", "learning_rate": 0.02},
            {"margin": 2.0},
            {"margin": 5.0},
            {"margin": 0.5},
            {"negatives": 8},
            {"negatives": 2},
            {"sampler": "random"},
            {"sampler": "max"},
        ],
    ),
    # Smaller margins with a smaller learning rate.
    *_entries(
        "hyperqa",
        6,
        {"learning_rate": 0.005, "margin": 0.5},
        [
            {},
            {"margin": 0.2},
            {"margin": 0.1},
            {"pooling": "mean", "learning_rate": 0.01},
        ],
    ),
    # Around the best of the above: another seed, then the word vectors.
    dataclasses.replace(*_entries("hyperqa", 5, NARROW, [{}]), seed=2),
    *_entries(
        "hyperqa",
        5,
        NARROW,
        [
            {"skipgram_epochs": 30},
            {"skipgram_window": 10},
            {"skipgram_dim": 200},
            {"skipgram_dim": 50},
            {"oov_scale": 0.5},
            {"oov_scale": 0.1},
        ],
    ),
    # CosineQA needs a larger learning rate and more epochs.
    *_entries(
        "cosineqa",
        15,
        {"learning_rate": 0.05, "margin": 0.5},
        [
            {},
            {"margin": 0.2},
            {"margin": 0.1},
            {"margin": 1.0},
            {"learning_rate": 0.1},
            {"learning_rate": 0.02},
        ],
    ),
]

# What equation 9 gives HyperQA by the way, gradients far above AdaGrad's
# starting accumulator, and a scale of the score to fit the margin.
FAST: Changes = {"learning_rate": 0.01, "initial_accumulator": 1e-8}
TWINS = [
    *_entries(
        "cosineqa",
        8,
        FAST,
        [
            {"score_scale": 1.0, "margin": 0.1},
            {"score_scale": 1.0, "margin": 0.2},
            {"score_scale": 5.0, "margin": 0.5},
            {"score_scale": 5.0, "margin": 1.0},
            {"score_scale": 10.0, "margin": 1.0},
            {"score_scale": 10.0, "margin": 2.0},
        ],
    ),
    *_entries(
        "logcosineqa",
        8,
        FAST,
        [{"margin": 0.2}, {"margin": 0.5}, {"margin": 1.0}],
    ),
    # As before, and HyperQA's recipe.
    *_entries("cosineqa", 15, {"learning_rate": 0.05, "margin": 0.2}, [{}]),
    *_entries("hyperqa", 8, NARROW, [{}]),
]

GROUPS = {
    "recipes": RECIPES,
    "twins": TWINS,
    "vectors": _entries("hyperqa", 5, NARROW, [{}]),
}


class CrossValidation:
    """Measures entries on the folds of some questions.

    Args:
        questions: the questions to divide into folds.
        tokenizer: name of the tokeniser.
        embeddings: vector files; the word `skipgram` trains vectors on the
            questions' own text.
    """

    def __init__(
        self,
        questions: Sequence[Question],
        tokenizer: str,
        embeddings: Sequence[str],
    ):
        self.corpus = Corpus(questions, tokenizer=tokenizer)
        self.embeddings = embeddings
        order = np.random.RandomState(FOLDS_SEED).permutation(len(questions))
        held_out = [set(order[fold::FOLDS]) for fold in range(FOLDS)]
        self.folds = [
            (
                [q for i, q in enumerate(questions) if i not in held],
                [q for i, q in enumerate(questions) if i in held],
            )
            for held in held_out
        ]
        self.questions = questions
        # Most successive entries share their vectors.
        self._matrix = functools.lru_cache(maxsize=1)(self._build_matrix)

    def curve(self, entry: Entry) -> np.ndarray:
        """The folds' mean MAP after each epoch, `(epochs,)`."""
        settings = resolve_settings(HyperQASettings(), entry.settings)
        matrix = self._matrix(
            settings.skipgram_dim,
            settings.skipgram_window,
            settings.skipgram_epochs,
            settings.oov_scale,
        )
        return np.mean(
            [
                self._fold_curve(entry, settings, matrix, fit, held)
                for fit, held in self.folds
            ],
            axis=0,
        )

    def _build_matrix(
        self, dim: int, window: int, epochs: int, scale: float
    ) -> np.ndarray:
        from keras_qa.embeddings import embedding_matrix
        from keras_qa.embeddings import load_vectors
        from keras_qa.embeddings import train_skipgram

        words = self.corpus.vocabulary.words
        sets = [
            train_skipgram(
                self.corpus.sentences(self.questions),
                vector_size=dim,
                window=window,
                epochs=epochs,
                seed=VECTORS_SEED,
            )
            if name == "skipgram"
            else load_vectors(Path(name), vocabulary=words)
            for name in self.embeddings
        ]
        matrix, _ = embedding_matrix(
            words,
            sets,
            seed=VECTORS_SEED,
            scale=scale,
            counts=self.corpus.word_counts(),
        )
        return matrix

    def _fold_curve(
        self,
        entry: Entry,
        settings: HyperQASettings,
        matrix: np.ndarray,
        fit_questions: list[Question],
        held_out: list[Question],
    ) -> list[float]:
        """MAP on one fold after each epoch of training on the other folds."""
        import keras

        from reproductions.harness.objectives import pairwise_training
        from reproductions.harness.parts.learners import Learner

        fit, held = map(self.corpus.index, (fit_questions, held_out))
        # The records were measured with this order of calls.
        keras.utils.set_random_seed(entry.seed)
        forget_models()
        model = EXPERIMENT.build_model(entry.model, settings, matrix)
        scorer = keras_qa.CorpusScorer(model, self.corpus)
        optimizer = EXPERIMENT.build_optimizer(entry.model, settings)
        training = pairwise_training(
            Learner(scorer, optimizer),
            settings,
            fit,
            entry.seed,
            scorer.scores,
        )
        curve: list[float] = []

        def measure(epoch: int, logs: Any) -> None:
            ranked = scorer.rank(held)
            curve.append(evaluate(held.questions, ranked).metrics["MAP"])

        training.trainer.fit(
            training.batches,
            epochs=entry.epochs,
            verbose=0,
            callbacks=[keras.callbacks.LambdaCallback(on_epoch_end=measure)],
        )
        return curve


def identity(
    entry: Entry, dataset: str, embeddings: Sequence[str]
) -> dict[str, Any]:
    """The fields of a record that identify its entry."""
    return {
        "paper": "hyperqa",
        "model": entry.model,
        "dataset": dataset,
        "split": "train",
        "folds": FOLDS,
        "seed": entry.seed,
        "recipe": "paper",
        "vectors": [Path(name).name for name in embeddings],
        "epochs": entry.epochs,
        "settings": entry.settings,
    }


def figures(curve: np.ndarray, seconds: float) -> dict[str, Any]:
    """The figures of a record: best MAP, its epoch from 1, all epochs' MAP."""
    return {
        "metrics": {"MAP": round(float(curve.max()), 4)},
        "epoch": int(curve.argmax()) + 1,
        "curve": [round(float(value), 3) for value in curve],
        "seconds": round(seconds),
    }


def find(
    records: Iterable[dict[str, Any]], wanted: dict[str, Any]
) -> dict[str, Any] | None:
    """The first record that has the wanted fields, or None."""
    for record in records:
        if wanted.items() <= record.items():
            return record
    return None


def table(records: Iterable[dict[str, Any]]) -> str:
    """The records, the best first, one line each."""
    rows = ["MAP     epoch  model     seed  settings"]
    for record in sorted(records, key=lambda r: -r["metrics"]["MAP"]):
        settings = " ".join(f"{k}={v}" for k, v in record["settings"].items())
        rows.append(
            f"{record['metrics']['MAP']:.4f}  "
            f"{record['epoch']:>2}/{record['epochs']:<2}  "
            f"{record['model']:<8}  {record['seed']:>4}  {settings}"
        )
    return "\n".join(rows)


def compare(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Measures the entries that the file lacks; returns those of the group.

    Raises:
        DatasetError, VectorsError: if a file is missing or bad.
        RecordError: if a line of the output file is not a record.
    """
    dataset = open_dataset(arguments.dataset, arguments.data_dir)
    validation = CrossValidation(
        dataset.questions("train"), dataset.tokenizer, arguments.embeddings
    )
    records = []
    for entry in ProgressBar(GROUPS[arguments.group], unit="entry"):
        wanted = identity(entry, arguments.dataset, arguments.embeddings)
        record = find(read_runs(arguments.output), wanted)
        if record is None:
            start = time.perf_counter()
            curve = validation.curve(entry)
            record = wanted | figures(curve, time.perf_counter() - start)
            append_run(arguments.output, record)
        records.append(record)
    return records


def main(argv: Sequence[str] | None = None) -> int:
    """Cross-validates a group of entries and prints their table.

    Returns:
        The exit status: 0, or 2 after a message about bad input.
    """
    parser = argparse.ArgumentParser(
        prog="python -m reproductions.hyperqa.choice",
        description=__doc__.splitlines()[0],
    )
    parser.add_argument(
        "--dataset", choices=("wikiqa", "sample"), default="wikiqa"
    )
    add_data_dir(parser)
    parser.add_argument(
        "--embeddings",
        nargs="+",
        required=True,
        metavar="FILE",
        help="vector files, concatenated word by word; the word `skipgram` "
        "trains vectors on the questions' own text",
    )
    parser.add_argument(
        "--group",
        choices=tuple(GROUPS),
        default="recipes",
        help="`vectors` is a single entry, to compare vectors",
    )
    parser.add_argument(
        "--output",
        type=Path,
        required=True,
        metavar="FILE",
        help="file of records (JSON lines) to append to",
    )
    arguments = parser.parse_args(argv)
    return with_messages(lambda: print(table(compare(arguments))))


if __name__ == "__main__":
    sys.exit(main())
