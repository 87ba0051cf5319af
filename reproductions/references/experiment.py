r"""References of today: small transformers, which the papers did not have.

    python -m reproductions.references --model cross-encoder \
        --dataset wikiqa --data-dir DIR --seed 1 --split dev

The models read word pieces with a BERT, by default all-MiniLM-L6-v2, which was
trained on many pairs of questions and answers; no word vectors are needed.
`sentence-encoder` and `late-interaction` are used as they are, the others are
trained on the data set.
"""

from argparse import Namespace
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING
from typing import Any

import numpy as np

import keras_qa
from keras_qa.datasets.corpus import Corpus
from keras_qa.datasets.dataset import Question
from reproductions.harness.command import run_command
from reproductions.harness.experiment import Experiment
from reproductions.harness.parts.learners import Learner
from reproductions.harness.parts.learners import Training
from reproductions.harness.parts.runs import Outcome
from reproductions.harness.parts.runs import Run
from reproductions.records.costs import TUNED
from reproductions.records.costs import untuned
from reproductions.references.settings import MODELS
from reproductions.references.settings import RECIPES
from reproductions.references.settings import ReferenceSettings

if TYPE_CHECKING:
    import keras

    from keras_qa.embeddings import Coverage
    from keras_qa.embeddings.bert.network import Bert
    from keras_qa.embeddings.bert.piece_vocabulary import PieceVocabulary

# The class of each model, and the settings that are its own arguments.
CLASSES: dict[str, tuple[str, tuple[str, ...]]] = {
    "cross-encoder": ("CrossEncoder", ("pooling", "matching")),
    "sentence-encoder": ("SentenceEncoder", ("scale",)),
    "late-interaction": (
        "LateInteraction",
        ("scale", "projection_dim", "reduce"),
    ),
}
ZERO_SHOT = ("sentence-encoder", "late-interaction")


class ReferenceExperiment(Experiment[ReferenceSettings]):
    """Small transformers of today, which the papers did not have."""

    name = "references"
    settings = ReferenceSettings
    models = (*CLASSES, *(model + TUNED for model in ZERO_SHOT))
    recipes = RECIPES
    of_model = MODELS
    own_settings = {m: CLASSES[untuned(m)][1] for m in models}
    counts_words = False
    untrained = (*Experiment.untrained, *ZERO_SHOT)

    # === The data ===

    def vectors(self, arguments: Namespace) -> list[str]:
        """The BERT, whose files are part of a run's identity."""
        if arguments.model in self.models:
            return [f"bert:{self.settings_of(arguments).bert}"]
        return super().vectors(arguments)

    def word_matrix(
        self,
        arguments: Namespace,
        settings: ReferenceSettings,
        corpus: Corpus,
        fit: list[Question],
    ) -> "tuple[np.ndarray, Coverage | None]":
        """None: the models have the vectors of their pieces."""
        return np.zeros((0, 0), np.float32), None

    def word_pieces(
        self, arguments: Namespace, settings: ReferenceSettings
    ) -> "PieceVocabulary | None":
        """The pieces of the BERT."""
        if arguments.model not in self.models:
            return None
        return keras_qa.piece_vocabulary(_bert(settings.bert))

    # === Training and ranking ===

    def build_model(
        self, model: str, settings: ReferenceSettings, matrix: np.ndarray
    ) -> "keras.Model":
        """A model with the weights of the BERT."""
        class_name, names = CLASSES[untuned(model)]
        return getattr(keras_qa, class_name).from_bert(
            _bert(settings.bert),
            dropout=settings.dropout,
            frozen_layers=settings.frozen_layers,
            dtype=settings.dtype,
            **{name: getattr(settings, name) for name in names},
        )

    def rank_by_words(self, run: Run[ReferenceSettings]) -> Outcome | None:
        """Ranks with a model that is used as it is."""
        if run.arguments.model not in ZERO_SHOT:
            return None
        from reproductions.harness.fitting import rank_unfitted

        return rank_unfitted(self, run, self._scorer(run))

    def build_learner(self, run: Run[ReferenceSettings]) -> Learner:
        """The model, and AdamW with a rising and falling rate."""
        from keras_qa.training.fine_tuning import fine_tuning

        settings = run.settings
        optimizer, callbacks = fine_tuning(
            settings.learning_rate, settings.warm_up, settings.weight_decay
        )
        return Learner(self._scorer(run), optimizer, callbacks=callbacks)

    def _scorer(self, run: Run[ReferenceSettings]) -> Any:
        model = self.build_model(run.arguments.model, run.settings, run.matrix)
        return keras_qa.CorpusScorer(model, run.corpus)

    def paper_training(
        self, run: Run[ReferenceSettings], learner: Learner
    ) -> Training:
        """Pointwise for pairs read together, in batches for encoders."""
        from reproductions.harness.objectives import pointwise_training

        fit, settings = run.corpus.index(run.fit), run.settings
        seed = run.arguments.seed
        scorer = learner.scorer
        if not hasattr(scorer.model, "answer_encoder"):
            return pointwise_training(learner, settings, fit, seed)
        trainer = keras_qa.InBatchTrainer(scorer.model)
        trainer.compile(learner.optimizer, loss=keras_qa.InBatchSoftmax())
        batches = keras_qa.TripletBatches(
            scorer.texts,
            fit.question_texts,
            fit.candidate_texts,
            fit.labels,
            batch_size=settings.batch_size,
            seed=seed,
            positives=1,
            negatives=settings.negatives,
        )
        return learner.fitted(trainer, batches)

    def search_space(self) -> dict[str, list[Any]]:
        """Settings around the usual ones."""
        return {
            "learning_rate": [2e-5, 5e-5, 1e-4],
            "batch_size": [16, 32],
            "dropout": [0.0, 0.1],
            "weight_decay": [0.0, 0.01, 0.1],
        }


@cache
def _bert(source: str) -> "Bert":
    """The BERT, loaded once for the vocabulary and the weights."""
    from keras_qa.embeddings.bert.network import Bert

    return Bert(source)


EXPERIMENT = ReferenceExperiment()


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one model with one seed and prints its figures."""
    return run_command(EXPERIMENT, argv)
