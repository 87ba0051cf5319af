"""Networks that are trained on one's own data."""

from typing import Any

import keras
import numpy as np

from keras_qa.batches.listwise import ListwiseBatches
from keras_qa.datasets.corpus import Corpus
from keras_qa.datasets.corpus import IndexedQuestions
from keras_qa.losses.listwise import ListwiseSoftmax
from keras_qa.models import QACNN
from keras_qa.models import QALSTM
from keras_qa.models import CompareAggregate
from keras_qa.models import CosineQA
from keras_qa.models import HyperQA
from keras_qa.own_data.settings import TrainSettings
from keras_qa.ranking.evaluation import evaluate
from keras_qa.training.corpus_scorer import CorpusScorer
from keras_qa.training.epoch_selection import EpochSelector
from keras_qa.training.fitting import fit_best_epoch
from keras_qa.training.pairwise import PairwiseTrainer
from keras_qa.training.run_folder import RunFolder

_FROZEN = {"trainable_embeddings": False}
# On some hundred questions it ranks as with 300 units and windows of up to 5
# words, and trains several times as fast.
_SMALL = {**_FROZEN, "units": 100, "max_width": 2, "dropout": 0.2}
# The class of each network, its own arguments, and the temperature of the
# softmax over candidates: scores of some are cosines.
CLASSES: dict[str, tuple[type[keras.Model], dict[str, Any], float]] = {
    "cosineqa": (CosineQA, {"projection_dim": 300, "pooling": "mean"}, 0.1),
    "hyperqa": (HyperQA, {"projection_dim": 300}, 1.0),
    "qa-lstm": (QALSTM, _FROZEN, 0.1),
    "qa-cnn": (QACNN, _FROZEN, 0.1),
    "cam": (CompareAggregate, _SMALL, 1.0),
}


def fit_network(
    name: str,
    corpus: Corpus,
    fit: IndexedQuestions,
    held_out: IndexedQuestions,
    matrix: np.ndarray,
    folder: RunFolder,
    settings: TrainSettings,
    seed: int,
) -> tuple[keras.Model, EpochSelector]:
    """Trains a network to rank candidates, and keeps its best epoch.

    Args:
        name: one of `CLASSES`.
        corpus: the texts.
        fit: the questions to train on.
        held_out: the questions that choose the epoch, by MAP.
        matrix: vectors by word id, which stay as they are.
        folder: the claimed folder of the run, which a killed training is
            resumed from.
        settings: the settings.
        seed: of the weights and of all draws.

    Returns:
        The network, and its epochs.
    """
    keras.utils.set_random_seed(seed)
    build, arguments, temperature = CLASSES[name]
    model = build(*matrix.shape, embeddings=matrix, **arguments)
    trainer = PairwiseTrainer(model)
    trainer.compile(
        keras.optimizers.Adam(settings.learning_rate),
        loss=ListwiseSoftmax(temperature=temperature),
    )
    batches = ListwiseBatches(
        corpus.texts,
        fit.question_texts,
        fit.candidate_texts,
        fit.labels,
        settings.batch_size,
        seed=seed,
        group_size=settings.group_size,
        packed=trainer.supports_packing,
    )
    scorer = CorpusScorer(model, corpus, unread_last=True)

    def measure() -> Any:
        return evaluate(held_out.questions, scorer.rank(held_out), seed=seed)

    selector = fit_best_epoch(
        trainer,
        batches,
        folder,
        measure,
        settings.epochs,
        patience=settings.patience,
        title=name,
    )
    return model, selector
