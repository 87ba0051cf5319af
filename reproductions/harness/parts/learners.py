"""A model to fit, and what to fit it on."""

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from typing import TYPE_CHECKING
from typing import Any

if TYPE_CHECKING:
    import keras

    from keras_qa.batches.pairs import EpochBatches
    from keras_qa.training.corpus_scorer import CorpusScorer


@dataclass(frozen=True)
class Learner:
    """A model to fit, with what does not depend on the loss.

    Attributes:
        scorer: scores pairs with the model.
        optimizer: the optimizer.
        patience: see `Training`.
        callbacks: see `Training`.
        details: see `Training`.
    """

    scorer: "CorpusScorer"
    optimizer: "keras.optimizers.Optimizer"
    patience: int = 0
    callbacks: "Sequence[keras.callbacks.Callback]" = ()
    details: Mapping[str, Any] = field(default_factory=dict)

    def fitted(
        self, trainer: "keras.Model", batches: "EpochBatches"
    ) -> "Training":
        """Returns the training by a compiled trainer on some batches."""
        return Training(
            self.scorer,
            trainer,
            batches,
            self.patience,
            self.callbacks,
            self.details,
        )


@dataclass(frozen=True)
class Training:
    """A model to fit, and what to fit it on.

    Attributes:
        scorer: scores pairs with the model that is to learn.
        trainer: the compiled model to fit: the scorer's, or one around it.
        batches: what to fit it on.
        patience: the training ends after this many epochs without a better
            one on the questions that choose the epoch; 0 runs all epochs.
        callbacks: further callbacks of the training.
        details: entries of `metrics.json` about earlier stages.
    """

    scorer: "CorpusScorer"
    trainer: "keras.Model"
    batches: "EpochBatches"
    patience: int = 0
    callbacks: "Sequence[keras.callbacks.Callback]" = ()
    details: Mapping[str, Any] = field(default_factory=dict)
