"""The names that examples in docstrings use without defining them.

Each name of `PREPARED` has a tiny value, made when an example uses it. In
addition, an example has the names of its own module, the public names of the
kit, `keras` and `np`.
"""

import importlib
import shutil
from pathlib import Path

import keras
import numpy as np

import keras_qa
from keras_qa import datasets
from keras_qa import embeddings
from keras_qa import layers
from keras_qa import models
from keras_qa.batches.pairs import PointwiseBatches
from keras_qa.cli import main as cli
from keras_qa.datasets import Corpus
from keras_qa.datasets import NegativeSampler
from keras_qa.datasets import open_dataset
from keras_qa.datasets import open_tabular
from keras_qa.layers import RBMJumpScore
from keras_qa.ranking.evaluation import recall_measures
from keras_qa.ranking.first_stage import with_first_stage
from keras_qa.text.reading import TextReading
from keras_qa.training.language_model import LanguageModelBatches
from keras_qa.training.pairwise import PairwiseTrainer
from keras_qa.training.triplets import TripletTrainer
from support import all_models
from support.run_folders import write_run

DATA = Path(__file__).parents[1] / "data"
# The model that `model` stands for, by the module of the example.
MODEL_OF = {
    "keras_qa.attention.weights": "AttentiveLSTM",
    "keras_qa.attention.maps": "MRNN",
    "keras_qa.batches.pairs": "QRNNRanker",
    "keras_qa.training.language_model": "BidirectionalLanguageModel",
}


def public_names():
    """The public names of the kit and of its folders."""
    names = {"np": np, "keras": keras, "recall_measures": recall_measures}
    names["LanguageModelBatches"] = LanguageModelBatches
    for module in (keras_qa, datasets, embeddings, layers, models):
        names.update((name, getattr(module, name)) for name in module.__all__)
    return names


class Prepared:
    """Makes the names of one example.

    Args:
        module: name of the module that contains the example.
    """

    def __init__(self, module):
        self.module = module

    def get(self, name):
        """The value of a name of `PREPARED`."""
        if name not in vars(self):
            setattr(self, name, PREPARED[name](self))
        return vars(self)[name]

    def __getattr__(self, name):
        if name not in PREPARED:
            raise AttributeError(name)
        return self.get(name)


def _dataset(made):
    return open_tabular(train="train.csv", dev="train.csv")


def _model(made):
    model = all_models.build(
        MODEL_OF.get(made.module, "HyperQA"), len(made.vocabulary), 6
    )
    if not hasattr(model, "compute_word_loss"):
        loss = keras.losses.BinaryCrossentropy(from_logits=True)
        model.compile("adam", loss=loss)
    return model


def _trainer(made):
    size = len(made.vocabulary)
    if made.module == "keras_qa.losses.pairwise":
        return PairwiseTrainer(all_models.build("HyperQA", size, 6))
    trainer = TripletTrainer(all_models.build("MRNN", size, 6))
    trainer.compile("adam", loss=keras_qa.losses.triplet.TripletLoss(0.5))
    return trainer


def _scores(made):
    questions = made.dev
    if made.module == "keras_qa.ranking.first_stage":
        squad = with_first_stage(open_dataset("squad", DATA), 20)
        questions = squad.questions("dev")
    return [np.arange(len(q.candidates), dtype=float) for q in questions]


def _score(made):
    layer = RBMJumpScore()
    layer.build(made.states.shape)
    return layer


PREPARED = {
    "tf": lambda made: importlib.import_module("tensorflow"),
    "onnxruntime": lambda made: importlib.import_module("onnxruntime"),
    "dataset": _dataset,
    "folder": lambda made: DATA,
    "dev": lambda made: made.dataset.questions("dev"),
    "scores": _scores,
    "corpus": lambda made: Corpus(made.dataset.questions("train"), made.dev),
    "vocabulary": lambda made: made.corpus.vocabulary,
    "reading": lambda made: TextReading(made.vocabulary),
    "texts": lambda made: made.corpus.texts,
    "indexed": lambda made: made.corpus.index(made.dev),
    "questions": lambda made: made.indexed.question_texts,
    "candidates": lambda made: made.indexed.candidate_texts,
    "labels": lambda made: made.indexed.labels,
    "sampler": lambda made: NegativeSampler(
        made.questions, made.candidates, made.labels, 2, strategy="random"
    ),
    "model": _model,
    "scorer": lambda made: made.model,
    "teacher": lambda made: keras_qa.Ranker(made.model, made.reading),
    "encoder": lambda made: made.model.question_encoder,
    "trainer": _trainer,
    "batches": lambda made: PointwiseBatches(
        made.texts, *made.indexed.pairs(), np.concatenate(made.labels), 8
    ),
    "parts": lambda made: [
        {name: keras.ops.array([[2, 3]]) for name in ("question", "answer")}
    ],
    "states": lambda made: np.tanh(np.random.normal(size=(4, 5, 3))),
    "mask": lambda made: np.ones((4, 5), bool),
    "score": _score,
}


def write_files(folder):
    """Writes the files that examples name."""
    for name in ("train.csv", "pairs.tsv", "test.jsonl"):
        kind = Path(name).suffix
        shutil.copy(DATA / "user" / f"pairs{kind}", folder / name)


def write_index(folder):
    """Writes the folder `index`, of answers encoded by HyperQA."""
    vocabulary = Corpus(
        open_tabular(train=folder / "train.csv").questions("train")
    ).vocabulary
    model = all_models.build("HyperQA", len(vocabulary), 6)
    run = write_run(folder / "run", model, vocabulary)
    (folder / "answers.txt").write_text("ann wrote it\nemma did\n")
    arguments = ("--answers", folder / "answers.txt")
    arguments += ("--output", folder / "index")
    assert cli.main(["index", str(run), *map(str, arguments)]) == 0
