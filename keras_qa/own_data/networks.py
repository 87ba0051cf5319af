"""Networks that are trained on one's own data."""

from typing import Any

import keras
import numpy as np

from keras_qa.batches.listwise import ListwiseBatches
from keras_qa.datasets.corpus import Corpus
from keras_qa.datasets.corpus import IndexedQuestions
from keras_qa.embeddings.bert.network import Bert
from keras_qa.losses.listwise import ListwiseSoftmax
from keras_qa.models import QACNN
from keras_qa.models import QALSTM
from keras_qa.models import CompareAggregate
from keras_qa.models import CosineQA
from keras_qa.models import CrossEncoder
from keras_qa.models import HyperQA
from keras_qa.models import SentenceEncoder
from keras_qa.models.transformers.bert_backbone import BertRanker
from keras_qa.own_data.settings import TrainSettings
from keras_qa.ranking.evaluation import evaluate
from keras_qa.training.corpus_scorer import CorpusScorer
from keras_qa.training.epoch_selection import EpochSelector
from keras_qa.training.fine_tuning import fine_tuning
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
# The same of those that start from a BERT; both scale their cosines.
OF_BERT: dict[str, tuple[type[BertRanker], dict[str, Any], float]] = {
    "cross-encoder": (CrossEncoder, {"matching": True}, 1.0),
    "sentence-encoder": (SentenceEncoder, {}, 1.0),
}


def fit_network(
    name: str,
    corpus: Corpus,
    fit: IndexedQuestions,
    held_out: IndexedQuestions,
    start: np.ndarray | Bert,
    folder: RunFolder,
    settings: TrainSettings,
    seed: int,
) -> tuple[keras.Model, EpochSelector]:
    """Trains a network to rank candidates, and keeps its best epoch.

    Args:
        name: one of `CLASSES` or `OF_BERT`.
        corpus: the texts, as word pieces for one of `OF_BERT`.
        fit: the questions to train on.
        held_out: the questions that choose the epoch, by MAP.
        start: vectors by word id, which stay as they are; or a BERT, which is
            trained.
        folder: the claimed folder of the run, which a killed training is
            resumed from.
        settings: the settings.
        seed: of the weights and of all draws.

    Returns:
        The network, and its epochs.
    """
    keras.utils.set_random_seed(seed)
    callbacks: list[keras.callbacks.Callback] = []
    if isinstance(start, Bert):
        of_bert, arguments, temperature = OF_BERT[name]
        model = of_bert.from_bert(start, **arguments)
        optimizer, callbacks = fine_tuning(settings.learning_rate)
    else:
        build, arguments, temperature = CLASSES[name]
        model = build(*start.shape, embeddings=start, **arguments)
        optimizer = keras.optimizers.Adam(settings.learning_rate)
    trainer = PairwiseTrainer(model)
    trainer.compile(optimizer, loss=ListwiseSoftmax(temperature=temperature))
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
        callbacks=callbacks,
    )
    return model, selector
